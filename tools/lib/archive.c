// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read a trace file in time order over all its providers.
 *
 * A first pass over the file learns the names and finds the extents of each provider's
 * records, its lane. Then the lanes are merged with a heap. The file may be larger
 * than memory: memory grows with the number of threads and extents, not with the number
 * of records.
 *
 * Nearly all providers write in time order; then reading is decoding. If a provider does
 * not, a pass over its records moves those that are out of order to struct archive_sort,
 * which sorts them, on disk if there are many.
 *
 * An archive and its lanes, which share its decoder, are used by one thread at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "archive.h"
#include "archive_sort.h"
#include "base.h"
#include "fxt_names.h"

/* A range of the file that holds only records of one provider. */
struct archive_extent {
	uint64_t begin;
	uint64_t end;
};

/* A time in ticks of a provider; @rate is 0 if there is none. */
struct archive_time {
	uint64_t ticks;
	uint64_t rate;
};

/**
 * struct archive_lane - the records of one provider, or of one sorted run
 * @provider: the provider, or NULL
 * @index: id of the provider, which orders records of equal time
 * @extents: where the records are in the file
 * @nr_extents: number of extents
 * @last: time of the last record, during the first pass over the file
 * @written: time at which the last record was written, likewise
 * @unsorted: time goes backwards somewhere in the file
 * @disordered: the records were written out of order, so that it is not only
 *	complete durations, written at their end, which are out of order
 * @top: latest @key so far
 * @top_ticks: the same in ticks
 * @late: @record is earlier than @top and therefore in struct archive_sort
 * @packed: @packet is valid
 * @packet: packet header of the last sub-buffer
 * @begins_packet: @record has it
 * @packet_begin: offset of that sub-buffer
 * @nr_timed: number of records with a timestamp in it so far, late ones included
 * @loss: what is missing before it
 * @run: run of struct archive_sort that this lane reads; NULL: it reads the file
 * @extent: index of the extent that holds @at
 * @at: offset of the next record
 * @ahead: offset of the next record that look_ahead() looks at, if it is behind @at
 * @nr_ahead: number of records between them
 * @released: offset of the first byte that is still in memory
 * @key: time of @record, comparable with the keys of other lanes
 * @record: the current record; without a timestamp, it gets the time @top
 */
struct archive_lane {
	struct fxt_provider *provider;
	unsigned int index;
	struct archive_extent *extents;
	size_t nr_extents;
	struct archive_time last;
	struct archive_time written;
	bool unsorted;
	bool disordered;
	uint64_t top;
	uint64_t top_ticks;
	bool late;
	bool packed;
	struct vitrine_packet packet;
	bool begins_packet;
	uint64_t packet_begin;
	uint64_t nr_timed;
	struct fxt_loss loss;
	struct archive_run *run;
	size_t extent;
	uint64_t at;
	uint64_t ahead;
	unsigned int nr_ahead;
	uint64_t released;
	uint64_t key;
	struct vitrine_fxt_record record;
};

/*
 * The record that gives a name has no time; the module writes it right before the switch
 * that needs it. CPUs write independently of each other, so an older name may stand
 * behind a newer one in the file. Names wait here until the next time of their provider
 * is known.
 */
#define MAX_WAITING	64

struct waiting_names {
	const struct fxt_provider *provider;
	uint64_t ticks, rate;	/* last time of @provider, or 0 */
	unsigned int nr;
	struct vitrine_fxt_record records[MAX_WAITING];
};

/*
 * What is known of 100,000 threads is in no cache, so loading it begins some records ahead: of each
 * thread, the slot in the hash table; NEXT_ENTRY threads later, its entry; and NEXT_THREADS later,
 * what the entry points at.
 */
#define NEXT_ENTRY	4
#define NEXT_THREADS	8

/* So many records of all lanes are looked at ahead. */
#define AHEAD_RECORDS	32

/**
 * struct next_threads - threads of the next records
 * @koids: the threads, thread n at n % NEXT_THREADS
 * @numbers: numbers of their entries, or 0
 * @nr: number of threads so far
 */
struct next_threads {
	uint64_t koids[NEXT_THREADS];
	uint32_t numbers[NEXT_THREADS];
	unsigned int nr;
};

struct vitrine_archive {
	struct fxt_file file;
	const char *path;
	struct vitrine_fxt fxt;
	bool in_ns;			/* providers differ in tick rate: keys are ns, not ticks */
	struct archive_sort sort;	/* records that are out of order in their lane */
	struct fxt_names processes;
	struct fxt_names threads;
	struct waiting_names waiting;
	struct next_threads next;
	unsigned int nr_ahead;		/* records of each lane that are looked at ahead */
	struct archive_lane **lanes;
	unsigned int nr_lanes;
	struct archive_lane *run_lanes;	/* one for each run of @sort */
	uint64_t rate;			/* 0: none yet */
	bool learns_weights;
	bool has_wakeups;		/* of the module, which need the weights */
	uint32_t nr_cpus;
	bool has_realtime;
	uint64_t realtime_ns;

	/* Lanes with a record, the earliest first. */
	void **heap;
	unsigned int nr_heap;
	bool started;
	/* The last item of archive_read(): its lane, time, and CPU or NULL; all CPUs before it. */
	const struct archive_lane *last;
	uint64_t last_ns;
	struct archive_cpu *last_cpu;
	struct archive_cpu *cpus;
};

/* ---- Lanes ------------------------------------------------------------- */

/* Add a record to a lane. Returns false if there is no memory. */
static bool archive_lane_add(struct archive_lane *lane, uint64_t begin, uint64_t end)
{
	size_t nr = lane->nr_extents;

	if (nr && lane->extents[nr - 1].end == begin) {
		lane->extents[nr - 1].end = end;
		return true;
	}
	if (!GROW(lane->extents, nr))
		return false;
	lane->extents[nr].begin = begin;
	lane->extents[nr].end = end;
	lane->nr_extents++;
	return true;
}

