// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of ring.c: preambles, wrapping at every record size, exact counts,
 * copies that are consistent or refused.
 */

#include "ring_fixture.h"

#define TEST_CPU	3

/* Records after the packet header: clocks, a section, constant strings. */
#define STRINGS_WORDS		(2 + 2 * 3)
#define PREAMBLE_STRINGS_BYTES	((4 + 1 + STRINGS_WORDS) * FXT_WORD_BYTES)

/* Of the case: a ring, at first of two sub-buffers, its consumer, and room for a sub-buffer. */
static struct vtr_ring *ring;
static struct vitrine_ring_consumer *consumer;
static u64 *bytes;

static void new_ring(struct kunit *test, enum vitrine_mode mode, unsigned int nr_subbufs)
{
	ring = new_ring_of(test, TEST_CPU, mode, nr_subbufs);
	consumer = ring_consumer(ring);
}

static int ring_init(struct kunit *test)
{
	new_ring(test, VITRINE_MODE_CIRCULAR, 2);
	bytes = zalloc(test, PAGE_SIZE);
	return 0;
}

/* Do what sched.c does for a switch, and the same for records of other lengths. */
static void put_record(unsigned int nr_words, u64 now, bool is_switch)
{
	unsigned int i;
	u64 *next;

	if (!vtr_ring_has(ring, nr_words))
		vtr_ring_advance(ring, now);
	next = vtr_ring_next(ring);
	next[0] = vtr_fxt_header(is_switch ? FXT_RECORD_SCHEDULING :
				 FXT_RECORD_KERNEL_OBJECT, nr_words);
	for (i = 1; i < nr_words; i++)
		next[i] = now;
	if (is_switch) {
		vtr_ring_commit_hot(ring->committed, *ring->committed, nr_words, now);
		return;
	}
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_commit(ring, next + nr_words, now);
}

static void count_switch(struct kunit *test, void *nr, const u64 *words, size_t nr_words)
{
	*(unsigned int *)nr += FIELD_GET(FXT_HEADER_TYPE, words[0]) == FXT_RECORD_SCHEDULING;
}

static unsigned int nr_switches(struct kunit *test, const u64 *words, size_t len)
{
	unsigned int nr = 0;

	read_records(test, words, len, count_switch, &nr);
	return nr;
}

static void empty_ring_holds_nothing(struct kunit *test)
{
	struct vtr_ring_stats stats;

	expect_range(test, ring, 0, 0);
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.records, 0);
	KUNIT_EXPECT_EQ(test, stats.bytes, 0);
	KUNIT_EXPECT_FALSE(test, vtr_ring_readable(ring));
	KUNIT_EXPECT_FALSE(test, vtr_ring_has(ring, VTR_FXT_SWITCH_WORDS));
	/* The mapping has two pages, and two sub-buffers of one page. */
	KUNIT_EXPECT_EQ(test, ring->area.nr_pages, 4);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(&ring->threads, 0), 0);
}

/* No field has the value 0, which a field that is not filled in has. */
static void ring_describes_itself(struct kunit *test)
{
	struct vtr_ring_config config = ring_config(VITRINE_MODE_STREAMING, 4);
	const struct vitrine_ring_producer *producer;
	const struct vitrine_packet *packet;

	config.clock = VITRINE_CLOCK_MONO;
	config.subbuf_order = 1;
	ring = keep_ring(test, vtr_ring_create(TEST_CPU, &config));
	producer = ring->area.pages[VITRINE_RING_PRODUCER_PAGE];
	KUNIT_EXPECT_EQ(test, producer->length, sizeof(*producer));
	KUNIT_EXPECT_EQ(test, producer->version, VITRINE_MAP_VERSION);
	KUNIT_EXPECT_EQ(test, producer->cpu, TEST_CPU);
	KUNIT_EXPECT_EQ(test, producer->session, 7);
	KUNIT_EXPECT_EQ(test, producer->clock, VITRINE_CLOCK_MONO);
	KUNIT_EXPECT_EQ(test, producer->mode, VITRINE_MODE_STREAMING);
	KUNIT_EXPECT_EQ(test, producer->nr_subbufs, 4);
	KUNIT_EXPECT_EQ(test, producer->subbuf_bytes, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, producer->ticks_per_second, 1000000000);
	KUNIT_EXPECT_EQ(test, producer->sequence, NO_SEQUENCE);
	vtr_ring_advance(ring, 5);
	KUNIT_EXPECT_EQ(test, producer->sequence, 0);
	packet = vtr_ring_packet(vtr_ring_at(ring->committed, 0));
	KUNIT_EXPECT_EQ(test, packet->clock, VITRINE_CLOCK_MONO);
	KUNIT_EXPECT_EQ(test, packet->subbuf_bytes, 2 * PAGE_SIZE);
	vtr_ring_close(ring);
	KUNIT_EXPECT_EQ(test, producer->flags, VITRINE_RING_CLOSED);
	KUNIT_EXPECT_EQ(test, ring->wakeup_base, vtr_fxt_wakeup_base(TEST_CPU));
}

