/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/random.h>: a random seed, or the one in $VITRINE_SEED. */
#ifndef _HOST_LINUX_RANDOM_H
#define _HOST_LINUX_RANDOM_H

#include <stdlib.h>
#include <sys/random.h>

#include <linux/types.h>

static inline u64 get_random_u64(void)
{
	const char *seed = getenv("VITRINE_SEED");
	u64 value;

	if (seed)
		return strtoull(seed, NULL, 0);
	if (getrandom(&value, sizeof(value), 0) != sizeof(value))
		abort();
	return value;
}

#endif