/* Set @last to a new time. Return true if time goes backwards. */
static bool follow_time(struct archive_time *last, uint64_t ticks, uint64_t rate)
{
	bool back = ticks < last->ticks;

	if (rate != last->rate)
		back = last->rate && vitrine_fxt_ns(ticks, rate) <
				     vitrine_fxt_ns(last->ticks, last->rate);
	*last = (struct archive_time){ ticks, rate };
	return back;
}

/* Check the time order of a lane during the first pass. */
static void archive_lane_look(struct archive_lane *lane,
			      const struct vitrine_fxt_record *record)
{
	uint64_t rate = record->ticks_per_second;

	if (follow_time(&lane->last, record->ticks, rate))
		lane->unsorted = true;
	if (!fxt_may_be_late(record) &&
	    follow_time(&lane->written, fxt_written_ticks(record), rate))
		lane->disordered = true;
}

static void release_passed(struct archive_lane *lane,
			   struct vitrine_archive *archive, uint64_t least)
{
	if (lane->at - lane->released < least)
		return;
	fxt_file_release(&archive->file, lane->released, lane->at);
	lane->released = lane->at;
}

/* Move lane->at into the next extent if needed. Return false at the end. */
static bool find_record(struct archive_lane *lane,
			struct vitrine_archive *archive)
{
	uint64_t begin;

	if (lane->extent == lane->nr_extents)
		return false;
	if (lane->at < lane->extents[lane->extent].end) {
		release_passed(lane, archive, FXT_RELEASE_BYTES);
		return true;
	}
	if (++lane->extent == lane->nr_extents) {
		release_passed(lane, archive, 1);
		return false;
	}
	begin = lane->extents[lane->extent].begin;
	/* Short extents that are close together are released together. */
	if (begin - lane->at >= FXT_RELEASE_BYTES) {
		release_passed(lane, archive, 1);
		lane->released = begin;
	}
	lane->at = begin;
	return true;
}

/* Begin a sub-buffer; all records of the one before have been counted. */
static void follow_packet(struct archive_lane *lane, struct vitrine_archive *archive)
{
	struct vitrine_packet packet;

	if (!fxt_packet_read(&archive->fxt.decoder, &lane->record, &packet))
		return;
	lane->loss = (struct fxt_loss){ 0 };
	if (lane->packed && lane->packet.cpu == packet.cpu &&
	    lane->packet.session == packet.session)
		lane->loss = fxt_packet_loss(&lane->packet, lane->nr_timed, &packet);
	lane->packed = true;
	lane->packet = packet;
	lane->begins_packet = true;
	lane->packet_begin = lane->record.offset - FXT_PACKET_RECORD_OFFSET;
	lane->nr_timed = 0;
}

/* Follow a record, in the order of the file. */
static void follow(struct archive_lane *lane,
		   struct vitrine_archive *archive)
{
	struct vitrine_fxt_record *record = &lane->record;

	lane->late = false;
	lane->begins_packet = false;
	if (!record->timed) {
		lane->key = lane->top;
		record->ticks = lane->top_ticks;
		follow_packet(lane, archive);
		return;
	}
	lane->nr_timed += lane->packed && record->offset - lane->packet_begin <
					  lane->packet.committed_bytes;
	lane->key = archive->in_ns ?
		vitrine_fxt_ns(record->ticks, record->ticks_per_second) :
		record->ticks;
	if (lane->key < lane->top) {
		lane->late = true;
		return;
	}
	lane->top = lane->key;
	lane->top_ticks = record->ticks;
}

/*
 * Return the entry of the thread table that a switch of 16 bytes refers to, or NULL. @mask is that
 * of the reference.
 */
static inline struct fxt_thread_entry *entry_of(const struct vitrine_archive *archive,
						const struct fxt_provider *provider,
						const struct vitrine_fxt_record *record,
						uint64_t mask)
{
	if (!provider || record->kind != VITRINE_FXT_SWITCH || record->nr_words != 2)
		return NULL;
	return fxt_provider_thread(provider, FXT_GET(mask, fxt_word(&archive->fxt.decoder,
								    record->offset)));
}

/*
 * Begin to load five cache lines of what the reader keeps of a thread. If this is not inline, the
 * compiler takes it for a function without an effect, and leaves out the calls.
 */
static inline __attribute__((always_inline)) void load(const char *state)
{
	unsigned int i;

	for (i = 0; state && i < 5; i++)
		__builtin_prefetch(state + 64 * i);
}

/* Begin to load what is known of a thread, and go on with the threads before it. */
static void load_thread(struct vitrine_archive *archive, uint64_t koid)
{
	const unsigned int last = archive->next.nr++ % NEXT_THREADS;
	const unsigned int entry = (last + NEXT_THREADS - NEXT_ENTRY) % NEXT_THREADS;
	uint32_t *numbers = archive->next.numbers;
	const struct fxt_name *name;

	/* The thread whose place it takes: its entry has been loaded by now. */
	if (numbers[last]) {
		name = &archive->threads.entries[numbers[last] - 1];
		load(name->owner ? name->owner : name->name.bytes);
	}
	archive->next.koids[last] = koid;
	fxt_names_expect(&archive->threads, koid);
	numbers[entry] = fxt_names_guess(&archive->threads, archive->next.koids[entry]);
}