static void preamble_is_an_archive(struct kunit *test)
{
	static const char * const strings[] = {
		"process", "outgoing_weight", "incoming_weight",
	};
	u64 *words;
	const struct vitrine_packet *packet;
	unsigned int i;
	size_t len;

	vtr_ring_advance(ring, 5);
	len = vtr_ring_copy(ring, 0, bytes);
	KUNIT_ASSERT_EQ(test, len, VITRINE_PREAMBLE_BYTES + PREAMBLE_STRINGS_BYTES);
	KUNIT_EXPECT_EQ(test, bytes[0], FXT_MAGIC_RECORD);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_PROVIDER_ID, bytes[1]), TEST_CPU + 1);
	KUNIT_EXPECT_EQ(test, bytes[4], 1000000000);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_BLOB_BYTES, bytes[5]), sizeof(*packet));
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
	KUNIT_EXPECT_EQ(test, nr_switches(test, bytes, len), 0);
	/* Last come the strings that records of switches and threads refer to. */
	words = bytes + len / FXT_WORD_BYTES - STRINGS_WORDS;
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_STRING_INDEX, words[0]), i + 1);
		KUNIT_EXPECT_STREQ(test, (char *)&words[1], strings[i]);
		words += FIELD_GET(FXT_HEADER_WORDS, words[0]);
	}
	/* The pair of clocks, as far from the start as <uapi/vitrine/map.h> says. */
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_BLOB_BYTES,
					bytes[VITRINE_PREAMBLE_BYTES / FXT_WORD_BYTES]),
			sizeof(struct vitrine_clock_pair));
	KUNIT_EXPECT_EQ(test, bytes[176 / FXT_WORD_BYTES], 5);
	KUNIT_EXPECT_NE(test, bytes[176 / FXT_WORD_BYTES + 1], 0);
}

/* Room for records in a sub-buffer. */
#define SUBBUF_WORDS	((PAGE_SIZE - VITRINE_PREAMBLE_BYTES - PREAMBLE_STRINGS_BYTES) / \
			 FXT_WORD_BYTES - VTR_RING_CLOSE_WORDS)

/* Every record size, so that every remainder at the end of a page occurs. */
static void every_record_size_wraps(struct kunit *test)
{
	unsigned int nr_words, i, nr = 0;

	for (nr_words = 2; nr_words <= SUBBUF_WORDS; nr_words++) {
		new_ring(test, VITRINE_MODE_CIRCULAR, 2);
		for (i = 0; i < 5 * SUBBUF_WORDS / nr_words + 5; i++)
			put_record(nr_words, i, nr_words == 2);
		expect_range(test, ring, nr_begun(ring) - 2, nr_begun(ring));
		read_ring(test, ring, count_switch, &nr);
	}
}

/*
 * Every record size, with interrupts that write records of other sizes between any two,
 * and NMIs that lose their record at any step of a record: the committed bytes are
 * records without overlap, gap or a word that was not written.
 */
static void expect_written(struct kunit *test, void *unused, const u64 *words, size_t nr_words)
{
	size_t i;

	if (FIELD_GET(FXT_HEADER_TYPE, words[0]) != FXT_RECORD_LOG)
		return;
	/* Written by the test: all words contain the same time. */
	for (i = 1; i < nr_words; i++)
		KUNIT_ASSERT_EQ(test, words[i], words[1]);
	KUNIT_ASSERT_NE(test, words[1], 0);
}

#define GAP_MAX_WORDS	64

static void put_interrupted(unsigned int nr_words, u64 *now, struct random *random,
			    unsigned int depth)
{
	unsigned int i;
	u64 *next;

	if (!vtr_ring_has(ring, nr_words))
		vtr_ring_advance(ring, *now);
	next = vtr_ring_next(ring);
	next[0] = vtr_fxt_header(FXT_RECORD_LOG, nr_words);
	for (i = 1; i < nr_words; i++)
		next[i] = *now;
	vtr_ring_lose(ring, 0);
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_lose(ring, 0);
	vtr_ring_commit(ring, next + nr_words, *now);
	++*now;
	if (depth < 3 && random_below(random, 4))
		put_interrupted(2 + random_below(random, 60), now, random, depth + 1);
}

