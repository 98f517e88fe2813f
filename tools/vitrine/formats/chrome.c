// SPDX-License-Identifier: GPL-2.0
/*
 * Write a Fuchsia trace as JSON trace events, one per line.
 *
 * CPUs are threads of a process 0 called "CPUs"; each time slice is a complete event
 * there, written when it ends. Everything else is an event of its thread. Times are in
 * microseconds with three decimals.
 */
#define _GNU_SOURCE	/* fopencookie() */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "chrome.h"
#include "error.h"
#include "feed.h"
#include "fxt_names.h"
#include "fxt_phase.h"
#include "ids.h"
#include "ui/json.h"
#include "left_out.h"
#include "sched/record_json.h"

#define CPUS_PROCESS	0

/**
 * struct chrome_cpu - state of a CPU
 * @thread: the running thread
 * @priority: its priority
 * @since_ns: begin of its time slice
 * @known: the running thread is known
 */
struct chrome_cpu {
	struct vitrine_fxt_thread thread;
	uint8_t priority;
	uint64_t since_ns;
	bool known;
};

/**
 * struct chrome - a file being written
 * @feed: records of the trace
 * @writer: writer of the file
 * @json: writer of JSON into it
 * @threads: threads; those whose names have been written are "used"
 * @processes: processes, likewise
 * @ids: thread ids of CPUS_PROCESS
 * @cpus: ids of CPUs
 * @idle: ids of threads of the trace's own process 0
 * @left_out: records that trace events cannot represent
 */
struct chrome {
	struct feed *feed;
	struct vitrine_writer *writer;
	struct json_writer json;
	struct fxt_names threads;
	struct fxt_names processes;
	struct ids ids;
	struct ids_source cpus;
	struct ids_source idle;
	struct left_out left_out;
};

/* ---- One event ---- */

static void put_text(struct chrome *chrome, const char *name,
		     const struct vitrine_fxt_string *text)
{
	json_key(&chrome->json, name);
	json_text(&chrome->json, text->bytes, text->len_bytes);
}

static void put_time(struct chrome *chrome, const char *name, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03u", ns / 1000,
		 (unsigned int)(ns % 1000));
	json_key(&chrome->json, name);
	json_number(&chrome->json, text);
}

/* Write an id as a string, because numbers in JavaScript have only 53 bits. */
static void put_id(struct chrome *chrome, uint64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, id);
	json_key_string(&chrome->json, "id", text);
}

static void begin_event(struct chrome *chrome, const char *phase,
			uint64_t process, uint64_t thread)
{
	json_item(&chrome->json);
	json_newline(&chrome->json);
	json_begin(&chrome->json);
	json_key_string(&chrome->json, "ph", phase);
	json_key_uint(&chrome->json, "pid", process);
	json_key_uint(&chrome->json, "tid", thread);
}

static void end_event(struct chrome *chrome)
{
	json_end(&chrome->json);
}

/* ---- Names ---- */

/* Return the thread id of a CPU: its number plus one, because 0 must stay 0. */
static uint64_t cpu_thread(struct chrome *chrome, uint32_t cpu)
{
	return ids_get(&chrome->ids, &chrome->cpus, cpu + 1ULL, cpu);
}

/* Return the id of a thread; one of process 0 must not look like a CPU. */
static uint64_t thread_of(struct chrome *chrome, uint64_t process,
			  uint64_t thread)
{
	if (process != CPUS_PROCESS)
		return thread;
	return ids_get(&chrome->ids, &chrome->idle, thread + 1, thread);
}

static void put_name(struct chrome *chrome, const char *what, uint64_t process,
		     uint64_t thread, const struct vitrine_fxt_string *name)
{
	begin_event(chrome, "M", process, thread);
	json_key_string(&chrome->json, "name", what);
	json_key(&chrome->json, "args");
	json_begin(&chrome->json);
	json_key(&chrome->json, "name");
	json_text(&chrome->json, name->bytes, name->len_bytes);
	json_end(&chrome->json);
	end_event(chrome);
}