/* Begin to load what the reader will need for one more record; return false if that is unknown. */
static bool look_ahead(struct vitrine_archive *archive, struct archive_lane *lane)
{
	const struct fxt_thread_entry *threads = lane->provider->threads;
	const struct fxt_decoder *decoder = &archive->fxt.decoder;
	uint64_t left = lane->extents[lane->extent].end - lane->ahead;
	uint64_t header, nr_words;

	if (left < 4 * FXT_WORD_BYTES)
		return false;
	header = fxt_word(decoder, lane->ahead);
	nr_words = fxt_header_words(header);
	if (!nr_words || nr_words > left / FXT_WORD_BYTES)
		return false;
	if (FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_SCHEDULING) {
		switch (FXT_GET(FXT_SCHEDULING_SUBTYPE, header)) {
		case FXT_SCHEDULING_THREAD_WAKEUP:
			load_thread(archive, fxt_word(decoder, lane->ahead + 2 * FXT_WORD_BYTES));
			break;
		case FXT_SCHEDULING_CONTEXT_SWITCH:
			load_thread(archive, fxt_word(decoder, lane->ahead + 3 * FXT_WORD_BYTES));
			break;
		default:
			if (threads)
				__builtin_prefetch(&threads[FXT_GET(FXT_SWITCH_INCOMING_THREAD,
								    header)]);
		}
	}
	lane->ahead += nr_words * FXT_WORD_BYTES;
	lane->nr_ahead++;
	return true;
}

/* Begin to load what the reader will need for the record of a lane, and for the next ones. */
static void expect(struct vitrine_archive *archive, struct archive_lane *lane)
{
	const struct fxt_thread_entry *entry;

	if (!lane->provider || !archive->nr_ahead)
		return;
	entry = entry_of(archive, lane->provider, &lane->record, FXT_SWITCH_INCOMING_THREAD);
	if (entry) {
		load(entry->note);
		if (entry->number)
			__builtin_prefetch(&archive->threads.entries[entry->number - 1]);
	}
	if (lane->ahead <= lane->at) {
		lane->ahead = lane->at;
		lane->nr_ahead = 0;
	} else {
		lane->nr_ahead--;
	}
	while (lane->nr_ahead < archive->nr_ahead && look_ahead(archive, lane))
		;
}

/* Read the next valid record in file order. */
static enum fxt_result decode_next(struct archive_lane *lane,
				   struct vitrine_archive *archive)
{
	enum fxt_result result;

	while (find_record(lane, archive)) {
		result = fxt_decode(&archive->fxt.decoder, lane->provider, lane->at,
				    &lane->record);
		if (result == FXT_STOP)
			return FXT_STOP;
		if (result == FXT_BAD_FRAME) {
			/* It was valid in the first pass: the file has changed. */
			lane->at = lane->extents[lane->extent].end;
			continue;
		}
		lane->at += lane->record.nr_words * (uint64_t)FXT_WORD_BYTES;
		if (result == FXT_BAD_RECORD)
			continue;
		follow(lane, archive);
		expect(archive, lane);
		return FXT_OK;
	}
	return FXT_END;
}

static void restart(struct archive_lane *lane)
{
	fxt_provider_restart(lane->provider);
	lane->extent = 0;
	lane->at = lane->nr_extents ? lane->extents[0].begin : 0;
	lane->released = lane->at;
	lane->ahead = 0;
	lane->key = 0;
	lane->top = 0;
	lane->top_ticks = 0;
	lane->late = false;
	lane->packed = false;
}

/* Move the records that are out of order to the sort. */
static enum fxt_result extract_late(struct archive_lane *lane,
				    struct vitrine_archive *archive)
{
	enum fxt_result result;

	while ((result = decode_next(lane, archive)) == FXT_OK) {
		if (!lane->late)
			continue;
		archive->fxt.decoder.stop =
			archive_sort_add(&archive->sort, lane->key, lane->index, &lane->record);
		if (archive->fxt.decoder.stop)
			return FXT_STOP;
	}
	restart(lane);
	return result == FXT_STOP ? FXT_STOP : FXT_OK;
}

/* Read the next record of a sorted run. */
static enum fxt_result sorted_next(struct archive_lane *lane,
				   struct vitrine_archive *archive)
{
	const struct archive_sorted *sorted;

	sorted = archive_sort_next(&archive->sort, lane->run, &archive->file);
	if (!sorted)
		return FXT_END;
	lane->key = sorted->key;
	lane->index = sorted->lane;
	memcpy(&lane->record, &sorted->record,
	       sorted->len_bytes - offsetof(struct archive_sorted, record));
	return FXT_OK;
}

/* Read the next record into lane->record. Returns FXT_OK, FXT_END or FXT_STOP. */
static enum fxt_result archive_lane_next(struct archive_lane *lane,
					 struct vitrine_archive *archive)
{
	enum fxt_result result;

	if (lane->run)
		return sorted_next(lane, archive);
	do
		result = decode_next(lane, archive);
	while (result == FXT_OK && lane->late);
	return result;
}

/* ---- The archive ------------------------------------------------------- */

static struct archive_lane *lane_create(struct vitrine_archive *archive,
					struct fxt_provider *provider)
{
	unsigned int nr = archive->nr_lanes;
	struct archive_lane *lane;

	if (!GROW(archive->lanes, nr))
		return NULL;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	lane->provider = provider;
	lane->index = provider->id;
	archive->lanes[nr] = lane;
	archive->nr_lanes++;
	provider->lane = lane;
	return lane;
}

/* Return the lane of the record. A provider event may stand among other records. */
static struct archive_lane *lane_of(struct vitrine_archive *archive)
{
	struct fxt_provider *provider = archive->fxt.provider;

	if (archive->fxt.record.kind == VITRINE_FXT_PROVIDER_EVENT)
		provider = fxt_providers_get(&archive->fxt.providers,
					     archive->fxt.record.provider,
					     &archive->fxt.decoder.stop);
	if (!provider)
		return NULL;
	return provider->lane ? provider->lane : lane_create(archive, provider);
}

