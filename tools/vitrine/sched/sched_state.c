// SPDX-License-Identifier: GPL-2.0
/*
 * Follow what threads do: a state machine per thread, driven by switches and wakeups.
 *
 * Records come in time order. Where records of any CPU are missing, a thread that was
 * not running may have run, so its state from before the end of the gap is unknown; a
 * thread that was running stays where it is.
 */
#include <stdio.h>
#include <stdlib.h>

#include <vitrine/fxt.h>

#include "base.h"
#include "command.h"
#include "sched_state.h"

const char * const sched_state_names[SCHED_NR_STATES] = {
	[SCHED_UNKNOWN]		= "unknown",
	[SCHED_RUNNING]		= "running",
	[SCHED_WOKEN]		= "woken",
	[SCHED_PREEMPTED]	= "preempted",
	[SCHED_BLOCKED]		= "blocked",
	[SCHED_STOPPED]		= "stopped",
	[SCHED_DEAD]		= "dead",
};

struct sched sched;

static uint64_t ns_of(const struct vitrine_fxt_record *record, uint64_t ticks)
{
	return vitrine_fxt_ns(ticks, record->ticks_per_second);
}

/* Return the length of an interval, clipped to the requested time range. */
static uint64_t counted(uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns < sched.filter->from_ns)
		begin_ns = sched.filter->from_ns;
	if (end_ns > sched.filter->to_ns)
		end_ns = sched.filter->to_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/**
 * sched_counts() - find out whether a time is in the requested range
 * @ns: time
 *
 * Return: true if it is.
 */
bool sched_counts(uint64_t ns)
{
	return ns >= sched.filter->from_ns && ns <= sched.filter->to_ns;
}

/* ---- Threads and CPUs -------------------------------------------------- */

/**
 * sched_thread_get() - find a thread, or add one of which nothing is known
 * @id: koids of the thread
 *
 * Return: the thread.
 */
struct sched_thread *sched_thread_get(const struct vitrine_fxt_thread *id)
{
	struct fxt_name *entry = fxt_names_get(archive_threads(archive), id->thread);
	struct sched_thread *thread;

	must_have(entry);
	thread = entry->owner;
	if (!thread) {
		/* What is known of a thread is loaded for each record: it is in one place. */
		thread = calloc(1, sizeof(*thread) + sched.ops->owner_bytes);
		must_have(thread);
		thread->id = *id;
		thread->since_ns = sched.now_ns;
		thread->owner = sched.ops->owner_bytes ? thread + 1 : NULL;
		entry->owner = thread;
		if (sched.ops->added)
			sched.ops->added(thread);
	} else if (id->process != VITRINE_FXT_NO_PROCESS) {
		thread->id.process = id->process;
	}
	return thread;
}

/**
 * sched_thread_find() - find a thread
 * @koid: its id
 *
 * Return: the thread; NULL: there is none.
 */
struct sched_thread *sched_thread_find(uint64_t koid)
{
	const struct fxt_name *entry = fxt_names_find(archive_threads(archive), koid);

	return entry ? entry->owner : NULL;
}

/**
 * sched_thread_next() - go through all threads, in no particular order
 * @place: position of the next thread, which is advanced; 0 at first
 *
 * Return: the next thread; NULL after the last one.
 */
struct sched_thread *sched_thread_next(size_t *place)
{
	const struct fxt_names *threads = archive_threads(archive);
	struct sched_thread *thread;

	while (*place < threads->nr) {
		thread = threads->entries[(*place)++].owner;
		if (thread)
			return thread;
	}
	return NULL;
}

/* Return the CPU, a new one if necessary. */
static struct sched_cpu *cpu_get(uint32_t number)
{
	if (number < sched.nr_cpus && sched.cpus[number])
		return sched.cpus[number];
	must_have(GROW_TO(sched.cpus, sched.nr_cpus, number));
	sched.cpus[number] = calloc(1, sizeof(**sched.cpus));
	must_have(sched.cpus[number]);
	sched.cpus[number]->last_ns = sched.now_ns;
	return sched.cpus[number];
}

/* ---- States ------------------------------------------------------------ */

/* End the state of a thread that was not running; its time counts if it is known. */
static void end_wait(struct sched_thread *thread, uint64_t now_ns)
{
	if (thread->since_ns < sched.gap_end_ns) {
		thread->state = SCHED_UNKNOWN;
		thread->blocked_ns = 0;
	}
	thread->time_ns[thread->state] +=
		counted(thread->since_ns, now_ns);
}