static void records_tile_whatever_interrupts(struct kunit *test)
{
	struct random random = { random_seed(test) };
	/* Minus the report of a loss, with which a sub-buffer may begin. */
	unsigned int nr_words, i, limit = SUBBUF_WORDS - GAP_MAX_WORDS;
	u64 now = 1;

	new_ring(test, VITRINE_MODE_CIRCULAR, 4);
	for (nr_words = 2; nr_words <= limit; nr_words++) {
		for (i = 0; i < 2 * limit / nr_words + 2; i++)
			put_interrupted(nr_words, &now, &random, 0);
		read_ring(test, ring, expect_written, NULL);
	}
}

static void counts_are_exact(struct kunit *test)
{
	struct random random = { random_seed(test) };
	u64 written = 0, kept = 0, first, end, kept_bytes = 0;
	const struct vitrine_packet *packet;
	struct vtr_ring_stats stats;
	unsigned int i, nr_words;
	size_t len;

	new_ring(test, VITRINE_MODE_CIRCULAR, 4);
	packet = vtr_ring_packet(bytes);
	for (i = 0; i < 20000; i++) {
		nr_words = 2 + random_below(&random, 12);
		if (nr_words % 3) {
			put_record(2, i, true);
			written++;
		} else {
			put_record(nr_words, i, false);
		}
	}
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.records, written);

	vtr_ring_range(ring, &first, &end);
	KUNIT_EXPECT_EQ(test, end - first, 4);
	KUNIT_EXPECT_EQ(test, stats.subbufs, end);
	for (i = 0; first + i < end; i++) {
		len = take_subbuf(test, ring, first + i, bytes);
		KUNIT_EXPECT_EQ(test, packet->records_before, stats.overwritten_records + kept);
		kept += nr_switches(test, bytes, len);
		if (first + i + 1 == end)
			KUNIT_EXPECT_EQ(test, packet->end_ticks, 19999);
		kept_bytes = packet->bytes_before + len;
	}
	KUNIT_EXPECT_EQ(test, stats.overwritten_records + kept, written);
	KUNIT_EXPECT_EQ(test, stats.bytes, kept_bytes);
	KUNIT_EXPECT_EQ(test, stats.switches, written);

	/* Wakeups and events are records, but not switches. */
	ring->nr_wakeups++;
	put_record(VTR_FXT_WAKEUP_WORDS, i, true);
	ring->other_records++;
	put_record(4, i, false);
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.records, written + 2);
	KUNIT_EXPECT_EQ(test, stats.switches, written);
}

static void recycled_subbuffer_is_not_copied(struct kunit *test)
{
	struct vitrine_packet *packet;

	vtr_ring_advance(ring, 1);
	packet = vtr_ring_packet(vtr_ring_at(ring->committed, 0));
	KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, 0, bytes), 0);

	recycle_begin(packet);
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), 0);
	recycle_end(packet);
	KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, 0, bytes), 0);

	vtr_ring_advance(ring, 2);
	vtr_ring_advance(ring, 3);
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), 0);
	KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, 2, bytes), 0);
}

/* Switch to thread reference @ref. Return false if the switch was lost. */
static bool try_switch(u64 now, unsigned int ref)
{
	u64 *next;

	if (!vtr_ring_has(ring, VTR_FXT_SWITCH_WORDS) && !vtr_ring_advance(ring, now)) {
		vtr_ring_lose(ring, VTR_FXT_SWITCH_WORDS);
		return false;
	}
	next = vtr_ring_next(ring);
	next[0] = ring->running | vtr_fxt_incoming(ref, 120);
	next[1] = now;
	ring->running = ring->switch_base |
			vtr_fxt_incoming(ref, 120) >> VTR_FXT_INCOMING_TO_OUTGOING;
	vtr_ring_commit(ring, next + VTR_FXT_SWITCH_WORDS, now);
	return true;
}

static void full_oneshot_ring_keeps_its_beginning(struct kunit *test)
{
	u64 now = 0;
	size_t len;

	new_ring(test, VITRINE_MODE_ONESHOT, 2);
	while (try_switch(now, 9))
		now++;
	KUNIT_EXPECT_FALSE(test, try_switch(now + 1, 9));
	KUNIT_EXPECT_FALSE(test, vtr_ring_has(ring, VTR_FXT_SWITCH_WORDS));
	expect_range(test, ring, 0, 2);
	KUNIT_EXPECT_EQ(test, ring->producer->lost_records, 2);
	/* At the end the row is closed by a switch from thread 9 to idle, inline ... */
	len = vtr_ring_copy(ring, 1, bytes);
	KUNIT_ASSERT_GT(test, len, (size_t)40);
	bytes += len / FXT_WORD_BYTES - 5;
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_HEADER_WORDS, bytes[0]), 4);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, bytes[0]), 9);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_INCOMING_THREAD, bytes[0]), 0);
	KUNIT_EXPECT_EQ(test, bytes[1], now);
	KUNIT_EXPECT_EQ(test, bytes[2], 0);
	KUNIT_EXPECT_EQ(test, bytes[3], 0);
	/* ... and one provider event says that the ring is full. */
	KUNIT_EXPECT_EQ(test, bytes[4], 0x30010 | (TEST_CPU + 1) << 20);
}

