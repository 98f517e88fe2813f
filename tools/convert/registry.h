/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries that are created when they are first looked up, such as the streams of a trace.
 * Entries live in a search tree of tsearch(); tdestroy() frees them.
 *
 * The caller serialises.
 */
#ifndef _VITRINE_CONVERT_REGISTRY_H
#define _VITRINE_CONVERT_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

void *registry_get(void **root, const void *wanted, size_t size,
		   int (*compare)(const void *left, const void *right),
		   bool *ret_is_new);

#endif /* _VITRINE_CONVERT_REGISTRY_H */
