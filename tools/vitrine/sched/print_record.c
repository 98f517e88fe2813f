// SPDX-License-Identifier: GPL-2.0
/*
 * Print one record of a trace as one line of text:
 *
 *	  SECONDS.NANOSECONDS [CPU] what  details
 *
 * Context switches are frequent, so the parts of their lines are cached: labels of
 * threads, and the text of the current second.
 */
#include <stdio.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "print_record.h"

#define NSEC_PER_SEC	1000000000ULL

static void split_time(struct print_state *state,
		       const struct vitrine_fxt_record *record, uint64_t ticks,
		       uint64_t *ret_s, uint64_t *ret_ns)
{
	uint64_t rate = record->ticks_per_second, rest;

	/* Unsigned arithmetic: a time before the second is far beyond it, too. */
	if (rate != state->rate || ticks - state->second_ticks >= rate) {
		state->rate = rate;
		state->second = ticks / rate;
		state->second_ticks = state->second * rate;
	}
	rest = ticks - state->second_ticks;
	*ret_s = state->second;
	if (rate == NSEC_PER_SEC)
		*ret_ns = rest;
	else if (rest < UINT64_MAX / NSEC_PER_SEC)
		*ret_ns = rest * NSEC_PER_SEC / rate;
	else
		*ret_ns = (__uint128_t)rest * NSEC_PER_SEC / rate;
}

static void find_time(struct print_state *state,
		      const struct vitrine_fxt_record *record, uint64_t ticks,
		      uint64_t *ret_s, uint64_t *ret_ns)
{
	split_time(state, record, ticks, ret_s, ret_ns);
	*ret_s -= state->base_s;
	if (*ret_ns < state->base_ns) {
		*ret_ns += NSEC_PER_SEC;
		--*ret_s;
	}
	*ret_ns -= state->base_ns;
}

static void put_time(struct print_state *state,
		     const struct vitrine_fxt_record *record, uint64_t ticks)
{
	uint64_t s, ns;

	find_time(state, record, ticks, &s, &ns);
	line_put_number(&state->out, s, 0, ' ');
	line_put_char(&state->out, '.');
	line_put_nine(&state->out, ns);
}

/* Put the first column; its seconds rarely change from line to line. */
static void put_time_column(struct print_state *state,
			    const struct vitrine_fxt_record *record)
{
	uint64_t s, ns;
	int len;

	find_time(state, record, record->ticks, &s, &ns);
	if (s != state->shown_s || !state->len_seconds) {
		len = snprintf(state->seconds, sizeof(state->seconds),
			       "%6llu.", (unsigned long long)s);
		state->len_seconds = len;
		state->shown_s = s;
	}
	line_put_array(&state->out, state->seconds, state->len_seconds);
	line_put_nine(&state->out, ns);
}

static void put_quoted(struct print_state *state,
		       const struct vitrine_fxt_string *string)
{
	line_put_char(&state->out, '"');
	line_put_text(&state->out, string->bytes, string->len_bytes);
	line_put_char(&state->out, '"');
}

