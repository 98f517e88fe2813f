// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tree.c: every block in the bits of the format, names, tombstones,
 * extents, a full heap, and random walks beside a model, with all invariants checked
 * after each step.
 */
#include <kunit/test.h>

#include "inspect/array.h"
#include "inspect/tree.h"
#include "check.h"

#define TREE_TEST_PAGES		40
#define TREE_TEST_NAMES		16	/* slots in the table of names */
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

struct tree_test {
	struct vtr_tree		tree;
	struct check		check;
	struct vtr_tree_name	names[TREE_TEST_NAMES];
	void			*pages[TREE_TEST_PAGES];
	u32			*notes[TREE_TEST_PAGES];
	char			name[VITRINE_NAME_MAX + 2];
	u8			bytes[VITRINE_VALUE_MAX + 1];
	struct tree_test_value	values[TREE_TEST_VALUES];
	u8			before[TREE_TEST_PAGES * PAGE_SIZE];
	u8			copied[TREE_TEST_PAGES * PAGE_SIZE];
	bool			is_saved[TREE_TEST_PAGES];
};

static void tree_test_add_page(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	void *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	vtr_tree_add_page(&tt->tree, page, check_notes(test));
}

static int tree_test_init(struct kunit *test)
{
	struct tree_test *tt = kunit_kzalloc(test, sizeof(*tt), GFP_KERNEL);
	void *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tt);
	KUNIT_ASSERT_NOT_NULL(test, page);
	test->priv = tt;
	check_init(test, &tt->check, TREE_TEST_PAGES);
	tt->notes[0] = check_notes(test);
	memset(&tt->tree, 0xff, sizeof(tt->tree));
	vtr_tree_init(&tt->tree, tt->pages, page, tt->notes, tt->names,
		      TREE_TEST_NAMES);
	return 0;
}

static void tree_check_now(struct kunit *test)
{
	struct tree_test *tt = test->priv;

	check_tree(test, &tt->tree, &tt->check);
}

static u64 *block_at(struct kunit *test, u32 index)
{
	struct tree_test *tt = test->priv;

	return vtr_tree_block(&tt->tree, index);
}

static u32 new_value(struct kunit *test, u32 parent, const char *name,
		     enum inspect_type type, u64 bits)
{
	struct tree_test *tt = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_tree_value_create(&tt->tree, parent, name,
						    type, bits, &index), 0);
	return index;
}

static u32 new_node(struct kunit *test, u32 parent, const char *name)
{
	struct tree_test *tt = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_node_create(&tt->tree, parent, name, &index),
			0);
	return index;
}

static u32 new_buffer(struct kunit *test, size_t len)
{
	struct tree_test *tt = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_tree_buffer_create(&tt->tree, INSPECT_ROOT,
						     "b", INSPECT_BUFFER_BINARY,
						     tt->bytes, len, &index),
			0);
	return index;
}

/* Fill a buffer with bytes that depend on @seed and are never 0. */
static void fill_bytes(struct tree_test *tt, u64 seed, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		tt->bytes[i] = 1 + (seed + i) % 251;
}

/* The bytes of a buffer are those of @tt->bytes. */
static void expect_bytes(struct kunit *test, u32 index, size_t len)
{
	struct tree_test *tt = test->priv;
	const u64 *block = block_at(test, index);
	u32 extent = block[1] >> 32 & 0xffffff;
	size_t done = 0, fill;

	KUNIT_ASSERT_EQ(test, (u32)block[1], len);
	while (extent) {
		const u64 *part = block_at(test, extent);

		fill = min_t(size_t, len - done, vtr_block_bytes(part) - 8);
		KUNIT_ASSERT_TRUE(test, !memcmp(part + 1, tt->bytes + done,
						fill));
		done += fill;
		extent = part[0] >> 16 & 0xffffff;
	}
	KUNIT_ASSERT_EQ(test, done, len);
}

static void expect_text(struct kunit *test, u32 index, const char *text)
{
	const u64 *block = block_at(test, index);

	KUNIT_ASSERT_EQ(test, (u32)block[1], strlen(text));
	KUNIT_ASSERT_TRUE(test, !memcmp((u8 *)block + 12, text, strlen(text)));
}

/* Check a name, which is shared unless the table of names is crowded. */
static void expect_name(struct kunit *test, u32 index, const char *name)
{
	u32 text = block_at(test, index)[0] >> 40;
	const u64 *block = block_at(test, text);

	if (vtr_block_type(block) != INSPECT_NAME) {
		expect_text(test, text, name);
		return;
	}
	KUNIT_ASSERT_EQ(test, block[0] >> 16, strlen(name));
	KUNIT_ASSERT_TRUE(test, !memcmp(block + 1, name, strlen(name)));
}

