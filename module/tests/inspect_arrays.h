/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of arrays and histograms through the public interface.
 *
 * A part of inspect_kunit.c, which includes it after the helpers of both.
 */
#ifndef _VTR_TESTS_INSPECT_ARRAYS_H
#define _VTR_TESTS_INSPECT_ARRAYS_H

static void null_arrays_are_accepted_too(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, vitrine_int_array_create(NULL, "i", 1));
	vitrine_int_array_set(NULL, 0, 1);
	vitrine_int_array_add(NULL, 0, 1);
	vitrine_int_array_sub(NULL, 0, 1);
	vitrine_delete(NULL);
	KUNIT_EXPECT_NULL(test, vitrine_uint_array_create(NULL, "u", 1));
	vitrine_uint_array_set(NULL, 0, 1);
	vitrine_uint_array_add(NULL, 0, 1);
	vitrine_uint_array_sub(NULL, 0, 1);
	KUNIT_EXPECT_NULL(test, vitrine_double_array_create(NULL, "d", 1));
	vitrine_double_array_set(NULL, 0, 1);
	KUNIT_EXPECT_NULL(test, vitrine_string_array_create(NULL, "s", 1));
	vitrine_string_array_set(NULL, 0, "v");
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void null_histograms_are_accepted_too(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, vitrine_int_histogram_create(NULL, "i", 0, 1, VITRINE_LINEAR, 1));
	KUNIT_EXPECT_NULL(test, vitrine_int_histogram_create(NULL, "i", 0, 1, 2, 1));
	vitrine_int_histogram_insert(NULL, 1);
	vitrine_int_histogram_insert_many(NULL, 1, 2);
	vitrine_delete(NULL);
	KUNIT_EXPECT_NULL(test, vitrine_uint_histogram_create(NULL, "u", 0, 1, VITRINE_LINEAR, 1));
	KUNIT_EXPECT_NULL(test, vitrine_uint_histogram_create(NULL, "u", 0, 1, 2, 1));
	vitrine_uint_histogram_insert(NULL, 1);
	vitrine_uint_histogram_insert_many(NULL, 1, 2);
	KUNIT_EXPECT_NULL(test, vitrine_double_histogram_create(NULL, "d", 0, 1, VITRINE_LINEAR,
								1));
	KUNIT_EXPECT_NULL(test, vitrine_double_histogram_create(NULL, "d", 0, 1, 2, 1));
	vitrine_double_histogram_set(NULL, 1, 2);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static u64 slot_of(const void *array, unsigned int slot)
{
	return ((const u64 *)array)[2 + slot];
}

