// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Composes sub-buffers out of decoded records and writes them to a file.
 *
 * Each lane fills a sub-buffer of its own, as the kernel does; when it is full,
 * or when something was lost, it goes to the file. A record refers to its
 * threads by the table, whose entries and names are written before it.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "fxt.h"
#include "fxt_compose.h"
#include "fxt_write.h"
#include "heap.h"

#define NSEC_PER_SEC	1000000000ULL

#define SUBBUF_WORDS	8192
#define SUBBUF_BYTES	(SUBBUF_WORDS * FXT_WORD_BYTES)

/* Longer names of threads and processes are cut. */
#define NAME_BYTES	255
#define NAME_WORDS	((NAME_BYTES + 7) / 8)

/* A thread record, and the names of the thread and of its process. */
#define THREAD_WORDS	(3 + (2 + NAME_WORDS + 3) + (2 + NAME_WORDS))

#define PREAMBLE_WORDS	(VITRINE_PREAMBLE_BYTES / FXT_WORD_BYTES)

static_assert(PREAMBLE_WORDS + 2 * THREAD_WORDS + FXT_COMPOSED_MAX_WORDS <=
	      SUBBUF_WORDS, "a sub-buffer holds any record");

/* Provider of what belongs to no CPU. Those of CPUs are CPU + 1. */
#define OTHER_PROVIDER	0x20000
#define OTHER_NAME	"converted"
#define MAX_CPUS	0x10000

/* A complete duration waits here for its end, which is when it is written. */
struct held {
	uint64_t end;
	uint64_t number;
	unsigned int nr;
	struct vitrine_fxt_thread thread;
	uint64_t words[];
};

/**
 * struct fxt_lane_out - a CPU's sub-buffers
 * @out: the file
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @packet: header of the sub-buffer that is being filled
 * @nr_timed: records with a time in it
 * @nr_lost: records lost so far
 * @said_lost: of those, how many the last header told
 * @last_ticks: time of the last record
 * @running: thread that came in last
 * @chained: @running is known
 * @held: complete durations, a heap by end
 * @nr_held: how many
 * @threads: thread table of the sub-buffer
 * @words: the sub-buffer
 * @nr: words in it; 0: not begun
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
	uint64_t words[SUBBUF_WORDS];
	unsigned int nr;
};

/**
 * struct fxt_out - a file being composed
 * @writer: writes it
 * @realtime_ns: CLOCK_REALTIME at time 0
 * @processes: their names, whose bytes are ours
 * @threads: theirs
 * @counts: what was written
 * @lanes: all lanes, by CPU
 * @nr_lanes: size of @lanes
 * @other: the lane of no CPU
 * @nr_held: complete durations that have been held so far
 * @scratch: the record being composed
 */
struct fxt_out {
	struct vitrine_writer *writer;
	uint64_t realtime_ns;
	struct fxt_names processes;
	struct fxt_names threads;
	struct fxt_out_counts counts;
	struct fxt_lane_out **lanes;
	unsigned int nr_lanes;
	struct fxt_lane_out *other;
	uint64_t nr_held;
	struct fxt_composed scratch;
};

/* ---- The file ---- */

/**
 * fxt_out_create() - begin a trace file
 * @path: its name; see vitrine_writer_create()
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
	err = vitrine_writer_create(path, &out->writer);
	if (err) {
		free(out);
		return err;
	}
	*ret = out;
	return NULL;
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
 * fxt_out_destroy() - end writing
 * @out: file, or NULL; if it was not committed, it is removed
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
 * fxt_out_counts() - what was written
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

/* Whoever speaks of the thread next gives its name, too. */
static void forget_name(struct fxt_out *out, uint64_t koid)
{
	unsigned int i;

	for (i = 0; i < out->nr_lanes; i++)
		forget_thread(out->lanes[i], koid);
	forget_thread(out->other, koid);
}

/**
 * fxt_out_name_thread() - say what a thread is called
 * @out: file
 * @koid: the thread
 * @process: its process, or VITRINE_FXT_NO_PROCESS
 * @name: its name; empty: the process is all there is to say
 *
 * Holds for all that is written from now on.
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
 * fxt_out_name_process() - say what a process is called
 * @out: file
 * @koid: the process
 * @name: its name
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
 * fxt_out_process() - which process a thread belongs to
 * @out: file
 * @koid: the thread
 *
 * Return: koid of the process. A thread nobody said it of has one of its own.
 */
