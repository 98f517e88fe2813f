// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fill the fields of events, in the order in which dialect.c adds them to the classes, and
 * determine the names and processes of threads. Event classes are not changed.
 */
#include <stdio.h>
#include <string.h>

#include "dialect.h"

/* The kernel's priorities of normal threads begin here. */
#define MAX_RT_PRIO	100
#define NORMAL_PRIO	20

/* ---- Filling fields ---- */

static bt_field *member(bt_field *structure, unsigned int index)
{
	return bt_field_structure_borrow_member_field_by_index(structure,
							       index);
}

static void set_signed(bt_field *structure, unsigned int index, int64_t value)
{
	bt_field_integer_signed_set_value(member(structure, index), value);
}

static void set_text(bt_field *field, const struct vitrine_fxt_string *text)
{
	size_t len = strnlen(text->bytes ? text->bytes : "", text->len_bytes);

	bt_field_string_clear(field);
	bt_field_string_append_with_length(field, text->bytes, len);
}

/* Return the name of a thread as a string, or NULL if there is no memory. */
static struct fxt_name *comm_of(struct dialect *dialect, uint64_t koid)
{
	struct fxt_name *comm = fxt_names_get(&dialect->comms, koid);
	struct vitrine_fxt_string name = { "", 0 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;

	if (!comm || comm->named)
		return comm;
	if (!vitrine_archive_thread(dialect->archive, koid, &name, &process))
		vitrine_archive_process(dialect->archive, koid, &name);
	comm->name.bytes = strndup(name.bytes, name.len_bytes);
	if (!comm->name.bytes)
		return NULL;
	comm->process = process;
	comm->named = true;
	return comm;
}

static const char *idle_on(struct dialect *dialect, uint32_t cpu)
{
	struct dialect_idle *idle = &dialect->idle[cpu % DIALECT_RECENT];

	if (idle->key != cpu + 1ULL) {
		idle->key = cpu + 1ULL;
		snprintf(idle->text, sizeof(idle->text), "swapper/%u", cpu);
	}
	return idle->text;
}

static bool set_comm(struct dialect *dialect, bt_field *structure,
		     unsigned int index, uint64_t koid, uint32_t cpu)
{
	struct dialect_name *recent = &dialect->recent[koid % DIALECT_RECENT];
	const struct fxt_name *comm;

	if (!koid) {
		bt_field_string_set_value(member(structure, index),
					  idle_on(dialect, cpu));
		return true;
	}
	if (!recent->text || recent->key != koid + 1) {
		comm = comm_of(dialect, koid);
		if (!comm)
			return false;
		recent->key = koid + 1;
		recent->text = comm->name.bytes;
	}
	bt_field_string_set_value(member(structure, index), recent->text);
	return true;
}

/* Convert a thread state to the kernel's bits, as in the tracepoint sched_switch. */
static int64_t state_of(unsigned int state)
{
	switch (state) {
	case FXT_THREAD_SUSPENDED:
		return 0x04;
	case FXT_THREAD_BLOCKED:
		return 0x01;
	case FXT_THREAD_DYING:
		return 0x20;
	case FXT_THREAD_DEAD:
		return 0x10;
	default:
		return 0;
	}
}

static int32_t prio_of(uint64_t koid, int64_t priority)
{
	if (!koid || priority == INT32_MIN)
		return NORMAL_PRIO;
	return priority - MAX_RT_PRIO;
}

static int32_t weight_of(const struct vitrine_fxt_record *record,
			 const char *name, uint64_t koid)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	return prio_of(koid, arg ? arg->value.int64 : MAX_RT_PRIO + NORMAL_PRIO);
}

static bool fill_switch(struct dialect *dialect, bt_field *payload,
			const struct vitrine_fxt_record *record)
{
	uint64_t outgoing = record->context_switch.outgoing.thread;
	uint64_t incoming = record->context_switch.incoming.thread;
	bool legacy = record->context_switch.legacy;

	set_signed(payload, 1, outgoing);
	set_signed(payload, 2, legacy ?
		   prio_of(outgoing, record->context_switch.outgoing_priority) :
		   weight_of(record, "outgoing_weight", outgoing));
	set_signed(payload, 3,
		   state_of(record->context_switch.outgoing_state));
	set_signed(payload, 5, incoming);
	set_signed(payload, 6, legacy ?
		   prio_of(incoming, record->context_switch.incoming_priority) :
		   weight_of(record, "incoming_weight", incoming));
	return set_comm(dialect, payload, 0, outgoing, record->cpu) &&
	       set_comm(dialect, payload, 4, incoming, record->cpu);
}

static bool fill_waking(struct dialect *dialect, bt_field *payload,
			const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *waker = fxt_find_arg(record, "waker");

	set_signed(payload, 1, record->wakeup.thread);
	set_signed(payload, 2, weight_of(record, "weight",
					 record->wakeup.thread));
	set_signed(payload, 3, record->cpu);
	set_signed(payload, 4, waker ? waker->value.int64 : -1);
	return set_comm(dialect, payload, 0, record->wakeup.thread,
			record->cpu);
}

static void fill_arg(bt_field *field, const struct vitrine_fxt_arg *arg)
{
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_INT64:
		bt_field_integer_signed_set_value(field, arg->value.int64);
		break;
	case FXT_ARG_UINT32:
	case FXT_ARG_UINT64:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		bt_field_integer_unsigned_set_value(field, arg->value.uint64);
		break;
	case FXT_ARG_BOOL:
		bt_field_integer_unsigned_set_value(field, arg->value.boolean);
		break;
	case FXT_ARG_DOUBLE:
		bt_field_real_double_precision_set_value(field,
							 arg->value.real);
		break;
	case FXT_ARG_STRING_REF:
		set_text(field, &arg->value.string);
		break;
	default:
		bt_field_string_set_value(field, "");
		break;
	}
}

