/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FXT: how the decoder, the reader, the archive and the checker share work.
 *
 *	fxt_fields.c	words, streams, references and arguments of one record
 *	fxt_decode.c	one record
 *	fxt_table.c	providers with their string and thread tables
 *	fxt.c		record after record, through all providers
 *	fxt_names.c	what processes and threads are called
 *	fxt_packet.c	the packet header of a sub-buffer
 *	fxt_file.c	the bytes of a file
 *	fxt_check.c	every fault of a file
 *	fxt_subbuf.c	and of the sub-buffers in it
 *	fxt_wakeups.c	and its wakeups of threads that run
 *	archive.c	a file's records in time order
 *	archive_lane.c	those of one provider
 *	archive_late.c	those that have to be sorted
 *	archive_write.c	writes a file
 *	ring.c		one CPU's sub-buffers, while they are written
 *
 * An offset is a byte position from the start of the bytes. Nothing is read
 * before it has been compared with what is left of the record, and no record
 * is entered before its size has been compared with what is left of the bytes.
 */
#ifndef _VITRINE_LIB_FXT_H
#define _VITRINE_LIB_FXT_H

#include <byteswap.h>
#include <string.h>

#include <vitrine/fxt.h>
#include <vitrine/map.h>

#include "vitrine.h"

#define FXT_GET(mask, word)	(((word) & (mask)) >> __builtin_ctzll(mask))
#define FXT_PUT(mask, value)	((uint64_t)(value) << __builtin_ctzll(mask))

#define FXT_NR_THREADS		256
#define FXT_NR_STRINGS		32768
#define FXT_STRING_CHUNK	256
#define FXT_MAX_PROVIDERS	16384

/* CPU numbers have 16 bits. */
#define FXT_MAX_CPUS		65536

/* Without an initialization record a tick is a nanosecond. */
#define FXT_DEFAULT_TICKS_PER_SECOND	1000000000ULL

/* An entry counts if its epoch is its provider's: forgetting all is one add. */
struct fxt_thread_entry {
	struct vitrine_fxt_thread thread;
	uint32_t epoch;
};

struct fxt_string_entry {
	const char *bytes;
	uint32_t len_bytes;
	uint32_t epoch;
};

/**
 * struct fxt_provider - what is known of a provider while its records pass
 * @id: provider id
 * @cpu: CPU of a vitrine ring, or VITRINE_FXT_NO_CPU
 * @epoch: of the valid entries in both tables, never 0
 * @introduced: a provider info record has been seen
 * @name: from that record
 * @ticks: last timestamp
 * @ticks_per_second: from its initialization record
 * @running: of a vitrine ring, koid of the thread that runs on @cpu
 * @running_known: @running is set
 * @threads: thread table of FXT_NR_THREADS entries, or NULL
 * @strings: string table in chunks, or NULL
 * @next: hash chain of struct fxt_providers
 * @owner: what the user of the decoder keeps about it
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
	struct fxt_provider *next;
	void *owner;
};

#define FXT_PROVIDER_BUCKETS	512

struct fxt_providers {
	unsigned int nr;
	struct fxt_provider *buckets[FXT_PROVIDER_BUCKETS];
};

/**
 * enum fxt_result - how the decoding of a record ended
 * @FXT_OK: the record is good
 * @FXT_BAD_RECORD: it is not, but its size is known
 * @FXT_BAD_FRAME: its size is not usable
 * @FXT_END: there is no further record
 * @FXT_STOP: out of memory or of providers, see fxt_decoder.stop
 */
enum fxt_result {
	FXT_OK,
	FXT_BAD_RECORD,
	FXT_BAD_FRAME,
	FXT_END,
	FXT_STOP,
};

/**
 * struct fxt_decoder - the bytes, and where faults go
 * @bytes: what is read
 * @len_bytes: how much of it
 * @swap: the writer's byte order is not ours
 * @thorough: look for faults that do not keep a record from being understood
 * @fault: told each fault
 * @ctx: its context
 * @stop: errno behind FXT_STOP
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

static inline uint64_t fxt_word(const struct fxt_decoder *decoder,
				uint64_t offset)
{
	uint64_t word;

	memcpy(&word, decoder->bytes + offset, sizeof(word));
	return decoder->swap ? bswap_64(word) : word;
}

/* The part of a record that has not been taken yet. */
struct fxt_cursor {
	struct fxt_decoder *decoder;
	struct fxt_provider *provider;
	uint64_t record;
	uint64_t at;
	uint64_t end;
};

/* fxt_fields.c */
void fxt_fault(struct fxt_decoder *decoder, uint64_t offset,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));
unsigned int fxt_utf8_sequence(const unsigned char *s, uint64_t left);
bool fxt_take_word(struct fxt_cursor *cursor, const char *what, uint64_t *ret);
bool fxt_take_stream(struct fxt_cursor *cursor, const char *what,
		     uint64_t len_bytes, bool text,
		     struct vitrine_fxt_string *ret);
bool fxt_take_string(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		     struct vitrine_fxt_string *ret);
bool fxt_take_thread(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		     struct vitrine_fxt_thread *ret);
bool fxt_take_args(struct fxt_cursor *cursor, unsigned int nr_args,
		   struct vitrine_fxt_record *ret);

/* fxt_decode.c */
enum fxt_result fxt_decode(struct fxt_decoder *decoder,
			   struct fxt_provider *provider, uint64_t offset,
			   struct vitrine_fxt_record *ret);

