// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tree.c: every block in the bits of the format, names, tombstones,
 * extents, a full heap, and random walks beside a model, with all invariants checked
 * after each step.
 */

#include "fixture.h"

#define TREE_TEST_STEPS		2000

static struct tree_test {
	char	name[VITRINE_NAME_MAX + 2];
	u8	bytes[VITRINE_VALUE_MAX + 1];
	u8	before[FIXTURE_PAGES * PAGE_SIZE];
	u8	copied[FIXTURE_PAGES * PAGE_SIZE];
	bool	is_saved[FIXTURE_PAGES];
} *tree_test;

static int tree_test_init(struct kunit *test)
{
	tree_test = zalloc(test, sizeof(*tree_test));
	return fixture_init(test);
}

static int set_bytes(u32 index, size_t len)
{
	return vtr_tree_buffer_set(tree, index, tree_test->bytes, len);
}

static u32 extent_of(u32 buffer)
{
	return check_extent(block_at(buffer));
}

/* Create a buffer of the root with the bytes of @tree_test->bytes. */
static int try_bytes(size_t len)
{
	return try_buffer(INSPECT_ROOT, "b", INSPECT_BUFFER_BINARY, tree_test->bytes, len);
}

static u32 new_buffer(struct kunit *test, size_t len)
{
	KUNIT_ASSERT_EQ(test, try_bytes(len), 0);
	return made;
}

/* Fill a buffer with bytes that depend on @seed and are never 0. */
static void fill_bytes(u64 seed, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		tree_test->bytes[i] = 1 + (seed + i) % 251;
}

/* The bytes of a buffer are those of @tree_test->bytes. */
static void expect_bytes(struct kunit *test, u32 index, size_t len)
{
	KUNIT_ASSERT_EQ_MSG(test, check_has_bytes(tree, block_at(index), tree_test->bytes, len),
			    true, "%zu bytes", len);
}

/* Index 0 is the root, which has no block but the header, and cannot be deleted. */
static void new_tree_is_a_header(struct kunit *test)
{
	expect_empty(test);
	EXPECT_REFUSED(test, -EINVAL, vtr_tree_delete(tree, INSPECT_ROOT));
}

static void value_blocks_are_as_the_format_says(struct kunit *test)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE, INSPECT_BOOL_VALUE,
	};
	u32 node = new_node(test, INSPECT_ROOT), index, i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		index = new_value(test, node, "v", types[i], i & 1);
		expect_block(test, index, types[i] << 8, node, i & 1);
		expect_name(test, index, "v");
	}
	expect_block(test, node, 0x300, INSPECT_ROOT, 4);
}

static void name_block_is_as_the_format_says(struct kunit *test)
{
	u32 node = new_value(test, INSPECT_ROOT, "abcde", INSPECT_NODE_VALUE, 0);
	const u64 *name = block_at(name_of(node));

	/* order 1, one reference; five bytes */
	KUNIT_EXPECT_EQ(test, name[0], 0x0000010000000e01ULL);
	KUNIT_EXPECT_EQ(test, name[1], 0x6463626100000005ULL);
	KUNIT_EXPECT_EQ(test, name[2], 0x65ULL);
	/* An empty name is a name. */
	expect_name(test, new_value(test, INSPECT_ROOT, "", INSPECT_NODE_VALUE, 0), "");
}

static void buffer_block_is_as_the_format_says(struct kunit *test)
{
	const u64 *extent;
	u32 index;

	KUNIT_ASSERT_EQ(test, try_buffer(INSPECT_ROOT, "s", INSPECT_BUFFER_UTF8, "12345678", 8), 0);
	index = extent_of(made);
	expect_block(test, made, 0x700, INSPECT_ROOT, 8 | (u64)index << 32);
	extent = block_at(index);
	KUNIT_EXPECT_EQ(test, extent[0], 0x800ULL);
	KUNIT_EXPECT_EQ(test, extent[1], 0x3837363534333231ULL);
	KUNIT_EXPECT_EQ(test, block_at(new_buffer(test, 1))[1] >> 60, 1ULL);
}