static void end_turn(struct sched_thread *thread, uint64_t now_ns, enum sched_state after)
{
	if (now_ns < thread->since_ns)
		now_ns = thread->since_ns;
	thread->time_ns[SCHED_RUNNING] +=
		counted(thread->since_ns, now_ns);
	thread->turn.end_ns = now_ns;
	thread->turn.after = after;
	thread->state = after;
	thread->since_ns = now_ns;
	thread->blocked_ns = 0;
	if (sched.ops->end)
		sched.ops->end(thread);
}

static void count_turn(struct sched_thread *thread)
{
	if (!sched_counts(thread->turn.begin_ns))
		return;
	thread->nr_turns++;
	if (thread->turn.waited == SCHED_WOKEN)
		thread->nr_woken++;
	else if (thread->turn.waited == SCHED_PREEMPTED)
		thread->nr_preempted++;
}

static void begin_turn(struct sched_thread *thread, const struct vitrine_fxt_record *record,
		       const struct vitrine_fxt_thread *instead)
{
	uint64_t now_ns = sched.now_ns, waited_ns;

	/* The switch on the CPU that it left has not been read yet: clocks differ. */
	if (thread->state == SCHED_RUNNING)
		end_turn(thread, now_ns, SCHED_PREEMPTED);
	end_wait(thread, now_ns);
	waited_ns = now_ns - thread->since_ns;
	thread->turn = (struct sched_turn){
		.cpu = record->cpu,
		.begin_ns = now_ns,
		.waited = thread->state,
		.instead = *instead,
		.after = SCHED_RUNNING,
	};
	if (thread->state == SCHED_WOKEN || thread->state == SCHED_PREEMPTED) {
		thread->turn.ready_ns = waited_ns;
		thread->turn.blocked_ns = thread->blocked_ns;
	} else if (thread->state == SCHED_BLOCKED ||
		   thread->state == SCHED_STOPPED) {
		thread->turn.blocked_ns = waited_ns;
	}
	thread->state = SCHED_RUNNING;
	thread->since_ns = now_ns;
	if (thread->nr_turns && thread->cpu != record->cpu && sched_counts(now_ns))
		thread->nr_migrations++;
	thread->cpu = record->cpu;
	count_turn(thread);
	if (sched.ops->begin)
		sched.ops->begin(thread, record);
}

/* End what a CPU did at @at_ns; @running runs from then on, if that is known. */
static void turn_cpu(struct sched_cpu *cpu, uint64_t at_ns, bool known,
		     struct sched_thread *running)
{
	uint64_t ns = counted(cpu->since_ns, at_ns);

	if (cpu->known && cpu->running) {
		cpu->busy_ns += ns;
		sched.busy_ns += ns;
	} else if (cpu->known) {
		cpu->idle_ns += ns;
		sched.idle_ns += ns;
	}
	cpu->known = known;
	cpu->running = running;
	cpu->renamed = NULL;
	cpu->since_ns = at_ns;
}

/* ---- Gaps -------------------------------------------------------------- */

/* The thread on a CPU is known to have run until @begin_ns only. */
static void forget_running(uint32_t number, uint64_t begin_ns)
{
	struct sched_cpu *cpu = sched.cpus[number];
	struct sched_thread *thread = cpu->running;

	if (cpu->known && thread && thread->state == SCHED_RUNNING &&
	    thread->cpu == number)
		end_turn(thread, begin_ns, SCHED_UNKNOWN);
	turn_cpu(cpu, begin_ns, false, NULL);
}

/*
 * Handle a gap in the records of a CPU. A gap that several records report is counted
 * once.
 */
static void gap(uint32_t number, uint64_t begin_ns, uint64_t end_ns)
{
	struct sched_cpu *cpu = sched.cpus[number];

	forget_running(number, begin_ns);
	if (end_ns > sched.gap_end_ns)
		sched.gap_end_ns = end_ns;
	if ((!cpu->gap_end_ns || begin_ns > cpu->gap_end_ns) &&
	    begin_ns <= sched.filter->to_ns && end_ns >= sched.filter->from_ns)
		sched.nr_gaps++;
	if (end_ns > cpu->gap_end_ns)
		cpu->gap_end_ns = end_ns;
	if (sched.ops->gap)
		sched.ops->gap(number, begin_ns, end_ns);
}

static void gap_everywhere(void)
{
	uint32_t i;

	for (i = 0; i < sched.nr_cpus; i++)
		if (sched.cpus[i])
			forget_running(i, sched.now_ns);
	sched.gap_end_ns = sched.now_ns;
	sched.nr_gaps += sched_counts(sched.now_ns);
	if (sched.ops->gap)
		sched.ops->gap(SCHED_ALL_CPUS, sched.now_ns, sched.now_ns);
}

