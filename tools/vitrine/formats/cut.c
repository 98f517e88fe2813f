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
 *
 * One cut is made at a time; its state is static.
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
#include "fxt_write.h"
#include "sched/sched_state.h"
#include "sched/trace_input.h"
#include "rewrite.h"

/* Thread of process 0 that stands for the file. */
#define FILE_THREAD		0x7ffd0000U

/* Process of the kernel's threads. */
#define KTHREADD	2

#define ITEMS_BYTES	1024

/**
 * struct cut_cpu - the records of a CPU
 * @seen: the CPU had a record, after which none was lost
 * @nr_lost: number of records lost before the begin of the cut, after its last record
 * @last_ns: time of its last record
 */
struct cut_cpu {
	bool seen;
	uint64_t nr_lost;
	uint64_t last_ns;
};

/**
 * struct cut - the cut in progress
 * @args: the options
 * @filter: selects the records to keep, one of them
 * @item: the current item
 * @cpus: all CPUs that had a record
 * @nr_cpus: size of @cpus
 * @children: processes that were given or that a chosen process has forked, and others
 *	that were forked; the former are "used"
 * @statement: a record that the trace does not have
 * @begun: the first record has been written
 * @last_ns: time of the last record with a time
 * @has_chosen: a thread of a record was chosen
 * @status: EXIT_BAD_INPUT if a filter selects nothing, though others do
 */
static struct cut {
	const struct cut_args *args;
	const struct record_filter *filter;
	const struct archive_item *item;
	struct cut_cpu *cpus;
	uint32_t nr_cpus;
	struct fxt_names children;
	struct vitrine_fxt_record statement;
	bool begun;
	uint64_t last_ns;
	bool has_chosen;
	int status;
} cut;

static bool by_process(void)
{
	return cut.filter->nr_processes || cut.args->nr_pids || cut.args->cgroup;
}

/* ---- Which records ------------------------------------------------------------ */

static bool by_thread(void)
{
	return cut.filter->nr_threads || by_process();
}

/* A process that a chosen one has forked is chosen, too. */
static bool match(const struct vitrine_fxt_thread *thread)
{
	const struct record_filter *filter = cut.filter;
	const struct fxt_name *child;

	if ((filter->nr_threads || filter->nr_processes || !by_process()) &&
	    record_filter_match_thread(filter, thread))
		return true;
	if (!by_process() || filter->nr_threads)
		return false;
	child = fxt_names_find(&cut.children, record_process(thread));
	return child && child->used;
}

static bool is_chosen(const struct vitrine_fxt_thread *thread)
{
	const bool is_match = match(thread);

	cut.has_chosen |= is_match;
	return is_match;
}

static bool is_own_event(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       fxt_string_is(&record->event.category, "vitrine");
}

/* Follow forks of processes, which the category "sched" records. */
static void follow_fork(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *process;
	struct fxt_name *child;

	if (!by_process() || record->kind != VITRINE_FXT_EVENT ||
	    !fxt_string_is(&record->event.category, "sched") ||
	    !fxt_string_is(&record->event.name, "fork"))
		return;
	process = fxt_find_typed(record, "process", FXT_ARG_KOID);
	if (!process ||
	    process->value.uint64 == record_process(&record->event.thread))
		return;
	child = fxt_names_get(&cut.children, process->value.uint64);
	must_have(child);
	child->used = is_chosen(&record->event.thread);
}

/* ---- What runs ------------------------------------------------------------------ */

static struct cut_cpu *cpu_get(uint32_t cpu)
{
	must_have(GROW_TO(cut.cpus, cut.nr_cpus, cpu));
	return &cut.cpus[cpu];
}

/* Check for a record of a ring, other than the begin of what began before the ring. */
static bool is_of_ring(const struct vitrine_fxt_record *record)
{
	return record->cpu != VITRINE_FXT_NO_CPU && !fxt_is_tracefs(record->provider) &&
	       cut.item->ns >= cut.item->cpu->begin_ns;
}

