// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a snapshot of 1 MiB: while nobody writes, compared with a memcpy() of the
 * same size; and while a timer edits the tree continuously, the longest of many, compared
 * with the longest read() of the same file. Other work of the kernel makes one or two times of
 * either kind up to two milliseconds longer than the others, so the two longest do not count.
 * The delay of the timer shows for how long interrupts were off: for a page, not for the tree.
 *
 *	snapshot_cost [SNAPSHOTS]	default 600
 *
 * The periods of the timer are chosen such that attempts to copy the mapping fail at
 * their beginning, in the middle and at their end. Times are instructions: run this in a
 * guest that counts them (selftests/qemu/run --icount).
 */
#include <vitrine.h>

#include "must.h"
#include "selftest.h"
#include "system.h"

#define TREE_BYTES	(1U << 20)
#define BENCH		INSPECT_DIR "bench.inspect"
#define EDIT_US		"/sys/module/bench/parameters/edit_us"
#define LATE_NS		"/sys/module/bench/parameters/late_ns"
/* A few pages; the whole tree takes 20 times as long. */
#define LATE_MOST_NS	10000
#define WARM_UP		3	/* pages are touched, buffers are there */
#define ROUNDS		16
#define NR_LONGEST	3	/* the last of them counts */

/**
 * struct reader - a way to take snapshots, and its times
 * @source: the tree
 * @snapshot: the last snapshot
 * @least_ns: minimum time
 * @longest_ns: the longest times, in descending order
 * @sum_ns: sum of all times
 */
struct reader {
	struct vitrine_source *source;
	struct vitrine_snapshot *snapshot;
	uint64_t least_ns;
	uint64_t longest_ns[NR_LONGEST];
	uint64_t sum_ns;
};

static void take(struct reader *reader)
{
	uint64_t start = now_ns(), took, other;
	unsigned int i;

	must(vitrine_snapshot_refresh(reader->snapshot, reader->source));
	took = now_ns() - start;
	reader->sum_ns += took;
	if (took < reader->least_ns)
		reader->least_ns = took;
	for (i = 0; i < NR_LONGEST; i++)
		if (took > reader->longest_ns[i]) {
			other = reader->longest_ns[i];
			reader->longest_ns[i] = took;
			took = other;
		}
}

static void reset(struct reader *reader)
{
	reader->least_ns = UINT64_MAX;
	memset(reader->longest_ns, 0, sizeof(reader->longest_ns));
	reader->sum_ns = 0;
}

static void reader_init(struct reader *reader, const char *path, unsigned int flags)
{
	unsigned int i;

	must(vitrine_source_create(path, flags, &reader->source));
	must(vitrine_snapshot_create(reader->source, &reader->snapshot));
	for (i = 0; i < WARM_UP; i++)
		take(reader);
	reset(reader);
}

static void reader_deinit(struct reader *reader)
{
	vitrine_snapshot_destroy(reader->snapshot);
	vitrine_source_destroy(reader->source);
}

/* Time a memcpy() between buffers that are already mapped, like that of a snapshot. */
static uint64_t memcpy_ns(void)
{
	uint8_t *from = malloc(TREE_BYTES), *to = malloc(TREE_BYTES);
	uint64_t start, took, least = UINT64_MAX;
	unsigned int i;

	memset(from, 1, TREE_BYTES);
	memset(to, 2, TREE_BYTES);
	for (i = 0; i < ROUNDS; i++) {
		start = now_ns();
		memcpy(to, from, TREE_BYTES);
		/* Keeps the compiler from removing the copy. */
		__asm__ __volatile__("" : : "r"(to) : "memory");
		took = now_ns() - start;
		if (took < least)
			least = took;
	}
	free(from);
	free(to);
	return least;
}

/*
 * Report whether a cost is within its limit. With LENIENT=1, it may exceed it by less than a tenth,
 * which is a warning, as with within_limit() of lib.sh.
 */
