/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of an Inspect file: hierarchy.c builds it from a snapshot and adds linked trees;
 * value.c reads it, and drops values.
 *
 * While a tree is built or changed, only one thread may use it. Afterwards any number of
 * threads may read it.
 */
#ifndef _VITRINE_LIB_VALUE_H
#define _VITRINE_LIB_VALUE_H

#include "vitrine.h"

/**
 * struct vtr_text - a name or string, as contiguous bytes
 * @bytes: the bytes, in the snapshot or in the arena of the hierarchy
 * @len: number of bytes
 * @rank: position of a name among all names of the file in natural order; equal names
 *	have equal ranks
 * @is_name: the text is the name of a value
 */
struct vtr_text {
	const char *bytes;
	uint32_t len;
	uint32_t rank;
	bool is_name;
};

/**
 * struct vitrine_value - a node or property
 * @hierarchy: tree of the value
 * @parent: parent node, NULL for the root
 * @first_child: first child of a node
 * @next: next sibling, in natural order of names
 * @name: name of the value
 * @bytes: content of a string, byte vector or link
 * @word: second word of the block, for numbers, bools, arrays and links
 * @len: length of @bytes
 * @index: index of the block
 * @ordinal: number of preceding siblings with the same name
 * @type: enum vitrine_type
 * @link_error: for a link that could not be followed, 1 + its index in link_errors of
 *	@hierarchy, else 0
 */
struct vitrine_value {
	const struct vitrine_hierarchy *hierarchy;
	struct vitrine_value *parent;
	struct vitrine_value *first_child;
	struct vitrine_value *next;
	const struct vtr_text *name;
	const void *bytes;
	uint64_t word;
	uint32_t len;
	uint32_t index;
	uint32_t ordinal;
	uint8_t type;
	uint16_t link_error;
};

/**
 * struct vitrine_hierarchy - see vitrine_hierarchy_create()
 * @bytes: bytes of the snapshot
 * @version: version of the Inspect format
 * @number: for each unit of 16 bytes, 1 + the index in @values or @texts of the block that
 *	starts there, or 0
 * @values: nodes and properties, in the order of their blocks; the first one is the root,
 *	index 0
 * @nr_values: number of @values
 * @texts: names and strings, in the order of their blocks
 * @nr_texts: number of @texts
 * @arena: bytes of values that span several blocks
 * @arena_used: number of bytes of @arena in use
 * @first: the root, which in an older file is a node "root" below index 0; NULL if a
 *	filter has dropped all values
 * @has_links: the tree has links, or had links before they were followed
 * @linked: trees to which the links lead
 * @link_errors: reasons why links could not be followed
 * @nr_link_errors: number of @link_errors, at most 1025; see hierarchy.c
 * @too_many_links: 1 + the index of the error for links beyond the limit, or 0
 */
struct vitrine_hierarchy {
	const uint8_t *bytes;
	unsigned int version;
	uint32_t *number;
	struct vitrine_value *values;
	uint32_t nr_values;
	struct vtr_text *texts;
	uint32_t nr_texts;
	char *arena;
	size_t arena_used;
	struct vitrine_value *first;
	bool has_links;
	struct vtr_linked *linked;
	struct vitrine_error **link_errors;
	uint16_t nr_link_errors;
	uint16_t too_many_links;
};

/**
 * struct vtr_linked - a tree that a link leads to
 * @next: next linked tree of the same hierarchy
 * @snapshot: snapshot of the linked tree
 * @hierarchy: values of the linked tree
 */
struct vtr_linked {
	struct vtr_linked *next;
	struct vitrine_snapshot *snapshot;
	struct vitrine_hierarchy *hierarchy;
};

/**
 * struct vtr_number - a number of a tree
 * @type: VITRINE_INT, VITRINE_UINT, VITRINE_DOUBLE or VITRINE_BOOL; a later type is that of a
 *	value that is not a number
 * @i: a VITRINE_INT
 * @u: a VITRINE_UINT or VITRINE_BOOL; of every number, the bits, which tell whether two of
 *	one type are equal
 * @real: a VITRINE_DOUBLE
 */
struct vtr_number {
	enum vitrine_type type;
	union {
		int64_t i;
		uint64_t u;
		double real;
	};
};

int vtr_text_compare(const struct vtr_text *a, const struct vtr_text *b);

/* Return the number or the bytes of a property, or of slot @slot of an array. */
struct vtr_number vtr_value_number(const struct vitrine_value *value, unsigned int slot);
const char *vtr_value_text(const struct vitrine_value *value, unsigned int slot,
			   size_t *ret_len);

/* Return the value after @value in a walk over the whole tree, parents first; NULL at its end. */
const struct vitrine_value *vtr_value_after(const struct vitrine_value *value);

bool vtr_value_is_named(const struct vitrine_value *value, const char *name);

#endif /* _VITRINE_LIB_VALUE_H */