static bool learn_waiting(struct vitrine_archive *archive)
{
	struct waiting_names *waiting = &archive->waiting;
	unsigned int i, nr = waiting->nr;
	uint64_t given_ns = 0;

	if (nr && waiting->rate)
		given_ns = vitrine_fxt_ns(waiting->ticks, waiting->rate);
	waiting->nr = 0;
	for (i = 0; i < nr; i++)
		if (!fxt_names_learn(&archive->processes, &archive->threads,
				     &waiting->records[i], given_ns))
			return false;
	return true;
}

static bool follow_name(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	struct waiting_names *waiting = &archive->waiting;

	if (waiting->provider != archive->fxt.provider) {
		if (!learn_waiting(archive))
			return false;
		waiting->provider = archive->fxt.provider;
		waiting->rate = 0;
	}
	if (record->timed) {
		waiting->ticks = record->ticks;
		waiting->rate = record->ticks_per_second;
		return !waiting->nr || learn_waiting(archive);
	}
	if (record->kind != VITRINE_FXT_KERNEL_OBJECT)
		return true;
	if (waiting->nr == MAX_WAITING && !learn_waiting(archive))
		return false;
	waiting->records[waiting->nr++] = *record;
	return true;
}

/*
 * References to a thread have its process. Scheduling records of the newer form have none, and a
 * thread may have no name. A kernel object record overrides what is learnt here.
 */
static bool learn_processes(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	const struct vitrine_fxt_thread *thread;
	struct fxt_name *name;
	unsigned int i = 0;

	/* The thread records of a 16-byte switch have been learnt. */
	if (record->kind == VITRINE_FXT_WAKEUP ||
	    (record->kind == VITRINE_FXT_SWITCH &&
	     (!record->context_switch.legacy || record->nr_words == 2)))
		return true;
	while ((thread = fxt_thread_of(record, i++))) {
		if (thread->process == VITRINE_FXT_NO_PROCESS)
			continue;
		name = fxt_names_get(&archive->threads, thread->thread);
		if (!name)
			return false;
		if (name->owned)
			continue;
		name->process = thread->process;
		name->owned = true;
	}
	return true;
}

/*
 * Return the name of a thread of a switch, NULL without memory. The thread table has its number
 * after the first look-up.
 */
static inline struct fxt_name *thread_of(struct vitrine_archive *archive,
					 const struct fxt_provider *provider,
					 const struct vitrine_fxt_record *record,
					 const struct vitrine_fxt_thread *thread, uint64_t mask)
{
	struct fxt_thread_entry *entry = entry_of(archive, provider, record, mask);
	struct fxt_name *name;

	if (entry && entry->number)
		return &archive->threads.entries[entry->number - 1];
	name = fxt_names_get(&archive->threads, thread->thread);
	if (name && entry)
		entry->number = name - archive->threads.entries + 1;
	return name;
}

/*
 * The module does not write the priority of a woken thread. It is the priority in the
 * last switch of that thread, or in its first switch if that is later.
 */
static bool learn_weight(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	const struct fxt_provider *provider = archive->fxt.provider;
	const struct fxt_thread_entry *entry;
	struct fxt_name *name;

	if (record->kind == VITRINE_FXT_WAKEUP && provider->cpu != VITRINE_FXT_NO_CPU)
		archive->has_wakeups = archive->learns_weights;
	if (!archive->has_wakeups || record->kind != VITRINE_FXT_SWITCH)
		return true;
	entry = entry_of(archive, provider, record, FXT_SWITCH_INCOMING_THREAD);
	/* This sub-buffer has had a switch to the thread. */
	if (entry && entry->number)
		return true;
	name = thread_of(archive, provider, record,
			 &record->context_switch.incoming, FXT_SWITCH_INCOMING_THREAD);
	if (name && !name->weight)
		name->weight = fxt_incoming_weight(record);
	return name;
}

/* Return false without memory. */
static bool follow_weight(struct vitrine_archive *archive, const struct archive_lane *lane)
{
	const struct vitrine_fxt_record *record = &lane->record;
	struct fxt_name *name = thread_of(archive, lane->provider, record,
					  &record->context_switch.outgoing,
					  FXT_SWITCH_OUTGOING_THREAD);

	if (name)
		name->weight = fxt_outgoing_weight(record);
	return name;
}

static void add_weight(const struct vitrine_archive *archive,
		       const struct fxt_provider *provider,
		       struct vitrine_fxt_record *record)
{
	const struct fxt_name *name;
	struct vitrine_fxt_arg *args = record->args;

	if (!provider || provider->cpu == VITRINE_FXT_NO_CPU ||
	    record->nr_args != 1 ||
	    !fxt_string_is(&args[0].name, "waker"))
		return;
	name = fxt_names_find(&archive->threads, record->wakeup.thread);
	if (!name || !name->weight)
		return;
	fxt_add_weight(record, "weight", name->weight);
	/* The weight precedes the waker, as in records that have both. */
	args[2] = args[0];
	args[0] = args[1];
	args[1] = args[2];
}

/* Learn the wall-clock time of time 0 from the first packet header that has one. */
static void learn_realtime(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	struct vitrine_packet packet;
	uint64_t session_ns;

	if (archive->has_realtime || !fxt_packet_read(&archive->fxt.decoder, record, &packet) ||
	    !packet.session_realtime_ns || packet.session_realtime_ns >= ARCHIVE_LAST_NS)
		return;
	archive->has_realtime = true;
	session_ns = archive_ns(packet.session_ticks, record->ticks_per_second);
	if (packet.session_realtime_ns > session_ns)
		archive->realtime_ns = packet.session_realtime_ns - session_ns;
}

