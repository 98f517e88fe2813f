// SPDX-License-Identifier: GPL-2.0
/*
 * Write the report of `vitrine latency --why' as text.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fxt_record.h"
#include "latency_report.h"
#include "ui/label.h"
#include "why.h"

/* Maximum numbers of items in the text of a stack, a wait and a thread; JSON has all. */
#define MAX_FRAMES	4
#define MAX_SHARES	3
#define MAX_CAUSES	3

/* Kernel priorities below this limit are those of real-time and deadline threads. */
#define MAX_RT_PRIORITY	100

/**
 * struct printer - a report that is being written
 * @stream: output stream
 * @why: the results
 */
struct printer {
	FILE *stream;
	struct why *why;
};

/* ---- Words ---------------------------------------------------------------- */

static void put_duration(const struct printer *printer, uint64_t ns)
{
	char label[LABEL_TIME_BYTES];

	label_duration(label, ns);
	fputs(label, printer->stream);
}

static void put_thread(const struct printer *printer, uint64_t koid)
{
	const struct vitrine_fxt_thread thread = { VITRINE_FXT_NO_PROCESS, koid };
	char label[LABEL_BYTES];

	if (fxt_is_others(koid)) {
		fputs("a thread that was not recorded", printer->stream);
		return;
	}
	label_thread(label, printer->why->sched.archive, &thread);
	fputs(label, printer->stream);
}

static double percent(uint64_t ns, uint64_t of_ns)
{
	return of_ns ? 100.0 * ns / of_ns : 0;
}

/* Print "a < b < ...", innermost frame first, because inner frames tell most. */
static void put_stack(const struct printer *printer, uint32_t number)
{
	const char *stack = why_text(&printer->why->texts, number);
	const char *end = stack + strlen(stack), *frame;
	unsigned int nr = 0;
	size_t len;

	while (why_frame_before(stack, &end, &frame, &len)) {
		if (!nr && end > stack && why_frame_is_scheduler(frame, len))
			continue;
		if (nr)
			fputs(" < ", printer->stream);
		if (nr++ == MAX_FRAMES) {
			fputs("...", printer->stream);
			return;
		}
		fwrite(frame, 1, len, printer->stream);
	}
}

/* Print the request to a disk that a thread waited for. */
static void put_request(const struct printer *printer,
			const struct why_request *request)
{
	const struct why_texts *texts = &printer->why->texts;

	fprintf(printer->stream, ", waiting for disk %s (%s",
		why_text(texts, request->disk),
		why_text(texts, request->operation));
	if (request->bytes)
		fprintf(printer->stream, " of %" PRIu64 " bytes",
			request->bytes);
	fputs(": ", printer->stream);
	put_duration(printer, request->end_ns - request->begin_ns);
	putc(')', printer->stream);
}

static void put_link(const struct printer *printer, const struct why_link *link)
{
	const struct why_texts *texts = &printer->why->texts;

	fputs("blocked", printer->stream);
	if (link->syscall)
		fprintf(printer->stream, " in %s",
			why_text(texts, link->syscall));
	if (link->stack) {
		fputs(" (", printer->stream);
		put_stack(printer, link->stack);
		fputs(")", printer->stream);
	}
	if (link->request.disk)
		put_request(printer, &link->request);
	else if (link->io_wait)
		fputs(", waiting for I/O", printer->stream);
}

static void put_waker(const struct printer *printer,
		      const struct why_waker *waker)
{
	if (waker->interrupt)
		fprintf(printer->stream, "interrupt %s on CPU %" PRIu32,
			why_text(&printer->why->texts, waker->interrupt),
			waker->cpu);
	else if (!waker->thread)
		fprintf(printer->stream, "an interrupt of idle CPU %" PRIu32,
			waker->cpu);
	else
		put_thread(printer, waker->thread);
}

static void put_woken(const struct printer *printer,
		      const struct why_waker *waker)
{
	if (!waker->known && !waker->interrupt) {
		fputs(", with no wakeup in the trace", printer->stream);
		return;
	}
	fputs(", woken by ", printer->stream);
	put_waker(printer, waker);
}

static void put_priority(const struct printer *printer, uint8_t priority)
{
	if (!priority || priority >= MAX_RT_PRIORITY)
		return;
	/* Deadline and the highest real-time priorities are recorded as 1. */
	if (priority == 1)
		fputs(", real-time", printer->stream);
	else
		fprintf(printer->stream, ", real-time priority %d",
			MAX_RT_PRIORITY - 1 - priority);
}

/* ---- Runnable ------------------------------------------------------------- */

/* Return the separator that precedes item @i of a list. */
static const char *comma(unsigned int i, unsigned int nr)
{
	return !i ? "" : i + 1 < nr ? ", " : " and ";
}

