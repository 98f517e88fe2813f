// SPDX-License-Identifier: GPL-2.0
/*
 * The share of each CPU's time that a recording took: the cost of one record, as
 * measured by the module, times the number of records of each CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "debugfs.h"
#include "error.h"

/* Maximum number of CPUs that are listed one by one. */
#define MAX_LISTED	8

static struct vitrine_error *parse(FILE *file, const char *path,
				   struct cost *ret)
{
	if (fscanf(file,
		   "switch %" SCNu64 " wakeup %" SCNu64 " event %" SCNu64,
		   &ret->switch_ps, &ret->wakeup_ps, &ret->event_ps) == 3)
		return NULL;
	if (ferror(file))
		return vtr_error_os(errno, path, "cannot measure the cost of a record");
	return vitrine_error_create(EBADMSG, path, VITRINE_NO_OFFSET, NULL,
				    "cannot parse the cost of a record");
}

/**
 * cost_read() - let the module measure the cost of a record
 * @ret: the figures
 *
 * A kind of records that is not being recorded costs 0.
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *cost_read(struct cost *ret)
{
	char *path = debugfs_path("trace/cost", "");
	struct vitrine_error *err;
	FILE *file;

	if (!path)
		return vtr_error_no_memory();
	file = fopen(path, "re");
	if (file) {
		err = parse(file, path, ret);
		fclose(file);
	} else {
		err = debugfs_explain(errno, path);
	}
	free(path);
	return err;
}

/* Return how many percent of @seconds one CPU spent on its records. */
static double percent_of(const struct cost *cost, const struct recorder_cpu *cpu,
			 double seconds)
{
	double ps = (double)cost->switch_ps * cpu->nr_switches +
		    (double)cost->wakeup_ps * cpu->nr_wakeups +
		    (double)cost->event_ps * cpu->nr_events;

	return seconds > 0 ? ps / 1e12 / seconds * 100 : 0;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct recorder_cpu *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

static void print_list(const struct cost *cost, const struct recorder *recorder,
		       double seconds)
{
	const struct recorder_cpu *cpu;
	unsigned int i;

	for (i = 0; i < recorder->nr_cpus; i++) {
		cpu = &recorder->cpus[i];
		fprintf(stderr, "%s %.2f %% of CPU %u", i ? "," : "",
			percent_of(cost, cpu, seconds), cpu->number);
	}
}

static void print_range(const struct cost *cost, const struct recorder *recorder,
			double seconds)
{
	double percent, sum = 0, least = 0, most = 0;
	unsigned int i;

	for (i = 0; i < recorder->nr_cpus; i++) {
		percent = percent_of(cost, &recorder->cpus[i], seconds);
		if (!i || percent < least)
			least = percent;
		if (percent > most)
			most = percent;
		sum += percent;
	}
	fprintf(stderr, " %.2f %% to %.2f %% of each of %u CPUs, %.2f %% on average",
		least, most, recorder->nr_cpus, sum / recorder->nr_cpus);
}

/**
 * cost_print() - print the share of each CPU's time that a recording took
 * @cost: cost of one record
 * @recorder: the recording, which is complete
 * @seconds: its duration
 * @own_seconds: CPU time that this process used for it
 */
void cost_print(const struct cost *cost, const struct recorder *recorder,
		double seconds, double own_seconds)
{
	qsort(recorder->cpus, recorder->nr_cpus, sizeof(*recorder->cpus),
	      compare_numbers);
	fputs("vitrine: recording took", stderr);
	if (recorder->nr_cpus <= MAX_LISTED)
		print_list(cost, recorder, seconds);
	else
		print_range(cost, recorder, seconds);
	fprintf(stderr, "; saving it %.2f %% of one CPU\n",
		seconds > 0 ? own_seconds / seconds * 100 : 0);
}
