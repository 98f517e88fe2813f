/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters for the records of a trace, and names of kinds of records.
 */
#ifndef _VITRINE_RECORD_FILTER_H
#define _VITRINE_RECORD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "vitrine.h"

/* Options without a short form. */
enum {
	RECORD_FILTER_FROM = 256,
	RECORD_FILTER_TO,
};

/* Most items of one sort. */
#define RECORD_FILTER_ITEMS	64

/**
 * struct record_filter - a filter; a sort without items matches everything
 * @cpus: ranges of CPUs, first and last
 * @threads: names or ids
 * @processes: names or ids
 * @events: kinds, or CATEGORY:NAME
 * @nr_cpus: number of @cpus
 * @nr_threads: number of @threads
 * @nr_processes: number of @processes
 * @nr_events: number of @events
 * @from_ns: earliest time
 * @to_ns: latest time
 *
 * The strings belong to the caller and must stay valid.
 */
struct record_filter {
	struct {
		uint32_t first;
		uint32_t last;
	} cpus[RECORD_FILTER_ITEMS];
	const char *threads[RECORD_FILTER_ITEMS];
	const char *processes[RECORD_FILTER_ITEMS];
	const char *events[RECORD_FILTER_ITEMS];
	unsigned int nr_cpus;
	unsigned int nr_threads;
	unsigned int nr_processes;
	unsigned int nr_events;
	uint64_t from_ns;
	uint64_t to_ns;
};

void record_filter_init(struct record_filter *filter);

/* Add the argument of an option; return false if it is invalid. */
bool record_filter_add(struct record_filter *filter, int key, const char *text);

/* Let a time range count from @ns. */
void record_filter_shift(uint64_t *from_ns, uint64_t *to_ns, uint64_t ns);

/* The options of the times, for the table of a command. */
#define RECORD_FILTER_OPTION_FROM					\
	{ "from", RECORD_FILTER_FROM, "TIME",				\
	  .help = "Start at TIME, such as 1234.5 (seconds) or 5ms" }
#define RECORD_FILTER_OPTION_TO						\
	{ "to", RECORD_FILTER_TO, "TIME", .help = "End at TIME" }

void record_filter_options(const struct command_line *line, struct record_filter *filter, int argc,
			   char **argv);

/* The trace that is read, with the names that filters look up: one at a time. */
extern struct vitrine_archive *archive;

bool record_filter_match_cpu(const struct record_filter *filter, uint32_t cpu);
bool record_filter_match_thread(const struct record_filter *filter,
				const struct vitrine_fxt_thread *thread);
bool record_filter_match(const struct record_filter *filter,
			 const struct vitrine_fxt_record *record);

bool record_filter_match_scheduling(const struct record_filter *filter,
				    const struct vitrine_fxt_record *record);

const char *record_kind(const struct vitrine_fxt_record *record);
uint64_t record_process(const struct vitrine_fxt_thread *thread);

#endif /* _VITRINE_RECORD_FILTER_H */