/* Return whether a name has not been written yet; without memory, always return true. */
static bool is_new(struct fxt_names *names, uint64_t koid)
{
	struct fxt_name *name = fxt_names_get(names, koid);
	bool told = name && name->used;

	if (name)
		name->used = true;
	return !told;
}

/* Return the id of a thread, and write its name the first time. */
static uint64_t tell(struct chrome *chrome,
		     const struct vitrine_fxt_thread *thread)
{
	const struct vitrine_archive *archive = feed_archive(chrome->feed);
	uint64_t process = thread->process, own = VITRINE_FXT_NO_PROCESS;
	struct vitrine_fxt_string name;
	bool named;

	named = vitrine_archive_thread(archive, thread->thread, &name, &own);
	if (process == VITRINE_FXT_NO_PROCESS)
		process = own == VITRINE_FXT_NO_PROCESS ? thread->thread : own;
	if (is_new(&chrome->threads, thread->thread) && named)
		put_name(chrome, "thread_name", process,
			 thread_of(chrome, process, thread->thread), &name);
	if (process != CPUS_PROCESS && is_new(&chrome->processes, process) &&
	    vitrine_archive_process(archive, process, &name))
		put_name(chrome, "process_name", process, process, &name);
	return process;
}

static void name_cpu(struct chrome *chrome, uint32_t cpu)
{
	const struct vitrine_fxt_string cpus = { "CPUs", 4 };
	struct vitrine_fxt_string name;
	char text[16];

	name.bytes = text;
	name.len_bytes = snprintf(text, sizeof(text), "CPU %u", cpu);
	if (is_new(&chrome->processes, CPUS_PROCESS))
		put_name(chrome, "process_name", CPUS_PROCESS, 0, &cpus);
	put_name(chrome, "thread_name", CPUS_PROCESS, cpu_thread(chrome, cpu),
		 &name);
}

/* ---- CPUs ---- */

/* End a time slice; @state is the state of the thread afterwards, or NULL. */
static void end_run(struct chrome *chrome, const struct feed_stream *stream,
		    uint64_t ns, const char *state)
{
	struct vitrine_fxt_string name;
	struct chrome_cpu *cpu = stream->user;
	uint64_t process, unused;

	if (!cpu || !cpu->known)
		return;
	cpu->known = false;
	if (!cpu->thread.thread)
		return;
	process = tell(chrome, &cpu->thread);
	begin_event(chrome, "X", CPUS_PROCESS, cpu_thread(chrome, stream->cpu));
	if (vitrine_archive_thread(feed_archive(chrome->feed), cpu->thread.thread, &name, &unused))
		put_text(chrome, "name", &name);
	put_time(chrome, "ts", cpu->since_ns);
	put_time(chrome, "dur", ns - cpu->since_ns);
	json_key(&chrome->json, "args");
	json_begin(&chrome->json);
	json_key_uint(&chrome->json, "tid", cpu->thread.thread);
	json_key_uint(&chrome->json, "pid", process);
	if (cpu->priority)
		json_key_uint(&chrome->json, "priority", cpu->priority);
	if (state)
		json_key_string(&chrome->json, "state", state);
	json_end(&chrome->json);
	end_event(chrome);
}

static bool put_switch(struct chrome *chrome, const struct feed_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	struct chrome_cpu *cpu = item->stream->user;

	if (!cpu) {
		cpu = calloc(1, sizeof(*cpu));
		if (!cpu)
			return false;
		item->stream->user = cpu;
		name_cpu(chrome, record->cpu);
	}
	end_run(chrome, item->stream, item->ns,
		vitrine_fxt_state_name(record->context_switch.outgoing_state));
	cpu->thread = record->context_switch.incoming;
	cpu->priority = record->context_switch.incoming_priority;
	cpu->since_ns = item->ns;
	cpu->known = true;
	return true;
}

/* ---- Other events ---- */