static void same_name_is_one_block(struct kunit *test)
{
	u32 a = new_node(test, INSPECT_ROOT), b = new_node(test, a), name = name_of(a);

	KUNIT_EXPECT_EQ(test, name_of(b), name);
	KUNIT_EXPECT_EQ(test, nr_references(name), 2);
	check_now(test);
	delete_value(test, b);
	KUNIT_EXPECT_EQ(test, nr_references(name), 1);
	delete_value(test, a);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block_at(name)), INSPECT_FREE);
}

/* Create a node; its name is in tree_test->name. */
static u32 new_numbered(struct kunit *test, u32 number)
{
	scnprintf(tree_test->name, sizeof(tree_test->name), "n%u", number);
	return new_value(test, INSPECT_ROOT, tree_test->name, INSPECT_NODE_VALUE, 0);
}

/* More names than the table has slots, some of which must share a row. */
static void names_of_one_row_are_kept_apart(struct kunit *test)
{
	u32 nodes[FIXTURE_NAMES], i;

	for (i = 0; i < FIXTURE_NAMES; i++)
		nodes[i] = new_numbered(test, i);
	for (i = 0; i < FIXTURE_NAMES; i += 2)
		delete_value(test, nodes[i]);
	check_now(test);
	for (i = 1; i < FIXTURE_NAMES; i += 2) {
		u32 held = name_of(nodes[i]), other = new_numbered(test, i);

		expect_name(test, nodes[i], tree_test->name);
		if (vtr_block_type(block_at(held)) != INSPECT_NAME)
			KUNIT_EXPECT_EQ(test, name_of(other), held);
	}
}

static void name_without_a_slot_is_a_name_block(struct kunit *test)
{
	u32 a, b, i, text = name_of(new_node(test, INSPECT_ROOT));
	u64 *block;

	/* every slot is taken by a name of another hash */
	for (i = 0; i < FIXTURE_NAMES; i++)
		fixture->names[i] = (struct vtr_tree_name){ 1, text };
	a = new_value(test, INSPECT_ROOT, "aloneinit", INSPECT_NODE_VALUE, 0);
	b = new_value(test, INSPECT_ROOT, "aloneinit", INSPECT_NODE_VALUE, 0);
	KUNIT_EXPECT_NE(test, name_of(a), name_of(b));
	/* order 1, type 9, length 9; then the text */
	block = block_at(name_of(a));
	KUNIT_EXPECT_EQ(test, block[0], 0x90901ULL);
	KUNIT_EXPECT_EQ(test, memcmp(block + 1, "aloneinit\0\0", 11), 0);
	/* a text that is not the name of a value is still a reference */
	KUNIT_EXPECT_EQ(test, vtr_tree_name_get(tree, "slot", &text), 0);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block_at(text)), INSPECT_STRING_REFERENCE);
	vtr_tree_name_put(tree, text);
	memset(fixture->names, 0, sizeof(fixture->names));
	check_now(test);
	delete_value(test, a);
	delete_value(test, b);
}

/* A name belongs to the slots of its row, whether or not the next row is empty. */
static void full_row_has_no_slot(struct kunit *test)
{
	u32 i, text = name_of(new_node(test, INSPECT_ROOT));

	memset(fixture->names, 0, sizeof(fixture->names));
	for (i = 0; i < NAME_ROW; i++) {
		KUNIT_EXPECT_PTR_EQ(test, name_find(tree, 0, "x", 1), fixture->names + i);
		fixture->names[i] = (struct vtr_tree_name){ 1, text };
	}
	KUNIT_EXPECT_NULL(test, name_find(tree, 0, "x", 1));
	fixture->names[NAME_ROW] = (struct vtr_tree_name){ 1, text + 1 };
	/* The gap is filled with the last one of the row. */
	fixture->names[NAME_ROW - 1].hash = 2;
	slot_empty(tree, fixture->names);
	KUNIT_EXPECT_EQ(test, fixture->names[0].hash, 2);
	KUNIT_EXPECT_EQ(test, fixture->names[NAME_ROW - 1].index, 0);
	KUNIT_EXPECT_EQ(test, fixture->names[NAME_ROW].index, text + 1);
	memset(fixture->names, 0, sizeof(fixture->names));
}

