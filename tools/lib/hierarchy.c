// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build the tree of a snapshot.
 *
 * The scan (inspect_scan.c, inspect_refs.c) has found everything in order
 * before the first pointer is made, so nothing is checked twice here. What it
 * takes is linear in the file's size, but for two sorts: of all texts, so that
 * names then compare as numbers, and of all values, into siblings by name.
 */
#include <errno.h>
#include <stdlib.h>

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

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compare the numbers that begin at *a_at and *b_at, and step over them. */
static int compare_numbers(const struct vtr_text *a, uint32_t *a_at,
			   const struct vtr_text *b, uint32_t *b_at)
{
	uint32_t a_start, b_start;

	while (*a_at < a->len && a->bytes[*a_at] == '0')
		++*a_at;
	while (*b_at < b->len && b->bytes[*b_at] == '0')
		++*b_at;
	a_start = *a_at;
	b_start = *b_at;
	while (*a_at < a->len && is_digit(a->bytes[*a_at]))
		++*a_at;
	while (*b_at < b->len && is_digit(b->bytes[*b_at]))
		++*b_at;
	if (*a_at - a_start != *b_at - b_start)
		return *a_at - a_start < *b_at - b_start ? -1 : 1;
	return memcmp(a->bytes + a_start, b->bytes + b_start, *a_at - a_start);
}

/* Bytes in order, but numbers in them by value: cpu2 before cpu10. */
static int compare_natural(const struct vtr_text *a, const struct vtr_text *b)
{
	uint32_t a_at = 0, b_at = 0;

	while (a_at < a->len && b_at < b->len) {
		unsigned char a_byte = a->bytes[a_at];
		unsigned char b_byte = b->bytes[b_at];
		int order;

		if (is_digit(a_byte) && is_digit(b_byte)) {
			order = compare_numbers(a, &a_at, b, &b_at);
			if (order)
				return order;
			continue;
		}
		if (a_byte != b_byte)
			return a_byte < b_byte ? -1 : 1;
		a_at++;
		b_at++;
	}
	return (a_at < a->len) - (b_at < b->len);
}

/**
 * vtr_text_compare() - natural order made total
 * @a: text
 * @b: text
 *
 * Return: less than, greater than, or, for the same bytes only, 0.
 */
int vtr_text_compare(const struct vtr_text *a, const struct vtr_text *b)
{
	int order = compare_natural(a, b);

	if (order)
		return order;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->len);
}

static int compare_texts(const void *a, const void *b)
{
	return vtr_text_compare(*(const struct vtr_text * const *)a,
				*(const struct vtr_text * const *)b);
}

static bool rank_texts(struct vitrine_hierarchy *hierarchy)
{
	struct vtr_text **sorted;
	uint32_t i, rank = 0;

	if (!hierarchy->nr_texts)
		return true;
	sorted = calloc(hierarchy->nr_texts, sizeof(*sorted));
	if (!sorted)
		return false;
	for (i = 0; i < hierarchy->nr_texts; i++)
		sorted[i] = &hierarchy->texts[i];
	qsort(sorted, hierarchy->nr_texts, sizeof(*sorted), compare_texts);
	for (i = 0; i < hierarchy->nr_texts; i++) {
		if (i && compare_texts(&sorted[i - 1], &sorted[i]))
			rank++;
		sorted[i]->rank = rank;
	}
	free(sorted);
	return true;
}

static const struct vtr_text *
text_at(const struct vitrine_hierarchy *hierarchy, uint32_t index)
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
	value->word = vtr_word(scan, value->index, 1);
	switch (type) {
	case INSPECT_NODE_VALUE:
		value->type = VITRINE_NODE;
		break;
	case INSPECT_INT_VALUE:
		value->type = VITRINE_INT;
		break;
	case INSPECT_UINT_VALUE:
		value->type = VITRINE_UINT;
		break;
	case INSPECT_DOUBLE_VALUE:
		value->type = VITRINE_DOUBLE;
		break;
	case INSPECT_BOOL_VALUE:
		value->type = VITRINE_BOOL;
		break;
	case INSPECT_ARRAY_VALUE:
		value->type = VITRINE_ARRAY;
		break;
	case INSPECT_BUFFER_VALUE:
		load_buffer(scan, hierarchy, value);
		break;
	case INSPECT_LINK_VALUE:
		value->type = VITRINE_LINK;
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

		if (!vtr_is_value(type))
			continue;
		value = &hierarchy->values[hierarchy->nr_values++];
		hierarchy->number[index] = hierarchy->nr_values;
		value->hierarchy = hierarchy;
		value->index = index;
		value->name = text_at(hierarchy,
				      vtr_field(vtr_word(scan, index, 0),
						INSPECT_W0_VALUE_NAME));
		load_value(scan, hierarchy, value, type);
	}
}

