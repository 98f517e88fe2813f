/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/math.h>: divisions that round. */
#ifndef _HOST_LINUX_MATH_H
#define _HOST_LINUX_MATH_H

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#endif
