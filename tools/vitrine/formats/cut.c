// SPDX-License-Identifier: GPL-2.0
/*
 * Write a part of a trace as a trace of its own.
 *
 * The switches of a CPU stay a chain. With a choice of threads, one thread of each CPU stands
 * for all others, and switches between two of these are not written; idle stays idle, so that
 * it is known how busy each CPU was. Events "extent" state the time for which the whole trace
 * has the records of a CPU. A cut in time begins and ends as a recording does, with a switch to
 * what was running, and one from it. The trace is read once, in time order, so memory does not
 * grow with its length.
 */
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>
#include <vitrine/map.h>

#include "error.h"
#include "faults.h"
#include "feed.h"
#include "fxt_names.h"
#include "fxt_packet.h"
#include "fxt_write.h"
#include "grow.h"
#include "input.h"
#include "left_out.h"
#include "report.h"
#include "sched/sched_state.h"
#include "sched/selection.h"
#include "anonymise.h"
#include "cut.h"

#define NSEC_PER_SEC	1000000000ULL

/* Thread of process 0 that stands for the file. */
#define FILE_THREAD		0x7ffd0000U

/* Process of the kernel's threads. */
#define KTHREADD	2

#define ITEMS_BYTES	1024
#define MAX_ARGS	15

/**
 * struct cut_cpu - what runs on a CPU
 * @seen: the CPU had a record, after which none was lost
 * @nr_lost: number of records lost before the begin of the cut, after its last record
 * @last_ns: time of its last record
 * @known: @running is known
 * @running: incoming thread of the last switch; its id is 0 for idle
 * @priority: its priority
 */
struct cut_cpu {
	bool seen;
	uint64_t nr_lost;
	uint64_t last_ns;
	bool known;
	struct vitrine_fxt_thread running;
	uint8_t priority;
};

/**
 * struct cut - a cut in progress
 * @args: the options
 * @input: the file
 * @faults: name of the file in messages, and faults in it
 * @feed: its records
 * @item: the current one
 * @out: the new trace
 * @cpus: all CPUs that had a record
 * @nr_cpus: how many
 * @children: processes that were given or that a chosen process has forked, and others
 *	that were forked; the former are "used"
 * @told: threads and processes whose names have been written are "used"
 * @anonymiser: makes the tokens
 * @record: the record being written
 * @begun: the first record has been written
 * @nr_breaks: switches from a thread that was not running, where neither was chosen
 * @last_ns: time of the last record with a time
 * @left_out: records that cannot be written
 * @status: EXIT_BAD_INPUT if a filter selects nothing, though others do
 */
struct cut {
	const struct cut_args *args;
	struct input input;
	struct faults faults;
	struct feed *feed;
	struct feed_item item;
	struct fxt_out *out;
	struct cut_cpu *cpus;
	unsigned int nr_cpus;
	struct fxt_names children;
	struct fxt_names told;
	struct anonymiser anonymiser;
	struct vitrine_fxt_record record;
	bool begun;
	uint64_t nr_breaks;
	uint64_t last_ns;
	struct left_out left_out;
	int status;
};

static bool by_process(const struct cut *cut)
{
	return cut->args->filter.nr_processes || cut->args->nr_pids || cut->args->cgroup;
}

/* ---- Which records ------------------------------------------------------------ */

static bool by_thread(const struct cut *cut)
{
	return cut->args->filter.nr_threads || by_process(cut);
}

/* A process that a chosen one has forked is chosen, too. */
static bool is_chosen(const struct cut *cut,
		      const struct vitrine_fxt_thread *thread)
{
	const struct record_filter *filter = &cut->args->filter;
	const struct vitrine_archive *archive = feed_archive(cut->feed);
	const struct fxt_name *child;

	if ((filter->nr_threads || filter->nr_processes || !by_process(cut)) &&
	    record_filter_match_thread(filter, archive, thread))
		return true;
	if (!by_process(cut) || filter->nr_threads)
		return false;
	child = fxt_names_find(&cut->children, record_process(archive, thread));
	return child && child->used;
}

