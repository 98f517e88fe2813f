// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tree.c: every block in the bits of the format, names, tombstones,
 * extents, a full heap, and random walks beside a model, with all invariants checked
 * after each step.
 */

#include "inspect/array.h"
#include "fixture.h"
#include "suite.h"

#define TREE_TEST_VALUES	128	/* of the model */
#define TREE_TEST_STEPS		2000
#define TREE_TEST_TEXTS		9	/* slots of an array of strings */

/* A value of the model; if it is not @alive, it is a tombstone. */
struct tree_test_value {
	bool			used;
	bool			alive;
	bool			recorded;
	enum inspect_type	type;
	u32			index;
	u32			parent;
	u32			nr_children;
	u32			name;
	u64			bits;
	size_t			len;
	u8			texts[TREE_TEST_TEXTS];
};

static struct tree_test {
	char			name[VITRINE_NAME_MAX + 2];
	u8			bytes[VITRINE_VALUE_MAX + 1];
	struct tree_test_value	values[TREE_TEST_VALUES];
	u8			before[FIXTURE_PAGES * PAGE_SIZE];
	u8			copied[FIXTURE_PAGES * PAGE_SIZE];
	bool			is_saved[FIXTURE_PAGES];
} *tree_test;

static int tree_test_init(struct kunit *test)
{
	tree_test = zalloc(test, sizeof(*tree_test));
	return fixture_init(test);
}

static int try_buffer(u32 parent, const char *name, enum inspect_buffer_format format,
		      const void *bytes, size_t len, u32 *ret)
{
	return vtr_tree_buffer_create(tree, parent, name, format, bytes, len, ret);
}

/* Create or set a buffer of the root with the bytes of @tree_test->bytes. */
static int try_bytes(size_t len, u32 *ret)
{
	return try_buffer(INSPECT_ROOT, "b", INSPECT_BUFFER_BINARY, tree_test->bytes, len, ret);
}

static int set_bytes(u32 index, size_t len)
{
	return vtr_tree_buffer_set(tree, index, tree_test->bytes, len);
}

static u32 extent_of(u32 buffer)
{
	return block_at(buffer)[1] >> 32 & 0xffffff;
}

static u32 new_buffer(struct kunit *test, size_t len)
{
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, try_bytes(len, &index), 0);
	return index;
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
	const u64 *block = block_at(index);
	u32 extent = block[1] >> 32 & 0xffffff;
	size_t done = 0, fill;

	KUNIT_ASSERT_EQ(test, (u32)block[1], len);
	while (extent) {
		const u64 *part = block_at(extent);

		fill = min_t(size_t, len - done, vtr_block_bytes(part) - 8);
		KUNIT_ASSERT_TRUE(test, !memcmp(part + 1, tree_test->bytes + done, fill));
		done += fill;
		extent = part[0] >> 16 & 0xffffff;
	}
	KUNIT_ASSERT_EQ(test, done, len);
}

/* Index 0 is the root, which has no block but the header. */
static void new_tree_is_a_header(struct kunit *test)
{
	expect_empty(test);
}

static void value_blocks_are_as_the_format_says(struct kunit *test)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE,
		INSPECT_BOOL_VALUE,
	};
	u32 node = new_node(test, INSPECT_ROOT, "n"), index, i;
	u64 *block;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		index = new_value(test, node, "v", types[i], i & 1);
		block = block_at(index);
		KUNIT_EXPECT_EQ(test, block[0] & 0xffff, (u64)types[i] << 8);
		KUNIT_EXPECT_EQ(test, block[0] >> 16 & 0xffffff, node);
		KUNIT_EXPECT_EQ(test, block[1], i & 1);
		expect_name(test, index, "v");
	}
	block = block_at(node);
	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0x300ULL);
	KUNIT_EXPECT_EQ(test, block[0] >> 16 & 0xffffff, INSPECT_ROOT);
	KUNIT_EXPECT_EQ(test, block[1], 4ULL);
}

static void name_block_is_as_the_format_says(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "abcde");
	const u64 *name = block_at(name_of(node));

	/* order 1, one reference; five bytes */
	KUNIT_EXPECT_EQ(test, name[0], 0x0000010000000e01ULL);
	KUNIT_EXPECT_EQ(test, name[1], 0x6463626100000005ULL);
	KUNIT_EXPECT_EQ(test, name[2], 0x65ULL);
}

static void buffer_block_is_as_the_format_says(struct kunit *test)
{
	const u64 *block, *extent;
	u32 index;

	KUNIT_ASSERT_EQ(test, try_buffer(INSPECT_ROOT, "s", INSPECT_BUFFER_UTF8, "12345678", 8,
					 &index), 0);
	block = block_at(index);
	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0x700ULL);
	KUNIT_EXPECT_EQ(test, (u32)block[1], 8);
	KUNIT_EXPECT_EQ(test, block[1] >> 60, 0ULL);
	extent = block_at(block[1] >> 32);
	KUNIT_EXPECT_EQ(test, extent[0], 0x800ULL);
	KUNIT_EXPECT_EQ(test, extent[1], 0x3837363534333231ULL);
	index = new_buffer(test, 1);
	KUNIT_EXPECT_EQ(test, block_at(index)[1] >> 60, 1ULL);
}