/* Another block is created, which is not shared; the first one keeps its slot. */
static void name_with_most_references_is_not_shared(struct kunit *test)
{
	u32 text[3] = { 0 }, i;
	u64 word;

	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, "name", &text[0]), 0);
	word = block_at(text[0])[0];
	block_at(text[0])[0] |= INSPECT_W0_STRREF_COUNT;
	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, "name", &text[1]), 0);
	KUNIT_EXPECT_NE(test, text[1], text[0]);
	block_at(text[0])[0] = word;
	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, "name", &text[2]), 0);
	KUNIT_EXPECT_EQ(test, text[2], text[0]);
	for (i = 0; i < ARRAY_SIZE(text); i++)
		vtr_tree_name_put(tree, text[i]);
}

static void longest_name_fits_and_no_longer_one(struct kunit *test)
{
	char *name = tree_test->name;
	u32 index;

	memset(name, 'x', VITRINE_NAME_MAX + 1);
	EXPECT_REFUSED(test, -ENAMETOOLONG,
		       try_value(INSPECT_ROOT, name, INSPECT_NODE_VALUE, 0));
	EXPECT_REFUSED(test, -ENAMETOOLONG,
		       try_buffer(INSPECT_ROOT, name, INSPECT_BUFFER_UTF8, "v", 1));
	name[VITRINE_NAME_MAX] = 0;
	index = new_value(test, INSPECT_ROOT, name, INSPECT_NODE_VALUE, 0);
	expect_name(test, index, name);
}

static void deleted_parent_is_a_tombstone(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), value = new_number(test, node);

	delete_value(test, node);
	/* no name; parent and count stay */
	KUNIT_EXPECT_EQ(test, block_at(node)[0], 0xa00ULL);
	KUNIT_EXPECT_EQ(test, block_at(node)[1], 1ULL);
	EXPECT_REFUSED(test, -EINVAL, try_value(node, "w", INSPECT_NODE_VALUE, 0));
	EXPECT_REFUSED(test, -EINVAL, vtr_tree_delete(tree, node));
	delete_value(test, value);
	expect_empty(test);
}

/* The second word of the header is the generation, not a reference count. */
static void root_keeps_no_count(struct kunit *test)
{
	u64 *generation = block_at(INSPECT_ROOT) + 1;
	u32 above, below, value;

	*generation = 6;
	above = new_node(test, INSPECT_ROOT);
	below = new_node(test, above);
	value = new_number(test, INSPECT_ROOT);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	delete_value(test, above);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, INSPECT_ROOT, below), 0);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	delete_value(test, below);
	delete_value(test, value);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	expect_empty(test);
}

static void wrong_type_or_length_is_refused(struct kunit *test)
{
	u32 number = new_number(test, INSPECT_ROOT), buffer = new_buffer(test, 5);

	/* Blocks of the hierarchy that are no values. */
	EXPECT_REFUSED(test, -EINVAL, vtr_tree_delete(tree, extent_of(buffer)));
	EXPECT_REFUSED(test, -EINVAL, vtr_tree_delete(tree, name_of(buffer)));
	EXPECT_REFUSED(test, -EINVAL, vtr_tree_buffer_set(tree, number, "", 0));
	EXPECT_REFUSED(test, -EINVAL, try_buffer(number, "b", INSPECT_BUFFER_UTF8, "v", 1));
	EXPECT_REFUSED(test, -EMSGSIZE, set_bytes(buffer, VITRINE_VALUE_MAX + 1));
	EXPECT_REFUSED(test, -EMSGSIZE, try_bytes(VITRINE_VALUE_MAX + 1));
	expect_bytes(test, buffer, 5);
}

static void values_of_any_length_come_back(struct kunit *test)
{
	static const size_t lengths[] = {
		0, 1, 7, 8, 9, 24, 25, 1016, 1017, 2039, 2040, 2041, 4080, 4081,
		VITRINE_VALUE_MAX - 1, VITRINE_VALUE_MAX,
	};
	u32 index, i;

	for (i = 1; i < FIXTURE_PAGES; i++)
		add_page(test);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		fill_bytes(i, lengths[i]);
		index = new_buffer(test, lengths[i]);
		expect_bytes(test, index, lengths[i]);
		check_now(test);
		delete_value(test, index);
		check_now(test);
	}
}