static struct vitrine_fxt_string find_name(struct print_state *state,
					   const struct vitrine_fxt_thread *thread,
					   uint64_t *ret_process)
{
	struct vitrine_fxt_string name = { "?", 1 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;

	if (!vitrine_archive_thread(state->archive, thread->thread, &name,
				    &process) && !thread->thread)
		name = (struct vitrine_fxt_string){ "idle", 4 };
	*ret_process = thread->process == VITRINE_FXT_NO_PROCESS ?
		       process : thread->process;
	return name;
}

/* Put the label of a thread, and cache it if it is contiguous in the buffer. */
static void put_new_label(struct print_state *state, struct print_label *label,
			  const struct vitrine_fxt_thread *thread)
{
	struct line_output *out = &state->out;
	struct vitrine_fxt_string name;
	uint64_t process;
	const char *from;
	ptrdiff_t len;

	line_room(out);
	from = out->at;
	name = find_name(state, thread, &process);
	line_put_text(out, name.bytes, name.len_bytes);
	line_put_char(out, ':');
	line_put_number(out, thread->thread, 0, ' ');
	if (process != VITRINE_FXT_NO_PROCESS) {
		line_put_char(out, '/');
		line_put_number(out, process, 0, ' ');
	}
	len = out->at - from;
	label->thread = *thread;
	label->known = true;
	label->len_bytes = 0;
	/* A long name, or a flush in between: @from is not the begin of the label. */
	if (name.len_bytes > PRINT_LABEL_BYTES || len <= 0 ||
	    len > PRINT_LABEL_BYTES)
		return;
	memcpy(label->text, from, len);
	label->len_bytes = len;
}

static void put_thread(struct print_state *state,
		       const struct vitrine_fxt_thread *thread)
{
	struct print_label *label = &state->labels[thread->thread %
						   PRINT_LABELS];

	if (!label->known || label->thread.thread != thread->thread ||
	    label->thread.process != thread->process || !label->len_bytes)
		put_new_label(state, label, thread);
	else
		line_put_array(&state->out, label->text, label->len_bytes);
}

static void put_value(struct print_state *state,
		      const struct vitrine_fxt_arg *arg)
{
	struct line_output *out = &state->out;

	switch (arg->type) {
	case FXT_ARG_NULL:
		line_put_string(out, "null");
		break;
	case FXT_ARG_INT32:
	case FXT_ARG_INT64:
		line_put_signed(out, arg->value.int64);
		break;
	case FXT_ARG_UINT32:
	case FXT_ARG_UINT64:
	case FXT_ARG_KOID:
		line_put_number(out, arg->value.uint64, 0, ' ');
		break;
	case FXT_ARG_DOUBLE:
		line_put_real(out, arg->value.real);
		break;
	case FXT_ARG_STRING_REF:
		put_quoted(state, &arg->value.string);
		break;
	case FXT_ARG_POINTER:
		line_put_hex(out, arg->value.uint64, 0);
		break;
	case FXT_ARG_BOOL:
		line_put_string(out, arg->value.boolean ? "true" : "false");
		break;
	default:
		line_put_string(out, "(type ");
		line_put_number(out, arg->type, 0, ' ');
		line_put_char(out, ')');
		break;
	}
}

static void put_args(struct print_state *state,
		     const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++) {
		line_room(&state->out);
		line_put_char(&state->out, ' ');
		line_put_text(&state->out, record->args[i].name.bytes,
			      record->args[i].name.len_bytes);
		line_put_char(&state->out, '=');
		put_value(state, &record->args[i]);
	}
}

static void put_state(struct line_output *out, unsigned int state)
{
	const char *name = vitrine_fxt_state_name(state);

	line_put_char(out, ' ');
	if (name) {
		line_put_string(out, name);
	} else {
		line_put_string(out, "state ");
		line_put_number(out, state, 0, ' ');
	}
	line_put_string(out, " ==> ");
}

/* Put a priority, which is at most 255. */
static void put_priority(struct line_output *out, unsigned int priority)
{
	line_put(out, " [", 2);
	if (priority >= 100)
		line_put_char(out, '0' + priority / 100);
	if (priority >= 10)
		line_put_char(out, '0' + priority / 10 % 10);
	line_put_char(out, '0' + priority % 10);
	line_put_char(out, ']');
}

static void put_switch(struct print_state *state,
		       const struct vitrine_fxt_record *record)
{
	bool legacy = record->context_switch.legacy;
	struct line_output *out = &state->out;

	line_put_string(out, "switch  ");
	put_thread(state, &record->context_switch.outgoing);
	if (legacy)
		put_priority(out, record->context_switch.outgoing_priority);
	put_state(out, record->context_switch.outgoing_state);
	put_thread(state, &record->context_switch.incoming);
	if (legacy)
		put_priority(out, record->context_switch.incoming_priority);
	put_args(state, record);
}

