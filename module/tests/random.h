/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pseudo-random numbers of the suites. A suite prints its seed, so that it can be repeated.
 */
#ifndef _VTR_TESTS_RANDOM_H
#define _VTR_TESTS_RANDOM_H

#include <kunit/test.h>
#include <linux/random.h>

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

#endif /* _VTR_TESTS_RANDOM_H */
