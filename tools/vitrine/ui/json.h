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

/**
 * struct json_writer - JSON being written
 * @out: output
 * @pretty: one member per line, indented; else all on one line
 * @empty: the innermost open object or array has no member yet
 * @line: the innermost array stays on one line
 * @depth: number of open objects and arrays
 */
struct json_writer {
	struct line_output out;
	bool pretty;
	bool empty;
	bool line;
	unsigned int depth;
};

void json_init(struct json_writer *json, FILE *stream, bool pretty);
/* Write the buffer to the stream. */
void json_flush(struct json_writer *json);
/* End the line; json_finish() also writes the buffer to the stream. */
void json_newline(struct json_writer *json);
void json_finish(struct json_writer *json);

/* Begin a new line if the output is indented. */
void json_indent(struct json_writer *json);

/* An array: begin it, call json_item() before each item, end it. */
void json_begin_list(struct json_writer *json);
/* Begin an array of plain values, which stays on one line. */
void json_begin_line(struct json_writer *json);
void json_end_list(struct json_writer *json);

/* Separate an item of an array, or a member of an object, from the one before. */
static inline void json_item(struct json_writer *json)
{
	line_room(&json->out);
	if (!json->empty)
		line_put_char(&json->out, ',');
	if (json->pretty)
		json_indent(json);
	json->empty = false;
}

/* An object: begin it, write a name and a value for each member, end it. */
void json_begin(struct json_writer *json);
void json_member(struct json_writer *json, const char *name, size_t len,
		 unsigned int ordinal);
void json_end(struct json_writer *json);

/* Write a constant name that needs no escape; inline, so that its length is known. */
static inline void json_key(struct json_writer *json, const char *name)
{
	size_t len = strlen(name);
	char *at;

	json_item(json);
	at = json->out.at;
	*at++ = '"';
	memcpy(at, name, len);
	memcpy(at + len, "\": ", 3);
	json->out.at = at + len + (json->pretty ? 3 : 2);
}

/* Values. Text that is not UTF-8 is written as bytes. */
void json_string(struct json_writer *json, const char *text);
void json_text(struct json_writer *json, const char *bytes, size_t len);
void json_bytes(struct json_writer *json, const void *bytes, size_t len);
void json_uint(struct json_writer *json, uint64_t number);
void json_int(struct json_writer *json, int64_t number);
void json_boolean(struct json_writer *json, bool value);
void json_real(struct json_writer *json, double number);
/* A number in decimal, with any number of digits. */
void json_number(struct json_writer *json, const char *text);
void json_null(struct json_writer *json);
/* A name as a string, escaped as by json_member(). */
void json_name(struct json_writer *json, const char *name, size_t len,
	       unsigned int ordinal);

/* A member with a constant name, and its value. */
static inline void json_key_uint(struct json_writer *json, const char *name,
				 uint64_t number)
{
	json_key(json, name);
	json_uint(json, number);
}

static inline void json_key_string(struct json_writer *json, const char *name,
				   const char *text)
{
	json_key(json, name);
	json_string(json, text);
}

#endif /* _VITRINE_JSON_H */
