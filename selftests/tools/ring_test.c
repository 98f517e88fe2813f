// SPDX-License-Identifier: GPL-2.0
/*
 * Test reading a ring: which sub-buffers are read, how many records are counted as lost, and
 * whether a copy is valid when the kernel advances between any two steps of the reader.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#include "../must.h"
#include "fake_ring.h"
#include "kselftest.h"
#include "vitrine.h"

#define NR_SUBBUFS	4
#define SUBBUF_BYTES	4096

/**
 * struct reader - a fake ring and the library's reader
 * @ring: the writer
 * @handle: the reader
 * @records: number of records read
 * @lost: number of records reported as lost
 * @faults: number of faults in the records that were read
 * @trigger: step at which to interfere
 * @countdown: number of these steps to let pass
 * @interfere: the interference
 */
struct reader {
	struct fake_ring ring;
	struct vitrine_ring *handle;
	uint64_t records;
	uint64_t lost;
	uint64_t faults;
	enum vitrine_step trigger;
	int countdown;
	void (*interfere)(struct reader *reader);
};

static char *path_of(int fd, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return path;
}

static void reader_open(struct reader *reader, unsigned int flags)
{
	char path[32];

	reader->handle = NULL;
	must(vitrine_ring_create(path_of(reader->ring.fd, path), flags, &reader->handle));
}

static void reader_init(struct reader *reader)
{
	memset(reader, 0, sizeof(*reader));
	fake_ring_init(&reader->ring, memfd_create("ring", 0), 3, NR_SUBBUFS, SUBBUF_BYTES);
}

static void reader_deinit(struct reader *reader)
{
	vitrine_ring_destroy(reader->handle);
	fake_ring_deinit(&reader->ring);
}

static void print_fault(void *ctx, uint64_t offset, const char *message)
{
	printf("# offset 0x%llx: %s\n", (unsigned long long)offset, message);
}

static const struct vitrine_fxt_report report = { .fault = print_fault };

/* Return the sequence number of the next sub-buffer, ~0 if there is none, or ~1 on error. */
static uint64_t take(struct reader *reader)
{
	const struct vitrine_subbuf *subbuf;
	struct vitrine_fxt_summary summary;
	struct vitrine_error *err;

	err = vitrine_ring_next(reader->handle, &subbuf);
	if (err) {
		vitrine_error_destroy(err);
		return ~1ULL;
	}
	if (!subbuf)
		return ~0ULL;
	reader->records += subbuf->nr_records;
	reader->lost += subbuf->nr_lost;
	err = vitrine_fxt_check_bytes(subbuf->bytes, subbuf->len_bytes, &report, &summary);
	reader->faults += err || summary.nr_faults ||
			  summary.nr_switches != subbuf->nr_switches ||
			  subbuf->nr_switches != subbuf->nr_records;
	vitrine_error_destroy(err);
	return subbuf->sequence;
}

/* Take what there is. */
static void take_all(struct reader *reader)
{
	while (take(reader) < ~1ULL)
		;
}

static bool whole(const struct reader *reader)
{
	bool ok = !reader->faults && reader->records + reader->lost ==
		  reader->ring.records;

	if (!ok)
		printf("# %llu faults, %llu read, %llu lost, %llu written\n",
		       (unsigned long long)reader->faults, (unsigned long long)reader->records,
		       (unsigned long long)reader->lost, (unsigned long long)reader->ring.records);
	return ok;
}

/* Run a test with a new ring, which the reader has opened. */
static void run(void (*test)(struct reader *reader))
{
	struct reader reader;

	reader_init(&reader);
	reader_open(&reader, 0);
	test(&reader);
	reader_deinit(&reader);
}

