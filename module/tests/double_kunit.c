// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of double.c. On the host each result is compared with that of the FPU; in
 * the kernel, which does not use the FPU, with known results.
 */
#include <kunit/test.h>

#include "check.h"

/* Bits of 1, of the next larger double, of the largest finite one, and so on. */
#define ONE		0x3ff0000000000000ULL
#define ONE_ULP		0x3ff0000000000001ULL
#define TWO		0x4000000000000000ULL
#define HALF		0x3fe0000000000000ULL
#define MINUS_ZERO	0x8000000000000000ULL
#define HUGEST		0x7fefffffffffffffULL
#define NORMAL_MIN	0x0010000000000000ULL
#define SUBNORMAL_MAX	0x000fffffffffffffULL

static const struct {
	u64 a;
	u64 b;
	u64 sum;
} double_sums[] = {
	{ ONE, ONE, TWO },
	{ ONE, ONE | VTR_DOUBLE_SIGN, 0 },
	{ 0, MINUS_ZERO, 0 },
	{ MINUS_ZERO, MINUS_ZERO, MINUS_ZERO },
	{ 0, ONE, ONE },
	/* 2^-53 is half the distance from 1 to the next double: a tie, to even */
	{ ONE, 0x3ca0000000000000ULL, ONE },
	{ ONE_ULP, 0x3ca0000000000000ULL, 0x3ff0000000000002ULL },
	/* slightly more than a tie */
	{ ONE, 0x3ca0000000000001ULL, ONE_ULP },
	/* far apart, on both sides of a power of two */
	{ ONE, 0x8000000000000001ULL, ONE },
	{ ONE, 0xbc90000000000001ULL, 0x3fefffffffffffffULL },
	/* subnormals: carry into the first normal, and back */
	{ 1, SUBNORMAL_MAX, NORMAL_MIN },
	{ NORMAL_MIN, 0x8000000000000001ULL, SUBNORMAL_MAX },
	{ 1, 1, 2 },
	/* overflow, and rounding up to it */
	{ HUGEST, HUGEST, INFINITE },
	{ HUGEST, 0x7c90000000000000ULL, INFINITE },
	{ HUGEST, 0x7c8fffffffffffffULL, HUGEST },
	{ INFINITE, HUGEST, INFINITE },
	{ ONE, INFINITE | VTR_DOUBLE_SIGN, INFINITE | VTR_DOUBLE_SIGN },
	{ INFINITE, INFINITE | VTR_DOUBLE_SIGN, NOT_A_NUMBER },
	{ 0x7ff0000000000001ULL, ONE, 0x7ff8000000000001ULL },
	{ ONE, 0xfff0000000000001ULL, 0xfff8000000000001ULL },
};

static void sums_are_rounded_to_nearest_even(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(double_sums); i++) {
		KUNIT_EXPECT_EQ(test, vtr_double_add(double_sums[i].a,
						     double_sums[i].b),
				double_sums[i].sum);
		if (vtr_double_is_nan(double_sums[i].sum))
			continue;
		KUNIT_EXPECT_EQ(test, vtr_double_add(double_sums[i].b,
						     double_sums[i].a),
				double_sums[i].sum);
	}
}

static void difference_is_the_sum_with_the_negative(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vtr_double_sub(TWO, ONE), ONE);
	KUNIT_EXPECT_EQ(test, vtr_double_sub(ONE, TWO), ONE | VTR_DOUBLE_SIGN);
	KUNIT_EXPECT_EQ(test, vtr_double_sub(ONE, ONE), 0ULL);
	KUNIT_EXPECT_EQ(test, vtr_double_sub(ONE_ULP, ONE),
			0x3cb0000000000000ULL);
}

static void products_are_rounded_to_nearest_even(struct kunit *test)
{
	static const struct {
		u64 a;
		u64 b;
		u64 product;
	} known[] = {
		{ ONE, TWO, TWO },
		{ TWO, HALF, ONE },
		{ ONE | VTR_DOUBLE_SIGN, TWO, TWO | VTR_DOUBLE_SIGN },
		{ 0, TWO | VTR_DOUBLE_SIGN, MINUS_ZERO },
		{ ONE_ULP, ONE_ULP, 0x3ff0000000000002ULL },
		/* half of the smallest: a tie, to even; then slightly more */
		{ 1, HALF, 0 },
		{ 1, 0x3fe0000000000001ULL, 1 },
		{ NORMAL_MIN, HALF, 0x0008000000000000ULL },
		{ SUBNORMAL_MAX, TWO, 0x001ffffffffffffeULL },
		{ HUGEST, TWO, INFINITE },
		{ INFINITE, MINUS_ZERO, NOT_A_NUMBER },
		{ INFINITE, ONE | VTR_DOUBLE_SIGN, INFINITE | VTR_DOUBLE_SIGN },
		{ 0x7ff0000000000001ULL, ONE, 0x7ff8000000000001ULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_EQ(test, vtr_double_mul(known[i].a, known[i].b),
				known[i].product);
		KUNIT_EXPECT_EQ(test, vtr_double_mul(known[i].b, known[i].a),
				known[i].product);
	}
}

static void doubles_are_in_order(struct kunit *test)
{
	static const u64 ordered[] = {
		INFINITE | VTR_DOUBLE_SIGN, HUGEST | VTR_DOUBLE_SIGN,
		ONE | VTR_DOUBLE_SIGN, 0x8000000000000001ULL, 0, 1, ONE,
		ONE_ULP, TWO, HUGEST, INFINITE,
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ordered); i++)
		for (j = 0; j < ARRAY_SIZE(ordered); j++)
			KUNIT_EXPECT_EQ(test, vtr_double_less(ordered[i],
							      ordered[j]),
					i < j);
	KUNIT_EXPECT_FALSE(test, vtr_double_less(MINUS_ZERO, 0));
	KUNIT_EXPECT_FALSE(test, vtr_double_less(0, MINUS_ZERO));
}

