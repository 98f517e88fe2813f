// SPDX-License-Identifier: GPL-2.0
/*
 * Read traces and write their records again, and `vitrine merge', which writes all of them.
 *
 * All times are moved to one clock by the wall-clock time that each trace has. CPUs and threads
 * of several traces get new numbers, so that those of different traces stay apart. The files are
 * read side by side, so memory does not grow with their length.
 *
 * One rewrite runs at a time; its state is static. Errors end the command.
 */
#include <stdlib.h>

#include <vitrine/fxt.h>

#include "base.h"
#include "command.h"
#include "fxt_names.h"
#include "fxt_write.h"
#include "input.h"
#include "left_out.h"
#include "rewrite.h"

/* Thread 1234 of the third file becomes 20001234, unless that id is taken. */
#define THREADS_APART	10000000ULL

/**
 * struct part - one of the traces
 * @input: its file
 * @faults: name of the file in messages, and faults in it
 * @archive: its records. fxt_out_id() numbers the threads in its table and adds the processes;
 *	threads whose names have been written are "used" there
 * @item: the next item, not yet processed
 * @delta_ns: added to its times
 * @first_cpu: added to its CPU numbers
 * @first_thread: added to its thread and process ids except 0 (idle)
 * @left_out: records that were left out
 */
struct part {
	struct input input;
	struct faults faults;
	struct vitrine_archive *archive;
	struct archive_item item;
	uint64_t delta_ns;
	uint32_t first_cpu;
	uint64_t first_thread;
	struct left_out left_out;
};

/**
 * struct state - a rewrite in progress
 * @how: what is done
 * @parts: the traces
 * @part: the one whose item is being processed
 * @heap: the traces that have an item, as a heap with the earliest on top
 * @nr_heap: number of traces in @heap
 * @out: the new trace
 * @nr_breaks: switches from a thread that was not running, which the writer does not see
 * @record: the record being written
 */
static struct state {
	const struct rewrite *how;
	struct part *parts;
	struct part *part;
	void **heap;
	unsigned int nr_heap;
	struct fxt_out *out;
	uint64_t nr_breaks;
	struct vitrine_fxt_record record;
} state;

/* ---- Opening ---- */

static void open_part(struct part *part, const char *path)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = &part->faults,
	};
	struct vitrine_error *err;

	err = input_open(&part->input, path);
	part->faults.path = part->input.name;
	if (!err)
		err = vitrine_archive_create(part->input.path, &report, &part->archive);
	if (!err)
		faults_end(&part->faults);
	must(input_blame(&part->input, err));
}

/* Return the earliest wall-clock time of a time 0; 0 if no trace has one. */
static uint64_t find_base(void)
{
	uint64_t base_ns = UINT64_MAX, realtime_ns;
	int i;

	for (i = 0; i < state.how->nr_paths; i++)
		if (archive_realtime(state.parts[i].archive, &realtime_ns) && realtime_ns < base_ns)
			base_ns = realtime_ns;
	return base_ns == UINT64_MAX ? 0 : base_ns;
}

static void place_parts(uint64_t base_ns)
{
	struct part *part;
	uint64_t realtime_ns;
	uint32_t cpu = 0;
	int i;

	for (i = 0; i < state.how->nr_paths; i++) {
		part = &state.parts[i];
		part->first_cpu = cpu;
		part->first_thread = i * THREADS_APART;
		cpu += archive_nr_cpus(part->archive);
		if (archive_realtime(part->archive, &realtime_ns))
			part->delta_ns = realtime_ns - base_ns;
		else if (state.how->nr_paths > 1)
			print_note(part->faults.path,
				   "has no wall-clock time; aligned with the start of the earliest trace");
	}
}

