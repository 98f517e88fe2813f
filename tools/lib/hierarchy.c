// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build the tree of a snapshot, and free it.
 *
 * The scan (inspect_scan.c, inspect_refs.c) validates the whole file first. The code in
 * this file therefore trusts all sizes and indices of blocks.
 *
 * The time to build a tree is linear in the size of the file, except for two sorts. The
 * first sorts all names and assigns a rank to each. The second sorts the siblings of each
 * node by these ranks. Blocks are visited in the order of the file, which suits the cache.
 */
#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "hierarchy.h"
#include "inspect.h"

/* ---- Texts ------------------------------------------------------------- */

/* Append the bytes of a chain of extents to the arena. */
static void gather_extents(const struct vtr_scan *scan,
			   struct vitrine_hierarchy *hierarchy,
			   uint32_t index, uint32_t len)
{
	while (len) {
		uint32_t n = vtr_block_bytes(scan, index) -
			     INSPECT_EXTENT_PAYLOAD_OFFSET;

		if (n > len)
			n = len;
		memcpy(hierarchy->arena + hierarchy->arena_used,
		       scan->bytes + vtr_offset(index) +
		       INSPECT_EXTENT_PAYLOAD_OFFSET, n);
		hierarchy->arena_used += n;
		len -= n;
		index = vtr_field(vtr_word(scan, index, 0),
				  INSPECT_W0_EXTENT_NEXT);
	}
}

static void load_string_reference(const struct vtr_scan *scan,
				  struct vitrine_hierarchy *hierarchy,
				  struct vtr_text *text)
{
	const uint8_t *payload = scan->bytes + vtr_offset(text->index) +
				 INSPECT_STRREF_PAYLOAD_OFFSET;
	uint32_t room = vtr_block_bytes(scan, text->index) -
			INSPECT_STRREF_PAYLOAD_OFFSET;

	text->len = vtr_field(vtr_word(scan, text->index, 1),
			      INSPECT_W1_STRREF_LENGTH);
	if (text->len <= room) {
		text->bytes = (const char *)payload;
		return;
	}
	text->bytes = hierarchy->arena + hierarchy->arena_used;
	memcpy(hierarchy->arena + hierarchy->arena_used, payload, room);
	hierarchy->arena_used += room;
	gather_extents(scan, hierarchy,
		       vtr_field(vtr_word(scan, text->index, 0),
				 INSPECT_W0_STRREF_NEXT),
		       text->len - room);
}

static void load_texts(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy)
{
	uint32_t index;

	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		int type = vtr_type_at(scan, index);
		struct vtr_text *text = &hierarchy->texts[hierarchy->nr_texts];

		if (type != INSPECT_NAME && type != INSPECT_STRING_REFERENCE)
			continue;
		text->index = index;
		hierarchy->number[index] = ++hierarchy->nr_texts;
		if (type == INSPECT_STRING_REFERENCE) {
			load_string_reference(scan, hierarchy, text);
			continue;
		}
		text->bytes = (const char *)scan->bytes + vtr_offset(index) +
			      INSPECT_NAME_PAYLOAD_OFFSET;
		text->len = vtr_field(vtr_word(scan, index, 0),
				      INSPECT_W0_NAME_LENGTH);
	}
}

static int compare_texts(const void *a, const void *b)
{
	return vtr_text_compare(*(const struct vtr_text * const *)a,
				*(const struct vtr_text * const *)b);
}

static bool rank_names(struct vitrine_hierarchy *hierarchy)
{
	struct vtr_text **sorted = calloc(hierarchy->nr_texts + 1UL,
					  sizeof(*sorted));
	uint32_t i, nr = 0, rank = 0;

	if (!sorted)
		return false;
	for (i = 0; i < hierarchy->nr_texts; i++)
		if (hierarchy->texts[i].is_name)
			sorted[nr++] = &hierarchy->texts[i];
	qsort(sorted, nr, sizeof(*sorted), compare_texts);
	for (i = 0; i < nr; i++) {
		if (i && compare_texts(&sorted[i - 1], &sorted[i]))
			rank++;
		sorted[i]->rank = rank;
	}
	free(sorted);
	return true;
}

