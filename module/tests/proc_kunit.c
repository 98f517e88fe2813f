// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of proc.c, kernel only: a missing text is distinguished from an unreadable
 * one. selftests/trees.sh tests the rest.
 */
#include <kunit/test.h>

static void a_missing_text_is_no_error(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, vtr_proc_open("no/such/file"));
	KUNIT_EXPECT_EQ(test, vtr_proc_close(NULL), 0);
}

static void a_text_is_read_to_its_end(struct kunit *test)
{
	struct vtr_proc *text = vtr_proc_open("vmstat");
	unsigned int nr_lines = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(text));
	while (vtr_proc_line(text))
		nr_lines++;
	KUNIT_EXPECT_GT(test, nr_lines, 30);
	KUNIT_EXPECT_EQ(test, vtr_proc_close(text), 0);
}

/* A file that only user space can read. */
static void unreadable_file_is_an_error(struct kunit *test)
{
	struct vtr_proc *text = vtr_proc_open("kmsg");

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(text));
	KUNIT_EXPECT_NULL(test, vtr_proc_line(text));
	KUNIT_EXPECT_EQ(test, vtr_proc_close(text), -EINVAL);
}

static void a_line_that_is_too_long_is_an_error(struct kunit *test)
{
	struct vtr_proc *text = vtr_proc_open("interrupts");

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(text));
	text->size = 8;
	KUNIT_EXPECT_NULL(test, vtr_proc_line(text));
	KUNIT_EXPECT_EQ(test, vtr_proc_close(text), -EMSGSIZE);
}

static struct kunit_case proc_cases[] = {
	KUNIT_CASE(a_missing_text_is_no_error),
	KUNIT_CASE(a_text_is_read_to_its_end),
	KUNIT_CASE(unreadable_file_is_an_error),
	KUNIT_CASE(a_line_that_is_too_long_is_an_error),
	{}
};

static struct kunit_suite proc_suite = {
	.name = "vitrine_proc",
	.test_cases = proc_cases,
};

kunit_test_suite(proc_suite);
