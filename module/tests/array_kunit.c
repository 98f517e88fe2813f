// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of array.c: arrays in the bits of the format, references of their strings,
 * limits, a full heap. Random walks are in the suite of tree.c.
 */

#include "fixture.h"
#include "suite.h"

static int try_array(struct kunit *test, enum inspect_type type, unsigned int count, u32 *ret)
{
	const struct vitrine_value value = { .slot_type = type, .count = count };

	return vtr_array_create(tree, INSPECT_ROOT, "a", &value, ret);
}

static u32 new_array(struct kunit *test, enum inspect_type type, unsigned int count)
{
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, try_array(test, type, count, &index), 0);
	return index;
}

static void delete_array(struct kunit *test, u32 index)
{
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, index), 0);
}

static int set_text(u32 index, unsigned int slot, const char *text)
{
	return vtr_array_string_set(tree, index, slot, text);
}

static u32 text_at(u32 index, unsigned int slot)
{
	return ((u32 *)(block_at(index) + 2))[slot];
}

static void number_array_is_as_the_format_says(struct kunit *test)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE,
	};
	u64 *block;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		block = block_at(new_array(test, types[i], 3));
		/* order 2: 16 bytes and three slots of 8 */
		KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0xb02ULL);
		KUNIT_EXPECT_EQ(test, block[0] >> 16 & 0xffffff, INSPECT_ROOT);
		KUNIT_EXPECT_EQ(test, block[1], 0x300ULL | types[i]);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(block + 2, 0, 48));
		KUNIT_EXPECT_PTR_EQ(test, vtr_array_numbers(block), block + 2);
		check_now(test);
	}
}

static void string_array_is_as_the_format_says(struct kunit *test)
{
	u32 index = new_array(test, INSPECT_STRING_REFERENCE, 5);
	u64 *block = block_at(index);

	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0xb02ULL);
	KUNIT_EXPECT_EQ(test, block[1], 0x50eULL);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(block + 2, 0, 48));
	KUNIT_EXPECT_EQ(test, set_text(index, 1, "one"), 0);
	KUNIT_EXPECT_EQ(test, block[2] & 0xffffffff, 0ULL);
	block = block_at(block[2] >> 32);
	KUNIT_EXPECT_EQ(test, block[0], 0x0000010000000e00ULL);
	KUNIT_EXPECT_EQ(test, block[1], 0x656e6f00000003ULL);
}

static void equal_strings_are_one_block(struct kunit *test)
{
	u32 a = new_array(test, INSPECT_STRING_REFERENCE, 4);
	u32 b = new_array(test, INSPECT_STRING_REFERENCE, 4), text;

	KUNIT_EXPECT_EQ(test, set_text(a, 0, "same"), 0);
	KUNIT_EXPECT_EQ(test, set_text(a, 3, "same"), 0);
	KUNIT_EXPECT_EQ(test, set_text(b, 2, "same"), 0);
	text = text_at(a, 0);
	KUNIT_EXPECT_EQ(test, text_at(a, 3), text);
	KUNIT_EXPECT_EQ(test, text_at(b, 2), text);
	KUNIT_EXPECT_EQ(test, nr_references(text), 3);
	check_now(test);

	/* the same text, another text, no text */
	KUNIT_EXPECT_EQ(test, set_text(a, 0, "same"), 0);
	KUNIT_EXPECT_EQ(test, nr_references(text), 3);
	KUNIT_EXPECT_EQ(test, set_text(a, 0, "other"), 0);
	KUNIT_EXPECT_EQ(test, nr_references(text), 2);
	KUNIT_EXPECT_EQ(test, set_text(b, 2, ""), 0);
	KUNIT_EXPECT_EQ(test, text_at(b, 2), 0);
	KUNIT_EXPECT_EQ(test, nr_references(text), 1);
	check_now(test);

	/* the name of both arrays is shared with slots, too */
	KUNIT_EXPECT_EQ(test, set_text(b, 0, "a"), 0);
	KUNIT_EXPECT_EQ(test, nr_references(text_at(b, 0)), 3);
	delete_array(test, a);
	check_now(test);
	delete_array(test, b);
}

static void deletion_gives_everything_back(struct kunit *test)
{
	u32 used = tree->heap.used_bytes, i;
	u32 a = new_array(test, INSPECT_STRING_REFERENCE, 26);
	char text[2] = { 0 };

	for (i = 0; i < 26; i++) {
		text[0] = 'a' + i;
		KUNIT_ASSERT_EQ(test, set_text(a, i, text), 0);
	}
	check_now(test);
	delete_array(test, a);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
}