/* The oldest records of a CPU are missing: what it did from the begin of the trace is unknown. */
static void miss_begin(uint32_t number)
{
	const struct sched_cpu *cpu = sched.cpus[number];

	if (cpu->begin_ns <= sched.begin_ns)
		return;
	if (cpu->begin_ns > sched.gap_end_ns)
		sched.gap_end_ns = cpu->begin_ns;
	if (sched.ops->gap)
		sched.ops->gap(number, sched.begin_ns, cpu->begin_ns);
}

static void follow_drop_stats(const struct vitrine_fxt_record *record)
{
	const bool packed = archive_cpu(archive, record->cpu)->packed;
	unsigned int i;

	/* For sub-buffers, the packet headers have the exact count. */
	for (i = 0; !packed && i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, "num_records") &&
		    record->args[i].type == FXT_ARG_UINT64)
			sched.nr_lost += record->args[i].value.uint64;
	gap(record->cpu, ns_of(record, record->ticks), ns_of(record, record->event.id));
}

static void follow_packet(const struct archive_item *item)
{
	const uint64_t lost = item->loss.nr_missing + item->loss.nr_unwritten;
	const struct vitrine_packet *packet = item->packet;
	const uint64_t begin_ns = ns_of(item->record, packet->begin_ticks);
	struct sched_cpu *cpu = cpu_get(packet->cpu);

	if (item->cpu->packed && item->cpu->session != packet->session) {
		/* No record is missing, but nothing was recorded for a while. */
		forget_running(packet->cpu, cpu->last_ns);
		sched.gap_end_ns = sched.now_ns;
	}
	if (lost)
		gap(packet->cpu, cpu->last_ns, begin_ns);
	if (sched_counts(sched.now_ns))
		sched.nr_lost += lost;
	if (!item->cpu->packed && packet->records_before) {
		cpu->begin_ns = begin_ns;
		if (sched.began)
			miss_begin(packet->cpu);
	}
}

/* ---- Records ----------------------------------------------------------- */

static enum sched_state state_after(unsigned int outgoing_state)
{
	switch (outgoing_state) {
	case FXT_THREAD_NEW:
	case FXT_THREAD_RUNNING:
		return SCHED_PREEMPTED;
	case FXT_THREAD_SUSPENDED:
		return SCHED_STOPPED;
	case FXT_THREAD_BLOCKED:
		return SCHED_BLOCKED;
	case FXT_THREAD_DYING:
	case FXT_THREAD_DEAD:
		return SCHED_DEAD;
	default:
		return SCHED_UNKNOWN;
	}
}

/* Find the outgoing thread of a switch, NULL for idle. In an unbroken chain, it is known. */
static struct sched_thread *outgoing_of(const struct archive_item *item,
					const struct sched_cpu *cpu)
{
	const struct vitrine_fxt_thread *id = &item->record->context_switch.outgoing;

	if (cpu->known && item->cpu->known && !item->breaks)
		return cpu->running;
	return fxt_is_idle(item->record, id, "outgoing_weight") ? NULL : sched_thread_get(id);
}

/* Find the incoming thread of a switch, NULL for idle. */
static struct sched_thread *incoming_of(const struct archive_item *item)
{
	const struct vitrine_fxt_thread *id = &item->record->context_switch.incoming;
	struct sched_thread *thread;
	void **note;

	if (fxt_is_idle(item->record, id, "incoming_weight"))
		return NULL;
	note = archive_note(archive, item);
	if (note && *note) {
		thread = *note;
		thread->id.process = id->process;
		return thread;
	}
	thread = sched_thread_get(id);
	if (note)
		*note = thread;
	return thread;
}

static void switch_out(uint32_t number, struct sched_thread *thread, enum sched_state after)
{
	struct sched_cpu *cpu = sched.cpus[number];

	if (cpu->known && cpu->running != thread)
		gap(number, cpu->last_ns, sched.now_ns);
	if (!thread)
		return;
	if (thread->state == SCHED_RUNNING) {
		/* Otherwise it already runs on another CPU, whose clock is ahead. */
		if (thread->cpu == number)
			end_turn(thread, sched.now_ns, after);
		return;
	}
	/* The begin of its time slice is unknown. */
	thread->state = SCHED_UNKNOWN;
	end_wait(thread, sched.now_ns);
	thread->state = after;
	thread->since_ns = sched.now_ns;
	thread->cpu = number;
	thread->blocked_ns = 0;
}

static bool is_selected(const struct vitrine_fxt_record *record)
{
	return record_filter_match_scheduling(sched.filter, record);
}

