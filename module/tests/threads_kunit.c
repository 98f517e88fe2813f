// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of threads.c: the table under pressure, and names of threads and processes.
 */

#include "suite.h"

static u64 key_of(u32 pid)
{
	return (u64)pid << 32 | pid;
}

#define TEST_NAMES	4096

static struct vtr_threads *threads;

static int threads_init(struct kunit *test)
{
	threads = zalloc(test, sizeof(*threads));
	threads->nr_pairs = TEST_NAMES / 2;
	threads->named = zalloc(test, TEST_NAMES * sizeof(u64));
	vtr_threads_forget(threads);
	return 0;
}

/* Assign a reference to a thread of any priority. */
static unsigned int add_thread(u64 key, unsigned int running)
{
	return vtr_threads_add(threads, key, running, 120, 120);
}

/* Name a thread or process if the table lacks it. Return true if it was named. */
static bool tells_name(u64 key)
{
	if (vtr_threads_named(threads, key))
		return false;
	vtr_threads_name(threads, key);
	return true;
}

static void all_references_get_used_but_zero(struct kunit *test)
{
	unsigned int ref, pid;
	bool used[VTR_THREADS_REFS] = {};

	KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, 0), 0);
	for (pid = 1; pid < VTR_THREADS_REFS; pid++) {
		ref = add_thread(key_of(pid), 0);
		KUNIT_ASSERT_NE(test, ref, 0);
		KUNIT_ASSERT_LT(test, ref, VTR_THREADS_REFS);
		KUNIT_EXPECT_FALSE(test, used[ref]);
		used[ref] = true;
	}
	for (pid = 1; pid < VTR_THREADS_REFS; pid++)
		KUNIT_EXPECT_NE(test, vtr_threads_find(threads, key_of(pid)), 0);
	vtr_threads_forget(threads);
	for (pid = 1; pid < VTR_THREADS_REFS; pid++)
		KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, key_of(pid)), 0);
}

/* vtr_threads_find() looks there first; mostly it is the only used reference of a set. */
static void first_of_a_set_is_found_first(struct kunit *test)
{
	unsigned int pid;

	for (pid = 0; pid < VTR_THREADS_SETS; pid++)
		KUNIT_EXPECT_EQ(test, add_thread(key_of(pid), 0),
				pid * VTR_THREADS_WAYS + VTR_THREADS_WAYS - 1);
}

static void running_thread_keeps_its_reference(struct kunit *test)
{
	unsigned int running, ref, i;

	/* all in set 0, which has only three references */
	running = add_thread(key_of(0), 0);
	for (i = 1; i < 1000; i++) {
		ref = add_thread(key_of(i * VTR_THREADS_SETS), running);
		KUNIT_ASSERT_NE(test, ref, running);
		KUNIT_ASSERT_NE(test, ref, 0);
		KUNIT_ASSERT_EQ(test, ref, vtr_threads_find(threads, key_of(i * VTR_THREADS_SETS)));
		KUNIT_ASSERT_EQ(test, vtr_threads_find(threads, key_of(0)), running);
	}
}

/* Run threads in turns. Return how many still had a reference. */
static unsigned int found_in_turns(unsigned int nr_threads)
{
	unsigned int pid, ref, running = 0, found = 0;

	vtr_threads_forget(threads);
	for (pid = 0; pid < 20 * nr_threads; pid++) {
		ref = vtr_threads_find(threads, key_of(1 + pid % nr_threads));
		found += !!ref;
		if (!ref)
			ref = add_thread(key_of(1 + pid % nr_threads), running);
		running = ref;
	}
	return found / 20;
}

static void crowd_leaves_most_threads_their_references(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, found_in_turns(200), 190);
	KUNIT_EXPECT_GT(test, found_in_turns(300), 160);
	KUNIT_EXPECT_GT(test, found_in_turns(1000), 130);
}

