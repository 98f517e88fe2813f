// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the last long turns in stacks.c.
 */
#include <kunit/test.h>

static void add(struct holders *holders, pid_t thread, u64 begin_ns,
		u64 end_ns)
{
	const struct turn turn = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.thread = thread,
		.priority = thread + 100,
	};

	holders_add(holders, &turn);
}

static struct holder find_holder(const struct holders *holders, pid_t last,
				 u64 begin_ns, u64 end_ns, u64 wait_ns)
{
	const struct turn turn = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.thread = last,
		.priority = last + 100,
	};

	return holders_find(holders, &turn, wait_ns);
}

static void expect(struct kunit *test, struct holder holder, pid_t thread,
		   u64 held_ns)
{
	KUNIT_EXPECT_EQ(test, holder.thread, thread);
	KUNIT_EXPECT_EQ(test, holder.priority, thread + 100);
	KUNIT_EXPECT_EQ(test, holder.held_ns, held_ns);
}

static void last_thread_is_the_holder_without_turns(struct kunit *test)
{
	struct holders holders = {};

	expect(test, find_holder(&holders, 7, 900, 1000, 300), 7, 100);
	expect(test, find_holder(&holders, 7, 500, 1000, 300), 7, 300);
}

static void longest_of_the_wait_is_the_holder(struct kunit *test)
{
	struct holders holders = {};

	add(&holders, 1, 100, 600);
	add(&holders, 2, 600, 800);
	/* Of thread 1's turn, 100 are in the wait. */
	expect(test, find_holder(&holders, 3, 950, 1000, 500), 2, 200);
	expect(test, find_holder(&holders, 3, 950, 1000, 650), 1, 250);
	/* A turn that ended before the wait began does not count. */
	expect(test, find_holder(&holders, 3, 950, 1000, 100), 3, 50);
}

static void turns_of_a_thread_add_up(struct kunit *test)
{
	struct holders holders = {};

	add(&holders, 1, 100, 300);
	add(&holders, 2, 300, 600);
	add(&holders, 1, 600, 800);
	expect(test, find_holder(&holders, 3, 950, 1000, 900), 1, 400);
	/* Of threads that held the CPU for equally long, the one that was first is named. */
	add(&holders, 2, 800, 900);
	expect(test, find_holder(&holders, 3, 950, 1000, 900), 1, 400);
	/* The last turn is in the buffer, too. */
	expect(test, find_holder(&holders, 1, 600, 800, 700), 1, 400);
}

static void turns_do_not_overlap(struct kunit *test)
{
	struct holders holders = {};

	KUNIT_EXPECT_EQ(test, holders_begin(&holders, 100), 100);
	add(&holders, 1, 100, 300);
	add(&holders, 2, 300, 600);
	/* Thread 1 was preempted on its way into a wait: its arrival is still that at 100. */
	KUNIT_EXPECT_EQ(test, holders_begin(&holders, 100), 600);
	add(&holders, 1, holders_begin(&holders, 100), 800);
	expect(test, find_holder(&holders, 3, 800, 800, 700), 1, 400);
	KUNIT_EXPECT_EQ(test, holders_begin(&holders, 850), 850);
}

static void oldest_turns_are_forgotten(struct kunit *test)
{
	struct holders holders = {};
	unsigned int i;

	add(&holders, 1, 0, 1000);
	for (i = 1; i < HOLDERS_TURNS; i++)
		add(&holders, 1 + i, 1000 + 10 * i, 1001 + 10 * i + i);
	expect(test, find_holder(&holders, 30, 1165, 1166, 1166), 1, 1000);
	add(&holders, 20, 1160, 1162);
	expect(test, find_holder(&holders, 30, 1165, 1166, 1166),
	       HOLDERS_TURNS, HOLDERS_TURNS);
}

static struct kunit_case holders_cases[] = {
	KUNIT_CASE(last_thread_is_the_holder_without_turns),
	KUNIT_CASE(longest_of_the_wait_is_the_holder),
	KUNIT_CASE(turns_of_a_thread_add_up),
	KUNIT_CASE(turns_do_not_overlap),
	KUNIT_CASE(oldest_turns_are_forgotten),
	{}
};

static struct kunit_suite holders_suite = {
	.name = "vitrine_holders",
	.test_cases = holders_cases,
};

kunit_test_suites(&holders_suite);