/* Put "thread category:name". */
static void put_subject(struct print_state *state,
			const struct vitrine_fxt_thread *thread,
			const struct vitrine_fxt_string *category,
			const struct vitrine_fxt_string *name)
{
	put_thread(state, thread);
	line_put_char(&state->out, ' ');
	line_put_text(&state->out, category->bytes, category->len_bytes);
	line_put_char(&state->out, ':');
	line_put_text(&state->out, name->bytes, name->len_bytes);
}

static void put_event(struct print_state *state,
		      const struct vitrine_fxt_record *record)
{
	static const char spaces[] = "        ";
	unsigned int type = record->event.type;
	const char *name = vitrine_fxt_event_name(type) ?: "event";
	size_t len = strlen(name);

	line_put_string(&state->out, name);
	line_put_string(&state->out, spaces + (len < 7 ? len : 7));
	put_subject(state, &record->event.thread, &record->event.category,
		    &record->event.name);
	if (type == FXT_EVENT_DURATION_COMPLETE) {
		line_put_string(&state->out, " until ");
		put_time(state, record, record->event.id);
	} else if (vitrine_fxt_event_has_id(type)) {
		line_put_string(&state->out, " id ");
		line_put_number(&state->out, record->event.id, 0, ' ');
	}
	put_args(state, record);
}

static void put_blob(struct print_state *state,
		     const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	line_put_string(out, "blob    ");
	put_quoted(state, &record->blob.name);
	line_put_string(out, " type ");
	line_put_number(out, record->blob.type, 0, ' ');
	line_put_string(out, ", ");
	line_put_number(out, record->blob.payload.len_bytes, 0, ' ');
	line_put_string(out, " bytes");
}

static void put_large_blob(struct print_state *state,
			   const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	line_put_string(out, "large-blob ");
	if (record->timed) {
		put_subject(state, &record->large_blob.thread,
			    &record->large_blob.category,
			    &record->large_blob.name);
	} else {
		line_put_text(out, record->large_blob.category.bytes,
			      record->large_blob.category.len_bytes);
		line_put_char(out, ':');
		line_put_text(out, record->large_blob.name.bytes,
			      record->large_blob.name.len_bytes);
	}
	line_put_char(out, ' ');
	line_put_number(out, record->large_blob.payload.len_bytes, 0, ' ');
	line_put_string(out, " bytes");
	put_args(state, record);
}

static void put_kernel_object(struct print_state *state,
			      const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	line_put_string(out, "object  ");
	switch (record->kernel_object.type) {
	case FXT_OBJECT_TYPE_PROCESS:
		line_put_string(out, "process ");
		break;
	case FXT_OBJECT_TYPE_THREAD:
		line_put_string(out, "thread ");
		break;
	default:
		line_put_string(out, "type ");
		line_put_number(out, record->kernel_object.type, 0, ' ');
		line_put_char(out, ' ');
		break;
	}
	line_put_number(out, record->kernel_object.koid, 0, ' ');
	line_put_char(out, ' ');
	put_quoted(state, &record->kernel_object.name);
	put_args(state, record);
}

static void put_userspace_object(struct print_state *state,
				 const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	line_put_string(out, "object  ");
	line_put_hex(out, record->userspace_object.pointer, 0);
	line_put_string(out, " of process ");
	line_put_number(out, record->userspace_object.process, 0, ' ');
	line_put_char(out, ' ');
	put_quoted(state, &record->userspace_object.name);
	put_args(state, record);
}