uint64_t fxt_out_process(const struct fxt_out *out, uint64_t koid)
{
	const struct fxt_name *entry = fxt_names_find(&out->threads, koid);

	return entry && entry->owned ? entry->process : koid;
}

/* ---- Sub-buffers ---- */

static void add_word(struct fxt_lane_out *lane, uint64_t word)
{
	lane->words[lane->nr++] = word;
}

static void add_bytes(struct fxt_lane_out *lane, const void *bytes,
		      size_t len_bytes)
{
	size_t nr_words = (len_bytes + 7) / 8;

	if (!nr_words)
		return;
	lane->words[lane->nr + nr_words - 1] = 0;
	memcpy(&lane->words[lane->nr], bytes, len_bytes);
	lane->nr += nr_words;
}

static void begin_subbuf(struct fxt_lane_out *lane)
{
	bool cpu = lane->cpu != VITRINE_FXT_NO_CPU;
	const char *name = cpu ? VITRINE_PROVIDER_NAME : OTHER_NAME;
	size_t len_bytes = strlen(name);

	memset(lane->threads, 0, sizeof(lane->threads));
	lane->nr = 0;
	lane->nr_timed = 0;
	add_word(lane, FXT_MAGIC_RECORD);
	add_word(lane, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_METADATA) |
		 FXT_PUT(FXT_HEADER_WORDS, 1 + (len_bytes + 7) / 8) |
		 FXT_PUT(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_INFO) |
		 FXT_PUT(FXT_PROVIDER_ID,
			 cpu ? lane->cpu + 1 : OTHER_PROVIDER) |
		 FXT_PUT(FXT_PROVIDER_INFO_NAME_BYTES, len_bytes));
	add_bytes(lane, name, len_bytes);
	add_word(lane, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_INITIALIZATION) |
		 FXT_PUT(FXT_HEADER_WORDS, 2));
	add_word(lane, NSEC_PER_SEC);
	if (!cpu)
		return;
	add_word(lane, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_BLOB) |
		 FXT_PUT(FXT_HEADER_WORDS,
			 2 + sizeof(lane->packet) / FXT_WORD_BYTES) |
		 FXT_PUT(FXT_BLOB_NAME, FXT_STRING_REF_INLINE | len_bytes) |
		 FXT_PUT(FXT_BLOB_BYTES, sizeof(lane->packet)) |
		 FXT_PUT(FXT_BLOB_TYPE, FXT_BLOB_TYPE_DATA));
	add_bytes(lane, name, len_bytes);
	lane->nr += sizeof(lane->packet) / FXT_WORD_BYTES;
	lane->packet.lost_records = lane->nr_lost;
	lane->said_lost = lane->nr_lost;
}

static struct vitrine_error *flush_subbuf(struct fxt_lane_out *lane)
{
	struct vitrine_packet *packet = &lane->packet;
	struct vitrine_error *err;

	if (!lane->nr)
		return NULL;
	if (!lane->nr_timed)
		packet->begin_ticks = lane->last_ticks;
	packet->end_ticks = lane->last_ticks;
	packet->committed_bytes = lane->nr * FXT_WORD_BYTES;
	if (lane->cpu != VITRINE_FXT_NO_CPU)
		memcpy((char *)lane->words + VITRINE_PACKET_OFFSET, packet,
		       sizeof(*packet));
	err = vitrine_writer_append(lane->out->writer, lane->words,
				    packet->committed_bytes);
	packet->sequence++;
	packet->records_before += lane->nr_timed;
	packet->bytes_before += packet->committed_bytes;
	lane->nr = 0;
	lane->nr_timed = 0;
	return err;
}