/* ---- Links between values ---------------------------------------------- */

/* Numbers of the values by name, of one name in the order of their blocks. */
static uint32_t *sort_values(const struct vitrine_hierarchy *hierarchy)
{
	uint32_t *sorted = calloc(hierarchy->nr_values + 1UL, sizeof(*sorted));
	uint32_t *ends = calloc(hierarchy->nr_texts + 1UL, sizeof(*ends));
	uint32_t i;

	if (sorted && ends) {
		for (i = 0; i < hierarchy->nr_values; i++)
			ends[hierarchy->values[i].name->rank]++;
		for (i = 1; i < hierarchy->nr_texts; i++)
			ends[i] += ends[i - 1];
		for (i = hierarchy->nr_values; i-- > 0;)
			sorted[--ends[hierarchy->values[i].name->rank]] = i;
	} else {
		free(sorted);
		sorted = NULL;
	}
	free(ends);
	return sorted;
}

/* Put a value before its siblings that are in their places already. */
static void link_value(const struct vtr_scan *scan,
		       struct vitrine_hierarchy *hierarchy,
		       struct vitrine_value *value)
{
	uint32_t index = vtr_field(vtr_word(scan, value->index, 0),
				   INSPECT_W0_VALUE_PARENT);

	/* Children of a TOMBSTONE have no place in the tree. */
	if (!hierarchy->number[index])
		return;
	value->parent = &hierarchy->values[hierarchy->number[index] - 1];
	value->next = value->parent->first_child;
	value->parent->first_child = value;
}

/* The first value is the root, which is linked to none. */
static bool link_values(const struct vtr_scan *scan,
			struct vitrine_hierarchy *hierarchy)
{
	uint32_t *sorted = sort_values(hierarchy), i;

	if (!sorted)
		return false;
	for (i = hierarchy->nr_values; i-- > 0;)
		if (sorted[i])
			link_value(scan, hierarchy,
				   &hierarchy->values[sorted[i]]);
	for (i = 0; i < hierarchy->nr_values; i++) {
		struct vitrine_value *value = &hierarchy->values[sorted[i]];

		if (value->next && value->next->name->rank == value->name->rank)
			value->next->ordinal = value->ordinal + 1;
	}
	free(sorted);
	return true;
}

static bool is_named_root(const struct vitrine_value *value)
{
	return value->name->len == root_name.len &&
	       !memcmp(value->name->bytes, root_name.bytes, root_name.len);
}

/*
 * Index 0 is the root. Older files have a node "root" below it, alone, and
 * everything else below that node.
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

/* ---- All together ------------------------------------------------------ */

static bool allocate(const struct vtr_scan *scan,
		     struct vitrine_hierarchy *hierarchy)
{
	hierarchy->number = calloc(scan->nr_units, sizeof(*hierarchy->number));
	/* One more, for the root. */
	hierarchy->values = calloc(scan->nr_values + 1UL,
				   sizeof(*hierarchy->values));
	/* One more than may be needed: none must not mean NULL. */
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
	if (!rank_texts(hierarchy))
		goto err_destroy;
	load_values(scan, hierarchy);
	if (!link_values(scan, hierarchy))
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
 * @snapshot: snapshot; must outlive the hierarchy, and not be refreshed
 * @ret: the hierarchy
 *
 * Faults that hide nothing are passed over: vitrine_inspect_check() has those.
 *
 * Return: NULL, or an error: EBADMSG, with the offset, for what cannot be read;
 * EPROTONOSUPPORT for a version not known; ENOMEM.
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
 * vitrine_hierarchy_destroy() - free a hierarchy and all its values
 * @hierarchy: hierarchy, or NULL
 */
void vitrine_hierarchy_destroy(struct vitrine_hierarchy *hierarchy)
{
	if (!hierarchy)
		return;
	vtr_links_destroy(hierarchy);
	free(hierarchy->number);
	free(hierarchy->values);
	free(hierarchy->texts);
	free(hierarchy->arena);
	free(hierarchy);
}

/**
 * vitrine_hierarchy_version() - the version of the format
 * @hierarchy: hierarchy
 *
 * Return: 0, 1 or 2.
 */
unsigned int vitrine_hierarchy_version(const struct vitrine_hierarchy *hierarchy)
{
	return hierarchy->version;
}

/**
 * vitrine_hierarchy_first() - the value on top
 * @hierarchy: hierarchy
 *
 * Return: the root, a node called "root" whatever the file; NULL only if a
 * filter has left nothing.
 */
const struct vitrine_value *
vitrine_hierarchy_first(const struct vitrine_hierarchy *hierarchy)
{
	return hierarchy->first;
}
