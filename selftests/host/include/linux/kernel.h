/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/kernel.h>: what everybody expects from it. */
#ifndef _HOST_LINUX_KERNEL_H
#define _HOST_LINUX_KERNEL_H

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define U32_MAX		((u32)~0U)
#define S64_MAX		((s64)(~0ULL >> 1))
#define S64_MIN		((s64)(-S64_MAX - 1))
#define U64_MAX		((u64)~0ULL)

static inline int __attribute__((format(printf, 3, 4)))
scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(buf, size, format, args);
	va_end(args);
	return !size ? 0 : (size_t)len < size ? len : (int)size - 1;
}

#endif
