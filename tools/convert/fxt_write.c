// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Encode records as sub-buffers and write them to a file.
 *
 * Each lane fills its own sub-buffer, as the module does. The sub-buffer is written to the
 * file when it is full, and when records were lost. A record refers to threads by their index
 * in the thread table of the sub-buffer. Thread records and names precede the first use.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "fxt_encode.h"
#include "fxt_names.h"
#include "fxt_packet.h"
#include "fxt_write.h"
#include "grow.h"
#include "heap.h"
#include "writer.h"

#define NSEC_PER_SEC	1000000000ULL

#define SUBBUF_WORDS	8192
#define SUBBUF_BYTES	(SUBBUF_WORDS * FXT_WORD_BYTES)

/* Longer names of threads and processes are truncated. */
#define NAME_BYTES	255
#define NAME_WORDS	((NAME_BYTES + 7) / 8)

/* Length of a thread record with the names of the thread and of its process. */
#define THREAD_WORDS	(3 + (2 + NAME_WORDS + 3) + (2 + NAME_WORDS))

/* Length of the longest record. It fits into a sub-buffer with the threads it refers to. */
#define RECORD_MAX_WORDS	8000

#define PREAMBLE_WORDS	(VITRINE_PREAMBLE_BYTES / FXT_WORD_BYTES)

static_assert(PREAMBLE_WORDS + 2 * THREAD_WORDS + RECORD_MAX_WORDS <=
	      SUBBUF_WORDS, "a sub-buffer holds any record");

/* Provider of records without a CPU. */
#define OTHER_PROVIDER	0x20000
#define OTHER_NAME	"converted"
#define MAX_CPUS	0x10000

/* A complete duration, which is kept until its end and written then. */
struct held {
	uint64_t end;
	uint64_t number;
	unsigned int nr;
	struct vitrine_fxt_thread thread;
	uint64_t words[];
};

/**
 * struct fxt_lane_out - the sub-buffers of a CPU
 * @out: the file
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @packet: header of the sub-buffer that is being filled
 * @nr_timed: number of records with a time in the sub-buffer
 * @nr_lost: number of records lost so far
 * @said_lost: value of @nr_lost in the last header that was written
 * @last_ticks: time of the last record
 * @running: incoming thread of the last switch
 * @chained: @running is known
 * @held: complete durations, a heap by end
 * @nr_held: number of @held
 * @threads: thread table of the sub-buffer
 * @encoder: writes to @words; while it is empty, no sub-buffer has begun
 * @words: contents of the sub-buffer
 */
struct fxt_lane_out {
	struct fxt_out *out;
	uint32_t cpu;
	struct vitrine_packet packet;
	uint64_t nr_timed;
	uint64_t nr_lost;
	uint64_t said_lost;
	uint64_t last_ticks;
	uint64_t running;
	bool chained;
	void **held;
	size_t nr_held;
	struct {
		struct vitrine_fxt_thread thread;
		bool used;
	} threads[FXT_NR_THREADS];
	struct fxt_encoder encoder;
	uint64_t words[SUBBUF_WORDS];
};

/**
 * struct fxt_out - a trace file that is being written
 * @writer: writer of the file
 * @realtime_ns: CLOCK_REALTIME at time 0
 * @session: how sub-buffers are introduced
 * @processes: names of processes, copied
 * @threads: names of threads, copied
 * @counts: counts of records written
 * @lanes: all lanes, by CPU
 * @nr_lanes: size of @lanes
 * @other: lane of records without a CPU
 * @nr_held: number of complete durations that were ever held
 * @scratch: encoder for a single record
 * @scratch_words: words of @scratch
 */
struct fxt_out {
	struct vitrine_writer *writer;
	uint64_t realtime_ns;
	struct fxt_out_session session;
	struct fxt_names processes;
	struct fxt_names threads;
	struct fxt_out_counts counts;
	struct fxt_lane_out **lanes;
	unsigned int nr_lanes;
	struct fxt_lane_out *other;
	uint64_t nr_held;
	struct fxt_encoder scratch;
	uint64_t scratch_words[RECORD_MAX_WORDS];
};

