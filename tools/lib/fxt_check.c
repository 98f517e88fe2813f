// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names every fault of an FXT file.
 *
 * The decoder finds what is wrong within a record. Here we look at what
 * records say of each other: time, the chain of switches, names. In what
 * vitrine wrote (sub-buffers with a packet header) a contradiction is a fault;
 * in what others wrote it is worth a note, for nothing tells what they lost.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "fxt_check.h"

/* For whoever wants the summary alone. */
static const struct vitrine_fxt_report silence;

static void count_fault(void *ctx, uint64_t offset, const char *message)
{
	struct fxt_check *check = ctx;

	check->summary.nr_faults++;
	if (check->report->fault)
		check->report->fault(check->report->ctx, offset, message);
}

/**
 * fxt_check_note() - report what is no fault but worth knowing
 * @check: check
 * @offset: where
 * @format: what
 */
void fxt_check_note(struct fxt_check *check, uint64_t offset,
		    const char *format, ...)
{
	char message[192];
	va_list args;

	if (!check->report->note)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	check->report->note(check->report->ctx, offset, message);
}

/* Add what was seen at one tick rate to the trace's span of time. */
static void end_span(struct fxt_check *check)
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

static void begin_span(struct fxt_check *check)
{
	end_span(check);
	check->ticks_per_second = check->fxt.record.ticks_per_second;
	check->begin_ticks = UINT64_MAX;
	check->end_ticks = 0;
}

static void check_time(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;
	uint64_t ticks = fxt_written_ticks(record);

	if (lane->timed && ticks < lane->last_ticks) {
		if (fxt_lane_strict(check->lane, lane))
			fxt_fault(&check->fxt.decoder, record->offset,
				  "time goes backwards from %" PRIu64 " to %" PRIu64 " ticks",
				  lane->last_ticks, ticks);
		else
			lane->nr_backwards++;
	}
	lane->last_ticks = ticks;
	lane->timed = true;

	if (record->ticks_per_second != check->ticks_per_second)
		begin_span(check);
	if (record->ticks < check->begin_ticks)
		check->begin_ticks = record->ticks;
	if (record->ticks > check->end_ticks)
		check->end_ticks = record->ticks;
}

static bool use_thread(struct fxt_check *check, uint64_t koid, bool ours)
{
	uint64_t *recent = &check->recent[koid % FXT_RECENT_THREADS];
	struct fxt_name *name;

	if (*recent == koid + 1)
		return true;
	name = fxt_names_get(&check->threads, koid);
	if (!name)
		return false;
	if (!name->used) {
		name->used = true;
		name->ours = ours;
		name->used_offset = check->fxt.record.offset;
		check->summary.nr_threads++;
	}
	*recent = koid + 1;
	return true;
}

static bool check_switch(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;
	uint64_t outgoing = record->context_switch.outgoing.thread;
	uint64_t incoming = record->context_switch.incoming.thread;
	uint64_t *cpus = &check->cpus[record->cpu / 64 % 1024];
	bool ours = fxt_lane_strict(check->lane, lane);

	check->summary.nr_switches++;
	if (!(*cpus >> record->cpu % 64 & 1)) {
		*cpus |= 1ULL << record->cpu % 64;
		check->summary.nr_cpus++;
	}
	if (ours && record->cpu != lane->packet.cpu)
		fxt_fault(&check->fxt.decoder, record->offset,
			  "switch of CPU %u in a sub-buffer of CPU %u",
			  record->cpu, lane->packet.cpu);
	if (ours && lane->chained && lane->running != outgoing)
		fxt_fault(&check->fxt.decoder, record->offset,
			  "CPU %u switches from thread %" PRIu64 ", but %" PRIu64 " was running",
			  record->cpu, outgoing, lane->running);
	lane->running = incoming;
	lane->chained = ours;
	lane->bridged = lane->section;
	return use_thread(check, outgoing, ours) &&
	       use_thread(check, incoming, ours);
}

static bool check_contents(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;

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
		if (!check->fxt.provider->introduced)
			fxt_check_note(check, record->offset,
				       "section of provider %u, not introduced: viewers drop it",
				       record->provider);
		return true;
	case VITRINE_FXT_PROVIDER_EVENT:
		fxt_check_note(check, record->offset,
			       "provider %u: event %u%s", record->provider,
			       record->provider_info.event,
			       record->provider_info.event ? "" :
			       ", a buffer filled up");
		return true;
	default:
		return true;
	}
}

static struct fxt_lane *lane_of(struct fxt_check *check)
{
	struct fxt_provider *provider = check->fxt.provider;

	if (!provider->owner)
		provider->owner = calloc(1, sizeof(struct fxt_lane));
	return provider->owner;
}

static bool check_record(struct fxt_check *check)
{
	struct fxt_lane *lane = lane_of(check);

	if (!lane)
		return false;
	check->summary.nr_records++;
	fxt_subbuf_follow(check, lane);
	if (check->fxt.record.timed)
		check_time(check, lane);
	return check_contents(check, lane);
}

static void check_bad_frame(struct fxt_check *check)
{
	uint64_t skipped = check->fxt.offset - check->fxt.record.offset;

	check->broken = true;
	check->headless = false;
	if (check->lane)
		check->lane->exact = false;
	if (check->fxt.offset < check->fxt.decoder.len_bytes)
		fxt_check_note(check, check->fxt.record.offset,
			       "%" PRIu64 " bytes passed over, up to the next magic record",
			       skipped);
}

