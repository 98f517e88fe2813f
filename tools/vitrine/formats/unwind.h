/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of user stacks, as Documentation/fxt.rst describes them; user stacks that are
 * unwound from the stack memory in the trace; and the helper program find-symbols, which reads
 * programs and libraries with libdw.
 */
#ifndef _VITRINE_UNWIND_H
#define _VITRINE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sched/why_texts.h"
#include "vitrine.h"

bool finder_is_installed(void);
FILE *finder_scratch(void);
struct vitrine_error *finder_run(FILE *questions, FILE *answers);

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

/**
 * struct unwind_stack - a user stack with memory
 * @thread: koid of the thread
 * @id: identifies the memory, together with @thread
 * @files: its list of files, a number of struct unwind.texts
 * @maps: where they were mapped, likewise
 * @nr_frames: number of frames that the kernel found
 * @question: number of the question, from 1 on; 0 if the trace has no memory for it
 * @stack: the stack that was unwound, likewise a text; WHY_TEXT_NONE if there is none
 */
struct unwind_stack {
	uint64_t thread;
	uint64_t id;
	uint32_t files;
	uint32_t maps;
	uint32_t nr_frames;
	uint32_t question;
	uint32_t stack;
};

/**
 * struct unwind - all user stacks with memory; empty if zeroed
 * @stacks: the stacks
 * @nr: number of @stacks
 * @texts: lists of files, and stacks
 * @questions: questions to find-symbols, as in tools/dwarf/main.c; NULL if there are none
 * @nr_questions: number of @questions
 * @nr_unwound: number of stacks that were unwound
 */
struct unwind {
	struct unwind_stack *stacks;
	uint32_t nr;
	struct why_texts texts;
	FILE *questions;
	uint32_t nr_questions;
	uint32_t nr_unwound;
};

struct vitrine_error *unwind_all(struct unwind *unwind, const char *path);
bool unwind_find(const struct unwind *unwind,
		 const struct vitrine_fxt_record *record,
		 struct vitrine_fxt_string *ret);
bool unwind_is_memory(const struct vitrine_fxt_record *record);
bool unwind_has_used(const struct unwind *unwind,
		     const struct vitrine_fxt_record *record);
void unwind_deinit(struct unwind *unwind);

#endif /* _VITRINE_UNWIND_H */
