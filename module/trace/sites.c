// SPDX-License-Identifier: GPL-2.0
/* The site table of a sub-buffer: the part that is not inlined into probes. */
#include <linux/string.h>

#include "sites.h"

/**
 * vtr_site_arg_prepare() - prepare an argument
 * @arg: the argument
 * @word: first word of the argument in a record, without a value or text
 * @mask: position of the value in this word, 0 if it is not there
 *
 * Context: any.
 */
void vtr_site_arg_prepare(struct vtr_site_arg *arg, u64 word, u64 mask)
{
	arg->word = word;
	arg->mask = mask >> 32;
	arg->nr_words = FIELD_GET(FXT_HEADER_WORDS, word);
	arg->next_mask = arg->nr_words > 1 ? ~0ULL : 0;
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
struct vtr_site_record *vtr_sites_add(struct vtr_sites *sites, unsigned long key)
{
	unsigned long slot = vtr_sites_slot(key);

	if (sites->keys[slot + 1] == key)
		slot++;
	else if (sites->keys[slot] && sites->keys[slot] != key)
		slot += sites->keys[slot + 1] ? sites->victim++ % VTR_SITES_WAYS : 1;
	sites->keys[slot] = key;
	return &sites->records[slot];
}

/**
 * vtr_sites_forget() - empty the table
 * @sites: the table
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_sites_forget(struct vtr_sites *sites)
{
	memset(sites->keys, 0, sizeof(sites->keys));
}
