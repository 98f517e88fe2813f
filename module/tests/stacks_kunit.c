// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of stacks.c: the parser of the settings. It runs only in a kernel.
 */
#include "suite.h"

static int parse_copy(const char *words, struct vtr_stacks_settings *ret)
{
	char copy[64];

	strscpy(copy, words, sizeof(copy));
	return parse(copy, ret);
}

static void words_are_parsed(struct kunit *test)
{
	struct vtr_stacks_settings parsed = {};

	KUNIT_ASSERT_EQ(test, parse_copy(" user blocked_us=1000\tprocess=17\n", &parsed), 0);
	KUNIT_EXPECT_TRUE(test, is_armed(&parsed));
	KUNIT_EXPECT_TRUE(test, parsed.user);
	KUNIT_EXPECT_FALSE(test, parsed.kthreads);
	KUNIT_EXPECT_EQ(test, parsed.blocked_ns, 1000000);
	KUNIT_ASSERT_NOT_NULL(test, parsed.filter);
	KUNIT_EXPECT_EQ(test, parsed.filter->process, 17);
	KUNIT_EXPECT_TRUE(test, parsed.filter->all_cpus);
	kfree(parsed.filter);
	KUNIT_ASSERT_EQ(test, parse_copy("none\n", &parsed), 0);
	KUNIT_EXPECT_FALSE(test, is_armed(&parsed));
	KUNIT_EXPECT_NULL(test, parsed.filter);
}

static void rate_suffices(struct kunit *test)
{
	struct vtr_stacks_settings parsed = {};

	KUNIT_EXPECT_EQ(test, parse_copy("sample_hz=99", &parsed), 0);
	KUNIT_EXPECT_TRUE(test, is_armed(&parsed));
	KUNIT_EXPECT_EQ(test, parsed.sample_hz, 99);
	KUNIT_EXPECT_EQ(test, parsed.blocked_ns, VTR_LATENCY_NEVER);
	KUNIT_EXPECT_EQ(test, parse_copy("sample_hz=1000", &parsed), 0);
	/* Limits go from nothing to an hour. */
	KUNIT_EXPECT_EQ(test, parse_copy("blocked_us=0", &parsed), 0);
	KUNIT_EXPECT_EQ(test, parsed.sample_hz, 0);
	KUNIT_EXPECT_EQ(test, parse_copy("blocked_us=3600000000", &parsed), 0);
	KUNIT_EXPECT_EQ(test, parsed.blocked_ns, 3600 * NSEC_PER_SEC);
}

static void wrong_words_are_refused(struct kunit *test)
{
	static const char * const wrong[] = {
		"", " ", "kthreads", "process=1", "blocked_us", "blocked_us=",
		"blocked_us=1ms", "blocked_us=1 none", "none none",
		"blocked_us=1 cpus=x", "blocked_us=1 process=x",
		"blocked_us=1 thread=-2", "blocked_us=1,kthreads",
		"runnable_us=1", "blocked_us= sample_hz=1",
		"sample_hz", "sample_hz=", "sample_hz=0", "sample_hz=1001",
		"sample_hz=-1", "sample_hz=4294967296", "sample_hz=99x", "blocked_us=3600000001",
	};
	struct vtr_stacks_settings parsed = { .blocked_ns = 7 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_NE_MSG(test, parse_copy(wrong[i], &parsed), 0, "\"%s\"", wrong[i]);
	KUNIT_EXPECT_EQ(test, parsed.blocked_ns, 7);
}

static struct kunit_case stacks_cases[] = {
	KUNIT_CASE(words_are_parsed),
	KUNIT_CASE(rate_suffices),
	KUNIT_CASE(wrong_words_are_refused),
	{}
};

VTR_KUNIT_SUITE(stacks);