static bool first_pass_record(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	struct archive_lane *lane = lane_of(archive);

	if (!lane)
		return false;
	if (!record->timed) {
		learn_realtime(archive);
	} else {
		archive_lane_look(lane, record);
		if (record->cpu != VITRINE_FXT_NO_CPU && record->cpu >= archive->nr_cpus)
			archive->nr_cpus = record->cpu + 1;
		if (!archive->rate)
			archive->rate = record->ticks_per_second;
		else if (archive->rate != record->ticks_per_second)
			archive->in_ns = true;
	}
	return archive_lane_add(lane, record->offset, archive->fxt.offset) &&
	       follow_name(archive) && learn_processes(archive) && learn_weight(archive);
}

static struct vitrine_error *first_pass(struct vitrine_archive *archive,
					const struct archive_look *look)
{
	struct vitrine_fxt *fxt = &archive->fxt;
	uint64_t limit = FXT_RELEASE_BYTES;
	enum fxt_result result;

	while ((result = fxt_next(fxt)) != FXT_END) {
		if (result == FXT_STOP)
			return fxt_stop_error(fxt, archive->path);
		if ((result == FXT_OK && !first_pass_record(archive)) ||
		    (look->follow && !look->follow(look->ctx, fxt, result)))
			return fxt->decoder.stop ? fxt_stop_error(fxt, archive->path) :
						   vtr_error_no_memory();
		limit = fxt_file_pass(&archive->file, limit, fxt->offset);
	}
	fxt_file_release(&archive->file, limit - FXT_RELEASE_BYTES, fxt->offset);
	return NULL;
}

static bool lane_before(const void *left, const void *right)
{
	const struct archive_lane *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key;
	if (a->index != b->index)
		return a->index < b->index;
	return a->record.offset < b->record.offset;
}

/* Make an error from FXT_STOP. */
static struct vitrine_error *stop_error(const struct vitrine_archive *archive)
{
	int code = archive->fxt.decoder.stop;

	if (code == ENOMEM || code == E2BIG)
		return fxt_stop_error(&archive->fxt, archive->path);
	return vitrine_error_create(code, archive->path, VITRINE_NO_OFFSET,
				    "set TMPDIR to a directory with room for several times the trace",
				    "cannot sort the records that are not in time order: %s",
				    strerror(code));
}

/* Read the first record of a lane and add the lane to the merge if it has one. */
static struct vitrine_error *begin_lane(struct vitrine_archive *archive,
					struct archive_lane *lane)
{
	switch (archive_lane_next(lane, archive)) {
	case FXT_OK:
		archive->heap[archive->nr_heap] = lane;
		heap_rise(archive->heap, archive->nr_heap++, lane_before);
		return NULL;
	case FXT_STOP:
		return stop_error(archive);
	default:
		return NULL;
	}
}

/* Read the first record of each lane and of each sorted run. */
static struct vitrine_error *begin_lanes(struct vitrine_archive *archive)
{
	struct archive_sort *sort = &archive->sort;
	struct vitrine_error *err = NULL;
	unsigned int i;

	archive->nr_heap = 0;
	archive->started = false;
	archive_sort_rewind(sort);
	for (i = 0; !err && i < archive->nr_lanes; i++)
		err = begin_lane(archive, archive->lanes[i]);
	for (i = 0; !err && i < sort->nr_runs; i++) {
		archive->run_lanes[i].run = &sort->runs[i];
		err = begin_lane(archive, &archive->run_lanes[i]);
	}
	return err;
}

/**
 * archive_begin() - get ready to read the records in time order
 * @archive: archive from archive_index()
 * @report: receives notes; or NULL
 *
 * Return: NULL, or an error: ENOMEM, or another one of sorting records.
 */
struct vitrine_error *archive_begin(struct vitrine_archive *archive,
				    const struct vitrine_fxt_report *report)
{
	struct archive_sort *sort = &archive->sort;
	struct archive_lane *lane;
	unsigned int i;

	if (archive->threads.nr > FXT_FEW_NAMES)
		archive->nr_ahead = 1 + AHEAD_RECORDS / (archive->nr_lanes + 1);
	/* The first pass has reported all faults. */
	archive->fxt.decoder.fault = NULL;
	archive->fxt.decoder.thorough = false;
	for (i = 0; i < archive->nr_lanes; i++) {
		lane = archive->lanes[i];
		if (lane->disordered)
			vtr_note(report, lane->extents[0].begin,
				 "provider %" PRIu32 " is not in time order: sorted",
				 lane->provider->id);
		restart(lane);
		if (lane->unsorted && extract_late(lane, archive) == FXT_STOP)
			return stop_error(archive);
	}
	archive->fxt.decoder.stop = archive_sort_finish(sort);
	if (archive->fxt.decoder.stop)
		return stop_error(archive);
	archive->heap = calloc(archive->nr_lanes + sort->nr_runs + 1, sizeof(*archive->heap));
	archive->run_lanes = calloc(sort->nr_runs + 1, sizeof(*archive->run_lanes));
	archive->cpus = calloc(FXT_MAX_CPUS, sizeof(*archive->cpus));
	return archive->heap && archive->run_lanes && archive->cpus ? begin_lanes(archive) :
								      vtr_error_no_memory();
}

static struct vitrine_error *archive_load(struct vitrine_archive *archive,
					  const struct vitrine_fxt_report *report,
					  const struct archive_look *look)
{
	struct vitrine_error *err;

	err = fxt_init(&archive->fxt, archive->file.bytes,
		       archive->file.len_bytes, archive->path);
	if (err)
		return err;
	archive->fxt.decoder.fault = report ? report->fault : NULL;
	archive->fxt.decoder.ctx = report ? report->ctx : NULL;
	archive->fxt.decoder.thorough = look->thorough;
	archive->learns_weights = look->weights;
	err = first_pass(archive, look);
	if (err)
		return err;
	if (!learn_waiting(archive) ||
	    !fxt_names_keep(&archive->processes) ||
	    !fxt_names_keep(&archive->threads))
		return vtr_error_no_memory();
	return NULL;
}

