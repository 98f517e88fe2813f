// SPDX-License-Identifier: GPL-2.0
/* The string table of a sub-buffer: the part that is not inlined into probes. */
#include <linux/string.h>

#include "strings.h"

/**
 * vtr_strings_forget() - empty the table
 * @strings: table of a new sub-buffer, or one that refers to strings that will be freed
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_strings_forget(struct vtr_strings *strings)
{
	if (!strings->used)
		return;
	memset(strings->keys, 0, sizeof(strings->keys));
	vtr_sites_forget(&strings->sites);
	strings->used = false;
}

/**
 * vtr_strings_add() - assign an index to a string and mark it as used
 * @strings: the table
 * @key: address of a string that vtr_strings_find() did not find
 *
 * Uses a free index of the set, or else replaces the others round-robin.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: the index, for which the caller writes a string record; 0 if the current
 *	record uses the whole set, and the string must be inline.
 */
u16 vtr_strings_add(struct vtr_strings *strings, const void *key)
{
	unsigned int first = vtr_strings_first(key), slot, i;

	strings->used = true;
	for (slot = first; slot < first + VTR_STRINGS_WAYS; slot++)
		if (!strings->keys[slot])
			goto found;
	for (i = 0; i < VTR_STRINGS_WAYS; i++) {
		slot = first + strings->victim++ % VTR_STRINGS_WAYS;
		if (strings->users[slot] != strings->record) {
			vtr_sites_forget(&strings->sites);
			goto found;
		}
	}
	return 0;
found:
	strings->keys[slot] = key;
	return vtr_strings_take(strings, slot);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/strings_kunit.c"
#endif