/* ---- The file ---- */

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
	out->scratch.words = out->scratch_words;
	out->scratch.size = RECORD_MAX_WORDS;
	err = vitrine_writer_create(path, &out->writer);
	if (err) {
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

static void lane_free(struct fxt_lane_out *lane)
{
	if (!lane)
		return;
	while (lane->nr_held)
		free(lane->held[--lane->nr_held]);
	free(lane->held);
	free(lane);
}

static void names_free(struct fxt_names *names)
{
	size_t i;

	for (i = 0; i < names->size; i++)
		free((char *)names->entries[i].name.bytes);
	fxt_names_deinit(names);
}

/**
 * fxt_out_destroy() - close a trace file
 * @out: file, or NULL; removed unless it was committed
 */
void fxt_out_destroy(struct fxt_out *out)
{
	unsigned int i;

	if (!out)
		return;
	for (i = 0; i < out->nr_lanes; i++)
		lane_free(out->lanes[i]);
	free(out->lanes);
	lane_free(out->other);
	names_free(&out->processes);
	names_free(&out->threads);
	vitrine_writer_destroy(out->writer);
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

static bool give_name(struct fxt_name *entry,
		      const struct vitrine_fxt_string *name)
{
	size_t len_bytes = name->len_bytes;
	char *copy;

	if (len_bytes > NAME_BYTES)
		len_bytes = NAME_BYTES;
	if (!len_bytes || (entry->named && entry->name.len_bytes == len_bytes &&
			   !memcmp(entry->name.bytes, name->bytes, len_bytes)))
		return true;
	copy = malloc(len_bytes);
	if (!copy)
		return false;
	memcpy(copy, name->bytes, len_bytes);
	fxt_mend_text(copy, len_bytes);
	if (entry->named && entry->name.len_bytes == len_bytes &&
	    !memcmp(entry->name.bytes, copy, len_bytes)) {
		free(copy);
		return true;
	}
	free((char *)entry->name.bytes);
	entry->name = (struct vitrine_fxt_string){ copy, len_bytes };
	entry->named = true;
	return true;
}

/* The two slots that a thread may be in. */
static unsigned int first_slot(uint64_t koid)
{
	return 1 + (koid ^ koid >> 8) % (FXT_NR_THREADS - 1);
}

static unsigned int second_slot(uint64_t koid)
{
	return 1 + first_slot(koid) % (FXT_NR_THREADS - 1);
}

static void forget_thread(struct fxt_lane_out *lane, uint64_t koid)
{
	const unsigned int slots[] = { first_slot(koid), second_slot(koid) };
	unsigned int i;

	for (i = 0; lane && i < 2; i++)
		if (lane->threads[slots[i]].thread.thread == koid)
			lane->threads[slots[i]].used = false;
}

/* Make each lane write the thread again, with its new name, when it is used next. */
static void forget_name(struct fxt_out *out, uint64_t koid)
{
	unsigned int i;

	for (i = 0; i < out->nr_lanes; i++)
		forget_thread(out->lanes[i], koid);
	forget_thread(out->other, koid);
}

/**
 * fxt_out_name_thread() - set the name and process of a thread
 * @out: file
 * @koid: id of the thread
 * @process: id of its process, or VITRINE_FXT_NO_PROCESS
 * @name: name of the thread; empty to set the process only
 *
 * Applies to records that are written afterwards.
 *
 * Return: false if there is no memory.
 */
bool fxt_out_name_thread(struct fxt_out *out, uint64_t koid, uint64_t process,
			 const struct vitrine_fxt_string *name)
{
	struct fxt_name *entry = fxt_names_get(&out->threads, koid);
	const char *before;

	if (!entry)
		return false;
	if (process != VITRINE_FXT_NO_PROCESS) {
		entry->process = process;
		entry->owned = true;
	}
	before = entry->name.bytes;
	if (!give_name(entry, name))
		return false;
	if (entry->name.bytes != before)
		forget_name(out, koid);
	return true;
}

/**
 * fxt_out_name_process() - set the name of a process
 * @out: file
 * @koid: id of the process
 * @name: name of the process
 *
 * Return: false if there is no memory.
 */
bool fxt_out_name_process(struct fxt_out *out, uint64_t koid,
			  const struct vitrine_fxt_string *name)
{
	struct fxt_name *entry = fxt_names_get(&out->processes, koid);

	return entry && give_name(entry, name);
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
	const struct fxt_name *entry = fxt_names_find(&out->threads, koid);

	return entry && entry->owned ? entry->process : koid;
}

/* ---- Sub-buffers ---- */

static void begin_subbuf(struct fxt_lane_out *lane)
{
	const struct fxt_out_session *session = &lane->out->session;
	struct fxt_encoder *to = &lane->encoder;
	bool cpu = lane->cpu != VITRINE_FXT_NO_CPU;

	memset(lane->threads, 0, sizeof(lane->threads));
	to->nr = 0;
	lane->nr_timed = 0;
	fxt_encode_magic(to);
	fxt_encode_provider(to, FXT_METADATA_PROVIDER_INFO,
			    cpu ? session->provider + lane->cpu : OTHER_PROVIDER,
			    cpu ? session->name : OTHER_NAME);
	fxt_encode_initialization(to, session->ticks_per_second);
	if (!cpu)
		return;
	lane->packet.lost_records = lane->nr_lost;
	lane->said_lost = lane->nr_lost;
	/* flush_subbuf() writes the final packet header over this one. */
	fxt_encode_blob(to, VITRINE_PROVIDER_NAME, &lane->packet,
			sizeof(lane->packet));
}

static struct vitrine_error *flush_subbuf(struct fxt_lane_out *lane)
{
	struct vitrine_packet *packet = &lane->packet;
	struct vitrine_error *err;

	if (!lane->encoder.nr)
		return NULL;
	if (!lane->nr_timed)
		packet->begin_ticks = lane->last_ticks;
	packet->end_ticks = lane->last_ticks;
	packet->committed_bytes = lane->encoder.nr * FXT_WORD_BYTES;
	if (lane->cpu != VITRINE_FXT_NO_CPU)
		memcpy((char *)lane->words + VITRINE_PACKET_OFFSET, packet,
		       sizeof(*packet));
	err = vitrine_writer_append(lane->out->writer, lane->words,
				    packet->committed_bytes);
	packet->sequence++;
	packet->records_before += lane->nr_timed;
	packet->bytes_before += packet->committed_bytes;
	lane->encoder.nr = 0;
	lane->nr_timed = 0;
	return err;
}

static struct vitrine_fxt_string name_of(const struct fxt_names *names,
					 uint64_t koid)
{
	const struct fxt_name *entry = fxt_names_find(names, koid);

	return entry && entry->named ? entry->name :
				       (struct vitrine_fxt_string){ "?", 1 };
}

/* Write the names of a thread other than idle, which is identified by its id. */
static void add_names(struct fxt_lane_out *lane,
		      const struct vitrine_fxt_thread *thread)
{
	const struct fxt_names *processes = &lane->out->processes;
	struct vitrine_fxt_string name, process;

	name = name_of(&lane->out->threads, thread->thread);
	process = fxt_names_find(processes, thread->process) ?
			  name_of(processes, thread->process) : name;
	fxt_encode_object(&lane->encoder, FXT_OBJECT_TYPE_PROCESS,
			  thread->process, &process, NULL);
	fxt_encode_object(&lane->encoder, FXT_OBJECT_TYPE_THREAD,
			  thread->thread, &name, &thread->process);
}

static bool slot_has(const struct fxt_lane_out *lane, unsigned int slot,
		     const struct vitrine_fxt_thread *thread)
{
	return lane->threads[slot].used &&
	       lane->threads[slot].thread.thread == thread->thread &&
	       lane->threads[slot].thread.process == thread->process;
}

/*
 * Return the slot of a thread, and write its record if it has none. A thread may be in one of
 * two slots, but not in @avoid, which the other thread of the same record occupies. The caller
 * has made sure that THREAD_WORDS fit.
 */
static unsigned int refer_to(struct fxt_lane_out *lane,
			     struct vitrine_fxt_thread thread,
			     unsigned int avoid)
{
	unsigned int slot, second;

	if (thread.process == VITRINE_FXT_NO_PROCESS)
		thread.process = fxt_out_process(lane->out, thread.thread);
	slot = first_slot(thread.thread);
	second = second_slot(thread.thread);
	if (slot_has(lane, slot, &thread))
		return slot;
	if (slot_has(lane, second, &thread))
		return second;
	if (slot == avoid)
		slot = second;
	lane->threads[slot].thread = thread;
	lane->threads[slot].used = true;
	fxt_encode_thread(&lane->encoder, slot, &thread);
	/* Threads of process 0 are made up; nobody else names them. */
	if (thread.thread && !(thread.process && lane->out->session.is_nameless))
		add_names(lane, &thread);
	return slot;
}

static void add_refs(struct fxt_lane_out *lane, struct fxt_encoder *record)
{
	unsigned int i, slot = 0;

	for (i = 0; i < record->nr_threads; i++) {
		slot = refer_to(lane, record->threads[i], slot);
		if (record->shifts[i] != FXT_NO_SHIFT)
			record->words[record->ref_word] |=
				(uint64_t)slot << record->shifts[i];
	}
}

/* Append an encoded record that begins at @begin and is written at @ticks. */
static struct vitrine_error *append(struct fxt_lane_out *lane,
				    struct fxt_encoder *record, uint64_t begin,
				    uint64_t ticks)
{
	struct vitrine_error *err = NULL;

	if (lane->encoder.nr + record->nr + 2 * THREAD_WORDS > SUBBUF_WORDS)
		err = flush_subbuf(lane);
	if (err)
		return err;
	if (!lane->encoder.nr)
		begin_subbuf(lane);
	if (!lane->nr_timed++)
		lane->packet.begin_ticks = begin;
	add_refs(lane, record);
	memcpy(&lane->words[lane->encoder.nr], record->words,
	       record->nr * sizeof(record->words[0]));
	lane->encoder.nr += record->nr;
	lane->last_ticks = ticks;
	lane->out->counts.nr_records++;
	return NULL;
}

/* ---- Complete durations ---- */

/* Order by end; of durations with the same end, the first one that began is first. */
static bool held_before(const void *left, const void *right)
{
	const struct held *a = left, *b = right;

	return a->end != b->end ? a->end < b->end : a->number < b->number;
}

static bool hold(struct fxt_lane_out *lane, const struct fxt_encoder *record,
		 uint64_t end)
{
	size_t len_bytes = record->nr * sizeof(record->words[0]);
	size_t nr = lane->nr_held;
	struct held *held;

	if (!GROW(lane->held, nr))
		return false;
	held = malloc(sizeof(*held) + len_bytes);
	if (!held)
		return false;
	held->end = end;
	held->number = lane->out->nr_held++;
	held->nr = record->nr;
	held->thread = record->threads[0];
	memcpy(held->words, record->words, len_bytes);
	lane->held[lane->nr_held] = held;
	heap_rise(lane->held, lane->nr_held++, held_before);
	return true;
}

/* Remove the duration that ends first. */
static struct held *unhold(struct fxt_lane_out *lane)
{
	struct held *held = lane->held[0];

	lane->held[0] = lane->held[--lane->nr_held];
	heap_sink(lane->held, lane->nr_held, 0, held_before);
	return held;
}

static bool is_due(const struct fxt_lane_out *lane, uint64_t now)
{
	return lane->nr_held && ((struct held *)lane->held[0])->end <= now;
}

/* Write the durations that have ended by @now. */
static struct vitrine_error *release(struct fxt_lane_out *lane, uint64_t now)
{
	struct fxt_encoder *record = &lane->out->scratch;
	struct vitrine_error *err;
	struct held *held;

	while (is_due(lane, now)) {
		held = unhold(lane);
		record->nr = 0;
		record->nr_threads = 0;
		record->ref_word = 0;
		fxt_encode_refer(record, &held->thread,
				 __builtin_ctzll(FXT_EVENT_THREAD));
		memcpy(record->words, held->words,
		       held->nr * sizeof(held->words[0]));
		record->nr = held->nr;
		err = append(lane, record, held->end, held->end);
		free(held);
		if (err)
			return err;
	}
	return NULL;
}

/* ---- Lanes ---- */

static struct fxt_lane_out **lane_slot(struct fxt_out *out, uint32_t cpu)
{
	if (cpu == VITRINE_FXT_NO_CPU)
		return &out->other;
	if (!GROW_TO(out->lanes, out->nr_lanes, cpu))
		return NULL;
	return &out->lanes[cpu];
}

/**
 * fxt_lane_out_get() - return the lane of a CPU
 * @out: file
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @ret: the lane, which belongs to the file
 *
 * Return: NULL, or an error: ENOMEM, E2BIG if the CPU number is too large for FXT.
 */
struct vitrine_error *fxt_lane_out_get(struct fxt_out *out, uint32_t cpu,
				       struct fxt_lane_out **ret)
{
	struct fxt_lane_out **slot;

	if (cpu != VITRINE_FXT_NO_CPU && cpu >= MAX_CPUS)
		return vitrine_error_create(E2BIG, NULL, VITRINE_NO_OFFSET,
					    NULL, "CPU %u: FXT counts to %u",
					    cpu, MAX_CPUS - 1);
	slot = lane_slot(out, cpu);
	if (!slot)
		return vtr_error_no_memory();
	if (!*slot) {
		*slot = calloc(1, sizeof(**slot));
		if (!*slot)
			return vtr_error_no_memory();
		(*slot)->out = out;
		(*slot)->cpu = cpu;
		(*slot)->encoder.words = (*slot)->words;
		(*slot)->encoder.size = SUBBUF_WORDS;
		(*slot)->packet = (struct vitrine_packet){
			.magic = VITRINE_PACKET_MAGIC,
			.session_realtime_ns = out->realtime_ns,
			.cpu = cpu,
			.session = out->session.session,
			.clock = out->session.clock,
			.subbuf_bytes = SUBBUF_BYTES,
		};
	}
	*ret = *slot;
	return NULL;
}

/*
 * Check that the outgoing thread is the one that the previous switch brought in. If it is
 * not, a record was lost in between.
 */
static struct vitrine_error *follow_switch(struct fxt_lane_out *lane,
					   const struct vitrine_fxt_record *record)
{
	uint64_t outgoing = record->context_switch.outgoing.thread;
	struct vitrine_error *err = NULL;

	if (lane->chained && lane->running != outgoing) {
		lane->out->counts.nr_breaks++;
		err = fxt_lane_out_lost(lane, 1);
	}
	lane->running = record->context_switch.incoming.thread;
	lane->chained = true;
	lane->out->counts.nr_switches++;
	return err;
}

/* Have a wakeup refer to its waker, too, if that has a name: it may not have run yet here. */
static void refer_to_waker(const struct fxt_out *out, struct fxt_encoder *encoded,
			   const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *waker = fxt_find_arg(record, "waker");
	struct vitrine_fxt_thread thread = { .process = VITRINE_FXT_NO_PROCESS };
	const struct fxt_name *name;

	if (!waker || waker->type != FXT_ARG_KOID)
		return;
	thread.thread = waker->value.uint64;
	name = fxt_names_find(&out->threads, thread.thread);
	if (name && name->named)
		fxt_encode_refer(encoded, &thread, FXT_NO_SHIFT);
}

/**
 * fxt_lane_out_put() - write a record
 * @lane: lane of the CPU of the record
 * @record: the record; its time is in ticks of the session and not earlier than that of the
 *	previous record. If FXT cannot represent the record, it is counted and left out.
 *
 * Return: NULL, or an error of writing, or ENOMEM.
 */
struct vitrine_error *fxt_lane_out_put(struct fxt_lane_out *lane,
				       const struct vitrine_fxt_record *record)
{
	struct fxt_encoder *encoded = &lane->out->scratch;
	struct vitrine_error *err;
	uint64_t now = record->ticks;

	err = release(lane, now);
	if (err)
		return err;
	if (record->kind == VITRINE_FXT_SWITCH) {
		err = follow_switch(lane, record);
		if (err)
			return err;
	}
	encoded->nr = 0;
	if (!fxt_encode(encoded, record)) {
		lane->out->counts.nr_refused++;
		return NULL;
	}
	if (record->kind == VITRINE_FXT_WAKEUP)
		refer_to_waker(lane->out, encoded, record);
	if (fxt_written_ticks(record) > now)
		return hold(lane, encoded, fxt_written_ticks(record)) ?
			       NULL : vtr_error_no_memory();
	return append(lane, encoded, now, now);
}

/**
 * fxt_lane_out_lost() - record that records of a CPU are lost at this place
 * @lane: lane of the CPU
 * @nr_records: number of lost records
 *
 * Return: NULL, or an error of writing.
 */
struct vitrine_error *fxt_lane_out_lost(struct fxt_lane_out *lane,
					uint64_t nr_records)
{
	lane->nr_lost += nr_records;
	lane->out->counts.nr_lost += nr_records;
	lane->chained = false;
	return flush_subbuf(lane);
}

/**
 * fxt_lane_out_before() - record that a CPU had records before the trace begins
 * @lane: lane of the CPU; ignored unless it is empty
 * @nr_records: number of these records
 */
void fxt_lane_out_before(struct fxt_lane_out *lane, uint64_t nr_records)
{
	if (!lane->encoder.nr && !lane->packet.sequence)
		lane->packet.records_before = nr_records;
}

static struct vitrine_error *finish_lane(struct fxt_lane_out *lane)
{
	struct vitrine_error *err;

	if (!lane)
		return NULL;
	err = release(lane, UINT64_MAX);
	if (!err)
		err = flush_subbuf(lane);
	/* Records lost after the last one are counted in the header of an empty sub-buffer. */
	if (!err && lane->said_lost != lane->nr_lost) {
		begin_subbuf(lane);
		err = flush_subbuf(lane);
	}
	return err;
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
	struct vitrine_error *err;
	unsigned int i;

	err = finish_lane(out->other);
	for (i = 0; !err && i < out->nr_lanes; i++)
		err = finish_lane(out->lanes[i]);
	/* A trace without records consists of the magic number. */
	if (!err && vtr_writer_is_empty(out->writer))
		err = vitrine_writer_append(out->writer, &magic, sizeof(magic));
	return err ? err : vitrine_writer_commit(out->writer);
}
