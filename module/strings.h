/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The string table of one sub-buffer: which string each index stands for, by
 * the address of its constant bytes. Pure; owned by the ring's CPU, interrupts
 * off.
 *
 * Indices form sets of four: a string may take any index of the set that its
 * address selects. A record's own strings must not push each other out, so
 * those it has taken are marked until it is written.
 */
#ifndef _VITRINE_STRINGS_H
#define _VITRINE_STRINGS_H

#include <linux/string.h>
#include <linux/types.h>

#include "fxt.h"

#define VTR_STRINGS_WAYS	4
#define VTR_STRINGS_SETS	32
#define VTR_STRINGS_SLOTS	(VTR_STRINGS_WAYS * VTR_STRINGS_SETS)

/* Longest string that is put into the table, and longest piece of text. */
#define VTR_STRINGS_MAX_BYTES	255

/**
 * struct vtr_strings - string table
 * @keys: by index less VTR_FXT_STRING_FIRST: address of the string, or NULL
 * @taken: those that the record being written refers to, a bit each
 * @victim: which index of a full set is given up next
 * @used: there is something to forget
 */
struct vtr_strings {
	const void	*keys[VTR_STRINGS_SLOTS];
	u64		taken[VTR_STRINGS_SLOTS / 64];
	unsigned int	victim;
	bool		used;
};

/**
 * vtr_strings_forget() - empty the table
 * @strings: table of a sub-buffer that begins, or that refers to bytes that go
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_strings_forget(struct vtr_strings *strings)
{
	if (!strings->used)
		return;
	memset(strings->keys, 0, sizeof(strings->keys));
	strings->used = false;
}

/**
 * vtr_strings_begin() - begin a record: it has taken no string yet
 * @strings: the table
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_strings_begin(struct vtr_strings *strings)
{
	memset(strings->taken, 0, sizeof(strings->taken));
}

static inline bool vtr_strings_taken(const struct vtr_strings *strings,
				     unsigned int slot)
{
	return strings->taken[slot / 64] >> slot % 64 & 1;
}

static inline u16 vtr_strings_take(struct vtr_strings *strings,
				   unsigned int slot)
{
	strings->taken[slot / 64] |= 1ULL << slot % 64;
	return VTR_FXT_STRING_FIRST + slot;
}

/* Strings lie close together: fold the address before it selects a set. */
static inline unsigned int vtr_strings_first(const void *key)
{
	unsigned long address = (unsigned long)key;

	return (address ^ address >> 5 ^ address >> 10) % VTR_STRINGS_SETS *
	       VTR_STRINGS_WAYS;
}

/**
 * vtr_strings_find() - look up a string, and take it
 * @strings: the table
 * @key: its address
 *
 * Context: the ring's CPU, interrupts off.
 * Return: its index, 0 if it has none.
 */
static inline u16 vtr_strings_find(struct vtr_strings *strings, const void *key)
{
	unsigned int first = vtr_strings_first(key), slot;

	for (slot = first; slot < first + VTR_STRINGS_WAYS; slot++)
		if (strings->keys[slot] == key)
			return vtr_strings_take(strings, slot);
	return 0;
}

/**
 * vtr_strings_add() - give a string an index, and take it
 * @strings: the table
 * @key: address that vtr_strings_find() did not find
 *
 * Takes a free index of its set, else one of the others in turn.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: its index; write a string record for it. 0 if the record being
 *	written has taken the whole set: the string goes inline.
 */
static inline u16 vtr_strings_add(struct vtr_strings *strings, const void *key)
{
	unsigned int first = vtr_strings_first(key), slot, i;

	strings->used = true;
	for (slot = first; slot < first + VTR_STRINGS_WAYS; slot++)
		if (!strings->keys[slot])
			goto found;
	for (i = 0; i < VTR_STRINGS_WAYS; i++) {
		slot = first + strings->victim++ % VTR_STRINGS_WAYS;
		if (!vtr_strings_taken(strings, slot))
			goto found;
	}
	return 0;
found:
	strings->keys[slot] = key;
	return vtr_strings_take(strings, slot);
}

#endif /* _VITRINE_STRINGS_H */
