/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/stringhash.h>: FNV-1a. */
#ifndef _HOST_LINUX_STRINGHASH_H
#define _HOST_LINUX_STRINGHASH_H

#include <linux/types.h>

static inline unsigned int full_name_hash(const void *salt, const char *name, unsigned int len)
{
	u64 hash = 0xcbf29ce484222325ULL;

	while (len--)
		hash = (hash ^ (u8)*name++) * 0x100000001b3ULL;
	return hash ^ hash >> 32;
}

#endif
