/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/kconfig.h>: what is asked for is the byte order. */
#ifndef _HOST_LINUX_KCONFIG_H
#define _HOST_LINUX_KCONFIG_H

#define IS_ENABLED(option) (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

#endif
