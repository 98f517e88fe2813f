/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of user stacks, as Documentation/fxt.rst describes them.
 */
#ifndef _VITRINE_USER_STACK_H
#define _VITRINE_USER_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include <vitrine/fxt.h>

#include "vitrine.h"

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

#endif /* _VITRINE_USER_STACK_H */