static void same_name_is_one_block(struct kunit *test)
{
	u32 a = new_node(test, INSPECT_ROOT, "same");
	u32 b = new_node(test, a, "same");
	u32 name = name_of(a);

	KUNIT_EXPECT_EQ(test, name_of(b), name);
	KUNIT_EXPECT_EQ(test, nr_references(name), 2);
	check_now(test);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, b), 0);
	KUNIT_EXPECT_EQ(test, nr_references(name), 1);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, a), 0);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block_at(name)), INSPECT_FREE);
}

/* More names than the table has slots, some of which must share a row. */
static void names_of_one_row_are_kept_apart(struct kunit *test)
{
	u32 nodes[FIXTURE_NAMES], i;
	char name[8];

	for (i = 0; i < FIXTURE_NAMES; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		nodes[i] = new_node(test, INSPECT_ROOT, name);
	}
	for (i = 0; i < FIXTURE_NAMES; i += 2)
		KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, nodes[i]), 0);
	check_now(test);
	for (i = 1; i < FIXTURE_NAMES; i += 2) {
		u32 held = name_of(nodes[i]), other;

		snprintf(name, sizeof(name), "n%u", i);
		expect_name(test, nodes[i], name);
		if (vtr_block_type(block_at(held)) == INSPECT_NAME)
			continue;
		other = new_node(test, INSPECT_ROOT, name);
		KUNIT_EXPECT_EQ(test, name_of(other), held);
	}
}

static void name_without_a_slot_is_a_name_block(struct kunit *test)
{
	u32 a, b, i, text;
	u64 *block;

	/* every slot is taken by a name of another hash */
	text = block_at(new_node(test, INSPECT_ROOT, "n"))[0] >> 40;
	for (i = 0; i < FIXTURE_NAMES; i++)
		fixture->names[i] = (struct vtr_tree_name){ 1, text };
	a = new_node(test, INSPECT_ROOT, "aloneinit");
	b = new_node(test, INSPECT_ROOT, "aloneinit");
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
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, a), 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, b), 0);
}

/* A name belongs to the slots of its row, whether or not the next row is empty. */
static void full_row_has_no_slot(struct kunit *test)
{
	u32 i, text;

	text = block_at(new_node(test, INSPECT_ROOT, "n"))[0] >> 40;
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
	u32 first = 0, second = 0, third = 0;
	u64 *block, word;

	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, "name", &first), 0);
	block = block_at(first);
	word = block[0];
	block[0] |= INSPECT_W0_STRREF_COUNT;
	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, "name", &second), 0);
	KUNIT_EXPECT_NE(test, second, first);
	block[0] = word;
	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(tree, "name", &third), 0);
	KUNIT_EXPECT_EQ(test, third, first);
	vtr_tree_name_put(tree, first);
	vtr_tree_name_put(tree, second);
	vtr_tree_name_put(tree, third);
}

static void longest_name_fits_and_no_longer_one(struct kunit *test)
{
	u32 index = 99;

	memset(tree_test->name, 'x', VITRINE_NAME_MAX + 1);
	KUNIT_EXPECT_EQ(test,
			try_value(INSPECT_ROOT, tree_test->name, INSPECT_NODE_VALUE, 0, &index),
			-ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, try_buffer(INSPECT_ROOT, tree_test->name, INSPECT_BUFFER_UTF8, "v", 1,
					 &index), -ENAMETOOLONG);
	check_now(test);
	tree_test->name[VITRINE_NAME_MAX] = 0;
	index = new_node(test, INSPECT_ROOT, tree_test->name);
	expect_name(test, index, tree_test->name);
}

static void empty_name_is_a_name(struct kunit *test)
{
	expect_name(test, new_node(test, INSPECT_ROOT, ""), "");
}

static void deleted_parent_is_a_tombstone(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n");
	u32 value = new_value(test, node, "v", INSPECT_UINT_VALUE, 1), index;

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, node), 0);
	/* no name; parent and count stay */
	KUNIT_EXPECT_EQ(test, block_at(node)[0], 0xa00ULL);
	KUNIT_EXPECT_EQ(test, block_at(node)[1], 1ULL);
	check_now(test);
	KUNIT_EXPECT_EQ(test, try_value(node, "w", INSPECT_NODE_VALUE, 0, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, node), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, value), 0);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 0);
}

static void tombstones_go_all_the_way_up(struct kunit *test)
{
	u32 node[32], i;

	for (i = 0; i < ARRAY_SIZE(node); i++)
		node[i] = new_node(test, i ? node[i - 1] : INSPECT_ROOT, "n");
	for (i = 0; i < ARRAY_SIZE(node) - 1; i++) {
		KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, node[i]), 0);
		check_now(test);
	}
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 31);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, node[i]), 0);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 0);
}