/**
 * archive_index() - open a trace; archive_begin() must follow before it is read
 * @file: its bytes, which belong to the archive from then on, also after an error, unless they
 *	are borrowed
 * @path: name of the file in errors, valid as long as the archive; or NULL
 * @report: as for vitrine_archive_from_bytes()
 * @look: what to look at
 * @ret: the archive
 *
 * Return: as vitrine_archive_from_bytes().
 */
struct vitrine_error *archive_index(struct fxt_file *file, const char *path,
				    const struct vitrine_fxt_report *report,
				    const struct archive_look *look,
				    struct vitrine_archive **ret)
{
	struct vitrine_archive *archive = calloc(1, sizeof(*archive));
	struct vitrine_error *err;

	if (!archive) {
		fxt_file_close(file);
		return vtr_error_no_memory();
	}
	archive->file = *file;
	archive->path = path;
	err = archive_load(archive, report, look);
	if (err)
		vitrine_archive_destroy(archive);
	else
		*ret = archive;
	return err;
}

static struct vitrine_error *archive_create(struct fxt_file *file, const char *path,
					    const struct vitrine_fxt_report *report,
					    const struct archive_look *look,
					    struct vitrine_archive **ret)
{
	struct vitrine_archive *archive;
	struct vitrine_error *err;

	err = archive_index(file, path, report, look, &archive);
	if (err)
		return err;
	err = archive_begin(archive, report);
	/* It belongs to the caller and is valid for this call only. */
	archive->path = NULL;
	if (err) {
		vitrine_archive_destroy(archive);
		return err;
	}
	*ret = archive;
	return NULL;
}

/* For vitrine_archive_next(). */
static const struct archive_look next_look = { .weights = true };

/**
 * vitrine_archive_from_bytes() - open a trace in memory
 * @bytes: the trace; must stay valid until the archive is destroyed
 * @len_bytes: its length
 * @report: receives, during this call, a fault for each malformed record, which the
 *	archive leaves out, and notes; or NULL
 * @ret: the archive
 *
 * Return: NULL, or an error: EPROTONOSUPPORT if @bytes is not a trace, E2BIG with
 * too many providers, ENOMEM.
 */
struct vitrine_error *
vitrine_archive_from_bytes(const void *bytes, size_t len_bytes,
			   const struct vitrine_fxt_report *report,
			   struct vitrine_archive **ret)
{
	struct fxt_file file = {
		.bytes = (unsigned char *)bytes,
		.len_bytes = len_bytes,
		.borrowed = true,
	};

	return archive_create(&file, NULL, report, &next_look, ret);
}

/**
 * archive_open() - open a trace file, and look at its records in the order of the file
 * @path: the file
 * @report: as for vitrine_archive_from_bytes()
 * @look: what to look at
 * @ret: the archive
 *
 * Return: as vitrine_archive_from_bytes(), or an error from reading the file.
 */
struct vitrine_error *archive_open(const char *path, const struct vitrine_fxt_report *report,
				   const struct archive_look *look,
				   struct vitrine_archive **ret)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(path, &file);
	return err ? err : archive_create(&file, path, report, look, ret);
}

/**
 * vitrine_archive_create() - open a trace file
 * @path: the file
 * @report: as for vitrine_archive_from_bytes()
 * @ret: the archive
 *
 * Return: as vitrine_archive_from_bytes(), or an error from reading the file.
 */
struct vitrine_error *
vitrine_archive_create(const char *path,
		       const struct vitrine_fxt_report *report,
		       struct vitrine_archive **ret)
{
	return archive_open(path, report, &next_look, ret);
}

/**
 * vitrine_archive_destroy() - close a trace
 * @archive: archive, or NULL
 */
void vitrine_archive_destroy(struct vitrine_archive *archive)
{
	unsigned int i;

	if (!archive)
		return;
	for (i = 0; i < archive->nr_lanes; i++) {
		free(archive->lanes[i]->extents);
		free(archive->lanes[i]);
	}
	archive_sort_deinit(&archive->sort);
	free(archive->lanes);
	free(archive->run_lanes);
	free(archive->heap);
	free(archive->cpus);
	fxt_names_deinit(&archive->processes);
	fxt_names_deinit(&archive->threads);
	fxt_deinit(&archive->fxt);
	fxt_file_close(&archive->file);
	free(archive);
}

/* Read the next record, without the weight of a wakeup. NULL: none is left. */
static struct vitrine_error *next_lane(struct vitrine_archive *archive, struct archive_lane **ret)
{
	*ret = NULL;
	if (archive->started && archive->nr_heap) {
		switch (archive_lane_next(archive->heap[0], archive)) {
		case FXT_OK:
			break;
		case FXT_STOP:
			return stop_error(archive);
		default:
			archive->heap[0] = archive->heap[--archive->nr_heap];
			break;
		}
		if (archive->nr_heap)
			heap_sink(archive->heap, archive->nr_heap, lane_before);
	}
	archive->started = true;
	if (archive->nr_heap)
		*ret = archive->heap[0];
	return NULL;
}

/**
 * archive_for_each() - call a function for each record in time order
 * @archive: archive; reading goes on behind the last record that was read
 * @visit: processes a record and tells how to go on; wakeups have no weights that the module
 *	does not write
 * @ctx: passed to @visit
 *
 * Return: NULL at the end or after ARCHIVE_STOP, or an error: ENOMEM.
 */
