// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Encode records as sub-buffers and write them to a file.
 *
 * Each lane fills its own sub-buffer, as the module does. The sub-buffer is written to the
 * file when it is full, and when records were lost. A record refers to threads and strings by
 * their index in the tables of the sub-buffer. Thread records, names and string records precede
 * the first use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "fxt_field.h"
#include "fxt_names.h"
#include "fxt_record.h"
#include "fxt_write.h"
#include "writer.h"

#define FXT_STRINGS_MAX		1024
#define FXT_STRINGS_SLOTS	(2 * FXT_STRINGS_MAX)
#define FXT_STRINGS_SEEN	4096

/**
 * struct fxt_strings - the strings that a sub-buffer has registered; empty if zeroed
 * @nr: number of strings, which have the indices 1 to @nr
 * @slots: indices by hash, 0 for a free slot
 * @entries: hash, first word in the sub-buffer and length of each string
 */
struct fxt_strings {
	unsigned int nr;
	uint16_t slots[FXT_STRINGS_SLOTS];
	struct {
		uint32_t hash;
		uint32_t at;
		uint32_t len_bytes;
	} entries[FXT_STRINGS_MAX + 1];
};

#define NSEC_PER_SEC	1000000000ULL

/* First id to replace ids that are taken. The kernel's ids are always lower. */
#define IDS_STAND_IN	0x60000000ULL

#define SUBBUF_WORDS	8192
#define SUBBUF_BYTES	(SUBBUF_WORDS * FXT_WORD_BYTES)

/* A sub-buffer is larger if it contains a larger record, but its size has 32 bits. */
#define WORDS_MAX	(1U << 28)

/* Longer names of threads and processes are truncated. */
#define NAME_BYTES	255
#define NAME_WORDS	((NAME_BYTES + 7) / 8)

/* Length of a thread record with the names of the thread and of its process. */
#define THREAD_WORDS	(3 + (2 + NAME_WORDS + 3) + (2 + NAME_WORDS))

/* Room for a record, if it has no payload that needs more. */
#define RECORD_WORDS	8000

/* Entries for the threads, and as many for the processes, that a sub-buffer has named. */
#define NR_NAMED	256

/* Name of the provider of records without a CPU. */
#define OTHER_NAME	"converted"

/* A record that is written at @end, encoded with inline strings and threads. */
struct held {
	uint64_t end;
	uint64_t number;
	unsigned int nr;
	uint64_t words[];
};

/**
 * struct thread_slot - a thread in the thread table of a sub-buffer, or that has been named there
 * @thread: the thread
 * @number: its number in the table of names, 0 in a free slot
 * @naming: in the thread table, @naming of the lane when the thread was named; 0: not yet
 */
struct thread_slot {
	struct vitrine_fxt_thread thread;
	uint32_t number;
	uint32_t naming;
};

/* What a sub-buffer has registered and named; all zero when it begins. */
struct tables {
	struct thread_slot threads[FXT_NR_THREADS];
	struct thread_slot named_threads[NR_NAMED];
	struct thread_slot named_processes[NR_NAMED];
	struct fxt_strings strings;
};

/**
 * struct lane - the sub-buffers of a CPU
 * @out: the file
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @provider: id of the provider
 * @name: its name
 * @packet: header of the sub-buffer that is being filled
 * @begin_ns: time from which on all records of the CPU are there, or UINT64_MAX
 * @nr_timed: number of records with a time in the sub-buffer
 * @nr_lost: number of records lost so far
 * @said_lost: value of @nr_lost in the last header that was written
 * @last_ticks: time of the last record
 * @naming: 1 when the sub-buffer begins, and one more each time that a name in it is forgotten
 * @running: incoming thread of the last switch
 * @chained: @running is known
 * @held: complete durations, and begins of durations behind them, a heap by end
 * @nr_held: number of @held
 * @held_ticks: time of the last one
 * @held_end: its end
 * @tables: tables of the sub-buffer
 * @encoder: contents of the sub-buffer; while it is empty, no sub-buffer has begun
 * @size_bytes: size of the words of @encoder
 */
struct lane {
	struct fxt_out *out;
	uint32_t cpu;
	uint32_t provider;
	const char *name;
	struct vitrine_packet packet;
	uint64_t begin_ns;
	uint64_t nr_timed;
	uint64_t nr_lost;
	uint64_t said_lost;
	uint64_t last_ticks;
	uint32_t naming;
	uint64_t running;
	bool chained;
	void **held;
	size_t nr_held;
	uint64_t held_ticks;
	uint64_t held_end;
	struct tables tables;
	struct fxt_encoder encoder;
	size_t size_bytes;
};

/* Lanes of a kind, by CPU plus one; the first is that of records without a CPU. */
struct lanes {
	struct lane **at;
	unsigned int nr;
};

/* Kinds of lanes, in the order in which they end. */
enum {
	LANES_OWN,
	LANES_TRACEFS,	/* of events of ftrace */
	NR_LANES,
};

