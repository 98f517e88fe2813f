// SPDX-License-Identifier: GPL-2.0
/*
 * Test reading a ring: which sub-buffers are read, how many records are counted as lost, and
 * whether a copy is valid when the kernel advances between any two steps of the reader.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "../must.h"
#include "fake_ring.h"
#include "test.h"

#define NR_SUBBUFS	4
#define SUBBUF_BYTES	4096
#define NOTHING		(~0ULL)
#define FAILED		(~1ULL)

static struct {
	struct fake_ring ring;		/* the writer */
	struct vitrine_ring *handle;	/* the library's reader */
	uint64_t records;		/* that were read */
	uint64_t lost;			/* that were reported as lost */
	uint64_t faults;		/* in what was read */
	enum vitrine_step trigger;	/* the step at which to interfere */
	void (*interfere)(void);
} reader;

static struct vitrine_error *create(unsigned int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", reader.ring.fd);
	reader.handle = NULL;
	return vitrine_ring_create(path, flags, &reader.handle);
}

static void reader_init(void)
{
	memset(&reader, 0, sizeof(reader));
	fake_ring_init(&reader.ring, memfd_create("ring", 0), 3, NR_SUBBUFS, SUBBUF_BYTES);
}

static void reader_open(void)
{
	reader_init();
	must(create(0));
}

static void reader_deinit(void)
{
	vitrine_ring_destroy(reader.handle);
	fake_ring_deinit(&reader.ring);
}

/* Return the sequence number of the next sub-buffer, NOTHING or FAILED. */
static uint64_t take(void)
{
	static const struct vitrine_fxt_report report = { .fault = print_fault, .ctx = "trace" };
	const struct vitrine_subbuf *subbuf;
	struct vitrine_fxt_summary summary;
	struct vitrine_error *err;

	err = vitrine_ring_next(reader.handle, &subbuf);
	if (err) {
		vitrine_error_destroy(err);
		return FAILED;
	}
	if (!subbuf)
		return NOTHING;
	reader.records += subbuf->nr_records;
	reader.lost += subbuf->nr_lost;
	must(vitrine_fxt_check_bytes(subbuf->bytes, subbuf->len_bytes, &report, &summary));
	reader.faults += summary.nr_faults || summary.nr_switches != subbuf->nr_switches ||
			  subbuf->nr_switches != subbuf->nr_records;
	return subbuf->sequence;
}

static void take_all(void)
{
	while (take() < FAILED)
		;
}

static bool whole(void)
{
	printf("# %llu faults, %llu read, %llu lost, %llu written\n",
	       (unsigned long long)reader.faults, (unsigned long long)reader.records,
	       (unsigned long long)reader.lost, (unsigned long long)reader.ring.records);
	return !reader.faults && reader.records + reader.lost == reader.ring.records;
}

/* Take what there is until now. */
static bool rest_is_whole(void)
{
	vitrine_ring_stop(reader.handle);
	take_all();
	return whole();
}

/* Run a test with a new ring, which the reader has opened. */
static void run(void (*test)(void))
{
	reader_open();
	test();
	reader_deinit();
}

static void test_order(void)
{
	ok(take() == NOTHING, "an empty ring has nothing");
	fake_ring_switch(&reader.ring);
	ok(take() == NOTHING, "a sub-buffer being written is not taken");
	fake_ring_fill(&reader.ring, 2);
	ok(reader.ring.consumer->sequence == 0, "the kernel is told that 0 is wanted");
	ok(take() == 0 && take() == 1 && take() == NOTHING,
	   "complete ones are taken in order");
	ok(reader.ring.consumer->sequence == 2, "the kernel is told that 2 is wanted");
	vitrine_ring_stop(reader.handle);
	fake_ring_fill(&reader.ring, 3);
	ok(take() == 2 && take() == NOTHING,
	   "after a stop, the one being written then is the last");
}

static void test_begin(void)
{
	reader_init();
	fake_ring_fill(&reader.ring, 9);
	must(create(0));
	fake_ring_fill(&reader.ring, 10);
	ok(take() == 9 && !reader.lost,
	   "begins with the one being written, what was before is not lost");
	vitrine_ring_destroy(reader.handle);
	reader.records = 0;
	must(create(VITRINE_RING_FROM_START));
	vitrine_ring_stop(reader.handle);
	ok(take() == 7 && take() == 8 && take() == 9 &&
	   take() == 10 && whole(), "from the start, what is gone is counted as lost");
	reader_deinit();
}