static void value_of_the_same_shape_is_set_in_place(struct kunit *test)
{
	u32 index, extent, used;

	fill_bytes(1, 120);
	index = new_buffer(test, 120);
	extent = extent_of(index);
	used = tree->heap.used_bytes;
	/* 57 bytes still take an extent of 128; what follows them is zero */
	fill_bytes(2, 57);
	KUNIT_EXPECT_EQ(test, set_bytes(index, 57), 0);
	KUNIT_EXPECT_EQ(test, extent_of(index), extent);
	expect_bytes(test, index, 57);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	check_now(test);

	/* the largest that one extent takes, and one byte less */
	index = new_buffer(test, 2040);
	extent = extent_of(index);
	KUNIT_EXPECT_EQ(test, set_bytes(index, 2039), 0);
	KUNIT_EXPECT_EQ(test, extent_of(index), extent);
	check_now(test);

	/* a chain of extents */
	add_page(test);
	add_page(test);
	fill_bytes(3, 5000);
	index = new_buffer(test, 5000);
	used = tree->heap.used_bytes;
	fill_bytes(4, 5000);
	KUNIT_EXPECT_EQ(test, set_bytes(index, 5000), 0);
	expect_bytes(test, index, 5000);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
}

static void expect_all_to_fail(struct kunit *test, u32 buffer)
{
	/* a name of five bytes takes a block of 32 */
	EXPECT_REFUSED(test, -ENOSPC, try_value(INSPECT_ROOT, "five5", INSPECT_NODE_VALUE, 0));
	EXPECT_REFUSED(test, -ENOSPC,
		       try_buffer(INSPECT_ROOT, "five5", INSPECT_BUFFER_UTF8, "v", 1));
	EXPECT_REFUSED(test, -ENOSPC, set_bytes(buffer, 3000));
	expect_bytes(test, buffer, 5);
}

/* With zero, one and two blocks of minimum size free, so that each step fails once. */
static void what_fails_in_a_full_heap_changes_nothing(struct kunit *test)
{
	u32 buffer, i;

	fill_bytes(3, 3000);
	buffer = new_buffer(test, 5);
	fill_heap();
	expect_all_to_fail(test, buffer);
	/* Two values that are not buddies. */
	for (i = 0; i < 4; i += 2) {
		delete_value(test, fixture->filled[i]);
		expect_all_to_fail(test, buffer);
	}
}

/* A chain that cannot be completed is freed. */
static void half_a_chain_is_given_back(struct kunit *test)
{
	add_page(test);
	fill_bytes(1, 60000);
	EXPECT_REFUSED(test, -ENOSPC, try_bytes(60000));
}

#ifndef __KERNEL__
/*
 * Random walks through tree.c and array.c, as publish.c calls them, but without its lock. After
 * each step the tree is compared with the model and all invariants are checked. In a kernel,
 * the suite "inspect" walks through publish.c itself.
 */
static struct kunit *walk_test;
static struct vitrine_node *root;

static const struct vtr_tree *walk_tree(void)
{
	return tree;
}

static u32 walk_index(const void *handle)
{
	u32 page = 0;

	while (handle < tree->heap.pages[page] || handle >= tree->heap.pages[page] + PAGE_SIZE)
		page++;
	return page * VTR_HEAP_BLOCKS_PER_PAGE +
	       (handle - tree->heap.pages[page]) / INSPECT_MIN_BLOCK_BYTES;
}

static int create_value(u32 parent, const char *name, const struct vitrine_value *value)
{
	char content[64 + sizeof(".inspect")];

	switch (value->type) {
	case INSPECT_BUFFER_VALUE:
		return try_buffer(parent, name, value->format, value->bytes, value->len_bytes);
	case INSPECT_ARRAY_VALUE:
		return vtr_array_create(tree, parent, name, value, &made);
	case INSPECT_LINK_VALUE:
		scnprintf(content, sizeof(content), "%s.inspect", (const char *)value->bytes);
		return vtr_link_create(tree, parent, name, content, value->format, &made);
	}
	if (value->is_list)
		return vtr_fifo_create(tree, parent, name, value->count, &made);
	return try_value(parent, name, value->type, value->bits);
}

