// SPDX-License-Identifier: GPL-2.0
/*
 * Marks: records about the recording itself. Lost records are reported as a duration
 * "drop_stats" over the time of the loss, on a thread id that no task can have; a
 * trigger that froze the rings is reported as an instant event.
 *
 * Marks need no entry in the tables of a sub-buffer, so they fit into any.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <uapi/vitrine/map.h>

#include "fxt.h"
#include "marks.h"

static struct vtr_fxt_string text(const char *bytes)
{
	return vtr_fxt_inline(bytes, strlen(bytes));
}

/**
 * vtr_marks_put_gap() - compose the records that report a loss
 * @words: destination; at most VTR_MARKS_GAP_WORDS are written
 * @cpu: CPU that lost the records
 * @begin: time of the first lost record
 * @end: time from which on no record was lost
 * @nr_records: number of lost records
 * @nr_bytes: length of the lost records
 *
 * Writes a name of the thread, and the duration, which is the only record with a time.
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_marks_put_gap(u64 *words, unsigned int cpu, u64 begin,
			       u64 end, u64 nr_records, u64 nr_bytes)
{
	static const char name[VTR_FXT_NAME_MAX + 1] = "lost";
	u32 thread = VITRINE_LOSS_THREAD(cpu);
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_UINT64, text("num_records"), { .value = nr_records } },
		{ FXT_ARG_UINT64, text("num_bytes"), { .value = nr_bytes } },
	};
	const struct vtr_fxt_event event = {
		.type = FXT_EVENT_DURATION_COMPLETE,
		.nr_args = ARRAY_SIZE(args),
		.thread = { .thread = thread },
		.category = text("vitrine"),
		.name = text("drop_stats"),
		.args = args,
		.ticks = begin,
		.id = end,
	};
	unsigned int nr_words;

	nr_words = vtr_fxt_put_thread_name(words, 0, thread, name) - words;
	return nr_words + vtr_fxt_put_event(words + nr_words, &event);
}

/**
 * vtr_marks_put_frozen() - compose an instant event with the reason for a freeze
 * @words: destination; at most VTR_MARKS_FROZEN_WORDS are written
 * @now: timestamp in ticks
 * @process: koid of the process of @thread
 * @thread: koid of the thread that fired the trigger
 * @cause: name of the trigger, 1 to 24 bytes
 * @value: measured value
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_marks_put_frozen(u64 *words, u64 now, u64 process, u64 thread,
				  const char *cause, u64 value)
{
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_STRING_REF, text("cause"), { .string = text(cause) } },
		{ FXT_ARG_UINT64, text("value"), { .value = value } },
	};
	const struct vtr_fxt_event event = {
		.type = FXT_EVENT_INSTANT,
		.nr_args = ARRAY_SIZE(args),
		.thread = { .process = process, .thread = thread },
		.category = text("vitrine"),
		.name = text("frozen"),
		.args = args,
		.ticks = now,
	};

	return vtr_fxt_put_event(words, &event);
}
