// SPDX-License-Identifier: GPL-2.0
/*
 *	loss_runs RUNS [SEED]
 *
 * Random runs that lose records, with the account of each CPU. In each run the rings have
 * another size and mode, threads of the caller switch on every CPU, and the reader
 * reads sub-buffers from time to time. At a random moment it stops, for longer than the
 * rings last. Then recording ends, the rest is read, and for each CPU
 *
 *	written = read + reported as overwritten
 *	not written = reported as not written
 *	reported by the marks that were read = reported by the last packet
 *
 * must hold exactly, with the kernel's counts on the left and the contents of the ring on
 * the right. Prints the first seed, with which the runs can be repeated.
 */
#include <vitrine/map.h>

#include "must.h"
#include "system.h"

#define TRACE_DIR	"/sys/kernel/debug/vitrine/trace/"
#define TREE		"/sys/kernel/debug/vitrine/inspect/vitrine.inspect"
#define MAX_CPUS	64
#define MAX_STEPS	24

/**
 * struct account - the ring of a CPU, and what was read from it
 * @ring: the library's reader; NULL if there is no such CPU
 * @read: number of records read
 * @overwritten: number of records reported as overwritten
 * @unwritten: number of records reported as not written
 * @marked: number of lost records according to the marks
 * @told: number of records that were not written, according to the last packet
 */
struct account {
	struct vitrine_ring	*ring;
	uint64_t		read;
	uint64_t		overwritten;
	uint64_t		unwritten;
	uint64_t		marked;
	uint64_t		told;
};

/* The kernel's counts, from its tree. */
struct counts {
	uint64_t		records;
	uint64_t		lost;
};

static struct account accounts[MAX_CPUS];
static unsigned int nr_cpus;
static uint64_t random_state;
static uint64_t total_written, total_read, total_overwritten, total_unwritten;

static unsigned int random_below(unsigned int limit)
{
	return next_random(&random_state) % limit;
}

/* ---- Reading ---------------------------------------------------------------- */

static bool is_text(const struct vitrine_fxt_string *text, const char *wanted)
{
	return text->len_bytes == strlen(wanted) && !memcmp(text->bytes, wanted, strlen(wanted));
}

static void take_record(struct account *account, const struct vitrine_fxt_record *record)
{
	unsigned int i;

	account->read += record->timed;
	if (record->kind != VITRINE_FXT_EVENT || !is_text(&record->event.name, "drop_stats"))
		return;
	for (i = 0; i < record->nr_args; i++)
		if (is_text(&record->args[i].name, "num_records"))
			account->marked += record->args[i].value.uint64;
}

static void take_subbuf(struct account *account, const struct vitrine_subbuf *subbuf)
{
	const struct vitrine_packet *packet =
		(const void *)((const char *)subbuf->bytes + VITRINE_PACKET_OFFSET);
	const struct vitrine_fxt_record *record;
	struct vitrine_fxt *fxt;

	account->overwritten += subbuf->loss.nr_records;
	account->unwritten += subbuf->nr_lost - subbuf->loss.nr_records;
	account->told = packet->lost_records;
	must(vitrine_fxt_create(subbuf->bytes, subbuf->len_bytes, &fxt));
	for (;;) {
		must(vitrine_fxt_next(fxt, &record));
		if (!record)
			break;
		take_record(account, record);
	}
	vitrine_fxt_destroy(fxt);
}

static void take(struct account *account, unsigned int limit)
{
	const struct vitrine_subbuf *subbuf;

	while (limit--) {
		must(vitrine_ring_next(account->ring, &subbuf));
		if (!subbuf)
			break;
		take_subbuf(account, subbuf);
	}
}

static void open_rings(void)
{
	unsigned int cpu;
	char path[128];

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		snprintf(path, sizeof(path), TRACE_DIR "cpu%u", cpu);
		accounts[cpu] = (struct account){ 0 };
		must(vitrine_ring_create(path, VITRINE_RING_FROM_START, &accounts[cpu].ring));
	}
}

static void close_rings(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		vitrine_ring_destroy(accounts[cpu].ring);
}

/* ---- What the kernel says ---------------------------------------------------- */

