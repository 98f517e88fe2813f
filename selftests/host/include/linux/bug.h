/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/bug.h>: a warning ends the run. */
#ifndef _HOST_LINUX_BUG_H
#define _HOST_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/build_bug.h>

#define WARN_ON(condition) ({						\
	int __warn = !!(condition);					\
	if (__warn) {							\
		fprintf(stderr, "%s:%d: WARN_ON(%s)\n", __FILE__,	\
			__LINE__, #condition);				\
		abort();						\
	}								\
	__warn; })
#define WARN_ON_ONCE(condition)	WARN_ON(condition)

#endif
