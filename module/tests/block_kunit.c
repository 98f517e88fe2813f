// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the fields in heap.h: each field has the bits of the format. The suites of heap.c
 * and tree.c find a function that reads or sets a field wrongly.
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

static struct kunit_case block_cases[] = {
	KUNIT_CASE(fields_are_where_the_format_puts_them),
	{}
};

VTR_KUNIT_SUITE(block);
