// SPDX-License-Identifier: GPL-2.0
/*
 * Convert an event to a record according to its kind, and learn the names of threads from
 * it. The functions write reader->record and the name of the interrupt that the CPU serves.
 *
 * ftrace does not tell to which process a thread belongs. In files each thread gets a process
 * of its own.
 */
#include <stdio.h>

#include "error.h"
#include "kernel_words.h"
#include "reader.h"
#include "status.h"

/* ---- Threads ---- */

/* Return the id in the output for a thread of the file. */
static uint64_t told(struct reader *reader, uint64_t tid)
{
	return ids_get(&reader->ids, &reader->told, tid, tid);
}

static struct vitrine_fxt_thread thread_of(struct reader *reader, uint64_t tid)
{
	uint64_t thread = told(reader, tid), process = thread;

	if (reader->process_of)
		process = reader->process_of(reader, tid);
	return (struct vitrine_fxt_thread){
		.process = process, .thread = thread,
	};
}

/* Learn the name of a thread; the names of idle threads are not needed. */
static bool learn_comm(struct reader *reader, uint64_t tid,
		       const struct vitrine_fxt_string *comm)
{
	return !tid || (fxt_names_get(&reader->named, tid) &&
			fxt_out_name_thread(reader->out, told(reader, tid),
					    VITRINE_FXT_NO_PROCESS, comm));
}

static bool learn_field(struct reader *reader, const struct kind *kind,
			const struct tep_record *from, const char *field,
			uint64_t tid)
{
	struct vitrine_fxt_string comm;

	return !get_text(kind, from, field, &comm) ||
	       learn_comm(reader, tid, &comm);
}

/* Look up the name of a thread in the list of the file if no event has given it so far. */
static void learn_listed(struct reader *reader, uint64_t tid)
{
	struct vitrine_fxt_string comm;

	if (fxt_names_find(&reader->named, tid) ||
	    !tep_is_pid_registered(reader->tep, tid))
		return;
	comm.bytes = tep_data_comm_from_pid(reader->tep, tid);
	comm.len_bytes = strlen(comm.bytes);
	learn_comm(reader, tid, &comm);
}

/* Return the thread of an event. The idle thread of each CPU gets a thread of its own. */
static struct vitrine_fxt_thread event_thread(struct reader *reader,
					      const struct tep_record *from,
					      int64_t tid)
{
	static const struct vitrine_fxt_string idle = { "idle", 4 };
	const uint64_t id = KERNEL_IDLE_EVENTS(from->cpu);
	struct vitrine_fxt_thread thread = { 0 };

	if (tid) {
		learn_listed(reader, tid);
		return thread_of(reader, tid);
	}
	thread.thread = ids_get(&reader->ids, &reader->made_up, id, id);
	fxt_out_name_thread(reader->out, thread.thread, 0, &idle);
	return thread;
}

/* ---- Scheduling ---- */

/* Convert a context switch. Return false if the event lacks a field of a switch. */
static bool make_switch(struct reader *reader, const struct kind *kind,
			const struct tep_record *from)
{
	struct vitrine_fxt_record *record = &reader->record;
	int64_t prev, prev_prio, state, next, next_prio;

	if (!get_number(kind, from, "prev_pid", &prev) ||
	    !get_number(kind, from, "prev_prio", &prev_prio) ||
	    !get_number(kind, from, "prev_state", &state) ||
	    !get_number(kind, from, "next_pid", &next) ||
	    !get_number(kind, from, "next_prio", &next_prio) ||
	    !learn_field(reader, kind, from, "prev_comm", prev) ||
	    !learn_field(reader, kind, from, "next_comm", next))
		return false;
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(reader, prev);
	record->context_switch.incoming = thread_of(reader, next);
	record->context_switch.outgoing_state = kernel_state(state);
	record->context_switch.outgoing_priority =
		kernel_priority(prev, prev_prio);
	record->context_switch.incoming_priority =
		kernel_priority(next, next_prio);
	record->context_switch.legacy = true;
	return true;
}

static bool make_wakeup(struct reader *reader, const struct kind *kind,
			const struct tep_record *from, int64_t waker)
{
	struct vitrine_fxt_record *record = &reader->record;
	int64_t tid, prio;

	if (!get_number(kind, from, "pid", &tid) ||
	    !get_number(kind, from, "prio", &prio) ||
	    !learn_field(reader, kind, from, "comm", tid))
		return false;
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(reader, tid);
	fxt_add_weight(record, "weight", kernel_priority(tid, prio));
	if (kind->exact)
		fxt_add_waker(record, told(reader, waker));
	return true;
}

/* ---- Other events ---- */

/* Learn the name of a thread that was created during the recording. */
static void learn_child(struct reader *reader, const struct kind *kind,
			const struct tep_record *from)
{
	int64_t tid;

	if (get_number(kind, from, "child_pid", &tid))
		learn_field(reader, kind, from, "child_comm", tid);
}

