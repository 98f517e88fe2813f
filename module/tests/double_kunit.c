// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the doubles in array.c. On the host each result is compared with that of
 * the FPU; in the kernel, which does not use the FPU, with known results.
 */

#include "check.h"
#include "suite.h"

#define HALF		0x3fe0000000000000ULL

static void integers_are_rounded_to_nearest_even(struct kunit *test)
{
	static const struct {
		s64 value;
		u64 bits;
	} known[] = {
		{ 0, 0 },
		{ 1, ONE },
		{ -1, ONE | SIGN },
		{ 3, 0x4008000000000000ULL },
		{ 1LL << 53, 0x4340000000000000ULL },
		{ (1LL << 53) + 1, 0x4340000000000000ULL },
		{ (1LL << 53) + 3, 0x4340000000000002ULL },
		{ S64_MAX, 0x43e0000000000000ULL },
		{ S64_MIN, 0xc3e0000000000000ULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ(test, vitrine_double_from_int(known[i].value).bits,
				known[i].bits);
}

static void ratios_are_rounded_to_nearest_even(struct kunit *test)
{
	static const struct {
		s64 numerator;
		u64 denominator;
		u64 bits;
	} known[] = {
		{ 0, 5, 0 },
		{ 1, 2, HALF },
		{ -1, 2, HALF | SIGN },
		{ 1, 3, 0x3fd5555555555555ULL },
		{ 2, 3, 0x3fe5555555555555ULL },
		{ 1, 10, 0x3fb999999999999aULL },
		{ 7, 7, ONE },
		{ 1, U64_MAX, 0x3bf0000000000000ULL },
		{ S64_MIN, 1, 0xc3e0000000000000ULL },
		{ S64_MAX, U64_MAX, HALF },
		{ 1, 0, INFINITE },
		{ -1, 0, INFINITE | SIGN },
		{ 0, 0, NOT_A_NUMBER },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ(test,
				vitrine_double_from_ratio(known[i].numerator,
							  known[i].denominator).bits,
				known[i].bits);
}

#ifndef __KERNEL__

static u64 to_bits(double value)
{
	u64 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Compare with a wider type of the machine, which holds both operands exactly. */
static void expect_ratio(struct kunit *test, s64 numerator, u64 denominator)
{
	u64 ratio = vitrine_double_from_ratio(numerator, denominator).bits;
	__float128 exact = (__float128)numerator / denominator;

	KUNIT_ASSERT_EQ_MSG(test, ratio, to_bits((double)exact), "%lld / %llu",
			    numerator, denominator);
}

static void random_integers_agree_with_the_machine(struct kunit *test)
{
	struct random random = { random_seed(test) };
	s64 value;
	u32 i;

	for (i = 0; i < 1000000; i++) {
		value = (s64)random_u64(&random) >> random_below(&random, 64);
		KUNIT_ASSERT_EQ(test, vitrine_double_from_int(value).bits,
				to_bits((double)value));
	}
}

static void random_ratios_agree_with_the_machine(struct kunit *test)
{
	struct random random = { random_seed(test) };
	u64 a, b;
	u32 i;

	for (i = 0; i < 200000; i++) {
		a = random_u64(&random) >> random_below(&random, 64);
		b = random_u64(&random) >> random_below(&random, 64);
		if (b)
			expect_ratio(test, (s64)a, b);
	}
}

#endif

static struct kunit_case double_cases[] = {
	KUNIT_CASE(integers_are_rounded_to_nearest_even),
	KUNIT_CASE(ratios_are_rounded_to_nearest_even),
#ifndef __KERNEL__
	KUNIT_CASE(random_integers_agree_with_the_machine),
	KUNIT_CASE(random_ratios_agree_with_the_machine),
#endif
	{}
};

VTR_KUNIT_SUITE(double);