static bool is_own_event(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       fxt_string_is(&record->event.category, "vitrine");
}

/* Follow forks of processes, which the category "sched" records. */
static bool follow_fork(struct cut *cut, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *process;
	struct fxt_name *child;

	if (!by_process(cut) || record->kind != VITRINE_FXT_EVENT ||
	    !fxt_string_is(&record->event.category, "sched") ||
	    !fxt_string_is(&record->event.name, "fork"))
		return true;
	process = fxt_find_arg(record, "process");
	if (!process || process->type != FXT_ARG_KOID ||
	    process->value.uint64 == record_process(feed_archive(cut->feed),
						    &record->event.thread))
		return true;
	child = fxt_names_get(&cut->children, process->value.uint64);
	if (child)
		child->used = is_chosen(cut, &record->event.thread);
	return child;
}

/* ---- What runs ------------------------------------------------------------------ */

/* Return the CPU, or NULL without memory. */
static struct cut_cpu *cpu_get(struct cut *cut, uint32_t cpu)
{
	while (cut->nr_cpus <= cpu) {
		if (!GROW(cut->cpus, cut->nr_cpus))
			return NULL;
		cut->cpus[cut->nr_cpus++] = (struct cut_cpu){ 0 };
	}
	return &cut->cpus[cpu];
}

/* Check for a record of a ring, other than the begin of what began before the ring. */
static bool is_of_ring(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	return record->cpu != VITRINE_FXT_NO_CPU && !fxt_is_tracefs(record->provider) &&
	       cut->item.ns >= cut->item.stream->begin_ns;
}

/* Follow a record of a ring. */
static bool follow_record(struct cut *cut, const struct vitrine_fxt_record *record)
{
	struct cut_cpu *cpu;

	if (!is_of_ring(cut, record))
		return true;
	cpu = cpu_get(cut, record->cpu);
	if (!cpu)
		return false;
	cpu->seen = true;
	cpu->last_ns = cut->item.ns;
	if (record->kind != VITRINE_FXT_SWITCH)
		return true;
	cpu->known = true;
	cpu->running = record->context_switch.incoming;
	if (fxt_is_idle(record, &cpu->running, "incoming_weight"))
		cpu->running = (struct vitrine_fxt_thread){ 0 };
	cpu->priority = fxt_incoming_priority(record);
	return true;
}

/* ---- Names ------------------------------------------------------------------------ */

/* Names that the kernel and vitrine give to threads are no secret. */
static bool is_secret(const struct cut *cut, uint64_t process,
		      const struct vitrine_fxt_string *name)
{
	static const char * const ours[] = { "idle", "lost", FXT_OTHERS_NAME, "file" };
	struct vitrine_fxt_string parent;
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (fxt_string_is(name, ours[i]))
			return false;
	return !(process == KTHREADD &&
		 vitrine_archive_process(feed_archive(cut->feed), process, &parent) &&
		 fxt_string_is(&parent, "kthreadd"));
}

/* Replace the name of a thread of @process, or of the process, if it is to be kept secret. */
static void mend_name(struct cut *cut, uint64_t process,
		      struct vitrine_fxt_string *name)
{
	if (cut->args->anonymise && is_secret(cut, process, name))
		*name = anonymise_name(&cut->anonymiser, name);
}

static bool name_process(struct cut *cut, uint64_t process)
{
	struct vitrine_fxt_string name;

	if (process == VITRINE_FXT_NO_PROCESS ||
	    !vitrine_archive_process(feed_archive(cut->feed), process, &name))
		return true;
	mend_name(cut, process, &name);
	return fxt_out_name_process(cut->out, process, &name);
}

static bool name_stand_in(struct cut *cut, uint64_t thread, const char *text)
{
	const struct vitrine_fxt_string name = { text, strlen(text) };

	return fxt_out_name_thread(cut->out, thread, 0, &name);
}

