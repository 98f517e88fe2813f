/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/string.h>: the C library's, and the kernel's own. */
#ifndef _HOST_LINUX_STRING_H
#define _HOST_LINUX_STRING_H

#include <errno.h>
#include <string.h>
#include <sys/types.h>

/* First byte that is not @c, or NULL. */
static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const unsigned char *p = start;

	for (; bytes; bytes--, p++)
		if (*p != (unsigned char)c)
			return (void *)p;
	return NULL;
}

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (len == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = 0;
		return -E2BIG;
	}
	memcpy(to, from, len + 1);
	return len;
}

#endif