static void fill_payload(bt_field *payload, enum dialect_naming naming,
			 const struct vitrine_fxt_record *record)
{
	unsigned int index = 0, i;

	if (naming == NAMING_SOFTIRQ)
		bt_field_integer_unsigned_set_value(member(payload, index++),
			dialect_softirq(&record->event.name));
	if (naming == NAMING_IRQ)
		set_text(member(payload, index++), &record->event.name);
	if (naming == NAMING_LOG)
		set_text(member(payload, index++), &record->log.message);
	for (i = 0; i < record->nr_args; i++)
		fill_arg(member(payload, index + i), &record->args[i]);
}

static uint64_t id_of(const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		return vitrine_fxt_ns(record->event.id,
				      record->ticks_per_second);
	return record->event.id;
}

static bool fill_event(struct dialect *dialect, bt_event *event,
		       const struct vitrine_fxt_record *record)
{
	bt_field *context = bt_event_borrow_specific_context_field(event);
	const struct vitrine_fxt_thread *thread;
	enum dialect_naming naming = dialect_naming(record);
	const struct fxt_name *comm;

	thread = naming == NAMING_LOG ? &record->log.thread :
					&record->event.thread;
	comm = comm_of(dialect, thread->thread);
	if (!comm)
		return false;
	set_signed(context, 0, thread->thread);
	set_signed(context, 1, thread->process == VITRINE_FXT_NO_PROCESS ?
		   comm->process : thread->process);
	if (naming == NAMING_PLAIN) {
		bt_field_integer_unsigned_set_value(member(context, 2),
						    record->event.type);
		if (fxt_phases[record->event.type].has_word)
			bt_field_integer_unsigned_set_value(member(context, 3),
							    id_of(record));
	}
	fill_payload(bt_event_borrow_payload_field(event), naming, record);
	return true;
}

/**
 * dialect_fill() - fill the fields of an event
 * @dialect: dialect
 * @event: event of the class that dialect_class() returned
 * @record: the record
 *
 * Return: false if there is no memory.
 */
bool dialect_fill(struct dialect *dialect, bt_event *event,
		  const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return fill_switch(dialect,
				   bt_event_borrow_payload_field(event),
				   record);
	case VITRINE_FXT_WAKEUP:
		return fill_waking(dialect,
				   bt_event_borrow_payload_field(event),
				   record);
	default:
		return fill_event(dialect, event, record);
	}
}

/* ---- Processes of threads ---- */

/**
 * dialect_threads() - get the threads that a record refers to
 * @record: the record
 * @ret: receives at most two threads
 *
 * Return: number of threads.
 */
unsigned int dialect_threads(const struct vitrine_fxt_record *record,
			     const struct vitrine_fxt_thread **ret)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		ret[0] = &record->context_switch.outgoing;
		ret[1] = &record->context_switch.incoming;
		return 2;
	case VITRINE_FXT_WAKEUP:
		ret[0] = &record->wakeup;
		return 1;
	case VITRINE_FXT_EVENT:
		ret[0] = &record->event.thread;
		return 1;
	case VITRINE_FXT_LOG:
		ret[0] = &record->log.thread;
		return 1;
	default:
		return 0;
	}
}

/**
 * dialect_forget() - write the processes of all threads again
 * @dialect: dialect
 */
void dialect_forget(struct dialect *dialect)
{
	size_t i;

	memset(dialect->told, 0, sizeof(dialect->told));
	for (i = 0; i < dialect->comms.size; i++)
		dialect->comms.entries[i].used = false;
}

/**
 * dialect_told() - check whether the process of a thread has been written, and mark it so
 * @dialect: dialect
 * @thread: the thread
 * @ret: true if the process has been written before, or is not known; if false, the caller
 *	writes it now
 *
 * Return: false if there is no memory.
 */
bool dialect_told(struct dialect *dialect,
		  const struct vitrine_fxt_thread *thread, bool *ret)
{
	uint64_t *told = &dialect->told[thread->thread % DIALECT_RECENT];
	struct fxt_name *comm;

	*ret = true;
	if (!thread->thread || *told == thread->thread + 1)
		return true;
	comm = comm_of(dialect, thread->thread);
	if (!comm)
		return false;
	if (comm->process == VITRINE_FXT_NO_PROCESS)
		comm->process = thread->process;
	*ret = comm->used || comm->process == VITRINE_FXT_NO_PROCESS;
	comm->used = comm->used || !*ret;
	if (comm->used)
		*told = thread->thread + 1;
	return true;
}

/**
 * dialect_fill_process() - fill the fields of a process_state event
 * @dialect: dialect
 * @event: the event
 * @thread: the thread
 *
 * Fields whose values are not known are 0.
 *
 * Return: false if there is no memory.
 */
bool dialect_fill_process(struct dialect *dialect, bt_event *event,
			  const struct vitrine_fxt_thread *thread)
{
	bt_field *payload = bt_event_borrow_payload_field(event);
	const struct fxt_name *comm = comm_of(dialect, thread->thread);
	unsigned int i;

	if (!comm)
		return false;
	set_signed(payload, 0, thread->thread);
	set_signed(payload, 1, thread->thread);
	set_signed(payload, 2, comm->process);
	set_signed(payload, 3, comm->process);
	set_signed(payload, 4, 0);
	set_signed(payload, 5, 0);
	bt_field_string_set_value(member(payload, 6), comm->name.bytes);
	for (i = 7; i < 12; i++)
		set_signed(payload, i, 0);
	return true;
}
