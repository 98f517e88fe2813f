/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included by <vitrine/inspect.h> and <vitrine/trace.h>, whose functions are in a namespace.
 */
#ifndef _VITRINE_IMPORT_H
#define _VITRINE_IMPORT_H

#include <linux/module.h>

/*
 * Import the namespace, once in a module, beside MODULE_LICENSE(). MODULE_IMPORT_NS() takes a word
 * before 6.13 and a string since. The variable is the one of vitrine_publisher.o: with both, a
 * driver that works without vitrine would require it, and is not linked.
 */
#ifdef MODULE
#define VITRINE_IMPORT							\
	MODULE_INFO(import_ns, "VITRINE");				\
	extern char vitrine_is_required_and_optional;			\
	char vitrine_is_required_and_optional
#else
#define VITRINE_IMPORT		MODULE_INFO(import_ns, "VITRINE")
#endif

#endif /* _VITRINE_IMPORT_H */