/* Expect that a call failed only for want of room. Return true if it did not fail. */
static bool has_room(int err)
{
	if (err)
		KUNIT_EXPECT_EQ(walk_test, err, -ENOSPC);
	return !err;
}

void *vitrine_value_create(struct vitrine_node *parent, const char *name,
			   const struct vitrine_value *value)
{
	if (!has_room(create_value(walk_index(parent), name, value)))
		return NULL;
	if (value->is_recorded)
		record(walk_index(parent), 0);
	return block_at(made);
}

/* A block whose words are changed: a copy gets its page before. */
static u64 *change(void *handle)
{
	vtr_heap_save(&tree->heap, walk_index(handle));
	return handle;
}

void vitrine_number_set(void *number, u8 type, u64 bits)
{
	change(number)[1] = bits;
}

void vitrine_number_add(void *number, u8 type, u64 delta)
{
	change(number)[1] += delta;
}

void vitrine_slot_set(void *array, u8 type, unsigned int slot, u64 bits)
{
	vtr_array_numbers(change(array))[slot] = bits;
}

void vitrine_slot_add(void *array, u8 type, unsigned int slot, u64 delta)
{
	vtr_array_numbers(change(array))[slot] += delta;
}

void vitrine_int_histogram_insert_many(struct vitrine_int_histogram *histogram, s64 value,
				       u64 count)
{
	vitrine_slot_add(histogram, INSPECT_INT_VALUE,
			 vtr_histogram_slot((u64 *)histogram, true, value), count);
}

void vitrine_uint_histogram_insert_many(struct vitrine_uint_histogram *histogram, u64 value,
					u64 count)
{
	vitrine_slot_add(histogram, INSPECT_UINT_VALUE,
			 vtr_histogram_slot((u64 *)histogram, false, value), count);
}

void vitrine_double_histogram_set(struct vitrine_double_histogram *histogram,
				  unsigned int bucket, struct vitrine_f64 count)
{
	vitrine_slot_set(histogram, INSPECT_DOUBLE_VALUE,
			 bucket + vtr_histogram_underflow((u64 *)histogram), count.bits);
}

void vitrine_buffer_set(void *buffer, const void *bytes, size_t len_bytes)
{
	has_room(vtr_tree_buffer_set(tree, walk_index(buffer), bytes, len_bytes));
}

void vitrine_string_array_set(struct vitrine_string_array *array, unsigned int slot,
			      const char *value)
{
	has_room(vtr_array_string_set(tree, walk_index(array), slot, value));
}

void vitrine_node_adopt(struct vitrine_node *parent, struct vitrine_node *child)
{
	int err = vtr_node_adopt(tree, walk_index(parent), walk_index(child));

	KUNIT_EXPECT_TRUE(walk_test, !err || err == -ELOOP);
}

static void purge(u32 index)
{
	while (vtr_tree_purge(tree, index, 3))
		check_now(walk_test);
}

struct vitrine_node *vitrine_list_append_values(struct vitrine_list *list,
						const struct vitrine_value *values,
						unsigned int nr_values)
{
	u32 item = 0, dropped = 0;

	if (!has_room(vtr_fifo_append(tree, walk_index(list), &item, &dropped)))
		return NULL;
	if (dropped)
		purge(dropped);
	return (struct vitrine_node *)block_at(item);
}

void vitrine_value_delete(void *handle)
{
	bool is_node = vtr_block_type(handle) == INSPECT_NODE_VALUE;
	u32 index = walk_index(handle);

	delete_value(walk_test, index);
	if (is_node)
		purge(index);
}

#include "tree_walk.h"

