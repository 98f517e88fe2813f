/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/hash.h>. */
#ifndef _HOST_LINUX_HASH_H
#define _HOST_LINUX_HASH_H

#define GOLDEN_RATIO_64	0x61c8864680b583ebull

#endif
