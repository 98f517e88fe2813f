/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The site table of a sub-buffer: a set-associative cache of prepared records, which are
 * records without time, thread and values, indexed by the address of their site. Pure;
 * owned by the ring's CPU, interrupts off.
 *
 * A prepared record refers to strings of the sub-buffer's string table by index. It must
 * be dropped as soon as one of these indices gets another meaning; the string table, which
 * owns this one, does that.
 */
#ifndef _VTR_SITES_H
#define _VTR_SITES_H

#include <linux/compiler.h>

#include "fxt.h"

#define VTR_SITES_WAYS		2
#define VTR_SITES_SETS		64
#define VTR_SITES_SLOTS		(VTR_SITES_WAYS * VTR_SITES_SETS)

/* Maximum number of arguments of a prepared record. */
#define VTR_SITES_MAX_ARGS	7

/**
 * struct vtr_site_arg - an argument of a prepared record
 * @word: first word; the value is 0, text is empty
 * @next_mask: all ones if the value is the next word, else 0
 * @mask: position of the value in the upper half of the first word, 0 if it is not there
 * @nr_words: length of the argument, without text
 */
struct vtr_site_arg {
	u64	word;
	u64	next_mask;
	u32	mask;
	u32	nr_words;
};

/**
 * struct vtr_site_record - a prepared record
 * @header: first word; the thread reference is 0, and the length that of a record whose
 *	text is empty
 * @nr_words: this length
 * @last: offset in words of the word after the arguments, which is the id if there is one
 * @args: arguments
 */
struct vtr_site_record {
	u64			header;
	u32			nr_words;
	u32			last;
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
	next[0] = arg->word | (u64)((u32)value & arg->mask) << 32;
	next[1] = value & arg->next_mask;
	return next + arg->nr_words;
}

/**
 * vtr_sites_key() - return the key of a site
 * @site: address of the site
 * @counter: the session's clock is the CPU's counter, which is therefore the clock of a
 *	record that is found by such a key
 *
 * Context: any. Hot.
 * Return: the key, never 0.
 */
static __always_inline unsigned long vtr_sites_key(const void *site, bool counter)
{
	return (unsigned long)site + !counter;
}

/* Return the first slot of a key's set. Sites are about 32 bytes apart. */
static __always_inline unsigned long vtr_sites_slot(unsigned long key)
{
	return key / 32 * VTR_SITES_WAYS % VTR_SITES_SLOTS;
}

/**
 * vtr_sites_find() - look up the prepared record of a site
 * @sites: the table
 * @key: return value of vtr_sites_key()
 * @ret: the record, written on success only
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: false if none is prepared.
 */
static __always_inline bool vtr_sites_find(const struct vtr_sites *sites, unsigned long key,
					   const struct vtr_site_record **ret)
{
	unsigned long slot = vtr_sites_slot(key);

	if (unlikely(sites->keys[slot] != key) && sites->keys[++slot] != key)
		return false;
	*ret = &sites->records[slot];
	return true;
}

void vtr_site_arg_prepare(struct vtr_site_arg *arg, u64 word, u64 mask);
struct vtr_site_record *vtr_sites_add(struct vtr_sites *sites, unsigned long key);
void vtr_sites_forget(struct vtr_sites *sites);

#endif /* _VTR_SITES_H */
