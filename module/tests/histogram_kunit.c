// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of array.c: histograms in the bits of the format, the slot of values at
 * and near the bounds, and invalid parameters.
 */

#include "fixture.h"

#define HISTOGRAM_HALF		0x3fe0000000000000ULL
#define HISTOGRAM_ONE		0x3ff0000000000000ULL
#define HISTOGRAM_TWO		0x4000000000000000ULL
#define HISTOGRAM_HUGEST	0x7fefffffffffffffULL

/* Parameters of a histogram; a multiplier of 0 means linear. */
static struct vitrine_value spec(enum inspect_type type, u64 floor, u64 step,
				 u64 multiplier, unsigned int nr_buckets)
{
	return (struct vitrine_value){
		.slot_type = type,
		.format = multiplier ? INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM :
				       INSPECT_ARRAY_LINEAR_HISTOGRAM,
		.parameters = { floor, step, multiplier },
		.count = nr_buckets,
	};
}

static int try_histogram(const struct vitrine_value *histogram)
{
	return vtr_array_create(tree, INSPECT_ROOT, "h", histogram, &made);
}

static u64 *new_histogram(struct kunit *test, enum inspect_type type, u64 floor,
			  u64 step, u64 multiplier, unsigned int nr_buckets)
{
	struct vitrine_value histogram = spec(type, floor, step, multiplier, nr_buckets);

	KUNIT_ASSERT_EQ(test, try_histogram(&histogram), 0);
	check_now(test);
	return block_at(made);
}

static void histogram_is_as_the_format_says(struct kunit *test)
{
	static const struct {
		struct vitrine_value histogram;
		u64 words[8];
	} cases[] = {
		{ { .slot_type = INSPECT_UINT_VALUE, .format = INSPECT_ARRAY_LINEAR_HISTOGRAM,
		    .parameters = { 7, 3 }, .count = 2 }, { 0xb02, 0x615, 7, 3 } },
		{ { .slot_type = INSPECT_INT_VALUE, .format = INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM,
		    .parameters = { -7, 3, 2 }, .count = 1 }, { 0xb02, 0x624, -7, 3, 2 } },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_ASSERT_EQ(test, try_histogram(&cases[i].histogram), 0);
		expect_block(test, made, cases[i].words[0], INSPECT_ROOT, cases[i].words[1]);
		for (j = 2; j < 8; j++)
			KUNIT_EXPECT_EQ(test, block_at(made)[j], cases[i].words[j]);
		delete_value(test, made);
		KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, made), -EINVAL);
		expect_empty(test);
	}
}

struct histogram_test_slot {
	u64		value;
	unsigned int	slot;
};

static void expect_slots(struct kunit *test, u64 *block,
			 const struct histogram_test_slot *known, size_t nr)
{
	bool is_signed = vtr_block_get(block, 1, ARRAY_TYPE) == INSPECT_INT_VALUE;
	size_t i;

	for (i = 0; i < nr; i++) {
		u64 value = known[i].value;
		unsigned int slot = vtr_histogram_slot(block, is_signed, value);

		KUNIT_EXPECT_EQ_MSG(test, slot, known[i].slot, "value %#llx", value);
	}
}

/* Expect the slots of these values. */
#define EXPECT_SLOTS(test, block, ...) do {				\
	static const struct histogram_test_slot known_slots[] = { __VA_ARGS__ };	\
									\
	expect_slots(test, block, known_slots, ARRAY_SIZE(known_slots));	\
} while (0)

static void linear_integers_go_to_their_slot(struct kunit *test)
{
	EXPECT_SLOTS(test, new_histogram(test, INSPECT_UINT_VALUE, 10, 5, 0, 3),
		     { 0, 2 }, { 9, 2 }, { 10, 3 }, { 14, 3 }, { 15, 4 }, { 24, 5 },
		     { 25, 6 }, { U64_MAX, 6 });
	EXPECT_SLOTS(test, new_histogram(test, INSPECT_INT_VALUE, -10, 5, 0, 3),
		     { S64_MIN, 2 }, { -11, 2 }, { -10, 3 }, { -1, 4 }, { 0, 5 },
		     { 4, 5 }, { 5, 6 }, { S64_MAX, 6 });
	/* the whole range of the type */
	EXPECT_SLOTS(test, new_histogram(test, INSPECT_INT_VALUE, S64_MIN, S64_MAX, 0, 2),
		     { S64_MIN, 3 }, { -2, 3 }, { -1, 4 }, { S64_MAX, 5 });
}

