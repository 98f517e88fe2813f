/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random walks through the public interface, beside a model: one thread with a fixed and
 * with a random seed, and one thread on each of four CPUs in the same tree. Each thread
 * compares the value that it has just changed, and periodically all of its values; while
 * all threads are stopped the whole tree is checked against the format.
 *
 * A part of inspect_kunit.c, which includes it after the helpers of both. The threads
 * do not belong to KUnit, so they count failures instead of reporting them.
 */
#ifndef _VTR_TESTS_INSPECT_WALK_H
#define _VTR_TESTS_INSPECT_WALK_H

#include <linux/completion.h>

#include "inspect/array.h"

#define WALK_CALLS		1000000U
#define WALK_CHECKS		400U	/* of the whole tree */
#define WALK_THREADS		4
#define WALK_VALUES		96U	/* of a thread's model */
#define WALK_SLOTS		6U	/* of an array; buckets of a histogram */
#define WALK_TEXT_MAX		3000U	/* bytes: two extents */
#define WALK_LIMIT_BYTES	(12U << 10) /* small enough to be full at times */
#define WALK_ITEMS		3U	/* most in a list */
#define WALK_RECORDS		4U	/* most in one of them */

enum walk_op {
	WALK_CREATE,
	WALK_RECORD,
	WALK_CHANGE,
};

/**
 * struct walk_value - a value of the model
 * @kind: kind of value, NULL while the slot is empty
 * @handle: handle of the value
 * @parent: number of the parent node, 0 for the node of the thread
 * @nr_children: number of values whose @parent this is
 * @deleted: a node that was deleted before its children
 * @recorded: recorded in its node, and deleted with it
 * @name: number of the name
 * @len: bytes of a string or byte vector, slots of an array, items of a list
 * @words: contents of the slots; words[0] is the value of a number, the first bytes of
 *	a buffer, or the number of the text of a link
 * @list: for a list, its items, oldest first, and how much is recorded in each
 */
struct walk_value {
	const struct walk_kind	*kind;
	void			*handle;
	u32			parent;
	u32			nr_children;
	bool			deleted;
	bool			recorded;
	u32			name;
	u32			len;
	u64			words[WALK_SLOTS + 5];
	struct {
		u32		capacity;
		u32		nr_appended;
		u64		*items[WALK_ITEMS];
		u32		nr_records[WALK_ITEMS];
	} list;
};

struct walk_thread {
	struct vitrine_tree	*tree;
	struct random		random;
	u32			nr_calls;
	unsigned long		nr_wrong;
	unsigned long		nr_refused;
	unsigned long		nr_cycles;
	struct completion	done;
	char			text[WALK_TEXT_MAX + 1];
	struct walk_value	values[WALK_VALUES];
};

/**
 * struct walk_kind - how values of one type are created and changed
 * @type: type of the block
 * @call: makes the call and, if it has an effect, the same change to the model
 * @matches: checks whether the block has the value of the model
 * @can_record: values of this kind can be recorded
 */
struct walk_kind {
	enum inspect_type type;
	void (*call)(struct walk_thread *wt, struct walk_value *v,
		     enum walk_op op, struct vitrine_node *parent,
		     const char *name);
	bool (*matches)(struct walk_thread *wt, const struct walk_value *v);
	bool can_record;
};

static u32 walk_below(struct walk_thread *wt, u32 limit)
{
	return random_below(&wt->random, limit);
}

/* Forty names, more than one of each length, some shared by all threads. */
static const char *walk_name(u32 name, char *buf)
{
	snprintf(buf, 64, "%.*s%u", (int)(name % 37),
		 "a name that is as long as that number", name);
	return buf;
}

static const char *walk_text(struct walk_thread *wt, u32 len, u64 first)
{
	u32 i;

	for (i = 0; i < len; i++)
		wt->text[i] = 'a' + (first + i) % 26;
	wt->text[len] = '\0';
	return wt->text;
}

/* Numbers */

