/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to all suites: their definition, the memory and threads of a case, and
 * pseudo-random numbers. A suite prints its seed, so that it can be repeated.
 */
#ifndef _VTR_TESTS_SUITE_H
#define _VTR_TESTS_SUITE_H

#include <kunit/test.h>
#include <linux/random.h>
#include <linux/sched.h>

/* Memory of the case, filled with zeros. */
static inline void *zalloc(struct kunit *test, size_t bytes)
{
	void *memory = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

/* A thread that only the case knows. */
static inline struct task_struct *new_task(struct kunit *test, pid_t pid, pid_t tgid)
{
	struct task_struct *task = zalloc(test, sizeof(*task));

	task->pid = pid;
	task->tgid = tgid;
	return task;
}

/* A pseudo-random sequence that is determined by its seed. */
struct random {
	u64 state;
};

static inline u64 random_u64(struct random *random)
{
	u64 x = random->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static inline u32 random_below(struct random *random, u32 limit)
{
	return (random_u64(random) >> 32) % limit;
}

/* Return a seed that differs in each run. */
static inline u64 random_seed(struct kunit *test)
{
	u64 seed = get_random_u64();

	kunit_info(test, "seed %#llx\n", seed);
	return seed;
}

/* The suite "vitrine_NAME" of NAME_cases, and perhaps what is called around each of them. */
#define VTR_KUNIT_SUITE(name_, ...)					\
	static struct kunit_suite name_ ## _suite = {			\
		.name = "vitrine_" #name_,				\
		.test_cases = name_ ## _cases,				\
		__VA_ARGS__						\
	};								\
	kunit_test_suite(name_ ## _suite)

#endif /* _VTR_TESTS_SUITE_H */
