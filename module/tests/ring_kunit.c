// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of ring.c: preambles, wrapping at every record size, exact counts,
 * copies that are consistent or refused.
 */
#include <kunit/test.h>
#include <linux/random.h>

#define TEST_CPU	3

/* Behind the packet header: a section, and the strings that never change. */
#define PREAMBLE_STRINGS_BYTES	((1 + 3 * 2 + 2 * 3) * FXT_WORD_BYTES)

static struct vtr_ring *new_ring(struct kunit *test, unsigned int nr_subbufs)
{
	struct vtr_ring_config config = {
		.session = 7,
		.clock = VITRINE_CLOCK_LOCAL,
		.subbuf_order = 0,
		.nr_subbufs = nr_subbufs,
		.ticks_per_second = 1000000000,
		.session_ticks = 11,
		.session_realtime_ns = 22,
	};
	struct vtr_ring *ring = vtr_ring_create(TEST_CPU, &config);

	KUNIT_ASSERT_NOT_NULL(test, ring);
	return ring;
}

/* What sched.c does for a switch, and for records of other lengths. */
static void put_record(struct vtr_ring *ring, unsigned int nr_words, u64 now,
		       bool is_switch)
{
	unsigned int i;
	u64 *next;

	if (!vtr_ring_has(ring, nr_words))
		vtr_ring_advance(ring, now);
	next = ring->next;
	next[0] = vtr_fxt_header(is_switch ? FXT_RECORD_SCHEDULING :
				 FXT_RECORD_KERNEL_OBJECT, nr_words);
	for (i = 1; i < nr_words; i++)
		next[i] = now;
	if (!is_switch)
		ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_commit(ring, next + nr_words, now);
}

/*
 * Walk the records of a copied sub-buffer: each has a length, none reaches
 * past the end, together they fill it. Returns how many switches there are.
 */
static unsigned int walk(struct kunit *test, const void *bytes, size_t len)
{
	const u64 *words = bytes;
	size_t nr_words = len / FXT_WORD_BYTES, i, record;
	unsigned int switches = 0;

	for (i = 0; i < nr_words; i += record) {
		record = FIELD_GET(FXT_HEADER_WORDS, words[i]);
		KUNIT_ASSERT_GT(test, record, (size_t)0);
		KUNIT_ASSERT_LE(test, record, nr_words - i);
		if (FIELD_GET(FXT_HEADER_TYPE, words[i]) ==
		    FXT_RECORD_SCHEDULING)
			switches++;
	}
	return switches;
}

static void empty_ring_holds_nothing(struct kunit *test)
{
	struct vtr_ring *ring = new_ring(test, 2);
	struct vtr_ring_stats stats;
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	KUNIT_EXPECT_EQ(test, first, end);
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.records, 0);
	KUNIT_EXPECT_EQ(test, stats.bytes, 0);
	KUNIT_EXPECT_FALSE(test, vtr_ring_readable(ring));
	KUNIT_EXPECT_FALSE(test, vtr_ring_has(ring, VTR_FXT_SWITCH_WORDS));
	vtr_ring_put(ring);
}

static void preamble_is_an_archive(struct kunit *test)
{
	struct vtr_ring *ring = new_ring(test, 2);
	u64 *bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	const struct vitrine_packet *packet;
	size_t len;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	vtr_ring_advance(ring, 5);
	len = vtr_ring_copy(ring, 0, bytes);
	KUNIT_ASSERT_EQ(test, len, VITRINE_PREAMBLE_BYTES + PREAMBLE_STRINGS_BYTES);
	KUNIT_EXPECT_EQ(test, bytes[0], FXT_MAGIC_RECORD);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_PROVIDER_ID, bytes[1]),
			TEST_CPU + 1);
	KUNIT_EXPECT_EQ(test, bytes[4], 1000000000);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_BLOB_BYTES, bytes[5]),
			sizeof(*packet));
	packet = vtr_ring_packet(bytes);
	KUNIT_EXPECT_EQ(test, packet->magic, VITRINE_PACKET_MAGIC);
	KUNIT_EXPECT_EQ(test, packet->generation, 2);
	KUNIT_EXPECT_EQ(test, packet->committed_bytes, len);
	KUNIT_EXPECT_EQ(test, packet->begin_ticks, 5);
	KUNIT_EXPECT_EQ(test, packet->end_ticks, 5);
	KUNIT_EXPECT_EQ(test, packet->session, 7);
	KUNIT_EXPECT_EQ(test, packet->session_ticks, 11);
	KUNIT_EXPECT_EQ(test, packet->session_realtime_ns, 22);
	KUNIT_EXPECT_EQ(test, packet->cpu, TEST_CPU);
	KUNIT_EXPECT_EQ(test, packet->subbuf_bytes, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, walk(test, bytes, len), 0);
	vtr_ring_put(ring);
}

