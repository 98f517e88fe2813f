/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <asm/cpufeature.h>: the features that trace/counter.h asks for. */
#ifndef _HOST_ASM_CPUFEATURE_H
#define _HOST_ASM_CPUFEATURE_H

#define boot_cpu_has(feature)	1

#endif
