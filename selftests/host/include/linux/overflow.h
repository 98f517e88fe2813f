/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/overflow.h>: products that do not wrap unseen. */
#ifndef _HOST_LINUX_OVERFLOW_H
#define _HOST_LINUX_OVERFLOW_H

#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

#endif
