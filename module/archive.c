// SPDX-License-Identifier: GPL-2.0
/*
 * trace.fxt: what the rings hold, read piece by piece. CPU by CPU, the oldest
 * sub-buffer first; each is copied when it is its turn, so that a reader costs the
 * memory of one sub-buffer however large the rings are.
 *
 * Concurrency: @lock serialises readers of one open file; it is taken before
 * session_mutex. Rings are referenced, and CPUs go on recording meanwhile: what a
 * slow reader finds overwritten is left out, which a provider event tells.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "archive.h"
#include "fxt.h"
#include "ring.h"
#include "session.h"

/**
 * struct vtr_archive - a reader of what the rings hold
 * @lock: serialises reads
 * @rings: by CPU, with references; NULL before the first read
 * @cpu: CPU whose turn it is
 * @sequence: its next sub-buffer
 * @end: behind the last of them, as of when its turn began
 * @has_begun: one of its sub-buffers has been copied
 * @has_gap: sub-buffers are missing between that and the next one
 * @is_empty: nothing has been copied yet
 * @bytes: a provider event if there is a gap, and a sub-buffer
 * @len_bytes: what is in @bytes
 * @read_bytes: what of it has been read
 */
struct vtr_archive {
	struct mutex		lock;	/* of all below */
	struct vtr_ring		**rings;
	unsigned int		cpu;
	u64			sequence;
	u64			end;
	bool			has_begun;
	bool			has_gap;
	bool			is_empty;
	void			*bytes;
	size_t			len_bytes;
	size_t			read_bytes;
};

/**
 * vtr_archive_create() - begin to read
 *
 * Context: task, sleeps.
 * Return: the reader, or NULL without memory.
 */
struct vtr_archive *vtr_archive_create(void)
{
	struct vtr_archive *archive = kzalloc(sizeof(*archive), GFP_KERNEL);

	if (!archive)
		return NULL;
	mutex_init(&archive->lock);
	archive->is_empty = true;
	return archive;
}

/**
 * vtr_archive_destroy() - end reading
 * @archive: reader
 *
 * Context: task, sleeps.
 */
void vtr_archive_destroy(struct vtr_archive *archive)
{
	vtr_session_put_rings(archive->rings);
	kvfree(archive->bytes);
	kfree(archive);
}

/* Find @cpu, or the next one that has a ring, and what that holds now. */
static void begin_cpu(struct vtr_archive *archive, unsigned int cpu)
{
	while (cpu < nr_cpu_ids && !archive->rings[cpu])
		cpu++;
	archive->cpu = cpu;
	archive->has_begun = false;
	archive->has_gap = false;
	if (cpu < nr_cpu_ids)
		vtr_ring_range(archive->rings[cpu], &archive->sequence,
			       &archive->end);
}

/* All rings of a session have sub-buffers of one size. */
static int begin(struct vtr_archive *archive)
{
	struct vtr_ring **rings = vtr_session_get_rings();
	size_t len_bytes = FXT_WORD_BYTES;

	if (!rings)
		return -ENOMEM;
	archive->rings = rings;
	begin_cpu(archive, 0);
	if (archive->cpu < nr_cpu_ids)
		len_bytes += vtr_ring_subbuf_bytes(&rings[archive->cpu]->config);
	archive->bytes = kvmalloc(len_bytes, GFP_KERNEL);
	if (archive->bytes)
		return 0;
	vtr_session_put_rings(rings);
	archive->rings = NULL;
	return -ENOMEM;
}

/* Copy the CPU's next sub-buffer; false if it is not there any more. */
static bool copy_subbuf(struct vtr_archive *archive)
{
	struct vtr_ring *ring = archive->rings[archive->cpu];
	size_t head_bytes = 0, len_bytes;

	if (archive->has_gap)
		head_bytes = FXT_WORD_BYTES *
			     vtr_fxt_put_provider_event(archive->bytes,
							ring->cpu + 1,
							FXT_PROVIDER_EVENT_BUFFER_FULL);
	len_bytes = vtr_ring_copy(ring, archive->sequence++,
				  archive->bytes + head_bytes);
	if (!len_bytes) {
		archive->has_gap = archive->has_begun;
		return false;
	}
	archive->len_bytes = head_bytes + len_bytes;
	archive->has_gap = false;
	archive->has_begun = true;
	archive->is_empty = false;
	return true;
}

/* Pass over what has been overwritten since the CPU's turn began. */
static void skip_overwritten(struct vtr_archive *archive)
{
	u64 first, end;

	vtr_ring_range(archive->rings[archive->cpu], &first, &end);
	if (archive->sequence >= first)
		return;
	archive->sequence = first;
	archive->has_gap = archive->has_begun;
}

/* Put what comes next into @bytes; false at the end. */
static bool fill(struct vtr_archive *archive)
{
	archive->read_bytes = 0;
	while (archive->cpu < nr_cpu_ids) {
		cond_resched();
		skip_overwritten(archive);
		if (archive->sequence >= archive->end)
			begin_cpu(archive, archive->cpu + 1);
		else if (copy_subbuf(archive))
			return true;
	}
	archive->len_bytes = 0;
	if (!archive->is_empty)
		return false;
	/* An archive of nothing is still an archive. */
	*(u64 *)archive->bytes = FXT_MAGIC_RECORD;
	archive->len_bytes = FXT_WORD_BYTES;
	archive->is_empty = false;
	return true;
}

static ssize_t read_locked(struct vtr_archive *archive, char __user *buf,
			   size_t count)
{
	size_t done = 0, len_bytes;

	while (done < count) {
		if (archive->read_bytes == archive->len_bytes && !fill(archive))
			break;
		len_bytes = min(count - done,
				archive->len_bytes - archive->read_bytes);
		if (copy_to_user(buf + done,
				 archive->bytes + archive->read_bytes,
				 len_bytes))
			return done ?: -EFAULT;
		archive->read_bytes += len_bytes;
		done += len_bytes;
		if (fatal_signal_pending(current))
			break;
	}
	return done;
}

/**
 * vtr_archive_read() - read on
 * @archive: reader
 * @buf: where to
 * @count: how much at most
 *
 * Context: task, sleeps.
 * Return: bytes read, 0 at the end, -ENOMEM or -EFAULT.
 */
ssize_t vtr_archive_read(struct vtr_archive *archive, char __user *buf,
			 size_t count)
{
	ssize_t ret = 0;

	mutex_lock(&archive->lock);
	if (!archive->rings)
		ret = begin(archive);
	if (!ret)
		ret = read_locked(archive, buf, count);
	mutex_unlock(&archive->lock);
	return ret;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/archive_kunit.c"
#endif
