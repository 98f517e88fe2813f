// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine merge FILE... -o OUT': traces of several machines, or boots, in one.
 *
 * Real time is what they have in common: all times are moved to one clock. CPUs
 * and threads are numbered anew, so that none is taken for another's. The files
 * are read side by side, so memory does not grow with their length.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "commands.h"
#include "error.h"
#include "faults.h"
#include "feed.h"
#include "fxt.h"
#include "fxt_write.h"
#include "heap.h"
#include "left_out.h"

#define NSEC_PER_SEC	1000000000ULL

/* Thread 1234 of the third file is 20001234; pids are below 2^22. */
#define THREADS_APART	10000000ULL

struct merge_args {
	char **paths;
	unsigned int nr_paths;
	const char *out;
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write to this file", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct merge_args *args = state->input;

	switch (key) {
	case 'o':
		args->out = arg;
		return 0;
	case ARGP_KEY_ARGS:
		args->paths = state->argv + state->next;
		args->nr_paths = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no FILE given");
		return EINVAL;
	case ARGP_KEY_SUCCESS:
		if (!args->out)
			argp_error(state, "-o OUT is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE... -o OUT",
	.doc = "Merge Fuchsia traces of several machines or boots into one.",
};

/**
 * struct input - a trace that goes in
 * @faults: the file, and records that cannot be understood
 * @feed: its records
 * @item: the one that is next
 * @delta_ns: what is added to its times
 * @first_cpu: what is added to its CPUs
 * @first_thread: what is added to its threads and processes, but idle
 * @told: threads and processes whose names were told: used
 * @left_out: what was left out
 */
struct input {
	struct faults faults;
	struct feed *feed;
	struct feed_item item;
	uint64_t delta_ns;
	uint32_t first_cpu;
	uint64_t first_thread;
	struct fxt_names told;
	struct left_out left_out;
};

/**
 * struct merge - a merge under way
 * @inputs: all traces
 * @nr_inputs: how many
 * @heap: those that have an item, the earliest first
 * @nr_heap: how many
 * @out: where they go
 * @record: the record being written
 */
struct merge {
	struct input *inputs;
	unsigned int nr_inputs;
	void **heap;
	unsigned int nr_heap;
	struct fxt_out *out;
	struct vitrine_fxt_record record;
};

/* ---- Opening ---- */

static struct vitrine_error *open_input(struct input *input)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = &input->faults,
	};
	struct vitrine_error *err;

	err = feed_create(input->faults.path, &report, &input->feed);
	if (!err)
		faults_end(&input->faults);
	return err;
}

/* The earliest of all times 0; 0 if no trace says when that was. */
static uint64_t find_base(const struct merge *merge)
{
	uint64_t base_ns = UINT64_MAX, realtime_ns;
	unsigned int i;

	for (i = 0; i < merge->nr_inputs; i++)
		if (feed_realtime(merge->inputs[i].feed, &realtime_ns) &&
		    realtime_ns < base_ns)
			base_ns = realtime_ns;
	return base_ns == UINT64_MAX ? 0 : base_ns;
}

static void place_inputs(struct merge *merge, uint64_t base_ns)
{
	struct input *input;
	uint64_t realtime_ns;
	unsigned int i;
	uint32_t cpu = 0;

	for (i = 0; i < merge->nr_inputs; i++) {
		input = &merge->inputs[i];
		input->first_cpu = cpu;
		input->first_thread = i * THREADS_APART;
		cpu += feed_nr_cpus(input->feed);
		if (feed_realtime(input->feed, &realtime_ns))
			input->delta_ns = realtime_ns - base_ns;
		else
			fprintf(stderr,
				"vitrine: %s: does not say when it was recorded: taken to begin with the earliest\n",
				input->faults.path);
	}
}

/* ---- Numbers and names ---- */

static uint64_t move_koid(const struct input *input, uint64_t koid)
{
	return koid && koid != VITRINE_FXT_NO_PROCESS ?
		       koid + input->first_thread : koid;
}

/* True the first time. */
static bool is_new(struct input *input, uint64_t koid, bool *ret_good)
{
	struct fxt_name *told = fxt_names_get(&input->told, koid);
	bool fresh = told && !told->used;

	*ret_good = told;
	if (told)
		told->used = true;
	return fresh;
}

