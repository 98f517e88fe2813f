/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A struct as an object of JSON, by a table of its members, which ends with an empty field. The
 * macros take the type of a member from its declaration in ROW, the struct that the table is about:
 *
 *	#define ROW struct top_cpu
 *	static const struct field cpu_fields[] = {
 *		FIELD_AS("cpu", number), FIELD(busy_ns), { 0 }
 *	};
 */
#ifndef _VITRINE_FIELDS_H
#define _VITRINE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

enum field_type {
	FIELD_UINT,
	FIELD_BOOL,
	FIELD_REAL,
	FIELD_STRING,
	FIELD_NAME,
	FIELD_OTHER,
	FIELD_OBJECT,
	FIELD_ARRAY,
	FIELD_POINTER,
};

/* Write the value of a member. */
typedef void field_write(const void *value);

/**
 * struct field - a member of an object of JSON
 * @key: its name; NULL: end of the table
 * @type: type of its value; FIELD_POINTER: a list whose items are elsewhere
 * @at: offset in the struct
 * @size: size of the value, or of an item of a list
 * @when: offset of a value without which the member is left out: 0, false or NULL; of a list,
 *	offset of the number of its items
 * @when_size: size of that value; 0: the member is always written
 * @fields: of FIELD_OBJECT and of items: their members
 * @names: of FIELD_NAME, an enum: the names of its values
 * @write: of FIELD_OTHER: writes the value
 */
struct field {
	const char *key;
	enum field_type type;
	uint32_t at;
	uint32_t size;
	uint32_t when;
	uint32_t when_size;
	union {
		const struct field *fields;
		const char * const *names;
		field_write *write;
	};
};

#define FIELD_MEMBER(member)	(((ROW *)NULL)->member)

/* An array, or a member of another type, does not compile. */
#define FIELD_TYPE(member) _Generic(&FIELD_MEMBER(member),				\
	uint8_t *: FIELD_UINT, uint32_t *: FIELD_UINT, uint64_t *: FIELD_UINT,		\
	bool *: FIELD_BOOL, double *: FIELD_REAL,					\
	char **: FIELD_STRING, const char **: FIELD_STRING)

#define FIELD_LIST_TYPE(member)								\
	(__builtin_types_compatible_p(__typeof__(FIELD_MEMBER(member)),			\
				      __typeof__(&FIELD_MEMBER(member)[0])) ?		\
	 FIELD_POINTER : FIELD_ARRAY)

/* The last argument of a macro below: leave the member out if another one is 0. */
#define FIELD_IF(member) \
	.when = offsetof(ROW, member), .when_size = sizeof(FIELD_MEMBER(member))

#define FIELD_OF(field_type, name, member, ...) \
	{ .key = (name), .type = (field_type), .at = offsetof(ROW, member), \
	  .size = sizeof(FIELD_MEMBER(member)), ## __VA_ARGS__ }

/* A number, a boolean or a string, which is called as in the struct, or otherwise. */
#define FIELD(member) \
	FIELD_AS(#member, member)
#define FIELD_AS(name, member, ...) \
	FIELD_OF(FIELD_TYPE(member), name, member, ## __VA_ARGS__)
/* The name of an enum's value. */
#define FIELD_WORD(name, member, words, ...) \
	FIELD_OF(FIELD_NAME, name, member, .names = (words), ## __VA_ARGS__)
/* What a function writes. */
#define FIELD_BY(name, member, function, ...) \
	FIELD_OF(FIELD_OTHER, name, member, .write = (function), ## __VA_ARGS__)
/* A struct in the struct. */
#define FIELD_STRUCT(name, member, table, ...) \
	FIELD_OF(FIELD_OBJECT, name, member, .fields = (table), ## __VA_ARGS__)
/* An array of structs, or a pointer to one; and how many there are. */
#define FIELD_LIST(name, member, nr, table) \
	{ .key = (name), .type = FIELD_LIST_TYPE(member), .at = offsetof(ROW, member), \
	  .size = sizeof(FIELD_MEMBER(member)[0]), FIELD_IF(nr), .fields = (table) }

void fields_members(const struct field *fields, const void *row);
void fields_put(const struct field *fields, const void *row);
void fields_print(const struct field *fields, const void *row);

#endif /* _VITRINE_FIELDS_H */
