// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Classify event classes by their names. Each class is classified once, when its first event
 * is read.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "kernel_words.h"
#include "registry.h"
#include "sink_class.h"

/* LTTng subtracts this from the kernel's priorities. */
#define MAX_RT_PRIO	100

static const struct sink_fields lttng_fields = {
	.outgoing = "prev_tid",
	.incoming = "next_tid",
	.woken = "tid",
	.prio_base = MAX_RT_PRIO,
};

static const char * const perf_said[] = {
	"perf_tid", "perf_pid", "common_type", "common_pid",
	"prev_comm", "prev_pid", "prev_prio", "prev_state",
	"next_comm", "next_pid", "next_prio", "comm", "pid", "prio", NULL,
};

/* Field names of the kernel's tracepoints, and those that perf adds. */
static const struct sink_fields perf_fields = {
	.outgoing = "prev_pid",
	.incoming = "next_pid",
	.woken = "pid",
	.thread = "perf_tid",
	.process = "perf_pid",
	.said = perf_said,
};

static int compare_classes(const void *left, const void *right)
{
	const struct sink_class *a = left, *b = right;

	return (a->class > b->class) - (a->class < b->class);
}

static void free_class(void *node)
{
	struct sink_class *class = node;

	bt_event_class_put_ref(class->class);
	free(class->text);
	free(class);
}

/* Check whether the stream class has an event class @name, with or without a subsystem. */
static bool has_class(const bt_event_class *class, const char *name)
{
	const bt_stream_class *stream_class;
	const char *other, *colon;
	uint64_t i;

	stream_class = bt_event_class_borrow_stream_class_const(class);
	for (i = 0; i < bt_stream_class_get_event_class_count(stream_class);
	     i++) {
		other = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(
				stream_class, i));
		colon = other ? strchr(other, ':') : NULL;
		if (other && !strcmp(colon ? colon + 1 : other, name))
			return true;
	}
	return false;
}

/* Check for a class of perf, whose payload has the thread of the event. */
static bool is_perf(const bt_event_class *class)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class);

	return payload &&
	       bt_field_class_structure_borrow_member_by_name_const(
			payload, perf_fields.thread);
}

static void set_names(struct sink_class *class, const char *category,
		      const char *name, size_t len_bytes)
{
	class->category = (struct vitrine_fxt_string){
		category, strlen(category) };
	class->name = (struct vitrine_fxt_string){ name, len_bytes };
}

static bool is_entry(struct sink_class *class, const char *end)
{
	class->type = FXT_EVENT_DURATION_BEGIN;
	if (!strcmp(end, "entry"))
		return true;
	class->type = FXT_EVENT_DURATION_END;
	return !strcmp(end, "exit");
}

/* Check for the begin or end of a duration: a system call or an interrupt. */
static bool classify_duration(struct sink_class *class, const char *text)
{
	const char *rest = text, *end;

	kernel_skip_prefix(text, "compat_", &rest);
	if (kernel_skip_prefix(rest, "syscall_entry_", &rest) ||
	    kernel_skip_prefix(rest, "sys_enter_", &rest))
		class->type = FXT_EVENT_DURATION_BEGIN;
	else if (kernel_skip_prefix(rest, "syscall_exit_", &rest) ||
		 kernel_skip_prefix(rest, "sys_exit_", &rest))
		class->type = FXT_EVENT_DURATION_END;
	if (class->type) {
		class->kind = KIND_SYSCALL;
		set_names(class, "syscall", rest, strlen(rest));
		return true;
	}
	set_names(class, "irq", "", 0);
	/* The names of LTTng before 2.8 lack "irq_". */
	if ((kernel_skip_prefix(text, "irq_softirq_", &rest) ||
	     kernel_skip_prefix(text, "softirq_", &rest)) && is_entry(class, rest)) {
		class->kind = KIND_SOFTIRQ;
		return true;
	}
	if (kernel_skip_prefix(text, "irq_handler_", &rest) && is_entry(class, rest)) {
		class->kind = KIND_IRQ;
		return true;
	}
	end = strrchr(text, '_');
	if (kernel_skip_prefix(text, DIALECT_VECTOR_PREFIX, &rest) && end > rest &&
	    is_entry(class, end + 1)) {
		class->kind = KIND_VECTOR;
		set_names(class, "irq", rest, end - rest);
		if (kernel_is_ipi(&class->name))
			set_names(class, "ipi", rest, end - rest);
		return true;
	}
	return false;
}

static void classify(struct sink_class *class)
{
	const char *text = class->text, *colon = strchr(text, ':');

	class->fields = is_perf(class->class) ? &perf_fields : &lttng_fields;
	/* In perf's files the name of the subsystem precedes the name. */
	if (class->fields == &perf_fields && colon)
		text = colon + 1;
	class->exact = strcmp(text, "sched_wakeup");
	if (!strcmp(text, "sched_switch")) {
		class->kind = KIND_SWITCH;
	} else if (!strcmp(text, "sched_waking") ||
		   !strcmp(text, "sched_wakeup_new") ||
		   (!class->exact && !has_class(class->class, "sched_waking"))) {
		class->kind = KIND_WAKEUP;
	} else if (!strcmp(text, "lttng_statedump_process_state") ||
		   !strcmp(text, "perf_comm")) {
		class->kind = KIND_PROCESS;
	} else if (!strcmp(text, DIALECT_LOG)) {
		class->kind = KIND_LOG;
	} else if (!classify_duration(class, text)) {
		class->kind = strcmp(text, "sched_process_fork") ? KIND_OTHER :
								   KIND_FORK;
		class->type = FXT_EVENT_INSTANT;
		set_names(class, "kernel", text, strlen(text));
		if (colon) {
			set_names(class, class->text, colon + 1,
				  strlen(colon + 1));
			class->category.len_bytes = colon - class->text;
		}
	}
}

/**
 * sink_class_of() - look up how events of a class are converted
 * @classes: registry of the classes so far
 * @class: the class
 *
 * Return: the class with its classification, or NULL if there is no memory.
 */
const struct sink_class *sink_class_of(void **classes,
				       const bt_event_class *class)
{
	const char *name = bt_event_class_get_name(class);
	struct sink_class wanted = { .class = class }, *entry;
	bool is_new;

	entry = registry_get(classes, &wanted, sizeof(wanted),
			     compare_classes, &is_new);
	if (!entry)
		return NULL;
	if (is_new)
		bt_event_class_get_ref(class);
	if (!entry->text) {
		entry->text = strdup(name ? name : "event");
		if (!entry->text)
			return NULL;
		classify(entry);
	}
	return entry;
}

/**
 * sink_class_destroy_all() - free all classes
 * @classes: registry of the classes
 */
void sink_class_destroy_all(void *classes)
{
	tdestroy(classes, free_class);
}