/* Index 0 is the root, which has no block but the header. */
static void new_tree_is_a_header(struct kunit *test)
{
	struct tree_test *tt = test->priv;

	tree_check_now(test);
	KUNIT_EXPECT_EQ(test, tt->tree.nr_values, 0);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, 32);
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
		block = block_at(test, index);
		KUNIT_EXPECT_EQ(test, block[0] & 0xffff, (u64)types[i] << 8);
		KUNIT_EXPECT_EQ(test, block[0] >> 16 & 0xffffff, node);
		KUNIT_EXPECT_EQ(test, block[1], i & 1);
		expect_name(test, index, "v");
	}
	block = block_at(test, node);
	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0x300ULL);
	KUNIT_EXPECT_EQ(test, block[0] >> 16 & 0xffffff, INSPECT_ROOT);
	KUNIT_EXPECT_EQ(test, block[1], 4ULL);
	tree_check_now(test);
}

static void name_block_is_as_the_format_says(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "abcde");
	const u64 *name = block_at(test, block_at(test, node)[0] >> 40);

	/* order 1, one reference; five bytes */
	KUNIT_EXPECT_EQ(test, name[0], 0x0000010000000e01ULL);
	KUNIT_EXPECT_EQ(test, name[1], 0x6463626100000005ULL);
	KUNIT_EXPECT_EQ(test, name[2], 0x65ULL);
}

static void buffer_block_is_as_the_format_says(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	const u64 *block, *extent;
	u32 index;

	KUNIT_ASSERT_EQ(test, vtr_tree_buffer_create(&tt->tree, INSPECT_ROOT,
						     "s", INSPECT_BUFFER_UTF8,
						     "12345678", 8, &index), 0);
	block = block_at(test, index);
	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0x700ULL);
	KUNIT_EXPECT_EQ(test, (u32)block[1], 8);
	KUNIT_EXPECT_EQ(test, block[1] >> 60, 0ULL);
	extent = block_at(test, block[1] >> 32);
	KUNIT_EXPECT_EQ(test, extent[0], 0x800ULL);
	KUNIT_EXPECT_EQ(test, extent[1], 0x3837363534333231ULL);
	index = new_buffer(test, 1);
	KUNIT_EXPECT_EQ(test, block_at(test, index)[1] >> 60, 1ULL);
}

static void same_name_is_one_block(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 a = new_node(test, INSPECT_ROOT, "same");
	u32 b = new_node(test, a, "same");
	u32 name = block_at(test, a)[0] >> 40;

	KUNIT_EXPECT_EQ(test, block_at(test, b)[0] >> 40, name);
	KUNIT_EXPECT_EQ(test, block_at(test, name)[0] >> 40, 2ULL);
	tree_check_now(test);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, b), 0);
	KUNIT_EXPECT_EQ(test, block_at(test, name)[0] >> 40, 1ULL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, a), 0);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block_at(test, name)),
			INSPECT_FREE);
	tree_check_now(test);
}

/* More names than the table has slots, some of which must share a row. */
static void names_of_one_row_are_kept_apart(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 nodes[TREE_TEST_NAMES], i;
	char name[8];

	for (i = 0; i < TREE_TEST_NAMES; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		nodes[i] = new_node(test, INSPECT_ROOT, name);
	}
	for (i = 0; i < TREE_TEST_NAMES; i += 2)
		KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, nodes[i]), 0);
	tree_check_now(test);
	for (i = 1; i < TREE_TEST_NAMES; i += 2) {
		u32 held = block_at(test, nodes[i])[0] >> 40, other;

		snprintf(name, sizeof(name), "n%u", i);
		expect_name(test, nodes[i], name);
		if (vtr_block_type(block_at(test, held)) == INSPECT_NAME)
			continue;
		other = new_node(test, INSPECT_ROOT, name);
		KUNIT_EXPECT_EQ(test, block_at(test, other)[0] >> 40, held);
	}
	tree_check_now(test);
}