static void test_order(struct reader *reader)
{
	ksft_test_result(take(reader) == ~0ULL, "an empty ring has nothing\n");
	fake_ring_switch(&reader->ring);
	ksft_test_result(take(reader) == ~0ULL, "a sub-buffer being written is not taken\n");
	fake_ring_fill(&reader->ring, 2);
	ksft_test_result(reader->ring.consumer->sequence == 0,
			 "the kernel is told that 0 is wanted\n");
	ksft_test_result(take(reader) == 0 && take(reader) == 1 &&
			 take(reader) == ~0ULL, "complete ones are taken in order\n");
	ksft_test_result(reader->ring.consumer->sequence == 2,
			 "the kernel is told that 2 is wanted\n");
	vitrine_ring_stop(reader->handle);
	fake_ring_fill(&reader->ring, 3);
	ksft_test_result(take(reader) == 2 && take(reader) == ~0ULL,
			 "after a stop, the one being written then is the last\n");
}

static void test_begin(void)
{
	struct reader reader;

	reader_init(&reader);
	fake_ring_fill(&reader.ring, 9);
	reader_open(&reader, 0);
	fake_ring_fill(&reader.ring, 10);
	ksft_test_result(take(&reader) == 9 && !reader.lost,
			 "begins with the one being written, what was before is not lost\n");
	vitrine_ring_destroy(reader.handle);
	reader.records = 0;
	reader_open(&reader, VITRINE_RING_FROM_START);
	vitrine_ring_stop(reader.handle);
	ksft_test_result(take(&reader) == 7 && take(&reader) == 8 &&
			 take(&reader) == 9 && take(&reader) == 10 && whole(&reader),
			 "from the start, what is gone is counted as lost\n");
	reader_deinit(&reader);
}

static void test_gap(struct reader *reader)
{
	fake_ring_fill(&reader->ring, 1);
	ksft_test_result(take(reader) == 0, "takes the first\n");
	fake_ring_fill(&reader->ring, 50);
	reader->ring.producer->lost_records = 7;
	fake_ring_fill(&reader->ring, 51);
	ksft_test_result(take(reader) == 48, "goes on with the oldest there is\n");
	vitrine_ring_stop(reader->handle);
	take_all(reader);
	reader->lost -= 7;
	ksft_test_result(whole(reader), "overwritten and unwritten records are counted exactly\n");
	reader->ring.producer->lost_records = 9;
	ksft_test_result(vitrine_ring_unwritten(reader->handle) == 2,
			 "what was lost since is known\n");
}

/* The writer stops in the middle of an update. The reader does not wait for it. */
static void test_odd(struct reader *reader)
{
	fake_ring_fill(&reader->ring, NR_SUBBUFS - 1);
	fake_recycle_begin(&reader->ring);
	ksft_test_result(take(reader) == ~0ULL, "a sub-buffer being recycled is not taken\n");
	fake_recycle_end(&reader->ring);
	ksft_test_result(take(reader) == 1, "the sub-buffer after a recycled one is taken\n");
	vitrine_ring_stop(reader->handle);
	take_all(reader);
	ksft_test_result(whole(reader), "the counted loss is exact\n");
}

/* The next sub-buffer is complete, but the kernel has not published its sequence number yet. */
static void test_early(struct reader *reader)
{
	fake_ring_fill(&reader->ring, NR_SUBBUFS - 1);
	fake_ring_advance(&reader->ring);
	reader->ring.producer->sequence--;
	ksft_test_result(take(reader) == ~0ULL,
			 "another's sub-buffer in the place of ours is not taken\n");
	reader->ring.producer->sequence++;
	vitrine_ring_stop(reader->handle);
	take_all(reader);
	ksft_test_result(whole(reader), "the counted loss is exact\n");
}

/* ---- Races, one at a time ---------------------------------------------- */

static void interfere(void *ctx, enum vitrine_step step)
{
	struct reader *reader = ctx;

	if (reader->interfere && step == reader->trigger && !reader->countdown--)
		reader->interfere(reader);
}

/* Overwrite the whole ring. */
static void lap(struct reader *reader)
{
	fake_ring_fill(&reader->ring, reader->ring.producer->sequence + NR_SUBBUFS);
}

static void recycle_wanted(struct reader *reader)
{
	fake_ring_advance(&reader->ring);
}

static void append(struct reader *reader)
{
	fake_ring_switch(&reader->ring);
}

