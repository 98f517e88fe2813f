// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of trace.fxt in debugfs.c: a slow reader of rings that are being written.
 * Kernel only.
 */
#include <kunit/test.h>

#define TEST_CPU	0
#define TEST_SUBBUFS	4

/* Create an archive of one ring, as begin() does for all rings. */
static struct archive *new_archive(struct kunit *test, u64 nr_advances)
{
	const struct vtr_ring_config config = {
		.session = 7,
		.clock = VITRINE_CLOCK_LOCAL,
		.nr_subbufs = TEST_SUBBUFS,
		.ticks_per_second = 1000000000,
	};
	struct archive *archive = archive_create();
	u64 now;

	KUNIT_ASSERT_NOT_NULL(test, archive);
	archive->rings = kvcalloc(nr_cpu_ids, sizeof(*archive->rings),
				  GFP_KERNEL);
	archive->bytes = kvmalloc(PAGE_SIZE + FXT_WORD_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, archive->rings);
	KUNIT_ASSERT_NOT_NULL(test, archive->bytes);
	archive->rings[TEST_CPU] = vtr_ring_create(TEST_CPU, &config);
	KUNIT_ASSERT_NOT_NULL(test, archive->rings[TEST_CPU]);
	for (now = 1; now <= nr_advances; now++)
		vtr_ring_advance(archive->rings[TEST_CPU], now);
	begin_cpu(archive, 0);
	return archive;
}

static void expect_subbuf(struct kunit *test, const struct archive *archive,
			  size_t head_bytes, u64 sequence)
{
	void *subbuf = archive->bytes + head_bytes;

	KUNIT_EXPECT_EQ(test, *(u64 *)subbuf, FXT_MAGIC_RECORD);
	KUNIT_EXPECT_EQ(test, vtr_ring_packet(subbuf)->sequence, sequence);
	KUNIT_EXPECT_EQ(test, head_bytes +
			vtr_ring_packet(subbuf)->committed_bytes,
			archive->len_bytes);
}

static void what_is_overwritten_is_told(struct kunit *test)
{
	struct archive *archive = new_archive(test, TEST_SUBBUFS);
	struct vtr_ring *ring = archive->rings[TEST_CPU];

	KUNIT_EXPECT_TRUE(test, fill(archive));
	expect_subbuf(test, archive, 0, 0);
	vtr_ring_advance(ring, 5);
	vtr_ring_advance(ring, 6);
	/* Sub-buffer 0 has been copied, 1 is overwritten. */
	KUNIT_EXPECT_TRUE(test, fill(archive));
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_METADATA_TYPE,
					*(u64 *)archive->bytes),
			FXT_METADATA_PROVIDER_EVENT);
	expect_subbuf(test, archive, FXT_WORD_BYTES, 2);
	KUNIT_EXPECT_TRUE(test, fill(archive));
	expect_subbuf(test, archive, 0, 3);
	/* Sub-buffers begun after reading the ring began are not included. */
	KUNIT_EXPECT_FALSE(test, fill(archive));
	archive_destroy(archive);
}

/* Sub-buffers that are overwritten before the first one is copied are no gap. */
static void reader_begins_with_what_is_there(struct kunit *test)
{
	struct archive *archive = new_archive(test, TEST_SUBBUFS);

	vtr_ring_advance(archive->rings[TEST_CPU], 5);
	KUNIT_EXPECT_TRUE(test, fill(archive));
	expect_subbuf(test, archive, 0, 1);
	archive_destroy(archive);
}

/* An error in the last sub-buffer is not taken for the end of the file. */
static void old_session_is_an_error_in_each_read(struct kunit *test)
{
	struct archive *archive = new_archive(test, 2);
	struct vtr_ring *ring = archive->rings[TEST_CPU];

	KUNIT_EXPECT_EQ(test, fill(archive), 1);
	vtr_ring_close(ring);
	vtr_ring_expire(ring->config.session + 1);
	KUNIT_EXPECT_EQ(test, fill(archive), -ESTALE);
	KUNIT_EXPECT_EQ(test, fill(archive), -ESTALE);
	archive_destroy(archive);
}

static void archive_of_nothing_is_an_archive(struct kunit *test)
{
	struct archive *archive = new_archive(test, 0);

	KUNIT_EXPECT_TRUE(test, fill(archive));
	KUNIT_EXPECT_EQ(test, archive->len_bytes, FXT_WORD_BYTES);
	KUNIT_EXPECT_EQ(test, *(u64 *)archive->bytes, FXT_MAGIC_RECORD);
	KUNIT_EXPECT_FALSE(test, fill(archive));
	archive_destroy(archive);
}

static struct kunit_case archive_cases[] = {
	KUNIT_CASE(what_is_overwritten_is_told),
	KUNIT_CASE(reader_begins_with_what_is_there),
	KUNIT_CASE(old_session_is_an_error_in_each_read),
	KUNIT_CASE(archive_of_nothing_is_an_archive),
	{}
};

static struct kunit_suite archive_suite = {
	.name = "vitrine_archive",
	.test_cases = archive_cases,
};

kunit_test_suites(&archive_suite);