static struct vtr_text *text_at(const struct vitrine_hierarchy *hierarchy,
				uint32_t index)
{
	return &hierarchy->texts[hierarchy->number[index] - 1];
}

/* ---- Values ------------------------------------------------------------ */

static const struct vtr_text root_name = { .bytes = "root", .len = 4 };

static void value_set_text(struct vitrine_value *value, uint32_t index)
{
	const struct vtr_text *text = text_at(value->hierarchy, index);

	value->bytes = text->bytes;
	value->len = text->len;
}

static void load_buffer(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy,
			struct vitrine_value *value)
{
	unsigned int format = vtr_field(value->word, INSPECT_W1_BUFFER_FORMAT);
	uint32_t index = vtr_field(value->word, INSPECT_W1_BUFFER_EXTENT);

	value->type = format == INSPECT_BUFFER_BINARY ? VITRINE_BYTES :
							VITRINE_STRING;
	if (format == INSPECT_BUFFER_STRING_REFERENCE) {
		value_set_text(value, index);
		return;
	}
	value->len = vtr_field(value->word, INSPECT_W1_BUFFER_LENGTH);
	if (!value->len) {
		value->bytes = "";
	} else if (value->len <= vtr_block_bytes(scan, index) -
		   INSPECT_EXTENT_PAYLOAD_OFFSET) {
		value->bytes = scan->bytes + vtr_offset(index) +
			       INSPECT_EXTENT_PAYLOAD_OFFSET;
	} else {
		value->bytes = hierarchy->arena + hierarchy->arena_used;
		gather_extents(scan, hierarchy, index, value->len);
	}
}

static void load_value(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *value, int type)
{
	static const enum vitrine_type types[INSPECT_NR_TYPES] = {
		[INSPECT_NODE_VALUE]	= VITRINE_NODE,
		[INSPECT_INT_VALUE]	= VITRINE_INT,
		[INSPECT_UINT_VALUE]	= VITRINE_UINT,
		[INSPECT_DOUBLE_VALUE]	= VITRINE_DOUBLE,
		[INSPECT_BOOL_VALUE]	= VITRINE_BOOL,
		[INSPECT_ARRAY_VALUE]	= VITRINE_ARRAY,
		[INSPECT_LINK_VALUE]	= VITRINE_LINK,
	};

	value->word = vtr_word(scan, value->index, 1);
	value->type = types[type];
	switch (type) {
	case INSPECT_BUFFER_VALUE:
		load_buffer(scan, hierarchy, value);
		break;
	case INSPECT_LINK_VALUE:
		hierarchy->has_links = true;
		value_set_text(value, vtr_field(value->word,
						INSPECT_W1_LINK_CONTENT));
		break;
	}
}

static void load_root(struct vitrine_hierarchy *hierarchy)
{
	struct vitrine_value *root = &hierarchy->values[hierarchy->nr_values++];

	hierarchy->number[INSPECT_ROOT] = hierarchy->nr_values;
	root->hierarchy = hierarchy;
	root->index = INSPECT_ROOT;
	root->name = &root_name;
	root->type = VITRINE_NODE;
}

static void load_values(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy)
{
	uint32_t index;

	load_root(hierarchy);
	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		int type = vtr_type_at(scan, index);
		struct vitrine_value *value;
		struct vtr_text *name;

		if (!vtr_is_value(type))
			continue;
		name = text_at(hierarchy, vtr_field(vtr_word(scan, index, 0),
						    INSPECT_W0_VALUE_NAME));
		name->is_name = true;
		value = &hierarchy->values[hierarchy->nr_values++];
		hierarchy->number[index] = hierarchy->nr_values;
		value->hierarchy = hierarchy;
		value->index = index;
		value->name = name;
		load_value(scan, hierarchy, value, type);
	}
}

/* ---- Links between values ---------------------------------------------- */

/* Number of siblings from which on qsort() is used. */
#define MANY_SIBLINGS	32

