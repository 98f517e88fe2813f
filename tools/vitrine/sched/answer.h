/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The answer to why a program took so long: groups of like threads and where their time went, what
 * the critical path of the command consists of, and findings, the most expensive first.
 */
#ifndef _VITRINE_ANSWER_H
#define _VITRINE_ANSWER_H

#include "ui/label.h"
#include "why.h"

/**
 * struct answer_args - the options of `vitrine why'
 * @json: print JSON
 * @all: show all groups, and those of vitrine
 * @file: trace that can be read later, or NULL
 * @filter: processes and time range
 * @is_at: instead of the answer, tell what happened at @at_ns
 * @at_ns: a time
 */
struct answer_args {
	bool json;
	bool all;
	bool is_at;
	const char *file;
	struct record_filter filter;
	uint64_t at_ns;
};

/**
 * struct answer_function - samples of a group in a function
 * @group: number of the group
 * @name: text number of the function
 * @nr: number of samples
 * @nr_on_path: how many of them are on the critical path of the command
 */
struct answer_function {
	uint32_t group;
	uint32_t name;
	uint64_t nr;
	uint64_t nr_on_path;
};

/**
 * struct answer_group - threads of one program and, but for digits, one name
 * @key: text number of "NAME", or of "PROGRAM/NAME", with "#" for each number in NAME
 * @name: text number of the same with the numbers, if all threads have the same
 * @nr_threads: how many threads have time in @kinds_ns
 * @nr_idle: how many others only waited for work
 * @kinds_ns: their time, by kind; the sum is @life_ns
 * @life_ns: their time
 * @path_ns: part of the critical path that they ran or waited in
 * @functions: what they executed, most of the critical path first
 * @nr_functions: number of @functions
 * @rank: distance from the command in who waits for whom, UINT32_MAX if nobody does
 * @is_selected: the question is about them
 * @is_shown: they are in the answer
 * @is_own: they are vitrine's
 */
struct answer_group {
	uint32_t key;
	uint32_t name;
	uint32_t nr_threads;
	uint32_t nr_idle;
	uint64_t kinds_ns[WHY_KINDS];
	uint64_t life_ns;
	uint64_t path_ns;
	const struct answer_function *functions;
	uint32_t nr_functions;
	uint32_t rank;
	bool is_selected;
	bool is_shown;
	bool is_own;
};

/**
 * struct answer_share - a share of the critical path of the command, or of that of a wait
 * @who: number of the group or, of a wait, of the thread
 * @kind: what it did
 * @place: text number of what it waited for
 * @ns: for how long
 */
struct answer_share {
	uint32_t who;
	uint32_t kind;
	uint32_t place;
	uint64_t ns;
};

/**
 * struct answer_shares - shares, the largest first
 * @shares: the shares
 * @nr: how many
 * @all_ns: their sum
 */
struct answer_shares {
	struct answer_share *shares;
	uint32_t nr;
	uint64_t all_ns;
};

/* Where the answer shows what those did that a thread waited for. */
enum answer_explained {
	ANSWER_NOWHERE,
	ANSWER_IN_GROUP,	/* in the group of the thread */
	ANSWER_FARTHER,		/* in a group that is farther from the command */
};

/**
 * struct answer_wait - like waits of a group
 * @id: in @wait_of of the answer
 * @group: number of the group
 * @kind: kind of the waits
 * @place: text number of what they waited for; WHY_TEXT_NONE for @kind WHY_CPU
 * @explained: where the answer shows what those did that the waits were for
 * @cpu: of WHY_CPU, the only CPU that they were for, or PATH_NONE
 * @nr: number of waits
 * @sum_ns: their sum
 * @p99_ns: 99th percentile of those whose turns are kept, 0 if there are none
 * @path_ns: part of the critical path of the command that they take
 * @nr_threads: number of threads that waited
 * @first: index of their first sum in @sums of the answer
 * @nr_sums: number of their sums
 * @longest: number of the sum that has the longest one
 */
struct answer_wait {
	uint32_t id;
	uint32_t group;
	uint32_t kind;
	uint32_t place;
	enum answer_explained explained;
	uint32_t cpu;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t p99_ns;
	uint64_t path_ns;
	uint32_t nr_threads;
	uint32_t first;
	uint32_t nr_sums;
	uint32_t longest;
};

/**
 * struct answer - the answer to what struct spent has: all zero at first, but @args
 * @args: the options
 * @group_of: by thread, number of its group
 * @groups: the groups
 * @nr_groups: how many
 * @functions: functions of all groups, those of a group beside one another
 * @nr_functions: how many
 * @order: numbers of the groups that are shown, those with the most time first
 * @nr_shown: how many
 * @path: shares of the critical path, empty without a command
 * @sums: numbers of the sums of all waits, those of a wait beside one another
 * @wait_of: by sum, id of its wait, or 0
 * @waits: waits of the groups that are shown: findings, the most expensive first, and others
 * @nr_waits: how many
 * @nr_findings: how many of them are findings
 */
extern struct answer {
	const struct answer_args *args;
	uint32_t *group_of;
	struct answer_group *groups;
	uint32_t nr_groups;
	struct answer_function *functions;
	uint32_t nr_functions;
	uint32_t *order;
	uint32_t nr_shown;
	struct answer_shares path;
	uint32_t *sums;
	uint32_t *wait_of;
	struct answer_wait *waits;
	uint32_t nr_waits;
	uint32_t nr_findings;
} answer;

/* Make an answer, which the functions below are about. */
void answer_make(void);
struct answer_share answer_part(const struct path_part *part, const struct path_wait *waits,
				unsigned int nr_waits);
void answer_longest(const struct answer_wait *wait, struct answer_shares *ret);
void answer_deinit(void);
int answer_run(const char *path, const struct answer_args *args);

#endif /* _VITRINE_ANSWER_H */
