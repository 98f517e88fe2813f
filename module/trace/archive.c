// SPDX-License-Identifier: GPL-2.0
/*
 * The file trace.fxt: the contents of the rings, one sub-buffer after the other, CPU
 * by CPU and oldest first. Sub-buffers are copied one at a time, so that an open file
 * takes the memory of one sub-buffer, regardless of the size of the rings. This memory is
 * charged to the cgroup of the reader.
 *
 * Concurrency: @lock serialises readers of one open file; it is taken before
 * session_mutex. The file holds references to the rings, and CPUs continue to record.
 * Sub-buffers that were overwritten before a slow reader reached them are left out,
 * which a provider event reports.
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
 * struct vtr_archive - an open reader of trace.fxt
 * @lock: serialises reads; guards all following fields
 * @rings: by CPU, with references; NULL before the first read
 * @cpu: CPU whose ring is being read
 * @sequence: next sub-buffer of that ring
 * @end: end of the sub-buffers that the ring had when reading it began
 * @has_begun: a sub-buffer of the ring has been copied
 * @has_gap: sub-buffers are missing between the last copied one and the next one
 * @is_empty: nothing has been copied yet
 * @bytes: a provider event, if there is a gap, and a copy of a sub-buffer
 * @len_bytes: valid bytes in @bytes
 * @read_bytes: bytes of @bytes that have been returned to the reader
 */
struct vtr_archive {
	struct mutex		lock;	/* guards all following fields */
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
 * vtr_archive_create() - create a reader
 *
 * Context: task; may sleep.
 * Return: the reader, or NULL if memory is short.
 */
struct vtr_archive *vtr_archive_create(void)
{
	struct vtr_archive *archive = kzalloc(sizeof(*archive),
					      GFP_KERNEL_ACCOUNT);

	if (!archive)
		return NULL;
	mutex_init(&archive->lock);
	archive->is_empty = true;
	return archive;
}

/**
 * vtr_archive_destroy() - destroy a reader
 * @archive: the reader
 *
 * Context: task; may sleep.
 */
void vtr_archive_destroy(struct vtr_archive *archive)
{
	vtr_session_put_rings(archive->rings);
	kvfree(archive->bytes);
	kfree(archive);
}

/* Begin with @cpu, or the next CPU that has a ring, and note the ring's current range. */
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
	archive->bytes = kvmalloc(len_bytes, GFP_KERNEL_ACCOUNT);
	if (archive->bytes)
		return 0;
	vtr_session_put_rings(rings);
	archive->rings = NULL;
	return -ENOMEM;
}

/* Copy the next sub-buffer of the CPU. Return 1, 0 if it was overwritten, or an error. */
static int copy_next(struct vtr_archive *archive)
{
	struct vtr_ring *ring = archive->rings[archive->cpu];
	size_t head_bytes = 0;
	ssize_t len_bytes;

	if (archive->has_gap)
		head_bytes = FXT_WORD_BYTES *
			     vtr_fxt_put_provider_event(archive->bytes,
							ring->cpu + 1,
							FXT_PROVIDER_EVENT_BUFFER_FULL);
	len_bytes = vtr_ring_copy(ring, archive->sequence,
				  archive->bytes + head_bytes);
	/* A read that returned bytes already hides the error, so the next read must fail, too. */
	if (len_bytes < 0)
		return len_bytes;
	archive->sequence++;
	if (!len_bytes) {
		archive->has_gap = archive->has_begun;
		return 0;
	}
	archive->len_bytes = head_bytes + len_bytes;
	archive->has_gap = false;
	archive->has_begun = true;
	archive->is_empty = false;
	return 1;
}

/* Skip the sub-buffers that were overwritten since reading the ring began. */
static void skip_overwritten(struct vtr_archive *archive)
{
	u64 first, end;

	vtr_ring_range(archive->rings[archive->cpu], &first, &end);
	if (archive->sequence >= first)
		return;
	archive->sequence = first;
	archive->has_gap = archive->has_begun;
}

/* Fill @bytes with the next sub-buffer. Return 1, 0 at the end, or an error. */
static int fill(struct vtr_archive *archive)
{
	int ret;

	archive->read_bytes = 0;
	archive->len_bytes = 0;
	while (archive->cpu < nr_cpu_ids) {
		cond_resched();
		skip_overwritten(archive);
		if (archive->sequence >= archive->end) {
			begin_cpu(archive, archive->cpu + 1);
			continue;
		}
		ret = copy_next(archive);
		if (ret)
			return ret;
	}
	if (!archive->is_empty)
		return 0;
	/* An archive without records is valid, too, and has a magic number record. */
	*(u64 *)archive->bytes = FXT_MAGIC_RECORD;
	archive->len_bytes = FXT_WORD_BYTES;
	archive->is_empty = false;
	return 1;
}

static ssize_t read_locked(struct vtr_archive *archive, char __user *buf,
			   size_t count)
{
	size_t done = 0, len_bytes;
	int ret = 1;

	while (done < count) {
		if (archive->read_bytes == archive->len_bytes)
			ret = fill(archive);
		if (ret <= 0)
			return done ?: ret;
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
 * vtr_archive_read() - read the next bytes
 * @archive: the reader
 * @buf: destination in user space
 * @count: maximum number of bytes
 *
 * Context: task; may sleep.
 * Return: bytes read, 0 at the end, -ENOMEM, -EFAULT, or -ESTALE if the session is over
 *	and two later ones, too.
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