static void never_rest(struct reader *reader)
{
	reader->countdown = 0;
	lap(reader);
}

static void race(enum vitrine_step step, const char *name, void (*what)(struct reader *reader))
{
	struct reader reader;

	reader_init(&reader);
	reader_open(&reader, 0);
	/* The kernel recycles next the sub-buffer that the reader wants. */
	fake_ring_fill(&reader.ring, NR_SUBBUFS - 1);
	reader.trigger = step;
	reader.interfere = what;
	vitrine_ring_observe(reader.handle, interfere, &reader);
	take_all(&reader);
	reader.interfere = NULL;
	vitrine_ring_stop(reader.handle);
	take_all(&reader);
	ksft_test_result(whole(&reader), "%s\n", name);
	reader_deinit(&reader);
}

static void test_races(void)
{
	race(VITRINE_STEP_GENERATION, "recycled before its size is read", recycle_wanted);
	race(VITRINE_STEP_SIZE, "recycled before it is copied", recycle_wanted);
	race(VITRINE_STEP_COPY, "recycled after it was copied", recycle_wanted);
	race(VITRINE_STEP_RETRY, "recycled before the next attempt", recycle_wanted);
	race(VITRINE_STEP_GENERATION, "lapped before its size is read", lap);
	race(VITRINE_STEP_SIZE, "lapped before it is copied", lap);
	race(VITRINE_STEP_COPY, "lapped after it was copied", lap);
	race(VITRINE_STEP_COPY, "lapped at every attempt", never_rest);
}

/* A record is added to the last sub-buffer, which is open, while it is copied. */
static void test_append(enum vitrine_step step, const char *name)
{
	struct reader reader;

	reader_init(&reader);
	reader_open(&reader, 0);
	fake_ring_switch(&reader.ring);
	vitrine_ring_stop(reader.handle);
	reader.trigger = step;
	reader.interfere = append;
	vitrine_ring_observe(reader.handle, interfere, &reader);
	ksft_test_result(take(&reader) == 0 && !reader.faults && reader.records >= 1, "%s\n", name);
	reader_deinit(&reader);
}

/* After a stop, the kernel overtakes the reader before it has read anything. */
static void test_overtaken_stop(struct reader *reader)
{
	uint64_t sequence;

	fake_ring_fill(&reader->ring, 1);
	vitrine_ring_stop(reader->handle);
	fake_ring_fill(&reader->ring, 20);
	sequence = take(reader);
	ksft_test_result(sequence == 17 && take(reader) == ~0ULL && reader->lost,
			 "overtaken after a stop: one more tells what is lost\n");
}

static void test_closed(struct reader *reader)
{
	fake_ring_fill(&reader->ring, 1);
	ksft_test_result(!vitrine_ring_closed(reader->handle), "open\n");
	reader->ring.producer->flags = VITRINE_RING_CLOSED;
	ksft_test_result(vitrine_ring_closed(reader->handle) &&
			 vitrine_ring_session(reader->handle) == 1 &&
			 vitrine_ring_cpu(reader->handle) == 3, "closed\n");
	vitrine_ring_stop(reader->handle);
	ksft_test_result(take(reader) == 0 && take(reader) == 1 &&
			 take(reader) == ~0ULL && whole(reader),
			 "all of a closed ring is read\n");
}

/* ---- Malformed rings --------------------------------------------------- */

static void refuse(struct reader *reader, int code, const char *name)
{
	struct vitrine_ring *handle = NULL;
	struct vitrine_error *err;
	char path[32];

	err = vitrine_ring_create(path_of(reader->ring.fd, path), 0, &handle);
	ksft_test_result(err && err->code == code && !handle, "%s\n", name);
	vitrine_error_destroy(err);
	vitrine_ring_destroy(handle);
	reader_deinit(reader);
}

