/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/ktime.h>: the C library's clock. */
#ifndef _HOST_LINUX_KTIME_H
#define _HOST_LINUX_KTIME_H

#include <time.h>

#include <linux/types.h>

static inline u64 ktime_get_mono_fast_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

#endif /* _HOST_LINUX_KTIME_H */