#define WALK_NUMBER(what, set_it, add_it, sum)				\
static void walk_##what(struct walk_thread *wt, struct walk_value *v,	\
			enum walk_op op, struct vitrine_node *parent,	\
			const char *name)				\
{									\
	u64 bits = random_u64(&wt->random);				\
									\
	if (op == WALK_CREATE) {					\
		v->handle = vitrine_##what##_create(parent, name, bits);\
		v->words[0] = bits;					\
	} else if (op == WALK_RECORD) {					\
		vitrine_record_##what(parent, name, bits);		\
		v->words[0] = bits;					\
	} else if (walk_below(wt, 2)) {					\
		set_it(v->handle, bits);				\
		v->words[0] = bits;					\
	} else {							\
		add_it(v->handle, bits);				\
		v->words[0] = sum(v->words[0], bits);			\
	}								\
}

#define WALK_PLUS(a, b)		((a) + (b))
#define WALK_MINUS(a, b)	((a) - (b))

/* A double is set only; there is no sum. */
static u64 walk_second(u64 before, u64 value)
{
	return value;
}

WALK_NUMBER(int, vitrine_int_set, vitrine_int_add, WALK_PLUS)
WALK_NUMBER(uint, vitrine_uint_set, vitrine_uint_sub, WALK_MINUS)
WALK_NUMBER(double, vitrine_double_set, vitrine_double_set, walk_second)

static void walk_bool(struct walk_thread *wt, struct walk_value *v,
		      enum walk_op op, struct vitrine_node *parent,
		      const char *name)
{
	v->words[0] = walk_below(wt, 2);
	if (op == WALK_CREATE)
		v->handle = vitrine_bool_create(parent, name, v->words[0]);
	else if (op == WALK_RECORD)
		vitrine_record_bool(parent, name, v->words[0]);
	else
		vitrine_bool_set(v->handle, v->words[0]);
}

static bool walk_number_matches(struct walk_thread *wt,
				const struct walk_value *v)
{
	return bits_of(v->handle) == v->words[0];
}

/* Strings and byte vectors */

/* Update the model of a buffer, unless the tree is full and the old value stays. */
static void walk_buffer_changed(struct walk_value *v, u32 len, u64 first)
{
	u64 word = bits_of(v->handle);

	if ((u32)word != len && (u32)word == v->len)
		return;
	v->len = len;
	v->words[0] = first;
}

static void walk_string(struct walk_thread *wt, struct walk_value *v,
			enum walk_op op, struct vitrine_node *parent,
			const char *name)
{
	u32 len = walk_below(wt, 1 + (8U << walk_below(wt, 9)));
	u64 first = walk_below(wt, 26);

	walk_text(wt, len, first);
	if (op != WALK_CHANGE) {
		v->len = len;
		v->words[0] = first;
	}
	if (op == WALK_CREATE) {
		v->handle = vitrine_string_create(parent, name, wt->text);
	} else if (op == WALK_RECORD) {
		vitrine_record_string(parent, name, wt->text);
	} else {
		vitrine_string_set(v->handle, wt->text);
		walk_buffer_changed(v, len, first);
	}
}

static void walk_bytes(struct walk_thread *wt, struct walk_value *v,
		       enum walk_op op, struct vitrine_node *parent,
		       const char *name)
{
	u32 len = walk_below(wt, WALK_TEXT_MAX + 1);
	u64 first = walk_below(wt, 26);

	walk_text(wt, len, first);
	if (op != WALK_CHANGE) {
		v->len = len;
		v->words[0] = first;
	}
	if (op == WALK_CREATE) {
		v->handle = vitrine_bytes_create(parent, name, wt->text, len);
	} else if (op == WALK_RECORD) {
		vitrine_record_bytes(parent, name, wt->text, len);
	} else {
		vitrine_bytes_set(v->handle, wt->text, len);
		walk_buffer_changed(v, len, first);
	}
}

static bool walk_buffer_matches(struct walk_thread *wt,
				const struct walk_value *v)
{
	u64 word = bits_of(v->handle);
	u32 index = word >> 32 & 0xfffffff, left = v->len, fill;
	const char *text = walk_text(wt, v->len, v->words[0]);

	if ((u32)word != v->len)
		return false;
	for (; left; left -= fill, text += fill) {
		const u64 *extent = vtr_edit_handle(wt->tree, index);

		fill = min_t(u32, left, (16U << (*extent & 0xf)) - 8);
		if (vtr_block_type(extent) != INSPECT_EXTENT ||
		    memcmp(extent + 1, text, fill))
			return false;
		index = *extent >> 16 & 0xffffff;
	}
	return true;
}

/* Arrays */