static void largest_arrays_fit_and_no_larger_ones(struct kunit *test)
{
	u32 index = 99, used = tree->heap.used_bytes;

	KUNIT_EXPECT_EQ(test, try_array(test, INSPECT_INT_VALUE, 255, &index), -ERANGE);
	KUNIT_EXPECT_EQ(test, try_array(test, INSPECT_UINT_VALUE, UINT_MAX, &index), -ERANGE);
	KUNIT_EXPECT_EQ(test, try_array(test, INSPECT_STRING_REFERENCE, 256, &index), -ERANGE);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	index = new_array(test, INSPECT_DOUBLE_VALUE, 254);
	memset(vtr_array_numbers(block_at(index)), 0xff, 254 * sizeof(u64));
	check_now(test);
	delete_array(test, index);
	index = new_array(test, INSPECT_STRING_REFERENCE, 255);
	KUNIT_EXPECT_EQ(test, set_text(index, 254, "last"), 0);
	check_now(test);
	index = new_array(test, INSPECT_STRING_REFERENCE, 0);
	KUNIT_EXPECT_EQ(test, set_text(index, 0, "none"), -ERANGE);
}

static void slot_or_text_out_of_range_is_refused(struct kunit *test)
{
	u32 index = new_array(test, INSPECT_STRING_REFERENCE, 3), text;
	char *longest = zalloc(test, VITRINE_NAME_MAX + 2);

	KUNIT_EXPECT_EQ(test, set_text(index, 0, "kept"), 0);
	text = text_at(index, 0);
	KUNIT_EXPECT_EQ(test, set_text(index, 3, "x"), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_text(index, UINT_MAX, "x"), -ERANGE);
	memset(longest, 'x', VITRINE_NAME_MAX + 1);
	KUNIT_EXPECT_EQ(test, set_text(index, 0, longest), -ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, text_at(index, 0), text);
	longest[VITRINE_NAME_MAX] = 0;
	KUNIT_EXPECT_EQ(test, set_text(index, 0, longest), 0);
}

static void array_of_another_kind_is_refused(struct kunit *test)
{
	u32 a = new_array(test, INSPECT_UINT_VALUE, 3), index;

	KUNIT_EXPECT_EQ(test, set_text(a, 0, "x"), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_text(INSPECT_ROOT, 0, "x"), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, INSPECT_ROOT), -EINVAL);
	KUNIT_EXPECT_EQ(test, try_value(a, "n", INSPECT_NODE_VALUE, 0, &index), -EINVAL);
}

static void a_full_heap_leaves_strings_as_they_were(struct kunit *test)
{
	u32 a = new_array(test, INSPECT_STRING_REFERENCE, 2), index = 99, used;

	KUNIT_EXPECT_EQ(test, set_text(a, 0, "kept"), 0);
	while (!try_value(INSPECT_ROOT, "a", INSPECT_UINT_VALUE, 0, &index))
		;
	used = tree->heap.used_bytes;
	KUNIT_EXPECT_EQ(test, set_text(a, 0, "not there yet"), -ENOSPC);
	KUNIT_EXPECT_EQ(test, try_array(test, INSPECT_INT_VALUE, 1, &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	/* a text that exists takes no room */
	KUNIT_EXPECT_EQ(test, set_text(a, 1, "kept"), 0);
}

/* The count of references has 24 bits, and slots are smaller than blocks. */
static void string_with_all_references_is_stored_again(struct kunit *test)
{
	u32 a = new_array(test, INSPECT_STRING_REFERENCE, 2);
	u64 *text;

	KUNIT_EXPECT_EQ(test, set_text(a, 0, "many"), 0);
	text = block_at(text_at(a, 0));
	text[0] |= 0xffffffULL << 40;
	KUNIT_EXPECT_EQ(test, set_text(a, 1, "many"), 0);
	KUNIT_EXPECT_NE(test, text_at(a, 1), text_at(a, 0));
	KUNIT_EXPECT_EQ(test, nr_references(text_at(a, 0)), 0xffffff);
	KUNIT_EXPECT_EQ(test, nr_references(text_at(a, 1)), 1);
	text[0] &= ~(0xfffffeULL << 40);
	check_now(test);
	delete_array(test, a);
}

static struct kunit_case array_cases[] = {
	KUNIT_CASE(number_array_is_as_the_format_says),
	KUNIT_CASE(string_array_is_as_the_format_says),
	KUNIT_CASE(equal_strings_are_one_block),
	KUNIT_CASE(deletion_gives_everything_back),
	KUNIT_CASE(largest_arrays_fit_and_no_larger_ones),
	KUNIT_CASE(slot_or_text_out_of_range_is_refused),
	KUNIT_CASE(array_of_another_kind_is_refused),
	KUNIT_CASE(a_full_heap_leaves_strings_as_they_were),
	KUNIT_CASE(string_with_all_references_is_stored_again),
	{}
};

VTR_KUNIT_SUITE(array, .init = fixture_init, .exit = check_now);
