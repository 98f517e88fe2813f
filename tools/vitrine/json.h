/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as JSON; the schema is in Documentation/json.rst.
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

/* A whole tree as one object. */
void json_hierarchy(struct json_writer *json,
		    const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_JSON_H */
