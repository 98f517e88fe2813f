/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FXT providers: the state that a provider's records leave behind while they are
 * decoded in file order.
 *
 * A reader owns its providers and is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_FXT_PROVIDER_H
#define _VITRINE_LIB_FXT_PROVIDER_H

#include "fxt_names.h"
#include "vitrine.h"

#define FXT_NR_THREADS		256
#define FXT_NR_STRINGS		32768
#define FXT_STRING_CHUNK	256
#define FXT_MAX_PROVIDERS	16384

/* Without an initialization record a tick is a nanosecond. */
#define FXT_DEFAULT_TICKS_PER_SECOND	1000000000ULL

/*
 * An entry is valid if it has the epoch of its provider: one increment empties a table. Readers
 * note what they know of the thread, at first nothing: the archive the number in its table of
 * names, and who reads the archive a pointer.
 */
struct fxt_thread_entry {
	struct vitrine_fxt_thread thread;
	uint32_t epoch;
	uint32_t number;
	void *note;
};

struct fxt_string_entry {
	const char *bytes;
	uint32_t len_bytes;
	uint32_t epoch;
};

/**
 * struct fxt_provider - decoding state of one provider
 * @id: provider id
 * @cpu: CPU of a vitrine ring, or VITRINE_FXT_NO_CPU
 * @epoch: epoch of the valid entries in both tables, never 0
 * @introduced: a provider info record has been read
 * @name: name from that record
 * @ticks: last timestamp
 * @ticks_per_second: rate from the initialization record
 * @running: of a vitrine ring, koid of the thread that runs on @cpu
 * @running_known: @running is set
 * @threads: thread table of FXT_NR_THREADS entries, or NULL
 * @strings: string table in chunks, or NULL
 * @lane: lane of the archive that has its records, or NULL
 * @owner: data of the caller, allocated with malloc(); freed with the provider
 */
struct fxt_provider {
	uint32_t id;
	uint32_t cpu;
	uint32_t epoch;
	bool introduced;
	struct vitrine_fxt_string name;
	uint64_t ticks;
	uint64_t ticks_per_second;
	uint64_t running;
	bool running_known;
	struct fxt_thread_entry *threads;
	struct fxt_string_entry **strings;
	void *lane;
	void *owner;
};

/**
 * struct fxt_providers - all providers; empty if zeroed
 * @by_id: struct fxt_provider by id, in the order in which they appeared
 */
struct fxt_providers {
	struct fxt_names by_id;
};

void fxt_provider_forget(struct fxt_provider *provider);
void fxt_provider_restart(struct fxt_provider *provider);
void fxt_provider_begin_subbuf(struct fxt_provider *provider, uint32_t cpu);
bool fxt_provider_set_string(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_string *string);
bool fxt_provider_set_thread(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_thread *thread);
struct fxt_provider *fxt_providers_get(struct fxt_providers *providers,
				       uint32_t id, int *stop);
void fxt_providers_deinit(struct fxt_providers *providers);

static inline struct fxt_thread_entry *
fxt_provider_thread(const struct fxt_provider *provider, unsigned int index)
{
	struct fxt_thread_entry *entry;

	if (!provider->threads)
		return NULL;
	entry = &provider->threads[index];
	return entry->epoch == provider->epoch ? entry : NULL;
}

static inline const struct fxt_string_entry *
fxt_provider_string(const struct fxt_provider *provider, unsigned int index)
{
	const struct fxt_string_entry *chunk;

	if (!provider->strings)
		return NULL;
	chunk = provider->strings[index / FXT_STRING_CHUNK];
	if (!chunk)
		return NULL;
	chunk += index % FXT_STRING_CHUNK;
	return chunk->epoch == provider->epoch ? chunk : NULL;
}

#endif /* _VITRINE_LIB_FXT_PROVIDER_H */