#define WALK_ARRAY(what, add_it, sum)					\
static void walk_##what##_array(struct walk_thread *wt,			\
				struct walk_value *v, enum walk_op op,	\
				struct vitrine_node *parent,		\
				const char *name)			\
{									\
	u64 bits = random_u64(&wt->random);				\
	u32 slot = walk_below(wt, WALK_SLOTS);				\
									\
	if (op == WALK_CREATE) {					\
		v->handle = vitrine_##what##_array_create(parent, name,	\
							  WALK_SLOTS);	\
		v->len = WALK_SLOTS;					\
	} else if (walk_below(wt, 2)) {					\
		vitrine_##what##_array_set(v->handle, slot, bits);	\
		v->words[slot] = bits;					\
	} else {							\
		add_it(v->handle, slot, bits);				\
		v->words[slot] = sum(v->words[slot], bits);		\
	}								\
}

WALK_ARRAY(int, vitrine_int_array_add, WALK_PLUS)
WALK_ARRAY(uint, vitrine_uint_array_add, WALK_PLUS)
WALK_ARRAY(double, vitrine_double_array_set, walk_second)

static bool walk_array_matches(struct walk_thread *wt,
			       const struct walk_value *v)
{
	return !memcmp((const u64 *)v->handle + 2, v->words, v->len * 8);
}

/* The word of a slot is the number of its text plus one, or 0 for the empty text. */
static void walk_string_array(struct walk_thread *wt, struct walk_value *v,
			      enum walk_op op, struct vitrine_node *parent,
			      const char *name)
{
	u32 slot = walk_below(wt, WALK_SLOTS), text = walk_below(wt, 41);
	const u32 *slots;
	char buf[64];

	if (op == WALK_CREATE) {
		v->handle = vitrine_string_array_create(parent, name,
							WALK_SLOTS);
		v->len = WALK_SLOTS;
		return;
	}
	slots = (const u32 *)((const u64 *)v->handle + 2);
	if (!text) {
		vitrine_string_array_set(v->handle, slot, "");
		v->words[slot] = 0;
	} else {
		u32 before = slots[slot];

		vitrine_string_array_set(v->handle, slot,
					 walk_name(text - 1, buf));
		/* If there is no room, the old text stays. */
		if (slots[slot] != before)
			v->words[slot] = text;
		else if (v->words[slot] != text)
			wt->nr_refused++;
	}
}

static bool walk_is_text(struct walk_thread *wt, u32 index, const char *text)
{
	const u64 *block = vtr_edit_handle(wt->tree, index);

	if (vtr_block_type(block) == INSPECT_NAME)
		return block[0] >> 16 == strlen(text) &&
		       !memcmp(block + 1, text, strlen(text));
	return vtr_block_type(block) == INSPECT_STRING_REFERENCE &&
	       (u32)block[1] == strlen(text) &&
	       !memcmp((const u8 *)block + 12, text, strlen(text));
}

static bool walk_text_matches(struct walk_thread *wt, u32 index, u32 text)
{
	char buf[64];

	if (!index || !text)
		return !index && !text;
	return walk_is_text(wt, index, walk_name(text - 1, buf));
}

static bool walk_string_array_matches(struct walk_thread *wt,
				      const struct walk_value *v)
{
	const u32 *slots = (const u32 *)((const u64 *)v->handle + 2);
	u32 i;

	for (i = 0; i < v->len; i++)
		if (!walk_text_matches(wt, slots[i], v->words[i]))
			return false;
	return true;
}

/* Histograms: floor 10; steps of 5, or of 3, 6, 12, ... */

#define WALK_HISTOGRAM(what, type)					\
static void walk_##what##_linear(struct walk_thread *wt,		\
				 struct walk_value *v, enum walk_op op,	\
				 struct vitrine_node *parent,		\
				 const char *name)			\
{									\
	u32 value = walk_below(wt, 60);					\
	u32 slot = value < 10 ? 0 : min((value - 10) / 5, WALK_SLOTS) + 1;\
									\
	if (op == WALK_CREATE) {					\
		v->handle = vitrine_##what##_histogram_create(parent,	\
				name, type(10), type(5), VITRINE_LINEAR, \
				WALK_SLOTS);				\
		v->len = WALK_SLOTS + 4;				\
		v->words[0] = type(10);					\
		v->words[1] = type(5);					\
		return;							\
	}								\
	walk_##what##_count(v->handle, slot, type(value));		\
	v->words[2 + slot] = walk_##what##_sum(v->words[2 + slot],	\
					       type(1));		\
}									\
									\