/* Check whether a share rounds to 0 %; such shares are not printed. */
static bool is_little(uint64_t ns, uint64_t of_ns)
{
	return percent(ns, of_ns) < 0.5;
}

/* Print the threads that had a CPU: one, or all that were not recorded. */
static void put_holder(const struct printer *printer, uint64_t koid)
{
	if (fxt_is_others(koid))
		fputs("threads that were not recorded", printer->stream);
	else
		put_thread(printer, koid);
}

static void put_share(const struct printer *printer,
		      const struct why_share *share, uint64_t of_ns)
{
	put_holder(printer, share->number);
	fprintf(printer->stream, " (%.0f %%", percent(share->ns, of_ns));
	put_priority(printer, share->priority);
	fputs(")", printer->stream);
}

/**
 * struct listing - threads that are printed for the runnable part of a wait
 * @shares: largest shares
 * @nr: number of @shares
 * @rest_ns: time of all other threads
 * @idle_ns: time during which the CPU was idle
 */
struct listing {
	const struct why_share *shares[MAX_SHARES];
	unsigned int nr;
	uint64_t rest_ns;
	uint64_t idle_ns;
};

static struct listing list_behind(const struct why_wait *wait)
{
	const struct why_shares *behind = &wait->behind;
	struct listing listing = { .rest_ns = behind->other_ns };
	const struct why_share *share;
	unsigned int i;

	for (i = 0; i < behind->nr; i++) {
		share = &behind->shares[i];
		if (!share->number)
			listing.idle_ns = share->ns;
		else if (listing.nr < MAX_SHARES &&
			 !is_little(share->ns, wait->ready_ns))
			listing.shares[listing.nr++] = share;
		else
			listing.rest_ns += share->ns;
	}
	return listing;
}

/* Print a clause that holds for a part of a wait, and for how much unless it is all. */
static void put_part(const struct printer *printer, const char *clause, uint64_t ns,
		     uint64_t of_ns)
{
	if (is_little(ns, of_ns))
		return;
	fputs(clause, printer->stream);
	if (!is_little(of_ns - ns, of_ns))
		fprintf(printer->stream, " for %.0f %%", percent(ns, of_ns));
}

static void put_behind(const struct printer *printer,
		       const struct why_wait *wait)
{
	const struct listing listing = list_behind(wait);
	bool others = !is_little(listing.rest_ns, wait->ready_ns);
	unsigned int i, items = listing.nr + others;

	if (items)
		fputs(wait->is_preempted ? ", behind " : " behind ", printer->stream);
	for (i = 0; i < listing.nr; i++) {
		fputs(comma(i, items), printer->stream);
		put_share(printer, listing.shares[i], wait->ready_ns);
	}
	if (others)
		fprintf(printer->stream, "%sothers (%.0f %%)", comma(i, items),
			percent(listing.rest_ns, wait->ready_ns));
	put_part(printer, ", while the CPU was idle", listing.idle_ns, wait->ready_ns);
	put_part(printer, ", CPU use unknown", wait->behind.unknown_ns, wait->ready_ns);
}

static void put_interrupts(const struct printer *printer,
			   const struct why_wait *wait)
{
	const struct why_shares *interrupts = &wait->interrupts;
	unsigned int i, nr = 0;

	while (nr < interrupts->nr && nr < MAX_SHARES &&
	       !is_little(interrupts->shares[nr].ns, wait->ready_ns))
		nr++;
	for (i = 0; i < nr; i++)
		fprintf(printer->stream, "%s%s (%.0f %%)",
			i ? comma(i, nr) : ", interrupted by ",
			why_text(&printer->why->texts,
				 interrupts->shares[i].number),
			percent(interrupts->shares[i].ns, wait->ready_ns));
}

static void put_runnable(const struct printer *printer,
			 const struct why_wait *wait)
{
	put_duration(printer, wait->ready_ns);
	fputs(wait->is_preempted ? " runnable, preempted" : " runnable",
	      printer->stream);
	put_behind(printer, wait);
	put_interrupts(printer, wait);
}

/* ---- The critical path ---------------------------------------------------- */

/* Print a waker: what it had waited for, and how long it ran before it woke the thread. */
static void put_waker_link(const struct printer *printer,
			   const struct why_wait *wait, unsigned int i)
{
	const struct why_link *link = &wait->links[i], *woken = link - 1;
	uint64_t awake_ns = woken->end_ns - link->end_ns;
	uint64_t ready_ns = link->ready_ns < awake_ns ? link->ready_ns : awake_ns;

	fputs("       ", printer->stream);
	put_thread(printer, link->thread);
	fputs(": ", printer->stream);
	if (link->end_ns > link->begin_ns) {
		put_duration(printer, link->end_ns - link->begin_ns);
		putc(' ', printer->stream);
	}
	put_link(printer, link);
	put_woken(printer, &link->waker);
	if (ready_ns) {
		fputs("; then ", printer->stream);
		put_duration(printer, ready_ns);
		fputs(" runnable", printer->stream);
	}
	fputs("; after ", printer->stream);
	put_duration(printer, awake_ns - ready_ns);
	fputs(" it woke ", printer->stream);
	put_thread(printer, woken->thread);
	putc('\n', printer->stream);
}

