/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/kconfig.h>: options are those that the Makefile defines. */
#ifndef _HOST_LINUX_KCONFIG_H
#define _HOST_LINUX_KCONFIG_H

#define HOST_ENABLED_1			0,
#define HOST_SECOND(first, second, ...)	second
#define HOST_IS_SET(word)		HOST_SECOND(word 1, 0)
#define HOST_JOIN(value)		HOST_IS_SET(HOST_ENABLED_##value)
#define IS_ENABLED(option)		HOST_JOIN(option)

#endif
