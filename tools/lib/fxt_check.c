// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Validate an FXT file.
 *
 * The decoder finds the faults within a record, fxt_subbuf.c those of sub-buffers. This
 * file compares records with each other: time, the chain of switches, names. In a
 * sub-buffer of vitrine's a contradiction is a fault. In records of other writers it is
 * a note, since they do not tell what they lost.
 *
 * A check is used by one thread at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "error.h"
#include "fxt_file.h"
#include "fxt_names.h"
#include "fxt_subbuf.h"
#include "fxt_wakeups.h"

/* CPU numbers have 16 bits. */
#define MAX_CPUS	65536

/* Clocks count nanoseconds in 63 bits; a later time is a damaged one. */
#define MAX_NS		((uint64_t)INT64_MAX)

/* Recent threads of switches, which need no look-up. */
#define RECENT_THREADS	256

/**
 * struct check - a check in progress
 * @subbufs: check of the sub-buffers, with the reader of the records
 * @summary: counts
 * @processes: names of processes
 * @threads: names of threads
 * @recent: koid plus one of threads that are marked as used
 * @cpus: a bit for each CPU that switched
 * @begin_ticks: earliest time at the current tick rate
 * @end_ticks: latest time at that rate
 * @ticks_per_second: that rate
 */
struct check {
	struct fxt_subbufs subbufs;
	struct vitrine_fxt_summary summary;
	struct fxt_names processes;
	struct fxt_names threads;
	uint64_t recent[RECENT_THREADS];
	uint64_t cpus[MAX_CPUS / 64];
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t ticks_per_second;
};

static void count_fault(void *ctx, uint64_t offset, const char *message)
{
	struct check *check = ctx;

	check->summary.nr_faults++;
	if (check->subbufs.report && check->subbufs.report->fault)
		check->subbufs.report->fault(check->subbufs.report->ctx, offset, message);
}

/* Extend the time span of the trace by the times at one tick rate. */
static void end_span(struct check *check)
{
	uint64_t begin_ns, end_ns;

	if (check->begin_ticks > check->end_ticks)
		return;
	begin_ns = vitrine_fxt_ns(check->begin_ticks, check->ticks_per_second);
	end_ns = vitrine_fxt_ns(check->end_ticks, check->ticks_per_second);
	if (begin_ns < check->summary.begin_ns)
		check->summary.begin_ns = begin_ns;
	if (end_ns > check->summary.end_ns)
		check->summary.end_ns = end_ns;
}

static void begin_span(struct check *check)
{
	end_span(check);
	check->ticks_per_second = check->subbufs.fxt.record.ticks_per_second;
	check->begin_ticks = UINT64_MAX;
	check->end_ticks = 0;
}

static void check_order(struct check *check, struct fxt_lane *lane,
			uint64_t ticks)
{
	if (!lane->timed || ticks >= lane->last_ticks ||
	    lane->last_ticks - ticks <= fxt_lane_slack(lane))
		return;
	if (fxt_lane_strict(check->subbufs.lane, lane))
		fxt_fault(&check->subbufs.fxt.decoder, check->subbufs.fxt.record.offset,
			  "time goes backwards from %" PRIu64 " to %" PRIu64 " ticks",
			  lane->last_ticks, ticks);
	else
		lane->nr_backwards++;
}

static void check_time(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->subbufs.fxt.record;
	uint64_t ticks = fxt_written_ticks(record);

	if (vitrine_fxt_ns(record->ticks, record->ticks_per_second) > MAX_NS)
		fxt_fault(&check->subbufs.fxt.decoder, record->offset,
			  "time of %" PRIu64 " ticks, 292 years or more after time 0",
			  ticks);
	if (!lane->timed || ticks >= lane->last_ticks ||
	    !fxt_lane_may_be_late(lane, record)) {
		check_order(check, lane, ticks);
		lane->last_ticks = ticks;
		lane->timed = true;
	}

	if (record->ticks_per_second != check->ticks_per_second)
		begin_span(check);
	if (record->ticks < check->begin_ticks)
		check->begin_ticks = record->ticks;
	if (record->ticks > check->end_ticks)
		check->end_ticks = record->ticks;
}

