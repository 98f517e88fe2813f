/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for arm64's <asm/sysreg.h>: registers that user space can read. */
#ifndef _HOST_ASM_SYSREG_H
#define _HOST_ASM_SYSREG_H

#define isb()	__asm__ volatile("isb" : : : "memory")

#define read_sysreg(name) ({						\
	u64 __value;							\
									\
	__asm__ volatile("mrs %0, " #name : "=r"(__value));		\
	__value;							\
})

#endif