static void put_args(struct chrome *chrome,
		     const struct vitrine_fxt_record *record)
{
	unsigned int i;

	if (!record->nr_args)
		return;
	json_key(&chrome->json, "args");
	json_begin(&chrome->json);
	for (i = 0; i < record->nr_args; i++) {
		json_member(&chrome->json, record->args[i].name.bytes,
			    record->args[i].name.len_bytes, 0);
		record_json_arg(&chrome->json, &record->args[i]);
	}
	json_end(&chrome->json);
}

static void begin_instant(struct chrome *chrome, const char *category,
			  const struct vitrine_fxt_thread *thread, uint64_t ns)
{
	uint64_t process = tell(chrome, thread);

	begin_event(chrome, "i", process,
		    thread_of(chrome, process, thread->thread));
	put_time(chrome, "ts", ns);
	json_key_string(&chrome->json, "s", "t");
	json_key_string(&chrome->json, "cat", category);
}

static void put_wakeup(struct chrome *chrome, const struct feed_item *item)
{
	begin_instant(chrome, "sched", &item->record->wakeup, item->ns);
	json_key_string(&chrome->json, "name", "wakeup");
	put_args(chrome, item->record);
	end_event(chrome);
}

static void put_log(struct chrome *chrome, const struct feed_item *item)
{
	begin_instant(chrome, "log", &item->record->log.thread, item->ns);
	put_text(chrome, "name", &item->record->log.message);
	end_event(chrome);
}

/* Put the members of each type of event beyond name, category, time and arguments. */
static void put_extra(struct chrome *chrome, const struct feed_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	uint64_t end_ns;

	switch (record->event.type) {
	case FXT_EVENT_INSTANT:
		json_key_string(&chrome->json, "s", "t");
		break;
	case FXT_EVENT_DURATION_BEGIN:
	case FXT_EVENT_DURATION_END:
		break;
	case FXT_EVENT_DURATION_COMPLETE:
		end_ns = vitrine_fxt_ns(record->event.id,
					record->ticks_per_second);
		put_time(chrome, "dur",
			 end_ns > item->ns ? end_ns - item->ns : 0);
		break;
	case FXT_EVENT_FLOW_END:
		json_key_string(&chrome->json, "bp", "e");
		put_id(chrome, record->event.id);
		break;
	default:
		put_id(chrome, record->event.id);
		break;
	}
}

static void put_event(struct chrome *chrome, const struct feed_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	uint64_t process = tell(chrome, &record->event.thread);

	begin_event(chrome, fxt_phases[record->event.type].chrome, process,
		    thread_of(chrome, process, record->event.thread.thread));
	put_time(chrome, "ts", item->ns);
	put_text(chrome, "name", &record->event.name);
	put_text(chrome, "cat", &record->event.category);
	put_extra(chrome, item);
	put_args(chrome, record);
	end_event(chrome);
}

static void put_lost(struct chrome *chrome, const struct feed_item *item)
{
	end_run(chrome, item->stream, item->ns, NULL);
	begin_event(chrome, "i", CPUS_PROCESS,
		    cpu_thread(chrome, item->stream->cpu));
	put_time(chrome, "ts", item->ns);
	json_key_string(&chrome->json, "s", "t");
	json_key_string(&chrome->json, "name", "records lost");
	json_key(&chrome->json, "args");
	json_begin(&chrome->json);
	json_key_uint(&chrome->json, "records", item->lost->nr_lost);
	json_end(&chrome->json);
	end_event(chrome);
}

/* Put a record; return false without memory. */
static bool put_record(struct chrome *chrome, const struct feed_item *item)
{
	const struct vitrine_fxt_record *record = item->record;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return put_switch(chrome, item);
	case VITRINE_FXT_WAKEUP:
		put_wakeup(chrome, item);
		return true;
	case VITRINE_FXT_LOG:
		put_log(chrome, item);
		return true;
	case VITRINE_FXT_EVENT:
		if (record->event.type <= FXT_EVENT_FLOW_END) {
			put_event(chrome, item);
			return true;
		}
		break;
	default:
		break;
	}
	left_out_record(&chrome->left_out, record);
	return true;
}