static void put_origin(const struct printer *printer,
		       const struct why_wait *wait, unsigned int nr)
{
	const struct why_link *last = &wait->links[nr - 1];
	char label[LABEL_TIME_BYTES];

	if (wait->is_cut && nr == wait->nr_links) {
		fprintf(printer->stream,
			"       (the chain ends here: at most %d waits are kept)\n", WHY_LINKS);
		return;
	}
	if (!last->waker.known && !last->waker.interrupt)
		return;
	label_time(label, last->end_ns);
	fputs("       It began with ", printer->stream);
	put_waker(printer, &last->waker);
	fprintf(printer->stream, " at %s", label);
	if (!last->waker.interrupt && last->waker.thread && !fxt_is_others(last->waker.thread))
		fputs(", which had not been blocked meanwhile", printer->stream);
	putc('\n', printer->stream);
}

static void put_chain(const struct printer *printer,
		      const struct why_wait *wait)
{
	unsigned int i, nr = why_chain(wait);

	if (nr < 2)
		return;
	fputs("     Critical path, backwards:\n", printer->stream);
	for (i = 1; i < nr; i++)
		put_waker_link(printer, wait, i);
	put_origin(printer, wait, nr);
}

/* Print the previous wakeup, after which the thread ran until this wait. */
static void put_before(const struct printer *printer,
		       const struct why_wait *wait)
{
	const struct why_link *before = &wait->before;
	const char *syscall = why_text(&printer->why->texts, before->syscall);

	if (!wait->nr_links || before->end_ns == before->begin_ns ||
	    !before->waker.known)
		return;
	fputs("     Before that, ", printer->stream);
	put_waker(printer, &before->waker);
	fprintf(printer->stream, " woke it%s%s after ",
		before->syscall ? " from " : "", syscall);
	put_duration(printer, before->end_ns - before->begin_ns);
	fputs("; it waited again ", printer->stream);
	put_duration(printer, wait->links[0].begin_ns - before->end_ns);
	fputs(" later.\n", printer->stream);
}

static void put_wait(const struct printer *printer, const struct why_wait *wait,
		     size_t number)
{
	char label[LABEL_TIME_BYTES];

	label_time(label, wait->end_ns);
	fprintf(printer->stream, "%3zu. ", number);
	put_thread(printer, wait->thread.thread);
	fputs(" waited ", printer->stream);
	put_duration(printer, wait->blocked_ns + wait->ready_ns);
	if (wait->is_still)
		fprintf(printer->stream, ", still blocked at %s:\n     ", label);
	else
		fprintf(printer->stream, ", until %s on CPU %" PRIu32 ":\n     ",
			label, wait->cpu);
	if (wait->blocked_ns) {
		put_duration(printer, wait->blocked_ns);
		putc(' ', printer->stream);
		if (wait->nr_links) {
			put_link(printer, &wait->links[0]);
			if (!wait->is_still)
				put_woken(printer, &wait->links[0].waker);
		} else {
			fputs("blocked", printer->stream);
		}
	}
	if (wait->ready_ns) {
		fputs(wait->blocked_ns ? ";\n     then " : "", printer->stream);
		put_runnable(printer, wait);
	}
	fputs(".\n", printer->stream);
	if (wait->user_stack) {
		fputs("     User stack: ", printer->stream);
		put_stack(printer, wait->user_stack);
		putc('\n', printer->stream);
	}
	put_chain(printer, wait);
	put_before(printer, wait);
}

/* ---- Threads -------------------------------------------------------------- */

static void put_cause(const struct printer *printer,
		      const struct why_cause *cause)
{
	switch (cause->kind) {
	case WHY_BLOCKED_STACK:
		put_stack(printer, cause->number);
		break;
	case WHY_WOKEN_BY_THREAD:
		if (cause->number)
			put_thread(printer, cause->number);
		else
			fputs("an interrupt of an idle CPU", printer->stream);
		break;
	case WHY_BEHIND_THREAD:
		if (cause->number)
			put_holder(printer, cause->number);
		else
			fputs("nobody (CPU idle)", printer->stream);
		break;
	default:
		fputs(why_text(&printer->why->texts, cause->number),
		      printer->stream);
		break;
	}
}