static void add_object(struct fxt_lane_out *lane, unsigned int type,
		       uint64_t koid, const struct vitrine_fxt_string *name,
		       const uint64_t *process)
{
	unsigned int at = lane->nr;

	add_word(lane, 0);
	add_word(lane, koid);
	add_bytes(lane, name->bytes, name->len_bytes);
	if (process) {
		add_word(lane, FXT_PUT(FXT_HEADER_TYPE, FXT_ARG_KOID) |
			 FXT_PUT(FXT_HEADER_WORDS, 3) |
			 FXT_PUT(FXT_ARG_NAME, FXT_STRING_REF_INLINE | 7));
		add_bytes(lane, "process", 7);
		add_word(lane, *process);
	}
	lane->words[at] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_KERNEL_OBJECT) |
			  FXT_PUT(FXT_HEADER_WORDS, lane->nr - at) |
			  FXT_PUT(FXT_KERNEL_OBJECT_TYPE, type) |
			  FXT_PUT(FXT_KERNEL_OBJECT_NAME, fxt_inline_ref(name)) |
			  FXT_PUT(FXT_KERNEL_OBJECT_NR_ARGS, !!process);
}

static struct vitrine_fxt_string name_of(const struct fxt_names *names,
					 uint64_t koid)
{
	const struct fxt_name *entry = fxt_names_find(names, koid);

	return entry && entry->named ? entry->name :
				       (struct vitrine_fxt_string){ "?", 1 };
}

/* Idle is known by its id; everybody else has a name and a process. */
static void add_names(struct fxt_lane_out *lane,
		      const struct vitrine_fxt_thread *thread)
{
	const struct fxt_names *processes = &lane->out->processes;
	struct vitrine_fxt_string name, process;

	name = name_of(&lane->out->threads, thread->thread);
	process = fxt_names_find(processes, thread->process) ?
			  name_of(processes, thread->process) : name;
	add_object(lane, FXT_OBJECT_TYPE_PROCESS, thread->process, &process,
		   NULL);
	add_object(lane, FXT_OBJECT_TYPE_THREAD, thread->thread, &name,
		   &thread->process);
}

static bool slot_has(const struct fxt_lane_out *lane, unsigned int slot,
		     const struct vitrine_fxt_thread *thread)
{
	return lane->threads[slot].used &&
	       lane->threads[slot].thread.thread == thread->thread &&
	       lane->threads[slot].thread.process == thread->process;
}

/*
 * A thread may be in one of two slots. Not in @avoid, where the other thread of
 * the same record is. The caller has made room for THREAD_WORDS.
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
	add_word(lane, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_THREAD) |
		 FXT_PUT(FXT_HEADER_WORDS, 3) |
		 FXT_PUT(FXT_THREAD_INDEX, slot));
	add_word(lane, thread.process);
	add_word(lane, thread.thread);
	if (thread.thread)
		add_names(lane, &thread);
	return slot;
}

static void add_refs(struct fxt_lane_out *lane, struct fxt_composed *record)
{
	unsigned int i, slot = 0;

	for (i = 0; i < record->nr_threads; i++) {
		slot = refer_to(lane, record->threads[i], slot);
		if (record->shifts[i] != FXT_NO_SHIFT)
			record->words[record->ref_word] |=
				(uint64_t)slot << record->shifts[i];
	}
}

/* Append a composed record that is written at @ticks. */
static struct vitrine_error *append(struct fxt_lane_out *lane,
				    struct fxt_composed *record, uint64_t begin,
				    uint64_t ticks)
{
	struct vitrine_error *err = NULL;

	if (lane->nr + record->nr + 2 * THREAD_WORDS > SUBBUF_WORDS)
		err = flush_subbuf(lane);
	if (err)
		return err;
	if (!lane->nr)
		begin_subbuf(lane);
	if (!lane->nr_timed++)
		lane->packet.begin_ticks = begin;
	add_refs(lane, record);
	memcpy(&lane->words[lane->nr], record->words,
	       record->nr * sizeof(record->words[0]));
	lane->nr += record->nr;
	lane->last_ticks = ticks;
	lane->out->counts.nr_records++;
	return NULL;
}

/* ---- Complete durations ---- */

/* Of those with one end, the one that began first is first. */
static bool held_before(const void *left, const void *right)
{
	const struct held *a = left, *b = right;

	return a->end != b->end ? a->end < b->end : a->number < b->number;
}

