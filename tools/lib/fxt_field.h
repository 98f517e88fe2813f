/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What FXT records consist of: bits by the masks of <vitrine/fxt.h>, words, streams, references
 * and arguments; what references refer to: the tables that the records of a provider leave
 * behind; and the packet headers of vitrine's sub-buffers.
 *
 * A field is parsed from the front of a cursor, which holds the rest of one record.
 * Nothing is read before it has been compared with what is left of the record. A reader owns its
 * providers and is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_FXT_FIELD_H
#define _VITRINE_LIB_FXT_FIELD_H

#include <byteswap.h>
#include <stdint.h>
#include <string.h>

#include <vitrine/fxt.h>
#include <vitrine/map.h>

#include "fxt_names.h"
#include "vitrine.h"

/* ---- Providers ---- */

#define FXT_NR_THREADS		256
#define FXT_NR_STRINGS		32768
#define FXT_STRING_CHUNK	256
#define FXT_MAX_PROVIDERS	16384

/* Without an initialization record a tick is a nanosecond. */
#define FXT_DEFAULT_TICKS_PER_SECOND	1000000000ULL

/*
 * An entry is valid if it has the epoch of its provider: one increment empties a table. For each
 * thread, the archive keeps the number in its table of names, and a pointer of its reader's; both
 * are 0 when the thread is introduced.
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

/* ---- Fields ---- */

/* CPU numbers of records have 16 bits. */
#define FXT_MAX_CPUS	0x10000

#define FXT_GET(mask, word)	(((word) & (mask)) >> __builtin_ctzll(mask))
#define FXT_PUT(mask, value)	((uint64_t)(value) << __builtin_ctzll(mask))

static inline bool fxt_is_large(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_LARGE;
}

/**
 * fxt_header_words() - read the size of a record
 * @header: first word of the record
 *
 * Return: its length in words, not validated.
 */
static inline uint64_t fxt_header_words(uint64_t header)
{
	return fxt_is_large(header) ? FXT_GET(FXT_LARGE_WORDS, header) :
				      FXT_GET(FXT_HEADER_WORDS, header);
}

/**
 * fxt_stream_words() - calculate the padded size of a stream
 * @len_bytes: length without padding; must not be close to 2^64
 *
 * Return: its length in words.
 */
static inline uint64_t fxt_stream_words(uint64_t len_bytes)
{
	return (len_bytes + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
}

/**
 * struct fxt_decoder - the bytes to decode, and the receiver of faults
 * @bytes: the trace
 * @len_bytes: its length
 * @swap: the writer's byte order is not ours
 * @thorough: also report faults that do not prevent decoding
 * @fault: called for each fault, or NULL
 * @ctx: context of @fault
 * @stop: errno value behind FXT_STOP, else 0
 *
 * An offset is a byte position from the start of @bytes.
 */
struct fxt_decoder {
	const unsigned char *bytes;
	uint64_t len_bytes;
	bool swap;
	bool thorough;
	vitrine_fault_fn *fault;
	void *ctx;
	int stop;
};

/**
 * struct fxt_cursor - the rest of a record
 * @decoder: the bytes
 * @provider: provider whose tables resolve references
 * @record: offset of the record
 * @at: offset of the next field
 * @end: offset behind the record
 */
struct fxt_cursor {
	struct fxt_decoder *decoder;
	struct fxt_provider *provider;
	uint64_t record;
	uint64_t at;
	uint64_t end;
};

static inline uint64_t fxt_word(const struct fxt_decoder *decoder,
				uint64_t offset)
{
	uint64_t word;

	memcpy(&word, decoder->bytes + offset, sizeof(word));
	return decoder->swap ? bswap_64(word) : word;
}

/* What the value of an argument is. A class is of several types, which differ in width. */
enum fxt_class {
	FXT_CLASS_NONE,
	FXT_CLASS_SIGNED,
	FXT_CLASS_UNSIGNED,
	FXT_CLASS_REAL,
	FXT_CLASS_TEXT,
	FXT_CLASS_ADDRESS,
	FXT_CLASS_BOOL,
};

enum fxt_class fxt_arg_class(unsigned int type);
uint64_t fxt_arg_mask(unsigned int type);
void fxt_fault(struct fxt_decoder *decoder, uint64_t offset,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));
bool fxt_too_short(struct fxt_cursor *cursor, const char *what);
bool fxt_parse_stream(struct fxt_cursor *cursor, const char *what,
		      uint64_t len_bytes, bool text,
		      struct vitrine_fxt_string *ret);
bool fxt_parse_string(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_string *ret);
bool fxt_parse_thread(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_thread *ret);
bool fxt_parse_args(struct fxt_cursor *cursor, unsigned int nr_args,
		    struct vitrine_fxt_record *ret);

/**
 * fxt_parse_word() - parse one word
 * @cursor: rest of the record
 * @what: name of the field, for the fault
 * @ret: its value
 *
 * Return: false at the end of the record.
 */
static inline bool fxt_parse_word(struct fxt_cursor *cursor, const char *what, uint64_t *ret)
{
	if (cursor->at >= cursor->end)
		return fxt_too_short(cursor, what);
	*ret = fxt_word(cursor->decoder, cursor->at);
	cursor->at += FXT_WORD_BYTES;
	return true;
}

/* ---- Sub-buffers of vitrine: packet headers, clock pairs, and what is lost between two ---- */

/* Offset in a sub-buffer of the record that holds the packet header. */
#define FXT_PACKET_RECORD_OFFSET	(VITRINE_PACKET_OFFSET - 2 * FXT_WORD_BYTES)

/*
 * Providers of events that a recording takes from tracefs. Their sub-buffers have packet
 * headers like those of the module, which count the events that ftrace lost.
 */
#define FXT_TRACEFS_NAME		"tracefs"
#define FXT_TRACEFS_PROVIDER(cpu)	(0x30000 + (cpu))

/* Provider of records without a CPU, such as those that the recorder writes itself. */
#define FXT_OTHER_PROVIDER		0x20000

static inline bool fxt_is_tracefs(uint32_t provider)
{
	return provider - FXT_TRACEFS_PROVIDER(0) < 0x10000;
}

/**
 * struct fxt_loss - what is missing between two sub-buffers of one CPU and session
 * @nr_missing: records that were written, but are not in the first sub-buffer
 * @nr_unwritten: records that the kernel could not write
 * @nr_bytes: length of the records in @nr_missing
 * @nr_subbufs: number of missing sub-buffers
 */
struct fxt_loss {
	uint64_t nr_missing;
	uint64_t nr_unwritten;
	uint64_t nr_bytes;
	uint64_t nr_subbufs;
};

struct fxt_loss fxt_packet_loss(const struct vitrine_packet *before,
				uint64_t nr_timed,
				const struct vitrine_packet *after);
bool fxt_packet_read(const struct fxt_decoder *decoder,
		     const struct vitrine_fxt_record *record,
		     struct vitrine_packet *ret);
bool fxt_clock_pair_read(const struct fxt_decoder *decoder,
			 const struct vitrine_fxt_record *record,
			 struct vitrine_clock_pair *ret);

#endif /* _VITRINE_LIB_FXT_FIELD_H */