static void put_causes(const struct printer *printer, uint64_t thread,
		       enum why_cause_kind kind, uint64_t of_ns)
{
	static const char * const words[WHY_NR_KINDS] = {
		[WHY_BLOCKED_SYSCALL]		= "blocked in",
		[WHY_BLOCKED_STACK]		= "blocked at",
		[WHY_BLOCKED_DISK]		= "blocked for disk",
		[WHY_WOKEN_BY_THREAD]		= "woken by",
		[WHY_WOKEN_BY_INTERRUPT]	= "woken in interrupt",
		[WHY_BEHIND_THREAD]		= "runnable behind",
		[WHY_BEHIND_INTERRUPT]		= "runnable during",
	};
	const struct why_cause *causes;
	size_t i, nr;

	nr = why_causes_of(&printer->why->causes, thread, kind, &causes);
	if (!nr)
		return;
	fprintf(printer->stream, "     %-18s ", words[kind]);
	for (i = 0; i < nr && i < MAX_CAUSES; i++) {
		fputs(i ? "; " : "", printer->stream);
		put_cause(printer, &causes[i]);
		fputs(" ", printer->stream);
		put_duration(printer, causes[i].sum_ns);
		fprintf(printer->stream, " (%.0f %%",
			percent(causes[i].sum_ns, of_ns));
		put_priority(printer, causes[i].priority);
		fputs(")", printer->stream);
	}
	if (nr > MAX_CAUSES)
		fprintf(printer->stream, "; %zu more", nr - MAX_CAUSES);
	putc('\n', printer->stream);
}

static void put_totals(const struct printer *printer,
		       const struct sched_thread *thread)
{
	const struct why_totals *totals = why_totals_of(thread);
	unsigned int kind;

	put_thread(printer, thread->id.thread);
	fputs(": running ", printer->stream);
	put_duration(printer, thread->time_ns[SCHED_RUNNING]);
	fprintf(printer->stream, "; %" PRIu64 " wait%s: runnable ", totals->nr,
		totals->nr == 1 ? "" : "s");
	put_duration(printer, totals->ready_ns);
	fputs(", blocked ", printer->stream);
	put_duration(printer, totals->blocked_ns);
	putc('\n', printer->stream);
	for (kind = 0; kind < WHY_NR_KINDS; kind++)
		put_causes(printer, thread->id.thread, kind,
			   kind < WHY_BEHIND_THREAD ? totals->blocked_ns :
						      totals->ready_ns);
}

/* ---- The report ----------------------------------------------------------- */

static void put_summary(const struct printer *printer)
{
	const struct why *why = printer->why;

	put_duration(printer, why->end_ns - why->begin_ns);
	fprintf(printer->stream, ", %" PRIu64 " switches; %" PRIu64
		" wait%s, %" PRIu64 " with a kernel stack\n",
		why->sched.nr_switches, why->nr_waits,
		why->nr_waits == 1 ? "" : "s", why->nr_stacks);
	if (why->sched.nr_gaps)
		fprintf(printer->stream, "%" PRIu64 " gap%s, %" PRIu64
			" records lost: waits across them are left out\n",
			why->sched.nr_gaps,
			why->sched.nr_gaps == 1 ? "" : "s", why->sched.nr_lost);
	latency_put_unknown(printer->stream, &why->sched, why->begin_ns);
	latency_put_without_wakeups(printer->stream, &why->sched);
	if (why->nr_left_out)
		fprintf(printer->stream, "The recorder left out the stacks of %"
			PRIu64 " waits\n", why->nr_left_out);
	if (why->causes.nr_left_out)
		fprintf(printer->stream, "The causes of %" PRIu64
			" waits are left out, for lack of room\n",
			why->causes.nr_left_out);
}

/**
 * why_text_report() - report why threads waited, as text
 * @stream: output stream
 * @why: results, after why_finish()
 * @max_threads: maximum number of threads to print
 *
 * Return: false if there is no memory.
 */
bool why_text_report(FILE *stream, struct why *why, size_t max_threads)
{
	const struct printer printer = { stream, why };
	const struct sched_thread **rows;
	size_t i, nr;

	rows = why_rows(why, &nr);
	if (!rows)
		return false;
	put_summary(&printer);
	if (why->nr_worst)
		fputs("\nLONGEST WAITS\n\n", stream);
	for (i = 0; i < why->nr_worst; i++)
		put_wait(&printer, &why->worst[i], i + 1);
	if (nr)
		fputs("\nTHREADS\n\n", stream);
	for (i = 0; i < nr && i < max_threads; i++)
		put_totals(&printer, rows[i]);
	if (nr > max_threads)
		fprintf(stream, "and %zu more\n", nr - max_threads);
	free(rows);
	return true;
}
