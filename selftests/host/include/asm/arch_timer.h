/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for arm64's <asm/arch_timer.h>: the processor's own counter. */
#ifndef _HOST_ASM_ARCH_TIMER_H
#define _HOST_ASM_ARCH_TIMER_H

#include <linux/types.h>

#include <asm/sysreg.h>

#define arch_timer_get_cntfrq()	read_sysreg(cntfrq_el0)

static inline u64 __arch_counter_get_cntvct(void)
{
	isb();
	return read_sysreg(cntvct_el0);
}

#endif
