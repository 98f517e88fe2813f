// SPDX-License-Identifier: GPL-2.0
/*
 * A hash with a key of the module's own.
 *
 * Concurrency: the key does not change after vtr_secret_init().
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "secret.h"

static siphash_key_t secret __ro_after_init;

/**
 * vtr_secret_init() - make the key
 *
 * Context: task, once, before anything is hashed.
 */
void __init vtr_secret_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}

/**
 * vtr_secret_hash() - hash bytes
 * @bytes: the bytes
 * @len_bytes: length of @bytes
 *
 * Who does not know the key can neither tell what was hashed nor find other bytes with the
 * same hash.
 *
 * Context: any.
 * Return: the hash.
 */
u64 vtr_secret_hash(const void *bytes, size_t len_bytes)
{
	return siphash(bytes, len_bytes, &secret);
}
