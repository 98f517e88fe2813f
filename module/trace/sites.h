/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The site table of a sub-buffer: a set-associative cache of prepared records, which are
 * records without time, thread and values, indexed by the address of their site. Pure;
 * owned by the ring's CPU, interrupts off.
 *
 * A prepared record refers to strings of the sub-buffer's string table by index. It must
 * be dropped as soon as one of these indices gets another meaning; strings.h, which owns
 * both tables, does that.
 */
#ifndef _VTR_SITES_H
#define _VTR_SITES_H

#include <linux/bitfield.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include <uapi/vitrine/fxt.h>

#define VTR_SITES_WAYS		2
#define VTR_SITES_SETS		64
#define VTR_SITES_SLOTS		(VTR_SITES_WAYS * VTR_SITES_SETS)

/* Maximum number of arguments of a prepared record. */
#define VTR_SITES_MAX_ARGS	7

/**
 * struct vtr_site_arg - an argument of a prepared record
 * @word: first word; the value is 0, text is empty
 * @mask: position of the value in the first word, 0 if it is not there
 * @next_mask: all ones if the value is the next word, else 0
 */
struct vtr_site_arg {
	u64	word;
	u64	mask;
	u64	next_mask;
};

/**
 * struct vtr_site_record - a prepared record
 * @header: first word; the thread reference is 0, and the length that of a record whose
 *	text is empty
 * @nr_last_words: 1 if the record has a last word after its arguments
 * @args: arguments
 */
struct vtr_site_record {
	u64			header;
	unsigned int		nr_last_words;
	struct vtr_site_arg	args[VTR_SITES_MAX_ARGS];
};

/**
 * struct vtr_sites - site table
 * @keys: key of each slot: see vtr_sites_key(), or 0
 * @records: prepared record of each slot
 * @victim: slot of a full set that is replaced next
 */
struct vtr_sites {
	unsigned long		keys[VTR_SITES_SLOTS];
	struct vtr_site_record	records[VTR_SITES_SLOTS];
	unsigned int		victim;
};

/**
 * vtr_site_arg_prepare() - prepare an argument
 * @arg: the argument
 * @word: first word of the argument in a record, without a value or text
 * @mask: position of the value in this word, 0 if it is not there
 *
 * Context: any.
 */
static inline void vtr_site_arg_prepare(struct vtr_site_arg *arg, u64 word,
					u64 mask)
{
	arg->word = word;
	arg->mask = mask;
	arg->next_mask = FIELD_GET(FXT_HEADER_WORDS, word) > 1 ? ~0ULL : 0;
}

/**
 * vtr_site_arg_put() - write an argument that is not text that varies
 * @arg: the argument
 * @next: destination, with room for two words
 * @value: its value
 *
 * Readers may have mapped the destination, so it never contains what is not part of the
 * record, such as the address of a literal, even if the next argument overwrites it.
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: end of the argument.
 */
static __always_inline u64 *vtr_site_arg_put(const struct vtr_site_arg *arg,
					     u64 *next, u64 value)
{
	next[0] = arg->word | (value << 32 & arg->mask);
	next[1] = value & arg->next_mask;
	return next + ((u8)arg->word >> __builtin_ctzll(FXT_HEADER_WORDS));
}

/**
 * vtr_sites_key() - return the key of a site
 * @site: address of the site
 * @fast: the function for sites of this kind writes the record, with the CPU's counter;
 *	otherwise a function that checks clock and contents does
 *
 * Context: any. Hot.
 * Return: the key, never 0.
 */
static __always_inline unsigned long vtr_sites_key(const void *site, bool fast)
{
	return (unsigned long)site + !fast;
}

/**
 * vtr_sites_find() - look up the prepared record of a site
 * @sites: the table
 * @key: return value of vtr_sites_key()
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: the record, NULL if none is prepared.
 */
static __always_inline const struct vtr_site_record *
vtr_sites_find(const struct vtr_sites *sites, unsigned long key)
{
	/* Sites are about 32 bytes apart. */
	unsigned int slot = (key >> 5) % VTR_SITES_SETS * VTR_SITES_WAYS;

	if (likely(sites->keys[slot] == key))
		return &sites->records[slot];
	if (likely(sites->keys[slot + 1] == key))
		return &sites->records[slot + 1];
	return NULL;
}

/**
 * vtr_sites_add() - assign a slot to a site
 * @sites: the table
 * @key: key of the site
 *
 * Uses the slot that the site has, a free slot of its set, or else replaces the others
 * round-robin.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: record of the slot, to be filled in.
 */
static inline struct vtr_site_record *vtr_sites_add(struct vtr_sites *sites,
						    unsigned long key)
{
	unsigned int slot = (key >> 5) % VTR_SITES_SETS * VTR_SITES_WAYS;

	if (sites->keys[slot + 1] == key)
		slot++;
	else if (sites->keys[slot] && sites->keys[slot] != key)
		slot += sites->keys[slot + 1] ? sites->victim++ % VTR_SITES_WAYS :
						1;
	sites->keys[slot] = key;
	return &sites->records[slot];
}

/**
 * vtr_sites_forget() - empty the table
 * @sites: the table
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_sites_forget(struct vtr_sites *sites)
{
	memset(sites->keys, 0, sizeof(sites->keys));
}

#endif /* _VTR_SITES_H */