static bool use_thread(struct check *check, uint64_t koid, bool ours)
{
	uint64_t *recent = &check->recent[koid % RECENT_THREADS];
	struct fxt_name *name;

	if (*recent == koid + 1)
		return true;
	name = fxt_names_get(&check->threads, koid);
	if (!name)
		return false;
	if (!name->used) {
		name->used = true;
		name->ours = ours;
		name->used_offset = check->subbufs.fxt.record.offset;
		check->summary.nr_threads++;
	}
	*recent = koid + 1;
	return true;
}

static bool check_switch(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->subbufs.fxt.record;
	uint64_t outgoing = record->context_switch.outgoing.thread;
	uint64_t incoming = record->context_switch.incoming.thread;
	uint64_t *cpus = &check->cpus[record->cpu / 64 % 1024];
	bool ours = fxt_lane_strict(check->subbufs.lane, lane);

	check->summary.nr_switches++;
	if (!(*cpus >> record->cpu % 64 & 1)) {
		*cpus |= 1ULL << record->cpu % 64;
		check->summary.nr_cpus++;
	}
	if (ours && record->cpu != lane->packet.cpu)
		fxt_fault(&check->subbufs.fxt.decoder, record->offset,
			  "switch of CPU %u in a sub-buffer of CPU %u",
			  record->cpu, lane->packet.cpu);
	if (ours && lane->chained && lane->running != outgoing)
		fxt_fault(&check->subbufs.fxt.decoder, record->offset,
			  "CPU %u switches from thread %" PRIu64 ", but %" PRIu64 " was running",
			  record->cpu, outgoing, lane->running);
	lane->running = incoming;
	lane->switched_ticks = record->ticks;
	lane->chained = ours;
	lane->bridged = lane->section;
	return use_thread(check, outgoing, ours) &&
	       use_thread(check, incoming, ours);
}

static void check_duration(struct check *check)
{
	const struct vitrine_fxt_record *record = &check->subbufs.fxt.record;

	if (record->event.type == FXT_EVENT_DURATION_COMPLETE &&
	    record->event.id < record->ticks)
		fxt_fault(&check->subbufs.fxt.decoder, record->offset,
			  "duration begins at %" PRIu64 " ticks and ends before, at %" PRIu64,
			  record->ticks, record->event.id);
}

/* Note what `vitrine cut' says of the trace that it has written. */
static void note_left_out(const struct check *check,
			  const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg;
	char text[512] = "";
	size_t len = 0;
	unsigned int i;

	if (!fxt_string_is(&record->event.category, VITRINE_PROVIDER_NAME) ||
	    !fxt_string_is(&record->event.name, "left_out"))
		return;
	for (i = 0; i < record->nr_args && len < sizeof(text); i++) {
		arg = &record->args[i];
		len += snprintf(text + len, sizeof(text) - len, " %.*s",
				(int)arg->name.len_bytes, arg->name.bytes);
		if (len >= sizeof(text))
			break;
		if (arg->type == FXT_ARG_STRING_REF)
			len += snprintf(text + len, sizeof(text) - len, "=%.*s",
					(int)arg->value.string.len_bytes,
					arg->value.string.bytes);
		else if (arg->type == FXT_ARG_UINT64)
			len += snprintf(text + len, sizeof(text) - len, "=%" PRIu64,
					arg->value.uint64);
	}
	vtr_note(check->subbufs.report, record->offset,
		 "records were left out on purpose:%s", text);
}

static bool check_contents(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->subbufs.fxt.record;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return check_switch(check, lane);
	case VITRINE_FXT_WAKEUP:
		check->summary.nr_wakeups++;
		return true;
	case VITRINE_FXT_EVENT:
		if (record->event.type > FXT_EVENT_FLOW_END)
			check->summary.nr_unknown++;
		check->summary.nr_events++;
		check_duration(check);
		note_left_out(check, record);
		return true;
	case VITRINE_FXT_LOG:
		check->summary.nr_events++;
		return true;
	case VITRINE_FXT_UNKNOWN:
		check->summary.nr_unknown++;
		return true;
	case VITRINE_FXT_KERNEL_OBJECT:
		return fxt_names_learn(&check->processes, &check->threads,
				       record, 0);
	case VITRINE_FXT_PROVIDER_SECTION:
		if (!check->subbufs.fxt.provider->introduced)
			vtr_note(check->subbufs.report, record->offset,
				 "section of provider %u, which has no provider info record: viewers ignore it",
				 record->provider);
		return true;
	case VITRINE_FXT_PROVIDER_EVENT:
		vtr_note(check->subbufs.report, record->offset,
			 "provider %u: event %u%s", record->provider,
			 record->provider_info.event,
			 record->provider_info.event ? "" :
			 ", a buffer filled up");
		return true;
	default:
		return true;
	}
}

