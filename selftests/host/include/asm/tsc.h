/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <asm/tsc.h>: the processor's own counter. */
#ifndef _HOST_ASM_TSC_H
#define _HOST_ASM_TSC_H

#include <linux/compiler.h>
#include <linux/types.h>

#define tsc_khz			0
#define check_tsc_unstable()	0

static __always_inline u64 rdtsc(void)
{
	return __builtin_ia32_rdtsc();
}

static __always_inline u64 rdtsc_ordered(void)
{
	__builtin_ia32_lfence();
	return rdtsc();
}

#endif