static bool name_process(struct merge *merge, struct input *input,
			 uint64_t process)
{
	struct vitrine_fxt_string name;

	return process == VITRINE_FXT_NO_PROCESS ||
	       !vitrine_archive_process(feed_archive(input->feed), process,
					&name) ||
	       fxt_out_name_process(merge->out, move_koid(input, process),
				    &name);
}

/* Number a thread anew, and name it the first time; false without memory. */
static bool move_thread(struct merge *merge, struct input *input,
			struct vitrine_fxt_thread *thread)
{
	const struct vitrine_archive *archive = feed_archive(input->feed);
	uint64_t process = thread->process, own = VITRINE_FXT_NO_PROCESS;
	struct vitrine_fxt_string name = { 0 };
	bool good;

	if (is_new(input, thread->thread, &good)) {
		vitrine_archive_thread(archive, thread->thread, &name, &own);
		if (process == VITRINE_FXT_NO_PROCESS)
			process = own;
		good = name_process(merge, input, process) &&
		       fxt_out_name_thread(merge->out,
					   move_koid(input, thread->thread),
					   move_koid(input, process), &name);
	}
	thread->thread = move_koid(input, thread->thread);
	thread->process = move_koid(input, thread->process);
	return good;
}

static bool move_threads(struct merge *merge, struct input *input)
{
	struct vitrine_fxt_record *record = &merge->record;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return move_thread(merge, input,
				   &record->context_switch.outgoing) &&
		       move_thread(merge, input,
				   &record->context_switch.incoming);
	case VITRINE_FXT_WAKEUP:
		return move_thread(merge, input, &record->wakeup);
	case VITRINE_FXT_EVENT:
		return move_thread(merge, input, &record->event.thread);
	case VITRINE_FXT_LOG:
		return move_thread(merge, input, &record->log.thread);
	case VITRINE_FXT_LARGE_BLOB:
		return move_thread(merge, input, &record->large_blob.thread);
	default:
		return true;
	}
}

static void move_args(const struct input *input,
		      struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_KOID)
			record->args[i].value.uint64 =
				move_koid(input, record->args[i].value.uint64);
}

static void move_time(const struct input *input,
		      struct vitrine_fxt_record *record)
{
	uint64_t end;

	if (record->kind == VITRINE_FXT_EVENT &&
	    record->event.type == FXT_EVENT_DURATION_COMPLETE) {
		end = vitrine_fxt_ns(record->event.id,
				     record->ticks_per_second);
		record->event.id = (end < FEED_LAST_NS ? end : FEED_LAST_NS) +
				   input->delta_ns;
	}
	record->ticks = input->item.ns + input->delta_ns;
	record->ticks_per_second = NSEC_PER_SEC;
}

/* ---- Merging ---- */

static struct vitrine_error *lane_of(struct merge *merge,
				     const struct input *input,
				     struct fxt_lane_out **ret)
{
	uint32_t cpu = input->item.stream->cpu;

	if (cpu != VITRINE_FXT_NO_CPU)
		cpu += input->first_cpu;
	return fxt_lane_out_get(merge->out, cpu, ret);
}

static bool is_known(const struct vitrine_fxt_record *record)
{
	return record->kind != VITRINE_FXT_UNKNOWN &&
	       (record->kind != VITRINE_FXT_EVENT ||
		record->event.type <= FXT_EVENT_FLOW_END);
}

static struct vitrine_error *put_record(struct merge *merge,
					struct input *input)
{
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	if (!is_known(input->item.record)) {
		left_out_record(&input->left_out, input->item.record);
		return NULL;
	}
	err = lane_of(merge, input, &lane);
	if (err)
		return err;
	merge->record = *input->item.record;
	if (merge->record.cpu != VITRINE_FXT_NO_CPU)
		merge->record.cpu += input->first_cpu;
	move_time(input, &merge->record);
	move_args(input, &merge->record);
	if (!move_threads(merge, input))
		return vtr_error_no_memory();
	return fxt_lane_out_put(lane, &merge->record);
}

static struct vitrine_error *put_item(struct merge *merge, struct input *input)
{
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	switch (input->item.kind) {
	case FEED_RECORD:
		return put_record(merge, input);
	case FEED_LOST:
		err = lane_of(merge, input, &lane);
		return err ? err : fxt_lane_out_lost(lane,
						     input->item.lost->nr_lost);
	case FEED_UNTIMED:
		left_out_untimed(&input->left_out, input->item.record);
		return NULL;
	default:
		return NULL;
	}
}