/* Make a call while a copy of the tree is made, which must be the tree before the call. */
static void copied_call(struct kunit *test, struct walk_thread *wt)
{
	struct vtr_heap *heap = &tree->heap;
	struct vtr_heap_copy copy = {
		.bytes = tree_test->copied,
		.is_saved = tree_test->is_saved,
		.nr_pages = heap->nr_pages,
	};
	u32 i;

	for (i = 0; i < copy.nr_pages; i++)
		memcpy(tree_test->before + i * PAGE_SIZE, heap->pages[i], PAGE_SIZE);
	memset(tree_test->is_saved, 0, sizeof(tree_test->is_saved));
	heap->copy = &copy;
	walk_call(wt);
	for (i = 0; i < copy.nr_pages; i++)
		vtr_heap_save(heap, i * VTR_HEAP_BLOCKS_PER_PAGE);
	heap->copy = NULL;
	KUNIT_ASSERT_TRUE(test, !memcmp(tree_test->before, tree_test->copied,
					copy.nr_pages * PAGE_SIZE));
}

/* Return the number of moves that were refused, because they would have made a cycle. */
static unsigned long tree_walk(struct kunit *test, u64 seed)
{
	struct walk_thread *wt;
	u32 i;

	walk_test = test;
	root = (struct vitrine_node *)block_at(INSPECT_ROOT);
	wt = walk_thread_create(test, seed);
	for (i = 0; i < TREE_TEST_STEPS; i++) {
		/* small enough to be full for a while */
		if (i % (TREE_TEST_STEPS / 4) == 0)
			add_page(test);
		copied_call(test, wt);
		walk_compare_all(wt);
		walk_check(test, wt);
		check_now(test);
	}
	walk_end(test, wt);
	expect_empty(test);
	return wt->nr_cycles;
}

static void tree_walk_with_a_fixed_seed(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, tree_walk(test, 1), 0);
}

static void tree_walk_with_a_fresh_seed(struct kunit *test)
{
	tree_walk(test, random_seed(test));
}
#endif /* __KERNEL__ */

/* Two names may have the same hash, so each byte of a name is compared. */
static void name_differs_in_any_byte(struct kunit *test)
{
	char *name = tree_test->name;
	unsigned int len, i;
	u32 index = 0;
	u64 *block;

	for (len = 0; len < 3 * sizeof(u64); len++) {
		memset(name, 'a', len + 1);
		name[len] = 0;
		KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, name, &index), 0);
		block = block_at(index);
		KUNIT_EXPECT_TRUE(test, name_matches(block, name, len));
		name[len] = 'a';
		KUNIT_EXPECT_FALSE(test, name_matches(block, name, len + 1));
		for (i = 0; i < len; i++) {
			name[i] = 'b';
			KUNIT_EXPECT_FALSE(test, name_matches(block, name, len));
			name[i] = 'a';
		}
		vtr_tree_name_put(tree, index);
	}
}

static struct kunit_case tree_cases[] = {
	KUNIT_CASE(new_tree_is_a_header),
	KUNIT_CASE(value_blocks_are_as_the_format_says),
	KUNIT_CASE(name_block_is_as_the_format_says),
	KUNIT_CASE(buffer_block_is_as_the_format_says),
	KUNIT_CASE(same_name_is_one_block),
	KUNIT_CASE(names_of_one_row_are_kept_apart),
	KUNIT_CASE(name_differs_in_any_byte),
	KUNIT_CASE(full_row_has_no_slot),
	KUNIT_CASE(name_with_most_references_is_not_shared),
	KUNIT_CASE(name_without_a_slot_is_a_name_block),
	KUNIT_CASE(longest_name_fits_and_no_longer_one),
	KUNIT_CASE(deleted_parent_is_a_tombstone),
	KUNIT_CASE(root_keeps_no_count),
	KUNIT_CASE(wrong_type_or_length_is_refused),
	KUNIT_CASE(values_of_any_length_come_back),
	KUNIT_CASE(value_of_the_same_shape_is_set_in_place),
	KUNIT_CASE(what_fails_in_a_full_heap_changes_nothing),
	KUNIT_CASE(half_a_chain_is_given_back),
#ifndef __KERNEL__
	KUNIT_CASE(tree_walk_with_a_fixed_seed),
	KUNIT_CASE(tree_walk_with_a_fresh_seed),
#endif
	{}
};

VTR_KUNIT_SUITE(tree, .init = tree_test_init, .exit = check_now);