static void slots_are_set_added_and_subtracted(struct kunit *test)
{
	struct vitrine_int_array *i = vitrine_int_array_create(root, "i", 2);
	struct vitrine_uint_array *u = vitrine_uint_array_create(root, "u", 254);
	struct vitrine_double_array *d = vitrine_double_array_create(root, "d", 1);

	KUNIT_ASSERT_TRUE(test, i && u && d);
	vitrine_int_array_add(i, 0, -7);
	vitrine_int_array_sub(i, 0, S64_MIN);
	KUNIT_EXPECT_EQ(test, (s64)slot_of(i, 0), S64_MAX - 6);
	vitrine_int_array_set(i, 1, -5);
	KUNIT_EXPECT_EQ(test, (s64)slot_of(i, 1), -5);
	vitrine_uint_array_set(u, 253, 5);
	vitrine_uint_array_sub(u, 253, 6);
	KUNIT_EXPECT_EQ(test, slot_of(u, 253), U64_MAX);
	vitrine_uint_array_add(u, 253, 3);
	KUNIT_EXPECT_EQ(test, slot_of(u, 253), 2);
	KUNIT_EXPECT_EQ(test, slot_of(u, 252), 0);
	vitrine_double_array_set(d, 0, vitrine_double_from_int(1));
	KUNIT_EXPECT_EQ(test, slot_of(d, 0), 0x3ff0000000000000ULL);
	KUNIT_EXPECT_EQ(test, failures(), 0);
	check_live(test);
	vitrine_delete(i);
	vitrine_delete(u);
	vitrine_delete(d);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void slots_that_are_not_there_are_counted(struct kunit *test)
{
	struct vitrine_uint_array *u = vitrine_uint_array_create(root, "u", 3);
	struct vitrine_string_array *s = vitrine_string_array_create(root, "s", 1);
	u64 generation;

	KUNIT_ASSERT_TRUE(test, u && s);
	generation = *tree->generation;
	vitrine_uint_array_set(u, 3, 1);
	vitrine_uint_array_add(u, UINT_MAX, 1);
	KUNIT_EXPECT_EQ(test, failures(), 2);
	KUNIT_EXPECT_EQ(test, *tree->generation, generation);
	vitrine_string_array_set(s, 1, "x");
	KUNIT_EXPECT_EQ(test, failures(), 3);
	KUNIT_EXPECT_NULL(test, vitrine_int_array_create(root, "i", 255));
	KUNIT_EXPECT_NULL(test, vitrine_string_array_create(root, "s", 256));
	KUNIT_EXPECT_NULL(test, vitrine_double_array_create(root, NULL, 1));
	KUNIT_EXPECT_EQ(test, failures(), 6);
}

static void strings_of_arrays_are_shared(struct kunit *test)
{
	struct vitrine_string_array *s = vitrine_string_array_create(root, "s", 255);
	const u32 *strings = (const u32 *)s + 4;
	struct vtr_inspect_stats stats;
	unsigned int i;
	size_t used;

	KUNIT_ASSERT_NOT_NULL(test, s);
	vitrine_string_array_set(s, 0, "eth0");
	vtr_inspect_stats(tree, &stats);
	used = stats.used_bytes;
	for (i = 1; i < 255; i++)
		vitrine_string_array_set(s, i, "eth0");
	vtr_inspect_stats(tree, &stats);
	KUNIT_EXPECT_EQ(test, stats.used_bytes, used);
	KUNIT_EXPECT_EQ(test, strings[254], strings[0]);
	check_live(test);
	vitrine_string_array_set(s, 7, NULL);
	KUNIT_EXPECT_EQ(test, strings[7], 0);
	vitrine_delete(s);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void histograms_count_what_is_inserted(struct kunit *test)
{
	u64 one = vitrine_double_from_int(1), two = vitrine_double_from_int(2);
	struct vitrine_int_histogram *i =
		vitrine_int_histogram_create(root, "i", -10, 5, VITRINE_LINEAR, 3);
	struct vitrine_uint_histogram *u = vitrine_uint_histogram_create(root, "u", 0, 1, 2, 64);
	struct vitrine_double_histogram *d =
		vitrine_double_histogram_create(root, "d", 0, one, two, 3);

	KUNIT_ASSERT_TRUE(test, i && u && d);
	vitrine_int_histogram_insert(i, -11);
	vitrine_int_histogram_insert(i, -1);
	vitrine_int_histogram_insert_many(i, 5, 7);
	KUNIT_EXPECT_EQ(test, slot_of(i, 2), 1);
	KUNIT_EXPECT_EQ(test, slot_of(i, 4), 1);
	KUNIT_EXPECT_EQ(test, slot_of(i, 6), 7);
	vitrine_uint_histogram_insert_many(u, 1ULL << 40, 3);
	vitrine_uint_histogram_insert(u, 1ULL << 40);
	KUNIT_EXPECT_EQ(test, slot_of(u, 45), 4);
	vitrine_double_histogram_set(d, 0, one);
	vitrine_double_histogram_set(d, 4, two);
	vitrine_double_histogram_set(d, 5, two);
	KUNIT_EXPECT_EQ(test, slot_of(d, 3), one);
	KUNIT_EXPECT_EQ(test, slot_of(d, 7), two);
	KUNIT_EXPECT_EQ(test, failures(), 1);
	check_live(test);

	KUNIT_EXPECT_NULL(test, vitrine_uint_histogram_create(root, "u", 0, 0, VITRINE_LINEAR, 1));
	KUNIT_EXPECT_NULL(test,
			  vitrine_uint_histogram_create(root, "u", 0, 1, VITRINE_LINEAR, 251));
	KUNIT_EXPECT_NULL(test, vitrine_uint_histogram_create(root, NULL, 0, 1, VITRINE_LINEAR, 1));
	KUNIT_EXPECT_EQ(test, failures(), 4);
	vitrine_delete(i);
	vitrine_delete(u);
	vitrine_delete(d);
	KUNIT_EXPECT_EQ(test, failures(), 4);
}

#endif /* _VTR_TESTS_INSPECT_ARRAYS_H */