/* Of equal times, the trace that was named first is first. */
static bool input_before(const void *left, const void *right)
{
	const struct input *a = left, *b = right;
	uint64_t a_ns = a->item.ns + a->delta_ns, b_ns = b->item.ns + b->delta_ns;

	return a_ns != b_ns ? a_ns < b_ns : a < b;
}

/* Read the first item of each trace. */
static struct vitrine_error *begin_all(struct merge *merge)
{
	struct vitrine_error *err = NULL;
	struct input *input;
	unsigned int i;

	for (i = 0; !err && i < merge->nr_inputs; i++) {
		input = &merge->inputs[i];
		err = feed_next(input->feed, &input->item);
		if (err || input->item.kind == FEED_END)
			continue;
		merge->heap[merge->nr_heap] = input;
		heap_rise(merge->heap, merge->nr_heap++, input_before);
	}
	return err;
}

static struct vitrine_error *merge_all(struct merge *merge)
{
	struct vitrine_error *err = begin_all(merge);
	struct input *input;

	while (!err && merge->nr_heap) {
		input = merge->heap[0];
		err = put_item(merge, input);
		if (!err)
			err = feed_next(input->feed, &input->item);
		if (input->item.kind == FEED_END)
			merge->heap[0] = merge->heap[--merge->nr_heap];
		heap_sink(merge->heap, merge->nr_heap, 0, input_before);
	}
	return err ? err : fxt_out_commit(merge->out);
}

/* ---- The command ---- */

static struct vitrine_error *open_all(struct merge *merge,
				      const struct merge_args *args)
{
	struct vitrine_error *err = NULL;
	uint64_t base_ns;
	unsigned int i;

	merge->inputs = calloc(args->nr_paths, sizeof(*merge->inputs));
	merge->heap = calloc(args->nr_paths, sizeof(*merge->heap));
	if (!merge->inputs || !merge->heap)
		return vtr_error_no_memory();
	merge->nr_inputs = args->nr_paths;
	for (i = 0; !err && i < args->nr_paths; i++) {
		merge->inputs[i].faults.path = args->paths[i];
		err = open_input(&merge->inputs[i]);
	}
	if (err)
		return err;
	base_ns = find_base(merge);
	place_inputs(merge, base_ns);
	return fxt_out_create(args->out, base_ns, &merge->out);
}

static void print_counts(const struct merge *merge, const char *path)
{
	struct fxt_out_counts counts = fxt_out_counts(merge->out);
	const struct input *input;
	unsigned int i;

	for (i = 0; i < merge->nr_inputs; i++) {
		input = &merge->inputs[i];
		left_out_print(&input->left_out, input->faults.path, "a merged trace",
			       stderr);
	}
	if (counts.nr_refused)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " records are too long\n",
			path, counts.nr_refused);
	if (counts.nr_breaks)
		fprintf(stderr,
			"vitrine: %s: %llu switches from a thread that was not running: for each, one record before it is counted as lost\n",
			path, (unsigned long long)counts.nr_breaks);
}

static bool has_faults(const struct merge *merge)
{
	unsigned int i;

	for (i = 0; i < merge->nr_inputs; i++)
		if (merge->inputs[i].faults.nr)
			return true;
	return false;
}

static void deinit(struct merge *merge)
{
	unsigned int i;

	free(merge->heap);
	for (i = 0; i < merge->nr_inputs; i++) {
		feed_destroy(merge->inputs[i].feed);
		fxt_names_deinit(&merge->inputs[i].told);
	}
	free(merge->inputs);
	fxt_out_destroy(merge->out);
}

/**
 * cmd_merge() - `vitrine merge'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_merge(int argc, char **argv)
{
	struct merge_args args = { 0 };
	struct merge merge = { 0 };
	struct vitrine_error *err;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	err = open_all(&merge, &args);
	if (!err)
		err = merge_all(&merge);
	if (!err)
		print_counts(&merge, args.out);
	status = has_faults(&merge) ? EXIT_BAD_INPUT : EXIT_DONE;
	deinit(&merge);
	return err ? report_error(err) : status;
}