/* Follow a record of a ring. */
static void follow_record(const struct vitrine_fxt_record *record)
{
	struct cut_cpu *cpu;

	if (!is_of_ring(record))
		return;
	cpu = cpu_get(record->cpu);
	cpu->seen = true;
	cpu->last_ns = cut.item->ns;
}

/* Return what runs on a CPU, or NULL. */
static const struct archive_cpu *running_on(uint32_t number)
{
	const struct archive_cpu *cpu;

	if (number >= cut.nr_cpus || !cut.cpus[number].seen)
		return NULL;
	cpu = archive_cpu(archive, number);
	return cpu->known ? cpu : NULL;
}

/* ---- Names ------------------------------------------------------------------------ */

/* Names that the kernel and vitrine give to threads are no secret. */
static bool is_secret(uint64_t process, const struct vitrine_fxt_string *name)
{
	static const char * const ours[] = { "idle", "lost", FXT_OTHERS_NAME, "file" };
	struct vitrine_fxt_string parent;
	size_t i;

	for (i = 0; i < ARRAY_LEN(ours); i++)
		if (fxt_string_is(name, ours[i]))
			return false;
	return !(process == KTHREADD &&
		 vitrine_archive_process(archive, process, &parent) &&
		 fxt_string_is(&parent, "kthreadd"));
}

static void rename_thread(uint64_t process, struct vitrine_fxt_string *name)
{
	if (is_secret(process, name))
		*name = anonymise_name(name);
}

/* Replace a thread that was not chosen; idle stays. Return whether it was chosen. */
static bool stand_in(uint32_t cpu, struct vitrine_fxt_thread *thread)
{
	if (is_chosen(thread))
		return true;
	if (thread->thread)
		*thread = (struct vitrine_fxt_thread){ .thread = FXT_OTHERS_THREAD(cpu) };
	return false;
}

/* ---- Writing ------------------------------------------------------------------------ */

/* Write that a thread came in, or went out, at the edge of the cut. The others go on. */
static void put_edge(uint32_t cpu, uint64_t ns, bool is_begin)
{
	const struct archive_cpu *on = running_on(cpu);
	struct vitrine_fxt_thread running, other = { 0 };

	if (!on || !record_filter_match_cpu(cut.filter, cpu))
		return;
	running = on->running;
	if (by_thread())
		stand_in(cpu, &running);
	if (fxt_is_others(running.thread))
		other = running;
	anonymise_begin();
	rewrite_name_thread(&running);
	cut.statement = (struct vitrine_fxt_record){
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
	fxt_out_put(rewrite_out(), &cut.statement);
}

static void put_edges(uint64_t ns, bool is_begin)
{
	uint32_t cpu;

	for (cpu = 0; cpu < cut.nr_cpus; cpu++)
		put_edge(cpu, ns, is_begin);
}

/* Add the text of @nr items, unless there are none. */
static void add_text(const char *name, unsigned int nr, const char *text)
{
	if (nr)
		fxt_add_arg(&cut.statement, FXT_ARG_STRING_REF, name)->value.string =
			(struct vitrine_fxt_string){ text, strlen(text) };
}

static void add_items(const char *name, const char * const *items, unsigned int nr, char *buffer)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < nr && len < ITEMS_BYTES; i++)
		len += snprintf(buffer + len, ITEMS_BYTES - len, "%s%s", i ? "," : "", items[i]);
	add_text(name, nr, buffer);
}

static void add_cpus(char *buffer)
{
	const struct record_filter *filter = cut.filter;
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < filter->nr_cpus && len < ITEMS_BYTES; i++)
		len += snprintf(buffer + len, ITEMS_BYTES - len,
				filter->cpus[i].first == filter->cpus[i].last ?
				"%s%u" : "%s%u-%u", i ? "," : "",
				filter->cpus[i].first, filter->cpus[i].last);
	add_text("cpus", filter->nr_cpus, buffer);
}