/* Name a thread of the trace the first time; false without memory. */
static bool name_thread(struct cut *cut, const struct vitrine_fxt_thread *thread)
{
	uint64_t process = thread->process, own = VITRINE_FXT_NO_PROCESS;
	struct vitrine_fxt_string name = { 0 };
	bool good;

	if (fxt_is_others(thread->thread))
		return name_stand_in(cut, thread->thread, FXT_OTHERS_NAME);
	if (!fxt_names_first(&cut->told, thread->thread, &good))
		return good;
	vitrine_archive_thread(feed_archive(cut->feed), thread->thread, &name,
			       &own);
	if (process == VITRINE_FXT_NO_PROCESS)
		process = own;
	mend_name(cut, process, &name);
	return name_process(cut, process) &&
	       fxt_out_name_thread(cut->out, thread->thread, process, &name);
}

/* Replace a thread that was not chosen; idle stays. Return whether it was chosen. */
static bool stand_in(const struct cut *cut, uint32_t cpu, struct vitrine_fxt_thread *thread)
{
	if (is_chosen(cut, thread))
		return true;
	if (thread->thread)
		*thread = (struct vitrine_fxt_thread){ .thread = FXT_OTHERS_THREAD(cpu) };
	return false;
}

/* ---- Writing ------------------------------------------------------------------------ */

static struct vitrine_error *put(struct cut *cut, uint32_t cpu)
{
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	err = fxt_lane_out_of(cut->out, cut->record.provider, cpu, &lane);
	return err ? err : fxt_lane_out_put(lane, &cut->record);
}

/* Write that a thread came in, or went out, at the edge of the cut. The others go on. */
static struct vitrine_error *put_edge(struct cut *cut, uint32_t cpu, uint64_t ns,
				      bool is_begin)
{
	const struct cut_cpu *on = &cut->cpus[cpu];
	struct vitrine_fxt_thread running = on->running, other = { 0 };

	if (!on->known || !record_filter_match_cpu(&cut->args->filter, cpu))
		return NULL;
	if (by_thread(cut))
		stand_in(cut, cpu, &running);
	if (fxt_is_others(running.thread))
		other = running;
	if (!name_thread(cut, &running))
		return vtr_error_no_memory();
	cut->record = (struct vitrine_fxt_record){
		.kind = VITRINE_FXT_SWITCH,
		.timed = true,
		.ticks = ns,
		.ticks_per_second = NSEC_PER_SEC,
		.cpu = cpu,
		.context_switch = {
			.outgoing = is_begin ? other : running,
			.incoming = is_begin ? running : other,
			.outgoing_priority = is_begin ? 0 : on->priority,
			.incoming_priority = is_begin ? on->priority : 0,
			.legacy = true,
		},
	};
	return put(cut, cpu);
}

static struct vitrine_error *put_edges(struct cut *cut, uint64_t ns, bool is_begin)
{
	struct vitrine_error *err = NULL;
	uint32_t cpu;

	for (cpu = 0; !err && cpu < cut->nr_cpus; cpu++)
		err = put_edge(cut, cpu, ns, is_begin);
	return err;
}

static void add_items(struct cut *cut, const char *name,
		      const char * const *items, unsigned int nr, char *buffer)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < nr && len < ITEMS_BYTES; i++)
		len += snprintf(buffer + len, ITEMS_BYTES - len, "%s%s",
				i ? "," : "", items[i]);
	if (nr)
		fxt_add_arg(&cut->record, FXT_ARG_STRING_REF, name)->value.string =
			(struct vitrine_fxt_string){ buffer, strlen(buffer) };
}

static void add_cpus(struct cut *cut, char *buffer)
{
	const struct record_filter *filter = &cut->args->filter;
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < filter->nr_cpus && len < ITEMS_BYTES; i++)
		len += snprintf(buffer + len, ITEMS_BYTES - len,
				filter->cpus[i].first == filter->cpus[i].last ?
				"%s%u" : "%s%u-%u", i ? "," : "",
				filter->cpus[i].first, filter->cpus[i].last);
	if (filter->nr_cpus)
		fxt_add_arg(&cut->record, FXT_ARG_STRING_REF, "cpus")->value.string =
			(struct vitrine_fxt_string){ buffer, strlen(buffer) };
}