static void test_gap(void)
{
	fake_ring_fill(&reader.ring, 1);
	ok(take() == 0, "takes the first");
	fake_ring_fill(&reader.ring, 50);
	reader.ring.producer->lost_records = 7;
	fake_ring_fill(&reader.ring, 51);
	ok(take() == 48, "goes on with the oldest there is");
	reader.lost -= 7;
	ok(rest_is_whole(), "overwritten and unwritten records are counted exactly");
	reader.ring.producer->lost_records = 9;
	ok(vitrine_ring_unwritten(reader.handle) == 2, "what was lost since is known");
}

/* The writer stops in the middle of an update. The reader does not wait for it. */
static void test_odd(void)
{
	fake_ring_fill(&reader.ring, NR_SUBBUFS - 1);
	fake_recycle_begin(&reader.ring);
	ok(take() == NOTHING, "a sub-buffer being recycled is not taken");
	fake_recycle_end(&reader.ring);
	ok(take() == 1, "the sub-buffer after a recycled one is taken");
	ok(rest_is_whole(), "the counted loss is exact");
}

/* The next sub-buffer is complete, but the kernel has not published its sequence number yet. */
static void test_early(void)
{
	fake_ring_fill(&reader.ring, NR_SUBBUFS - 1);
	fake_ring_advance(&reader.ring);
	reader.ring.producer->sequence--;
	ok(take() == NOTHING, "another's sub-buffer in the place of ours is not taken");
	reader.ring.producer->sequence++;
	ok(rest_is_whole(), "the counted loss is exact");
}

/* ---- Races, one at a time ---------------------------------------------- */

static void interfere(void *ctx, enum vitrine_step step)
{
	void (*what)(void) = reader.interfere;

	if (!what || step != reader.trigger)
		return;
	reader.interfere = NULL;
	what();
}

/* Overwrite the whole ring. */
static void lap(void)
{
	fake_ring_fill(&reader.ring, reader.ring.producer->sequence + NR_SUBBUFS);
}

static void lap_again(void)
{
	reader.interfere = lap_again;
	lap();
}

static void recycle_wanted(void)
{
	fake_ring_advance(&reader.ring);
}

static void append(void)
{
	fake_ring_switch(&reader.ring);
}

static void test_races(void)
{
	static const struct {
		enum vitrine_step step;
		const char *name;
		void (*what)(void);
	} races[] = {
		{ VITRINE_STEP_GENERATION, "recycled before its size is read", recycle_wanted },
		{ VITRINE_STEP_SIZE, "recycled before it is copied", recycle_wanted },
		{ VITRINE_STEP_COPY, "recycled after it was copied", recycle_wanted },
		{ VITRINE_STEP_RETRY, "recycled before the next attempt", recycle_wanted },
		{ VITRINE_STEP_GENERATION, "lapped before its size is read", lap },
		{ VITRINE_STEP_SIZE, "lapped before it is copied", lap },
		{ VITRINE_STEP_COPY, "lapped after it was copied", lap },
		{ VITRINE_STEP_COPY, "lapped at every attempt", lap_again },
		{ VITRINE_STEP_GENERATION, "grows before its size is read", append },
		{ VITRINE_STEP_SIZE, "grows before it is copied", append },
		{ VITRINE_STEP_COPY, "grows after it was copied", append },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(races); i++) {
		reader_open();
		reader.trigger = races[i].step;
		reader.interfere = races[i].what;
		vitrine_ring_observe(reader.handle, interfere, NULL);
		if (races[i].what == append) {
			/* Into the last sub-buffer, which is open. */
			fake_ring_switch(&reader.ring);
			vitrine_ring_stop(reader.handle);
			ok(take() == 0 && !reader.faults && reader.records, "%s",
			   races[i].name);
		} else {
			/* The kernel recycles next the sub-buffer that the reader wants. */
			fake_ring_fill(&reader.ring, NR_SUBBUFS - 1);
			take_all();
			reader.interfere = NULL;
			ok(rest_is_whole(), "%s", races[i].name);
		}
		reader_deinit();
	}
}

/* After a stop, the kernel overtakes the reader before it has read anything. */
static void test_overtaken_stop(void)
{
	fake_ring_fill(&reader.ring, 1);
	vitrine_ring_stop(reader.handle);
	fake_ring_fill(&reader.ring, 20);
	ok(take() == 17 && take() == NOTHING && reader.lost,
	   "overtaken after a stop: one more tells what is lost");
}