static void read_counts(struct counts *counts)
{
	struct vitrine_hierarchy *hierarchy;
	struct vitrine_snapshot *snapshot;
	const struct vitrine_value *cpus, *value;
	struct vitrine_source *source;
	unsigned int cpu;
	char name[16];

	must(vitrine_source_create(TREE, 0, &source));
	must(vitrine_snapshot_create(source, &snapshot));
	must(vitrine_hierarchy_create(snapshot, &hierarchy));
	cpus = child(child(vitrine_hierarchy_first(hierarchy), "trace"), "cpus");
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		snprintf(name, sizeof(name), "%u", cpu);
		value = child(cpus, name);
		counts[cpu].records = vitrine_value_uint(child(value, "records"));
		counts[cpu].lost = vitrine_value_uint(child(value, "lost_records"));
	}
	vitrine_hierarchy_destroy(hierarchy);
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
}

static bool check_cpu(const struct account *account, const struct counts *counts, unsigned int cpu)
{
	total_written += counts->records;
	total_read += account->read;
	total_overwritten += account->overwritten;
	total_unwritten += counts->lost;
	if (counts->records == account->read + account->overwritten &&
	    counts->lost == account->unwritten && account->told == account->marked)
		return true;
	printf("CPU %u: %" PRIu64 " written, %" PRIu64 " read, %" PRIu64 " overwritten; %" PRIu64
	       " not written, %" PRIu64 " reported; %" PRIu64 " told, %" PRIu64 " marked\n",
	       cpu, counts->records, account->read, account->overwritten, counts->lost,
	       account->unwritten, account->told, account->marked);
	return false;
}

/* ---- Runs ---------------------------------------------------------------- */

/* Return the number of records of 16 bytes for which one ring has room. */
static unsigned int begin_session(unsigned long number)
{
	static const char * const modes[] = {
		"circular", "oneshot", "streaming", "streaming",
	};
	unsigned int subbuf_kb = 4 << random_below(2);
	unsigned int buffer_kb = subbuf_kb * (2 << random_below(2));

	write_word(TRACE_DIR "subbuf_kb", "4");
	write_number(TRACE_DIR "buffer_kb", buffer_kb);
	write_number(TRACE_DIR "subbuf_kb", subbuf_kb);
	write_word(TRACE_DIR "mode", modes[number % 4]);
	write_word(TRACE_DIR "events", random_below(2) ? "+sched" : "-sched");
	return buffer_kb * 1024 / 16;
}

static void read_at_random(void)
{
	unsigned int steps = random_below(MAX_STEPS);

	while (steps--) {
		if (random_below(2))
			take(&accounts[random_below(nr_cpus)], 1 + random_below(4));
		else
			usleep(random_below(3000));
	}
}

/* Wait until a CPU has written @nr more records, without reading. */
static void await_records(unsigned int cpu, unsigned int nr)
{
	struct counts counts[MAX_CPUS];
	uint64_t begin;

	read_counts(counts);
	begin = counts[cpu].records + counts[cpu].lost;
	do {
		usleep(500);
		read_counts(counts);
	} while (counts[cpu].records + counts[cpu].lost - begin < nr);
}

static bool run(unsigned long number)
{
	unsigned int cpu, capacity = begin_session(number);
	struct counts counts[MAX_CPUS];
	bool exact = true;

	open_rings();
	write_word(TRACE_DIR "enable", "1");
	read_at_random();
	await_records(random_below(nr_cpus), capacity + random_below(capacity));
	write_word(TRACE_DIR "enable", "0");
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		vitrine_ring_stop(accounts[cpu].ring);
		take(&accounts[cpu], ~0U);
		accounts[cpu].unwritten += vitrine_ring_unwritten(accounts[cpu].ring);
	}
	read_counts(counts);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		exact &= check_cpu(&accounts[cpu], &counts[cpu], cpu);
	close_rings();
	return exact;
}

int main(int argc, char **argv)
{
	unsigned long runs, i, inexact = 0;
	uint64_t seed;

	if (argc < 2)
		errx(2, "usage: loss_runs RUNS [SEED]");
	runs = strtoul(argv[1], NULL, 0);
	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		errx(1, "more than %u CPUs", MAX_CPUS);
	write_word(TRACE_DIR "enable", "0");
	for (i = 0; i < runs; i++) {
		random_state = seed + i;
		if (run(i))
			continue;
		printf("run %lu, seed %" PRIu64 ": not exact\n", i, seed + i);
		inexact++;
	}
	printf("%lu runs, seed %" PRIu64 ": %" PRIu64 " written, %" PRIu64 " read, %" PRIu64
	       " overwritten, %" PRIu64 " not written\n",
	       runs, seed, total_written, total_read, total_overwritten, total_unwritten);
	return inexact || !total_overwritten || !total_unwritten;
}