static void begin_statement(const char *name, uint32_t cpu, uint64_t ns)
{
	cut.statement = (struct vitrine_fxt_record){
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

static void put_statement(void)
{
	rewrite_name(FILE_THREAD, "file");
	fxt_out_put(rewrite_out(), &cut.statement);
}

/* State in the file what was left out on purpose. */
static void put_note(uint64_t ns)
{
	const struct record_filter *filter = cut.filter;
	char cpus[ITEMS_BYTES], processes[ITEMS_BYTES], threads[ITEMS_BYTES];
	char cgroup[ITEMS_BYTES];
	struct vitrine_fxt_record *record = &cut.statement;

	begin_statement("left_out", VITRINE_FXT_NO_CPU, ns);
	if (filter->from_ns)
		fxt_add_arg(record, FXT_ARG_UINT64, "from_ns")->value.uint64 =
			filter->from_ns;
	if (filter->to_ns != UINT64_MAX)
		fxt_add_arg(record, FXT_ARG_UINT64, "to_ns")->value.uint64 =
			filter->to_ns;
	add_cpus(cpus);
	add_items("processes", filter->processes, filter->nr_processes,
		  processes);
	add_items("cgroup", &cut.args->cgroup, !!cut.args->cgroup, cgroup);
	add_items("threads", filter->threads, filter->nr_threads, threads);
	if (cut.args->anonymise) {
		fxt_add_arg(record, FXT_ARG_BOOL, "anonymised")->value.boolean = true;
		anonymise_record(record);
	}
	put_statement();
}

/* State from or until when the whole trace has the records of a CPU, or, without one, all. */
static void put_extent(uint32_t cpu, uint64_t ns)
{
	begin_statement("extent", cpu, ns);
	put_statement();
}

/* Before the first record that is not too early. */
static void begin(uint64_t ns)
{
	uint64_t from_ns = cut.filter->from_ns;

	if (cut.begun)
		return;
	cut.begun = true;
	put_note(from_ns ? from_ns : ns);
	put_edges(from_ns, true);
}

/* ---- Records -------------------------------------------------------------------------- */

/* Choose one side of a switch, and replace a thread that was not chosen. */
static bool choose_side(const struct vitrine_fxt_record *record, struct vitrine_fxt_thread *thread,
			const char *weight)
{
	if (fxt_is_idle(record, thread, weight) && !is_chosen(thread))
		*thread = (struct vitrine_fxt_thread){ 0 };
	return stand_in(record->cpu, thread);
}

/*
 * Choose a switch, and replace the threads that were not chosen. The first switch of a CPU is
 * kept, as it tells what ran.
 */
static bool choose_switch(struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread *outgoing = &record->context_switch.outgoing;
	struct vitrine_fxt_thread *incoming = &record->context_switch.incoming;
	bool out = choose_side(record, outgoing, "outgoing_weight");
	bool in = choose_side(record, incoming, "incoming_weight");

	return out || in || outgoing->thread != incoming->thread || !running_on(record->cpu);
}

/*
 * Choose a wakeup, and replace a waker that was not chosen. The waker is the thread that runs
 * on the CPU, if the trace does not tell and no interrupt made the wakeup.
 */
static bool choose_wakeup(struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread waker = { .process = VITRINE_FXT_NO_PROCESS };
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, "waker", FXT_ARG_KOID);
	const struct archive_cpu *on = running_on(record->cpu);

	if (!is_chosen(&record->wakeup))
		return false;
	if (fxt_is_by_interrupt(record))
		return true;
	if (arg)
		waker.thread = arg->value.uint64;
	else if (on)
		waker = on->running;
	else
		return true;
	stand_in(record->cpu, &waker);
	if (arg)
		record->args[arg - record->args].value.uint64 = waker.thread;
	else if (record->nr_args < FXT_MAX_ARGS)
		fxt_add_waker(record, waker.thread);
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

static bool choose_event(struct vitrine_fxt_record *record)
{
	return is_chosen(&record->event.thread) ||
	       (is_of_cpu(record) && !stand_in(record->cpu, &record->event.thread));
}

/* Write that records of a CPU are lost after its last record. */
static void put_lost(uint32_t cpu, uint64_t nr)
{
	if (by_thread() && cpu < cut.nr_cpus && cut.cpus[cpu].seen &&
	    cut.cpus[cpu].last_ns >= cut.filter->from_ns)
		put_extent(cpu, cut.cpus[cpu].last_ns);
	fxt_out_lost(rewrite_out(), 0, cpu, nr);
}

/* Check for a switch from a thread that was not running, which the stand-in would hide. */
static bool is_hidden_break(const struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread outgoing, running;

	if (!cut.item->breaks || !running_on(record->cpu))
		return false;
	running = cut.item->cpu->running;
	outgoing = record->context_switch.outgoing;
	stand_in(record->cpu, &running);
	choose_side(record, &outgoing, "outgoing_weight");
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
static void begin_cpu(const struct vitrine_fxt_record *record, uint64_t ns)
{
	const struct archive_cpu *before = cut.item->cpu;
	struct cut_cpu *cpu;

	if (!is_of_ring(record) ||
	    !record_filter_match_cpu(cut.filter, record->cpu))
		return;
	cpu = cpu_get(record->cpu);
	if (by_thread() && is_hidden_break(record)) {
		rewrite_break();
		put_lost(record->cpu, 1);
		*cpu = (struct cut_cpu){ 0 };
	}
	if (cpu->seen)
		return;
	if (cpu->nr_lost)
		fxt_out_before(rewrite_out(), record->cpu, cpu->nr_lost, ns);
	else
		fxt_out_before(rewrite_out(), record->cpu, before->nr_before,
			       later(before->begin_ns, cut.filter->from_ns));
	if (by_thread())
		put_extent(record->cpu, ns);
}

/* Choose a record by its threads. */
static bool choose_threads(struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;

	if (!by_thread() || is_own_event(record))
		return true;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return choose_switch(record);
	case VITRINE_FXT_WAKEUP:
		return choose_wakeup(record);
	case VITRINE_FXT_EVENT:
		return choose_event(record);
	default:
		thread = fxt_thread_of(record, 0);
		return thread && is_chosen(thread);
	}
}

static bool is_cpu_wanted(const struct vitrine_fxt_record *record)
{
	return record_filter_match_cpu(cut.filter, record->cpu) ||
	       (is_own_event(record) && record->cpu == VITRINE_FXT_NO_CPU);
}

/* With a choice of threads, objects of others are left out, and so is what has no thread. */
static bool is_untimed_wanted(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread process = {
		record->userspace_object.process, record->userspace_object.process
	};

	if (cut.item->ns < cut.filter->from_ns ||
	    !record_filter_match_cpu(cut.filter, record->cpu))
		return false;
	return !by_thread() || record->kind == VITRINE_FXT_PROVIDER_EVENT ||
	       (record->kind == VITRINE_FXT_USERSPACE_OBJECT && is_chosen(&process));
}

static bool choose(struct vitrine_fxt_record *record)
{
	if (!record->timed)
		return is_untimed_wanted(record);
	begin(record->ticks);
	begin_cpu(record, record->ticks);
	anonymise_begin();
	return is_cpu_wanted(record) && choose_threads(record);
}

/* Keep what the recorder and earlier cuts say of the whole trace, whatever its time. */
static bool is_note(const struct vitrine_fxt_record *record)
{
	return is_own_event(record) && record->cpu == VITRINE_FXT_NO_CPU &&
	       !fxt_string_is(&record->event.name, "extent");
}

static void process_record(void)
{
	const struct vitrine_fxt_record *record = cut.item->record;
	struct archive_item item = *cut.item;

	follow_fork(record);
	if (is_note(record))
		item.ns = later(item.ns, cut.filter->from_ns);
	if (item.ns >= cut.filter->from_ns)
		rewrite_item(&item);
	follow_record(record);
}

static void process_lost(void)
{
	const struct archive_item *item = cut.item;
	const uint64_t nr_lost = item->loss.nr_missing + item->loss.nr_unwritten;
	const uint32_t cpu = item->packet->cpu;
	const bool is_wanted = item->ns >= cut.filter->from_ns &&
			       record_filter_match_cpu(cut.filter, cpu);

	if (!nr_lost && !item->loss.nr_subbufs)
		return;
	/* The switches do not break where events of ftrace are lost. */
	if (fxt_is_tracefs(item->record->provider)) {
		if (is_wanted)
			rewrite_item(item);
		return;
	}
	if (is_wanted)
		put_lost(cpu, nr_lost);
	if (cpu < cut.nr_cpus)
		cut.cpus[cpu] = (struct cut_cpu){ .nr_lost = nr_lost };
}

static void end(void)
{
	if (cut.begun && by_thread())
		put_extent(VITRINE_FXT_NO_CPU, cut.last_ns);
	/* What runs behind the end is unknown, but what was left out is stated there, too. */
	if (!cut.begun)
		put_note(cut.filter->from_ns);
}

static bool process_item(const struct archive_item *item)
{
	const uint64_t to_ns = cut.filter->to_ns;

	cut.item = item;
	if (!item->record) {
		end();
		return false;
	}
	if (item->record->timed)
		cut.last_ns = item->ns;
	if (item->ns > to_ns) {
		begin(to_ns);
		put_edges(to_ns, false);
		return false;
	}
	if (item->record->timed)
		process_record();
	else if (item->packet)
		process_lost();
	else
		rewrite_item(item);
	return true;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static void begin_trace(struct vitrine_archive *trace, const char *name)
{
	const struct selection selection = { .filter = cut.filter };
	struct fxt_name *process;
	size_t i;

	archive = trace;
	anonymise_init();
	for (i = 0; i < cut.args->nr_pids; i++) {
		process = fxt_names_get(&cut.children, cut.args->pids[i]);
		must_have(process);
		process->used = true;
	}
	if (cut.args->must_select)
		must(selection_check(&selection, name, &cut.status));
}

/*
 * Check that there was a process to record. One that was there before may have done nothing, or
 * have run on other CPUs.
 */
static int check_chosen(void)
{
	const struct cut_args *args = cut.args;

	if (args->must_select || !cut.filter->nr_processes || cut.filter->nr_cpus ||
	    args->nr_pids || args->cgroup || cut.has_chosen)
		return cut.status;
	report_error(nothing_selected(args->out, NULL, NULL,
				      "no process had the name `%s' while this was recorded",
				      cut.filter->processes[0]));
	return EXIT_USAGE;
}

/**
 * cut_run() - write a part of a trace
 * @args: the options
 *
 * Return: enum exit_code; EXIT_USAGE if there was no such process to record.
 */
int cut_run(const struct cut_args *args)
{
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
		.edit = args->anonymise ? anonymise_record : NULL,
	};
	int status;

	cut = (struct cut){ .args = args, .filter = &args->filter };
	status = rewrite_run(&rewrite);
	fxt_names_deinit(&cut.children);
	free(cut.cpus);
	return status == EXIT_DONE ? check_chosen() : status;
}

/* ---- Options ----------------------------------------------------------- */

static struct cut_args args;

static const struct command_option options[] = {
	{ "output", 'o', "OUT", "Write the part to OUT", .text = &args.out,
	  .is_needed = true },
	{ "anonymise", 0, NULL, "Replace names and texts by tokens", .flag = &args.anonymise },
	{ .help = "Filters:" },
	RECORD_FILTER_OPTION_FROM,
	RECORD_FILTER_OPTION_TO,
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

static const struct command_line line = {
	.options = options,
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
	record_filter_options(&line, &args.filter, argc, argv);
	return cut_run(&args);
}
