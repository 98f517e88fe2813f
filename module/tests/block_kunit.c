// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the fields in heap.h: each field has the bits of the format, and setting a field
 * changes no other one.
 */

#include "inspect/heap.h"
#include "suite.h"

/* The fields of the format, as bit ranges from its tables. */
static const struct {
	u64 mask;
	unsigned int low;
	unsigned int high;
} block_fields[] = {
	{ INSPECT_W0_ORDER,		0, 3 },
	{ INSPECT_W0_RESERVED,		4, 7 },
	{ INSPECT_W0_TYPE,		8, 15 },
	{ INSPECT_W0_FREE_NEXT,		16, 39 },
	{ INSPECT_W0_FREE_PREVIOUS,	40, 63 },
	{ INSPECT_W0_HEADER_VERSION,	16, 31 },
	{ INSPECT_W0_HEADER_MAGIC,	32, 63 },
	{ INSPECT_W2_HEADER_SIZE,	0, 31 },
	{ INSPECT_W0_VALUE_PARENT,	16, 39 },
	{ INSPECT_W0_VALUE_NAME,	40, 63 },
	{ INSPECT_W1_BUFFER_LENGTH,	0, 31 },
	{ INSPECT_W1_BUFFER_EXTENT,	32, 59 },
	{ INSPECT_W1_BUFFER_FORMAT,	60, 63 },
	{ INSPECT_W0_EXTENT_NEXT,	16, 39 },
	{ INSPECT_W1_ARRAY_TYPE,	0, 3 },
	{ INSPECT_W1_ARRAY_FORMAT,	4, 7 },
	{ INSPECT_W1_ARRAY_COUNT,	8, 15 },
	{ INSPECT_W1_LINK_CONTENT,	0, 19 },
	{ INSPECT_W1_LINK_DISPOSITION,	60, 63 },
	{ INSPECT_W0_STRREF_NEXT,	16, 39 },
	{ INSPECT_W0_STRREF_COUNT,	40, 63 },
	{ INSPECT_W1_STRREF_LENGTH,	0, 31 },
};

static void fields_are_where_the_format_puts_them(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(block_fields); i++)
		KUNIT_EXPECT_EQ(test, block_fields[i].mask,
				GENMASK_ULL(block_fields[i].high, block_fields[i].low));
}

static void set_changes_its_field_alone(struct kunit *test)
{
	u64 block[2] = { ~0ULL, ~0ULL };

	vtr_block_set(block, 0, VALUE_PARENT, 0x123456);
	KUNIT_EXPECT_EQ(test, block[0], 0xffffff123456ffffULL);
	vtr_block_set(block, 0, TYPE, INSPECT_TOMBSTONE);
	KUNIT_EXPECT_EQ(test, block[0], 0xffffff1234560affULL);
	KUNIT_EXPECT_EQ(test, block[1], ~0ULL);
	vtr_block_set(block, 1, BUFFER_EXTENT, 0);
	KUNIT_EXPECT_EQ(test, block[1], 0xf0000000ffffffffULL);
	vtr_block_set(block, 1, BUFFER_LENGTH, 7);
	KUNIT_EXPECT_EQ(test, block[1], 0xf000000000000007ULL);
	vtr_block_set(block, 0, STRREF_COUNT, 0xfedcba);
	KUNIT_EXPECT_EQ(test, vtr_block_get(block, 0, STRREF_COUNT), 0xfedcbaULL);
	KUNIT_EXPECT_EQ(test, vtr_block_get(block, 0, VALUE_PARENT), 0x123456ULL);
	KUNIT_EXPECT_EQ(test, vtr_block_get(block, 1, BUFFER_FORMAT), 0xfULL);
}

static void order_gives_the_size(struct kunit *test)
{
	u64 block[1];

	block[0] = vtr_block_word0(INSPECT_EXTENT, 0);
	KUNIT_EXPECT_EQ(test, vtr_block_bytes(block), 16);
	block[0] = vtr_block_word0(INSPECT_EXTENT, 7);
	KUNIT_EXPECT_EQ(test, block[0], 0x807ULL);
	KUNIT_EXPECT_EQ(test, vtr_block_bytes(block), 2048);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block), INSPECT_EXTENT);
}

static void zeros_are_a_free_block_of_order_0(struct kunit *test)
{
	u64 block[1] = { 0 };

	KUNIT_EXPECT_TRUE(test, vtr_block_is_free(block, 0));
	KUNIT_EXPECT_FALSE(test, vtr_block_is_free(block, 1));
	block[0] = vtr_block_word0(INSPECT_FREE, 3) | 0xabcdef1234560000ULL;
	KUNIT_EXPECT_TRUE(test, vtr_block_is_free(block, 3));
	block[0] = vtr_block_word0(INSPECT_RESERVED, 3);
	KUNIT_EXPECT_FALSE(test, vtr_block_is_free(block, 3));
}

static struct kunit_case block_cases[] = {
	KUNIT_CASE(fields_are_where_the_format_puts_them),
	KUNIT_CASE(set_changes_its_field_alone),
	KUNIT_CASE(order_gives_the_size),
	KUNIT_CASE(zeros_are_a_free_block_of_order_0),
	{}
};

VTR_KUNIT_SUITE(block);
