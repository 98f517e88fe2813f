/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <asm/local64.h>: a count that one CPU changes. */
#ifndef _HOST_ASM_LOCAL64_H
#define _HOST_ASM_LOCAL64_H

#include <linux/types.h>

typedef struct {
	u64 count;
} local64_t;

static inline void local64_inc(local64_t *local)
{
	local->count++;
}

static inline void local64_add(u64 delta, local64_t *local)
{
	local->count += delta;
}

static inline u64 local64_read(const local64_t *local)
{
	return local->count;
}

#endif
