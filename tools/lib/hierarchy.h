/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of a snapshot: hierarchy.c builds it, links.c and filter.c change
 * it, value.c answers for it.
 */
#ifndef _VITRINE_LIB_HIERARCHY_H
#define _VITRINE_LIB_HIERARCHY_H

#include "vitrine.h"

/**
 * struct vtr_text - a name or string, in one piece
 * @bytes: in the snapshot, or in the hierarchy's arena
 * @len: how many
 * @index: block it comes from
 * @rank: place among all texts of the file, in natural order; same bytes,
 *	same rank
 */
struct vtr_text {
	const char *bytes;
	uint32_t len;
	uint32_t index;
	uint32_t rank;
};

/**
 * struct vitrine_value - a node or property
 * @hierarchy: it belongs to
 * @parent: node above, NULL for the root
 * @first_child: of a node
 * @next: sibling, in natural order of names
 * @name: its name
 * @bytes: of a string, byte vector or link
 * @word: of a number, bool, array or link: the block's second word
 * @len: of @bytes
 * @index: block
 * @ordinal: how many siblings before it have the same name
 * @type: enum vitrine_type
 * @link_error: of a link: 1 + the number in @hierarchy's of why it could not be
 *	followed, or 0
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
 * @bytes: the snapshot's
 * @version: of the format
 * @number: per unit of 16 bytes, 1 + the number of the value or text whose
 *	block starts there
 * @nr_units: length of @number
 * @values: nodes and properties, in the order of their blocks; the first, of
 *	index 0, is the root
 * @nr_values: how many
 * @texts: names and strings, in the order of their blocks
 * @nr_texts: how many
 * @arena: bytes of values that span several blocks
 * @arena_used: how much of it is taken
 * @first: the root, which in an older file is a node "root" below index 0;
 *	NULL if a filter has left nothing
 * @linked: trees its links lead to
 * @link_errors: why links could not be followed
 * @nr_link_errors: how many, at most 1025: see links.c
 * @too_many_links: the number of the one for links beyond the limit, or 0
 */
struct vitrine_hierarchy {
	const uint8_t *bytes;
	unsigned int version;
	uint32_t *number;
	uint32_t nr_units;
	struct vitrine_value *values;
	uint32_t nr_values;
	struct vtr_text *texts;
	uint32_t nr_texts;
	char *arena;
	size_t arena_used;
	struct vitrine_value *first;
	struct vtr_linked *linked;
	struct vitrine_error **link_errors;
	uint16_t nr_link_errors;
	uint16_t too_many_links;
};

/* Natural order; 0 for the same bytes only. */
int vtr_text_compare(const struct vtr_text *a, const struct vtr_text *b);

void vtr_links_destroy(struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_LIB_HIERARCHY_H */
