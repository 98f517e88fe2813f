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

/* A thread, its model, and its call: what that does, and where, with which name and text. */
struct walk_thread {
	struct random		random;
	u32			nr_calls;
	unsigned long		nr_wrong;
	unsigned long		nr_refused;
	unsigned long		nr_cycles;
	struct completion	done;
	enum walk_op		op;
	struct vitrine_node	*node;
	char			name[64];
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
	void (*call)(struct walk_thread *wt, struct walk_value *v);
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

#define WALK_NUMBER(what, add_it, sum)					\
static void walk_##what(struct walk_thread *wt, struct walk_value *v)	\
{									\
	u64 bits = random_u64(&wt->random);				\
									\
	if (wt->op == WALK_CHANGE && walk_below(wt, 2)) {		\
		add_it(v->handle, bits);				\
		v->words[0] = sum(v->words[0], bits);			\
		return;							\
	}								\
	v->words[0] = bits;						\
	if (wt->op == WALK_CREATE)					\
		v->handle = vitrine_##what##_create(wt->node, wt->name, bits); \
	else if (wt->op == WALK_RECORD)					\
		vitrine_record_##what(wt->node, wt->name, bits);	\
	else								\
		vitrine_##what##_set(v->handle, bits);			\
}

#define WALK_PLUS(a, b)		((a) + (b))
#define WALK_MINUS(a, b)	((a) - (b))

/* A double is set only; there is no sum. */
static u64 walk_second(u64 before, u64 value)
{
	return value;
}

WALK_NUMBER(int, vitrine_int_add, WALK_PLUS)
WALK_NUMBER(uint, vitrine_uint_sub, WALK_MINUS)
WALK_NUMBER(double, vitrine_double_set, walk_second)

static void walk_bool(struct walk_thread *wt, struct walk_value *v)
{
	v->words[0] = walk_below(wt, 2);
	if (wt->op == WALK_CREATE)
		v->handle = vitrine_bool_create(wt->node, wt->name, v->words[0]);
	else if (wt->op == WALK_RECORD)
		vitrine_record_bool(wt->node, wt->name, v->words[0]);
	else
		vitrine_bool_set(v->handle, v->words[0]);
}

static bool walk_number_matches(struct walk_thread *wt, const struct walk_value *v)
{
	return bits_of(v->handle) == v->words[0];
}

/* Strings and byte vectors */

/* Update the model of a buffer, unless the tree is full and the old value stays. */
static void walk_buffer_changed(struct walk_thread *wt, struct walk_value *v, u32 len, u64 first)
{
	u64 word = wt->op == WALK_CHANGE ? bits_of(v->handle) : len;

	if ((u32)word != len && (u32)word == v->len)
		return;
	v->len = len;
	v->words[0] = first;
}

static void walk_string(struct walk_thread *wt, struct walk_value *v)
{
	u32 len = walk_below(wt, 1 + (8U << walk_below(wt, 9)));
	u64 first = walk_below(wt, 26);

	walk_text(wt, len, first);
	if (wt->op == WALK_CREATE)
		v->handle = vitrine_string_create(wt->node, wt->name, wt->text);
	else if (wt->op == WALK_RECORD)
		vitrine_record_string(wt->node, wt->name, wt->text);
	else
		vitrine_string_set(v->handle, wt->text);
	walk_buffer_changed(wt, v, len, first);
}

static void walk_bytes(struct walk_thread *wt, struct walk_value *v)
{
	u32 len = walk_below(wt, WALK_TEXT_MAX + 1);
	u64 first = walk_below(wt, 26);

	walk_text(wt, len, first);
	if (wt->op == WALK_CREATE)
		v->handle = vitrine_bytes_create(wt->node, wt->name, wt->text, len);
	else if (wt->op == WALK_RECORD)
		vitrine_record_bytes(wt->node, wt->name, wt->text, len);
	else
		vitrine_bytes_set(v->handle, wt->text, len);
	walk_buffer_changed(wt, v, len, first);
}

static bool walk_buffer_matches(struct walk_thread *wt, const struct walk_value *v)
{
	u64 word = bits_of(v->handle);
	u32 index = word >> 32 & 0xfffffff, left = v->len, fill;
	const char *text = walk_text(wt, v->len, v->words[0]);

	if ((u32)word != v->len)
		return false;
	for (; left; left -= fill, text += fill) {
		const u64 *extent = vtr_edit_handle(tree, index);

		fill = min_t(u32, left, (16U << (*extent & 0xf)) - 8);
		if (vtr_block_type(extent) != INSPECT_EXTENT || memcmp(extent + 1, text, fill))
			return false;
		index = *extent >> 16 & 0xffffff;
	}
	return true;
}

/* Arrays */

#define WALK_ARRAY(what, add_it, sum)					\
static void walk_##what##_array(struct walk_thread *wt, struct walk_value *v) \
{									\
	u64 bits = random_u64(&wt->random);				\
	u32 slot = walk_below(wt, WALK_SLOTS);				\
									\
	if (wt->op == WALK_CREATE) {					\
		v->handle = vitrine_##what##_array_create(wt->node, wt->name, WALK_SLOTS); \
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

static bool walk_array_matches(struct walk_thread *wt, const struct walk_value *v)
{
	return !memcmp((const u64 *)v->handle + 2, v->words, v->len * 8);
}

/* The word of a slot is the number of its text plus one, or 0 for the empty text. */
static void walk_string_array(struct walk_thread *wt, struct walk_value *v)
{
	u32 slot = walk_below(wt, WALK_SLOTS), text = walk_below(wt, 41), before;
	const u32 *slots;
	char buf[64];

	if (wt->op == WALK_CREATE) {
		v->handle = vitrine_string_array_create(wt->node, wt->name, WALK_SLOTS);
		v->len = WALK_SLOTS;
		return;
	}
	slots = (const u32 *)((const u64 *)v->handle + 2);
	before = slots[slot];
	vitrine_string_array_set(v->handle, slot, text ? walk_name(text - 1, buf) : "");
	/* If there is no room, the old text stays. */
	if (!text || slots[slot] != before)
		v->words[slot] = text;
	else if (v->words[slot] != text)
		wt->nr_refused++;
}

static bool walk_is_text(u32 index, const char *text)
{
	const u64 *block = vtr_edit_handle(tree, index);

	if (vtr_block_type(block) == INSPECT_NAME)
		return block[0] >> 16 == strlen(text) &&
		       !memcmp(block + 1, text, strlen(text));
	return vtr_block_type(block) == INSPECT_STRING_REFERENCE &&
	       (u32)block[1] == strlen(text) &&
	       !memcmp((const u8 *)block + 12, text, strlen(text));
}

static bool walk_text_matches(u32 index, u32 text)
{
	char buf[64];

	if (!index || !text)
		return !index && !text;
	return walk_is_text(index, walk_name(text - 1, buf));
}

static bool walk_string_array_matches(struct walk_thread *wt, const struct walk_value *v)
{
	const u32 *slots = (const u32 *)((const u64 *)v->handle + 2);
	u32 i;

	for (i = 0; i < v->len; i++)
		if (!walk_text_matches(slots[i], v->words[i]))
			return false;
	return true;
}

/* Histograms: floor 10; steps of 5, or of 3, 6, 12, ... */

#define WALK_HISTOGRAM(what, type, sum)					\
static void walk_##what##_histogram(struct walk_thread *wt, struct walk_value *v, \
				    bool exponential)			\
{									\
	u32 value = walk_below(wt, exponential ? 300 : 60), slot, bound = 10; \
	u32 count = exponential ? walk_below(wt, 5) : 1;		\
	u64 *words = v->words;						\
									\
	for (slot = 0; slot <= WALK_SLOTS && value >= bound; slot++)	\
		bound = 10 + (exponential ? 3U << slot : 5 * (slot + 1)); \
	if (wt->op == WALK_CREATE) {					\
		*words++ = type(10);					\
		*words++ = type(exponential ? 3 : 5);			\
		if (exponential)					\
			*words++ = type(2);				\
		v->handle = vitrine_##what##_histogram_create(wt->node, wt->name, type(10), \
				type(exponential ? 3 : 5),		\
				exponential ? type(2) : VITRINE_LINEAR, WALK_SLOTS); \
		v->len = words - v->words + WALK_SLOTS + 2;		\
		return;							\
	}								\
	walk_##what##_insert(v->handle, slot, value, count, exponential); \
	words += (exponential ? 3 : 2) + slot;				\
	*words = sum(*words, type(count));				\
}									\
									\
static void walk_##what##_linear(struct walk_thread *wt, struct walk_value *v) \
{									\
	walk_##what##_histogram(wt, v, false);				\
}									\
									\
static void walk_##what##_exponential(struct walk_thread *wt, struct walk_value *v) \
{									\
	walk_##what##_histogram(wt, v, true);				\
}

static void walk_int_insert(void *handle, u32 slot, u64 value, u32 count, bool many)
{
	if (many)
		vitrine_int_histogram_insert_many(handle, value, count);
	else
		vitrine_int_histogram_insert(handle, value);
}

static void walk_uint_insert(void *handle, u32 slot, u64 value, u32 count, bool many)
{
	if (many)
		vitrine_uint_histogram_insert_many(handle, value, count);
	else
		vitrine_uint_histogram_insert(handle, value);
}

static void walk_double_insert(void *handle, u32 slot, u64 value, u32 count, bool many)
{
	vitrine_double_histogram_set(handle, slot, vitrine_double_from_int(count));
}

WALK_HISTOGRAM(int, (u64), WALK_PLUS)
WALK_HISTOGRAM(uint, (u64), WALK_PLUS)
WALK_HISTOGRAM(double, vitrine_double_from_int, walk_second)

/* Links: words[0] is the number of the other tree's name, words[1] the disposition. */

static void walk_link(struct walk_thread *wt, struct walk_value *v)
{
	char tree[64];

	if (wt->op != WALK_CREATE)
		return;
	v->words[0] = walk_below(wt, 40);
	v->words[1] = walk_below(wt, 2);
	v->handle = vitrine_link_create(wt->node, wt->name, walk_name(v->words[0], tree),
					v->words[1] ? INSPECT_LINK_INLINE : INSPECT_LINK_CHILD);
}

static bool walk_link_matches(struct walk_thread *wt, const struct walk_value *v)
{
	u64 word = bits_of(v->handle);
	char content[64];

	walk_name(v->words[0], content);
	strcat(content, ".inspect");
	return word >> 60 == v->words[1] &&
	       walk_is_text(word & 0xfffff, content);
}

static bool walk_node_matches(struct walk_thread *wt, const struct walk_value *v)
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

static void walk_node(struct walk_thread *wt, struct walk_value *v)
{
	if (wt->op == WALK_CREATE)
		v->handle = vitrine_node_create(wt->node, wt->name);
	else if (wt->op == WALK_RECORD)
		v->handle = vitrine_record_node(wt->node, wt->name);
	else
		walk_adopt(wt, v);
}

/* Lists */

/* Record some numbers in an item, which contains how many there was room for. */
static void walk_item_record(struct walk_thread *wt, struct walk_value *v, u64 *item)
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
		memmove(v->list.items, v->list.items + 1, v->len * sizeof(*v->list.items));
		memmove(v->list.nr_records, v->list.nr_records + 1,
			v->len * sizeof(*v->list.nr_records));
	}
	walk_item_record(wt, v, item);
}