/**
 * struct fxt_out - a trace file that is being written
 * @err: the first error, or NULL
 * @writer: writer of the file
 * @realtime_ns: CLOCK_REALTIME at time 0
 * @session: how sub-buffers are introduced
 * @processes: names of processes, copied
 * @threads: names of threads, copied
 * @counts: counts of records written
 * @taken: ids of threads and processes that fxt_out_id() has given are used
 * @nr_stand_ins: number of replacement ids that were tried
 * @lanes: all lanes
 * @nr_held: number of complete durations that were ever held
 * @seen: hashes of strings that the file contains, the last one of each slot
 * @scratch: encoder for a single record
 * @scratch_bytes: size of the words of @scratch
 */
struct fxt_out {
	struct vitrine_error *err;
	struct vitrine_writer *writer;
	uint64_t realtime_ns;
	struct fxt_out_session session;
	struct fxt_names processes;
	struct fxt_names threads;
	struct fxt_out_counts counts;
	struct fxt_names taken;
	uint64_t nr_stand_ins;
	struct lanes lanes[NR_LANES];
	uint64_t nr_held;
	uint32_t seen[FXT_STRINGS_SEEN];
	struct fxt_encoder scratch;
	size_t scratch_bytes;
};

/* ---- Strings of a sub-buffer ------------------------------------------- */

/*
 * A string of n words takes n + 1 when it is registered, and none when it is used again. Names
 * of events are used again and again; the text of a marker or the path of a file often occurs
 * once. A string is therefore inline where it occurs first in the file, and registered in
 * every sub-buffer that contains it later.
 */