static void begin_statement(struct cut *cut, const char *name, uint32_t cpu, uint64_t ns)
{
	cut->record = (struct vitrine_fxt_record){
		.kind = VITRINE_FXT_EVENT,
		.timed = true,
		.ticks = ns,
		.ticks_per_second = NSEC_PER_SEC,
		.cpu = cpu,
		.event = {
			.type = FXT_EVENT_INSTANT,
			.thread.thread = FILE_THREAD,
			.category = { "vitrine", 7 },
			.name = { name, strlen(name) },
		},
	};
}

static struct vitrine_error *put_statement(struct cut *cut)
{
	if (!name_stand_in(cut, FILE_THREAD, "file"))
		return vtr_error_no_memory();
	return put(cut, cut->record.cpu);
}

/* State in the file what was left out on purpose. */
static struct vitrine_error *put_note(struct cut *cut, uint64_t ns)
{
	const struct record_filter *filter = &cut->args->filter;
	char cpus[ITEMS_BYTES], processes[ITEMS_BYTES], threads[ITEMS_BYTES];
	char cgroup[ITEMS_BYTES];
	struct vitrine_fxt_record *record = &cut->record;

	begin_statement(cut, "left_out", VITRINE_FXT_NO_CPU, ns);
	if (filter->from_ns)
		fxt_add_arg(record, FXT_ARG_UINT64, "from_ns")->value.uint64 =
			filter->from_ns;
	if (filter->to_ns != UINT64_MAX)
		fxt_add_arg(record, FXT_ARG_UINT64, "to_ns")->value.uint64 =
			filter->to_ns;
	add_cpus(cut, cpus);
	add_items(cut, "processes", filter->processes, filter->nr_processes,
		  processes);
	add_items(cut, "cgroup", &cut->args->cgroup, !!cut->args->cgroup, cgroup);
	add_items(cut, "threads", filter->threads, filter->nr_threads, threads);
	if (cut->args->anonymise) {
		fxt_add_arg(record, FXT_ARG_BOOL, "anonymised")->value.boolean = true;
		anonymise_record(&cut->anonymiser, record);
	}
	return put_statement(cut);
}

/* State from or until when the whole trace has the records of a CPU, or, without one, all. */
static struct vitrine_error *put_extent(struct cut *cut, uint32_t cpu, uint64_t ns)
{
	begin_statement(cut, "extent", cpu, ns);
	return put_statement(cut);
}

/* Before the first record that is not too early. */
static struct vitrine_error *begin(struct cut *cut, uint64_t ns)
{
	uint64_t from_ns = cut->args->filter.from_ns;
	struct vitrine_error *err;

	if (cut->begun)
		return NULL;
	cut->begun = true;
	err = put_note(cut, from_ns ? from_ns : ns);
	return err ? err : put_edges(cut, from_ns, true);
}

/* ---- Records -------------------------------------------------------------------------- */

/* Choose one side of a switch, and replace a thread that was not chosen. */
static bool choose_side(const struct cut *cut, const struct vitrine_fxt_record *record,
			struct vitrine_fxt_thread *thread, const char *weight)
{
	if (fxt_is_idle(record, thread, weight) && !is_chosen(cut, thread))
		*thread = (struct vitrine_fxt_thread){ 0 };
	return stand_in(cut, record->cpu, thread);
}

/*
 * Choose a switch, and replace the threads that were not chosen. The first switch of a CPU is
 * kept, as it tells what ran.
 */
static bool choose_switch(const struct cut *cut, struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread *outgoing = &record->context_switch.outgoing;
	struct vitrine_fxt_thread *incoming = &record->context_switch.incoming;
	bool out = choose_side(cut, record, outgoing, "outgoing_weight");
	bool in = choose_side(cut, record, incoming, "incoming_weight");

	return out || in || outgoing->thread != incoming->thread ||
	       record->cpu >= cut->nr_cpus || !cut->cpus[record->cpu].known;
}