static struct fxt_lane *lane_of(struct check *check)
{
	struct fxt_provider *provider = check->subbufs.fxt.provider;

	if (!provider->owner)
		provider->owner = calloc(1, sizeof(struct fxt_lane));
	return provider->owner;
}

static bool check_record(struct check *check)
{
	struct fxt_lane *lane = lane_of(check);

	if (!lane)
		return false;
	check->summary.nr_records++;
	fxt_subbuf_follow(&check->subbufs, lane);
	if (check->subbufs.fxt.record.timed)
		check_time(check, lane);
	return check_contents(check, lane);
}

static void check_bad_frame(struct check *check)
{
	uint64_t skipped = check->subbufs.fxt.offset - check->subbufs.fxt.record.offset;

	check->subbufs.broken = true;
	check->subbufs.headless = false;
	if (check->subbufs.lane)
		check->subbufs.lane->exact = false;
	if (check->subbufs.fxt.offset < check->subbufs.fxt.decoder.len_bytes)
		vtr_note(check->subbufs.report, check->subbufs.fxt.record.offset,
			 "%" PRIu64 " bytes passed over, up to the next magic record",
			 skipped);
}

static struct vitrine_error *check_records(struct check *check,
					   const struct fxt_file *file,
					   const char *path)
{
	uint64_t limit = FXT_RELEASE_BYTES;

	for (;;) {
		switch (fxt_next(&check->subbufs.fxt)) {
		case FXT_OK:
			if (!check_record(check))
				return vtr_error_no_memory();
			break;
		case FXT_BAD_RECORD:
			if (check->subbufs.lane)
				check->subbufs.lane->exact = false;
			break;
		case FXT_BAD_FRAME:
			check_bad_frame(check);
			break;
		case FXT_END:
			fxt_subbuf_end(&check->subbufs, check->subbufs.fxt.decoder.len_bytes);
			return NULL;
		case FXT_STOP:
			return fxt_stop_error(&check->subbufs.fxt, path);
		}
		limit = fxt_file_pass(file, limit, check->subbufs.fxt.offset);
	}
}

static bool is_named(const struct fxt_name *thread, const struct fxt_name *process)
{
	return thread->named && thread->owned && process && process->named;
}

/*
 * Each thread of a switch, apart from idle, must have a name and a named process. A sub-buffer of
 * vitrine's introduces them by records; the names in these are empty if they have none. Process 0
 * needs none: it is idle, or stands for no process.
 */
static void check_names(struct check *check)
{
	const struct fxt_name *thread, *process;
	uint64_t nr_nameless = 0;
	const char *lack;
	size_t i;

	for (i = 0; i < check->threads.size; i++) {
		thread = &check->threads.entries[i];
		if (!thread->used || !thread->koid)
			continue;
		process = fxt_names_find(&check->processes, thread->process);
		lack = !thread->ours ? NULL : !thread->introduced ? "name" :
		       !thread->owned ? "process" : !thread->process ? NULL :
		       !process || !process->introduced ? "process with a name" : NULL;
		if (lack)
			fxt_fault(&check->subbufs.fxt.decoder, thread->used_offset,
				  "thread %" PRIu64 " has no %s", thread->koid,
				  lack);
		else if (!is_named(thread, process))
			nr_nameless++;
	}
	if (nr_nameless)
		vtr_note(check->subbufs.report, 0,
			 "%" PRIu64 " threads lack a name or a process with a name",
			 nr_nameless);
}

static void note_backwards(struct check *check,
			   const struct fxt_provider *provider)
{
	const struct fxt_lane *lane = provider->owner;

	if (lane && lane->nr_backwards)
		vtr_note(check->subbufs.report, 0,
			 "provider %u: %" PRIu64 " records earlier than the one before",
			 provider->id, lane->nr_backwards);
}