static void walk_##what##_exponential(struct walk_thread *wt,		\
				      struct walk_value *v,		\
				      enum walk_op op,			\
				      struct vitrine_node *parent,	\
				      const char *name)			\
{									\
	u32 value = walk_below(wt, 300), count = walk_below(wt, 5);	\
	u32 slot = 0, bound = 10;					\
									\
	for (; slot <= WALK_SLOTS && value >= bound; slot++)		\
		bound = 10 + (3U << slot);				\
	if (op == WALK_CREATE) {					\
		v->handle = vitrine_##what##_histogram_create(parent,	\
				name, type(10), type(3), type(2),	\
				WALK_SLOTS);				\
		v->len = WALK_SLOTS + 5;				\
		v->words[0] = type(10);					\
		v->words[1] = type(3);					\
		v->words[2] = type(2);					\
		return;							\
	}								\
	walk_##what##_count_many(v->handle, slot, type(value), count);	\
	v->words[3 + slot] = walk_##what##_sum(v->words[3 + slot],	\
					       type(count));		\
}

#define walk_int_sum	WALK_PLUS
#define walk_uint_sum	WALK_PLUS
#define walk_double_sum	walk_second

static void walk_int_count(void *handle, u32 slot, u64 value)
{
	vitrine_int_histogram_insert(handle, value);
}

static void walk_uint_count(void *handle, u32 slot, u64 value)
{
	vitrine_uint_histogram_insert(handle, value);
}

static void walk_double_count(void *handle, u32 slot, u64 value)
{
	vitrine_double_histogram_set(handle, slot, vitrine_double_from_int(1));
}

static void walk_int_count_many(void *handle, u32 slot, u64 value,
				u32 count)
{
	vitrine_int_histogram_insert_many(handle, value, count);
}

static void walk_uint_count_many(void *handle, u32 slot, u64 value,
				 u32 count)
{
	vitrine_uint_histogram_insert_many(handle, value, count);
}

static void walk_double_count_many(void *handle, u32 slot, u64 value,
				   u32 count)
{
	vitrine_double_histogram_set(handle, slot, vitrine_double_from_int(count));
}

WALK_HISTOGRAM(int, (u64))
WALK_HISTOGRAM(uint, (u64))
WALK_HISTOGRAM(double, vitrine_double_from_int)

/* Links: words[0] is the number of the other tree's name, words[1] the disposition. */

static void walk_link(struct walk_thread *wt, struct walk_value *v,
		      enum walk_op op, struct vitrine_node *parent,
		      const char *name)
{
	char tree[64];

	if (op != WALK_CREATE)
		return;
	v->words[0] = walk_below(wt, 40);
	v->words[1] = walk_below(wt, 2);
	v->handle = vitrine_link_create(parent, name,
					walk_name(v->words[0], tree),
					v->words[1] ? INSPECT_LINK_INLINE :
						      INSPECT_LINK_CHILD);
}

static bool walk_link_matches(struct walk_thread *wt,
			      const struct walk_value *v)
{
	u64 word = bits_of(v->handle);
	char content[64];

	walk_name(v->words[0], content);
	strcat(content, ".inspect");
	return word >> 60 == v->words[1] &&
	       walk_is_text(wt, word & 0xfffff, content);
}

static bool walk_node_matches(struct walk_thread *wt,
			      const struct walk_value *v)
{
	return bits_of(v->handle) == v->nr_children;
}

static bool walk_is_node(const struct walk_value *v)
{
	return v->kind && !v->deleted && v->kind->matches == walk_node_matches;
}

/* Choose a parent at random; the node of the thread if there is no other. */
static u32 walk_parent(struct walk_thread *wt)
{
	u32 parent, tries;

	for (tries = 0; tries < 4; tries++) {
		parent = walk_below(wt, WALK_VALUES);
		if (walk_is_node(&wt->values[parent]))
			return parent;
	}
	return 0;
}

/* Remove a deleted value without children, and then parents that became empty. */
static void walk_put(struct walk_thread *wt, struct walk_value *v)
{
	while (v->deleted && !v->nr_children) {
		v->kind = NULL;
		v->deleted = false;
		v = &wt->values[v->parent];
		v->nr_children--;
	}
}