struct vitrine_error *archive_for_each(struct vitrine_archive *archive,
				       archive_visit *visit, void *ctx)
{
	enum archive_step step = ARCHIVE_NEXT;
	struct vitrine_error *err;
	struct archive_lane *lane;

	while (step == ARCHIVE_NEXT) {
		err = next_lane(archive, &lane);
		if (err || !lane)
			return err;
		step = visit(ctx, &lane->record);
	}
	return step == ARCHIVE_STOP ? NULL : vtr_error_no_memory();
}

/**
 * archive_rewind() - go back to the first record
 * @archive: archive
 *
 * Return: NULL, or an error: ENOMEM.
 */
struct vitrine_error *archive_rewind(struct vitrine_archive *archive)
{
	unsigned int i;

	for (i = 0; i < archive->nr_lanes; i++)
		restart(archive->lanes[i]);
	free(archive->cpus);
	archive->cpus = calloc(FXT_MAX_CPUS, sizeof(*archive->cpus));
	archive->last_cpu = NULL;
	archive->last_ns = 0;
	return archive->cpus ? begin_lanes(archive) : vtr_error_no_memory();
}

/**
 * archive_search() - call a function for each record in time order, and go back
 * @archive: archive from which nothing has been read
 * @visit: as for archive_for_each()
 * @ctx: passed to @visit
 *
 * Return: as archive_for_each(); without an error, the first record is read next.
 */
struct vitrine_error *archive_search(struct vitrine_archive *archive,
				     archive_visit *visit, void *ctx)
{
	struct vitrine_error *err = archive_for_each(archive, visit, ctx);

	return err ? err : archive_rewind(archive);
}

/* Learn a weight from a switch, or give it to a wakeup. Return false without memory. */
static bool weigh(struct vitrine_archive *archive, struct archive_lane *lane)
{
	if (!archive->has_wakeups)
		return true;
	if (lane->record.kind == VITRINE_FXT_SWITCH)
		return follow_weight(archive, lane);
	if (lane->record.kind == VITRINE_FXT_WAKEUP)
		add_weight(archive, lane->provider, &lane->record);
	return true;
}

/**
 * vitrine_archive_next() - read the next record in time order
 * @archive: archive
 * @ret: the record, valid until the next call; NULL at the end
 *
 * A record without a timestamp follows the latest record before it in its provider.
 * Records of equal time are ordered by the ids of their providers. A wakeup
 * in a sub-buffer of vitrine's gets the arguments that the module does not write:
 * "weight" and "waker".
 *
 * Return: NULL, or an error: ENOMEM.
 */
struct vitrine_error *
vitrine_archive_next(struct vitrine_archive *archive,
		     const struct vitrine_fxt_record **ret)
{
	struct archive_lane *lane;
	struct vitrine_error *err;

	*ret = NULL;
	err = next_lane(archive, &lane);
	if (err || !lane)
		return err;
	if (!weigh(archive, lane))
		return vtr_error_no_memory();
	*ret = &lane->record;
	return NULL;
}

/**
 * archive_note() - find the note of the reader about the incoming thread of a switch
 * @archive: archive
 * @item: the item that was read last, a switch
 *
 * With a note, the reader need not look a thread up for each switch. An archive has one reader
 * that keeps notes.
 *
 * Return: a pointer of the reader's, which each sub-buffer sets to NULL when it introduces the
 * thread; or NULL if the archive keeps none for this thread.
 */
void **archive_note(const struct vitrine_archive *archive, const struct archive_item *item)
{
	struct fxt_thread_entry *entry = entry_of(archive, item->provider, item->record,
						  FXT_SWITCH_INCOMING_THREAD);

	return entry ? &entry->note : NULL;
}

/**
 * archive_threads() - return the threads
 * @archive: archive
 *
 * Return: those with a name, and more. The owners of the entries, NULL at first, are for its
 * reader, who may also add threads.
 */
struct fxt_names *archive_threads(struct vitrine_archive *archive)
{
	return &archive->threads;
}

/**
 * archive_ns() - convert a time to nanoseconds
 * @ticks: the time
 * @ticks_per_second: its rate
 *
 * Return: nanoseconds, at most ARCHIVE_LAST_NS.
 */
uint64_t archive_ns(uint64_t ticks, uint64_t ticks_per_second)
{
	return archive_clip(vitrine_fxt_ns(ticks, ticks_per_second));
}

static void follow_header(struct archive_cpu *cpu, const struct archive_lane *lane)
{
	const struct vitrine_packet *packet = &lane->packet;

	if (lane->loss.nr_missing || lane->loss.nr_unwritten || cpu->session != packet->session)
		cpu->known = false;
	cpu->session = packet->session;
	if (cpu->packed)
		return;
	cpu->packed = true;
	cpu->nr_before = packet->records_before;
	cpu->begin_ns = archive_ns(packet->begin_ticks, lane->record.ticks_per_second);
}

/* In most switches, which are legacy ones, idle has the id 0, and threads have a priority. */
static void follow_switch(struct archive_cpu *cpu, const struct vitrine_fxt_record *record)
{
	const bool legacy = record->context_switch.legacy;

	cpu->known = true;
	cpu->running = record->context_switch.incoming;
	if (legacy ? !cpu->running.thread :
		     fxt_is_idle(record, &cpu->running, "incoming_weight"))
		cpu->running = (struct vitrine_fxt_thread){ 0 };
	cpu->priority = legacy ? record->context_switch.incoming_priority :
				 fxt_incoming_priority(record);
}