/*
 * Choose a wakeup, and replace a waker that was not chosen. The waker is the thread that runs
 * on the CPU, if the trace does not tell.
 */
static bool choose_wakeup(const struct cut *cut, struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread waker = { .process = VITRINE_FXT_NO_PROCESS };
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "waker");
	bool told = arg && arg->type == FXT_ARG_KOID;

	if (!is_chosen(cut, &record->wakeup))
		return false;
	if (told)
		waker.thread = arg->value.uint64;
	else if (record->cpu < cut->nr_cpus && cut->cpus[record->cpu].known)
		waker = cut->cpus[record->cpu].running;
	else
		return true;
	stand_in(cut, record->cpu, &waker);
	if (told)
		record->args[arg - record->args].value.uint64 = waker.thread;
	else if (record->nr_args < MAX_ARGS)
		fxt_add_arg(record, FXT_ARG_KOID, "waker")->value.uint64 =
			waker.thread;
	return true;
}

/*
 * Check for what happens to a CPU, whichever thread it comes upon: an interrupt, the completion
 * of a request to a disk, the number of stacks that the recorder left out.
 */
static bool is_of_cpu(const struct vitrine_fxt_record *record)
{
	if (record->cpu == VITRINE_FXT_NO_CPU)
		return false;
	return sched_is_interrupt(record) ||
	       (record->event.type == FXT_EVENT_ASYNC_END &&
		fxt_string_is(&record->event.category, "block")) ||
	       (record->event.type == FXT_EVENT_COUNTER &&
		fxt_string_is(&record->event.category, "stacks"));
}

/* In an event "runnable", replace the thread that had the CPU. */
static void replace_holder(const struct cut *cut, struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread holder = { .process = VITRINE_FXT_NO_PROCESS };
	struct vitrine_fxt_arg *arg;
	unsigned int i;

	for (i = 0; i < record->nr_args; i++) {
		arg = &record->args[i];
		if (!fxt_string_is(&arg->name, "holder_tid") || arg->type != FXT_ARG_UINT64)
			continue;
		holder.thread = arg->value.uint64;
		stand_in(cut, record->cpu, &holder);
		arg->value.uint64 = holder.thread;
	}
	for (i = 0; fxt_is_others(holder.thread) && i < record->nr_args; i++) {
		arg = &record->args[i];
		if (fxt_string_is(&arg->name, "holder") && arg->type == FXT_ARG_STRING_REF)
			arg->value.string = (struct vitrine_fxt_string){
				FXT_OTHERS_NAME, strlen(FXT_OTHERS_NAME)
			};
	}
}

static bool choose_event(const struct cut *cut, struct vitrine_fxt_record *record)
{
	if (fxt_string_is(&record->event.category, "stacks"))
		replace_holder(cut, record);
	return is_chosen(cut, &record->event.thread) ||
	       (is_of_cpu(record) && !stand_in(cut, record->cpu, &record->event.thread));
}

/* Write that records of a CPU are lost after its last record. */
static struct vitrine_error *put_lost(struct cut *cut, uint32_t cpu, uint64_t nr)
{
	struct fxt_lane_out *lane;
	struct vitrine_error *err = NULL;

	if (by_thread(cut) && cpu < cut->nr_cpus && cut->cpus[cpu].seen &&
	    cut->cpus[cpu].last_ns >= cut->args->filter.from_ns)
		err = put_extent(cut, cpu, cut->cpus[cpu].last_ns);
	if (!err)
		err = fxt_lane_out_get(cut->out, cpu, &lane);
	return err ? err : fxt_lane_out_lost(lane, nr);
}

