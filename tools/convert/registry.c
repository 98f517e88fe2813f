// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Entries that are created when they are first looked up.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"

/**
 * registry_get() - look up an entry, and add it if it is new
 * @root: root of the search tree
 * @wanted: an entry with the key to look up; a new entry is a copy of it
 * @size: size of an entry in bytes
 * @compare: compares the keys of two entries
 * @ret_is_new: whether the entry was added, for the caller to complete it; may be NULL
 *
 * Return: the entry, NULL if there is no memory.
 */
void *registry_get(void **root, const void *wanted, size_t size,
		   int (*compare)(const void *left, const void *right),
		   bool *ret_is_new)
{
	void **found = tfind(wanted, root, compare);
	void *made;

	if (ret_is_new)
		*ret_is_new = !found;
	if (found)
		return *found;
	made = malloc(size);
	if (!made)
		return NULL;
	memcpy(made, wanted, size);
	if (!tsearch(made, root, compare)) {
		free(made);
		return NULL;
	}
	return made;
}