static void put_provider(struct print_state *state,
			 const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	if (record->kind == VITRINE_FXT_PROVIDER_EVENT &&
	    record->provider_info.event == FXT_PROVIDER_EVENT_BUFFER_FULL) {
		line_put_string(out, "lost    provider ");
		line_put_number(out, record->provider, 0, ' ');
		line_put_string(out, ": a buffer filled up");
		return;
	}
	line_put_string(out, "provider ");
	line_put_number(out, record->provider, 0, ' ');
	if (record->kind == VITRINE_FXT_PROVIDER_INFO) {
		line_put_char(out, ' ');
		put_quoted(state, &record->provider_info.name);
	} else if (record->kind == VITRINE_FXT_PROVIDER_EVENT) {
		line_put_string(out, " event ");
		line_put_number(out, record->provider_info.event, 0, ' ');
	}
}

static void put_table_entry(struct print_state *state,
			    const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	if (record->kind == VITRINE_FXT_STRING) {
		line_put_string(out, "string  ");
		line_put_number(out, record->string.index, 0, ' ');
		line_put_string(out, " = ");
		put_quoted(state, &record->string.value);
		return;
	}
	line_put_string(out, "thread  ");
	line_put_number(out, record->thread.index, 0, ' ');
	line_put_string(out, " = ");
	put_thread(state, &record->thread.thread);
}

static void put_details(struct print_state *state,
			const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		put_switch(state, record);
		break;
	case VITRINE_FXT_WAKEUP:
		line_put_string(out, "wakeup  ");
		put_thread(state, &record->wakeup);
		put_args(state, record);
		break;
	case VITRINE_FXT_EVENT:
		put_event(state, record);
		break;
	case VITRINE_FXT_LOG:
		line_put_string(out, "log     ");
		put_thread(state, &record->log.thread);
		line_put_char(out, ' ');
		put_quoted(state, &record->log.message);
		break;
	case VITRINE_FXT_LARGE_BLOB:
		put_large_blob(state, record);
		break;
	case VITRINE_FXT_BLOB:
		put_blob(state, record);
		break;
	case VITRINE_FXT_KERNEL_OBJECT:
		put_kernel_object(state, record);
		break;
	case VITRINE_FXT_USERSPACE_OBJECT:
		put_userspace_object(state, record);
		break;
	case VITRINE_FXT_PROVIDER_INFO:
	case VITRINE_FXT_PROVIDER_SECTION:
	case VITRINE_FXT_PROVIDER_EVENT:
		put_provider(state, record);
		break;
	case VITRINE_FXT_STRING:
	case VITRINE_FXT_THREAD:
		put_table_entry(state, record);
		break;
	case VITRINE_FXT_MAGIC:
		line_put_string(out, "magic");
		break;
	case VITRINE_FXT_INITIALIZATION:
		line_put_string(out, "clock   ");
		line_put_number(out, record->ticks_per_second, 0, ' ');
		line_put_string(out, " ticks a second");
		break;
	default:
		line_put_string(out, "unknown record of type ");
		line_put_number(out, record->type, 0, ' ');
		line_put_string(out, ", ");
		line_put_number(out, record->nr_words, 0, ' ');
		line_put_string(out, " words");
		break;
	}
}

static void put_cpu(struct line_output *out, unsigned int cpu)
{
	if (cpu >= 1000) {
		line_put_number(out, cpu, 0, ' ');
		return;
	}
	line_put_char(out, '0' + cpu / 100);
	line_put_char(out, '0' + cpu / 10 % 10);
	line_put_char(out, '0' + cpu % 10);
}

/**
 * print_record() - print one record
 * @state: state kept from line to line
 * @record: record
 */
void print_record(struct print_state *state,
		  const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	line_room(out);
	if (state->all) {
		line_put_hex(out, record->offset, 8);
		line_put_char(out, ' ');
	}
	put_time_column(state, record);
	if (record->cpu == VITRINE_FXT_NO_CPU) {
		line_put(out, " [---] ", 7);
	} else {
		line_put(out, " [", 2);
		put_cpu(out, record->cpu);
		line_put(out, "] ", 2);
	}
	put_details(state, record);
	line_room(out);
	line_put_char(out, '\n');
}
