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

#endif