/* Every record size, so that every remainder at the end of a page occurs. */
static void every_record_size_wraps(struct kunit *test)
{
	void *bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	unsigned int nr_words, i, limit;
	struct vtr_ring *ring;
	u64 first, end;
	size_t len;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	limit = (PAGE_SIZE - VITRINE_PREAMBLE_BYTES - PREAMBLE_STRINGS_BYTES) / FXT_WORD_BYTES;
	for (nr_words = 2; nr_words <= limit; nr_words++) {
		ring = new_ring(test, 2);
		for (i = 0; i < 5 * limit / nr_words + 5; i++)
			put_record(ring, nr_words, i, nr_words == 2);
		vtr_ring_range(ring, &first, &end);
		KUNIT_EXPECT_EQ(test, end - first, 2);
		for (; first < end; first++) {
			len = vtr_ring_copy(ring, first, bytes);
			KUNIT_ASSERT_GT(test, len, (size_t)0);
			KUNIT_ASSERT_LE(test, len, PAGE_SIZE);
			walk(test, bytes, len);
		}
		vtr_ring_put(ring);
	}
}

static void counts_are_exact(struct kunit *test)
{
	u64 seed = get_random_u64(), random = seed;
	struct vtr_ring *ring = new_ring(test, 4);
	void *bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	u64 written = 0, kept = 0, first, end, kept_bytes = 0;
	const struct vitrine_packet *packet;
	struct vtr_ring_stats stats;
	unsigned int i, nr_words;
	size_t len;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	kunit_info(test, "seed 0x%llx\n", seed);
	packet = vtr_ring_packet(bytes);
	for (i = 0; i < 20000; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		nr_words = 2 + (u32)(random >> 33) % 12;
		if (nr_words % 3) {
			put_record(ring, 2, i, true);
			written++;
		} else {
			put_record(ring, nr_words, i, false);
		}
	}
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.records, written);

	vtr_ring_range(ring, &first, &end);
	KUNIT_EXPECT_EQ(test, end - first, 4);
	KUNIT_EXPECT_EQ(test, stats.subbufs, end);
	for (i = 0; first + i < end; i++) {
		len = vtr_ring_copy(ring, first + i, bytes);
		KUNIT_ASSERT_GT(test, len, (size_t)0);
		KUNIT_EXPECT_EQ(test, packet->records_before,
				stats.overwritten_records + kept);
		kept += walk(test, bytes, len);
		if (first + i + 1 == end)
			KUNIT_EXPECT_EQ(test, packet->end_ticks, 19999);
		kept_bytes = packet->bytes_before + len;
	}
	KUNIT_EXPECT_EQ(test, stats.overwritten_records + kept, written);
	KUNIT_EXPECT_EQ(test, stats.bytes, kept_bytes);
	vtr_ring_put(ring);
}

static void recycled_subbuffer_is_not_copied(struct kunit *test)
{
	struct vtr_ring *ring = new_ring(test, 2);
	void *bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct vitrine_packet *packet;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	vtr_ring_advance(ring, 1);
	packet = vtr_ring_packet(ring->subbuf);
	KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, 0, bytes), 0);

	recycle_begin(packet);
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), 0);
	recycle_end(packet);
	KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, 0, bytes), 0);

	vtr_threads_add(&ring->threads, 5, 0);
	vtr_ring_advance(ring, 2);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(&ring->threads, 5), 0);
	vtr_ring_advance(ring, 3);
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), 0);
	KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, 2, bytes), 0);
	vtr_ring_put(ring);
}

static void any_consumer_position_is_harmless(struct kunit *test)
{
	static const u64 positions[] = { 0, 1, 2, 3, ~0ULL, 1ULL << 63 };
	static const bool wanted[] = { true, true, false, false, false, false };
	struct vtr_ring *ring = new_ring(test, 2);
	struct vitrine_ring_consumer *consumer =
		ring->area.pages[VITRINE_RING_CONSUMER_PAGE];
	unsigned int i;

	for (i = 0; i < 3; i++)
		vtr_ring_advance(ring, i);
	for (i = 0; i < ARRAY_SIZE(positions); i++) {
		consumer->sequence = positions[i];
		KUNIT_EXPECT_EQ(test, vtr_ring_readable(ring), wanted[i]);
	}
	vtr_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, vtr_ring_readable(ring));
	vtr_ring_put(ring);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(empty_ring_holds_nothing),
	KUNIT_CASE(preamble_is_an_archive),
	KUNIT_CASE(every_record_size_wraps),
	KUNIT_CASE(counts_are_exact),
	KUNIT_CASE(recycled_subbuffer_is_not_copied),
	KUNIT_CASE(any_consumer_position_is_harmless),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "vitrine_ring",
	.test_cases = ring_cases,
};

kunit_test_suites(&ring_suite);