static void name_without_a_slot_is_a_name_block(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 a, b, i, text;
	u64 *block;

	/* every slot is taken by a name of another hash */
	text = block_at(test, new_node(test, INSPECT_ROOT, "n"))[0] >> 40;
	for (i = 0; i < TREE_TEST_NAMES; i++)
		tt->names[i] = (struct vtr_tree_name){ 1, text };
	a = new_node(test, INSPECT_ROOT, "aloneinit");
	b = new_node(test, INSPECT_ROOT, "aloneinit");
	KUNIT_EXPECT_NE(test, block_at(test, a)[0] >> 40,
			block_at(test, b)[0] >> 40);
	/* order 1, type 9, length 9; then the text */
	block = block_at(test, block_at(test, a)[0] >> 40);
	KUNIT_EXPECT_EQ(test, block[0], 0x90901ULL);
	KUNIT_EXPECT_EQ(test, memcmp(block + 1, "aloneinit\0\0", 11), 0);
	/* a text that is not the name of a value is still a reference */
	KUNIT_EXPECT_EQ(test, vtr_tree_name_get(&tt->tree, "slot", &text), 0);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block_at(test, text)),
			INSPECT_STRING_REFERENCE);
	vtr_tree_name_put(&tt->tree, text);
	memset(tt->names, 0, sizeof(tt->names));
	tree_check_now(test);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, a), 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, b), 0);
	tree_check_now(test);
}

/* A name belongs to the slots of its row, whether or not the next row is empty. */
static void full_row_has_no_slot(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 i, text;

	text = block_at(test, new_node(test, INSPECT_ROOT, "n"))[0] >> 40;
	memset(tt->names, 0, sizeof(tt->names));
	for (i = 0; i < NAME_ROW; i++) {
		KUNIT_EXPECT_PTR_EQ(test, name_find(&tt->tree, 0, "x", 1),
				    tt->names + i);
		tt->names[i] = (struct vtr_tree_name){ 1, text };
	}
	KUNIT_EXPECT_NULL(test, name_find(&tt->tree, 0, "x", 1));
	tt->names[NAME_ROW] = (struct vtr_tree_name){ 1, text + 1 };
	name_forget(&tt->tree, 0, text + 1);
	KUNIT_EXPECT_EQ(test, tt->names[NAME_ROW].index, text + 1);
	/* The gap is filled with the last one of the row. */
	tt->names[NAME_ROW - 1].hash = 2;
	name_forget(&tt->tree, 0, text);
	KUNIT_EXPECT_EQ(test, tt->names[0].hash, 2);
	KUNIT_EXPECT_EQ(test, tt->names[NAME_ROW - 1].index, 0);
	memset(tt->names, 0, sizeof(tt->names));
	tree_check_now(test);
}

/* Another block is created, which is not shared; the first one keeps its slot. */
static void name_with_most_references_is_not_shared(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 first = 0, second = 0, third = 0;
	u64 *block, word;

	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(&tt->tree, "name", &first), 0);
	block = block_at(test, first);
	word = block[0];
	block[0] |= INSPECT_W0_STRREF_COUNT;
	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(&tt->tree, "name", &second), 0);
	KUNIT_EXPECT_NE(test, second, first);
	block[0] = word;
	KUNIT_ASSERT_EQ(test, vtr_tree_name_get(&tt->tree, "name", &third), 0);
	KUNIT_EXPECT_EQ(test, third, first);
	vtr_tree_name_put(&tt->tree, first);
	vtr_tree_name_put(&tt->tree, second);
	vtr_tree_name_put(&tt->tree, third);
	tree_check_now(test);
}

static void longest_name_fits_and_no_longer_one(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 index = 99;

	memset(tt->name, 'x', VITRINE_NAME_MAX + 1);
	KUNIT_EXPECT_EQ(test,
			vtr_tree_value_create(&tt->tree, INSPECT_ROOT,
					      tt->name, INSPECT_NODE_VALUE, 0,
					      &index), -ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_create(&tt->tree, INSPECT_ROOT,
						     tt->name,
						     INSPECT_BUFFER_UTF8, "v",
						     1, &index), -ENAMETOOLONG);
	tree_check_now(test);
	tt->name[VITRINE_NAME_MAX] = 0;
	index = new_node(test, INSPECT_ROOT, tt->name);
	expect_name(test, index, tt->name);
	tree_check_now(test);
}

static void empty_name_is_a_name(struct kunit *test)
{
	expect_name(test, new_node(test, INSPECT_ROOT, ""), "");
	tree_check_now(test);
}

static void deleted_parent_is_a_tombstone(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 node = new_node(test, INSPECT_ROOT, "n");
	u32 value = new_value(test, node, "v", INSPECT_UINT_VALUE, 1), index;

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, node), 0);
	/* no name; parent and count stay */
	KUNIT_EXPECT_EQ(test, block_at(test, node)[0],
			0xa00ULL);
	KUNIT_EXPECT_EQ(test, block_at(test, node)[1], 1ULL);
	tree_check_now(test);
	KUNIT_EXPECT_EQ(test,
			vtr_tree_value_create(&tt->tree, node, "w",
					      INSPECT_NODE_VALUE, 0, &index),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, node), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, value), 0);
	KUNIT_EXPECT_EQ(test, tt->tree.nr_tombstones, 0);
	tree_check_now(test);
}

