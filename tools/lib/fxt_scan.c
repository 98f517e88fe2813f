// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan a sub-buffer by the first words of its records.
 *
 * The reader of a ring needs the number of records in each sub-buffer, which the packet
 * header does not hold, and must not spend the time of decoding on it. Nor must a recorder
 * that adds to each wakeup what the module leaves out.
 */
#include <stdlib.h>
#include <string.h>

#include <vitrine/map.h>

#include "error.h"
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

/* ---- Wakers ------------------------------------------------------------ */

/* Words of a wakeup as the module writes it, and of the argument that is added. */
#define WAKEUP_WORDS	3
#define WAKER_WORDS	2

/* Index of the string "waker": the last one, because the module uses the first ones. */
#define WAKER_STRING	(FXT_NR_STRINGS - 1)

/**
 * struct row - the thread that runs, while a sub-buffer is scanned
 * @table: threads of the sub-buffer
 * @cpu: CPU of the sub-buffer
 * @running: koid of the running thread
 * @is_known: @running is set
 */
struct row {
	struct vitrine_fxt_thread table[FXT_NR_THREADS];
	uint32_t cpu;
	uint64_t running;
	bool is_known;
};

static void run(struct row *row, uint64_t thread)
{
	row->running = thread;
	row->is_known = true;
}

/* Follow a record, by the rules of set_running() in fxt_record.c. */
static void follow(struct row *row, const struct scan *scan)
{
	struct vitrine_fxt_thread outgoing, incoming;
	uint64_t words[SWITCH_WORDS];

	copy_record(scan, words);
	switch (FXT_GET(FXT_HEADER_TYPE, scan->header)) {
	case FXT_RECORD_THREAD:
		row->table[FXT_GET(FXT_THREAD_INDEX, words[0])] =
			(struct vitrine_fxt_thread){ words[1], words[2] };
		break;
	case FXT_RECORD_KERNEL_OBJECT:
		if (!row->is_known && words[1] != VITRINE_LOSS_THREAD(row->cpu) &&
		    FXT_GET(FXT_KERNEL_OBJECT_TYPE, words[0]) == FXT_OBJECT_TYPE_THREAD)
			run(row, words[1]);
		break;
	case FXT_RECORD_SCHEDULING:
		if (!is_switch(scan->header))
			break;
		switch_threads(row->table, words, &outgoing, &incoming);
		run(row, incoming.thread);
		break;
	}
}

static bool lacks_waker(const struct scan *scan)
{
	return is_wakeup(scan->header) && scan->nr_words == WAKEUP_WORDS &&
	       !FXT_GET(FXT_SCHEDULING_NR_ARGS, scan->header);
}

static uint64_t *put_waker_string(uint64_t *to)
{
	static const char name[FXT_WORD_BYTES] = "waker";

	to[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_STRING) | FXT_PUT(FXT_HEADER_WORDS, 2) |
		FXT_PUT(FXT_STRING_INDEX, WAKER_STRING) |
		FXT_PUT(FXT_STRING_BYTES, strlen(name));
	memcpy(&to[1], name, sizeof(name));
	return to + 2;
}

static uint64_t *put_wakeup(uint64_t *to, const struct scan *scan, uint64_t waker)
{
	memcpy(to, scan->record, WAKEUP_WORDS * FXT_WORD_BYTES);
	to[0] += FXT_PUT(FXT_HEADER_WORDS, WAKER_WORDS) | FXT_PUT(FXT_SCHEDULING_NR_ARGS, 1);
	to += WAKEUP_WORDS;
	to[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_ARG_KOID) |
		FXT_PUT(FXT_HEADER_WORDS, WAKER_WORDS) |
		FXT_PUT(FXT_ARG_NAME, WAKER_STRING);
	to[1] = waker;
	return to + WAKER_WORDS;
}

/* Copy a sub-buffer to @to, and add to each wakeup its waker. Return the end. */
static uint64_t *copy_with_wakers(struct scan *scan, uint32_t cpu, uint64_t *to)
{
	const unsigned char *from = scan->record;
	struct row row = { .cpu = cpu };
	bool has_string = false;

	while (scan_next(scan)) {
		if (!lacks_waker(scan) || !row.is_known) {
			follow(&row, scan);
			continue;
		}
		memcpy(to, from, scan->record - from);
		to += (scan->record - from) / FXT_WORD_BYTES;
		if (!has_string)
			to = put_waker_string(to);
		has_string = true;
		to = put_wakeup(to, scan, row.running);
		from = scan->record + WAKEUP_WORDS * FXT_WORD_BYTES;
	}
	memcpy(to, from, scan->end - from);
	return to + (scan->end - from) / FXT_WORD_BYTES;
}

/* Make the packet header agree with what was added to this sub-buffer and those before. */
static void mend_packet(struct fxt_wakers *wakers, struct vitrine_packet *packet,
			uint64_t len_bytes)
{
	if (packet->session != wakers->session || packet->cpu != wakers->cpu)
		wakers->nr_bytes = 0;
	wakers->session = packet->session;
	wakers->cpu = packet->cpu;
	packet->bytes_before += wakers->nr_bytes;
	wakers->nr_bytes += len_bytes - packet->committed_bytes;
	packet->committed_bytes = len_bytes;
	if (packet->subbuf_bytes < len_bytes)
		packet->subbuf_bytes = len_bytes;
}

/**
 * fxt_wakers_name() - add the argument "waker" to the wakeups of a sub-buffer
 * @wakers: what was added to the sub-buffers before; all zero at first
 * @bytes: sub-buffer in our byte order, whose packet header is valid; then the same with
 *	wakers, valid until the next call
 * @len_bytes: its length, a multiple of 8
 *
 * The module does not write the waker, which is the thread that runs on the CPU. Our reader
 * derives it; those of others take the argument, or else the woken thread itself.
 *
 * Return: NULL, or ENOMEM.
 */
struct vitrine_error *fxt_wakers_name(struct fxt_wakers *wakers, const void **bytes,
				      size_t *len_bytes)
{
	struct scan scan = scan_begin(*bytes, *len_bytes);
	struct vitrine_packet packet;
	struct fxt_counts counts;
	uint64_t *words;
	size_t size;

	fxt_scan_counts(*bytes, *len_bytes, &counts);
	size = *len_bytes + (2 + counts.wakeups * WAKER_WORDS) * FXT_WORD_BYTES;
	if (size > wakers->size) {
		words = realloc(wakers->words, size);
		if (!words)
			return vtr_error_no_memory();
		wakers->words = words;
		wakers->size = size;
	}
	memcpy(&packet, (const char *)*bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	words = copy_with_wakers(&scan, packet.cpu, wakers->words);
	*len_bytes = (words - wakers->words) * FXT_WORD_BYTES;
	mend_packet(wakers, &packet, *len_bytes);
	memcpy((char *)wakers->words + VITRINE_PACKET_OFFSET, &packet, sizeof(packet));
	*bytes = wakers->words;
	return NULL;
}

/**
 * fxt_wakers_deinit() - free the last result
 * @wakers: the state
 */
void fxt_wakers_deinit(struct fxt_wakers *wakers)
{
	free(wakers->words);
}
