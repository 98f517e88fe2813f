// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find wakeups of threads that run, and threads that run on two CPUs at once.
 *
 * Which thread runs on which CPU is only known in time order over all CPUs, so the trace
 * is read once more, as an archive.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "archive.h"
#include "error.h"
#include "fxt_names.h"
#include "fxt_wakeups.h"

/* CPU numbers have 16 bits. */
#define MAX_CPUS	65536

/**
 * struct doubt - wakeups of the thread that runs on a CPU
 * @running: koid of the running thread, 0 for idle or unknown
 * @nr: number of wakeups of this thread since it was switched in
 * @first_offset: offset of the first of them
 * @twice_offset: offset of a switch of another CPU to this thread since then, or 0
 */
struct doubt {
	uint64_t running;
	uint64_t nr;
	uint64_t first_offset;
	uint64_t twice_offset;
};

/**
 * struct wakeups - the running threads, and what contradicts that they run
 * @cpus: the running thread of each CPU
 * @threads: for each thread the CPU that ran it last
 * @nr_running: wakeups of running threads
 * @first: koid of the thread that was woken first
 * @first_offset: offset of its wakeup
 * @nr_twice: switches to a thread that runs on another CPU
 * @first_twice: koid of the first such thread
 * @twice_offset: offset of the switch
 *
 * A thread is known to have run until the next switch of its CPU. The records of one CPU may
 * end before those of another one, if the trace was read while it was recorded; who runs
 * on that CPU afterwards is not known.
 */
struct wakeups {
	struct doubt cpus[MAX_CPUS];
	struct fxt_names threads;
	uint64_t nr_running;
	uint64_t first;
	uint64_t first_offset;
	uint64_t nr_twice;
	uint64_t first_twice;
	uint64_t twice_offset;
};

/* The thread has run until now: its wakeups were those of a running thread. */
static void count(struct wakeups *wakeups, const struct doubt *cpu)
{
	if (!cpu->nr)
		return;
	if (!wakeups->nr_running || cpu->first_offset < wakeups->first_offset) {
		wakeups->first = cpu->running;
		wakeups->first_offset = cpu->first_offset;
	}
	wakeups->nr_running += cpu->nr;
}

/* Nor could another CPU have switched to it. */
static void count_twice(struct wakeups *wakeups, const struct doubt *cpu)
{
	if (!cpu->twice_offset)
		return;
	if (!wakeups->nr_twice++) {
		wakeups->first_twice = cpu->running;
		wakeups->twice_offset = cpu->twice_offset;
	}
}

static bool follow_switch(struct wakeups *wakeups,
			  const struct vitrine_fxt_record *record)
{
	uint64_t incoming = record->context_switch.incoming.thread;
	struct doubt *cpu = &wakeups->cpus[record->cpu], *other;
	struct fxt_name *thread;

	count(wakeups, cpu);
	if (record->context_switch.outgoing.thread == cpu->running)
		count_twice(wakeups, cpu);
	*cpu = (struct doubt){ .running = incoming };
	thread = fxt_names_get(&wakeups->threads, incoming);
	if (!thread)
		return false;
	other = &wakeups->cpus[thread->cpu];
	if (incoming && other != cpu && other->running == incoming)
		other->twice_offset = record->offset;
	thread->cpu = record->cpu;
	return true;
}

static void follow_wakeup(struct wakeups *wakeups,
			  const struct vitrine_fxt_record *record)
{
	uint64_t woken = record->wakeup.thread;
	const struct fxt_name *thread = fxt_names_find(&wakeups->threads, woken);
	struct doubt *cpu;

	if (!woken || !thread)
		return;
	cpu = &wakeups->cpus[thread->cpu];
	if (cpu->running == woken && !cpu->nr++)
		cpu->first_offset = record->offset;
}

static enum archive_step follow(void *ctx, const struct vitrine_fxt_record *record)
{
	struct wakeups *wakeups = ctx;

	if (record->cpu >= MAX_CPUS)
		return ARCHIVE_NEXT;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return follow_switch(wakeups, record) ? ARCHIVE_NEXT :
							ARCHIVE_NO_MEMORY;
	case VITRINE_FXT_WAKEUP:
		follow_wakeup(wakeups, record);
		return ARCHIVE_NEXT;
	case VITRINE_FXT_PROVIDER_EVENT:
		/* Records were lost, so the running thread is unknown. */
		wakeups->cpus[record->cpu] = (struct doubt){};
		return ARCHIVE_NEXT;
	default:
		return ARCHIVE_NEXT;
	}
}

/**
 * fxt_wakeups_check() - report wakeups of threads that run, and threads that run twice
 * @file: the trace
 * @report: receives the notes, or NULL
 *
 * Return: NULL, or an error from reading the trace.
 */
struct vitrine_error *fxt_wakeups_check(const struct fxt_file *file,
					const struct vitrine_fxt_report *report)
{
	struct wakeups *wakeups = calloc(1, sizeof(*wakeups));
	struct vitrine_archive *archive;
	struct vitrine_error *err;

	if (!wakeups)
		return vtr_error_no_memory();
	err = archive_borrow(file, NULL, &archive);
	if (!err) {
		err = archive_for_each(archive, follow, wakeups);
		vitrine_archive_destroy(archive);
	}
	if (!err && wakeups->nr_running)
		vtr_note(report, wakeups->first_offset,
			 "%" PRIu64 " wakeups of running threads, the first of thread %"
			 PRIu64 "; viewers cut the running slice there",
			 wakeups->nr_running, wakeups->first);
	if (!err && wakeups->nr_twice)
		vtr_note(report, wakeups->twice_offset,
			 "%" PRIu64
			 " switches to a thread that runs elsewhere, the first to thread %"
			 PRIu64, wakeups->nr_twice, wakeups->first_twice);
	fxt_names_deinit(&wakeups->threads);
	free(wakeups);
	return err;
}