/* The consumer page determines only whether a streaming ring is full. */
static void hostile_position_loses_but_never_overruns(struct kunit *test)
{
	struct random random = { random_seed(test) };
	u64 tried, written = 0;
	unsigned int nr = 0;

	new_ring(test, VITRINE_MODE_STREAMING, 4);
	for (tried = 1; tried <= 100000; tried++) {
		consumer->sequence = random_u64(&random) >> random_below(&random, 64);
		consumer->watermark = random_u64(&random) << random_below(&random, 64);
		vtr_ring_readable(ring);
		written += try_switch(tried, 1 + tried % 255);
	}
	KUNIT_EXPECT_EQ(test, ring->producer->lost_records, 100000 - written);
	KUNIT_EXPECT_GT(test, written, 0);
	KUNIT_EXPECT_LT(test, written, 100000);
	read_ring(test, ring, count_switch, &nr);
}

static void watermark_counts_complete_subbuffers(struct kunit *test)
{
	static const struct { u64 watermark, complete; } cases[] = {
		{ 0, 1 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 3 }, { ~0ULL, 3 },
	};
	unsigned int i;
	u64 nr;

	new_ring(test, VITRINE_MODE_CIRCULAR, 4);
	for (nr = 0; nr < 4; nr++) {
		KUNIT_ASSERT_TRUE(test, vtr_ring_advance(ring, nr));
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			consumer->watermark = cases[i].watermark;
			KUNIT_EXPECT_EQ(test, vtr_ring_readable(ring), nr >= cases[i].complete);
		}
	}
}

static void frozen_ring_keeps_what_it_holds(struct kunit *test)
{
	u64 now;

	for (now = 0; now < 10; now++)
		KUNIT_ASSERT_TRUE(test, try_switch(now, 9));
	vtr_ring_freeze(ring);
	KUNIT_EXPECT_TRUE(test, vtr_ring_frozen(ring));
	for (; now < 1000; now++)
		KUNIT_EXPECT_FALSE(test, try_switch(now, 9));
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 1);
	vtr_ring_thaw(ring);
	KUNIT_EXPECT_TRUE(test, try_switch(now, 9));
	expect_range(test, ring, 0, 2);
	KUNIT_EXPECT_EQ(test, vtr_ring_packet(vtr_ring_at(ring->committed, 0))->begin_ticks, 10);
}

static void ring_frozen_at_once_counts_its_loss(struct kunit *test)
{
	struct vtr_ring_stats stats;
	u64 now;

	vtr_ring_freeze(ring);
	for (now = 0; now < 10; now++)
		KUNIT_EXPECT_FALSE(test, try_switch(now, 9));
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.subbufs, 0);
	KUNIT_EXPECT_EQ(test, stats.records, 0);
	KUNIT_EXPECT_EQ(test, stats.lost_records, 10);
	/* The ring was never full, but viewers know no other kind of loss. */
	vtr_ring_thaw(ring);
	KUNIT_EXPECT_TRUE(test, try_switch(now, 9));
	KUNIT_ASSERT_GT(test, vtr_ring_copy(ring, 0, bytes), 0);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_METADATA_TYPE,
					bytes[(VITRINE_PREAMBLE_BYTES + PREAMBLE_STRINGS_BYTES) /
					      FXT_WORD_BYTES]),
			FXT_METADATA_PROVIDER_EVENT);
}

static void any_consumer_position_is_harmless(struct kunit *test)
{
	static const struct { u64 position; bool readable; } cases[] = {
		{ 0, true }, { 1, true }, { 2 }, { 3 }, { ~0ULL }, { 1ULL << 63 },
	};
	unsigned int i;

	for (i = 0; i < 3; i++)
		vtr_ring_advance(ring, i);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		consumer->sequence = cases[i].position;
		KUNIT_EXPECT_EQ(test, vtr_ring_readable(ring), cases[i].readable);
	}
	vtr_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, vtr_ring_readable(ring));
}