/* Check for a switch from a thread that was not running, which the stand-in would hide. */
static bool is_hidden_break(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	const struct cut_cpu *cpu = &cut->cpus[record->cpu];
	struct vitrine_fxt_thread running = cpu->running;
	struct vitrine_fxt_thread outgoing = record->context_switch.outgoing;

	if (record->kind != VITRINE_FXT_SWITCH || !cpu->known ||
	    running.thread == outgoing.thread)
		return false;
	stand_in(cut, record->cpu, &running);
	choose_side(cut, record, &outgoing, "outgoing_weight");
	return running.thread && running.thread == outgoing.thread;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Before the first record of a CPU, state whether older ones are missing. With a choice of
 * threads the record itself may be left out: state that it was there.
 */
static struct vitrine_error *begin_cpu(struct cut *cut, const struct vitrine_fxt_record *record,
				       uint64_t ns)
{
	struct vitrine_error *err = NULL;
	struct fxt_lane_out *lane;
	struct cut_cpu *cpu;

	if (!is_of_ring(cut, record) ||
	    !record_filter_match_cpu(&cut->args->filter, record->cpu))
		return NULL;
	cpu = cpu_get(cut, record->cpu);
	if (!cpu)
		return vtr_error_no_memory();
	if (by_thread(cut) && is_hidden_break(cut, record)) {
		cut->nr_breaks++;
		err = put_lost(cut, record->cpu, 1);
		*cpu = (struct cut_cpu){ 0 };
	}
	if (err || cpu->seen)
		return err;
	err = fxt_lane_out_get(cut->out, record->cpu, &lane);
	if (err)
		return err;
	if (cpu->nr_lost)
		fxt_lane_out_before(lane, cpu->nr_lost, ns);
	else
		fxt_lane_out_before(lane, cut->item.stream->nr_before,
				    later(cut->item.stream->begin_ns, cut->args->filter.from_ns));
	return by_thread(cut) ? put_extent(cut, record->cpu, ns) : NULL;
}

/* Choose a record by its threads. */
static bool choose(const struct cut *cut, struct vitrine_fxt_record *record)
{
	if (!by_thread(cut) || is_own_event(record))
		return true;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return choose_switch(cut, record);
	case VITRINE_FXT_WAKEUP:
		return choose_wakeup(cut, record);
	case VITRINE_FXT_EVENT:
		return choose_event(cut, record);
	case VITRINE_FXT_LOG:
		return is_chosen(cut, &record->log.thread);
	case VITRINE_FXT_LARGE_BLOB:
		return is_chosen(cut, &record->large_blob.thread);
	default:
		return false;
	}
}

static bool name_waker(struct cut *cut, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "waker");
	struct vitrine_fxt_thread waker = { .process = VITRINE_FXT_NO_PROCESS };

	if (!arg || arg->type != FXT_ARG_KOID)
		return true;
	waker.thread = arg->value.uint64;
	return name_thread(cut, &waker);
}

static bool name_threads(struct cut *cut, const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return name_thread(cut, &record->context_switch.incoming) &&
		       name_thread(cut, &record->context_switch.outgoing);
	case VITRINE_FXT_WAKEUP:
		return name_thread(cut, &record->wakeup) && name_waker(cut, record);
	case VITRINE_FXT_EVENT:
		return name_thread(cut, &record->event.thread);
	case VITRINE_FXT_LOG:
		return name_thread(cut, &record->log.thread);
	case VITRINE_FXT_LARGE_BLOB:
		return name_thread(cut, &record->large_blob.thread);
	default:
		return true;
	}
}

static bool is_known(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_LARGE_BLOB)
		return !cut->args->anonymise;
	return record->kind != VITRINE_FXT_UNKNOWN &&
	       (record->kind != VITRINE_FXT_EVENT ||
		record->event.type <= FXT_EVENT_FLOW_END);
}

static void copy_record(struct cut *cut, uint64_t ns)
{
	struct vitrine_fxt_record *record = &cut->record;
	uint64_t end;

	*record = *cut->item.record;
	if (record->kind == VITRINE_FXT_EVENT &&
	    record->event.type == FXT_EVENT_DURATION_COMPLETE) {
		end = vitrine_fxt_ns(record->event.id, record->ticks_per_second);
		record->event.id = end < FEED_LAST_NS ? end : FEED_LAST_NS;
	}
	record->ticks = ns;
	record->ticks_per_second = NSEC_PER_SEC;
}

