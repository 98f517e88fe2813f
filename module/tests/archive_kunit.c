// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of trace.fxt in debugfs.c: a slow reader of rings that are being written.
 * Kernel only.
 */
#include "ring_fixture.h"

#define TEST_CPU	0
#define TEST_SUBBUFS	4

/* An archive of one ring, of which the first read() has begun. */
struct archive_file {
	struct archive	archive;
	struct seq_file	seq;
};

static struct archive_file *file;
static struct vtr_ring *ring;

static void new_archive(struct kunit *test, u64 nr_advances)
{
	const struct vtr_ring_config config = ring_config(VITRINE_MODE_CIRCULAR, TEST_SUBBUFS);
	struct seq_file *seq;
	u64 now;

	file = zalloc(test, sizeof(*file));
	file->archive.rings = kvcalloc(nr_cpu_ids, sizeof(ring), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, file->archive.rings);
	seq = &file->seq;
	seq->private = &file->archive;
	seq->size = PAGE_SIZE + 2 * FXT_WORD_BYTES;
	seq->buf = zalloc(test, seq->size);
	ring = vtr_ring_create(TEST_CPU, &config);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	file->archive.rings[TEST_CPU] = ring;
	for (now = 1; now <= nr_advances; now++)
		vtr_ring_advance(ring, now);
	archive_start(seq, &seq->index);
	seq->index = 1;
}

static void archive_end(struct kunit *test)
{
	vtr_session_put_rings(file->archive.rings);
}

/* Put the next item into the buffer, as seq_read() does. Return 1, 0 at the end, or an error. */
static int fill(void)
{
	struct seq_file *seq = &file->seq;
	void *item = archive_start(seq, &seq->index);
	int err;

	for (seq->count = 0; item && !seq->count; item = archive_next(seq, item, &seq->index)) {
		err = archive_show(seq, item);
		if (err < 0)
			return err;
	}
	return seq->count != 0;
}

/* Expect a sub-buffer next, after a head. */
static void expect_subbuf(struct kunit *test, size_t head_bytes, u64 sequence)
{
	void *subbuf = file->seq.buf + head_bytes;

	KUNIT_EXPECT_EQ(test, fill(), 1);
	KUNIT_EXPECT_EQ(test, *(u64 *)subbuf, FXT_MAGIC_RECORD);
	KUNIT_EXPECT_EQ(test, vtr_ring_packet(subbuf)->sequence, sequence);
	KUNIT_EXPECT_EQ(test, head_bytes + vtr_ring_packet(subbuf)->committed_bytes,
			file->seq.count);
}

static void what_is_overwritten_is_told(struct kunit *test)
{
	new_archive(test, TEST_SUBBUFS);
	expect_subbuf(test, 0, 0);
	vtr_ring_advance(ring, 5);
	vtr_ring_advance(ring, 6);
	/* Sub-buffer 0 has been copied, 1 is overwritten. */
	expect_subbuf(test, FXT_WORD_BYTES, 2);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_METADATA_TYPE, *(u64 *)file->seq.buf),
			FXT_METADATA_PROVIDER_EVENT);
	expect_subbuf(test, 0, 3);
	/* Sub-buffers begun after reading the ring began are not included. */
	KUNIT_EXPECT_EQ(test, fill(), 0);
}

/* Sub-buffers that are overwritten before the first one is copied are no gap. */
static void reader_begins_with_what_is_there(struct kunit *test)
{
	new_archive(test, TEST_SUBBUFS);
	vtr_ring_advance(ring, 5);
	expect_subbuf(test, 0, 1);
}

/* An error in the last sub-buffer is not taken for the end of the file. */
static void old_session_is_an_error_in_each_read(struct kunit *test)
{
	new_archive(test, 2);
	KUNIT_EXPECT_EQ(test, fill(), 1);
	vtr_ring_close(ring);
	vtr_ring_expire(ring->config.session + 1);
	KUNIT_EXPECT_EQ(test, fill(), -ESTALE);
	KUNIT_EXPECT_EQ(test, fill(), -ESTALE);
}

static void archive_of_nothing_is_an_archive(struct kunit *test)
{
	new_archive(test, 0);
	KUNIT_EXPECT_EQ(test, fill(), 1);
	KUNIT_EXPECT_EQ(test, file->seq.count, FXT_WORD_BYTES);
	KUNIT_EXPECT_EQ(test, *(u64 *)file->seq.buf, FXT_MAGIC_RECORD);
	KUNIT_EXPECT_EQ(test, fill(), 0);
}

/* A buffer that is too small is no loss: seq_read() tries again with a larger one. */
static void subbuf_waits_for_room(struct kunit *test)
{
	struct seq_file *seq;

	new_archive(test, 1);
	seq = &file->seq;
	seq->size -= FXT_WORD_BYTES;
	KUNIT_EXPECT_EQ(test, archive_show(seq, &file->archive), 0);
	KUNIT_EXPECT_TRUE(test, seq_has_overflowed(seq));
	seq->size += FXT_WORD_BYTES;
	expect_subbuf(test, 0, 0);
}

static struct kunit_case archive_cases[] = {
	KUNIT_CASE(what_is_overwritten_is_told),
	KUNIT_CASE(reader_begins_with_what_is_there),
	KUNIT_CASE(old_session_is_an_error_in_each_read),
	KUNIT_CASE(archive_of_nothing_is_an_archive),
	KUNIT_CASE(subbuf_waits_for_room),
	{}
};

VTR_KUNIT_SUITE(archive, .exit = archive_end);
