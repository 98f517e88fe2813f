/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/types.h>: the kernel's short names. */
#ifndef _HOST_LINUX_TYPES_H
#define _HOST_LINUX_TYPES_H

#include_next <linux/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* As in the kernel, a type: macros build names from it. */
#undef bool
typedef _Bool bool;

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef unsigned int gfp_t;
typedef struct {
	int counter;
} atomic_t;

#endif