static void limited(uint64_t cost, uint64_t most, const char *what)
{
	const char *lenient = getenv("LENIENT");
	bool is_near = cost > most && cost * 10 < most * 11 && lenient && !strcmp(lenient, "1");

	if (is_near)
		ksft_print_msg("over the limit: snapshot_cost: %s: %" PRIu64
			       ", limit %" PRIu64 "\n", what, cost, most);
	ksft_test_result(cost <= most || is_near, "%s\n", what);
}

/* Measure without a writer. */
static void still(struct reader *mapped, struct reader *by_read)
{
	uint64_t copy_ns = memcpy_ns();
	size_t len;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		take(mapped);
		take(by_read);
	}
	vitrine_snapshot_bytes(mapped->snapshot, &len);
	ksft_test_result(len == TREE_BYTES, "the tree has 1 MiB\n");
	ksft_print_msg("memcpy %" PRIu64 ", snapshot %" PRIu64 ", read() %" PRIu64 " ns\n",
		       copy_ns, mapped->least_ns, by_read->least_ns);
	limited(mapped->least_ns, copy_ns * 13 / 10, "a snapshot takes at most 1.3 times a memcpy");
}

static unsigned long read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long number;

	if (!file || fscanf(file, "%lu", &number) != 1)
		ksft_exit_fail_msg("cannot read %s\n", path);
	fclose(file);
	return number;
}

/* Measure with a writer that edits continuously. */
static void race(struct reader *mapped, struct reader *by_read, unsigned long nr_snapshots)
{
	static const unsigned int periods_us[] = { 20, 70, 150, 190, 210, 250 };
	unsigned long i, nr = nr_snapshots / ARRAY_SIZE(periods_us) + 1;
	uint64_t generation = vitrine_snapshot_generation(mapped->snapshot);
	const uint64_t *by_copy_ns = &mapped->longest_ns[NR_LONGEST - 1];
	const uint64_t *by_read_ns = &by_read->longest_ns[NR_LONGEST - 1];
	unsigned long late_ns, most_ns = 0;
	unsigned int p;
	char what[128];

	for (p = 0; p < ARRAY_SIZE(periods_us); p++) {
		write_number(EDIT_US, periods_us[p]);
		write_number(LATE_NS, 0);
		reset(mapped);
		reset(by_read);
		for (i = 0; i < nr; i++) {
			take(mapped);
			take(by_read);
		}
		ksft_print_msg("edited each %u us: snapshot %" PRIu64
			       " us, all but two at most %" PRIu64 "; read() %" PRIu64
			       ", all but two at most %" PRIu64 "\n",
			       periods_us[p], mapped->sum_ns / nr / 1000, *by_copy_ns / 1000,
			       by_read->sum_ns / nr / 1000, *by_read_ns / 1000);
		late_ns = read_number(LATE_NS);
		ksft_print_msg("late by at most %lu ns\n", late_ns);
		most_ns = late_ns > most_ns ? late_ns : most_ns;
		snprintf(what, sizeof(what),
			 "edited each %u us: the longest but two of %lu takes at most 3 times a read()",
			 periods_us[p], nr);
		limited(*by_copy_ns, *by_read_ns * 3, what);
	}
	write_number(EDIT_US, 0);
	ksft_test_result(most_ns <= LATE_MOST_NS,
			 "no edit is late by more than %u ns\n", LATE_MOST_NS);
	ksft_test_result(vitrine_snapshot_generation(mapped->snapshot) >
			 generation + 2 * nr_snapshots,
			 "there was an edit for each\n");
}

int main(int argc, char **argv)
{
	unsigned long nr_snapshots = argc > 1 ? strtoul(argv[1], NULL, 0) : 600;
	struct reader mapped = {}, by_read = {};

	ksft_print_header();
	load_module("vitrine", "enable=0 trees=");
	load_module("bench", "size_kb=1024");
	ksft_set_plan(10);
	reader_init(&mapped, BENCH, VITRINE_SOURCE_MAP);
	reader_init(&by_read, BENCH, VITRINE_SOURCE_READ);
	still(&mapped, &by_read);
	race(&mapped, &by_read, nr_snapshots);
	reader_deinit(&mapped);
	reader_deinit(&by_read);
	unload_module("bench");
	unload_module("vitrine");
	ksft_finished();
}