static void walk_list(struct walk_thread *wt, struct walk_value *v)
{
	if (wt->op != WALK_CREATE) {
		walk_append(wt, v);
		return;
	}
	v->list.capacity = 1 + walk_below(wt, WALK_ITEMS);
	v->handle = vitrine_list_create(wt->node, wt->name, v->list.capacity);
}

static bool walk_list_matches(struct walk_thread *wt, const struct walk_value *v)
{
	u32 i, number = v->list.nr_appended - v->len;
	char name[12];

	for (i = 0; i < v->len; i++) {
		const u64 *item = v->list.items[i];

		snprintf(name, sizeof(name), "%u", number + i);
		if (vtr_block_type(item) != INSPECT_NODE_VALUE ||
		    (*item >> 16 & 0xffffff) != vtr_edit_index(v->handle) ||
		    !walk_is_text(*item >> 40, name) || item[1] != v->list.nr_records[i])
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
	       walk_text_matches(block[0] >> 40, v->name + 1) &&
	       v->kind->matches(wt, v);
}

/* Return the value that was recorded last in a node, the first of its chain, or 0. */
static u32 walk_newest_record(const void *node)
{
	return *vtr_tree_note(&tree->blocks, vtr_edit_index(node)) &
	       VTR_NODE_NEXT;
}

/* Record a value; most of these calls return nothing. */
static void walk_record(struct walk_thread *wt, struct walk_value *v)
{
	u32 before = walk_newest_record(wt->node), after;

	wt->op = WALK_RECORD;
	v->kind->call(wt, v);
	after = walk_newest_record(wt->node);
	v->handle = after == before ? NULL : vtr_edit_handle(tree, after);
	v->recorded = true;
}

static void walk_create(struct walk_thread *wt, struct walk_value *v)
{
	u32 parent = walk_parent(wt);
	struct walk_value new = {
		.kind = &walk_kinds[walk_below(wt, ARRAY_SIZE(walk_kinds))],
		.parent = parent,
		.name = walk_below(wt, 40),
	};

	wt->op = WALK_CREATE;
	wt->node = wt->values[parent].handle;
	walk_name(new.name, wt->name);
	if (parent && new.kind->can_record && walk_below(wt, 2))
		walk_record(wt, &new);
	else
		new.kind->call(wt, &new);
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

	if (!v->kind) {
		walk_create(wt, v);
	} else if (v->deleted || v->recorded) {
		return;
	} else if (walk_below(wt, walk_is_node(v) ? 2 : 8)) {
		wt->op = WALK_CHANGE;
		v->kind->call(wt, v);
	} else if (walk_below(wt, 2)) {
		walk_delete(wt, v);
	}
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
			flags = vitrine_batch_begin(tree);
			for (batch = walk_below(wt, 10); batch; batch--)
				walk_call(wt);
			vitrine_batch_end(tree, flags);
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
	struct walk_thread *wt = zalloc(test, sizeof(*wt));

	wt->random.state = seed;
	init_completion(&wt->done);
	wt->values[0].kind = &walk_kinds[0];
	wt->values[0].handle = vitrine_node_create(root, "thread");
	KUNIT_ASSERT_NOT_NULL(test, wt->values[0].handle);
	return wt;
}

static void walk_check(struct kunit *test, const struct walk_thread *wt)
{
	KUNIT_ASSERT_EQ(test, wt->nr_wrong, 0);
	KUNIT_ASSERT_EQ(test, bits_of(wt->values[0].handle), wt->values[0].nr_children);
}

/* Delete all values, so that the tree contains only the nodes of the threads. */
static void walk_end(struct kunit *test, struct walk_thread *wt)
{
	u32 i;

	for (i = 1; i < WALK_VALUES; i++)
		if (wt->values[i].kind && !wt->values[i].deleted && !wt->values[i].recorded)
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
	KUNIT_ASSERT_EQ(test, *tree->generation & 1, 0);
	check_tree(test, &tree->blocks, check);
}

static void inspect_walk(struct kunit *test, u64 seed, unsigned int nr_threads)
{
	struct walk_thread *threads[WALK_THREADS];
	struct task_struct *task;
	struct check check;
	unsigned int i, round;

	limit_tree(test, WALK_LIMIT_BYTES * nr_threads);
	check_init(test, &check, tree->area.max_pages);
	for (i = 0; i < nr_threads; i++) {
		threads[i] = walk_thread_create(test, seed + i);
		threads[i]->nr_calls = WALK_CALLS / WALK_CHECKS / nr_threads;
	}
	for (round = 0; round < WALK_CHECKS; round++) {
		for (i = 0; i < nr_threads; i++) {
			task = kthread_create(walk_some, threads[i], "vitrine_walk/%u", i);
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