static void walk_adopt(struct walk_thread *wt, struct walk_value *v)
{
	u32 parent = walk_parent(wt), at = parent;

	vitrine_node_adopt(wt->values[parent].handle, v->handle);
	if (parent == v->parent)
		return;
	while (at && &wt->values[at] != v)
		at = wt->values[at].parent;
	if (at) {
		wt->nr_cycles++;
		return;
	}
	wt->values[v->parent].nr_children--;
	walk_put(wt, &wt->values[v->parent]);
	wt->values[parent].nr_children++;
	v->parent = parent;
}

static void walk_node(struct walk_thread *wt, struct walk_value *v,
		      enum walk_op op, struct vitrine_node *parent,
		      const char *name)
{
	if (op == WALK_CREATE)
		v->handle = vitrine_node_create(parent, name);
	else if (op == WALK_RECORD)
		v->handle = vitrine_record_node(parent, name);
	else
		walk_adopt(wt, v);
}

/* Lists */

/* Record some numbers in an item, which contains how many there was room for. */
static void walk_item_record(struct walk_thread *wt, struct walk_value *v,
			     u64 *item)
{
	u32 i, nr = walk_below(wt, WALK_RECORDS + 1);
	char name[64];

	v->list.items[v->len] = item;
	for (i = 0; i < nr; i++)
		vitrine_record_uint((struct vitrine_node *)item,
				    walk_name(walk_below(wt, 40), name), i);
	v->list.nr_records[v->len] = item[1];
	if (item[1] < nr)
		wt->nr_refused++;
	if (item[1] > nr)
		wt->nr_wrong++;
	v->len++;
}

static void walk_append(struct walk_thread *wt, struct walk_value *v)
{
	u64 *item = (u64 *)vitrine_list_append(v->handle);

	if (!item) {
		wt->nr_refused++;
		return;
	}
	v->list.nr_appended++;
	if (v->len == v->list.capacity) {
		v->len--;
		memmove(v->list.items, v->list.items + 1,
			v->len * sizeof(*v->list.items));
		memmove(v->list.nr_records, v->list.nr_records + 1,
			v->len * sizeof(*v->list.nr_records));
	}
	walk_item_record(wt, v, item);
}

static void walk_list(struct walk_thread *wt, struct walk_value *v,
		      enum walk_op op, struct vitrine_node *parent,
		      const char *name)
{
	if (op == WALK_CREATE) {
		v->list.capacity = 1 + walk_below(wt, WALK_ITEMS);
		v->handle = vitrine_list_create(parent, name,
						v->list.capacity);
	} else {
		walk_append(wt, v);
	}
}

static bool walk_list_matches(struct walk_thread *wt,
			      const struct walk_value *v)
{
	u32 i, number = v->list.nr_appended - v->len;
	char name[12];

	for (i = 0; i < v->len; i++) {
		const u64 *item = v->list.items[i];

		snprintf(name, sizeof(name), "%u", number + i);
		if (vtr_block_type(item) != INSPECT_NODE_VALUE ||
		    (*item >> 16 & 0xffffff) != vtr_edit_index(v->handle) ||
		    !walk_is_text(wt, *item >> 40, name) ||
		    item[1] != v->list.nr_records[i])
			return false;
	}
	return bits_of(v->handle) == v->len;
}

static const struct walk_kind walk_kinds[] = {
	{ INSPECT_NODE_VALUE, walk_node, walk_node_matches, true },
	{ INSPECT_NODE_VALUE, walk_node, walk_node_matches, true },
	{ INSPECT_NODE_VALUE, walk_node, walk_node_matches, true },
	{ INSPECT_NODE_VALUE, walk_node, walk_node_matches, true },
	{ INSPECT_NODE_VALUE, walk_list, walk_list_matches },
	{ INSPECT_LINK_VALUE, walk_link, walk_link_matches },
	{ INSPECT_INT_VALUE, walk_int, walk_number_matches, true },
	{ INSPECT_UINT_VALUE, walk_uint, walk_number_matches, true },
	{ INSPECT_DOUBLE_VALUE, walk_double, walk_number_matches, true },
	{ INSPECT_BOOL_VALUE, walk_bool, walk_number_matches, true },
	{ INSPECT_BUFFER_VALUE, walk_string, walk_buffer_matches, true },
	{ INSPECT_BUFFER_VALUE, walk_bytes, walk_buffer_matches, true },
	{ INSPECT_ARRAY_VALUE, walk_int_array, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_uint_array, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_double_array, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_string_array, walk_string_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_int_linear, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_int_exponential, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_uint_linear, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_uint_exponential, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_double_linear, walk_array_matches },
	{ INSPECT_ARRAY_VALUE, walk_double_exponential, walk_array_matches },
};