/* References of the format are valid within one sub-buffer. */
static void new_subbuffer_refers_to_nothing_old(struct kunit *test)
{
	const char *key = "key";

	vtr_ring_advance(ring, 1);
	vtr_threads_add(&ring->threads, 5, 0, 120, 120);
	vtr_threads_name(&ring->threads, 5);
	vtr_strings_add(&ring->strings, key);
	KUNIT_EXPECT_NE(test, vtr_strings_find(&ring->strings, key), 0);
	vtr_ring_advance(ring, 2);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(&ring->threads, 5), 0);
	KUNIT_EXPECT_FALSE(test, vtr_threads_named(&ring->threads, 5));
	KUNIT_EXPECT_EQ(test, vtr_strings_find(&ring->strings, key), 0);
}

/* The room that remains is that to close the chain of switches, and not one word more. */
static void record_fits_to_the_last_word(struct kunit *test)
{
	unsigned int nr_words;

	vtr_ring_advance(ring, 1);
	for (nr_words = VTR_RING_HOT_WORDS; nr_words < 100; nr_words++) {
		*ring->committed = PAGE_SIZE - (nr_words + VTR_RING_CLOSE_WORDS) *
						       FXT_WORD_BYTES;
		KUNIT_EXPECT_TRUE(test, vtr_ring_has(ring, nr_words));
		*ring->committed += FXT_WORD_BYTES;
		KUNIT_EXPECT_FALSE(test, vtr_ring_has(ring, nr_words));
	}
	/* A sub-buffer may be full to the last word, but no copy is longer. */
	*ring->committed = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), PAGE_SIZE);
	*ring->committed = PAGE_SIZE + FXT_WORD_BYTES;
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), 0);
}

/* Records were lost although the ring was not full: no head is longer. */
static void longest_head_leaves_the_promised_room(struct kunit *test)
{
	unsigned int most = vtr_ring_max_words(ring);

	vtr_ring_lose(ring, 0);
	vtr_ring_advance(ring, 1);
	KUNIT_EXPECT_EQ(test, *ring->committed, VTR_RING_HEAD_WORDS * FXT_WORD_BYTES);
	KUNIT_EXPECT_TRUE(test, vtr_ring_has(ring, most));
	KUNIT_EXPECT_FALSE(test, vtr_ring_has(ring, most + 1));
}

/*
 * After the last wakeup for which the hot path sees room, the chain is closed and the full ring
 * reported in what is left of the page, which a wide ring needs to the last word.
 */
static void full_ring_is_closed_within_its_page(struct kunit *test)
{
	static const struct { unsigned int cpu, spare_words; bool is_wide; } cases[] = {
		{ 0, 2, false }, { 255, 2, false }, { 256, 0, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ring = new_ring_of(test, cases[i].cpu, VITRINE_MODE_ONESHOT, 2);
		KUNIT_EXPECT_EQ(test, vtr_ring_is_wide(ring), cases[i].is_wide);
		vtr_ring_advance(ring, 1);
		vtr_ring_advance(ring, 2);
		KUNIT_ASSERT_TRUE(test, try_switch(3, 9));
		while (vtr_ring_has_hot(ring, *ring->committed + FXT_WORD_BYTES))
			*ring->committed += FXT_WORD_BYTES;
		*ring->committed += VTR_FXT_WAKEUP_WORDS * FXT_WORD_BYTES;
		KUNIT_EXPECT_FALSE(test, vtr_ring_advance(ring, 4));
		KUNIT_EXPECT_EQ(test, *ring->committed,
				PAGE_SIZE - cases[i].spare_words * FXT_WORD_BYTES);
	}
}

static void closed_chain_is_left_unchanged(struct kunit *test)
{
	const struct vitrine_packet *packet;

	vtr_ring_advance(ring, 1);
	packet = vtr_ring_packet(vtr_ring_at(ring->committed, 0));
	KUNIT_ASSERT_TRUE(test, try_switch(2, 9));
	vtr_ring_close_chain(ring, 3, 0);
	vtr_ring_close_chain(ring, 4, 0);
	KUNIT_EXPECT_EQ(test, packet->end_ticks, 3);
}

/* A session may end while its rings are frozen, and a trigger may fire while it ends. */
static void each_flag_leaves_the_other_one(struct kunit *test)
{
	const u32 *flags = &ring->producer->flags;

	vtr_ring_freeze(ring);
	vtr_ring_close(ring);
	KUNIT_EXPECT_EQ(test, *flags, VITRINE_RING_FROZEN | VITRINE_RING_CLOSED);
	vtr_ring_thaw(ring);
	KUNIT_EXPECT_EQ(test, *flags, VITRINE_RING_CLOSED);
	vtr_ring_freeze(ring);
	KUNIT_EXPECT_EQ(test, *flags, VITRINE_RING_FROZEN | VITRINE_RING_CLOSED);
}

/* The writer counts a wakeup before it commits it. */
static void wakeup_that_is_not_committed_is_no_switch(struct kunit *test)
{
	struct vtr_ring_stats stats;

	vtr_ring_advance(ring, 1);
	ring->nr_wakeups++;
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, stats.switches, 0);
	KUNIT_EXPECT_EQ(test, stats.records, 1);
}