/* The threads that had the references have exited without a notification. */
static void newcomers_get_references_in_the_end(struct kunit *test)
{
	unsigned int i, j, found = 0;

	for (i = 0; i < VTR_THREADS_WAYS; i++)
		add_thread(key_of(1 + i * VTR_THREADS_SETS), 0);
	for (i = 0; i < 40 * VTR_THREADS_TURNS; i++) {
		j = 1 + (100 + i % VTR_THREADS_WAYS) * VTR_THREADS_SETS;
		if (vtr_threads_find(threads, key_of(j)))
			found++;
		else
			add_thread(key_of(j), 0);
	}
	KUNIT_EXPECT_GT(test, found, 20 * VTR_THREADS_TURNS);
}

static void removed_thread_is_named_again(struct kunit *test)
{
	add_thread(key_of(9), 0);
	KUNIT_EXPECT_TRUE(test, tells_name(key_of(9)));
	KUNIT_EXPECT_FALSE(test, tells_name(key_of(9)));
	/* Name another key of its pair, so that it is no longer the first one. */
	KUNIT_EXPECT_TRUE(test, tells_name(key_of(9 + TEST_NAMES)));
	vtr_threads_remove(threads, key_of(9));
	KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, key_of(9)), 0);
	KUNIT_EXPECT_FALSE(test, tells_name(key_of(9 + TEST_NAMES)));
	KUNIT_EXPECT_TRUE(test, tells_name(key_of(9)));
}

static void process_and_thread_are_named_apart(struct kunit *test)
{
	u32 pid;

	for (pid = 0; pid < 1000; pid++) {
		KUNIT_EXPECT_TRUE(test, tells_name(key_of(pid)));
		KUNIT_EXPECT_TRUE(test, tells_name(VTR_THREADS_PROCESS(pid)));
		KUNIT_EXPECT_FALSE(test, tells_name(key_of(pid)));
		vtr_threads_unname(threads, VTR_THREADS_PROCESS(pid));
		KUNIT_EXPECT_TRUE(test, tells_name(VTR_THREADS_PROCESS(pid)));
	}
}

/* As many names as the table has room for, in every sub-buffer. */
static void name_is_told_once_a_sub_buffer(struct kunit *test)
{
	unsigned int i, round, told = 0;

	for (i = 0; i < 3; i++) {
		vtr_threads_forget(threads);
		for (round = 0; round < 3 * TEST_NAMES; round++)
			told += tells_name(key_of(1 + round % TEST_NAMES));
		KUNIT_EXPECT_EQ(test, told, (i + 1) * TEST_NAMES);
	}
}

/* Also if the epochs of two sub-buffers are equal, because the epoch has wrapped. */
static void name_of_an_old_sub_buffer_is_told_again(struct kunit *test)
{
	static const u32 ids[] = { 1, 77, (1 << VTR_THREADS_ID_BITS) - 1 };
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(ids); j++)
		vtr_threads_name(threads, key_of(ids[j]));
	for (i = 0; i < 1 << 19; i++) {
		vtr_threads_forget(threads);
		KUNIT_ASSERT_NE(test, threads->epoch, 0);
		for (j = 0; j < ARRAY_SIZE(ids); j++) {
			KUNIT_ASSERT_FALSE(test, vtr_threads_named(threads, key_of(ids[j])));
			KUNIT_ASSERT_FALSE(test, vtr_threads_named(threads,
								   VTR_THREADS_PROCESS(ids[j])));
		}
	}
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE(all_references_get_used_but_zero),
	KUNIT_CASE(first_of_a_set_is_found_first),
	KUNIT_CASE(running_thread_keeps_its_reference),
	KUNIT_CASE(crowd_leaves_most_threads_their_references),
	KUNIT_CASE(newcomers_get_references_in_the_end),
	KUNIT_CASE(removed_thread_is_named_again),
	KUNIT_CASE(process_and_thread_are_named_apart),
	KUNIT_CASE(name_is_told_once_a_sub_buffer),
	KUNIT_CASE(name_of_an_old_sub_buffer_is_told_again),
	{}
};

VTR_KUNIT_SUITE(threads, .init = threads_init);