static void exponential_integers_go_to_their_slot(struct kunit *test)
{
	u64 *block = new_histogram(test, INSPECT_UINT_VALUE, 0, 1, 2, 64);
	unsigned int i;

	for (i = 0; i < 64; i++) {
		KUNIT_EXPECT_EQ(test, vtr_histogram_slot(block, false, 1ULL << i), 5 + i);
		KUNIT_EXPECT_EQ(test, vtr_histogram_slot(block, false, (1ULL << i) - 1), 4 + i);
	}
	KUNIT_EXPECT_EQ(test, vtr_histogram_slot(block, false, U64_MAX), 68);
	/* bounds 10, 15, 25, 55; and -1, 0, 1, 3 */
	EXPECT_SLOTS(test, new_histogram(test, INSPECT_UINT_VALUE, 10, 5, 3, 3),
		     { 0, 3 }, { 9, 3 }, { 10, 4 }, { 14, 4 }, { 15, 5 }, { 24, 5 },
		     { 25, 6 }, { 54, 6 }, { 55, 7 }, { U64_MAX, 7 });
	EXPECT_SLOTS(test, new_histogram(test, INSPECT_INT_VALUE, -1, 1, 2, 3),
		     { S64_MIN, 3 }, { -2, 3 }, { -1, 4 }, { 0, 5 }, { 1, 6 },
		     { 2, 6 }, { 3, 7 }, { S64_MAX, 7 });
	EXPECT_SLOTS(test, new_histogram(test, INSPECT_UINT_VALUE, 0, 1, 1, 249),
		     { 0, 4 }, { 1, 253 });
}

/* Model: compare with each bound, as the format defines it. */
static unsigned int model_slot(const struct vitrine_value *histogram, u64 value)
{
	u64 distance = value - histogram->parameters[VTR_HISTOGRAM_FLOOR];
	u64 bound = histogram->parameters[VTR_HISTOGRAM_STEP], last = bound;
	bool is_linear = histogram->format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
	unsigned int i;

	for (i = 0; i < histogram->count && distance >= bound; i++) {
		u64 multiplier = histogram->parameters[2];

		bound = is_linear ? bound + last : bound * multiplier;
	}
	return (is_linear ? 3 : 4) + i;
}

static struct vitrine_value random_spec(struct random *random)
{
	struct vitrine_value histogram;

	do {
		u64 multiplier = random_u64(random) >>
				 (random_below(random, 2) ? 60 : random_below(random, 64));

		histogram = spec(INSPECT_UINT_VALUE, random_u64(random) >> random_below(random, 64),
				 random_u64(random) >> random_below(random, 64),
				 random_below(random, 3) ? multiplier : 0,
				 random_below(random, 64) + 1);
		if (random_below(random, 2))
			histogram.parameters[1] = 1ULL << random_below(random, 64);
	} while (!vtr_array_fits(&histogram));
	return histogram;
}

static void any_integer_goes_to_its_slot(struct kunit *test)
{
	struct random random = { .state = 1 };
	unsigned int i, j;

	for (i = 0; i < 2000; i++) {
		struct vitrine_value histogram = random_spec(&random);
		u64 floor = histogram.parameters[0], value;

		KUNIT_ASSERT_EQ(test, try_histogram(&histogram), 0);
		for (j = 0; j < 50; j++) {
			value = floor + (random_u64(&random) >>
					 random_below(&random, 64)) / (j % 4 + 1);
			if (value >= floor)
				KUNIT_ASSERT_EQ(test,
						vtr_histogram_slot(block_at(made), false, value),
						model_slot(&histogram, value));
		}
		vtr_tree_delete(tree, made);
	}
}

