/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The string table of a sub-buffer: a set-associative cache that maps the address of a
 * constant string to its index. Pure; owned by the ring's CPU, interrupts off.
 *
 * Indices form sets of four: a string may get any index of the set that its address
 * selects. The strings of one record must not evict each other, so the indices that the
 * current record uses are marked until the record is written.
 *
 * Prepared records (sites.h) refer to indices: they are dropped when the table is
 * emptied, and when a string evicts another one.
 */
#ifndef _VTR_STRINGS_H
#define _VTR_STRINGS_H

#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "fxt.h"
#include "sites.h"

/* User-mode Linux panics when a word extends into an unmapped page. */
#if defined(CONFIG_DCACHE_WORD_ACCESS) && !defined(CONFIG_UML)
#include <asm/word-at-a-time.h>
#define VTR_HAS_WORD_ACCESS
#endif

#define VTR_STRINGS_WAYS	4
#define VTR_STRINGS_SETS	32
#define VTR_STRINGS_SLOTS	(VTR_STRINGS_WAYS * VTR_STRINGS_SETS)

/* Longest string in the table, and longest piece of text, in bytes. */
#define VTR_STRINGS_MAX_BYTES	255

/**
 * struct vtr_strings - string table
 * @keys: address of each string, by index minus VTR_FXT_STRING_FIRST, or NULL
 * @taken: bit mask of the indices that the current record uses
 * @victim: index of a full set that is replaced next
 * @used: the table is not empty
 * @sites: prepared records
 */
struct vtr_strings {
	const void	*keys[VTR_STRINGS_SLOTS];
	u64		taken[VTR_STRINGS_SLOTS / 64];
	unsigned int	victim;
	bool		used;
	struct vtr_sites sites;
};

/**
 * vtr_strings_forget() - empty the table
 * @strings: table of a new sub-buffer, or one that refers to strings that will be freed
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_strings_forget(struct vtr_strings *strings)
{
	if (!strings->used)
		return;
	memset(strings->keys, 0, sizeof(strings->keys));
	vtr_sites_forget(&strings->sites);
	strings->used = false;
}

/**
 * vtr_strings_begin() - begin a record, which uses no index yet
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

/* Load a word of text, with zeros after its end. Return true if it contains the end. */
static __always_inline bool vtr_strings_word(const char *text, unsigned long *ret)
{
#ifdef VTR_HAS_WORD_ACCESS
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long zeros;

	*ret = load_unaligned_zeropad(text);
	if (!has_zero(*ret, &zeros, &constants))
		return false;
	zeros = prep_zero_mask(*ret, zeros, &constants);
	*ret &= zero_bytemask(create_zero_mask(zeros));
	return true;
#else
	unsigned int i;

	for (i = 0, *ret = 0; i < sizeof(*ret); i++) {
		if (!text[i])
			return true;
		*ret |= (unsigned long)(u8)text[i] << 8 * i;
	}
	return false;
#endif
}

/**
 * vtr_strings_hashed() - return the key of a string that is identified by a hash
 * @hash: hash of the bytes of the string
 *
 * Context: any.
 * Return: 62 bits of @hash, with a value that no kernel address of x86, arm64 or riscv has.
 */
static __always_inline const void *vtr_strings_hashed(u64 hash)
{
	return (const void *)(unsigned long)(hash >> 2 | 1ULL << 62);
}

/**
 * vtr_strings_key() - return the key of a string that is not constant
 * @text: the string, of which the first VTR_STRINGS_MAX_BYTES matter; NULL is empty
 *
 * The memory of such a string may be reused for another one, so its bytes determine the
 * key. The hash is fast and not secret: it is for names that drivers and the kernel choose.
 * Text that users choose is hashed by vtr_secret_hash().
 *
 * Context: any. Hot.
 * Return: the key.
 */
static __always_inline const void *vtr_strings_key(const char *text)
{
	unsigned long word, hash = 0;
	unsigned int i = 0;
	bool ends;

	/* For example, a driver may request an interrupt without a name. */
	if (unlikely(!text))
		text = "";
	do {
		ends = vtr_strings_word(text + i, &word);
		hash = (hash ^ word) * GOLDEN_RATIO_64;
		hash ^= hash >> 32;
		i += sizeof(word);
	} while (!ends && i < VTR_STRINGS_MAX_BYTES);
	return vtr_strings_hashed(hash);
}

/* Return the first index of a key's set. Strings are adjacent, so fold their address. */
static inline unsigned int vtr_strings_first(const void *key)
{
	unsigned long address = (unsigned long)key;

	return (address ^ address >> 5 ^ address >> 10) % VTR_STRINGS_SETS *
	       VTR_STRINGS_WAYS;
}

/**
 * vtr_strings_find() - look up a string and mark its index as used
 * @strings: the table
 * @key: address of the string
 *
 * Context: the ring's CPU, interrupts off.
 * Return: the index, 0 if the string has none.
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
static inline u16 vtr_strings_add(struct vtr_strings *strings, const void *key)
{
	unsigned int first = vtr_strings_first(key), slot, i;

	strings->used = true;
	for (slot = first; slot < first + VTR_STRINGS_WAYS; slot++)
		if (!strings->keys[slot])
			goto found;
	for (i = 0; i < VTR_STRINGS_WAYS; i++) {
		slot = first + strings->victim++ % VTR_STRINGS_WAYS;
		if (!vtr_strings_taken(strings, slot)) {
			vtr_sites_forget(&strings->sites);
			goto found;
		}
	}
	return 0;
found:
	strings->keys[slot] = key;
	return vtr_strings_take(strings, slot);
}

#endif /* _VTR_STRINGS_H */
