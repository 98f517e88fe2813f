// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine cut': write a part of a trace as a trace of its own.
 *
 * The switches of a CPU stay a chain. With a choice of threads, one thread of each CPU stands
 * for all others, and switches between two of these are not written; idle stays idle, so that
 * it is known how busy each CPU was. Events "extent" state the time for which the whole trace
 * has the records of a CPU. A cut in time begins and ends as a recording does, with a switch to
 * what was running, and one from it. The trace is read once, in time order, so memory does not
 * grow with its length.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "fxt_names.h"
#include "fxt_field.h"
#include "sched/sched_state.h"
#include "sched/trace_input.h"
#include "anonymise.h"
#include "cut.h"
#include "rewrite.h"

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
 * @archive: the trace
 * @item: the current item
 * @cpus: all CPUs that had a record
 * @nr_cpus: size of @cpus
 * @children: processes that were given or that a chosen process has forked, and others
 *	that were forked; the former are "used"
 * @anonymiser: makes the tokens
 * @statement: a record that the trace does not have
 * @begun: the first record has been written
 * @last_ns: time of the last record with a time
 * @status: EXIT_BAD_INPUT if a filter selects nothing, though others do
 */
struct cut {
	const struct cut_args *args;
	const struct vitrine_archive *archive;
	const struct archive_item *item;
	struct cut_cpu *cpus;
	uint32_t nr_cpus;
	struct fxt_names children;
	struct anonymiser anonymiser;
	struct vitrine_fxt_record statement;
	bool begun;
	uint64_t last_ns;
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
	const struct vitrine_archive *archive = cut->archive;
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
static void follow_fork(struct cut *cut, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *process;
	struct fxt_name *child;

	if (!by_process(cut) || record->kind != VITRINE_FXT_EVENT ||
	    !fxt_string_is(&record->event.category, "sched") ||
	    !fxt_string_is(&record->event.name, "fork"))
		return;
	process = fxt_find_typed(record, "process", FXT_ARG_KOID);
	if (!process ||
	    process->value.uint64 == record_process(cut->archive,
						    &record->event.thread))
		return;
	child = fxt_names_get(&cut->children, process->value.uint64);
	must_have(child);
	child->used = is_chosen(cut, &record->event.thread);
}

/* ---- What runs ------------------------------------------------------------------ */

static struct cut_cpu *cpu_get(struct cut *cut, uint32_t cpu)
{
	must_have(GROW_TO(cut->cpus, cut->nr_cpus, cpu));
	return &cut->cpus[cpu];
}

/* Check for a record of a ring, other than the begin of what began before the ring. */
static bool is_of_ring(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	return record->cpu != VITRINE_FXT_NO_CPU && !fxt_is_tracefs(record->provider) &&
	       cut->item->ns >= rewrite_cpu(record->cpu).begin_ns;
}

/* Follow a record of a ring. */
static void follow_record(struct cut *cut, const struct vitrine_fxt_record *record)
{
	struct cut_cpu *cpu;

	if (!is_of_ring(cut, record))
		return;
	cpu = cpu_get(cut, record->cpu);
	cpu->seen = true;
	cpu->last_ns = cut->item->ns;
	if (record->kind != VITRINE_FXT_SWITCH)
		return;
	cpu->known = true;
	cpu->running = record->context_switch.incoming;
	if (fxt_is_idle(record, &cpu->running, "incoming_weight"))
		cpu->running = (struct vitrine_fxt_thread){ 0 };
	cpu->priority = fxt_incoming_priority(record);
}

/* ---- Names ------------------------------------------------------------------------ */

/* Names that the kernel and vitrine give to threads are no secret. */
static bool is_secret(const struct cut *cut, uint64_t process,
		      const struct vitrine_fxt_string *name)
{
	static const char * const ours[] = { "idle", "lost", FXT_OTHERS_NAME, "file" };
	struct vitrine_fxt_string parent;
	size_t i;

	for (i = 0; i < ARRAY_LEN(ours); i++)
		if (fxt_string_is(name, ours[i]))
			return false;
	return !(process == KTHREADD &&
		 vitrine_archive_process(cut->archive, process, &parent) &&
		 fxt_string_is(&parent, "kthreadd"));
}

static void rename_thread(void *ctx, uint64_t process, struct vitrine_fxt_string *name)
{
	struct cut *cut = ctx;

	if (is_secret(cut, process, name))
		*name = anonymise_name(&cut->anonymiser, name);
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

/* Write that a thread came in, or went out, at the edge of the cut. The others go on. */
static void put_edge(struct cut *cut, uint32_t cpu, uint64_t ns, bool is_begin)
{
	const struct cut_cpu *on = &cut->cpus[cpu];
	struct vitrine_fxt_thread running = on->running, other = { 0 };

	if (!on->known || !record_filter_match_cpu(&cut->args->filter, cpu))
		return;
	if (by_thread(cut))
		stand_in(cut, cpu, &running);
	if (fxt_is_others(running.thread))
		other = running;
	anonymise_begin(&cut->anonymiser);
	rewrite_name_thread(&running);
	cut->statement = (struct vitrine_fxt_record){
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
	rewrite_put(&cut->statement);
}

static void put_edges(struct cut *cut, uint64_t ns, bool is_begin)
{
	uint32_t cpu;

	for (cpu = 0; cpu < cut->nr_cpus; cpu++)
		put_edge(cut, cpu, ns, is_begin);
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
		fxt_add_arg(&cut->statement, FXT_ARG_STRING_REF, name)->value.string =
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
		fxt_add_arg(&cut->statement, FXT_ARG_STRING_REF, "cpus")->value.string =
			(struct vitrine_fxt_string){ buffer, strlen(buffer) };
}

static void begin_statement(struct cut *cut, const char *name, uint32_t cpu, uint64_t ns)
{
	cut->statement = (struct vitrine_fxt_record){
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

static void put_statement(struct cut *cut)
{
	rewrite_name(FILE_THREAD, "file");
	rewrite_put(&cut->statement);
}

/* State in the file what was left out on purpose. */
static void put_note(struct cut *cut, uint64_t ns)
{
	const struct record_filter *filter = &cut->args->filter;
	char cpus[ITEMS_BYTES], processes[ITEMS_BYTES], threads[ITEMS_BYTES];
	char cgroup[ITEMS_BYTES];
	struct vitrine_fxt_record *record = &cut->statement;

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
	put_statement(cut);
}

/* State from or until when the whole trace has the records of a CPU, or, without one, all. */
static void put_extent(struct cut *cut, uint32_t cpu, uint64_t ns)
{
	begin_statement(cut, "extent", cpu, ns);
	put_statement(cut);
}

/* Before the first record that is not too early. */
static void begin(struct cut *cut, uint64_t ns)
{
	uint64_t from_ns = cut->args->filter.from_ns;

	if (cut->begun)
		return;
	cut->begun = true;
	put_note(cut, from_ns ? from_ns : ns);
	put_edges(cut, from_ns, true);
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
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, "waker", FXT_ARG_KOID);

	if (!is_chosen(cut, &record->wakeup))
		return false;
	if (arg)
		waker.thread = arg->value.uint64;
	else if (record->cpu < cut->nr_cpus && cut->cpus[record->cpu].known)
		waker = cut->cpus[record->cpu].running;
	else
		return true;
	stand_in(cut, record->cpu, &waker);
	if (arg)
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

static bool choose_event(const struct cut *cut, struct vitrine_fxt_record *record)
{
	return is_chosen(cut, &record->event.thread) ||
	       (is_of_cpu(record) && !stand_in(cut, record->cpu, &record->event.thread));
}

/* Write that records of a CPU are lost after its last record. */
static void put_lost(struct cut *cut, uint32_t cpu, uint64_t nr)
{
	if (by_thread(cut) && cpu < cut->nr_cpus && cut->cpus[cpu].seen &&
	    cut->cpus[cpu].last_ns >= cut->args->filter.from_ns)
		put_extent(cut, cpu, cut->cpus[cpu].last_ns);
	rewrite_lost(0, cpu, nr);
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
static void begin_cpu(struct cut *cut, const struct vitrine_fxt_record *record, uint64_t ns)
{
	struct rewrite_cpu before;
	struct cut_cpu *cpu;

	if (!is_of_ring(cut, record) ||
	    !record_filter_match_cpu(&cut->args->filter, record->cpu))
		return;
	cpu = cpu_get(cut, record->cpu);
	if (by_thread(cut) && is_hidden_break(cut, record)) {
		rewrite_break();
		put_lost(cut, record->cpu, 1);
		*cpu = (struct cut_cpu){ 0 };
	}
	if (cpu->seen)
		return;
	before = rewrite_cpu(record->cpu);
	if (cpu->nr_lost)
		rewrite_before(record->cpu, cpu->nr_lost, ns);
	else
		rewrite_before(record->cpu, before.nr_before,
			       later(before.begin_ns, cut->args->filter.from_ns));
	if (by_thread(cut))
		put_extent(cut, record->cpu, ns);
}

/* Choose a record by its threads. */
static bool choose_threads(const struct cut *cut, struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;

	if (!by_thread(cut) || is_own_event(record))
		return true;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return choose_switch(cut, record);
	case VITRINE_FXT_WAKEUP:
		return choose_wakeup(cut, record);
	case VITRINE_FXT_EVENT:
		return choose_event(cut, record);
	default:
		thread = fxt_thread_of(record, 0);
		return thread && is_chosen(cut, thread);
	}
}

static bool is_cpu_wanted(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	return record_filter_match_cpu(&cut->args->filter, record->cpu) ||
	       (is_own_event(record) && record->cpu == VITRINE_FXT_NO_CPU);
}

/* With a choice of threads, objects of others are left out, and so is what has no thread. */
static bool is_untimed_wanted(const struct cut *cut, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread process = {
		record->userspace_object.process, record->userspace_object.process
	};

	if (cut->item->ns < cut->args->filter.from_ns ||
	    !record_filter_match_cpu(&cut->args->filter, record->cpu))
		return false;
	return !by_thread(cut) || record->kind == VITRINE_FXT_PROVIDER_EVENT ||
	       (record->kind == VITRINE_FXT_USERSPACE_OBJECT && is_chosen(cut, &process));
}

static bool choose(void *ctx, struct vitrine_fxt_record *record)
{
	struct cut *cut = ctx;

	if (!record->timed)
		return is_untimed_wanted(cut, record);
	begin(cut, record->ticks);
	begin_cpu(cut, record, record->ticks);
	anonymise_begin(&cut->anonymiser);
	return is_cpu_wanted(cut, record) && choose_threads(cut, record);
}

static void edit(void *ctx, struct vitrine_fxt_record *record)
{
	struct cut *cut = ctx;

	anonymise_record(&cut->anonymiser, record);
}

/* Keep what an earlier cut says of itself, whatever its time. */
static bool is_note(const struct vitrine_fxt_record *record)
{
	return is_own_event(record) && fxt_string_is(&record->event.name, "left_out");
}

static void process_record(struct cut *cut)
{
	const struct vitrine_fxt_record *record = cut->item->record;
	struct archive_item item = *cut->item;

	follow_fork(cut, record);
	if (is_note(record))
		item.ns = later(item.ns, cut->args->filter.from_ns);
	if (item.ns >= cut->args->filter.from_ns)
		rewrite_item(&item);
	follow_record(cut, record);
}

static void process_lost(struct cut *cut)
{
	const struct archive_item *item = cut->item;
	const uint64_t nr_lost = item->loss.nr_missing + item->loss.nr_unwritten;
	const uint32_t cpu = item->packet->cpu;
	const bool is_wanted = item->ns >= cut->args->filter.from_ns &&
			       record_filter_match_cpu(&cut->args->filter, cpu);

	if (!nr_lost && !item->loss.nr_subbufs)
		return;
	/* The switches do not break where events of ftrace are lost. */
	if (fxt_is_tracefs(item->record->provider)) {
		if (is_wanted)
			rewrite_item(item);
		return;
	}
	if (is_wanted)
		put_lost(cut, cpu, nr_lost);
	if (cpu < cut->nr_cpus)
		cut->cpus[cpu] = (struct cut_cpu){ .nr_lost = nr_lost };
}

static void end(struct cut *cut)
{
	if (cut->begun && by_thread(cut))
		put_extent(cut, VITRINE_FXT_NO_CPU, cut->last_ns);
	/* What runs behind the end is unknown, but what was left out is stated there, too. */
	if (!cut->begun)
		put_note(cut, cut->args->filter.from_ns);
}

static bool process_item(void *ctx, const struct archive_item *item)
{
	struct cut *cut = ctx;
	const uint64_t to_ns = cut->args->filter.to_ns;

	cut->item = item;
	if (!item->record) {
		end(cut);
		return false;
	}
	if (item->record->timed)
		cut->last_ns = item->ns;
	if (item->ns > to_ns) {
		begin(cut, to_ns);
		put_edges(cut, to_ns, false);
		return false;
	}
	if (item->record->timed)
		process_record(cut);
	else if (item->packet)
		process_lost(cut);
	else
		rewrite_item(item);
	return true;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static void begin_trace(void *ctx, struct vitrine_archive *archive, const char *name)
{
	struct cut *cut = ctx;
	const struct selection selection = { .filter = &cut->args->filter };
	struct fxt_name *process;
	size_t i;

	cut->archive = archive;
	must(anonymise_init(&cut->anonymiser));
	for (i = 0; i < cut->args->nr_pids; i++) {
		process = fxt_names_get(&cut->children, cut->args->pids[i]);
		must_have(process);
		process->used = true;
	}
	if (cut->args->must_select)
		must(selection_check(&selection, archive, name, &cut->status));
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
	char *paths[1] = { (char *)args->path };
	const struct rewrite rewrite = {
		.paths = paths,
		.nr_paths = 1,
		.out = args->out,
		.what = args->anonymise ? "an anonymised trace" : "a cut trace",
		.is_secret = args->anonymise,
		.begin = begin_trace,
		.step = process_item,
		.choose = choose,
		.rename = args->anonymise ? rename_thread : NULL,
		.edit = args->anonymise ? edit : NULL,
		.ctx = &cut,
	};
	int status = rewrite_run(&rewrite);

	fxt_names_deinit(&cut.children);
	free(cut.cpus);
	return status == EXIT_DONE ? cut.status : status;
}

/* ---- Options ----------------------------------------------------------- */

static struct cut_args args;

static const struct command_option options[] = {
	{ "output", 'o', "OUT", "Write the part to OUT", .text = &args.out,
	  .is_needed = true },
	{ "anonymise", 0, NULL, "Replace names and texts by tokens", .flag = &args.anonymise },
	{ .help = "Filters:" },
	{ "from", RECORD_FILTER_FROM, "TIME",
	  .help = "Start at TIME, such as 1234.5 (seconds) or 5ms" },
	{ "to", RECORD_FILTER_TO, "TIME", .help = "End at TIME" },
	{ "cpu", 'c', "LIST", .help = "Keep CPUs, such as 0,2-3" },
	{ NULL, 'C', .flags = OPTION_ALIAS },
	{ "process", 'p', "PID|NAME", .help = "Keep the threads of a process and its children" },
	{ "thread", 't', "TID|NAME", .help = "Keep a thread, on either side of a switch" },
	{ 0 }
};

static void check_args(struct argp_state *state)
{
	const struct record_filter *filter = &args.filter;

	if (!filter->from_ns && filter->to_ns == UINT64_MAX && !filter->nr_cpus &&
	    !filter->nr_processes && !filter->nr_threads && !args.anonymise)
		argp_error(state, "nothing to leave out; give a filter or --anonymise");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	return record_filter_parse(&args.filter, key, arg, state);
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.operand = &args.path,
	.operand_name = "FILE",
	.is_needed = true,
	.args_doc = "FILE -o OUT",
	.doc = "Write a part of a trace, perhaps anonymised.\n"
	       "\013A record is kept if it matches all filters. If a filter is given several\n"
	       "times, one of its values must match. \"-\" as FILE is standard input, and as\n"
	       "OUT standard output.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine cut load.fxt --from 1234.50 --to 1234.52 -o spike.fxt\n"
	       "  vitrine cut load.fxt -p postgres -o postgres.fxt.zst\n"
	       "  vitrine cut spike.fxt --anonymise -o report.fxt",
};

int cmd_cut(int argc, char **argv)
{
	args = (struct cut_args){ .must_select = true };
	record_filter_init(&args.filter);
	options_parse(&line, argc, argv);
	return cut_run(&args);
}
