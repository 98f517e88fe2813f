// SPDX-License-Identifier: GPL-2.0
/*
 * Marks: records about the recording itself. That records were lost: as a
 * duration "drop_stats" over the time in which they were lost, on a thread that
 * no task can be. That a trigger froze the rings: as an instant event.
 *
 * Nothing here needs a table entry, so a mark can be put into any sub-buffer.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <uapi/vitrine/map.h>

#include "fxt.h"
#include "marks.h"

static unsigned int text_words(unsigned int len_bytes)
{
	return DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
}

static unsigned int put_text(u64 *words, const char *text)
{
	unsigned int len_bytes = strlen(text), nr_words = text_words(len_bytes);

	if (nr_words)
		words[nr_words - 1] = 0;
	memcpy(words, text, len_bytes);
	return nr_words;
}

static u64 inline_text(const char *text)
{
	return FXT_STRING_REF_INLINE | strlen(text);
}

/* Format: "Arguments". */
static unsigned int put_arg_uint64(u64 *words, const char *name, u64 value)
{
	unsigned int nr_words = 1 + put_text(words + 1, name);

	words[nr_words++] = value;
	words[0] = vtr_fxt_header((enum fxt_record_type)FXT_ARG_UINT64, nr_words) |
		   FIELD_PREP(FXT_ARG_NAME, inline_text(name));
	return nr_words;
}

static unsigned int put_arg_string(u64 *words, const char *name,
				   const char *value)
{
	unsigned int nr_words = 1 + put_text(words + 1, name);

	nr_words += put_text(words + nr_words, value);
	words[0] = vtr_fxt_header((enum fxt_record_type)FXT_ARG_STRING_REF, nr_words) |
		   FIELD_PREP(FXT_ARG_NAME, inline_text(name)) |
		   FIELD_PREP(FXT_ARG_STRING, inline_text(value));
	return nr_words;
}

/* All of an event but its size, which is not known yet, and its arguments. */
static unsigned int put_event(u64 *words, enum fxt_event_type type,
			      const char *category, const char *name, u64 ticks,
			      u64 process, u64 thread)
{
	unsigned int nr_words = 4;

	words[0] = vtr_fxt_header(FXT_RECORD_EVENT, 0) |
		   FIELD_PREP(FXT_EVENT_TYPE, type) |
		   FIELD_PREP(FXT_EVENT_NR_ARGS, 2) |
		   FIELD_PREP(FXT_EVENT_CATEGORY, inline_text(category)) |
		   FIELD_PREP(FXT_EVENT_NAME, inline_text(name));
	words[1] = ticks;
	words[2] = process;
	words[3] = thread;
	nr_words += put_text(words + nr_words, category);
	nr_words += put_text(words + nr_words, name);
	return nr_words;
}

/**
 * vtr_marks_put_gap() - compose what is to be said where records were lost
 * @words: where to; VTR_MARKS_GAP_WORDS at most
 * @cpu: whose they were
 * @begin: time of the first
 * @end: time from which on none was lost
 * @nr_records: how many
 * @nr_bytes: their length
 *
 * A name for the thread, and the duration, which is the only record with a time.
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_marks_put_gap(u64 *words, unsigned int cpu, u64 begin,
			       u64 end, u64 nr_records, u64 nr_bytes)
{
	u32 thread = VITRINE_LOSS_THREAD(cpu);
	unsigned int nr_words, event;

	nr_words = vtr_fxt_put_thread_name(words, 0, thread, "lost");
	event = nr_words;
	nr_words += put_event(words + event, FXT_EVENT_DURATION_COMPLETE,
			      "vitrine", "drop_stats", begin, 0, thread);
	nr_words += put_arg_uint64(words + nr_words, "num_records", nr_records);
	nr_words += put_arg_uint64(words + nr_words, "num_bytes", nr_bytes);
	words[nr_words++] = end;
	words[event] |= FIELD_PREP(FXT_HEADER_WORDS, nr_words - event);
	return nr_words;
}

/**
 * vtr_marks_put_frozen() - compose an instant event that says why rings froze
 * @words: where to; VTR_MARKS_FROZEN_WORDS at most
 * @now: when
 * @process: koid of the process it happened to
 * @thread: koid of the thread
 * @cause: which trigger, at most VTR_MARKS_CAUSE_MAX bytes, not empty
 * @value: what it measured
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_marks_put_frozen(u64 *words, u64 now, u64 process, u64 thread,
				  const char *cause, u64 value)
{
	unsigned int nr_words;

	nr_words = put_event(words, FXT_EVENT_INSTANT, "vitrine", "frozen", now,
			     process, thread);
	nr_words += put_arg_string(words + nr_words, "cause", cause);
	nr_words += put_arg_uint64(words + nr_words, "value", value);
	words[0] |= FIELD_PREP(FXT_HEADER_WORDS, nr_words);
	return nr_words;
}