/* Change the state of the CPU of the last item by it. */
static void follow_cpu(const struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->last->record;

	if (record->kind == VITRINE_FXT_SWITCH)
		follow_switch(archive->last_cpu, record);
	else if (record->timed || fxt_is_tracefs(record->provider))
		return;
	else if (record->kind == VITRINE_FXT_PROVIDER_EVENT)
		archive->last_cpu->known = false;
	else if (archive->last->begins_packet)
		follow_header(archive->last_cpu, archive->last);
}

static bool is_break(const struct archive_cpu *cpu, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *outgoing = &record->context_switch.outgoing;

	return record->kind == VITRINE_FXT_SWITCH && cpu->known &&
	       cpu->running.thread != outgoing->thread &&
	       (cpu->running.thread || !fxt_is_idle(record, outgoing, "outgoing_weight"));
}

/**
 * archive_read() - read the next record in time order, and what is known where it is
 * @archive: archive
 * @ret: the item, valid until the next call
 *
 * All records are to be read by this function, or none.
 *
 * Return: as vitrine_archive_next().
 */
struct vitrine_error *archive_read(struct vitrine_archive *archive, struct archive_item *ret)
{
	struct archive_lane *lane;
	struct vitrine_error *err;
	uint32_t cpu;
	uint64_t ns;

	if (archive->last_cpu)
		follow_cpu(archive);
	err = next_lane(archive, &lane);
	archive->last = lane;
	archive->last_cpu = NULL;
	ret->record = NULL;
	ret->ns = archive->last_ns;
	ret->packet = NULL;
	if (err || !lane)
		return err;
	if (!weigh(archive, lane))
		return vtr_error_no_memory();
	ret->record = &lane->record;
	cpu = lane->begins_packet ? lane->packet.cpu : lane->record.cpu;
	if (cpu != VITRINE_FXT_NO_CPU)
		archive->last_cpu = &archive->cpus[cpu];
	ret->cpu = archive->last_cpu;
	ret->breaks = is_break(ret->cpu, &lane->record);
	ret->provider = lane->provider;
	if (lane->record.timed) {
		ns = vitrine_fxt_ns(lane->record.ticks, lane->record.ticks_per_second);
		if (ns > archive->last_ns)
			archive->last_ns = ns;
		ret->ns = archive->last_ns;
	} else if (lane->begins_packet) {
		ret->packet = &lane->packet;
		ret->loss = lane->loss;
	}
	return NULL;
}

/**
 * archive_visit_file() - call a function for each record of a file in time order
 * @path: the file
 * @visit: processes a record and tells how to go on
 * @ctx: passed to @visit
 *
 * Return: NULL, or an error as archive_open() does.
 */
struct vitrine_error *archive_visit_file(const char *path,
					 archive_visit *visit, void *ctx)
{
	struct vitrine_archive *archive;
	struct vitrine_error *err;

	err = archive_open(path, NULL, &(struct archive_look){ 0 }, &archive);
	if (err)
		return err;
	err = archive_for_each(archive, visit, ctx);
	vitrine_archive_destroy(archive);
	return err;
}

/**
 * vitrine_archive_thread() - look up the name and the process of a thread
 * @archive: archive
 * @koid: the thread
 * @ret_name: its name, unchanged if it has none; valid as long as the archive
 * @ret_process: koid of its process, or VITRINE_FXT_NO_PROCESS
 *
 * Return: false if it has no name.
 */
bool vitrine_archive_thread(const struct vitrine_archive *archive,
			    uint64_t koid, struct vitrine_fxt_string *ret_name,
			    uint64_t *ret_process)
{
	const struct fxt_name *name = fxt_names_find(&archive->threads, koid);

	*ret_process = name && name->owned ? name->process : VITRINE_FXT_NO_PROCESS;
	if (!name || !name->named)
		return false;
	*ret_name = name->name;
	return true;
}

/**
 * vitrine_archive_process() - look up the name of a process
 * @archive: archive
 * @koid: the process
 * @ret_name: its name; valid as long as the archive
 *
 * Return: false if it has no name; nothing is written then.
 */
bool vitrine_archive_process(const struct vitrine_archive *archive,
			     uint64_t koid, struct vitrine_fxt_string *ret_name)
{
	const struct fxt_name *name = fxt_names_find(&archive->processes, koid);

	if (!name || !name->named)
		return false;
	*ret_name = name->name;
	return true;
}

/**
 * vitrine_archive_packet() - read the packet header in a record
 * @archive: archive
 * @record: a record of the archive
 * @ret: the header, in our byte order
 *
 * Return: false if the record is not a packet header; @ret is unchanged then.
 */
bool vitrine_archive_packet(const struct vitrine_archive *archive,
			    const struct vitrine_fxt_record *record,
			    struct vitrine_packet *ret)
{
	return fxt_packet_read(&archive->fxt.decoder, record, ret);
}

/**
 * archive_cpu() - return the state of a CPU
 * @archive: archive
 * @cpu: the CPU, below FXT_MAX_CPUS
 *
 * Return: its state before the item that was read last.
 */
const struct archive_cpu *archive_cpu(const struct vitrine_archive *archive, uint32_t cpu)
{
	return &archive->cpus[cpu];
}

/**
 * archive_nr_cpus() - return the number of CPUs
 * @archive: archive
 *
 * Return: the highest CPU of a record with a time, plus one.
 */
uint32_t archive_nr_cpus(const struct vitrine_archive *archive)
{
	return archive->nr_cpus;
}

/**
 * archive_realtime() - return the wall-clock time of time 0
 * @archive: archive
 * @ret_ns: CLOCK_REALTIME at time 0, according to the first session in the file
 *
 * Return: false if the trace has no wall-clock time; @ret_ns is unchanged then.
 */
bool archive_realtime(const struct vitrine_archive *archive, uint64_t *ret_ns)
{
	if (archive->has_realtime)
		*ret_ns = archive->realtime_ns;
	return archive->has_realtime;
}