/* The second word of the header is the generation, not a reference count. */
static void root_keeps_no_count(struct kunit *test)
{
	u64 *generation = block_at(INSPECT_ROOT) + 1;
	u32 row[2], value;

	*generation = 6;
	row[0] = new_node(test, INSPECT_ROOT, "n");
	row[1] = new_node(test, row[0], "n");
	value = new_value(test, INSPECT_ROOT, "v", INSPECT_INT_VALUE, 1);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, row[0]), 0);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, INSPECT_ROOT, row[1]), 0);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, row[1]), 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, value), 0);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
}

static void root_cannot_be_deleted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, INSPECT_ROOT), -EINVAL);
}

static void wrong_type_is_refused(struct kunit *test)
{
	u32 number = new_value(test, INSPECT_ROOT, "v", INSPECT_INT_VALUE, 1);
	u32 buffer = new_buffer(test, 5), index = 99;
	u32 extent = extent_of(buffer);
	u32 name = name_of(buffer);

	/* Blocks of the hierarchy that are no values. */
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, extent), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, name), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(tree, number, "", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, try_buffer(number, "b", INSPECT_BUFFER_UTF8, "v", 1, &index),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, index, 99);
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
		KUNIT_ASSERT_EQ(test, vtr_tree_delete(tree, index), 0);
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

static void value_of_another_shape_is_moved(struct kunit *test)
{
	static const size_t lengths[] = { 120, 56, 0, 2040, 8, 2040, 2041, 3000,
					  3 };
	u32 index, i;

	for (i = 0; i < 4; i++)
		add_page(test);
	index = new_buffer(test, 0);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		fill_bytes(i, lengths[i]);
		KUNIT_ASSERT_EQ(test, set_bytes(index, lengths[i]), 0);
		expect_bytes(test, index, lengths[i]);
		check_now(test);
	}
}

static void value_too_long_is_refused(struct kunit *test)
{
	size_t len = VITRINE_VALUE_MAX + 1;
	u32 buffer = new_buffer(test, 5), index = 99;

	KUNIT_EXPECT_EQ(test, set_bytes(buffer, len), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, try_bytes(len, &index), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, index, 99);
	expect_bytes(test, buffer, 5);
}

/* Fill the first page. Return two values that are not buddies in @ret. */
static void fill_up(struct kunit *test, u32 ret[2])
{
	u32 index = 0, nr = 0;

	while (!try_value(INSPECT_ROOT, "f", INSPECT_UINT_VALUE, 0, &index)) {
		if (nr % 2 == 0)
			ret[nr / 2 % 2] = index;
		nr++;
	}
}

static void expect_all_to_fail(struct kunit *test, u32 buffer)
{
	u32 used = tree->heap.used_bytes, index = 99;

	/* a name of five bytes takes a block of 32 */
	KUNIT_EXPECT_EQ(test, try_value(INSPECT_ROOT, "five5", INSPECT_NODE_VALUE, 0, &index),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test,
			try_buffer(INSPECT_ROOT, "five5", INSPECT_BUFFER_UTF8, "v", 1, &index),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, set_bytes(buffer, 3000), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, index, 99);
	expect_bytes(test, buffer, 5);
	check_now(test);
}

/* With zero, one and two blocks of minimum size free, so that each step fails once. */
static void what_fails_in_a_full_heap_changes_nothing(struct kunit *test)
{
	u32 buffer, value[2] = { 0 }, i;

	fill_bytes(3, 3000);
	buffer = new_buffer(test, 5);
	fill_up(test, value);
	expect_all_to_fail(test, buffer);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, vtr_tree_delete(tree, value[i]), 0);
		expect_all_to_fail(test, buffer);
	}
}

/* A chain that cannot be completed is freed. */
static void half_a_chain_is_given_back(struct kunit *test)
{
	u32 index = 99, used;

	add_page(test);
	used = tree->heap.used_bytes;
	fill_bytes(1, 60000);
	KUNIT_EXPECT_EQ(test, try_bytes(60000, &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, index, 99);
}

#include "tree_walk.h"

static void tree_walk_with_a_fixed_seed(struct kunit *test)
{
	tree_walk(test, 1);
}

static void tree_walk_with_a_fresh_seed(struct kunit *test)
{
	tree_walk(test, random_seed(test));
}

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
	KUNIT_CASE(empty_name_is_a_name),
	KUNIT_CASE(deleted_parent_is_a_tombstone),
	KUNIT_CASE(tombstones_go_all_the_way_up),
	KUNIT_CASE(root_keeps_no_count),
	KUNIT_CASE(root_cannot_be_deleted),
	KUNIT_CASE(wrong_type_is_refused),
	KUNIT_CASE(values_of_any_length_come_back),
	KUNIT_CASE(value_of_the_same_shape_is_set_in_place),
	KUNIT_CASE(value_of_another_shape_is_moved),
	KUNIT_CASE(value_too_long_is_refused),
	KUNIT_CASE(what_fails_in_a_full_heap_changes_nothing),
	KUNIT_CASE(half_a_chain_is_given_back),
	KUNIT_CASE(tree_walk_with_a_fixed_seed),
	KUNIT_CASE(tree_walk_with_a_fresh_seed),
	{}
};

VTR_KUNIT_SUITE(tree, .init = tree_test_init, .exit = check_now);