/* Check that the block has the right type, parent and value. */
static bool walk_matches(struct walk_thread *wt, const struct walk_value *v)
{
	const u64 *block = v->handle;
	u32 parent = vtr_edit_index(wt->values[v->parent].handle);

	if ((block[0] >> 16 & 0xffffff) != parent)
		return false;
	if (v->deleted)
		return vtr_block_type(block) == INSPECT_TOMBSTONE &&
		       block[1] == v->nr_children;
	return vtr_block_type(block) == v->kind->type &&
	       walk_text_matches(wt, block[0] >> 40, v->name + 1) &&
	       v->kind->matches(wt, v);
}

/* Return the value that was recorded last in a node, the first of its chain, or 0. */
static u32 walk_newest_record(struct walk_thread *wt, const void *node)
{
	return *vtr_tree_note(&wt->tree->blocks, vtr_edit_index(node)) &
	       VTR_NODE_NEXT;
}

/* Record a value; most of these calls return nothing. */
static void walk_record(struct walk_thread *wt, struct walk_value *v,
			struct vitrine_node *parent, const char *name)
{
	u32 before = walk_newest_record(wt, parent), after;

	v->kind->call(wt, v, WALK_RECORD, parent, name);
	after = walk_newest_record(wt, parent);
	v->handle = after == before ? NULL : vtr_edit_handle(wt->tree, after);
	v->recorded = true;
}

static void walk_create(struct walk_thread *wt, struct walk_value *v)
{
	u32 parent = walk_parent(wt);
	struct vitrine_node *node = wt->values[parent].handle;
	struct walk_value new = {
		.kind = &walk_kinds[walk_below(wt, ARRAY_SIZE(walk_kinds))],
		.parent = parent,
		.name = walk_below(wt, 40),
	};
	char name[64];

	walk_name(new.name, name);
	if (parent && new.kind->can_record && walk_below(wt, 2))
		walk_record(wt, &new, node, name);
	else
		new.kind->call(wt, &new, WALK_CREATE, node, name);
	if (!new.handle) {
		wt->nr_refused++;
		return;
	}
	*v = new;
	wt->values[parent].nr_children++;
}

/* Deleting a node deletes its recorded values; values with a handle stay below it. */
static void walk_gone(struct walk_thread *wt, struct walk_value *v)
{
	bool is_node = walk_is_node(v);
	u32 i;

	v->deleted = true;
	for (i = 1; is_node && i < WALK_VALUES; i++) {
		struct walk_value *below = &wt->values[i];

		if (below->kind && below->recorded && !below->deleted &&
		    below->parent == v - wt->values)
			walk_gone(wt, below);
	}
	walk_put(wt, v);
}

static void walk_delete(struct walk_thread *wt, struct walk_value *v)
{
	vitrine_delete(v->handle);
	walk_gone(wt, v);
}

/* Make one call on a value other than number 0, the node of the thread. */
static void walk_call(struct walk_thread *wt)
{
	struct walk_value *v = &wt->values[1 + walk_below(wt, WALK_VALUES - 1)];

	if (!v->kind)
		walk_create(wt, v);
	else if (v->deleted || v->recorded)
		return;
	else if (walk_below(wt, walk_is_node(v) ? 2 : 8))
		v->kind->call(wt, v, WALK_CHANGE, NULL, NULL);
	else if (walk_below(wt, 2))
		walk_delete(wt, v);
	if (v->kind && !walk_matches(wt, v))
		wt->nr_wrong++;
}

static void walk_compare_all(struct walk_thread *wt)
{
	u32 i;

	for (i = 1; i < WALK_VALUES; i++)
		if (wt->values[i].kind && !walk_matches(wt, &wt->values[i]))
			wt->nr_wrong++;
}