static void range_is_what_was_not_overwritten(struct kunit *test)
{
	u64 nr, first;

	new_ring(test, VITRINE_MODE_CIRCULAR, 4);
	for (nr = 1; nr < 12; nr++) {
		vtr_ring_advance(ring, nr);
		first = nr < 4 ? 0 : nr - 4;
		expect_range(test, ring, first, nr);
		KUNIT_EXPECT_NE(test, vtr_ring_copy(ring, first, bytes), 0);
		KUNIT_EXPECT_EQ(test, vtr_ring_packet(bytes)->sequence, first);
	}
}

/* KASAN and ASan notice if the first of two references that are dropped is the last, put_ring's. */
static void ring_lives_until_its_last_reference(struct kunit *test)
{
	vtr_ring_get(ring);
	vtr_ring_put(ring);
	KUNIT_EXPECT_TRUE(test, vtr_ring_advance(ring, 1));
	vtr_ring_put(NULL);
}

static unsigned int nr_wakes;

static int count_wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	nr_wakes++;
	return 0;
}

static void expect_wakes(struct kunit *test, unsigned int wakes)
{
	irq_work_sync(&ring->wake);
	KUNIT_EXPECT_EQ(test, nr_wakes, wakes);
}

static void readers_are_woken_when_they_can_go_on(struct kunit *test)
{
	struct wait_queue_entry sleeper;

	new_ring(test, VITRINE_MODE_CIRCULAR, 4);
	nr_wakes = 0;
	init_waitqueue_func_entry(&sleeper, count_wake);
	add_wait_queue(&ring->wait, &sleeper);
	consumer->watermark = 2;
	vtr_ring_advance(ring, 1);
	vtr_ring_advance(ring, 2);
	expect_wakes(test, 0);
	vtr_ring_advance(ring, 3);
	expect_wakes(test, 1);
	vtr_ring_freeze(ring);
	expect_wakes(test, 2);
	vtr_ring_close(ring);
	expect_wakes(test, 3);
	remove_wait_queue(&ring->wait, &sleeper);
}

/* A reader that keeps the ring of an old session gets an error, unless it has mapped it. */
static void old_closed_ring_expires(struct kunit *test)
{
	vtr_ring_advance(ring, 1);
	vtr_ring_expire(ring->config.session + 1);
	KUNIT_EXPECT_GT(test, vtr_ring_copy(ring, 0, bytes), 0);
	vtr_ring_close(ring);
	vtr_ring_expire(ring->config.session);
	KUNIT_EXPECT_GT(test, vtr_ring_copy(ring, 0, bytes), 0);
	ring->area.nr_mappings.counter = 1;
	vtr_ring_expire(ring->config.session + 1);
	KUNIT_EXPECT_GT(test, vtr_ring_copy(ring, 0, bytes), 0);
	ring->area.nr_mappings.counter = 0;
	vtr_ring_expire(ring->config.session + 1);
	KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), -ESTALE);
	KUNIT_EXPECT_EQ(test, vtr_ring_mmap(ring, NULL), -ESTALE);
	KUNIT_EXPECT_EQ(test, ring->area.nr_pages, VITRINE_RING_FIRST_SUBBUF_PAGE);
	KUNIT_EXPECT_TRUE(test, vtr_ring_readable(ring));
}

#ifndef __KERNEL__	/* where a case can watch ordered accesses */
/* The parts of the ring and of its first sub-buffer that other CPUs can see. */
struct seen {
	const void		*place;
	u64			generation;
	u64			sequence;
	u64			end_ticks;
	u64			committed_bytes;
	u64			produced;
	bool			has_room;
};

/* The ordered accesses of a call, with what was seen at each, and what happens at one of them. */
static struct seen seen[8];
static unsigned int nr_seen, turn;
static void (*interfere)(void);

static void watch(const void *place)
{
	const struct vitrine_packet *packet = vtr_ring_packet(ring->subbufs[0]);

	seen[nr_seen] = (struct seen){
		place, packet->generation, packet->sequence, packet->end_ticks,
		packet->committed_bytes, ring->producer->sequence, ring->limit,
	};
	host_ordered = NULL;
	if (nr_seen++ == turn && interfere)
		interfere();
	host_ordered = watch;
}

static void begin_watch(unsigned int at, void (*function)(void))
{
	nr_seen = 0;
	turn = at;
	interfere = function;
	host_ordered = watch;
}