static void test_refused(void)
{
	struct vitrine_ring *handle = NULL;
	struct vitrine_error *err;
	struct reader reader;

	reader_init(&reader);
	reader.ring.producer->version++;
	refuse(&reader, EPROTONOSUPPORT, "another version is refused");
	reader_init(&reader);
	reader.ring.producer->length = 8;
	refuse(&reader, EBADMSG, "a short producer page is refused");
	reader_init(&reader);
	reader.ring.producer->nr_subbufs = 1;
	refuse(&reader, EBADMSG, "one sub-buffer is refused");
	reader_init(&reader);
	reader.ring.producer->subbuf_bytes = 0;
	refuse(&reader, EBADMSG, "sub-buffers of no size are refused");
	reader_init(&reader);
	reader.ring.producer->nr_subbufs = ~0U;
	reader.ring.producer->subbuf_bytes = ~0U & ~4095U;
	refuse(&reader, EBADMSG, "a ring of impossible size is refused");
	err = vitrine_ring_create("/proc/self/fd/nothing", 0, &handle);
	ksft_test_result(err && err->code == ENOENT, "a missing file is an error\n");
	vitrine_error_destroy(err);
}

/* The kernel advances each time the reader has read its sequence number. */
static void test_no_begin(void)
{
	struct reader reader;

	reader_init(&reader);
	fake_ring_fill(&reader.ring, NR_SUBBUFS - 1);
	fake_recycle_begin(&reader.ring);
	reader.ring.producer->sequence = 0;
	refuse(&reader, EAGAIN, "reading does not begin with a sub-buffer being recycled");
	reader_init(&reader);
	fake_ring_fill(&reader.ring, NR_SUBBUFS);
	reader.ring.producer->sequence = 0;
	refuse(&reader, EAGAIN, "reading does not begin with a sub-buffer of a later lap");
}

static void test_malformed(void)
{
	static const struct {
		uint64_t committed;
		uint64_t magic;
		const char *name;
	} cases[] = {
		{ 0, VITRINE_PACKET_MAGIC, "nothing committed" },
		{ 168 + 1, VITRINE_PACKET_MAGIC, "half a word committed" },
		{ SUBBUF_BYTES + 8, VITRINE_PACKET_MAGIC, "too much committed" },
		{ ~0ULL, VITRINE_PACKET_MAGIC, "far too much committed" },
		{ 168, 0, "no packet header" },
	};
	struct vitrine_packet *packet;
	struct reader reader;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reader_init(&reader);
		reader_open(&reader, 0);
		fake_ring_fill(&reader.ring, 1);
		packet = (void *)(reader.ring.subbufs + VITRINE_PACKET_OFFSET);
		packet->committed_bytes = cases[i].committed;
		packet->magic = cases[i].magic;
		ksft_test_result(take(&reader) == ~1ULL, "%s: an error\n", cases[i].name);
		reader_deinit(&reader);
	}
}

/* ---- All at once ------------------------------------------------------- */

#define STORM_SWITCHES	3000000

static void *storm(void *ctx)
{
	struct fake_ring *ring = ctx;
	unsigned int i;

	for (i = 0; i < STORM_SWITCHES; i++)
		fake_ring_switch(ring);
	__atomic_store_n(&ring->producer->flags, VITRINE_RING_CLOSED, __ATOMIC_RELEASE);
	return NULL;
}

static void test_storm(struct reader *reader)
{
	pthread_t writer;
	bool closed;

	pthread_create(&writer, NULL, storm, &reader->ring);
	do {
		closed = vitrine_ring_closed(reader->handle);
		if (closed)
			vitrine_ring_stop(reader->handle);
		take_all(reader);
	} while (!closed);
	pthread_join(writer, NULL);
	ksft_test_result(whole(reader), "a writer that never pauses\n");
	printf("# %llu read, %llu lost\n", (unsigned long long)reader->records,
	       (unsigned long long)reader->lost);
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
	test_append(VITRINE_STEP_GENERATION, "grows before its size is read");
	test_append(VITRINE_STEP_SIZE, "grows before it is copied");
	test_append(VITRINE_STEP_COPY, "grows after it was copied");
	run(test_overtaken_stop);
	run(test_closed);
	test_refused();
	test_no_begin();
	test_malformed();
	run(test_storm);
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