/* Make @nr_calls calls, occasionally several of them in one batch. */
static int walk_some(void *ctx)
{
	struct walk_thread *wt = ctx;
	u32 calls, batch;
	unsigned long flags;

	for (calls = 0; calls < wt->nr_calls; calls++) {
		if (!walk_below(wt, 50)) {
			flags = vitrine_batch_begin(wt->tree);
			for (batch = walk_below(wt, 10); batch; batch--)
				walk_call(wt);
			vitrine_batch_end(wt->tree, flags);
		}
		walk_call(wt);
		if (!(calls % 64))
			cond_resched();
	}
	walk_compare_all(wt);
	complete(&wt->done);
	return 0;
}

static struct walk_thread *walk_thread_create(struct kunit *test, u64 seed)
{
	struct walk_thread *wt = kunit_kzalloc(test, sizeof(*wt), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, wt);
	wt->tree = test->priv;
	wt->random.state = seed;
	init_completion(&wt->done);
	wt->values[0].kind = &walk_kinds[0];
	wt->values[0].handle = vitrine_node_create(vitrine_tree_root(test->priv), "thread");
	KUNIT_ASSERT_NOT_NULL(test, wt->values[0].handle);
	return wt;
}

static void walk_check(struct kunit *test, const struct walk_thread *wt)
{
	KUNIT_ASSERT_EQ(test, wt->nr_wrong, 0);
	KUNIT_ASSERT_EQ(test, bits_of(wt->values[0].handle),
			wt->values[0].nr_children);
}

/* Delete all values, so that the tree contains only the nodes of the threads. */
static void walk_end(struct kunit *test, struct walk_thread *wt)
{
	u32 i;

	for (i = 1; i < WALK_VALUES; i++)
		if (wt->values[i].kind && !wt->values[i].deleted &&
		    !wt->values[i].recorded)
			walk_delete(wt, &wt->values[i]);
	walk_check(test, wt);
	KUNIT_EXPECT_EQ(test, wt->values[0].nr_children, 0);
	KUNIT_EXPECT_GT(test, wt->nr_refused, 0);
	KUNIT_EXPECT_GT(test, wt->nr_cycles, 0);
	vitrine_delete(wt->values[0].handle);
}

/* Allocating the notes of a check once makes it fast. */
static void walk_check_tree(struct kunit *test, struct check *check)
{
	struct vitrine_tree *tree = test->priv;

	KUNIT_ASSERT_EQ(test, *tree->generation & 1, 0);
	check_tree(test, &tree->blocks, check);
}

static void inspect_walk(struct kunit *test, u64 seed, unsigned int nr_threads)
{
	struct vitrine_tree *tree =
		limited_tree(test, WALK_LIMIT_BYTES * nr_threads);
	struct walk_thread *threads[WALK_THREADS];
	struct task_struct *task;
	struct check check;
	unsigned int i, round;

	check_init(test, &check, tree->area.max_pages);
	for (i = 0; i < nr_threads; i++) {
		threads[i] = walk_thread_create(test, seed + i);
		threads[i]->nr_calls = WALK_CALLS / WALK_CHECKS / nr_threads;
	}
	for (round = 0; round < WALK_CHECKS; round++) {
		for (i = 0; i < nr_threads; i++) {
			task = kthread_create(walk_some, threads[i],
					      "vitrine_walk/%u", i);
			KUNIT_ASSERT_FALSE(test, IS_ERR(task));
			kthread_bind(task, i % num_online_cpus());
			wake_up_process(task);
		}
		for (i = 0; i < nr_threads; i++)
			wait_for_completion(&threads[i]->done);
		for (i = 0; i < nr_threads; i++)
			walk_check(test, threads[i]);
		walk_check_tree(test, &check);
	}
	for (i = 0; i < nr_threads; i++)
		walk_end(test, threads[i]);
	walk_check_tree(test, &check);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_values, 0);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, tree->blocks.heap.used_bytes, 32);
}

static void walk_with_a_fixed_seed_a_million_calls(struct kunit *test)
{
	inspect_walk(test, 1, 1);
}

static void walk_with_a_fresh_seed_a_million_calls(struct kunit *test)
{
	inspect_walk(test, random_seed(test), 1);
}

static void walk_on_four_cpus_a_million_calls(struct kunit *test)
{
	kunit_info(test, "%u CPUs\n", num_online_cpus());
	inspect_walk(test, random_seed(test), WALK_THREADS);
}

#endif /* _VTR_TESTS_INSPECT_WALK_H */