static void expect_seen(struct kunit *test, const struct seen *wanted, unsigned int nr)
{
	unsigned int i;

	host_ordered = NULL;
	KUNIT_ASSERT_EQ(test, nr_seen, nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_PTR_EQ(test, seen[i].place, wanted[i].place);
		KUNIT_EXPECT_EQ(test, seen[i].generation, wanted[i].generation);
		KUNIT_EXPECT_EQ(test, seen[i].sequence, wanted[i].sequence);
		KUNIT_EXPECT_EQ(test, seen[i].end_ticks, wanted[i].end_ticks);
		KUNIT_EXPECT_EQ(test, seen[i].committed_bytes, wanted[i].committed_bytes);
		KUNIT_EXPECT_EQ(test, seen[i].produced, wanted[i].produced);
		KUNIT_EXPECT_EQ(test, seen[i].has_room, wanted[i].has_room);
	}
}

static void expect_places(struct kunit *test, const void * const *places, unsigned int nr)
{
	unsigned int i;

	host_ordered = NULL;
	KUNIT_ASSERT_EQ(test, nr_seen, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_PTR_EQ(test, seen[i].place, places[i]);
}

/* Until the generation is odd, another CPU sees the words of the old sub-buffer. */
static bool is_untouched;

static void compare_with_copy(void)
{
	const struct vitrine_packet *packet = vtr_ring_packet(ring->subbufs[0]);

	vtr_ring_packet(bytes)->generation = packet->generation;
	is_untouched = !memcmp(bytes, ring->subbufs[0], PAGE_SIZE);
}

static void each_step_of_recycling_is_ordered(struct kunit *test)
{
	struct vitrine_packet *packet = vtr_ring_packet(ring->subbufs[0]);
	u64 head = VITRINE_PREAMBLE_BYTES + PREAMBLE_STRINGS_BYTES;
	const struct seen wanted[] = {
		{ NULL,				3, 0, 5, head + 16, 1, false },
		{ &packet->committed_bytes,	3, 2, 7, head + 16, 1, false },
		{ &packet->generation,		3, 2, 7, head, 1, false },
		{ &ring->producer->sequence,	4, 2, 7, head, 1, false },
		{ NULL,				4, 2, 7, head, 2, true },
	};

	put_record(2, 5, true);
	vtr_ring_advance(ring, 6);
	memcpy(bytes, ring->subbufs[0], PAGE_SIZE);
	is_untouched = false;
	begin_watch(0, compare_with_copy);
	vtr_ring_advance(ring, 7);
	expect_seen(test, wanted, ARRAY_SIZE(wanted));
	KUNIT_EXPECT_TRUE(test, is_untouched);
}

static void record_is_complete_before_it_is_committed(struct kunit *test)
{
	struct vitrine_packet *packet = vtr_ring_packet(ring->subbufs[0]);
	u64 head = VITRINE_PREAMBLE_BYTES + PREAMBLE_STRINGS_BYTES;
	const struct seen hot = {
		IS_ENABLED(CONFIG_X86) ? NULL : &packet->committed_bytes, 2, 0, 6, head, 0, true,
	};
	const struct seen other = { &packet->committed_bytes, 2, 0, 7, head + 16, 0, true };

	vtr_ring_advance(ring, 5);
	begin_watch(0, NULL);
	put_record(2, 6, true);
	expect_seen(test, &hot, 1);
	begin_watch(0, NULL);
	put_record(3, 7, false);
	expect_seen(test, &other, 1);
	KUNIT_EXPECT_EQ(test, packet->committed_bytes, head + 40);
}

static void begin_to_recycle(void)
{
	recycle_begin(vtr_ring_packet(ring->subbufs[0]));
}

/* At any step of the reader the writer may begin to recycle what is being copied. */
static void overtaken_copy_is_refused(struct kunit *test)
{
	const struct vitrine_packet *packet;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		new_ring(test, VITRINE_MODE_CIRCULAR, 2);
		packet = vtr_ring_packet(ring->subbufs[0]);
		vtr_ring_advance(ring, 1);
		begin_watch(i, begin_to_recycle);
		KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), 0);
		expect_places(test, (const void *[]){
			&packet->generation, &packet->committed_bytes, NULL }, 3);
	}
}

static void put_another(void)
{
	put_record(3, 6, false);
}

/* Of a record that is committed meanwhile, the copy has nothing, not even its length. */
static void copy_ends_where_records_ended(struct kunit *test)
{
	unsigned int i;
	size_t len;

	vtr_ring_advance(ring, 1);
	for (i = 1; i < 3; i++) {
		len = *ring->committed;
		begin_watch(i, put_another);
		KUNIT_EXPECT_EQ(test, vtr_ring_copy(ring, 0, bytes), len);
		host_ordered = NULL;
		KUNIT_EXPECT_EQ(test, vtr_ring_packet(bytes)->committed_bytes, len);
		KUNIT_EXPECT_EQ(test, *ring->committed, len + 24);
	}
}

