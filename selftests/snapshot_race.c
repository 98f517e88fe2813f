// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of a tree that is edited continuously: none is torn, none fails.
 *
 *	snapshot_race [SNAPSHOTS]	default 30000: two minutes on an emulated
 *					processor
 *
 * The sample publisher edits in batches: in every consistent copy all queues
 * have the same number of packets, and their balances add up to 0. In a second
 * round it creates and deletes nodes, and the copies are validated completely.
 */
#include <vitrine.h>

#include "must.h"
#include "selftest.h"

#define PUBLISHER	INSPECT_DIR "publisher.inspect"

struct tally {
	unsigned long nr_retries;
	unsigned long nr_reads;
};

static void count(void *ctx, enum vitrine_step step)
{
	struct tally *tally = ctx;

	tally->nr_retries += step == VITRINE_STEP_RETRY;
	tally->nr_reads += step == VITRINE_STEP_READ;
}

static bool adds_up(const struct vitrine_value *root)
{
	const struct vitrine_value *queue;
	uint64_t packets = 0;
	int64_t balance = 0;
	char name[8];
	int i;

	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "queue%d", i);
		queue = child(root, name);
		if (!i)
			packets = vitrine_value_uint(child(queue, "packets"));
		if (vitrine_value_uint(child(queue, "packets")) != packets)
			return false;
		balance += vitrine_value_int(child(queue, "balance"));
	}
	return !balance;
}

/* Check that the copy can be decoded and is consistent. */
static bool is_whole(const struct vitrine_snapshot *snapshot, const char *unused)
{
	struct vitrine_hierarchy *hierarchy;
	bool whole;

	(void)unused;
	must(vitrine_hierarchy_create(snapshot, &hierarchy));
	whole = adds_up(vitrine_hierarchy_first(hierarchy));
	vitrine_hierarchy_destroy(hierarchy);
	return whole;
}

static void race(const char *mode, unsigned long nr_snapshots,
		 bool (*good)(const struct vitrine_snapshot *snapshot, const char *path))
{
	unsigned long i, nr_failed = 0, nr_torn = 0, nr_same = 0;
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_source *source;
	struct vitrine_error *err;
	struct tally tally = {};
	uint64_t last = 0;
	char params[32];

	snprintf(params, sizeof(params), "mode=%s", mode);
	load_module("publisher", params);
	must(vitrine_source_create(PUBLISHER, 0, &source));
	vitrine_source_observe(source, count, &tally);
	for (i = 0; i < nr_snapshots; i++) {
		/* This takes minutes on a slow machine, and a silent test counts as hung. */
		if (!(i % (nr_snapshots / 10 + 1)))
			ksft_print_msg("%s: snapshot %lu\n", mode, i);
		err = snapshot ? vitrine_snapshot_refresh(snapshot, source) :
				 vitrine_snapshot_create(source, &snapshot);
		if (err) {
			vitrine_error_print(err, stdout);
			vitrine_error_destroy(err);
			nr_failed++;
			continue;
		}
		nr_torn += !good(snapshot, PUBLISHER);
		nr_same += vitrine_snapshot_generation(snapshot) == last;
		last = vitrine_snapshot_generation(snapshot);
	}
	ksft_print_msg("%s: %lu snapshots, %lu torn, %lu failed\n", mode,
		       nr_snapshots, nr_torn, nr_failed);
	ksft_print_msg("%s: %lu retries, %lu by read(), %lu repeated\n", mode,
		       tally.nr_retries, tally.nr_reads, nr_same);
	ksft_test_result(!nr_failed, "%s: none failed\n", mode);
	ksft_test_result(!nr_torn, "%s: none torn\n", mode);
	ksft_test_result(nr_snapshots - nr_same > nr_snapshots / 1000,
			 "%s: the writer did write\n", mode);
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
	unload_module("publisher");
}

int main(int argc, char **argv)
{
	unsigned long nr_snapshots = argc > 1 ? strtoul(argv[1], NULL, 0) : 30000;

	ksft_print_header();
	load_module("vitrine", "enable=0");
	ksft_set_plan(6);
	race("batch", nr_snapshots, is_whole);
	race("churn", nr_snapshots / 10, is_sound);
	unload_module("vitrine");
	ksft_finished();
}