static void bad_parameters_are_refused(struct kunit *test)
{
	const struct vitrine_value bad[] = {
		spec(INSPECT_UINT_VALUE, 0, 1, 0, 0),
		spec(INSPECT_UINT_VALUE, 0, 1, 0, 251),
		spec(INSPECT_UINT_VALUE, 0, 1, 1, 250),
		spec(INSPECT_UINT_VALUE, 0, 1, 0, UINT_MAX),
		spec(INSPECT_UINT_VALUE, 0, 1, 2, UINT_MAX - 3),
		spec(INSPECT_UINT_VALUE, 0, 0, 0, 1),
		spec(INSPECT_UINT_VALUE, 0, 0, 2, 1),
		spec(INSPECT_INT_VALUE, 0, -1, 0, 1),
		spec(INSPECT_INT_VALUE, 0, 1, -2, 1),
		spec(INSPECT_UINT_VALUE, 0, 1, 2, 65),
		spec(INSPECT_UINT_VALUE, 1, U64_MAX, 0, 1),
		spec(INSPECT_UINT_VALUE, 1, U64_MAX, 2, 1),
		spec(INSPECT_UINT_VALUE, 0, U64_MAX / 2, 0, 3),
		spec(INSPECT_INT_VALUE, 1, S64_MAX, 0, 1),
		spec(INSPECT_INT_VALUE, 1, S64_MAX, 1, 2),
		spec(INSPECT_INT_VALUE, S64_MIN, S64_MAX, 0, 3),
		spec(INSPECT_DOUBLE_VALUE, 0, 0, 0, 1),
		spec(INSPECT_DOUBLE_VALUE, 0, INFINITE, 0, 1),
		spec(INSPECT_DOUBLE_VALUE, INFINITE, HISTOGRAM_ONE, 0, 2),
		spec(INSPECT_DOUBLE_VALUE, ~0ULL, HISTOGRAM_ONE, 0, 2),
		spec(INSPECT_DOUBLE_VALUE, 0, ~0ULL, HISTOGRAM_TWO, 2),
		spec(INSPECT_DOUBLE_VALUE, 0, HISTOGRAM_ONE, ~0ULL, 2),
		spec(INSPECT_DOUBLE_VALUE, 0, HISTOGRAM_ONE, HISTOGRAM_HALF, 2),
		spec(INSPECT_DOUBLE_VALUE, 0, HISTOGRAM_ONE, INFINITE, 2),
		spec(INSPECT_DOUBLE_VALUE, 0, HISTOGRAM_ONE | SIGN, 0, 2),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_REFUSED(test, -ERANGE, try_histogram(&bad[i]));
}

static void largest_histograms_fit(struct kunit *test)
{
	new_histogram(test, INSPECT_UINT_VALUE, 0, 1, 0, 250);
	new_histogram(test, INSPECT_INT_VALUE, S64_MIN, 1, 2, 64);
	/* The last bound is the largest number. */
	new_histogram(test, INSPECT_UINT_VALUE, 0, U64_MAX, 0, 1);
	new_histogram(test, INSPECT_INT_VALUE, 0, S64_MAX, 0, 1);
	new_histogram(test, INSPECT_DOUBLE_VALUE, 0, HISTOGRAM_HUGEST, HISTOGRAM_TWO, 1);
}

static struct kunit_case histogram_cases[] = {
	KUNIT_CASE(histogram_is_as_the_format_says),
	KUNIT_CASE(linear_integers_go_to_their_slot),
	KUNIT_CASE(exponential_integers_go_to_their_slot),
	KUNIT_CASE(any_integer_goes_to_its_slot),
	KUNIT_CASE(bad_parameters_are_refused),
	KUNIT_CASE(largest_histograms_fit),
	{}
};

VTR_KUNIT_SUITE(histogram, .init = fixture_init, .exit = check_now);
