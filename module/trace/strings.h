/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The string table of a sub-buffer: a set-associative cache that maps the address of a
 * constant string to its index. Pure; owned by the ring's CPU, interrupts off.
 *
 * Indices form sets of four: a string may get any index of the set that its address
 * selects. The strings of one record must not evict each other, so records are numbered, and
 * each index is marked with the record that last used it.
 *
 * Prepared records refer to indices: they are dropped when the table is emptied, and when a
 * string evicts another one.
 */
#ifndef _VTR_STRINGS_H
#define _VTR_STRINGS_H

#include <linux/compiler.h>
#include <linux/hash.h>

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
 * @users: number of the last record that used each index
 * @record: number of the current record
 * @victim: index of a full set that is replaced next
 * @used: the table is not empty
 * @sites: prepared records
 */
struct vtr_strings {
	const void	*keys[VTR_STRINGS_SLOTS];
	u32		users[VTR_STRINGS_SLOTS];
	u32		record;
	unsigned int	victim;
	bool		used;
	struct vtr_sites sites;
};

/**
 * vtr_strings_begin() - begin a record, which uses no index yet
 * @strings: the table
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_strings_begin(struct vtr_strings *strings)
{
	strings->record++;
}

static inline u16 vtr_strings_take(struct vtr_strings *strings,
				   unsigned int slot)
{
	strings->users[slot] = strings->record;
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
 * Text that users choose is hashed with a key, in event.c.
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

void vtr_strings_forget(struct vtr_strings *strings);
u16 vtr_strings_add(struct vtr_strings *strings, const void *key);

#endif /* _VTR_STRINGS_H */