/* Name an interrupt. Only the event at the entry of the handler has the name. */
static void name_irq(struct reader *reader, struct cpu *cpu,
		     const struct kind *kind, const struct tep_record *from)
{
	struct vitrine_fxt_string name;

	if (get_text(kind, from, "name", &name))
		snprintf(cpu->irq, sizeof(cpu->irq), "%.*s",
			 (int)name.len_bytes, name.bytes);
	reader->record.event.name = (struct vitrine_fxt_string){
		cpu->irq, strlen(cpu->irq) };
}

static void name_softirq(struct reader *reader, const struct kind *kind,
			 const struct tep_record *from)
{
	int64_t vector = -1;
	const char *name;

	get_number(kind, from, "vec", &vector);
	name = kernel_softirq(vector);
	reader->record.event.name = (struct vitrine_fxt_string){
		name, strlen(name) };
}

static void make_event(struct reader *reader, struct cpu *cpu,
		       const struct kind *kind, const struct tep_record *from,
		       int64_t tid)
{
	struct vitrine_fxt_record *record = &reader->record;
	const char *in_name = NULL;	/* field that is no argument */

	record->kind = VITRINE_FXT_EVENT;
	record->event.type = kind->type;
	record->event.thread = event_thread(reader, from, tid);
	record->event.category = kind->category;
	record->event.name = kind->name;
	record->event.id = 0;
	if (kind->kind == KIND_SOFTIRQ) {
		name_softirq(reader, kind, from);
		in_name = "vec";
	} else if (kind->kind == KIND_IRQ) {
		name_irq(reader, cpu, kind, from);
		in_name = "name";
	}
	add_arguments(reader, kind, from, in_name);
}

/* Convert a text that was written to the kernel's file trace_marker, without its newline. */
static void make_log(struct reader *reader, const struct kind *kind,
		     const struct tep_record *from, int64_t tid)
{
	struct vitrine_fxt_record *record = &reader->record;
	struct vitrine_fxt_string *text = &record->log.message;

	record->kind = VITRINE_FXT_LOG;
	record->log.thread = event_thread(reader, from, tid);
	*text = (struct vitrine_fxt_string){ 0 };
	get_text(kind, from, "buf", text);
	while (text->len_bytes && text->bytes[text->len_bytes - 1] == '\n')
		text->len_bytes--;
}

/**
 * tell() - report an error to the command that started this program
 * @err: the error, which is destroyed
 *
 * Return: EXIT_FAILURE.
 */
int tell(struct vitrine_error *err)
{
	dprintf(HELPER_STATUS_FD, "%d\n%s\n%s\n", err->code, err->message,
		err->advice ? err->advice : "");
	vitrine_error_destroy(err);
	return EXIT_FAILURE;
}

/* Convert an event. Return false if there is no record to write. */
static bool make_record(struct reader *reader, struct cpu *cpu,
			const struct kind *kind, const struct tep_record *from)
{
	int64_t tid = 0;

	get_number(kind, from, "common_pid", &tid);
	switch (kind->kind) {
	case KIND_SWITCH:
		if (make_switch(reader, kind, from))
			return true;
		break;
	case KIND_WAKEUP:
		if (make_wakeup(reader, kind, from, tid))
			return true;
		break;
	case KIND_LOG:
		make_log(reader, kind, from, tid);
		return true;
	case KIND_FORK:
		learn_child(reader, kind, from);
		make_event(reader, cpu, kind, from, tid);
		return true;
	default:
		make_event(reader, cpu, kind, from, tid);
		return true;
	}
	reader->left_out.nr[LEFT_OUT_SCHEDULING]++;
	return false;
}

/**
 * put_event() - convert an event to a record, and write the record
 * @reader: the file, or the session
 * @cpu: CPU of the event; its @last_ns is the time of the event
 * @from: the event
 *
 * The names of threads in the event are learnt and apply to the records that follow.
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *put_event(struct reader *reader, struct cpu *cpu,
				struct tep_record *from)
{
	struct vitrine_fxt_record *record = &reader->record;
	struct tep_event *event;
	const struct kind *kind;
	bool make;

	event = tep_find_event_by_record(reader->tep, from);
	if (!event) {
		reader->left_out.nr[LEFT_OUT_UNKNOWN]++;
		return NULL;
	}
	kind = kind_of(reader, event);
	if (!kind)
		return vtr_error_no_memory();
	record->nr_args = 0;
	record->timed = true;
	record->ticks = cpu->last_ns;
	record->cpu = from->cpu;
	make = make_record(reader, cpu, kind, from);
	if (reader->ids.no_memory)
		return vtr_error_no_memory();
	return make ? fxt_lane_out_put(cpu->lane, record) : NULL;
}

/**
 * reader_deinit() - free what a source has read, apart from its events
 * @reader: the file, or the session
 */
void reader_deinit(struct reader *reader)
{
	free(reader->cpus);
	fxt_out_destroy(reader->out);
	fxt_names_deinit(&reader->named);
	ids_source_deinit(&reader->told);
	ids_source_deinit(&reader->made_up);
	ids_deinit(&reader->ids);
	destroy_kinds(reader);
}