static void tombstones_go_all_the_way_up(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 node[32], i;

	for (i = 0; i < ARRAY_SIZE(node); i++)
		node[i] = new_node(test, i ? node[i - 1] : INSPECT_ROOT, "n");
	for (i = 0; i < ARRAY_SIZE(node) - 1; i++) {
		KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, node[i]),
				0);
		tree_check_now(test);
	}
	KUNIT_EXPECT_EQ(test, tt->tree.nr_tombstones, 31);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, node[i]), 0);
	KUNIT_EXPECT_EQ(test, tt->tree.nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, tt->tree.nr_values, 0);
	tree_check_now(test);
}

/* The second word of the header is the generation, not a reference count. */
static void root_keeps_no_count(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u64 *generation = block_at(test, INSPECT_ROOT) + 1;
	u32 row[2], value;

	*generation = 6;
	row[0] = new_node(test, INSPECT_ROOT, "n");
	row[1] = new_node(test, row[0], "n");
	value = new_value(test, INSPECT_ROOT, "v", INSPECT_INT_VALUE, 1);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, row[0]), 0);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(&tt->tree, INSPECT_ROOT, row[1]),
			0);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	KUNIT_EXPECT_EQ(test, tt->tree.nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, row[1]), 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, value), 0);
	KUNIT_EXPECT_EQ(test, *generation, 6ULL);
	tree_check_now(test);
}

static void root_cannot_be_deleted(struct kunit *test)
{
	struct tree_test *tt = test->priv;

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, INSPECT_ROOT),
			-EINVAL);
	tree_check_now(test);
}

static void wrong_type_is_refused(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 number = new_value(test, INSPECT_ROOT, "v", INSPECT_INT_VALUE, 1);
	u32 buffer = new_buffer(test, 5), index = 99;
	u32 extent = block_at(test, buffer)[1] >> 32 & 0xfffffff;
	u32 name = block_at(test, buffer)[0] >> 40;

	/* Blocks of the hierarchy that are no values. */
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, extent), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&tt->tree, name), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(&tt->tree, number, "", 0),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_create(&tt->tree, number, "b",
						     INSPECT_BUFFER_UTF8, "v",
						     1, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, index, 99);
	tree_check_now(test);
}

static void values_of_any_length_come_back(struct kunit *test)
{
	static const size_t lengths[] = {
		0, 1, 7, 8, 9, 24, 25, 1016, 1017, 2039, 2040, 2041, 4080, 4081,
		VITRINE_VALUE_MAX - 1, VITRINE_VALUE_MAX,
	};
	struct tree_test *tt = test->priv;
	u32 index, i;

	for (i = 1; i < TREE_TEST_PAGES; i++)
		tree_test_add_page(test);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		fill_bytes(tt, i, lengths[i]);
		index = new_buffer(test, lengths[i]);
		expect_bytes(test, index, lengths[i]);
		tree_check_now(test);
		KUNIT_ASSERT_EQ(test,
				vtr_tree_delete(&tt->tree, index),
				0);
		tree_check_now(test);
	}
}

static void value_of_the_same_shape_is_set_in_place(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 index, extent, used;

	fill_bytes(tt, 1, 120);
	index = new_buffer(test, 120);
	extent = block_at(test, index)[1] >> 32 & 0xffffff;
	used = tt->tree.heap.used_bytes;
	/* 57 bytes still take an extent of 128; what follows them is zero */
	fill_bytes(tt, 2, 57);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(&tt->tree, index,
						  tt->bytes, 57), 0);
	KUNIT_EXPECT_EQ(test, block_at(test, index)[1] >> 32 & 0xffffff,
			extent);
	expect_bytes(test, index, 57);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, used);
	tree_check_now(test);

	/* the largest that one extent takes, and one byte less */
	index = new_buffer(test, 2040);
	extent = block_at(test, index)[1] >> 32 & 0xffffff;
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(&tt->tree, index,
						  tt->bytes, 2039), 0);
	KUNIT_EXPECT_EQ(test, block_at(test, index)[1] >> 32 & 0xffffff,
			extent);
	tree_check_now(test);

	/* a chain of extents */
	tree_test_add_page(test);
	tree_test_add_page(test);
	fill_bytes(tt, 3, 5000);
	index = new_buffer(test, 5000);
	used = tt->tree.heap.used_bytes;
	fill_bytes(tt, 4, 5000);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(&tt->tree, index,
						  tt->bytes, 5000), 0);
	expect_bytes(test, index, 5000);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, used);
	tree_check_now(test);
}