static bool hold(struct fxt_lane_out *lane, const struct fxt_composed *record,
		 uint64_t end)
{
	size_t len_bytes = record->nr * sizeof(record->words[0]);
	size_t nr = lane->nr_held;
	struct held *held;
	void **bigger;

	/* Room for 1, 2, 4, 8, ... */
	if (!(nr & (nr - 1))) {
		bigger = reallocarray(lane->held, nr ? 2 * nr : 1,
				      sizeof(*bigger));
		if (!bigger)
			return false;
		lane->held = bigger;
	}
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

/* Take the first one out. */
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

/* Write those that have ended by now. */
static struct vitrine_error *release(struct fxt_lane_out *lane, uint64_t now)
{
	struct fxt_composed *record = &lane->out->scratch;
	struct vitrine_error *err;
	struct held *held;

	while (is_due(lane, now)) {
		held = unhold(lane);
		record->nr = 0;
		record->nr_threads = 0;
		record->ref_word = 0;
		fxt_composed_refer(record, &held->thread,
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
	unsigned int nr = out->nr_lanes ? out->nr_lanes : 16;
	struct fxt_lane_out **bigger;

	if (cpu == VITRINE_FXT_NO_CPU)
		return &out->other;
	if (cpu < out->nr_lanes)
		return &out->lanes[cpu];
	while (nr <= cpu)
		nr *= 2;
	bigger = reallocarray(out->lanes, nr, sizeof(*bigger));
	if (!bigger)
		return NULL;
	memset(bigger + out->nr_lanes, 0,
	       (nr - out->nr_lanes) * sizeof(*bigger));
	out->lanes = bigger;
	out->nr_lanes = nr;
	return &out->lanes[cpu];
}

/**
 * fxt_lane_out_get() - a CPU's lane
 * @out: file
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @ret: its lane, which is the file's
 *
 * Return: NULL, or an error: ENOMEM, E2BIG if FXT cannot tell such a CPU.
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
		(*slot)->packet = (struct vitrine_packet){
			.magic = VITRINE_PACKET_MAGIC,
			.session_realtime_ns = out->realtime_ns,
			.cpu = cpu,
			.session = 1,
			.clock = VITRINE_CLOCK_MONO,
			.subbuf_bytes = SUBBUF_BYTES,
		};
	}
	*ret = *slot;
	return NULL;
}

/* Who goes out had come in, unless something is missing in between. */
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

/**
 * fxt_lane_out_put() - write a record
 * @lane: lane of the CPU it belongs to
 * @record: the record, with a time in nanoseconds, not earlier than the one
 *	before; what it cannot be written as is counted
 *
 * Return: NULL, or an error of writing, or ENOMEM.
 */
struct vitrine_error *fxt_lane_out_put(struct fxt_lane_out *lane,
				       const struct vitrine_fxt_record *record)
{
	struct fxt_composed *composed = &lane->out->scratch;
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
	if (!fxt_compose(composed, record)) {
		lane->out->counts.nr_refused++;
		return NULL;
	}
	if (fxt_written_ticks(record) > now)
		return hold(lane, composed, fxt_written_ticks(record)) ?
			       NULL : vtr_error_no_memory();
	return append(lane, composed, now, now);
}

/**
 * fxt_lane_out_lost() - say that records of a CPU are missing here
 * @lane: its lane
 * @nr_records: how many
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

static struct vitrine_error *finish_lane(struct fxt_lane_out *lane)
{
	struct vitrine_error *err;

	if (!lane)
		return NULL;
	err = release(lane, UINT64_MAX);
	if (!err)
		err = flush_subbuf(lane);
	/* What was lost behind the last record needs a header to say so. */
	if (!err && lane->said_lost != lane->nr_lost) {
		begin_subbuf(lane);
		err = flush_subbuf(lane);
	}
	return err;
}

/**
 * fxt_out_commit() - the trace is complete: write the rest and name the file
 * @out: file; only good for its counts, and to be destroyed, afterwards
 *
 * Return: NULL, or an error; then destroying removes the file.
 */
struct vitrine_error *fxt_out_commit(struct fxt_out *out)
{
	const uint64_t magic = FXT_MAGIC_RECORD;
	struct vitrine_error *err;
	unsigned int i;

	err = finish_lane(out->other);
	for (i = 0; !err && i < out->nr_lanes; i++)
		err = finish_lane(out->lanes[i]);
	/* A trace of nothing is a trace still. */
	if (!err && !vitrine_writer_len(out->writer))
		err = vitrine_writer_append(out->writer, &magic, sizeof(magic));
	return err ? err : vitrine_writer_commit(out->writer);
}