static void freeze(void)
{
	vtr_ring_freeze(ring);
}

static void advance(void)
{
	vtr_ring_advance(ring, 9);
}

/* In whatever order another CPU freezes the ring while the writer gives itself room. */
static void ring_frozen_while_it_advances_has_no_room(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		new_ring(test, VITRINE_MODE_CIRCULAR, 2);
		vtr_ring_advance(ring, 1);
		begin_watch(i, freeze);
		vtr_ring_advance(ring, 2);
		host_ordered = NULL;
		KUNIT_EXPECT_EQ(test, nr_seen, 5);
		KUNIT_EXPECT_TRUE(test, vtr_ring_frozen(ring));
		KUNIT_EXPECT_FALSE(test, vtr_ring_has(ring, VTR_FXT_SWITCH_WORDS));
	}
	/* A writer that looks at the flag between the two stores sees it. */
	new_ring(test, VITRINE_MODE_CIRCULAR, 2);
	vtr_ring_advance(ring, 1);
	begin_watch(0, advance);
	vtr_ring_freeze(ring);
	expect_places(test, (const void *[]){ NULL }, 1);
	KUNIT_EXPECT_TRUE(test, seen[0].has_room);
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 1);
}

/* Positions and flags that another CPU stores before, or loads after, what they announce. */
static void announcements_are_ordered(struct kunit *test)
{
	u64 first, end;

	new_ring(test, VITRINE_MODE_STREAMING, 2);
	begin_watch(0, NULL);
	vtr_ring_range(ring, &first, &end);
	expect_places(test, (const void *[]){ &ring->producer->sequence }, 1);
	begin_watch(0, NULL);
	vtr_ring_readable(ring);
	expect_places(test, (const void *[]){ &ring->producer->sequence }, 1);
	vtr_ring_advance(ring, 1);
	vtr_ring_advance(ring, 2);
	begin_watch(0, NULL);
	KUNIT_EXPECT_FALSE(test, vtr_ring_end_subbuf(ring));
	expect_places(test, (const void *[]){ &consumer->sequence }, 1);
	begin_watch(0, NULL);
	vtr_ring_close(ring);
	expect_places(test, (const void *[]){ &ring->producer->flags }, 1);
}
#endif

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(empty_ring_holds_nothing),
	KUNIT_CASE(ring_describes_itself),
	KUNIT_CASE(preamble_is_an_archive),
	KUNIT_CASE(every_record_size_wraps),
	KUNIT_CASE(records_tile_whatever_interrupts),
	KUNIT_CASE(counts_are_exact),
	KUNIT_CASE(recycled_subbuffer_is_not_copied),
	KUNIT_CASE(full_oneshot_ring_keeps_its_beginning),
	KUNIT_CASE(hostile_position_loses_but_never_overruns),
	KUNIT_CASE(watermark_counts_complete_subbuffers),
	KUNIT_CASE(frozen_ring_keeps_what_it_holds),
	KUNIT_CASE(ring_frozen_at_once_counts_its_loss),
	KUNIT_CASE(any_consumer_position_is_harmless),
	KUNIT_CASE(new_subbuffer_refers_to_nothing_old),
	KUNIT_CASE(record_fits_to_the_last_word),
	KUNIT_CASE(longest_head_leaves_the_promised_room),
	KUNIT_CASE(full_ring_is_closed_within_its_page),
	KUNIT_CASE(closed_chain_is_left_unchanged),
	KUNIT_CASE(each_flag_leaves_the_other_one),
	KUNIT_CASE(wakeup_that_is_not_committed_is_no_switch),
	KUNIT_CASE(range_is_what_was_not_overwritten),
	KUNIT_CASE(ring_lives_until_its_last_reference),
	KUNIT_CASE(readers_are_woken_when_they_can_go_on),
	KUNIT_CASE(old_closed_ring_expires),
#ifndef __KERNEL__
	KUNIT_CASE(each_step_of_recycling_is_ordered),
	KUNIT_CASE(record_is_complete_before_it_is_committed),
	KUNIT_CASE(overtaken_copy_is_refused),
	KUNIT_CASE(copy_ends_where_records_ended),
	KUNIT_CASE(ring_frozen_while_it_advances_has_no_room),
	KUNIT_CASE(announcements_are_ordered),
#endif
	{}
};

VTR_KUNIT_SUITE(ring, .init = ring_init, .exit = put_ring);
