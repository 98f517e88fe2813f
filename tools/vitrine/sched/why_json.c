// SPDX-License-Identifier: GPL-2.0
/*
 * Write the report of `vitrine latency --why --json'. Documentation/json.rst has the
 * schema.
 */
#include <stdlib.h>

#include "latency_report.h"
#include "record_json.h"
#include "ui/json.h"
#include "why.h"

static void key_thread(struct json_writer *json, const struct why *why,
		       const char *key, uint64_t koid)
{
	const struct vitrine_fxt_thread thread = { VITRINE_FXT_NO_PROCESS, koid };

	json_key(json, key);
	record_json_thread(json, why->sched.archive, &thread);
}

static void key_text(struct json_writer *json, const struct why *why,
		     const char *key, uint32_t number)
{
	if (number)
		json_key_string(json, key, why_text(&why->texts, number));
}

/* Write a stack as an array of frames, outermost first. */
static void key_stack(struct json_writer *json, const struct why *why,
		      const char *key, uint32_t number)
{
	const char *at = why_text(&why->texts, number), *frame;
	size_t len;

	if (!number)
		return;
	json_key(json, key);
	json_begin_list(json);
	while (why_frame_next(&at, &frame, &len)) {
		json_item(json);
		json_text(json, frame, len);
	}
	json_end_list(json);
}

static void write_waker(struct json_writer *json, const struct why *why,
			const struct why_waker *waker)
{
	if (!waker->known && !waker->interrupt)
		return;
	json_key(json, "waker");
	json_begin(json);
	json_key_uint(json, "cpu", waker->cpu);
	key_text(json, why, "interrupt", waker->interrupt);
	if (waker->known)
		key_thread(json, why, "thread", waker->thread);
	json_end(json);
}

static void write_request(struct json_writer *json, const struct why *why,
			  const struct why_request *request)
{
	if (!request->disk)
		return;
	json_key(json, "request");
	json_begin(json);
	key_text(json, why, "disk", request->disk);
	key_text(json, why, "operation", request->operation);
	json_key_uint(json, "bytes", request->bytes);
	json_key_uint(json, "begin_ns", request->begin_ns);
	json_key_uint(json, "end_ns", request->end_ns);
	json_end(json);
}

static void write_link(struct json_writer *json, const struct why *why,
		       const struct why_link *link)
{
	json_begin(json);
	key_thread(json, why, "thread", link->thread);
	json_key_uint(json, "begin_ns", link->begin_ns);
	json_key_uint(json, "end_ns", link->end_ns);
	json_key_uint(json, "blocked_ns", link->end_ns - link->begin_ns);
	json_key_uint(json, "runnable_ns", link->ready_ns);
	key_text(json, why, "syscall", link->syscall);
	key_stack(json, why, "stack", link->stack);
	json_key(json, "io_wait");
	json_boolean(json, link->io_wait);
	write_request(json, why, &link->request);
	write_waker(json, why, &link->waker);
	json_end(json);
}

static void write_behind(struct json_writer *json, const struct why *why,
			 const struct why_shares *shares)
{
	const struct why_share *share;
	unsigned int i;

	json_key(json, "behind");
	json_begin_list(json);
	for (i = 0; i < shares->nr; i++) {
		share = &shares->shares[i];
		json_item(json);
		json_begin(json);
		key_thread(json, why, "thread", share->number);
		json_key_uint(json, "sum_ns", share->ns);
		if (share->priority)
			json_key_uint(json, "priority", share->priority);
		json_end(json);
	}
	json_end_list(json);
	json_key_uint(json, "behind_others_ns", shares->other_ns);
	json_key_uint(json, "behind_unknown_ns", shares->unknown_ns);
}

static void write_interrupts(struct json_writer *json, const struct why *why,
			     const struct why_shares *shares)
{
	unsigned int i;

	json_key(json, "interrupts");
	json_begin_list(json);
	for (i = 0; i < shares->nr; i++) {
		json_item(json);
		json_begin(json);
		key_text(json, why, "name", shares->shares[i].number);
		json_key_uint(json, "sum_ns", shares->shares[i].ns);
		json_end(json);
	}
	json_end_list(json);
}

static void write_chain(struct json_writer *json, const struct why *why,
			const struct why_wait *wait)
{
	unsigned int i, nr = why_chain(wait);

	json_key(json, "chain");
	json_begin_list(json);
	for (i = 0; i < nr; i++) {
		json_item(json);
		write_link(json, why, &wait->links[i]);
	}
	json_end_list(json);
	json_key(json, "chain_is_cut");
	json_boolean(json, wait->is_cut && nr == wait->nr_links);
}

