/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls of the public interface, beside a model, which knows all values, their parents and
 * whether they are recorded. The value that a call has changed is compared with the model.
 *
 * A part of inspect_kunit.c and tree_kunit.c, which define walk_index(), the index of a block, and
 * walk_tree(), the tree of all blocks. A thread that makes calls may not belong to KUnit, so
 * it counts failures instead of reporting them.
 */
#ifndef _VTR_TESTS_TREE_WALK_H
#define _VTR_TESTS_TREE_WALK_H

#define WALK_VALUES		96U	/* of a thread's model */
#define WALK_SLOTS		6U	/* of an array; buckets of a histogram */
#define WALK_TEXT_MAX		3000U	/* bytes: two extents */
#define WALK_ITEMS		3U	/* most in a list */
#define WALK_RECORDS		4U	/* most in one of them */

/* A value of the model. */
struct walk_value {
	const struct walk_kind	*kind;		/* NULL while the slot is empty */
	void			*handle;	/* NULL while it is being created */
	u32			parent;		/* number of its node, 0 for that of the thread */
	u32			nr_children;
	bool			deleted;	/* a node that was deleted before its children */
	bool			recorded;	/* recorded in its node, and deleted with it */
	u32			name;		/* number of the name */
	u32			len;		/* bytes of a buffer, slots of an array, items */
	u64			words[WALK_SLOTS + 5];	/* slots; a number; the first byte of a */
						/* buffer; the number of a link's text */
	struct {
		u32		capacity;
		u32		nr_appended;
		u64		*items[WALK_ITEMS];	/* oldest first */
		u32		nr_records[WALK_ITEMS];	/* in each of them */
	} list;
};

/* A thread, its model, and its call: in which node, with which name and text. */
struct walk_thread {
	struct random		random;
	unsigned long		nr_wrong;
	u32			first_wrong;	/* number of a value */
	unsigned long		nr_refused;
	unsigned long		nr_cycles;
	struct vitrine_node	*node;
	char			name[64];
	char			text[WALK_TEXT_MAX + 1];
	struct walk_value	values[WALK_VALUES];
};

/* How values of one kind are created and changed. */
struct walk_kind {
	struct vitrine_value value;	/* what all of them have */
	/* Creates or changes a value and, if this has an effect, changes the model, too. */
	void (*call)(struct walk_thread *wt, struct walk_value *v);
	bool (*matches)(struct walk_thread *wt, const struct walk_value *v);
	bool can_record;
};

static u32 walk_below(struct walk_thread *wt, u32 limit)
{
	return random_below(&wt->random, limit);
}

