// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * FXT providers with their string and thread tables.
 *
 * The file decides how many providers there are and what they register: a table is
 * allocated with its first entry, and the number of providers is limited.
 */
#include <errno.h>
#include <stdlib.h>

#include "fxt_provider.h"

static void tables_free(struct fxt_provider *provider)
{
	unsigned int i;

	for (i = 0; provider->strings && i < FXT_NR_STRINGS / FXT_STRING_CHUNK;
	     i++)
		free(provider->strings[i]);
	free(provider->strings);
	free(provider->threads);
	provider->strings = NULL;
	provider->threads = NULL;
}

/**
 * fxt_provider_forget() - empty the tables of a provider
 * @provider: provider that is introduced again
 */
void fxt_provider_forget(struct fxt_provider *provider)
{
	if (!++provider->epoch) {
		tables_free(provider);
		provider->epoch = 1;
	}
}

/**
 * fxt_provider_begin_subbuf() - begin a sub-buffer of vitrine's
 * @provider: provider of the sub-buffer
 * @cpu: CPU that wrote it, or VITRINE_FXT_NO_CPU
 */
void fxt_provider_begin_subbuf(struct fxt_provider *provider, uint32_t cpu)
{
	provider->cpu = cpu;
	provider->running_known = false;
}

/**
 * fxt_provider_restart() - reset a provider to its state before the first record
 * @provider: provider whose records are read again
 */
void fxt_provider_restart(struct fxt_provider *provider)
{
	fxt_provider_forget(provider);
	fxt_provider_begin_subbuf(provider, VITRINE_FXT_NO_CPU);
	provider->ticks = 0;
	provider->ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
}

/**
 * fxt_provider_set_string() - register a string
 * @provider: provider that registers it
 * @index: 1 to FXT_NR_STRINGS - 1
 * @string: its value, whose bytes are not copied
 *
 * Return: false if there is no memory.
 */
bool fxt_provider_set_string(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_string *string)
{
	struct fxt_string_entry **chunk;

	if (!provider->strings) {
		provider->strings = calloc(FXT_NR_STRINGS / FXT_STRING_CHUNK,
					   sizeof(*provider->strings));
		if (!provider->strings)
			return false;
	}
	chunk = &provider->strings[index / FXT_STRING_CHUNK];
	if (!*chunk) {
		*chunk = calloc(FXT_STRING_CHUNK, sizeof(**chunk));
		if (!*chunk)
			return false;
	}
	(*chunk)[index % FXT_STRING_CHUNK] = (struct fxt_string_entry){
		.bytes = string->bytes,
		.len_bytes = string->len_bytes,
		.epoch = provider->epoch,
	};
	return true;
}

/**
 * fxt_provider_set_thread() - register a thread
 * @provider: provider that registers it
 * @index: 1 to FXT_NR_THREADS - 1
 * @thread: its koids
 *
 * Return: false if there is no memory.
 */
bool fxt_provider_set_thread(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_thread *thread)
{
	if (!provider->threads) {
		provider->threads = calloc(FXT_NR_THREADS,
					   sizeof(*provider->threads));
		if (!provider->threads)
			return false;
	}
	provider->threads[index] = (struct fxt_thread_entry){
		.thread = *thread,
		.epoch = provider->epoch,
	};
	return true;
}

/**
 * fxt_providers_get() - look up a provider, and create it if there is none
 * @providers: the providers
 * @id: provider id
 * @stop: errno value, written on failure only
 *
 * Return: the provider, or NULL without memory (ENOMEM) or if there are
 * FXT_MAX_PROVIDERS others (E2BIG).
 */
struct fxt_provider *fxt_providers_get(struct fxt_providers *providers,
				       uint32_t id, int *stop)
{
	const struct fxt_name *known = fxt_names_find(&providers->by_id, id);
	struct fxt_provider *provider;

	if (known)
		return known->owner;
	if (providers->by_id.nr == FXT_MAX_PROVIDERS) {
		*stop = E2BIG;
		return NULL;
	}
	provider = fxt_names_owned(&providers->by_id, id, sizeof(*provider));
	if (!provider) {
		*stop = ENOMEM;
		return NULL;
	}
	provider->id = id;
	fxt_provider_restart(provider);
	return provider;
}

static void provider_deinit(void *owner)
{
	struct fxt_provider *provider = owner;

	tables_free(provider);
	free(provider->owner);
}

/**
 * fxt_providers_deinit() - free all providers
 * @providers: the providers
 */
void fxt_providers_deinit(struct fxt_providers *providers)
{
	fxt_names_free_owned(&providers->by_id, provider_deinit);
}
