// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of trace.fxt in debugfs.c: a slow reader of rings that are being written.
 * Kernel only.
 */
#include "ring_fixture.h"
#include "suite.h"

#define TEST_CPU	0
#define TEST_SUBBUFS	4

/* An archive of one ring, of which the first read() has begun. */
struct archive_file {
	struct archive	archive;
	struct seq_file	seq;
};

static struct archive_file *new_archive(struct kunit *test, u64 nr_advances)
{
	const struct vtr_ring_config config = ring_config(VITRINE_MODE_CIRCULAR, TEST_SUBBUFS);
	struct archive_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	struct archive *archive = &file->archive;
	struct seq_file *seq = &file->seq;
	u64 now;

	KUNIT_ASSERT_NOT_NULL(test, file);
	archive->rings = kvcalloc(nr_cpu_ids, sizeof(*archive->rings), GFP_KERNEL);
	seq->private = archive;
	seq->size = PAGE_SIZE + 2 * FXT_WORD_BYTES;
	seq->buf = kunit_kzalloc(test, seq->size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, archive->rings);
	KUNIT_ASSERT_NOT_NULL(test, seq->buf);
	archive->rings[TEST_CPU] = vtr_ring_create(TEST_CPU, &config);
	KUNIT_ASSERT_NOT_NULL(test, archive->rings[TEST_CPU]);
	for (now = 1; now <= nr_advances; now++)
		vtr_ring_advance(archive->rings[TEST_CPU], now);
	archive_start(seq, &seq->index);
	seq->index = 1;
	return file;
}

static void archive_end(struct archive_file *file)
{
	vtr_session_put_rings(file->archive.rings);
}

/* Put the next item into the buffer, as seq_read() does. Return 1, 0 at the end, or an error. */
static int fill(struct archive_file *file)
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

static void expect_subbuf(struct kunit *test, const struct archive_file *file,
			  size_t head_bytes, u64 sequence)
{
	void *subbuf = file->seq.buf + head_bytes;

	KUNIT_EXPECT_EQ(test, *(u64 *)subbuf, FXT_MAGIC_RECORD);
	KUNIT_EXPECT_EQ(test, vtr_ring_packet(subbuf)->sequence, sequence);
	KUNIT_EXPECT_EQ(test, head_bytes + vtr_ring_packet(subbuf)->committed_bytes,
			file->seq.count);
}

static void what_is_overwritten_is_told(struct kunit *test)
{
	struct archive_file *file = new_archive(test, TEST_SUBBUFS);
	struct vtr_ring *ring = file->archive.rings[TEST_CPU];

	KUNIT_EXPECT_TRUE(test, fill(file));
	expect_subbuf(test, file, 0, 0);
	vtr_ring_advance(ring, 5);
	vtr_ring_advance(ring, 6);
	/* Sub-buffer 0 has been copied, 1 is overwritten. */
	KUNIT_EXPECT_TRUE(test, fill(file));
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_METADATA_TYPE, *(u64 *)file->seq.buf),
			FXT_METADATA_PROVIDER_EVENT);
	expect_subbuf(test, file, FXT_WORD_BYTES, 2);
	KUNIT_EXPECT_TRUE(test, fill(file));
	expect_subbuf(test, file, 0, 3);
	/* Sub-buffers begun after reading the ring began are not included. */
	KUNIT_EXPECT_FALSE(test, fill(file));
	archive_end(file);
}

/* Sub-buffers that are overwritten before the first one is copied are no gap. */
static void reader_begins_with_what_is_there(struct kunit *test)
{
	struct archive_file *file = new_archive(test, TEST_SUBBUFS);

	vtr_ring_advance(file->archive.rings[TEST_CPU], 5);
	KUNIT_EXPECT_TRUE(test, fill(file));
	expect_subbuf(test, file, 0, 1);
	archive_end(file);
}

/* An error in the last sub-buffer is not taken for the end of the file. */
static void old_session_is_an_error_in_each_read(struct kunit *test)
{
	struct archive_file *file = new_archive(test, 2);
	struct vtr_ring *ring = file->archive.rings[TEST_CPU];

	KUNIT_EXPECT_EQ(test, fill(file), 1);
	vtr_ring_close(ring);
	vtr_ring_expire(ring->config.session + 1);
	KUNIT_EXPECT_EQ(test, fill(file), -ESTALE);
	KUNIT_EXPECT_EQ(test, fill(file), -ESTALE);
	archive_end(file);
}

static void archive_of_nothing_is_an_archive(struct kunit *test)
{
	struct archive_file *file = new_archive(test, 0);

	KUNIT_EXPECT_TRUE(test, fill(file));
	KUNIT_EXPECT_EQ(test, file->seq.count, FXT_WORD_BYTES);
	KUNIT_EXPECT_EQ(test, *(u64 *)file->seq.buf, FXT_MAGIC_RECORD);
	KUNIT_EXPECT_FALSE(test, fill(file));
	archive_end(file);
}

/* A buffer that is too small is no loss: seq_read() tries again with a larger one. */
static void subbuf_waits_for_room(struct kunit *test)
{
	struct archive_file *file = new_archive(test, 1);
	struct seq_file *seq = &file->seq;

	seq->size -= FXT_WORD_BYTES;
	KUNIT_EXPECT_EQ(test, archive_show(seq, &file->archive), 0);
	KUNIT_EXPECT_TRUE(test, seq_has_overflowed(seq));
	seq->size += FXT_WORD_BYTES;
	KUNIT_EXPECT_TRUE(test, fill(file));
	expect_subbuf(test, file, 0, 0);
	archive_end(file);
}

static struct kunit_case archive_cases[] = {
	KUNIT_CASE(what_is_overwritten_is_told),
	KUNIT_CASE(reader_begins_with_what_is_there),
	KUNIT_CASE(old_session_is_an_error_in_each_read),
	KUNIT_CASE(archive_of_nothing_is_an_archive),
	KUNIT_CASE(subbuf_waits_for_room),
	{}
};

VTR_KUNIT_SUITE(archive);
