/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees and more as JSON; the schema is in Documentation/json.rst.
 */
#ifndef _VITRINE_JSON_H
#define _VITRINE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "vitrine.h"

/**
 * struct json_writer - where JSON goes and how
 * @stream: where
 * @pretty: one member a line, indented; else all in one line
 * @depth: of indentation
 * @failed: out of memory: what has been written is not whole
 */
struct json_writer {
	FILE *stream;
	bool pretty;
	unsigned int depth;
	bool failed;
};

/* An object: begin, members, end. @first: none has been written before. */
void json_begin(struct json_writer *json);
void json_member(struct json_writer *json, bool first, const char *name,
		 size_t len, unsigned int ordinal);
void json_end(struct json_writer *json, bool empty);

/* An array: begin, an item each time before what it is, end. */
void json_begin_list(struct json_writer *json);
void json_item(struct json_writer *json, bool first);
void json_end_list(struct json_writer *json, bool empty);

void json_string(struct json_writer *json, const char *text);
void json_text(struct json_writer *json, const char *bytes, size_t len);
void json_uint(struct json_writer *json, uint64_t number);
void json_int(struct json_writer *json, int64_t number);
void json_boolean(struct json_writer *json, bool value);
void json_real(struct json_writer *json, double number);
/* A number in decimal, of any length. */
void json_number(struct json_writer *json, const char *text);
void json_null(struct json_writer *json);

/* A value's name as a member would be called; a value. */
void json_name(struct json_writer *json, const struct vitrine_value *value);
void json_value(struct json_writer *json, const struct vitrine_value *value);

/* A whole tree as one object. */
void json_hierarchy(struct json_writer *json,
		    const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_JSON_H */