static void check_lanes(struct check *check)
{
	const struct fxt_provider *provider;

	for (provider = fxt_providers_next(&check->subbufs.fxt.providers, NULL); provider;
	     provider = fxt_providers_next(&check->subbufs.fxt.providers, provider))
		note_backwards(check, provider);
}

static void check_deinit(struct check *check)
{
	struct fxt_provider *provider;

	for (provider = fxt_providers_next(&check->subbufs.fxt.providers, NULL); provider;
	     provider = fxt_providers_next(&check->subbufs.fxt.providers, provider))
		free(provider->owner);
	fxt_names_deinit(&check->processes);
	fxt_names_deinit(&check->threads);
	fxt_deinit(&check->subbufs.fxt);
	free(check);
}

static struct vitrine_error *check_all(struct check *check,
				       const struct fxt_file *file,
				       const char *path)
{
	struct vitrine_error *err;

	check->subbufs.fxt.decoder.thorough = true;
	check->subbufs.fxt.decoder.fault = count_fault;
	check->subbufs.fxt.decoder.ctx = check;
	check->summary.len_bytes = file->len_bytes;
	check->summary.begin_ns = UINT64_MAX;
	check->begin_ticks = UINT64_MAX;
	err = check_records(check, file, path);
	if (err)
		return err;
	end_span(check);
	check_names(check);
	check_lanes(check);
	if (check->summary.nr_wakeups || check->summary.nr_cpus > 1) {
		err = fxt_wakeups_check(file, check->subbufs.report);
		if (err && err->code == ENOMEM)
			return err;
		/* The file itself was checked: sorting it may need room on a disk. */
		if (err)
			vtr_note(check->subbufs.report, 0,
				 "CPUs not compared with each other: %s",
				 err->message);
		vitrine_error_destroy(err);
	}
	fxt_subbuf_note_rate(&check->subbufs);
	if (check->summary.nr_unknown)
		vtr_note(check->subbufs.report, 0,
			 "%" PRIu64 " records of unknown kinds",
			 check->summary.nr_unknown);
	check->summary.nr_subbufs = check->subbufs.nr_subbufs;
	check->summary.nr_lost = check->subbufs.nr_lost;
	check->summary.nr_providers = check->subbufs.fxt.providers.nr;
	if (check->summary.begin_ns > check->summary.end_ns)
		check->summary.begin_ns = 0;
	return NULL;
}

static struct vitrine_error *check_file(const struct fxt_file *file,
					const char *path,
					const struct vitrine_fxt_report *report,
					struct vitrine_fxt_summary *ret)
{
	struct check *check = calloc(1, sizeof(*check));
	struct vitrine_error *err;

	if (!check)
		return vtr_error_no_memory();
	check->subbufs.report = report;
	err = fxt_init(&check->subbufs.fxt, file->bytes, file->len_bytes, path);
	if (!err)
		err = check_all(check, file, path);
	if (!err)
		*ret = check->summary;
	check_deinit(check);
	return err;
}

/**
 * vitrine_fxt_check_bytes() - validate a trace in memory
 * @bytes: the trace
 * @len_bytes: its length
 * @report: receives each fault and each note, in file order except for those that are
 *	only known at the end; or NULL
 * @ret: contents of the trace
 *
 * Return: NULL if the whole trace was read, however many faults it has; EPROTONOSUPPORT
 * if @bytes is not a trace, E2BIG with too many providers, ENOMEM.
 */
struct vitrine_error *
vitrine_fxt_check_bytes(const void *bytes, size_t len_bytes,
			const struct vitrine_fxt_report *report,
			struct vitrine_fxt_summary *ret)
{
	const struct fxt_file file = {
		.bytes = (unsigned char *)bytes,
		.len_bytes = len_bytes,
	};

	return check_file(&file, NULL, report, ret);
}

/**
 * vitrine_fxt_check() - validate a trace file
 * @path: the file
 * @report: receives each fault and each note, or NULL
 * @ret: contents of the trace
 *
 * Return: as vitrine_fxt_check_bytes(), or an error from reading the file.
 */
struct vitrine_error *vitrine_fxt_check(const char *path,
					const struct vitrine_fxt_report *report,
					struct vitrine_fxt_summary *ret)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(path, &file);
	if (err)
		return err;
	err = check_file(&file, path, report, ret);
	fxt_file_close(&file);
	return err;
}