/* Forty names, of all interesting lengths, some shared by all threads. */
static const char *walk_name(u32 name, char *buf)
{
	static const u8 lengths[] = { 1, 4, 5, 20, 21, 37, 52, 53 };

	snprintf(buf, 64, "%0*u", lengths[name % ARRAY_SIZE(lengths)], name);
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

/* Create a value, after what its kind has was completed. */
static void walk_new(struct walk_thread *wt, struct walk_value *v, struct vitrine_value value)
{
	value.is_recorded = v->recorded;
	v->handle = vitrine_value_create(wt->node, wt->name, &value);
}

static bool walk_is_integer(u8 type)
{
	return type == INSPECT_INT_VALUE || type == INSPECT_UINT_VALUE;
}

static void walk_number(struct walk_thread *wt, struct walk_value *v)
{
	struct vitrine_value value = v->kind->value;

	value.bits = random_u64(&wt->random) >> (value.type == INSPECT_BOOL_VALUE ? 63 : 0);
	if (!v->handle) {
		walk_new(wt, v, value);
	} else if (walk_is_integer(value.type) && walk_below(wt, 2)) {
		vitrine_number_add(v->handle, value.type, value.bits);
		value.bits += v->words[0];
	} else {
		vitrine_number_set(v->handle, value.type, value.bits);
	}
	v->words[0] = value.bits;
}

static bool walk_number_matches(struct walk_thread *wt, const struct walk_value *v)
{
	return bits_of(v->handle) == v->words[0];
}

/* A string or a byte vector. */
static void walk_buffer(struct walk_thread *wt, struct walk_value *v)
{
	struct vitrine_value value = v->kind->value;
	bool is_string = value.format == INSPECT_BUFFER_UTF8;
	u32 len = walk_below(wt, is_string ? 1 + (8U << walk_below(wt, 9)) : WALK_TEXT_MAX + 1);
	u64 first = walk_below(wt, 26);

	value.bytes = walk_text(wt, len, first);
	value.len_bytes = len;
	if (!v->handle)
		walk_new(wt, v, value);
	else
		vitrine_buffer_set(v->handle, wt->text, len);
	/* If the tree is full, the old value stays. */
	if (v->handle && (u32)bits_of(v->handle) != len && (u32)bits_of(v->handle) == v->len)
		return;
	v->len = len;
	v->words[0] = first;
}

static bool walk_buffer_matches(struct walk_thread *wt, const struct walk_value *v)
{
	const char *text = walk_text(wt, v->len, v->words[0]);

	return check_has_bytes(walk_tree(), v->handle, text, v->len);
}

static void walk_array(struct walk_thread *wt, struct walk_value *v)
{
	u64 bits = random_u64(&wt->random);
	u32 slot = walk_below(wt, WALK_SLOTS);
	u8 type = v->kind->value.slot_type;

	if (!v->handle) {
		walk_new(wt, v, v->kind->value);
		v->len = WALK_SLOTS;
	} else if (walk_is_integer(type) && walk_below(wt, 2)) {
		vitrine_slot_add(v->handle, type, slot, bits);
		v->words[slot] += bits;
	} else {
		vitrine_slot_set(v->handle, type, slot, bits);
		v->words[slot] = bits;
	}
}

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

	if (!v->handle) {
		walk_array(wt, v);
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
	return check_has_text(vtr_tree_address(walk_tree(), index), text);
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

/* Floor 10; steps of 5, or of 3, 6, 12, ... */
static void walk_histogram(struct walk_thread *wt, struct walk_value *v)
{
	const struct vitrine_value *value = &v->kind->value;
	bool exponential = value->format == INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM;
	u32 number = walk_below(wt, exponential ? 300 : 60), count = walk_below(wt, 5);
	u32 nr_parameters = exponential ? 3 : 2, slot, bound = 10;
	u64 *bucket;

	if (!v->handle) {
		memcpy(v->words, value->parameters, nr_parameters * sizeof(u64));
		v->len = nr_parameters + WALK_SLOTS + 2;
		walk_new(wt, v, *value);
		return;
	}
	for (slot = 0; slot <= WALK_SLOTS && number >= bound; slot++)
		bound = 10 + (exponential ? 3U << slot : 5 * (slot + 1));
	bucket = &v->words[nr_parameters + slot];
	*bucket = walk_is_integer(value->slot_type) ? *bucket + count : count;
	if (value->slot_type == INSPECT_INT_VALUE)
		vitrine_int_histogram_insert_many(v->handle, number, count);
	else if (value->slot_type == INSPECT_UINT_VALUE)
		vitrine_uint_histogram_insert_many(v->handle, number, count);
	else
		vitrine_double_histogram_set(v->handle, slot, vitrine_double_from_bits(count));
}

/* Links: words[0] is the number of the other tree's name, words[1] the disposition. */

static void walk_link(struct walk_thread *wt, struct walk_value *v)
{
	struct vitrine_value value = v->kind->value;
	char tree[64];

	if (v->handle)
		return;
	v->words[0] = walk_below(wt, 40);
	v->words[1] = walk_below(wt, 2);
	value.bytes = walk_name(v->words[0], tree);
	value.format = v->words[1] ? INSPECT_LINK_INLINE : INSPECT_LINK_CHILD;
	walk_new(wt, v, value);
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
	if (v->handle)
		walk_adopt(wt, v);
	else
		walk_new(wt, v, v->kind->value);
}

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
	struct vitrine_value value = v->kind->value;

	if (v->handle) {
		walk_append(wt, v);
		return;
	}
	value.count = 1 + walk_below(wt, WALK_ITEMS);
	v->list.capacity = value.count;
	walk_new(wt, v, value);
}

static bool walk_list_matches(struct walk_thread *wt, const struct walk_value *v)
{
	u32 i, number = v->list.nr_appended - v->len;
	char name[12];

	for (i = 0; i < v->len; i++) {
		const u64 *item = v->list.items[i];

		snprintf(name, sizeof(name), "%u", number + i);
		if (vtr_block_type(item) != INSPECT_NODE_VALUE ||
		    check_parent(item) != walk_index(v->handle) ||
		    !walk_is_text(check_name_index(item), name) ||
		    item[1] != v->list.nr_records[i])
			return false;
	}
	return bits_of(v->handle) == v->len;
}

#define WALK_NUMBER(type_) \
	{ { .type = INSPECT_##type_##_VALUE }, walk_number, walk_number_matches, true }
#define WALK_BUFFER(format_)						\
	{ { .type = INSPECT_BUFFER_VALUE, .format = INSPECT_BUFFER_##format_ },	\
	  walk_buffer, walk_buffer_matches, true }
#define WALK_ARRAY(slot_type_, call, matches)				\
	{ { .type = INSPECT_ARRAY_VALUE, .slot_type = slot_type_, .count = WALK_SLOTS }, \
	  call, matches }
#define WALK_HISTOGRAM(slot_type_, format_, ...)			\
	{ { .type = INSPECT_ARRAY_VALUE, .slot_type = slot_type_,	\
	    .format = INSPECT_ARRAY_##format_##_HISTOGRAM, .count = WALK_SLOTS, \
	    .parameters = { __VA_ARGS__ } }, walk_histogram, walk_array_matches }

static const struct walk_kind walk_kinds[] = {
	[0 ... 3] = { { .type = INSPECT_NODE_VALUE }, walk_node, walk_node_matches, true },
	{ { .type = INSPECT_NODE_VALUE, .is_list = true }, walk_list, walk_list_matches },
	{ { .type = INSPECT_LINK_VALUE }, walk_link, walk_link_matches },
	WALK_NUMBER(INT),
	WALK_NUMBER(UINT),
	WALK_NUMBER(DOUBLE),
	WALK_NUMBER(BOOL),
	WALK_BUFFER(UTF8),
	WALK_BUFFER(BINARY),
	WALK_ARRAY(INSPECT_INT_VALUE, walk_array, walk_array_matches),
	WALK_ARRAY(INSPECT_UINT_VALUE, walk_array, walk_array_matches),
	WALK_ARRAY(INSPECT_DOUBLE_VALUE, walk_array, walk_array_matches),
	WALK_ARRAY(INSPECT_STRING_REFERENCE, walk_string_array, walk_string_array_matches),
	WALK_HISTOGRAM(INSPECT_INT_VALUE, LINEAR, 10, 5),
	WALK_HISTOGRAM(INSPECT_INT_VALUE, EXPONENTIAL, 10, 3, 2),
	WALK_HISTOGRAM(INSPECT_UINT_VALUE, LINEAR, 10, 5),
	WALK_HISTOGRAM(INSPECT_UINT_VALUE, EXPONENTIAL, 10, 3, 2),
	/* doubles: 10 and 5; 10, 3 and 2 */
	WALK_HISTOGRAM(INSPECT_DOUBLE_VALUE, LINEAR, 0x4024000000000000ULL, 0x4014000000000000ULL),
	WALK_HISTOGRAM(INSPECT_DOUBLE_VALUE, EXPONENTIAL, 0x4024000000000000ULL,
		       0x4008000000000000ULL, 0x4000000000000000ULL),
};

/* Check that the block has the right type, parent and value. */
static bool walk_matches(struct walk_thread *wt, const struct walk_value *v)
{
	const u64 *block = v->handle;
	u32 parent = walk_index(wt->values[v->parent].handle);

	if (check_parent(block) != parent)
		return false;
	if (v->deleted)
		return vtr_block_type(block) == INSPECT_TOMBSTONE &&
		       block[1] == v->nr_children;
	return vtr_block_type(block) == v->kind->value.type &&
	       walk_text_matches(check_name_index(block), v->name + 1) &&
	       v->kind->matches(wt, v);
}

static void walk_create(struct walk_thread *wt, struct walk_value *v)
{
	u32 parent = walk_parent(wt);
	struct walk_value new = {
		.kind = &walk_kinds[walk_below(wt, ARRAY_SIZE(walk_kinds))],
		.parent = parent,
		.name = walk_below(wt, 40),
	};

	wt->node = wt->values[parent].handle;
	walk_name(new.name, wt->name);
	new.recorded = parent && new.kind->can_record && walk_below(wt, 2);
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
	vitrine_value_delete(v->handle);
	walk_gone(wt, v);
}

static void walk_compare(struct walk_thread *wt, struct walk_value *v)
{
	if (v->kind && !walk_matches(wt, v) && !wt->nr_wrong++)
		wt->first_wrong = v - wt->values;
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
		v->kind->call(wt, v);
	else if (walk_below(wt, 2))
		walk_delete(wt, v);
	walk_compare(wt, v);
}

static void walk_compare_all(struct walk_thread *wt)
{
	u32 i;

	for (i = 1; i < WALK_VALUES; i++)
		walk_compare(wt, &wt->values[i]);
}

static struct walk_thread *walk_thread_create(struct kunit *test, u64 seed)
{
	struct walk_thread *wt = zalloc(test, sizeof(*wt));

	wt->random.state = seed;
	wt->values[0].kind = &walk_kinds[0];
	wt->values[0].handle = vitrine_node_create(root, "thread");
	KUNIT_ASSERT_NOT_NULL(test, wt->values[0].handle);
	return wt;
}

static void walk_check(struct kunit *test, const struct walk_thread *wt)
{
	const struct walk_value *v = &wt->values[wt->first_wrong];

	KUNIT_ASSERT_EQ_MSG(test, wt->nr_wrong, 0,
			    "first value %u, of type %u: parent %u, name %u, len %u, words[0] %#llx",
			    wt->first_wrong, v->kind ? v->kind->value.type : 0, v->parent, v->name,
			    v->len, v->words[0]);
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
	vitrine_value_delete(wt->values[0].handle);
}

#endif /* _VTR_TESTS_TREE_WALK_H */
