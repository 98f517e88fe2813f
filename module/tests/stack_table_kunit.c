// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of stack_table.c: the text of a stack, and one slot for each stack. It runs only
 * in a kernel, because the frames are functions of the kernel.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/tracepoint.h>

#include "suite.h"

/* Suffix of the name of a function of the module; nothing if it is built in. */
#ifdef MODULE
#define OWNER	" [vitrine]"
#else
#define OWNER	""
#endif

/* That of the case. */
static struct vtr_stack_table *table;

static int new_table(struct kunit *test)
{
	table = kvzalloc(sizeof(*table), GFP_KERNEL);
	return table ? 0 : -ENOMEM;
}

static void free_table(struct kunit *test)
{
	kvfree(table);
}

static unsigned long frame_of(const void *function, unsigned int offset)
{
	return (unsigned long)function + offset;
}

static const struct vtr_stack *find_stack(const unsigned long *frames, unsigned int nr)
{
	const struct vtr_stack *stack;
	unsigned long flags;

	local_irq_save(flags);
	stack = vtr_stack_table_find(table, frames, nr);
	local_irq_restore(flags);
	return stack;
}

static void expect_text(struct kunit *test, const unsigned long *frames, unsigned int nr,
			const char *text)
{
	const struct vtr_stack *stack = find_stack(frames, nr);

	KUNIT_ASSERT_NOT_NULL(test, stack);
	KUNIT_EXPECT_STREQ(test, stack->text.begin, text);
}

/* Frame 0 is in the scheduler and is dropped; frame 1 is in no function and becomes "?". */
static void outermost_frame_is_first(struct kunit *test)
{
	const unsigned long frames[] = {
		frame_of(schedule, 4), ULONG_MAX - 4095, frame_of(kfree, 4), frame_of(schedule, 4),
	};
	const unsigned long own = frame_of(vtr_stack_table_find, 4);

	expect_text(test, frames, 4, "schedule+0x4;kfree+0x4;?");
	expect_text(test, &own, 1, "vtr_stack_table_find+0x4" OWNER);
}

/* Many frames in a function with a long name. */
#define LONG	";tracepoint_probe_register_prio_may_exist"

static void outer_frames_are_cut(struct kunit *test)
{
	unsigned long frames[VTR_STACK_MAX_FRAMES];
	const struct vtr_stack *stack;
	const char *text;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = frame_of(tracepoint_probe_register_prio_may_exist, 4 + i);
	stack = find_stack(frames, ARRAY_SIZE(frames));
	KUNIT_ASSERT_NOT_NULL(test, stack);
	text = stack->text.begin;
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text, "..." LONG "+0x"));
	KUNIT_EXPECT_STREQ(test, text + strlen(text) - strlen(LONG "+0x4"), LONG "+0x4");
}

static void all_samples_of_a_function_are_equal(struct kunit *test)
{
	const unsigned long frame = vtr_stack_table_function(frame_of(kfree, 4));
	const unsigned long outside = vtr_stack_table_function(ULONG_MAX - 4095);

	KUNIT_EXPECT_EQ(test, frame, frame_of(kfree, 1));
	KUNIT_EXPECT_EQ(test, vtr_stack_table_function(frame_of(kfree, 0)), frame);
	expect_text(test, &frame, 1, "kfree+0x1");
	KUNIT_EXPECT_EQ(test, outside, 0);
	expect_text(test, &outside, 1, "?");
}

static void stack_is_found_again(struct kunit *test)
{
	const unsigned long frames[] = { frame_of(kfree, 4), frame_of(snprintf, 8) };
	const struct vtr_stack *stack = find_stack(frames, 2);

	KUNIT_EXPECT_PTR_EQ(test, find_stack(frames, 2), stack);
	KUNIT_EXPECT_PTR_NE(test, find_stack(frames, 1), stack);
	KUNIT_EXPECT_PTR_NE(test, find_stack(frames + 1, 1), stack);
}

/* Look for more stacks than the table has slots. Return how many are in it then. */
static unsigned int find_many(void)
{
	unsigned int i, nr = 0;
	unsigned long frame;

	for (i = 0; i < 4 * VTR_STACK_TABLE_SLOTS; i++) {
		frame = frame_of(kfree, i);
		nr += !!find_stack(&frame, 1);
	}
	return nr;
}

/* A full table refuses new stacks, and still finds all stacks that it contains. */
static void full_table_takes_no_more(struct kunit *test)
{
	unsigned int nr_found = find_many();

	KUNIT_EXPECT_LE(test, nr_found, VTR_STACK_TABLE_SLOTS);
	KUNIT_EXPECT_GE(test, nr_found, VTR_STACK_TABLE_SLOTS / 2);
	KUNIT_EXPECT_EQ(test, nr_found, find_many());
}

static struct kunit_case stack_table_cases[] = {
	KUNIT_CASE(outermost_frame_is_first),
	KUNIT_CASE(outer_frames_are_cut),
	KUNIT_CASE(all_samples_of_a_function_are_equal),
	KUNIT_CASE(stack_is_found_again),
	KUNIT_CASE(full_table_takes_no_more),
	{}
};

VTR_KUNIT_SUITE(stack_table, .init = new_table, .exit = free_table);