static void follow_switch(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	struct sched_cpu *cpu = sched.cpus[record->cpu];
	struct sched_thread *outgoing = outgoing_of(item, cpu);
	struct sched_thread *incoming = incoming_of(item);

	if (outgoing && outgoing == cpu->renamed)
		outgoing = cpu->running;
	switch_out(record->cpu, outgoing, state_after(record->context_switch.outgoing_state));
	if (incoming)
		begin_turn(incoming, record,
			   outgoing ? &outgoing->id : &(struct vitrine_fxt_thread){ 0 });
	turn_cpu(cpu, sched.now_ns, true, incoming);
	if (sched_counts(sched.now_ns)) {
		cpu->nr_switches++;
		sched.nr_switches += is_selected(record);
	}
}

static void follow_wakeup(const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread = sched_thread_get(&record->wakeup);

	if (is_selected(record)) {
		sched.nr_wakeups += sched_counts(sched.now_ns);
		sched.has_wakeups = true;
	}
	/* A thread that runs or waits for a CPU is awake already. */
	if (thread->state == SCHED_RUNNING || thread->state == SCHED_WOKEN ||
	    thread->state == SCHED_PREEMPTED)
		return;
	end_wait(thread, sched.now_ns);
	thread->blocked_ns = 0;
	if (thread->state == SCHED_BLOCKED || thread->state == SCHED_STOPPED)
		thread->blocked_ns = sched.now_ns - thread->since_ns;
	thread->state = SCHED_WOKEN;
	thread->since_ns = sched.now_ns;
	if (sched.ops->wakeup)
		sched.ops->wakeup(thread, record);
}

/* Begin at the first record with a time; the first packet header of each CPU precedes it. */
static void begin(uint64_t ns)
{
	uint32_t i;

	sched.began = true;
	sched.begin_ns = ns;
	sched.now_ns = ns;
	for (i = 0; i < sched.nr_cpus; i++)
		if (sched.cpus[i])
			miss_begin(i);
}

static void pass_time(uint64_t ns)
{
	if (!sched.began)
		begin(ns);
	sched.now_ns = ns;
}

/**
 * sched_is_interrupt() - find out whether an event takes the CPU from its thread without a switch
 * @record: a record
 *
 * Return: true if it does.
 */
bool sched_is_interrupt(const struct vitrine_fxt_record *record)
{
	const struct fxt_source *source;

	if (record->kind != VITRINE_FXT_EVENT || record->event.type != FXT_EVENT_DURATION_COMPLETE)
		return false;
	source = fxt_source_find(&record->event.category);
	return source && source->takes_cpu;
}

static void follow_interrupt(const struct vitrine_fxt_record *record)
{
	struct sched_cpu *cpu = sched.cpus[record->cpu];
	struct sched_interrupt interrupt = {
		.record = record,
		.cpu = record->cpu,
		.begin_ns = ns_of(record, record->ticks),
		.end_ns = ns_of(record, record->event.id),
		.thread = cpu->known ? cpu->running : NULL,
	};
	uint64_t from_ns = interrupt.begin_ns;

	if (from_ns < cpu->interrupt_end_ns)
		from_ns = cpu->interrupt_end_ns;
	if (interrupt.end_ns > from_ns) {
		interrupt.alone_ns = interrupt.end_ns - from_ns;
		cpu->interrupt_end_ns = interrupt.end_ns;
	}
	sched.ops->interrupt(&interrupt);
}

/*
 * A thread that executes a program gets the id of the main thread, and all others have ended. If it
 * was switched out with the old id meanwhile, it has already come in again with the new one.
 */
static void follow_exec(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *old = fxt_find_typed(record, "old_thread", FXT_ARG_KOID);
	struct sched_thread *from, *to;
	struct sched_cpu *cpu;

	if (record->cpu == VITRINE_FXT_NO_CPU || !old ||
	    old->value.uint64 == record->event.thread.thread)
		return;
	from = sched_thread_find(old->value.uint64);
	cpu = sched.cpus[record->cpu];
	if (!from)
		return;
	if (cpu->running != from) {
		from->state = SCHED_DEAD;
		return;
	}
	to = sched_thread_get(&record->event.thread);
	end_turn(from, sched.now_ns, SCHED_DEAD);
	begin_turn(to, record, &from->id);
	turn_cpu(cpu, sched.now_ns, true, to);
	cpu->renamed = from;
}