/* Of two records at the same time, that of the trace named first comes first. */
static bool part_before(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	uint64_t a_ns = a->item.ns + a->delta_ns, b_ns = b->item.ns + b->delta_ns;

	return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void read_item(struct part *part)
{
	must(archive_read(part->archive, &part->item));
	part->item.ns = archive_clip(part->item.ns);
}

/* Open the traces, and read the first item of each one. */
static void open_all(void)
{
	const struct rewrite *how = state.how;
	struct part *part;
	uint64_t base_ns;
	int i;

	state.parts = calloc(how->nr_paths, sizeof(*state.parts));
	state.heap = calloc(how->nr_paths, sizeof(*state.heap));
	must_have(state.parts && state.heap);
	state.part = state.parts;
	for (i = 0; i < how->nr_paths; i++)
		open_part(&state.parts[i], how->paths[i]);
	base_ns = find_base();
	place_parts(base_ns);
	part = state.parts;
	if (how->begin)
		how->begin(part->archive, part->faults.path);
	must(fxt_out_create(how->out, base_ns, &state.out));
	for (i = 0; i < how->nr_paths; i++) {
		part = &state.parts[i];
		read_item(part);
		if (!part->item.record)
			continue;
		state.heap[state.nr_heap] = part;
		heap_rise(state.heap, state.nr_heap++, part_before);
	}
}

/* ---- Numbers and names ---- */

static uint64_t move_koid(uint64_t koid)
{
	struct part *part = state.part;

	if (state.how->nr_paths == 1)
		return koid;
	if (fxt_is_others(koid))
		return koid + part->first_cpu;
	return fxt_out_id(state.out, archive_threads(part->archive), koid,
			  koid + part->first_thread);
}

static void rename_of(uint64_t process, struct vitrine_fxt_string *name)
{
	if (state.how->rename)
		state.how->rename(process, name);
}

static void name_process(uint64_t process)
{
	struct vitrine_fxt_string name;

	if (process == VITRINE_FXT_NO_PROCESS ||
	    !vitrine_archive_process(state.part->archive, process, &name))
		return;
	rename_of(process, &name);
	fxt_out_name_process(state.out, move_koid(process), &name);
}

/**
 * rewrite_name() - name a thread that stands for others, or for the file
 * @thread: the thread
 * @name: its name
 */
void rewrite_name(uint64_t thread, const char *name)
{
	const struct vitrine_fxt_string text = { name, strlen(name) };

	fxt_out_name_thread(state.out, move_koid(thread), 0, &text);
}

/**
 * rewrite_name_thread() - name a thread of the trace the first time
 * @thread: the thread, with its old numbers
 */
void rewrite_name_thread(const struct vitrine_fxt_thread *thread)
{
	uint64_t process = thread->process, own = VITRINE_FXT_NO_PROCESS;
	struct vitrine_fxt_string name = { 0 };
	bool is_first, good;

	is_first = fxt_names_first(archive_threads(state.part->archive), thread->thread, &good);
	must_have(good);
	if (!is_first)
		return;
	if (!vitrine_archive_thread(state.part->archive, thread->thread, &name, &own) &&
	    fxt_is_others(thread->thread)) {
		rewrite_name(thread->thread, FXT_OTHERS_NAME);
		return;
	}
	if (process == VITRINE_FXT_NO_PROCESS)
		process = own;
	rename_of(process, &name);
	name_process(process);
	fxt_out_name_thread(state.out, move_koid(thread->thread), move_koid(process), &name);
}

static void name_waker(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, "waker", FXT_ARG_KOID);
	struct vitrine_fxt_thread waker = { .process = VITRINE_FXT_NO_PROCESS };

	if (!arg)
		return;
	waker.thread = arg->value.uint64;
	rewrite_name_thread(&waker);
}

static void name_threads(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;
	unsigned int i = 0;

	while ((thread = fxt_thread_of(record, i++)))
		rewrite_name_thread(thread);
	if (record->kind == VITRINE_FXT_WAKEUP)
		name_waker(record);
}

/* Give threads and processes their new numbers. */
static void renumber(struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread *thread;
	unsigned int i;

	for (i = 0; (thread = fxt_thread_of(record, i)); i++) {
		thread->thread = move_koid(thread->thread);
		thread->process = move_koid(thread->process);
	}
	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_KOID)
			record->args[i].value.uint64 = move_koid(record->args[i].value.uint64);
	if (record->kind == VITRINE_FXT_USERSPACE_OBJECT)
		record->userspace_object.process = move_koid(record->userspace_object.process);
	else if (record->kind == VITRINE_FXT_KERNEL_OBJECT)
		record->kernel_object.koid = move_koid(record->kernel_object.koid);
}

/* ---- Writing ---- */

/**
 * rewrite_out() - return the trace that is being written
 *
 * Return: the trace; errors of writing it end the command.
 */
struct fxt_out *rewrite_out(void)
{
	return state.out;
}

static uint32_t move_cpu(uint32_t cpu)
{
	return cpu == VITRINE_FXT_NO_CPU ? cpu : cpu + state.part->first_cpu;
}

/**
 * rewrite_break() - count a switch from a thread that was not running
 */
void rewrite_break(void)
{
	state.nr_breaks++;
}

/* Leave a record out, and count it, if FXT or the kind of rewrite cannot have it. */
static bool is_left_out(const struct vitrine_fxt_record *record)
{
	const bool is_secret = state.how->is_secret;

	if (!record->timed) {
		if (left_out_is_content(record) &&
		    (!is_secret || record->kind == VITRINE_FXT_PROVIDER_EVENT))
			return false;
		left_out_untimed(&state.part->left_out, record);
		return true;
	}
	if (record->kind != VITRINE_FXT_UNKNOWN &&
	    (record->kind != VITRINE_FXT_LARGE_BLOB || !is_secret) &&
	    (record->kind != VITRINE_FXT_EVENT || record->event.type <= FXT_EVENT_FLOW_END))
		return false;
	left_out_record(&state.part->left_out, record);
	return true;
}