/* fxt_table.c */
void fxt_provider_forget(struct fxt_provider *provider);
void fxt_provider_restart(struct fxt_provider *provider);
void fxt_provider_begin_subbuf(struct fxt_provider *provider, uint32_t cpu);
bool fxt_provider_set_string(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_string *string);
bool fxt_provider_set_thread(struct fxt_provider *provider, unsigned int index,
			     const struct vitrine_fxt_thread *thread);
struct fxt_provider *fxt_providers_find(const struct fxt_providers *providers,
					uint32_t id);
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

/**
 * struct vitrine_fxt - a reader of records
 * @decoder: the bytes
 * @providers: all that have appeared
 * @provider: whose records follow, or NULL before the first
 * @offset: of the next record
 * @record: the one last read
 * @fault_offset: where the first fault of @record is
 * @fault_message: what it is; empty if there is none
 */
struct vitrine_fxt {
	struct fxt_decoder decoder;
	struct fxt_providers providers;
	struct fxt_provider *provider;
	uint64_t offset;
	struct vitrine_fxt_record record;
	uint64_t fault_offset;
	char fault_message[192];
};

/* fxt.c */
struct vitrine_error *fxt_init(struct vitrine_fxt *fxt, const void *bytes,
			       size_t len_bytes, const char *path);
void fxt_deinit(struct vitrine_fxt *fxt);
enum fxt_result fxt_next(struct vitrine_fxt *fxt);
struct vitrine_error *fxt_stop_error(const struct vitrine_fxt *fxt,
				     const char *path);

/**
 * struct fxt_file - the bytes of a file
 * @bytes: all of them
 * @len_bytes: how many
 * @mapped: they are a mapping, else they were read into memory
 * @borrowed: they belong to somebody else
 */
struct fxt_file {
	unsigned char *bytes;
	size_t len_bytes;
	bool mapped;
	bool borrowed;
};

/* As much of a file as may stay in memory behind a place that is being read. */
#define FXT_RELEASE_BYTES	(1U << 20)

/**
 * fxt_written_ticks() - when a record was written
 * @record: record with a timestamp
 *
 * Return: ticks; of a complete duration, whose timestamp says when it began, of
 * its end.
 */
static inline uint64_t
fxt_written_ticks(const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_EVENT &&
	    record->event.type == FXT_EVENT_DURATION_COMPLETE)
		return record->event.id;
	return record->ticks;
}

/* fxt_file.c */
struct vitrine_error *fxt_file_open(const char *path, struct fxt_file *ret);
void fxt_file_release(const struct fxt_file *file, uint64_t begin,
		      uint64_t end);
void fxt_file_close(struct fxt_file *file);

/* fxt_packet.c */
struct fxt_counts {
	uint64_t timed;
	uint64_t switches;
};

bool fxt_row_ends(const void *bytes, size_t len_bytes,
		  struct vitrine_fxt_thread *ret_first,
		  struct vitrine_fxt_thread *ret_last);
void fxt_count(const void *bytes, size_t len_bytes, struct fxt_counts *ret);
bool fxt_packet_read(const struct fxt_decoder *decoder,
		     const struct vitrine_fxt_record *record,
		     struct vitrine_packet *ret);
bool fxt_clock_pair_read(const struct fxt_decoder *decoder,
			 const struct vitrine_fxt_record *record,
			 struct vitrine_clock_pair *ret);

static inline bool fxt_string_is(const struct vitrine_fxt_string *string,
				 const char *text)
{
	return string->len_bytes == strlen(text) &&
	       !memcmp(string->bytes, text, string->len_bytes);
}

/* The first argument of that name, or NULL. */
static inline const struct vitrine_fxt_arg *
fxt_find_arg(const struct vitrine_fxt_record *record, const char *name)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, name))
			return &record->args[i];
	return NULL;
}

/* Add an argument, whose value is to be set; @record has room, @name stays. */
static inline struct vitrine_fxt_arg *
fxt_add_arg(struct vitrine_fxt_record *record, unsigned int type,
	    const char *name)
{
	struct vitrine_fxt_arg *arg = &record->args[record->nr_args++];

	arg->type = type;
	arg->name = (struct vitrine_fxt_string){ name, strlen(name) };
	return arg;
}

/**
 * struct fxt_name - what is known of a process or thread
 * @koid: its id
 * @process: of a thread, koid of its process
 * @name: the latest one it was given
 * @given_ns: when that was, as far as the file says
 * @weight: of a thread, as the last switch says; 0: not known
 * @cpu: of a thread, the one that ran it last
 * @used_offset: of the first switch it takes part in
 * @known: this entry is in use
 * @named: it was given a name
 * @owned: @process is set
 * @used: @used_offset is set
 * @ours: that switch is in a sub-buffer of vitrine's
 */
struct fxt_name {
	uint64_t koid;
	uint64_t process;
	struct vitrine_fxt_string name;
	uint64_t given_ns;
	uint64_t used_offset;
	int32_t weight;
	uint32_t cpu;
	bool known;
	bool named;
	bool owned;
	bool used;
	bool ours;
};

/* Processes and threads count apart: a koid may be one of each. */
struct fxt_names {
	struct fxt_name *entries;
	size_t nr;
	size_t size;
	char *copies;
};

/* fxt_names.c */
struct fxt_name *fxt_names_find(const struct fxt_names *names, uint64_t koid);
struct fxt_name *fxt_names_get(struct fxt_names *names, uint64_t koid);
bool fxt_names_learn(struct fxt_names *processes, struct fxt_names *threads,
		     const struct vitrine_fxt_record *record,
		     uint64_t given_ns);
bool fxt_names_keep(struct fxt_names *names);
void fxt_names_deinit(struct fxt_names *names);

#endif /* _VITRINE_LIB_FXT_H */