static void follow_complete(const struct vitrine_fxt_record *record)
{
	if (record->cpu == VITRINE_FXT_NO_CPU)
		return;
	if (fxt_string_is(&record->event.name, "drop_stats") &&
	    fxt_string_is(&record->event.category, VITRINE_PROVIDER_NAME))
		follow_drop_stats(record);
	else if (sched.ops->interrupt && sched_is_interrupt(record))
		follow_interrupt(record);
}

static void follow_timed(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		follow_switch(item);
		break;
	case VITRINE_FXT_WAKEUP:
		follow_wakeup(record);
		break;
	case VITRINE_FXT_EVENT:
		if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
			follow_complete(record);
		else if (fxt_string_is(&record->event.name, "exec") &&
			 fxt_string_is(&record->event.category, "sched"))
			follow_exec(record);
		break;
	default:
		break;
	}
}

/*
 * Events from tracefs have sub-buffers of their own beside those of the rings. They do not
 * show which thread runs, and no switch is missing where such events were lost.
 */
static bool is_beside_rings(const struct vitrine_fxt_record *record)
{
	return (record->kind == VITRINE_FXT_BLOB ||
		record->kind == VITRINE_FXT_EVENT) &&
	       fxt_is_tracefs(record->provider);
}

/**
 * sched_begin() - begin to follow a trace
 * @filter: selects the threads whose switches and wakeups are counted, and a time range
 * @ops: callbacks
 *
 * The caller calls sched_deinit(); @filter must outlive that.
 */
void sched_begin(const struct record_filter *filter, const struct sched_ops *ops)
{
	sched = (struct sched){ .ops = ops, .filter = filter };
}

/**
 * sched_follow() - update the state of threads by a record
 * @item: the next one in time order
 */
void sched_follow(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	struct sched_cpu *cpu = NULL;

	if (record->timed)
		pass_time(item->ns);
	if (is_beside_rings(record))
		return;
	if (item->packet) {
		follow_packet(item);
		return;
	}
	/* Our own provider writes a record with more details. */
	if (record->kind == VITRINE_FXT_PROVIDER_EVENT &&
	    record->provider_info.event == FXT_PROVIDER_EVENT_BUFFER_FULL &&
	    (!item->cpu || !item->cpu->packed))
		gap_everywhere();
	if (!record->timed)
		return;
	if (record->cpu != VITRINE_FXT_NO_CPU)
		cpu = cpu_get(record->cpu);
	follow_timed(item);
	if (cpu)
		cpu->last_ns = sched.now_ns;
}

/* Return the part of the trace that is in the requested time range. */
static struct sched_span span_of(void)
{
	const struct record_filter *filter = sched.filter;
	struct sched_span span = {
		.begin_ns = filter->from_ns > sched.begin_ns ? filter->from_ns : sched.begin_ns,
		.end_ns = filter->to_ns < sched.now_ns ? filter->to_ns : sched.now_ns,
	};

	if (span.end_ns < span.begin_ns)
		span.end_ns = span.begin_ns;
	return span;
}

/**
 * sched_finish() - end the trace
 *
 * Time slices that have not ended are reported as ended, with SCHED_RUNNING after
 * them. Times in each state are complete afterwards; @since_ns stays.
 */
void sched_finish(void)
{
	uint64_t end_ns = sched.now_ns;
	struct sched_thread *thread;
	size_t i = 0;

	sched.span = span_of();
	while ((thread = sched_thread_next(&i))) {
		if (thread->state == SCHED_RUNNING)
			end_turn(thread, end_ns, SCHED_RUNNING);
		else
			end_wait(thread, end_ns);
	}
	for (i = 0; i < sched.nr_cpus; i++)
		if (sched.cpus[i])
			turn_cpu(sched.cpus[i], end_ns,
				 sched.cpus[i]->known,
				 sched.cpus[i]->running);
}

/**
 * sched_read() - follow all records of a trace
 * @filter: as of sched_begin()
 * @ops: as of sched_begin()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *sched_read(const struct record_filter *filter, const struct sched_ops *ops)
{
	struct vitrine_error *err;
	struct archive_item item;

	sched_begin(filter, ops);
	/* If the report cannot be written, it need not be complete. */
	while (!(err = archive_read(archive, &item)) && item.record && !ferror(stdout))
		sched_follow(&item);
	if (!err)
		sched_finish();
	return err;
}

/**
 * sched_deinit() - free all threads and CPUs
 */
void sched_deinit(void)
{
	struct fxt_names *threads = archive_threads(archive);
	size_t i;

	for (i = 0; i < threads->nr; i++) {
		free(threads->entries[i].owner);
		threads->entries[i].owner = NULL;
	}
	for (i = 0; i < sched.nr_cpus; i++)
		free(sched.cpus[i]);
	free(sched.cpus);
}
