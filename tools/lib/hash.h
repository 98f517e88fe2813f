/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table of the elements of an array, by their numbers. The user of the table owns the
 * elements, computes their hashes and compares them; number 0 is no element. The table uses
 * open addressing and is at most half full. The functions are inline, and so are those that
 * are passed to them.
 *
 * The caller serialises.
 */
#ifndef _VITRINE_LIB_HASH_H
#define _VITRINE_LIB_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define HASH_LEAST_SLOTS	256

/**
 * struct hash - a hash table; empty if zeroed
 * @slots: numbers of elements, 0 for a free slot
 * @size: size of @slots, a power of two
 */
struct hash {
	uint32_t *slots;
	uint32_t size;
};

/* Return the hash of the element with a number. */
typedef uint32_t hash_of(const void *owner, uint32_t number);
/* Return whether the element with a number has a key. */
typedef bool hash_has(const void *owner, uint32_t number, const void *key);

/**
 * hash_find() - find the slot of a key
 * @hash: table, which hash_reserve() has made large enough
 * @value: hash of the key
 * @has: compares an element with the key
 * @owner: first argument of @has
 * @key: last argument of @has
 *
 * Return: the slot of the element, or the free slot in which its number belongs.
 */
static inline uint32_t *hash_find(const struct hash *hash, uint32_t value,
				  hash_has *has, const void *owner,
				  const void *key)
{
	uint32_t *slot;

	do {
		slot = &hash->slots[value++ & (hash->size - 1)];
	} while (*slot && !has(owner, *slot, key));
	return slot;
}

/**
 * hash_reserve() - make room for one more element
 * @hash: table
 * @nr: number of elements in it
 * @of: computes the hash of an element
 * @owner: first argument of @of
 *
 * Return: false without memory; the table is unchanged then.
 */
static inline bool hash_reserve(struct hash *hash, uint32_t nr, hash_of *of,
				const void *owner)
{
	struct hash bigger = {
		.size = hash->size ? 2 * hash->size : HASH_LEAST_SLOTS,
	};
	uint32_t i, at;

	if (2 * nr < hash->size)
		return true;
	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (i = 0; i < hash->size; i++) {
		if (!hash->slots[i])
			continue;
		at = of(owner, hash->slots[i]);
		while (bigger.slots[at & (bigger.size - 1)])
			at++;
		bigger.slots[at & (bigger.size - 1)] = hash->slots[i];
	}
	free(hash->slots);
	*hash = bigger;
	return true;
}

#endif /* _VITRINE_LIB_HASH_H */
