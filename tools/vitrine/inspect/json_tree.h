/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as JSON; the schema is in Documentation/json.rst.
 */
#ifndef _VITRINE_JSON_TREE_H
#define _VITRINE_JSON_TREE_H

#include "ui/json.h"
#include "vitrine.h"

/* Write a value; write a whole tree as one object. */
void json_value(struct json_writer *json, const struct vitrine_value *value);
void json_hierarchy(struct json_writer *json,
		    const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_JSON_TREE_H */