static void integers_are_rounded_to_nearest_even(struct kunit *test)
{
	static const struct {
		s64 value;
		u64 bits;
	} known[] = {
		{ 0, 0 },
		{ 1, ONE },
		{ -1, ONE | VTR_DOUBLE_SIGN },
		{ 3, 0x4008000000000000ULL },
		{ 1LL << 53, 0x4340000000000000ULL },
		{ (1LL << 53) + 1, 0x4340000000000000ULL },
		{ (1LL << 53) + 3, 0x4340000000000002ULL },
		{ S64_MAX, 0x43e0000000000000ULL },
		{ S64_MIN, 0xc3e0000000000000ULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ(test, vitrine_double_from_int(known[i].value),
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
		{ -1, 2, HALF | VTR_DOUBLE_SIGN },
		{ 1, 3, 0x3fd5555555555555ULL },
		{ 2, 3, 0x3fe5555555555555ULL },
		{ 1, 10, 0x3fb999999999999aULL },
		{ 7, 7, ONE },
		{ 1, U64_MAX, 0x3bf0000000000000ULL },
		{ S64_MIN, 1, 0xc3e0000000000000ULL },
		{ S64_MAX, U64_MAX, HALF },
		{ 1, 0, INFINITE },
		{ -1, 0, INFINITE | VTR_DOUBLE_SIGN },
		{ 0, 0, NOT_A_NUMBER },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ(test,
				vitrine_double_from_ratio(known[i].numerator,
							  known[i].denominator),
				known[i].bits);
}

#ifndef __KERNEL__

static double to_double(u64 bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static u64 to_bits(double value)
{
	u64 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Return random bits whose exponent is often near another one. */
static u64 random_bits(struct random *random, u64 near)
{
	u64 bits = random_u64(random);

	if (random_below(random, 4))
		bits = (bits & ~EXPONENT) |
		       ((near + ((u64)random_below(random, 128) <<
				 FRACTION_BITS)) & EXPONENT);
	if (!random_below(random, 4))
		bits &= ~(u64)0 << random_below(random, 52);
	if (!random_below(random, 16))
		bits &= ~EXPONENT;
	return bits;
}

static void expect_sum(struct kunit *test, u64 a, u64 b)
{
	u64 sum = vtr_double_add(a, b);
	u64 wanted = to_bits(to_double(a) + to_double(b));

	if (vtr_double_is_nan(wanted))
		KUNIT_ASSERT_TRUE(test, vtr_double_is_nan(sum));
	else
		KUNIT_ASSERT_EQ_MSG(test, sum, wanted, "%#llx + %#llx", a, b);
}

static void expect_product(struct kunit *test, u64 a, u64 b)
{
	u64 product = vtr_double_mul(a, b);
	u64 wanted = to_bits(to_double(a) * to_double(b));

	if (vtr_double_is_nan(wanted))
		KUNIT_ASSERT_TRUE(test, vtr_double_is_nan(product));
	else
		KUNIT_ASSERT_EQ_MSG(test, product, wanted, "%#llx * %#llx", a,
				    b);
}

/* Compare with a wider type of the machine, which holds both operands exactly. */
static void expect_ratio(struct kunit *test, s64 numerator, u64 denominator)
{
	u64 ratio = vitrine_double_from_ratio(numerator, denominator);
	__float128 exact = (__float128)numerator / denominator;

	KUNIT_ASSERT_EQ_MSG(test, ratio, to_bits((double)exact), "%lld / %llu",
			    numerator, denominator);
}

static void random_values_agree_with_the_machine(struct kunit *test)
{
	struct random random = { random_seed(test) };
	u64 a, b;
	u32 i;

	for (i = 0; i < 1000000; i++) {
		a = random_bits(&random, 0);
		b = random_bits(&random, a);
		expect_sum(test, a, b);
		expect_product(test, a, b);
		/* near 1, so that the product neither overflows nor underflows */
		expect_product(test, a, random_bits(&random, ONE));
		KUNIT_ASSERT_EQ(test, vtr_double_from_uint(a),
				to_bits((double)a));
		KUNIT_ASSERT_EQ(test, vitrine_double_from_int((s64)a),
				to_bits((double)(s64)a));
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
	KUNIT_CASE(sums_are_rounded_to_nearest_even),
	KUNIT_CASE(difference_is_the_sum_with_the_negative),
	KUNIT_CASE(products_are_rounded_to_nearest_even),
	KUNIT_CASE(doubles_are_in_order),
	KUNIT_CASE(integers_are_rounded_to_nearest_even),
	KUNIT_CASE(ratios_are_rounded_to_nearest_even),
#ifndef __KERNEL__
	KUNIT_CASE(random_values_agree_with_the_machine),
	KUNIT_CASE(random_ratios_agree_with_the_machine),
#endif
	{}
};

static struct kunit_suite double_suite = {
	.name = "vitrine_double",
	.test_cases = double_cases,
};

kunit_test_suite(double_suite);
