// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks wakeups: a thread that runs is not woken. What runs where is known only in
 * time order over all CPUs, so the trace is read once more as an archive.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "error.h"
#include "fxt_check.h"

/**
 * struct wakeups - what runs on each CPU, and which wakeups contradict that
 * @cpus: of each CPU the koid of the thread that runs, 0 for idle or unknown
 * @threads: of each thread the CPU it runs on, if that CPU says so, too
 * @nr_running: wakeups of threads that ran
 * @first: the first of them
 * @first_offset: where it is
 */
struct wakeups {
	uint64_t cpus[FXT_MAX_CPUS];
	struct fxt_names threads;
	uint64_t nr_running;
	uint64_t first;
	uint64_t first_offset;
};

static bool follow_switch(struct wakeups *wakeups,
			  const struct vitrine_fxt_record *record)
{
	uint64_t incoming = record->context_switch.incoming.thread;
	struct fxt_name *thread;

	wakeups->cpus[record->cpu] = incoming;
	thread = fxt_names_get(&wakeups->threads, incoming);
	if (thread)
		thread->cpu = record->cpu;
	return thread;
}

static void follow_wakeup(struct wakeups *wakeups,
			  const struct vitrine_fxt_record *record)
{
	uint64_t woken = record->wakeup.thread;
	const struct fxt_name *thread = fxt_names_find(&wakeups->threads, woken);

	if (!woken || !thread || wakeups->cpus[thread->cpu] != woken)
		return;
	if (!wakeups->nr_running++) {
		wakeups->first = woken;
		wakeups->first_offset = record->offset;
	}
}

static bool follow(struct wakeups *wakeups,
		   const struct vitrine_fxt_record *record)
{
	if (record->cpu >= FXT_MAX_CPUS)
		return true;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return follow_switch(wakeups, record);
	case VITRINE_FXT_WAKEUP:
		follow_wakeup(wakeups, record);
		return true;
	case VITRINE_FXT_PROVIDER_EVENT:
		/* Records were lost: what runs there is not known any more. */
		wakeups->cpus[record->cpu] = 0;
		return true;
	default:
		return true;
	}
}

static struct vitrine_error *read_all(struct wakeups *wakeups,
				      struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	for (;;) {
		err = vitrine_archive_next(archive, &record);
		if (err || !record)
			return err;
		if (!follow(wakeups, record))
			return vtr_error_no_memory();
	}
}

/**
 * fxt_wakeups_check() - report wakeups of threads that run
 * @check: check, at the end of the trace
 *
 * Return: NULL, or an error from reading the trace.
 */
struct vitrine_error *fxt_wakeups_check(struct fxt_check *check)
{
	struct wakeups *wakeups = calloc(1, sizeof(*wakeups));
	struct vitrine_archive *archive;
	struct vitrine_error *err;

	if (!wakeups)
		return vtr_error_no_memory();
	err = vitrine_archive_from_bytes(check->fxt.decoder.bytes,
					 check->fxt.decoder.len_bytes, NULL,
					 &archive);
	if (!err) {
		err = read_all(wakeups, archive);
		vitrine_archive_destroy(archive);
	}
	if (!err && wakeups->nr_running)
		fxt_check_note(check, wakeups->first_offset,
			       "%" PRIu64 " wakeups of running threads, the first of thread %"
			       PRIu64 "; viewers cut the running slice there",
			       wakeups->nr_running, wakeups->first);
	fxt_names_deinit(&wakeups->threads);
	free(wakeups);
	return err;
}
