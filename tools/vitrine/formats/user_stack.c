// SPDX-License-Identifier: GPL-2.0
/*
 * The events of user stacks. Their texts may be any bytes.
 */
#define _GNU_SOURCE	/* memrchr() */
#include <ctype.h>
#include <string.h>

#include "fxt_record.h"
#include "user_stack.h"

/* Longest build id that find-symbols understands. */
#define MAX_ID_DIGITS	128

/**
 * user_stack_is() - test whether a record is a user stack
 * @record: record
 *
 * Return: true if it is.
 */
bool user_stack_is(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       record->event.type == FXT_EVENT_INSTANT &&
	       fxt_string_is(&record->event.category, "stacks") &&
	       fxt_string_is(&record->event.name, "user stack");
}

/**
 * user_stack_text() - find an argument that is a text
 * @record: record
 * @name: name of the argument
 *
 * Return: the text, or NULL.
 */
const struct vitrine_fxt_string *
user_stack_text(const struct vitrine_fxt_record *record, const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	return arg && arg->type == FXT_ARG_STRING_REF ? &arg->value.string :
							NULL;
}

/**
 * user_stack_piece() - iterate over what ";" separates
 * @at: begin of the piece; moved behind it
 * @end: end of the text
 * @ret_len: receives the length of the piece
 *
 * Return: the piece, or NULL at the end.
 */
const char *user_stack_piece(const char **at, const char *end, size_t *ret_len)
{
	const char *piece = *at, *separator;

	if (piece >= end)
		return NULL;
	separator = memchr(piece, ';', end - piece);
	*ret_len = (separator ? separator : end) - piece;
	*at = separator ? separator + 1 : end;
	return piece;
}

static bool is_build_id(const char *id, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)id[i]))
			return false;
	return len && len <= MAX_ID_DIGITS;
}

/**
 * user_stack_next_file() - iterate over the list of files
 * @at: begin of the item; moved behind it
 * @end: end of the list
 * @ret: the item; of one without a space the path is empty
 *
 * Return: false at the end.
 */
bool user_stack_next_file(const char **at, const char *end,
			  struct user_stack_file *ret)
{
	const char *piece, *space;
	size_t len;

	piece = user_stack_piece(at, end, &len);
	if (!piece)
		return false;
	space = memrchr(piece, ' ', len);
	*ret = (struct user_stack_file){ .path = piece };
	if (!space)
		return true;
	ret->len_path = space - piece;
	ret->id = space + 1;
	ret->len_id = piece + len - ret->id;
	if (ret->len_path >= USER_STACK_PATH_BYTES || memchr(piece, '\n', len) ||
	    !is_build_id(ret->id, ret->len_id))
		ret->len_id = 0;
	return true;
}
