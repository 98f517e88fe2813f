// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan a sub-buffer by the first words of its records.
 *
 * The reader of a ring needs the number of records in each sub-buffer, which the packet
 * header does not hold, and must not spend the time of decoding on it.
 */
#include <string.h>

#include "fxt_bits.h"
#include "fxt_provider.h"
#include "fxt_scan.h"

/* The longest record that is looked into: a switch with two inline threads. */
#define SWITCH_WORDS	6

/**
 * struct scan - position in a sub-buffer
 * @record: the current record
 * @nr_words: its length
 * @header: its first word
 * @end: end of the sub-buffer
 */
struct scan {
	const unsigned char *record;
	uint64_t nr_words;
	uint64_t header;
	const unsigned char *end;
};

static struct scan scan_begin(const void *bytes, size_t len_bytes)
{
	const unsigned char *begin = bytes;

	return (struct scan){ .record = begin, .end = begin + len_bytes };
}

/* Move to the next record. Return false at the end, or if its size is not usable. */
static bool scan_next(struct scan *scan)
{
	scan->record += scan->nr_words * FXT_WORD_BYTES;
	if (scan->end - scan->record < FXT_WORD_BYTES)
		return false;
	memcpy(&scan->header, scan->record, sizeof(scan->header));
	scan->nr_words = fxt_header_words(scan->header);
	return scan->nr_words && scan->nr_words <=
	       (uint64_t)(scan->end - scan->record) / FXT_WORD_BYTES;
}

static bool is_timed(uint64_t header)
{
	switch (FXT_GET(FXT_HEADER_TYPE, header)) {
	case FXT_RECORD_EVENT:
	case FXT_RECORD_SCHEDULING:
	case FXT_RECORD_LOG:
		return true;
	case FXT_RECORD_LARGE:
		return !(header & (FXT_LARGE_TYPE | FXT_LARGE_BLOB_FORMAT));
	default:
		return false;
	}
}

static bool is_switch(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_SCHEDULING &&
	       FXT_GET(FXT_SCHEDULING_SUBTYPE, header) <=
	       FXT_SCHEDULING_CONTEXT_SWITCH;
}

static bool is_wakeup(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_SCHEDULING &&
	       FXT_GET(FXT_SCHEDULING_SUBTYPE, header) ==
	       FXT_SCHEDULING_THREAD_WAKEUP;
}

/**
 * fxt_scan_counts() - count the records of a sub-buffer
 * @bytes: sub-buffer in our byte order
 * @len_bytes: its length
 * @ret: the counts, up to the first record whose size is not usable
 */
void fxt_scan_counts(const void *bytes, size_t len_bytes,
		     struct fxt_counts *ret)
{
	struct scan scan = scan_begin(bytes, len_bytes);
	struct fxt_counts counts = { 0 };

	while (scan_next(&scan)) {
		counts.timed += is_timed(scan.header);
		counts.switches += is_switch(scan.header);
		counts.wakeups += is_wakeup(scan.header);
	}
	*ret = counts;
}

/* Copy the current record to @words, cut or padded with 0 to SWITCH_WORDS. */
static void copy_record(const struct scan *scan, uint64_t words[SWITCH_WORDS])
{
	uint64_t nr = scan->nr_words < SWITCH_WORDS ? scan->nr_words :
						      SWITCH_WORDS;

	memset(words, 0, SWITCH_WORDS * FXT_WORD_BYTES);
	memcpy(words, scan->record, nr * FXT_WORD_BYTES);
}

/* Resolve a thread of a legacy switch, whose next inline thread is at *@at. */
static struct vitrine_fxt_thread
switch_thread(const struct vitrine_fxt_thread *table, unsigned int ref,
	      const uint64_t *words, unsigned int *at)
{
	struct vitrine_fxt_thread thread;

	if (ref)
		return table[ref];
	thread.process = words[*at];
	thread.thread = words[*at + 1];
	*at += 2;
	return thread;
}

static void switch_threads(const struct vitrine_fxt_thread *table,
			   const uint64_t words[SWITCH_WORDS],
			   struct vitrine_fxt_thread *ret_outgoing,
			   struct vitrine_fxt_thread *ret_incoming)
{
	unsigned int at = 2;

	if (FXT_GET(FXT_SCHEDULING_SUBTYPE, words[0]) ==
	    FXT_SCHEDULING_CONTEXT_SWITCH) {
		*ret_outgoing = (struct vitrine_fxt_thread){ 0, words[2] };
		*ret_incoming = (struct vitrine_fxt_thread){ 0, words[3] };
		return;
	}
	*ret_outgoing = switch_thread(table, FXT_GET(FXT_SWITCH_OUTGOING_THREAD, words[0]),
				      words, &at);
	*ret_incoming = switch_thread(table, FXT_GET(FXT_SWITCH_INCOMING_THREAD, words[0]),
				      words, &at);
}

/**
 * fxt_scan_row_ends() - find the threads that ran at both ends of a sub-buffer
 * @bytes: sub-buffer in our byte order
 * @len_bytes: its length
 * @ret_first: outgoing thread of the first switch
 * @ret_last: incoming thread of the last switch
 *
 * Return: false if the sub-buffer holds no switch.
 */
bool fxt_scan_row_ends(const void *bytes, size_t len_bytes,
		       struct vitrine_fxt_thread *ret_first,
		       struct vitrine_fxt_thread *ret_last)
{
	struct vitrine_fxt_thread table[FXT_NR_THREADS] = { 0 }, outgoing;
	struct scan scan = scan_begin(bytes, len_bytes);
	uint64_t words[SWITCH_WORDS];
	bool found = false;

	while (scan_next(&scan)) {
		copy_record(&scan, words);
		if (FXT_GET(FXT_HEADER_TYPE, words[0]) == FXT_RECORD_THREAD)
			table[FXT_GET(FXT_THREAD_INDEX, words[0])] =
				(struct vitrine_fxt_thread){ words[1], words[2] };
		if (!is_switch(words[0]))
			continue;
		switch_threads(table, words, &outgoing, ret_last);
		if (!found)
			*ret_first = outgoing;
		found = true;
	}
	return found;
}