static struct vitrine_error *check_records(struct fxt_check *check,
					   const struct fxt_file *file,
					   const char *path)
{
	uint64_t released = 0;

	for (;;) {
		switch (fxt_next(&check->fxt)) {
		case FXT_OK:
			if (!check_record(check))
				return vtr_error_no_memory();
			break;
		case FXT_BAD_RECORD:
			if (check->lane)
				check->lane->exact = false;
			break;
		case FXT_BAD_FRAME:
			check_bad_frame(check);
			break;
		case FXT_END:
			fxt_subbuf_end(check, check->fxt.decoder.len_bytes);
			return NULL;
		case FXT_STOP:
			return fxt_stop_error(&check->fxt, path);
		}
		if (check->fxt.offset - released >= FXT_RELEASE_BYTES) {
			fxt_file_release(file, released, check->fxt.offset);
			released = check->fxt.offset;
		}
	}
}

/* Every thread seen needs a name and a process with a name; idle needs none. */
static void check_names(struct fxt_check *check)
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
		lack = !thread->named ? "name" : !thread->owned ? "process" :
		       !process || !process->named ? "process with a name" : NULL;
		if (!lack)
			continue;
		if (thread->ours)
			fxt_fault(&check->fxt.decoder, thread->used_offset,
				  "thread %" PRIu64 " has no %s", thread->koid,
				  lack);
		else
			nr_nameless++;
	}
	if (nr_nameless)
		fxt_check_note(check, 0,
			       "%" PRIu64 " threads lack a name or a process with a name",
			       nr_nameless);
}

static void note_backwards(struct fxt_check *check,
			   const struct fxt_provider *provider)
{
	const struct fxt_lane *lane = provider->owner;

	if (lane && lane->nr_backwards)
		fxt_check_note(check, 0,
			       "provider %u: %" PRIu64 " records earlier than the one before",
			       provider->id, lane->nr_backwards);
}

static void check_lanes(struct fxt_check *check)
{
	const struct fxt_provider *provider;
	unsigned int i;

	for (i = 0; i < FXT_PROVIDER_BUCKETS; i++) {
		provider = check->fxt.providers.buckets[i];
		for (; provider; provider = provider->next)
			note_backwards(check, provider);
	}
}

static void check_deinit(struct fxt_check *check)
{
	struct fxt_provider *provider;
	unsigned int i;

	for (i = 0; i < FXT_PROVIDER_BUCKETS; i++) {
		provider = check->fxt.providers.buckets[i];
		for (; provider; provider = provider->next)
			free(provider->owner);
	}
	fxt_names_deinit(&check->processes);
	fxt_names_deinit(&check->threads);
	fxt_deinit(&check->fxt);
	free(check);
}

static struct vitrine_error *check_run(struct fxt_check *check,
				       const struct fxt_file *file,
				       const char *path)
{
	struct vitrine_error *err;

	check->fxt.decoder.thorough = true;
	check->fxt.decoder.fault = count_fault;
	check->fxt.decoder.ctx = check;
	check->summary.len_bytes = file->len_bytes;
	check->summary.begin_ns = UINT64_MAX;
	check->begin_ticks = UINT64_MAX;
	err = check_records(check, file, path);
	if (err)
		return err;
	end_span(check);
	check_names(check);
	check_lanes(check);
	if (check->summary.nr_wakeups) {
		err = fxt_wakeups_check(check);
		if (err)
			return err;
	}
	fxt_subbuf_note_rate(check);
	if (check->summary.nr_unknown)
		fxt_check_note(check, 0,
			       "%" PRIu64 " records of unknown kinds",
			       check->summary.nr_unknown);
	check->summary.nr_providers = check->fxt.providers.nr;
	if (check->summary.begin_ns > check->summary.end_ns)
		check->summary.begin_ns = 0;
	return NULL;
}

static struct vitrine_error *check_file(const struct fxt_file *file,
					const char *path,
					const struct vitrine_fxt_report *report,
					struct vitrine_fxt_summary *ret)
{
	struct fxt_check *check = calloc(1, sizeof(*check));
	struct vitrine_error *err;

	if (!check)
		return vtr_error_no_memory();
	check->report = report ?: &silence;
	err = fxt_init(&check->fxt, file->bytes, file->len_bytes, path);
	if (!err)
		err = check_run(check, file, path);
	if (!err)
		*ret = check->summary;
	check_deinit(check);
	return err;
}

/**
 * vitrine_fxt_check_bytes() - name every fault of a trace in memory
 * @bytes: the trace
 * @len_bytes: its length
 * @report: told each fault and each note, in the order of the bytes but for
 *	what can only be known at the end; or NULL
 * @ret: what the trace holds
 *
 * Return: NULL if the whole trace was looked at, however many faults it has;
 * EPROTONOSUPPORT if it is no trace, E2BIG with too many providers, ENOMEM.
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
 * vitrine_fxt_check() - name every fault of a trace file
 * @path: the file
 * @report: told each fault and each note, or NULL
 * @ret: what the trace holds
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