static bool is_cpu_wanted(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	return record_filter_match_cpu(&cut->args->filter, record->cpu) ||
	       (is_own_event(record) && record->cpu == VITRINE_FXT_NO_CPU);
}

static struct vitrine_error *put_record(struct cut *cut, uint64_t ns)
{
	struct vitrine_fxt_record *record = &cut->record;
	struct vitrine_error *err;

	if (!is_known(cut, cut->item.record)) {
		left_out_record(&cut->left_out, cut->item.record);
		return NULL;
	}
	err = begin(cut, ns);
	if (!err)
		err = begin_cpu(cut, cut->item.record, ns);
	if (err)
		return err;
	anonymise_begin(&cut->anonymiser);
	copy_record(cut, ns);
	if (!is_cpu_wanted(cut, record) || !choose(cut, record))
		return NULL;
	if (!name_threads(cut, record))
		return vtr_error_no_memory();
	if (cut->args->anonymise)
		anonymise_record(&cut->anonymiser, record);
	return put(cut, cut->item.stream->cpu);
}

/* Keep what an earlier cut says of itself, whatever its time. */
static bool is_note(const struct vitrine_fxt_record *record)
{
	return is_own_event(record) && fxt_string_is(&record->event.name, "left_out");
}

static struct vitrine_error *process_record(struct cut *cut)
{
	const struct vitrine_fxt_record *record = cut->item.record;
	uint64_t from_ns = cut->args->filter.from_ns;
	struct vitrine_error *err = NULL;

	if (!follow_fork(cut, record))
		return vtr_error_no_memory();
	if (cut->item.ns >= from_ns)
		err = put_record(cut, cut->item.ns);
	else if (is_note(record))
		err = put_record(cut, from_ns);
	if (!err && !follow_record(cut, record))
		err = vtr_error_no_memory();
	return err;
}

static struct vitrine_error *process_lost(struct cut *cut)
{
	uint32_t cpu = cut->item.stream->cpu;
	uint64_t nr_lost = cut->item.lost->nr_lost;
	struct vitrine_error *err = NULL;

	if (cut->item.ns >= cut->args->filter.from_ns &&
	    record_filter_match_cpu(&cut->args->filter, cpu))
		err = put_lost(cut, cpu, nr_lost);
	if (cpu < cut->nr_cpus)
		cut->cpus[cpu] = (struct cut_cpu){ .nr_lost = nr_lost };
	return err;
}

/* The switches do not break where events of ftrace are lost. */
static struct vitrine_error *process_lost_events(struct cut *cut)
{
	const struct feed_stream *stream = cut->item.stream;
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	if (cut->item.ns < cut->args->filter.from_ns ||
	    !record_filter_match_cpu(&cut->args->filter, stream->cpu))
		return NULL;
	err = fxt_lane_out_of(cut->out, stream->provider, stream->cpu, &lane);
	return err ? err : fxt_lane_out_lost(lane, cut->item.lost->nr_lost);
}

/* With a choice of threads, objects of others are left out, and so is what has no thread. */
static bool is_untimed_wanted(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread process = {
		record->userspace_object.process, record->userspace_object.process
	};

	if (cut->item.ns < cut->args->filter.from_ns ||
	    !record_filter_match_cpu(&cut->args->filter, record->cpu))
		return false;
	return !by_thread(cut) || record->kind == VITRINE_FXT_PROVIDER_EVENT ||
	       (record->kind == VITRINE_FXT_USERSPACE_OBJECT && is_chosen(cut, &process));
}

/* Names and contents of blobs and objects may be secret. */
static bool is_untimed_known(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	return left_out_is_content(record) &&
	       (!cut->args->anonymise || record->kind == VITRINE_FXT_PROVIDER_EVENT);
}

static struct vitrine_error *process_untimed(struct cut *cut)
{
	const struct vitrine_fxt_record *record = cut->item.record;

	if (!is_untimed_known(cut, record)) {
		left_out_untimed(&cut->left_out, record);
		return NULL;
	}
	if (!is_untimed_wanted(cut, record))
		return NULL;
	cut->record = *record;
	return put(cut, record->cpu);
}

