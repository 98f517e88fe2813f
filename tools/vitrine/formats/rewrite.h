/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces that are read and written again: merged, cut, anonymised, symbolized. What is done with
 * their records is told by a struct rewrite.
 */
#ifndef _VITRINE_REWRITE_H
#define _VITRINE_REWRITE_H

#include "archive.h"

/**
 * struct rewrite_cpu - what precedes the records of a CPU
 * @packed: a packet header has been read
 * @nr_before: number of records before its first sub-buffer, which are not in the trace
 * @begin_ns: begin of that sub-buffer
 */
struct rewrite_cpu {
	bool packed;
	uint64_t nr_before;
	uint64_t begin_ns;
};

/**
 * struct rewrite - how traces are rewritten; a function that is not needed is NULL
 * @paths: traces to read; "-": standard input
 * @nr_paths: number of @paths; the CPUs and threads of several traces get new numbers
 * @out: trace to write; "-": standard output
 * @what: what it is called in notes
 * @is_secret: blobs and objects, whose contents nobody knows, are left out
 * @begin: called with the trace when it is open, and with its name in messages
 * @step: processes an item, perhaps by rewrite_item(), and states what precedes the records of
 *	a CPU; returns false if the remaining items are not needed. At the end, the item is empty.
 * @choose: chooses a record, which it may change; returns false to leave it out
 * @rename: changes the name of a process, or of a thread of it
 * @edit: changes the texts of a record with a time
 * @ctx: first argument of the functions
 */
struct rewrite {
	char **paths;
	int nr_paths;
	const char *out;
	const char *what;
	bool is_secret;
	void (*begin)(void *ctx, struct vitrine_archive *archive, const char *name);
	bool (*step)(void *ctx, const struct archive_item *item);
	bool (*choose)(void *ctx, struct vitrine_fxt_record *record);
	void (*rename)(void *ctx, uint64_t process, struct vitrine_fxt_string *name);
	void (*edit)(void *ctx, struct vitrine_fxt_record *record);
	void *ctx;
};

int rewrite_run(const struct rewrite *rewrite);

/* For the functions of a struct rewrite: */
void rewrite_item(const struct archive_item *item);
void rewrite_put(const struct vitrine_fxt_record *record);
void rewrite_lost(uint32_t provider, uint32_t cpu, uint64_t nr);
void rewrite_before(uint32_t cpu, uint64_t nr, uint64_t begin_ns);
void rewrite_name(uint64_t thread, const char *name);
void rewrite_name_thread(const struct vitrine_fxt_thread *thread);
struct rewrite_cpu rewrite_cpu(uint32_t cpu);
void rewrite_break(void);

#endif /* _VITRINE_REWRITE_H */