static void test_closed(void)
{
	fake_ring_fill(&reader.ring, 1);
	ok(!vitrine_ring_closed(reader.handle), "open");
	reader.ring.producer->flags = VITRINE_RING_CLOSED;
	ok(vitrine_ring_closed(reader.handle) && vitrine_ring_session(reader.handle) == 1 &&
	   vitrine_ring_cpu(reader.handle) == 3, "closed");
	vitrine_ring_stop(reader.handle);
	ok(take() == 0 && take() == 1 && take() == NOTHING && whole(),
	   "all of a closed ring is read");
}

/* ---- Malformed rings --------------------------------------------------- */

static void refuse(int code, const char *name)
{
	ok(is_error(create(0), code) && !reader.handle, "%s is refused", name);
	reader_deinit();
}

static void test_refused(void)
{
	static const struct {
		uint32_t version, length, nr_subbufs, subbuf_bytes;
		int code;
		const char *name;
	} cases[] = {
		{ VITRINE_MAP_VERSION + 1, 80, 4, 4096, EPROTONOSUPPORT, "another version" },
		{ VITRINE_MAP_VERSION, 8, 4, 4096, EBADMSG, "a short producer page" },
		{ VITRINE_MAP_VERSION, 80, 1, 4096, EBADMSG, "one sub-buffer" },
		{ VITRINE_MAP_VERSION, 80, 4, 0, EBADMSG, "sub-buffers of no size" },
		{ VITRINE_MAP_VERSION, 80, ~0U, ~0U & ~4095U, EBADMSG, "a ring too large" },
	};
	struct vitrine_ring *handle = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		reader_init();
		reader.ring.producer->version = cases[i].version;
		reader.ring.producer->length = cases[i].length;
		reader.ring.producer->nr_subbufs = cases[i].nr_subbufs;
		reader.ring.producer->subbuf_bytes = cases[i].subbuf_bytes;
		refuse(cases[i].code, cases[i].name);
	}
	ok(is_error(vitrine_ring_create("/proc/self/fd/nothing", 0, &handle), ENOENT),
	   "a missing file is an error");
}

/* The kernel advances each time the reader has read its sequence number. */
static void test_no_begin(void)
{
	reader_init();
	fake_ring_fill(&reader.ring, NR_SUBBUFS - 1);
	fake_recycle_begin(&reader.ring);
	reader.ring.producer->sequence = 0;
	refuse(EAGAIN, "reading that begins with a sub-buffer being recycled");
	reader_init();
	fake_ring_fill(&reader.ring, NR_SUBBUFS);
	reader.ring.producer->sequence = 0;
	refuse(EAGAIN, "reading that begins with a sub-buffer of a later lap");
}

static void test_malformed(void)
{
	static const struct {
		uint64_t committed, magic;
		const char *name;
	} cases[] = {
		{ 0, VITRINE_PACKET_MAGIC, "nothing committed" },
		{ 168 + 1, VITRINE_PACKET_MAGIC, "half a word committed" },
		{ SUBBUF_BYTES + 8, VITRINE_PACKET_MAGIC, "too much committed" },
		{ ~0ULL, VITRINE_PACKET_MAGIC, "far too much committed" },
		{ 168, 0, "no packet header" },
	};
	struct vitrine_packet *packet;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		reader_open();
		fake_ring_fill(&reader.ring, 1);
		packet = (void *)(reader.ring.subbufs + VITRINE_PACKET_OFFSET);
		packet->committed_bytes = cases[i].committed;
		packet->magic = cases[i].magic;
		ok(take() == FAILED, "%s: an error", cases[i].name);
		reader_deinit();
	}
}

/* ---- All at once ------------------------------------------------------- */

static void *storm(void *ctx)
{
	struct fake_ring *ring = ctx;
	unsigned int i;

	for (i = 0; i < 3000000; i++)
		fake_ring_switch(ring);
	__atomic_store_n(&ring->producer->flags, VITRINE_RING_CLOSED, __ATOMIC_RELEASE);
	return NULL;
}

static void test_storm(void)
{
	pthread_t writer;

	pthread_create(&writer, NULL, storm, &reader.ring);
	while (!vitrine_ring_closed(reader.handle))
		take_all();
	ok(rest_is_whole(), "a writer that never pauses");
	pthread_join(writer, NULL);
}

int main(void)
{
	ksft_print_header();
	run(test_order);
	test_begin();
	run(test_gap);
	run(test_odd);
	run(test_early);
	test_races();
	run(test_overtaken_stop);
	run(test_closed);
	test_refused();
	test_no_begin();
	test_malformed();
	run(test_storm);
	return tests_end();
}