/* ---- The file ---- */

static struct vitrine_error *put_all(struct chrome *chrome)
{
	struct vitrine_error *err;
	struct feed_item item;

	for (;;) {
		err = feed_next(chrome->feed, &item);
		if (err || item.kind == FEED_END)
			return err;
		if (item.kind == FEED_LOST)
			put_lost(chrome, &item);
		else if (item.kind == FEED_UNTIMED)
			left_out_untimed(&chrome->left_out, item.record);
		else if (item.kind == FEED_RECORD &&
			 (!put_record(chrome, &item) || chrome->ids.no_memory))
			return vtr_error_no_memory();
		/* After the last packet of a CPU, its running thread is unknown. */
		else if (item.kind == FEED_PACKET_END && item.last)
			end_run(chrome, item.stream, item.ns, NULL);
	}
}

static ssize_t append(void *cookie, const char *bytes, size_t len)
{
	struct chrome *chrome = cookie;
	struct vitrine_error *err;

	err = vitrine_writer_append(chrome->writer, bytes, len);
	if (!err)
		return len;
	errno = err->code;
	vitrine_error_destroy(err);
	return 0;
}

/* Write the object with all events, one per line. */
static struct vitrine_error *put_object(struct chrome *chrome)
{
	struct json_writer *json = &chrome->json;
	struct vitrine_error *err;
	uint64_t realtime_ns;
	char text[32];

	json_begin(json);
	json_key_string(json, "displayTimeUnit", "ns");
	if (feed_realtime(chrome->feed, &realtime_ns)) {
		snprintf(text, sizeof(text), "%" PRIu64, realtime_ns);
		json_key(json, "otherData");
		json_begin(json);
		json_key_string(json, "realtime_ns", text);
		json_end(json);
	}
	json_key(json, "traceEvents");
	json_begin_list(json);
	err = put_all(chrome);
	json_newline(json);
	json_end_list(json);
	json_end(json);
	json_finish(json);
	return err;
}

static struct vitrine_error *write_file(struct chrome *chrome, const char *to)
{
	const cookie_io_functions_t functions = { .write = append };
	struct vitrine_error *err;
	FILE *stream;
	bool failed;

	stream = fopencookie(chrome, "w", functions);
	if (!stream)
		return vtr_error_no_memory();
	json_init(&chrome->json, stream, false);
	err = put_object(chrome);
	failed = ferror(stream);
	if (fclose(stream) || failed) {
		vitrine_error_destroy(err);
		err = vitrine_error_create(EIO, to, VITRINE_NO_OFFSET, NULL,
					   "cannot write: %s", strerror(errno));
	}
	return err;
}

static void deinit(struct chrome *chrome)
{
	vitrine_writer_destroy(chrome->writer);
	feed_destroy(chrome->feed);
	fxt_names_deinit(&chrome->threads);
	fxt_names_deinit(&chrome->processes);
	ids_source_deinit(&chrome->cpus);
	ids_source_deinit(&chrome->idle);
	ids_deinit(&chrome->ids);
}

/**
 * chrome_write() - write a trace as JSON trace events
 * @from: Fuchsia trace
 * @to: file to write
 * @faults: faults of @from, which are printed and counted
 *
 * Return: NULL, or an error; then the file does not exist.
 */
struct vitrine_error *chrome_write(const char *from, const char *to,
				   struct faults *faults)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = faults,
	};
	struct chrome chrome = { 0 };
	struct vitrine_error *err;

	err = feed_create(from, &report, &chrome.feed);
	if (!err)
		err = vitrine_writer_create(to, &chrome.writer);
	if (!err)
		err = write_file(&chrome, to);
	if (!err)
		err = vitrine_writer_commit(chrome.writer);
	if (!err)
		left_out_print(&chrome.left_out, from, "Chrome's JSON", stderr);
	deinit(&chrome);
	return err;
}