static void write_wait(struct json_writer *json, const struct why *why,
		       const struct why_wait *wait)
{
	json_begin(json);
	key_thread(json, why, "thread", wait->thread.thread);
	if (wait->is_still) {
		json_key(json, "still");
		json_boolean(json, true);
	} else {
		json_key_uint(json, "cpu", wait->cpu);
	}
	json_key_uint(json, "end_ns", wait->end_ns);
	json_key_uint(json, "waited_ns", wait->blocked_ns + wait->ready_ns);
	json_key_uint(json, "blocked_ns", wait->blocked_ns);
	json_key_uint(json, "runnable_ns", wait->ready_ns);
	json_key(json, "preempted");
	json_boolean(json, wait->is_preempted);
	if (wait->priority)
		json_key_uint(json, "priority", wait->priority);
	key_stack(json, why, "user_stack", wait->user_stack);
	write_behind(json, why, &wait->behind);
	write_interrupts(json, why, &wait->interrupts);
	write_chain(json, why, wait);
	if (wait->nr_links && wait->before.end_ns) {
		json_key(json, "before");
		write_link(json, why, &wait->before);
	}
	json_end(json);
}

/* ---- Threads -------------------------------------------------------------- */

static void write_cause(struct json_writer *json, const struct why *why,
			const struct why_cause *cause)
{
	json_begin(json);
	switch (cause->kind) {
	case WHY_BLOCKED_STACK:
		key_stack(json, why, "stack", cause->number);
		break;
	case WHY_WOKEN_BY_THREAD:
	case WHY_BEHIND_THREAD:
		key_thread(json, why, "thread", cause->number);
		break;
	default:
		key_text(json, why, "name", cause->number);
		break;
	}
	json_key_uint(json, "count", cause->nr);
	json_key_uint(json, "sum_ns", cause->sum_ns);
	if (cause->priority)
		json_key_uint(json, "priority", cause->priority);
	json_end(json);
}

static void write_thread(struct json_writer *json, const struct why *why,
			 const struct sched_thread *thread)
{
	static const char * const keys[WHY_NR_KINDS] = {
		[WHY_BLOCKED_SYSCALL]		= "blocked_by_syscall",
		[WHY_BLOCKED_STACK]		= "blocked_by_stack",
		[WHY_BLOCKED_DISK]		= "blocked_by_disk",
		[WHY_WOKEN_BY_THREAD]		= "woken_by_thread",
		[WHY_WOKEN_BY_INTERRUPT]	= "woken_by_interrupt",
		[WHY_BEHIND_THREAD]		= "runnable_behind",
		[WHY_BEHIND_INTERRUPT]		= "runnable_during_interrupt",
	};
	const struct why_totals *totals = why_totals_of(thread);
	const struct why_cause *causes;
	unsigned int kind;
	size_t i, nr;

	json_begin(json);
	key_thread(json, why, "thread", thread->id.thread);
	json_key_uint(json, "waits", totals->nr);
	json_key_uint(json, "running_ns", thread->time_ns[SCHED_RUNNING]);
	json_key_uint(json, "runnable_ns", totals->ready_ns);
	json_key_uint(json, "blocked_ns", totals->blocked_ns);
	for (kind = 0; kind < WHY_NR_KINDS; kind++) {
		json_key(json, keys[kind]);
		json_begin_list(json);
		nr = why_causes_of(&why->causes, thread->id.thread, kind,
				   &causes);
		for (i = 0; i < nr; i++) {
			json_item(json);
			write_cause(json, why, &causes[i]);
		}
		json_end_list(json);
	}
	json_end(json);
}

/**
 * why_json_report() - report why threads waited, as JSON
 * @stream: output stream
 * @why: results, after why_finish()
 *
 * Return: false if there is no memory.
 */
bool why_json_report(FILE *stream, struct why *why)
{
	const struct sched_thread **rows;
	struct json_writer json;
	size_t i, nr;

	rows = why_rows(why, &nr);
	if (!rows)
		return false;
	json_init(&json, stream, true);
	json_begin(&json);
	json_key_uint(&json, "begin_ns", why->begin_ns);
	json_key_uint(&json, "end_ns", why->end_ns);
	json_key_uint(&json, "switches", why->sched.nr_switches);
	json_key_uint(&json, "wakeups", why->sched.nr_wakeups);
	json_key_uint(&json, "gaps", why->sched.nr_gaps);
	json_key_uint(&json, "lost", why->sched.nr_lost);
	latency_write_unknown(&json, &why->sched, why->begin_ns);
	json_key_uint(&json, "waits", why->nr_waits);
	json_key_uint(&json, "stacks", why->nr_stacks);
	json_key_uint(&json, "stacks_left_out", why->nr_left_out);
	json_key_uint(&json, "causes_left_out", why->causes.nr_left_out);
	json_key(&json, "longest");
	json_begin_list(&json);
	for (i = 0; i < why->nr_worst; i++) {
		json_item(&json);
		write_wait(&json, why, &why->worst[i]);
	}
	json_end_list(&json);
	json_key(&json, "threads");
	json_begin_list(&json);
	for (i = 0; i < nr; i++) {
		json_item(&json);
		write_thread(&json, why, rows[i]);
	}
	json_end_list(&json);
	json_end(&json);
	json_finish(&json);
	free(rows);
	return true;
}