static void value_of_another_shape_is_moved(struct kunit *test)
{
	static const size_t lengths[] = { 120, 56, 0, 2040, 8, 2040, 2041, 3000,
					  3 };
	struct tree_test *tt = test->priv;
	u32 index, i;

	for (i = 0; i < 4; i++)
		tree_test_add_page(test);
	index = new_buffer(test, 0);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		fill_bytes(tt, i, lengths[i]);
		KUNIT_ASSERT_EQ(test, vtr_tree_buffer_set(&tt->tree, index,
							  tt->bytes,
							  lengths[i]), 0);
		expect_bytes(test, index, lengths[i]);
		tree_check_now(test);
	}
}

static void value_too_long_is_refused(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	size_t len = VITRINE_VALUE_MAX + 1;
	u32 buffer = new_buffer(test, 5), index = 99;

	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(&tt->tree, buffer,
						  tt->bytes, len), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_create(&tt->tree, INSPECT_ROOT,
						     "b", INSPECT_BUFFER_BINARY,
						     tt->bytes, len, &index),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, index, 99);
	expect_bytes(test, buffer, 5);
	tree_check_now(test);
}

/* Fill the first page. Return two values that are not buddies in @ret. */
static void fill_up(struct kunit *test, u32 ret[2])
{
	struct tree_test *tt = test->priv;
	u32 index = 0, nr = 0;

	while (!vtr_tree_value_create(&tt->tree, INSPECT_ROOT, "f",
				      INSPECT_UINT_VALUE, 0, &index)) {
		if (nr % 2 == 0)
			ret[nr / 2 % 2] = index;
		nr++;
	}
}

static void expect_all_to_fail(struct kunit *test, u32 buffer)
{
	struct tree_test *tt = test->priv;
	u32 used = tt->tree.heap.used_bytes, index = 99;

	/* a name of five bytes takes a block of 32 */
	KUNIT_EXPECT_EQ(test, vtr_tree_value_create(&tt->tree, INSPECT_ROOT,
						    "five5", INSPECT_NODE_VALUE,
						    0, &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_create(&tt->tree, INSPECT_ROOT,
						     "five5",
						     INSPECT_BUFFER_UTF8, "v",
						     1, &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_set(&tt->tree, buffer,
						  tt->bytes, 3000), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, index, 99);
	expect_bytes(test, buffer, 5);
	tree_check_now(test);
}

/* With zero, one and two blocks of minimum size free, so that each step fails once. */
static void what_fails_in_a_full_heap_changes_nothing(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 buffer, value[2] = { 0 }, i;

	fill_bytes(tt, 3, 3000);
	buffer = new_buffer(test, 5);
	fill_up(test, value);
	expect_all_to_fail(test, buffer);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test,
				vtr_tree_delete(&tt->tree, value[i]), 0);
		expect_all_to_fail(test, buffer);
	}
}

/* A chain that cannot be completed is freed. */
static void half_a_chain_is_given_back(struct kunit *test)
{
	struct tree_test *tt = test->priv;
	u32 index = 99, used;

	tree_test_add_page(test);
	used = tt->tree.heap.used_bytes;
	fill_bytes(tt, 1, 60000);
	KUNIT_EXPECT_EQ(test, vtr_tree_buffer_create(&tt->tree, INSPECT_ROOT,
						     "b", INSPECT_BUFFER_BINARY,
						     tt->bytes, 60000, &index),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, tt->tree.heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, index, 99);
	tree_check_now(test);
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
	struct tree_test *tt = test->priv;
	char *name = tt->name;
	unsigned int len, i;
	u32 index = 0;
	u64 *block;

	for (len = 0; len < 3 * sizeof(u64); len++) {
		memset(name, 'a', len + 1);
		name[len] = 0;
		KUNIT_ASSERT_EQ(test, vtr_tree_name_get(&tt->tree, name, &index), 0);
		block = vtr_tree_block(&tt->tree, index);
		KUNIT_EXPECT_TRUE(test, name_matches(block, name, len));
		name[len] = 'a';
		KUNIT_EXPECT_FALSE(test, name_matches(block, name, len + 1));
		for (i = 0; i < len; i++) {
			name[i] = 'b';
			KUNIT_EXPECT_FALSE(test, name_matches(block, name, len));
			name[i] = 'a';
		}
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

static struct kunit_suite tree_suite = {
	.name = "vitrine_tree",
	.init = tree_test_init,
	.test_cases = tree_cases,
};

kunit_test_suite(tree_suite);
