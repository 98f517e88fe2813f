// SPDX-License-Identifier: GPL-2.0
/*
 * Classify event types by their names. Each type is classified once, when its first event
 * is read.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <search.h>
#include <stdlib.h>

#include "kernel_words.h"
#include "reader.h"
#include "read_tracefs.h"
#include "registry.h"

static int compare_kinds(const void *left, const void *right)
{
	const struct kind *a = left, *b = right;

	return (a->event > b->event) - (a->event < b->event);
}

static struct vitrine_fxt_string string_of(const char *text)
{
	return (struct vitrine_fxt_string){ text, strlen(text) };
}

static bool is_event(const struct kind *kind, const char *system,
		     const char *name)
{
	return !strcmp(kind->event->system, system) &&
	       !strcmp(kind->event->name, name);
}

/* Check for NAME_entry or NAME_exit, and remove the suffix from the name. */
static bool is_entry_or_exit(struct kind *kind)
{
	const char *end = strrchr(kind->event->name, '_');

	if (!end)
		return false;
	if (!strcmp(end, "_entry"))
		kind->type = FXT_EVENT_DURATION_BEGIN;
	else if (!strcmp(end, "_exit"))
		kind->type = FXT_EVENT_DURATION_END;
	else
		return false;
	kind->category = string_of("irq");
	kind->name.len_bytes = end - kind->name.bytes;
	return true;
}

/* Check for the begin or end of a duration: a system call or an interrupt. */
static bool classify_duration(struct kind *kind)
{
	const char *system = kind->event->system, *name = kind->event->name;

	if (!strcmp(system, "syscalls")) {
		if (kernel_skip_prefix(name, "sys_enter_", &name))
			kind->type = FXT_EVENT_DURATION_BEGIN;
		else if (kernel_skip_prefix(name, "sys_exit_", &name))
			kind->type = FXT_EVENT_DURATION_END;
		else
			return false;
		kind->category = string_of("syscall");
		kind->name = string_of(name);
		return true;
	}
	if (!strcmp(system, "irq_vectors")) {
		if (!is_entry_or_exit(kind))
			return false;
		if (kernel_is_ipi(&kind->name))
			kind->category = string_of("ipi");
		return true;
	}
	if (strcmp(system, "irq") || !is_entry_or_exit(kind))
		return false;
	if (fxt_string_is(&kind->name, "softirq"))
		kind->kind = KIND_SOFTIRQ;
	else if (fxt_string_is(&kind->name, "irq_handler"))
		kind->kind = KIND_IRQ;
	return true;
}

/* The category of our own probes is "kprobe" or "uprobe", not their group. */
static void name_probe(struct kind *kind)
{
	const char *rest, *type;

	if (kernel_skip_prefix(kind->event->system, TRACEFS_PREFIX, &rest)) {
		type = strchr(rest, '_');
		if (type)
			kind->category = string_of(type + 1);
	}
}

static void classify(const struct reader *reader, struct kind *kind)
{
	kind->kind = KIND_OTHER;
	kind->type = FXT_EVENT_INSTANT;
	kind->category = string_of(kind->event->system);
	kind->name = string_of(kind->event->name);
	kind->exact = !is_event(kind, "sched", "sched_wakeup");
	if (reader->beside) {
		name_probe(kind);
		return;
	}
	if (is_event(kind, "sched", "sched_switch"))
		kind->kind = KIND_SWITCH;
	else if (is_event(kind, "sched", "sched_waking") ||
		 is_event(kind, "sched", "sched_wakeup_new") ||
		 (!kind->exact && !reader->waking))
		kind->kind = KIND_WAKEUP;
	else if (is_event(kind, "sched", "sched_process_fork"))
		kind->kind = KIND_FORK;
	else if (is_event(kind, "ftrace", "print"))
		kind->kind = KIND_LOG;
	else
		classify_duration(kind);
}

/**
 * kind_of() - look up how events of a type are converted
 * @reader: the file
 * @event: description of the type by libtracecmd
 *
 * Return: the kind, NULL if there is no memory.
 */
const struct kind *kind_of(struct reader *reader, struct tep_event *event)
{
	struct kind wanted = { .event = event }, *kind;
	bool is_new;

	kind = registry_get(&reader->kinds, &wanted, sizeof(wanted),
			    compare_kinds, &is_new);
	if (kind && is_new)
		classify(reader, kind);
	return kind;
}

/**
 * destroy_kinds() - free all kinds
 * @reader: the file
 */
void destroy_kinds(struct reader *reader)
{
	tdestroy(reader->kinds, free);
}
