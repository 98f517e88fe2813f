/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON: numbers, texts, objects and arrays; the schema of what the
 * command prints is in Documentation/json.rst. Trees are in json_tree.h.
 */
#ifndef _VITRINE_JSON_H
#define _VITRINE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "line.h"

/**
 * struct json_writer - JSON being written
 * @out: where to
 * @pretty: one member a line, indented; else all in one line
 * @empty: nothing is in the object or array yet that was begun last
 * @row: an array that stays in one line is open
 * @depth: objects and arrays that are open
 */
struct json_writer {
	struct line_output out;
	bool pretty;
	bool empty;
	bool row;
	unsigned int depth;
};

void json_init(struct json_writer *json, FILE *stream, bool pretty);
/* Pass on to the stream what is still in the buffer. */
void json_flush(struct json_writer *json);
/* End the line; and with json_finish() pass it on. */
void json_newline(struct json_writer *json);
void json_finish(struct json_writer *json);

/* Begin a line of its own in indented text. */
void json_indent(struct json_writer *json);

/* An array: begin, an item each time before what it is, end. */
void json_begin_list(struct json_writer *json);
/* Begin an array of plain values, which stays in one line. */
void json_begin_row(struct json_writer *json);
void json_end_list(struct json_writer *json);

/* What goes before an item of an array, or a member of an object. */
static inline void json_item(struct json_writer *json)
{
	line_room(&json->out);
	if (!json->empty)
		line_put_char(&json->out, ',');
	if (json->pretty)
		json_indent(json);
	json->empty = false;
}

/* An object: begin, then a name and a value each time, end. */
void json_begin(struct json_writer *json);
void json_member(struct json_writer *json, const char *name, size_t len,
		 unsigned int ordinal);
void json_end(struct json_writer *json);

/* A name known here, which needs no escape: inline, so its length is known. */
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

/* Values. What is no UTF-8 is written as bytes. */
void json_string(struct json_writer *json, const char *text);
void json_text(struct json_writer *json, const char *bytes, size_t len);
void json_bytes(struct json_writer *json, const void *bytes, size_t len);
void json_uint(struct json_writer *json, uint64_t number);
void json_int(struct json_writer *json, int64_t number);
void json_boolean(struct json_writer *json, bool value);
void json_real(struct json_writer *json, double number);
/* A number in decimal, of any length. */
void json_number(struct json_writer *json, const char *text);
void json_null(struct json_writer *json);
/* A name as a string, as json_member() would write it. */
void json_name(struct json_writer *json, const char *name, size_t len,
	       unsigned int ordinal);

/* A member of a name known here, and its value. */
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
