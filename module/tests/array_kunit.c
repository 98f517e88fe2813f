// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of array.c: arrays in the bits of the format, references of their strings,
 * limits, a full heap. Random walks are in the suite of tree.c.
 */

#include "fixture.h"

static int try_array(enum inspect_type type, unsigned int count)
{
	const struct vitrine_value value = { .slot_type = type, .count = count };

	return vtr_array_create(tree, INSPECT_ROOT, "a", &value, &made);
}

static u32 new_array(struct kunit *test, enum inspect_type type, unsigned int count)
{
	KUNIT_ASSERT_EQ(test, try_array(type, count), 0);
	return made;
}

static u32 new_strings(struct kunit *test, unsigned int count)
{
	return new_array(test, INSPECT_STRING_REFERENCE, count);
}

static int try_text(u32 index, unsigned int slot, const char *text)
{
	return vtr_array_string_set(tree, index, slot, text);
}

static u32 text_at(u32 index, unsigned int slot)
{
	return ((u32 *)(block_at(index) + 2))[slot];
}

/* Set a slot, and return its text. */
static u32 set_text(struct kunit *test, u32 index, unsigned int slot, const char *text)
{
	KUNIT_EXPECT_EQ(test, try_text(index, slot, text), 0);
	check_now(test);
	return text_at(index, slot);
}

static void number_array_is_as_the_format_says(struct kunit *test)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE,
	};
	u32 index, i;
	u64 *block;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		index = new_array(test, types[i], 3);
		block = block_at(index);
		/* order 2: 16 bytes and three slots of 8 */
		expect_block(test, index, 0xb02, INSPECT_ROOT, 0x300ULL | types[i]);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(block + 2, 0, 48));
		KUNIT_EXPECT_PTR_EQ(test, vtr_array_numbers(block), block + 2);
		check_now(test);
	}
}

static void string_array_is_as_the_format_says(struct kunit *test)
{
	u32 index = new_strings(test, 5);
	u64 *block = block_at(index);

	expect_block(test, index, 0xb02, INSPECT_ROOT, 0x50e);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(block + 2, 0, 48));
	block = block_at(set_text(test, index, 1, "one"));
	KUNIT_EXPECT_EQ(test, text_at(index, 0), 0);
	KUNIT_EXPECT_EQ(test, block[0], 0x0000010000000e00ULL);
	KUNIT_EXPECT_EQ(test, block[1], 0x656e6f00000003ULL);
}

static void equal_strings_are_one_block(struct kunit *test)
{
	u32 a = new_strings(test, 4), b = new_strings(test, 4);
	u32 text = set_text(test, a, 0, "same");

	KUNIT_EXPECT_EQ(test, set_text(test, a, 3, "same"), text);
	KUNIT_EXPECT_EQ(test, set_text(test, b, 2, "same"), text);
	KUNIT_EXPECT_EQ(test, nr_references(text), 3);
	/* the same text, another text, no text */
	set_text(test, a, 0, "same");
	KUNIT_EXPECT_EQ(test, nr_references(text), 3);
	set_text(test, a, 0, "other");
	KUNIT_EXPECT_EQ(test, nr_references(text), 2);
	KUNIT_EXPECT_EQ(test, set_text(test, b, 2, ""), 0);
	KUNIT_EXPECT_EQ(test, nr_references(text), 1);
	/* the name of both arrays is shared with slots, too */
	KUNIT_EXPECT_EQ(test, nr_references(set_text(test, b, 0, "a")), 3);
	delete_value(test, a);
	check_now(test);
	delete_value(test, b);
}

static void largest_arrays_fit_and_no_larger_ones(struct kunit *test)
{
	u32 index;

	EXPECT_REFUSED(test, -ERANGE, try_array(INSPECT_INT_VALUE, 255));
	EXPECT_REFUSED(test, -ERANGE, try_array(INSPECT_UINT_VALUE, UINT_MAX));
	EXPECT_REFUSED(test, -ERANGE, try_array(INSPECT_STRING_REFERENCE, 256));
	index = new_array(test, INSPECT_DOUBLE_VALUE, 254);
	memset(vtr_array_numbers(block_at(index)), 0xff, 254 * sizeof(u64));
	check_now(test);
	delete_value(test, index);
	set_text(test, new_strings(test, 255), 254, "last");
	index = new_strings(test, 0);
	EXPECT_REFUSED(test, -ERANGE, try_text(index, 0, "none"));
}

static void slot_or_text_out_of_range_is_refused(struct kunit *test)
{
	u32 index = new_strings(test, 3), text = set_text(test, index, 0, "kept");
	char *longest = zalloc(test, VITRINE_NAME_MAX + 2);

	EXPECT_REFUSED(test, -ERANGE, try_text(index, 3, "x"));
	EXPECT_REFUSED(test, -ERANGE, try_text(index, UINT_MAX, "x"));
	memset(longest, 'x', VITRINE_NAME_MAX + 1);
	EXPECT_REFUSED(test, -ENAMETOOLONG, try_text(index, 0, longest));
	KUNIT_EXPECT_EQ(test, text_at(index, 0), text);
	longest[VITRINE_NAME_MAX] = 0;
	set_text(test, index, 0, longest);
}

static void array_of_another_kind_is_refused(struct kunit *test)
{
	u32 a = new_array(test, INSPECT_UINT_VALUE, 3);

	EXPECT_REFUSED(test, -EINVAL, try_text(a, 0, "x"));
	EXPECT_REFUSED(test, -EINVAL, try_text(INSPECT_ROOT, 0, "x"));
	EXPECT_REFUSED(test, -EINVAL, try_value(a, "n", INSPECT_NODE_VALUE, 0));
}

static void a_full_heap_leaves_strings_as_they_were(struct kunit *test)
{
	u32 a = new_strings(test, 2), text = set_text(test, a, 0, "kept");

	fill_heap();
	EXPECT_REFUSED(test, -ENOSPC, try_text(a, 0, "not there yet"));
	EXPECT_REFUSED(test, -ENOSPC, try_array(INSPECT_INT_VALUE, 1));
	/* a text that exists takes no room */
	KUNIT_EXPECT_EQ(test, set_text(test, a, 1, "kept"), text);
}

/* The count of references has 24 bits, and slots are smaller than blocks. */
static void string_with_all_references_is_stored_again(struct kunit *test)
{
	u32 a = new_strings(test, 2), full = set_text(test, a, 0, "many");

	block_at(full)[0] |= 0xffffffULL << 40;
	KUNIT_EXPECT_EQ(test, try_text(a, 1, "many"), 0);
	KUNIT_EXPECT_NE(test, text_at(a, 1), full);
	KUNIT_EXPECT_EQ(test, nr_references(full), 0xffffff);
	KUNIT_EXPECT_EQ(test, nr_references(text_at(a, 1)), 1);
	block_at(full)[0] &= ~(0xfffffeULL << 40);
	check_now(test);
	delete_value(test, a);
}

static struct kunit_case array_cases[] = {
	KUNIT_CASE(number_array_is_as_the_format_says),
	KUNIT_CASE(string_array_is_as_the_format_says),
	KUNIT_CASE(equal_strings_are_one_block),
	KUNIT_CASE(largest_arrays_fit_and_no_larger_ones),
	KUNIT_CASE(slot_or_text_out_of_range_is_refused),
	KUNIT_CASE(array_of_another_kind_is_refused),
	KUNIT_CASE(a_full_heap_leaves_strings_as_they_were),
	KUNIT_CASE(string_with_all_references_is_stored_again),
	{}
};

VTR_KUNIT_SUITE(array, .init = fixture_init, .exit = check_now);