static uint32_t hash_string(const struct vitrine_fxt_string *string)
{
	uint64_t hash = string->len_bytes, word;
	size_t i;

	for (i = 0; i < string->len_bytes; i += sizeof(word)) {
		word = 0;
		memcpy(&word, string->bytes + i,
		       string->len_bytes - i < sizeof(word) ? string->len_bytes - i :
							      sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	/* 0 is the hash of a slot that has seen no string. */
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

static bool is_at(const struct lane *lane, unsigned int index, uint32_t hash,
		  const struct vitrine_fxt_string *string)
{
	const struct fxt_strings *strings = &lane->tables.strings;

	return strings->entries[index].hash == hash &&
	       strings->entries[index].len_bytes == string->len_bytes &&
	       !memcmp(&lane->encoder.words[strings->entries[index].at], string->bytes,
		       string->len_bytes);
}

static bool was_seen(struct fxt_out *out, uint32_t hash)
{
	uint32_t *slot = &out->seen[hash % FXT_STRINGS_SEEN];
	bool was = *slot == hash;

	*slot = hash;
	return was;
}

static unsigned int add(struct lane *lane, uint32_t hash, const struct vitrine_fxt_string *string)
{
	struct fxt_strings *strings = &lane->tables.strings;
	struct fxt_encoder *to = &lane->encoder;
	unsigned int index = strings->nr + 1;

	if (strings->nr == FXT_STRINGS_MAX || string->len_bytes > FXT_MAX_STRING_BYTES ||
	    1 + fxt_stream_words(string->len_bytes) > to->size - to->nr)
		return 0;
	strings->entries[index].hash = hash;
	strings->entries[index].at = to->nr + 1;
	strings->entries[index].len_bytes = string->len_bytes;
	strings->nr = index;
	fxt_encode_string(to, index, string);
	return index;
}

/*
 * Look up a string in the sub-buffer of the lane @ctx, and register it if it is worth it. Returns
 * the index of the string, or 0 if it is to be inline.
 */
static unsigned int intern(void *ctx, const struct vitrine_fxt_string *string)
{
	struct lane *lane = ctx;
	uint16_t *slots = lane->tables.strings.slots, *slot;
	uint32_t hash = hash_string(string);

	for (slot = &slots[hash % FXT_STRINGS_SLOTS]; *slot;
	     slot = slot == &slots[FXT_STRINGS_SLOTS - 1] ? slots : slot + 1)
		if (is_at(lane, *slot, hash, string))
			return *slot;
	if (!was_seen(lane->out, hash))
		return 0;
	*slot = add(lane, hash, string);
	return *slot;
}

/* ---- The file ---- */

/* Note an error, unless it is NULL. After the first one, nothing is written any more. */
static void fail(struct fxt_out *out, struct vitrine_error *err)
{
	if (!out->err)
		out->err = err;
	else
		vitrine_error_destroy(err);
}

static bool have(struct fxt_out *out, bool memory)
{
	if (!memory)
		fail(out, vtr_error_no_memory());
	return memory;
}

/**
 * fxt_out_error() - take the first error since the last call
 * @out: file
 *
 * Functions that have no result do nothing after an error.
 *
 * Return: the error, or NULL.
 */
struct vitrine_error *fxt_out_error(struct fxt_out *out)
{
	struct vitrine_error *err = out->err;

	out->err = NULL;
	return err;
}

/* Make room for so many words. */
static bool grow(struct fxt_encoder *encoder, size_t *size_bytes, size_t nr_words)
{
	if (nr_words > WORDS_MAX ||
	    !GROW_BYTES(encoder->words, *size_bytes, nr_words * FXT_WORD_BYTES))
		return false;
	encoder->size = *size_bytes / FXT_WORD_BYTES;
	return true;
}

/**
 * fxt_out_create() - create a trace file
 * @path: name of the file; see vitrine_writer_create()
 * @realtime_ns: CLOCK_REALTIME at time 0, or 0
 * @ret: the file
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *fxt_out_create(const char *path, uint64_t realtime_ns,
				     struct fxt_out **ret)
{
	struct fxt_out *out = calloc(1, sizeof(*out));
	struct vitrine_error *err;

	if (!out)
		return vtr_error_no_memory();
	out->realtime_ns = realtime_ns;
	out->session = (struct fxt_out_session){
		.provider = 1,
		.name = VITRINE_PROVIDER_NAME,
		.ticks_per_second = NSEC_PER_SEC,
		.clock = VITRINE_CLOCK_MONO,
		.session = 1,
	};
	err = grow(&out->scratch, &out->scratch_bytes, RECORD_WORDS) ?
	      vitrine_writer_create(path, &out->writer) : vtr_error_no_memory();
	if (err) {
		free(out->scratch.words);
		free(out);
		return err;
	}
	*ret = out;
	return NULL;
}

/**
 * fxt_out_set_session() - set how sub-buffers are introduced
 * @out: file without lanes
 * @session: copied, except for the name
 *
 * Without it they are introduced as those of the module, with times in nanoseconds of
 * CLOCK_MONOTONIC.
 */
void fxt_out_set_session(struct fxt_out *out,
			 const struct fxt_out_session *session)
{
	out->session = *session;
}

static void lane_free(struct lane *lane)
{
	if (!lane)
		return;
	while (lane->nr_held)
		free(lane->held[--lane->nr_held]);
	free(lane->held);
	free(lane->encoder.words);
	free(lane);
}

static void names_free(struct fxt_names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free((char *)names->entries[i].name.bytes);
	fxt_names_deinit(names);
}

/**
 * fxt_out_destroy() - close a trace file
 * @out: file, or NULL; removed unless it was committed
 */
void fxt_out_destroy(struct fxt_out *out)
{
	struct lanes *lanes;
	unsigned int i;

	if (!out)
		return;
	for (lanes = out->lanes; lanes < &out->lanes[NR_LANES]; lanes++) {
		for (i = 0; i < lanes->nr; i++)
			lane_free(lanes->at[i]);
		free(lanes->at);
	}
	names_free(&out->processes);
	names_free(&out->threads);
	fxt_names_deinit(&out->taken);
	vitrine_error_destroy(out->err);
	vitrine_writer_destroy(out->writer);
	free(out->scratch.words);
	free(out);
}

/**
 * fxt_out_counts() - return the counts of records written
 * @out: file
 *
 * Return: the counts so far.
 */
struct fxt_out_counts fxt_out_counts(const struct fxt_out *out)
{
	return out->counts;
}

/* ---- Names ---- */

/* The two slots that a thread may be in. */
static unsigned int first_slot(uint64_t koid)
{
	return 1 + (koid ^ koid >> 8) % (FXT_NR_THREADS - 1);
}

static unsigned int second_slot(uint64_t koid)
{
	return 1 + first_slot(koid) % (FXT_NR_THREADS - 1);
}

static struct thread_slot *named_slot(struct thread_slot *named, uint64_t koid)
{
	return &named[(koid * 0x9e3779b97f4a7c15ULL >> 32) % NR_NAMED];
}

static void forget_in(struct lane *lane, uint64_t koid)
{
	if (!lane)
		return;
	lane->naming++;
	named_slot(lane->tables.named_threads, koid)->number = 0;
	named_slot(lane->tables.named_processes, koid)->number = 0;
}

static bool is_introduced(const struct fxt_names *names, uint64_t koid)
{
	const struct fxt_name *entry = fxt_names_find(names, koid);

	return entry && entry->introduced;
}

/* Make each lane name the thread and the process anew when they are used next. */
static void forget_name(struct fxt_out *out, uint64_t koid)
{
	const struct lanes *lanes;
	unsigned int i;

	if (!is_introduced(&out->threads, koid) && !is_introduced(&out->processes, koid))
		return;
	for (lanes = out->lanes; lanes < &out->lanes[NR_LANES]; lanes++)
		for (i = 0; i < lanes->nr; i++)
			forget_in(lanes->at[i], koid);
}

static bool is_called(const struct fxt_name *entry, const char *name, size_t len_bytes)
{
	return entry->named && entry->name.len_bytes == len_bytes &&
	       !memcmp(entry->name.bytes, name, len_bytes);
}

/*
 * Set the name of an entry, unless it is empty, to be written again before the next record that
 * refers to it. Return the entry, NULL without memory.
 */
static struct fxt_name *give_name(struct fxt_out *out, struct fxt_names *names, uint64_t koid,
				  const struct vitrine_fxt_string *name)
{
	struct fxt_name *entry = fxt_names_get(names, koid);
	size_t len_bytes = name->len_bytes;
	char *copy;

	if (len_bytes > NAME_BYTES)
		len_bytes = NAME_BYTES;
	if (!have(out, entry) || !len_bytes || is_called(entry, name->bytes, len_bytes))
		return entry;
	copy = malloc(len_bytes);
	if (!have(out, copy))
		return NULL;
	out->counts.nr_truncated += len_bytes < name->len_bytes;
	memcpy(copy, name->bytes, len_bytes);
	fxt_mend_text(copy, len_bytes);
	if (is_called(entry, copy, len_bytes)) {
		free(copy);
		return entry;
	}
	free((char *)entry->name.bytes);
	entry->name = (struct vitrine_fxt_string){ copy, len_bytes };
	entry->named = true;
	forget_name(out, koid);
	return entry;
}

/**
 * fxt_out_name_thread() - set the name and process of a thread
 * @out: file
 * @koid: id of the thread
 * @process: id of its process, or VITRINE_FXT_NO_PROCESS
 * @name: name of the thread; empty to set the process only
 *
 * Applies to records that are written afterwards.
 */
void fxt_out_name_thread(struct fxt_out *out, uint64_t koid, uint64_t process,
			 const struct vitrine_fxt_string *name)
{
	struct fxt_name *entry = give_name(out, &out->threads, koid, name);

	if (entry && process != VITRINE_FXT_NO_PROCESS) {
		entry->process = process;
		entry->owned = true;
	}
}

/**
 * fxt_out_name_process() - set the name of a process
 * @out: file
 * @koid: id of the process
 * @name: name of the process
 */
void fxt_out_name_process(struct fxt_out *out, uint64_t koid,
			  const struct vitrine_fxt_string *name)
{
	give_name(out, &out->processes, koid, name);
}

/**
 * fxt_out_is_named() - check whether a thread has a name
 * @out: file
 * @koid: id of the thread
 *
 * Return: true if fxt_out_name_thread() has set one.
 */
bool fxt_out_is_named(const struct fxt_out *out, uint64_t koid)
{
	const struct fxt_name *entry = fxt_names_find(&out->threads, koid);

	return entry && entry->named;
}

static uint64_t process_of(const struct fxt_name *entry, uint64_t koid)
{
	return entry && entry->owned ? entry->process : koid;
}

/**
 * fxt_out_process() - return the process of a thread
 * @out: file
 * @koid: id of the thread
 *
 * Return: id of the process. A thread whose process was not set is its own process.
 */
uint64_t fxt_out_process(const struct fxt_out *out, uint64_t koid)
{
	return process_of(fxt_names_find(&out->threads, koid), koid);
}

/* ---- Ids ---- */

/* Take the id @wanted or, if it is taken already, a free one. */
static uint64_t take_free(struct fxt_out *out, uint64_t wanted)
{
	bool good;

	while (!fxt_names_first(&out->taken, wanted, &good) && have(out, good))
		wanted = IDS_STAND_IN + out->nr_stand_ins++;
	return wanted;
}

/**
 * fxt_out_id() - map an id of a source to an id of the trace
 * @out: file
 * @given: threads and processes of the source: the number of an entry is the id that it got
 * @id: the id in the source
 * @wanted: the id to use unless another source or id has it
 *
 * Threads of different sources never get the same id. Inputs are read once, so later ids are
 * unknown: the first thread or process that asks for an id gets it. Later ones that ask for the
 * same id get a free one instead, no matter whether the first one is from an input or was made up.
 *
 * Return: the id in the trace, always the same for the same @id; 0 and VITRINE_FXT_NO_PROCESS
 * are not mapped.
 */
uint64_t fxt_out_id(struct fxt_out *out, struct fxt_names *given, uint64_t id, uint64_t wanted)
{
	struct fxt_name *entry;

	if (!id || id == VITRINE_FXT_NO_PROCESS)
		return id;
	entry = fxt_names_get(given, id);
	if (!have(out, entry))
		return wanted;
	if (!entry->numbered) {
		entry->number = take_free(out, wanted);
		entry->numbered = true;
	}
	return entry->number;
}

/* ---- Sub-buffers ---- */

static void begin_subbuf(struct lane *lane)
{
	struct fxt_encoder *to = &lane->encoder;

	memset(&lane->tables, 0, sizeof(lane->tables));
	lane->naming = 1;
	to->nr = 0;
	lane->nr_timed = 0;
	fxt_encode_magic(to);
	fxt_encode_provider(to, VITRINE_FXT_PROVIDER_INFO, lane->provider, lane->name);
	fxt_encode_initialization(to, lane->out->session.ticks_per_second);
	if (lane->cpu == VITRINE_FXT_NO_CPU)
		return;
	lane->packet.lost_records = lane->nr_lost;
	lane->said_lost = lane->nr_lost;
	/* flush_subbuf() writes the final packet header over this one. */
	fxt_encode_blob(to, VITRINE_PROVIDER_NAME, &lane->packet,
			sizeof(lane->packet));
}

static void flush_subbuf(struct lane *lane)
{
	struct vitrine_packet *packet = &lane->packet;

	if (!lane->encoder.nr)
		return;
	if (!lane->nr_timed)
		packet->begin_ticks = lane->last_ticks;
	packet->end_ticks = lane->last_ticks;
	packet->committed_bytes = lane->encoder.nr * FXT_WORD_BYTES;
	packet->subbuf_bytes = packet->committed_bytes > SUBBUF_BYTES ?
			       packet->committed_bytes : SUBBUF_BYTES;
	if (lane->cpu != VITRINE_FXT_NO_CPU)
		memcpy((char *)lane->encoder.words + VITRINE_PACKET_OFFSET, packet,
		       sizeof(*packet));
	if (!lane->out->err)
		fail(lane->out, vitrine_writer_append(lane->out->writer, lane->encoder.words,
						      packet->committed_bytes));
	packet->sequence++;
	packet->records_before += lane->nr_timed;
	packet->bytes_before += packet->committed_bytes;
	lane->encoder.nr = 0;
	lane->nr_timed = 0;
}

static bool slot_has(const struct thread_slot *slot, const struct vitrine_fxt_thread *thread)
{
	return slot->number && slot->thread.thread == thread->thread &&
	       slot->thread.process == thread->process;
}

/* Fill the slot. Return false if it has this thread already. */
static bool slot_fill(struct thread_slot *slot, const struct vitrine_fxt_thread *thread,
		      const struct fxt_names *names, const struct fxt_name *entry)
{
	if (slot_has(slot, thread))
		return false;
	*slot = (struct thread_slot){ *thread, .number = entry - names->entries + 1 };
	return true;
}

/* Return the entry of a thread, or NULL; one in the thread table needs no look-up. */
static struct fxt_name *entry_of(struct lane *lane, uint64_t koid)
{
	const struct thread_slot *slot = &lane->tables.threads[first_slot(koid)];
	struct fxt_names *threads = &lane->out->threads;

	if (slot->thread.thread != koid)
		slot = &lane->tables.threads[second_slot(koid)];
	if (slot->number && slot->thread.thread == koid)
		return &threads->entries[slot->number - 1];
	return fxt_names_find(threads, koid);
}

/*
 * Write the names of a thread and of its process, once in a sub-buffer. A thread that runs
 * @must be introduced, with an empty name if it has none, except idle, which is identified by its
 * id. So must the process of a thread with a name. Threads of process 0 are made up; nobody else
 * names them.
 */
static bool name_thread(struct lane *lane, const struct vitrine_fxt_thread *thread,
			bool must)
{
	const struct vitrine_fxt_thread leader = { thread->process, thread->process };
	struct thread_slot *thread_slot, *process_slot;
	struct fxt_name *named, *process;

	thread_slot = named_slot(lane->tables.named_threads, thread->thread);
	process_slot = named_slot(lane->tables.named_processes, thread->process);
	if ((thread->process && lane->out->session.is_nameless) ||
	    (slot_has(thread_slot, thread) && slot_has(process_slot, &leader)))
		return true;
	named = fxt_names_get(&lane->out->threads, thread->thread);
	process = fxt_names_get(&lane->out->processes, thread->process);
	if (!named || !process)
		return false;
	must = must && thread->thread;
	if ((must || process->named || (named->named && thread->process)) &&
	    slot_fill(process_slot, &leader, &lane->out->processes, process)) {
		process->introduced = true;
		fxt_encode_object(&lane->encoder, FXT_OBJECT_TYPE_PROCESS, thread->process,
				  process->named || thread->process != thread->thread ?
				  &process->name : &named->name, NULL);
	}
	if ((must || named->named) &&
	    slot_fill(thread_slot, thread, &lane->out->threads, named)) {
		named->introduced = true;
		fxt_encode_object(&lane->encoder, FXT_OBJECT_TYPE_THREAD, thread->thread,
				  &named->name, &thread->process);
	}
	return true;
}

/*
 * Return the slot of a thread, and write its record if it has none; 0 without memory. A thread may
 * be in one of two slots, but not in @avoid, which the other thread of the same record occupies.
 */
static unsigned int refer_to(struct lane *lane,
			     const struct vitrine_fxt_thread *thread,
			     unsigned int avoid)
{
	unsigned int slot = first_slot(thread->thread);
	unsigned int second = second_slot(thread->thread);
	struct thread_slot *threads = lane->tables.threads;
	struct fxt_names *names = &lane->out->threads;
	const struct fxt_name *entry;

	if (slot_has(&threads[slot], thread))
		return slot;
	if (slot_has(&threads[second], thread))
		return second;
	if (slot == avoid)
		slot = second;
	entry = fxt_names_get(names, thread->thread);
	if (!entry)
		return 0;
	slot_fill(&threads[slot], thread, names, entry);
	fxt_encode_thread(&lane->encoder, slot, thread);
	return slot;
}

/* Name the threads of a record and refer to them. There is room for THREAD_WORDS of each. */
static bool add_refs(struct lane *lane, struct fxt_encoder *encoded,
		     const struct vitrine_fxt_record *record)
{
	const bool must = record->kind == VITRINE_FXT_SWITCH;
	struct thread_slot *threads = lane->tables.threads;
	struct vitrine_fxt_thread thread;
	unsigned int i, slot = 0;

	for (i = 0; i < encoded->nr_threads; i++) {
		thread = encoded->threads[i];
		if (thread.process == VITRINE_FXT_NO_PROCESS)
			thread.process = process_of(entry_of(lane, thread.thread), thread.thread);
		if (encoded->shifts[i] != FXT_NO_SHIFT) {
			slot = refer_to(lane, &thread, slot);
			if (!slot)
				return false;
			encoded->words[encoded->ref_word] |=
				(uint64_t)slot << encoded->shifts[i];
			if (threads[slot].naming == lane->naming)
				continue;
			threads[slot].naming = must ? lane->naming : 0;
		}
		if (!name_thread(lane, &thread, must))
			return false;
	}
	return true;
}

/* Have a wakeup name its waker, too, which may not have run here. */
static void refer_to_waker(struct fxt_encoder *encoded, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *waker = fxt_find_typed(record, "waker", FXT_ARG_KOID);
	struct vitrine_fxt_thread thread = { .process = VITRINE_FXT_NO_PROCESS };

	if (!waker)
		return;
	thread.thread = waker->value.uint64;
	fxt_encode_refer(encoded, &thread, FXT_NO_SHIFT);
}

/* Make room in the scratch words for a record; too little is refused when it is encoded. */
static bool make_room(struct fxt_out *out, const struct vitrine_fxt_record *record)
{
	uint64_t nr_words;

	if (record->kind != VITRINE_FXT_LARGE_BLOB)
		return true;
	nr_words = fxt_stream_words(record->large_blob.payload.len_bytes);
	return nr_words > WORDS_MAX - RECORD_WORDS ||
	       grow(&out->scratch, &out->scratch_bytes, RECORD_WORDS + nr_words);
}

/*
 * Encode a record into the scratch words, and its strings into the sub-buffer. If the record
 * does not fit, a new sub-buffer begins, which is made larger if necessary. Return false if there
 * is no such record in FXT, which is counted, or no memory.
 */
static bool encode(struct lane *lane, const struct vitrine_fxt_record *record)
{
	struct fxt_encoder *encoded = &lane->out->scratch;
	unsigned int begin, nr_words;

	encoded->intern = intern;
	encoded->ctx = lane;
	if (!have(lane->out, make_room(lane->out, record)))
		return false;
	for (;;) {
		begin = lane->encoder.nr;
		if (!begin)
			begin_subbuf(lane);
		encoded->nr = 0;
		if (!fxt_encode(encoded, record)) {
			lane->out->counts.nr_refused++;
			return false;
		}
		nr_words = lane->encoder.nr + encoded->nr + 2 * THREAD_WORDS;
		if (nr_words <= (begin ? SUBBUF_WORDS : lane->encoder.size))
			return true;
		/* Without the strings that the record has registered. */
		lane->encoder.nr = begin;
		if (begin)
			flush_subbuf(lane);
		else if (!have(lane->out, grow(&lane->encoder, &lane->size_bytes, nr_words)))
			return false;
	}
}

/* Append a record that is written at @ticks. */
static void append(struct lane *lane, const struct vitrine_fxt_record *record, uint64_t ticks)
{
	struct fxt_encoder *encoded = &lane->out->scratch;

	if (!encode(lane, record))
		return;
	if (record->kind == VITRINE_FXT_WAKEUP)
		refer_to_waker(encoded, record);
	if (!have(lane->out, add_refs(lane, encoded, record)))
		return;
	memcpy(&lane->encoder.words[lane->encoder.nr], encoded->words,
	       encoded->nr * sizeof(encoded->words[0]));
	lane->encoder.nr += encoded->nr;
	if (!record->timed)
		return;
	if (!lane->nr_timed++) {
		lane->packet.begin_ticks = ticks < lane->begin_ns ? ticks : lane->begin_ns;
		lane->begin_ns = UINT64_MAX;
	}
	lane->last_ticks = ticks;
	lane->out->counts.nr_records++;
}

static unsigned int count_unknown_args(const struct vitrine_fxt_record *record)
{
	unsigned int i, nr = 0;

	for (i = 0; i < record->nr_args; i++)
		nr += record->args[i].type > FXT_ARG_BOOL;
	return nr;
}

/* ---- Complete durations ---- */

/* Order by end; of durations with the same end, the first one that began is first. */
static bool held_before(const void *left, const void *right)
{
	const struct held *a = left, *b = right;

	return a->end != b->end ? a->end < b->end : a->number < b->number;
}

static void hold(struct lane *lane, const struct vitrine_fxt_record *record, uint64_t end)
{
	struct fxt_encoder *encoded = &lane->out->scratch;
	size_t nr = lane->nr_held, len_bytes;
	struct held *held;
	bool good;

	encoded->intern = NULL;
	encoded->inline_threads = true;
	encoded->nr = 0;
	good = fxt_encode(encoded, record);
	encoded->inline_threads = false;
	if (!good) {
		lane->out->counts.nr_refused++;
		return;
	}
	len_bytes = encoded->nr * sizeof(encoded->words[0]);
	held = GROW(lane->held, nr) ? malloc(sizeof(*held) + len_bytes) : NULL;
	if (!have(lane->out, held))
		return;
	held->end = end;
	held->number = lane->out->nr_held++;
	held->nr = encoded->nr;
	memcpy(held->words, encoded->words, len_bytes);
	lane->held[lane->nr_held] = held;
	heap_rise(lane->held, lane->nr_held++, held_before);
	lane->held_ticks = record->ticks;
	lane->held_end = end;
}

/* Remove the duration that ends first. */
static struct held *unhold(struct lane *lane)
{
	struct held *held = lane->held[0];

	lane->held[0] = lane->held[--lane->nr_held];
	heap_sink(lane->held, lane->nr_held, held_before);
	return held;
}

static bool is_due(const struct lane *lane, uint64_t now)
{
	return lane->nr_held && ((struct held *)lane->held[0])->end <= now;
}

static void append_held(struct lane *lane, const struct held *held)
{
	struct fxt_provider provider = { .cpu = VITRINE_FXT_NO_CPU };
	struct fxt_decoder decoder = {
		.bytes = (const unsigned char *)held->words,
		.len_bytes = held->nr * sizeof(held->words[0]),
	};
	struct vitrine_fxt_record record;

	/* hold() has encoded it, with all strings inline: it is valid. */
	fxt_decode(&decoder, &provider, 0, &record);
	append(lane, &record, held->end);
}

/* Write the durations that have ended by @now. */
static void release(struct lane *lane, uint64_t now)
{
	struct held *held;

	while (is_due(lane, now)) {
		held = unhold(lane);
		append_held(lane, held);
		free(held);
	}
}

/* ---- Lanes ---- */

static struct lane *lane_create(struct fxt_out *out, uint32_t cpu, uint32_t provider,
				const char *name)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane || !grow(&lane->encoder, &lane->size_bytes, SUBBUF_WORDS)) {
		free(lane);
		return NULL;
	}
	lane->out = out;
	lane->cpu = cpu;
	lane->provider = provider;
	lane->name = name;
	lane->begin_ns = UINT64_MAX;
	lane->packet = (struct vitrine_packet){
		.magic = VITRINE_PACKET_MAGIC,
		.session_realtime_ns = out->realtime_ns,
		.cpu = cpu,
		.session = out->session.session,
		.clock = out->session.clock,
	};
	return lane;
}

/*
 * Return the lane of a CPU, which is created first, or of records without a CPU. The events of
 * ftrace that `vitrine record -e' adds have lanes of their own, since their losses do not break the
 * chain of switches. After an error, there is none.
 */
static struct lane *lane_of(struct fxt_out *out, uint32_t provider, uint32_t cpu)
{
	bool is_tracefs = cpu != VITRINE_FXT_NO_CPU && fxt_is_tracefs(provider);
	struct lanes *lanes = &out->lanes[is_tracefs ? LANES_TRACEFS : LANES_OWN];
	uint32_t index = cpu + 1;

	if (index > FXT_MAX_CPUS)
		fail(out, vitrine_error_create(E2BIG, NULL, VITRINE_NO_OFFSET, NULL,
					       "CPU %u: FXT counts to %u", cpu, FXT_MAX_CPUS - 1));
	if (out->err || !have(out, GROW_TO(lanes->at, lanes->nr, index)))
		return NULL;
	if (lanes->at[index])
		return lanes->at[index];
	if (is_tracefs)
		lanes->at[index] = lane_create(out, cpu, FXT_TRACEFS_PROVIDER(cpu),
					       FXT_TRACEFS_NAME);
	else if (index)
		lanes->at[index] = lane_create(out, cpu, out->session.provider + cpu,
					       out->session.name);
	else
		lanes->at[index] = lane_create(out, cpu, FXT_OTHER_PROVIDER, OTHER_NAME);
	have(out, lanes->at[index]);
	return lanes->at[index];
}

static void lose(struct lane *lane, uint64_t nr_records)
{
	lane->nr_lost += nr_records;
	lane->out->counts.nr_lost += nr_records;
	lane->chained = false;
	flush_subbuf(lane);
}

/*
 * Check that the outgoing thread is the one that the previous switch brought in. If it is
 * not, a record was lost in between.
 */
static void follow_switch(struct lane *lane, const struct vitrine_fxt_record *record)
{
	uint64_t outgoing = record->context_switch.outgoing.thread;
	struct fxt_name *name = entry_of(lane, outgoing);

	if (lane->chained && lane->running != outgoing) {
		lane->out->counts.nr_breaks++;
		lose(lane, 1);
	}
	if (name)
		name->weight = fxt_outgoing_weight(record);
	lane->running = record->context_switch.incoming.thread;
	lane->chained = true;
	lane->out->counts.nr_switches++;
}

/* Check whether readers derive this weight of a woken thread from the switches before. */
static bool is_derived(struct lane *lane, const struct vitrine_fxt_record *record,
		       const struct vitrine_fxt_arg *weight)
{
	const struct fxt_name *name = entry_of(lane, record->wakeup.thread);

	return name && name->weight && weight->type == FXT_ARG_INT32 &&
	       weight->value.int64 == name->weight;
}

/*
 * Complete a wakeup, and append it. If the trace does not tell the waker, name the thread that runs
 * on the CPU, or thread 0 if an interrupt made the wakeup, because viewers would assume that the
 * thread woke itself. Omit the weight if readers derive it. If the waker is unknown, a record
 * without arguments would mean that readers are to derive it: the weight 0, which is the default,
 * prevents this.
 */
static void append_wakeup(struct lane *lane, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *weight;
	struct vitrine_fxt_record wakeup;
	bool by_interrupt;

	memcpy(&wakeup, record, fxt_record_bytes(record));
	by_interrupt = fxt_is_by_interrupt(&wakeup);
	if (!fxt_find_arg(&wakeup, "waker") && (by_interrupt || lane->chained) &&
	    wakeup.nr_args < FXT_MAX_ARGS)
		fxt_add_waker(&wakeup, by_interrupt ? 0 : lane->running);
	weight = fxt_find_arg(&wakeup, "weight");
	if (wakeup.nr_args == 2 && weight == wakeup.args && fxt_find_arg(&wakeup, "waker") &&
	    is_derived(lane, &wakeup, weight))
		wakeup.args[0] = wakeup.args[--wakeup.nr_args];
	else if (!wakeup.nr_args)
		fxt_add_weight(&wakeup, "weight", 0);
	append(lane, &wakeup, record->ticks);
}

/*
 * Return when a record is to be written. Readers order records of equal time by their place
 * in the file: the begin of a duration stays behind the complete durations that began at the
 * same time, if it was written late.
 */
static uint64_t written_at(const struct lane *lane,
			   const struct vitrine_fxt_record *record)
{
	if (fxt_may_be_late(record) && lane->held_ticks == record->ticks &&
	    lane->held_end > record->ticks)
		return lane->held_end;
	return fxt_written_ticks(record);
}

/* Append the event of a provider, whose name is now that of the lane. */
static void append_event(struct lane *lane, const struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_record event = *record;

	event.provider = lane->provider;
	append(lane, &event, lane->last_ticks);
}

/* Begin to load the names of a record's threads, if there are so many that no cache has them. */
static void expect_names(const struct fxt_out *out, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;
	unsigned int i;

	if (out->threads.nr <= FXT_FEW_NAMES)
		return;
	for (i = 0; (thread = fxt_thread_of(record, i)); i++) {
		fxt_names_guess(&out->threads, thread->thread);
		fxt_names_guess(&out->processes, thread->process == VITRINE_FXT_NO_PROCESS ?
						 thread->thread : thread->process);
	}
}

/**
 * fxt_out_put() - write a record
 * @out: file
 * @record: a record with a time, a blob, an object or the event of a provider. A time is in
 *	ticks of the session and not earlier than that of the previous record of the CPU. If FXT
 *	cannot represent the record, it is counted and left out.
 *
 * A wakeup without a waker gets that of the switches, if they tell it: the thread that runs
 * on the CPU.
 */
void fxt_out_put(struct fxt_out *out, const struct vitrine_fxt_record *record)
{
	struct lane *lane = lane_of(out, record->provider, record->cpu);
	uint64_t now = record->ticks, end;

	if (!lane)
		return;
	expect_names(out, record);
	out->counts.nr_null_args += count_unknown_args(record);
	if (record->kind == VITRINE_FXT_PROVIDER_EVENT) {
		append_event(lane, record);
		return;
	}
	if (!record->timed) {
		append(lane, record, lane->last_ticks);
		return;
	}
	release(lane, now);
	if (record->kind == VITRINE_FXT_SWITCH)
		follow_switch(lane, record);
	end = written_at(lane, record);
	if (end > now)
		hold(lane, record, end);
	else if (record->kind == VITRINE_FXT_WAKEUP)
		append_wakeup(lane, record);
	else
		append(lane, record, now);
}

/**
 * fxt_out_lost() - record that records of a CPU are lost at this place
 * @out: file
 * @provider: provider of the records
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @nr_records: number of lost records
 */
void fxt_out_lost(struct fxt_out *out, uint32_t provider, uint32_t cpu, uint64_t nr_records)
{
	struct lane *lane = lane_of(out, provider, cpu);

	if (lane)
		lose(lane, nr_records);
}

/**
 * fxt_out_before() - record that a CPU had records before the trace begins
 * @out: file
 * @cpu: the CPU; ignored if it has records already
 * @nr_records: number of these records
 * @begin_ns: time from which on all records of the CPU are there
 */
void fxt_out_before(struct fxt_out *out, uint32_t cpu, uint64_t nr_records, uint64_t begin_ns)
{
	struct lane *lane = lane_of(out, 0, cpu);

	if (!lane || lane->encoder.nr || lane->packet.sequence)
		return;
	lane->packet.records_before = nr_records;
	if (nr_records)
		lane->begin_ns = begin_ns;
}

static void finish_lane(struct lane *lane)
{
	if (!lane)
		return;
	release(lane, UINT64_MAX);
	flush_subbuf(lane);
	/* Records lost after the last one are counted in the header of an empty sub-buffer. */
	if (lane->said_lost != lane->nr_lost) {
		begin_subbuf(lane);
		flush_subbuf(lane);
	}
}

/*
 * Packet headers have the wall-clock time of time 0. A trace without a CPU gets one, in an
 * empty sub-buffer.
 */
static void say_realtime(struct fxt_out *out)
{
	struct lane *lane;

	if (!out->realtime_ns || out->lanes[LANES_OWN].nr > 1)
		return;
	lane = lane_of(out, 0, 0);
	if (!lane)
		return;
	begin_subbuf(lane);
	flush_subbuf(lane);
}

/**
 * fxt_out_commit() - write the rest of the trace and give the file its name
 * @out: file; afterwards only fxt_out_counts() and fxt_out_destroy() may be called
 *
 * Return: NULL, or an error; after an error fxt_out_destroy() removes the file.
 */
struct vitrine_error *fxt_out_commit(struct fxt_out *out)
{
	const uint64_t magic = FXT_MAGIC_RECORD;
	const struct lanes *lanes;
	unsigned int i;

	say_realtime(out);
	for (lanes = out->lanes; lanes < &out->lanes[NR_LANES]; lanes++)
		for (i = 0; i < lanes->nr; i++)
			finish_lane(lanes->at[i]);
	/* A trace without records consists of the magic number. */
	if (!out->err && vtr_writer_is_empty(out->writer))
		fail(out, vitrine_writer_append(out->writer, &magic, sizeof(magic)));
	if (!out->err)
		fail(out, vitrine_writer_commit(out->writer));
	return fxt_out_error(out);
}
