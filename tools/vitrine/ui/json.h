/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A writer of JSON. The schema of the command's output is in Documentation/json.rst;
 * inspect/show.h writes trees.
 */
#ifndef _VITRINE_JSON_H
#define _VITRINE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "line.h"

/* Output: a command writes one text of JSON at a time. */
extern struct line_output json_line;

/* One member per line, indented; else all on one line. */
extern bool json_is_pretty;

/* The innermost open object or array has no member yet. */
extern bool json_is_empty;

void json_init(bool pretty);
/* Write the buffer to the stream. */
void json_flush(void);
/* End the line; json_finish() also writes the buffer to the stream. */
void json_newline(void);
void json_finish(void);

/* Begin a new line if the output is indented. */
void json_indent(void);

/* An array: begin it, call json_item() before each item, end it. */
void json_begin_list(void);
/* Begin an array of plain values, which stays on one line. */
void json_begin_line(void);
void json_end_list(void);

/* Separate an item of an array, or a member of an object, from the one before. */
static inline void json_item(void)
{
	line_room(&json_line);
	if (!json_is_empty)
		line_put_char(&json_line, ',');
	if (json_is_pretty)
		json_indent();
	json_is_empty = false;
}

/* An object: begin it, write a name and a value for each member, end it. */
void json_begin(void);
void json_member(const char *name, size_t len, unsigned int ordinal);
void json_end(void);

/* Write a constant name that needs no escape; inline, so that its length is known. */
static inline void json_key(const char *name)
{
	size_t len = strlen(name);
	char *at;

	json_item();
	at = json_line.at;
	*at++ = '"';
	memcpy(at, name, len);
	memcpy(at + len, "\": ", 3);
	json_line.at = at + len + (json_is_pretty ? 3 : 2);
}

/* Values. Text that is not UTF-8 is written as bytes. */
void json_string(const char *text);
void json_text(const char *bytes, size_t len);
void json_bytes(const void *bytes, size_t len);
void json_uint(uint64_t number);
void json_int(int64_t number);
void json_boolean(bool value);
void json_real(double number);
/* A number in decimal, with any number of digits. */
void json_number(const char *text);
void json_null(void);
/* A name as a string, escaped as by json_member(). */
void json_name(const char *name, size_t len, unsigned int ordinal);

/* A member with a constant name, and its value. */
static inline void json_key_uint(const char *name, uint64_t number)
{
	json_key(name);
	json_uint(number);
}

static inline void json_key_string(const char *name, const char *text)
{
	json_key(name);
	json_string(text);
}

#endif /* _VITRINE_JSON_H */