static int compare_keys(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Sort keys, by insertion if there are few, which saves a call for each comparison. */
static void sort_keys(uint64_t *keys, size_t nr)
{
	size_t i, at;

	if (nr >= MANY_SIBLINGS) {
		qsort(keys, nr, sizeof(*keys), compare_keys);
		return;
	}
	for (i = 1; i < nr; i++) {
		uint64_t key = keys[i];

		for (at = i; at && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

static struct vitrine_value *value_of_key(struct vitrine_hierarchy *hierarchy,
					  uint64_t key)
{
	return &hierarchy->values[(uint32_t)key];
}

/* Sort children by name, and children of the same name by the order of their blocks. */
static void sort_children(struct vitrine_hierarchy *hierarchy,
			  struct vitrine_value *parent, uint64_t *keys)
{
	struct vitrine_value *value, *next = NULL;
	size_t nr = 0, i;

	for (value = parent->first_child; value; value = value->next)
		keys[nr++] = (uint64_t)value->name->rank << 32 |
			     (value - hierarchy->values);
	sort_keys(keys, nr);
	for (i = nr; i-- > 0; next = value) {
		value = value_of_key(hierarchy, keys[i]);
		value->next = next;
	}
	parent->first_child = next;
	for (i = 1; i < nr; i++)
		if (keys[i - 1] >> 32 == keys[i] >> 32)
			value_of_key(hierarchy, keys[i])->ordinal =
				value_of_key(hierarchy, keys[i - 1])->ordinal + 1;
}

/* Prepend a value to the children of its parent. */
static void link_value(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *value)
{
	uint32_t index = vtr_field(vtr_word(scan, value->index, 0),
				   INSPECT_W0_VALUE_PARENT);

	/* Children of a TOMBSTONE are not part of the tree. */
	if (!hierarchy->number[index])
		return;
	value->parent = &hierarchy->values[hierarchy->number[index] - 1];
	value->next = value->parent->first_child;
	value->parent->first_child = value;
}

/* Link all values to their parents, except the first value, which is the root. */
static bool link_values(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy)
{
	uint64_t *keys = calloc(hierarchy->nr_values, sizeof(*keys));
	uint32_t i;

	if (!keys)
		return false;
	for (i = hierarchy->nr_values; --i > 0;)
		link_value(scan, hierarchy, &hierarchy->values[i]);
	for (i = 0; i < hierarchy->nr_values; i++)
		if (hierarchy->values[i].first_child)
			sort_children(hierarchy, &hierarchy->values[i], keys);
	free(keys);
	return true;
}

static bool is_named_root(const struct vitrine_value *value)
{
	return value->name->len == root_name.len &&
	       !memcmp(value->name->bytes, root_name.bytes, root_name.len);
}

/*
 * Find the root, which is index 0. In older files, the only child of index 0 is a node
 * "root", which contains all other values; this node is the root then.
 */
static struct vitrine_value *find_root(struct vitrine_hierarchy *hierarchy)
{
	struct vitrine_value *root = hierarchy->values;
	struct vitrine_value *child = root->first_child;

	if (!child || child->next || child->type != VITRINE_NODE ||
	    !is_named_root(child))
		return root;
	child->parent = NULL;
	return child;
}

static struct vitrine_error *check_depth(const struct vitrine_hierarchy *hierarchy,
					 const char *path)
{
	const struct vitrine_value *value = hierarchy->first;
	unsigned int depth = 0;

	while (value) {
		if (value->first_child) {
			value = value->first_child;
			if (++depth >= VITRINE_MAX_DEPTH)
				return vitrine_error_create(EBADMSG, path,
							    vitrine_value_offset(value),
							    NULL,
							    "the tree is more than %d levels deep",
							    VITRINE_MAX_DEPTH);
			continue;
		}
		while (value && !value->next) {
			value = value->parent;
			depth--;
		}
		if (value)
			value = value->next;
	}
	return NULL;
}

/* ---- Creation and destruction ------------------------------------------ */

static bool allocate(const struct vtr_scan *scan,
		     struct vitrine_hierarchy *hierarchy)
{
	hierarchy->number = calloc(scan->nr_units, sizeof(*hierarchy->number));
	/* One more, for the root. */
	hierarchy->values = calloc(scan->nr_values + 1UL,
				   sizeof(*hierarchy->values));
	/* One more, because calloc(0) may return NULL. */
	hierarchy->texts = calloc(scan->nr_texts + 1UL,
				  sizeof(*hierarchy->texts));
	hierarchy->arena = malloc(scan->chained_bytes + 1);
	return hierarchy->number && hierarchy->values && hierarchy->texts &&
	       hierarchy->arena;
}

static struct vitrine_error *build(const struct vtr_scan *scan,
				   struct vitrine_hierarchy **ret)
{
	struct vitrine_hierarchy *hierarchy = calloc(1, sizeof(*hierarchy));
	struct vitrine_error *err;

	if (!hierarchy)
		return vtr_error_no_memory();
	hierarchy->bytes = scan->bytes;
	hierarchy->version = scan->version;
	hierarchy->nr_units = scan->nr_units;
	err = vtr_error_no_memory();
	if (!allocate(scan, hierarchy))
		goto err_destroy;
	load_texts(scan, hierarchy);
	load_values(scan, hierarchy);
	if (!rank_names(hierarchy) || !link_values(scan, hierarchy))
		goto err_destroy;
	hierarchy->first = find_root(hierarchy);
	err = check_depth(hierarchy, scan->path);
	if (err)
		goto err_destroy;
	*ret = hierarchy;
	return NULL;

err_destroy:
	vitrine_hierarchy_destroy(hierarchy);
	return err;
}

/**
 * vitrine_hierarchy_create() - validate a snapshot and build its tree
 * @snapshot: snapshot; must outlive the hierarchy and must not be refreshed meanwhile
 * @ret: the hierarchy
 *
 * Faults with which the file is readable are ignored; vitrine_inspect_check() reports them.
 *
 * Return: NULL, or an error: EBADMSG, with the offset, if the file is not readable,
 * EPROTONOSUPPORT for an unknown version, ENOMEM.
 */
struct vitrine_error *
vitrine_hierarchy_create(const struct vitrine_snapshot *snapshot,
			 struct vitrine_hierarchy **ret)
{
	struct vtr_scan scan = { .path = vitrine_snapshot_path(snapshot) };
	struct vitrine_error *err;
	const void *bytes;
	size_t len;

	bytes = vitrine_snapshot_bytes(snapshot, &len);
	err = vtr_scan_init(&scan, bytes, len);
	if (err)
		return err;
	vtr_scan_strings(&scan);
	vtr_scan_parents(&scan);
	if (scan.err) {
		err = scan.err;
		scan.err = NULL;
	} else {
		err = build(&scan, ret);
	}
	vtr_scan_deinit(&scan);
	return err;
}

/**
 * vtr_linked_destroy() - free a linked tree
 * @linked: tree
 */
void vtr_linked_destroy(struct vtr_linked *linked)
{
	vitrine_hierarchy_destroy(linked->hierarchy);
	vitrine_snapshot_destroy(linked->snapshot);
	free(linked);
}

/* Free the linked trees and errors of vitrine_hierarchy_follow_links(). */
static void links_destroy(struct vitrine_hierarchy *hierarchy)
{
	struct vtr_linked *linked, *next;
	unsigned int i;

	for (linked = hierarchy->linked; linked; linked = next) {
		next = linked->next;
		vtr_linked_destroy(linked);
	}
	for (i = 0; i < hierarchy->nr_link_errors; i++)
		vitrine_error_destroy(hierarchy->link_errors[i]);
	free(hierarchy->link_errors);
}

/**
 * vitrine_hierarchy_destroy() - free a hierarchy and all its values
 * @hierarchy: hierarchy, or NULL
 */
void vitrine_hierarchy_destroy(struct vitrine_hierarchy *hierarchy)
{
	if (!hierarchy)
		return;
	links_destroy(hierarchy);
	free(hierarchy->number);
	free(hierarchy->values);
	free(hierarchy->texts);
	free(hierarchy->arena);
	free(hierarchy);
}

/**
 * vitrine_hierarchy_version() - return the version of the Inspect format
 * @hierarchy: hierarchy
 *
 * Return: 0, 1 or 2.
 */
unsigned int vitrine_hierarchy_version(const struct vitrine_hierarchy *hierarchy)
{
	return hierarchy->version;
}

/**
 * vitrine_hierarchy_first() - return the root of a tree
 * @hierarchy: hierarchy
 *
 * Return: the root, a node that is always called "root"; NULL if a filter has dropped all
 * values.
 */
const struct vitrine_value *
vitrine_hierarchy_first(const struct vitrine_hierarchy *hierarchy)
{
	return hierarchy->first;
}
