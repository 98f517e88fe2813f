/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces that are read and written again: merged, cut, anonymised, symbolized. What is done with
 * their records is told by a struct rewrite.
 */
#ifndef _VITRINE_REWRITE_H
#define _VITRINE_REWRITE_H

#include "archive.h"
#include "sched/record_filter.h"
#include "sched/why_texts.h"

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
 */
struct rewrite {
	char **paths;
	int nr_paths;
	const char *out;
	const char *what;
	bool is_secret;
	void (*begin)(struct vitrine_archive *archive, const char *name);
	bool (*step)(const struct archive_item *item);
	bool (*choose)(struct vitrine_fxt_record *record);
	void (*rename)(uint64_t process, struct vitrine_fxt_string *name);
	void (*edit)(struct vitrine_fxt_record *record);
};

int rewrite_run(const struct rewrite *rewrite);

/* For the functions of a struct rewrite: */
void rewrite_item(const struct archive_item *item);
struct fxt_out *rewrite_out(void);
void rewrite_name(uint64_t thread, const char *name);
void rewrite_name_thread(const struct vitrine_fxt_thread *thread);
void rewrite_break(void);

/* ---- anonymise.c: replace names and texts by tokens ------------------------ */

void anonymise_init(void);
/* The texts that the functions return are valid until this call. */
void anonymise_begin(void);
struct vitrine_fxt_string anonymise_name(const struct vitrine_fxt_string *name);
void anonymise_record(struct vitrine_fxt_record *record);

/* ---- cut.c: a part of a trace as a trace of its own ------------------------- */

/**
 * struct cut_args - the options of `vitrine cut'
 * @path: trace to read; "-": standard input
 * @out: trace to write; "-": standard output
 * @filter: selects the records to keep
 * @pids: processes to keep, too, whose children are kept as with those of @filter
 * @nr_pids: how many
 * @cgroup: whose processes @pids are, or NULL
 * @anonymise: replace names and texts by tokens
 * @must_select: a filter that selects nothing is an error
 */
struct cut_args {
	const char *path;
	const char *out;
	struct record_filter filter;
	uint64_t *pids;
	size_t nr_pids;
	const char *cgroup;
	bool anonymise;
	bool must_select;
};

int cut_run(const struct cut_args *args);

/* ---- unwind.c -------------------------------------------------------------- */

/*
 * The events of user stacks, as Documentation/fxt.rst describes them; user stacks that are
 * unwound from the stack memory in the trace; and the helper program find-symbols, which reads
 * programs and libraries with libdw.
 */

bool finder_is_installed(void);
FILE *finder_scratch(void);
struct vitrine_error *finder_run(FILE *questions, FILE *answers);
struct vitrine_error *finder_ask(FILE *questions, uint32_t nr,
				 void (*take)(uint32_t number, const char *answer));

/* Longest path that a question to find-symbols may have. */
#define USER_STACK_PATH_BYTES	4096

/**
 * struct user_stack_file - an item of the list of files of a stack
 * @path: path of the file
 * @len_path: length of @path
 * @id: its build id, in hexadecimal
 * @len_id: length of @id, 0 if it has none, or if path or build id cannot be in a question
 */
struct user_stack_file {
	const char *path;
	size_t len_path;
	const char *id;
	size_t len_id;
};

bool user_stack_is(const struct vitrine_fxt_record *record);
const struct vitrine_fxt_string *
user_stack_text(const struct vitrine_fxt_record *record, const char *name);
const char *user_stack_piece(const char **at, const char *end, size_t *ret_len);
bool user_stack_next_file(const char **at, const char *end,
			  struct user_stack_file *ret);

/* Longest stack that is written. */
#define UNWIND_STACK_BYTES	16000

struct vitrine_error *unwind_all(const char *path);
bool unwind_find(const struct vitrine_fxt_record *record, struct vitrine_fxt_string *ret);
bool unwind_is_memory(const struct vitrine_fxt_record *record);
bool unwind_has_used(const struct vitrine_fxt_record *record);
uint32_t unwind_nr_stacks(void);
uint32_t unwind_nr_unwound(void);
void unwind_deinit(void);

/* ---- symbolize.c: the functions of the frames of user stacks ---------------- */

void symbolize_recording(const char *path);

#endif /* _VITRINE_REWRITE_H */