static struct vitrine_error *process_item(struct cut *cut)
{
	switch (cut->item.kind) {
	case FEED_RECORD:
		return process_record(cut);
	case FEED_LOST:
		return fxt_is_tracefs(cut->item.stream->provider) ?
			       process_lost_events(cut) : process_lost(cut);
	case FEED_UNTIMED:
		return process_untimed(cut);
	default:
		return NULL;
	}
}

/* Write everything up to the end of the cut. */
static struct vitrine_error *cut_range(struct cut *cut)
{
	uint64_t to_ns = cut->args->filter.to_ns;
	struct vitrine_error *err;

	for (;;) {
		err = feed_next(cut->feed, &cut->item);
		if (err)
			return err;
		if (cut->item.kind == FEED_END)
			return cut->begun && by_thread(cut) ?
				       put_extent(cut, VITRINE_FXT_NO_CPU, cut->last_ns) : NULL;
		if (cut->item.kind == FEED_RECORD)
			cut->last_ns = cut->item.ns;
		if (cut->item.ns > to_ns)
			break;
		err = process_item(cut);
		if (err)
			return err;
	}
	err = begin(cut, to_ns);
	return err ? err : put_edges(cut, to_ns, false);
}

static struct vitrine_error *cut_all(struct cut *cut)
{
	struct vitrine_error *err = cut_range(cut);

	/* What runs behind the end is unknown, but what was left out is stated there, too. */
	if (!err && !cut->begun)
		err = put_note(cut, cut->args->filter.from_ns);
	return err ? err : fxt_out_commit(cut->out);
}

static bool add_pids(struct cut *cut)
{
	struct fxt_name *process;
	size_t i;

	for (i = 0; i < cut->args->nr_pids; i++) {
		process = fxt_names_get(&cut->children, cut->args->pids[i]);
		if (!process)
			return false;
		process->used = true;
	}
	return true;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static struct vitrine_error *open_all(struct cut *cut)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = &cut->faults,
	};
	const struct selection selection = { .filter = &cut->args->filter };
	struct vitrine_error *err;
	uint64_t realtime_ns = 0;

	err = anonymise_init(&cut->anonymiser);
	if (!err && !add_pids(cut))
		err = vtr_error_no_memory();
	if (err)
		return err;
	err = input_open(&cut->input, cut->args->path);
	cut->faults.path = cut->input.name;
	if (!err)
		err = feed_create(cut->input.path, &report, &cut->feed);
	if (!err)
		faults_end(&cut->faults);
	if (!err && cut->args->must_select)
		err = selection_check(&selection, cut->input.path, cut->input.name,
				      &cut->status);
	err = input_blame(&cut->input, err);
	if (err)
		return err;
	feed_realtime(cut->feed, &realtime_ns);
	return fxt_out_create(cut->args->out, realtime_ns, &cut->out);
}

static void print_counts(const struct cut *cut)
{
	struct fxt_out_counts counts = fxt_out_counts(cut->out);
	const char *path = cut->faults.path;

	counts.nr_breaks += cut->nr_breaks;
	left_out_print(&cut->left_out, path,
		       cut->args->anonymise ? "an anonymised trace" : "a cut trace",
		       stderr);
	left_out_note(path, counts.nr_refused, "records are too long", stderr);
	left_out_note_fxt(&counts, path, stderr);
}

/**
 * cut_run() - write a part of a trace
 * @args: the options
 *
 * Return: enum exit_code.
 */
int cut_run(const struct cut_args *args)
{
	struct cut cut = { .args = args };
	struct vitrine_error *err;
	int status;

	err = open_all(&cut);
	if (!err)
		err = cut_all(&cut);
	if (!err)
		print_counts(&cut);
	status = cut.faults.nr ? EXIT_BAD_INPUT : cut.status;
	feed_destroy(cut.feed);
	input_close(&cut.input);
	fxt_names_deinit(&cut.told);
	fxt_names_deinit(&cut.children);
	free(cut.cpus);
	fxt_out_destroy(cut.out);
	return err ? report_error(err) : status;
}