static void move_time(struct vitrine_fxt_record *record, uint64_t ns)
{
	const uint64_t delta_ns = state.part->delta_ns;

	if (record->kind == VITRINE_FXT_EVENT && record->event.type == FXT_EVENT_DURATION_COMPLETE)
		record->event.id = archive_ns(record->event.id, record->ticks_per_second) +
				   delta_ns;
	record->ticks = ns + delta_ns;
	record->ticks_per_second = NSEC_PER_SEC;
}

static void put_record(const struct archive_item *item)
{
	struct vitrine_fxt_record *record = &state.record;
	const struct rewrite *how = state.how;
	const struct archive_cpu *cpu = item->cpu;

	if (is_left_out(item->record))
		return;
	memcpy(record, item->record, fxt_record_bytes(item->record));
	if (record->timed)
		move_time(record, item->ns);
	if (how->choose && !how->choose(record))
		return;
	name_threads(record);
	if (how->nr_paths > 1)
		renumber(record);
	if (how->edit && record->timed)
		how->edit(record);
	record->cpu = move_cpu(record->cpu);
	if (!how->step && cpu && cpu->nr_before && !fxt_is_tracefs(record->provider))
		fxt_out_before(state.out, record->cpu, cpu->nr_before,
			       cpu->begin_ns + state.part->delta_ns);
	fxt_out_put(state.out, record);
}

/**
 * rewrite_item() - write a record, or the loss before a sub-buffer
 * @item: what was read
 */
void rewrite_item(const struct archive_item *item)
{
	const struct fxt_loss *loss = &item->loss;

	if (!item->packet)
		put_record(item);
	else if (loss->nr_missing || loss->nr_unwritten || loss->nr_subbufs)
		fxt_out_lost(state.out, item->record->provider, move_cpu(item->packet->cpu),
			     loss->nr_missing + loss->nr_unwritten);
}

static bool process(const struct archive_item *item)
{
	const struct rewrite *how = state.how;

	if (how->step)
		return how->step(item);
	if (item->record)
		rewrite_item(item);
	return true;
}

/* Process all items of all traces in time order, and then an empty one. */
static void process_all(void)
{
	struct part *part;

	while (state.nr_heap) {
		part = state.heap[0];
		state.part = part;
		if (!process(&part->item))
			return;
		must(fxt_out_error(state.out));
		read_item(part);
		if (!part->item.record)
			state.heap[0] = state.heap[--state.nr_heap];
		heap_sink(state.heap, state.nr_heap, part_before);
	}
	process(&(struct archive_item){ 0 });
}

/* ---- All of it ---- */

/* Print what was left out. Returns enum exit_code. */
static int print_counts(void)
{
	struct fxt_out_counts counts = fxt_out_counts(state.out);
	const struct rewrite *how = state.how;
	const char *path = how->step ? state.parts->faults.path : how->out;
	const struct part *part;
	int status = EXIT_DONE;

	for (part = state.parts; part < state.parts + how->nr_paths; part++) {
		left_out_print(&part->left_out, part->faults.path, how->what, stderr);
		if (part->faults.nr)
			status = EXIT_BAD_INPUT;
	}
	counts.nr_breaks += state.nr_breaks;
	left_out_note(path, counts.nr_refused, "records are too long", stderr);
	left_out_note_fxt(&counts, path, stderr);
	return status;
}

static void deinit(void)
{
	struct part *part;

	free(state.heap);
	for (part = state.parts; part < state.parts + state.how->nr_paths; part++) {
		vitrine_archive_destroy(part->archive);
		input_close(&part->input);
	}
	free(state.parts);
	fxt_out_destroy(state.out);
}

/**
 * rewrite_run() - read traces and write them again
 * @how: what is done
 *
 * Return: enum exit_code.
 */
int rewrite_run(const struct rewrite *how)
{
	int status;

	state = (struct state){ .how = how };
	open_all();
	process_all();
	must(fxt_out_commit(state.out));
	status = print_counts();
	deinit();
	return status;
}

/* ---- vitrine merge ----------------------------------------------------- */

static struct rewrite merge;

static const struct command_option options[] = {
	{ "output", 'o', "OUT", "Write the merged trace to OUT", .text = &merge.out,
	  .is_needed = true },
	{ 0 }
};

static const struct command_line line = {
	.options = options,
	.operands = &merge.paths,
	.nr_operands = &merge.nr_paths,
	.operand_name = "FILE",
	.is_needed = true,
	.args_doc = "FILE... -o OUT",
	.doc = "Merge traces of several machines or boots.\n"
	       "\013\"-\" as FILE is standard input, and as OUT standard output.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine merge server.fxt client.fxt -o both.fxt\n"
	       "  ssh host vitrine snapshot -o - | vitrine merge - local.fxt -o both.fxt",
};

int cmd_merge(int argc, char **argv)
{
	merge = (struct rewrite){ .what = "a merged trace" };
	options_parse(&line, argc, argv);
	return rewrite_run(&merge);
}
