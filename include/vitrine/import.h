/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included by <vitrine/inspect.h> and <vitrine/trace.h>, whose functions are in a namespace.
 */
#ifndef _VITRINE_IMPORT_H
#define _VITRINE_IMPORT_H

#include <linux/module.h>

/*
 * Import the namespace, once in a module, beside MODULE_LICENSE(). MODULE_IMPORT_NS() takes a word
 * before 6.13 and a string since.
 */
#define VITRINE_IMPORT		MODULE_INFO(import_ns, "VITRINE")

#endif /* _VITRINE_IMPORT_H */
