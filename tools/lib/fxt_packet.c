// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The packet header of a sub-buffer: a BLOB of type DATA named "vitrine"; and
 * how many records a sub-buffer holds, which its header does not say.
 */
#include "fxt.h"

static void swap_packet(struct vitrine_packet *packet)
{
	packet->magic = bswap_64(packet->magic);
	packet->generation = bswap_64(packet->generation);
	packet->sequence = bswap_64(packet->sequence);
	packet->committed_bytes = bswap_64(packet->committed_bytes);
	packet->begin_ticks = bswap_64(packet->begin_ticks);
	packet->end_ticks = bswap_64(packet->end_ticks);
	packet->records_before = bswap_64(packet->records_before);
	packet->bytes_before = bswap_64(packet->bytes_before);
	packet->lost_records = bswap_64(packet->lost_records);
	packet->session_ticks = bswap_64(packet->session_ticks);
	packet->session_realtime_ns = bswap_64(packet->session_realtime_ns);
	packet->cpu = bswap_32(packet->cpu);
	packet->session = bswap_32(packet->session);
	packet->clock = bswap_32(packet->clock);
	packet->subbuf_bytes = bswap_32(packet->subbuf_bytes);
}

/**
 * fxt_packet_read() - take the packet header out of a record
 * @decoder: the bytes
 * @record: any record
 * @ret: the header, in our byte order
 *
 * Return: false if the record holds none.
 */
bool fxt_packet_read(const struct fxt_decoder *decoder,
		     const struct vitrine_fxt_record *record,
		     struct vitrine_packet *ret)
{
	struct vitrine_packet packet;

	if (record->kind != VITRINE_FXT_BLOB ||
	    record->blob.type != FXT_BLOB_TYPE_DATA ||
	    record->blob.payload.len_bytes < sizeof(packet) ||
	    !fxt_string_is(&record->blob.name, VITRINE_PROVIDER_NAME))
		return false;
	memcpy(&packet, record->blob.payload.bytes, sizeof(packet));
	if (decoder->swap)
		swap_packet(&packet);
	if (packet.magic != VITRINE_PACKET_MAGIC)
		return false;
	*ret = packet;
	return true;
}

/**
 * fxt_clock_pair_read() - take the two clocks of a sub-buffer out of a record
 * @decoder: the bytes
 * @record: any record
 * @ret: the clocks, in our byte order
 *
 * Return: false if the record holds none.
 */
bool fxt_clock_pair_read(const struct fxt_decoder *decoder,
			 const struct vitrine_fxt_record *record,
			 struct vitrine_clock_pair *ret)
{
	if (record->kind != VITRINE_FXT_BLOB ||
	    record->blob.type != FXT_BLOB_TYPE_DATA ||
	    record->blob.payload.len_bytes != sizeof(*ret) ||
	    !fxt_string_is(&record->blob.name, VITRINE_CLOCK_BLOB_NAME))
		return false;
	memcpy(ret, record->blob.payload.bytes, sizeof(*ret));
	if (decoder->swap) {
		ret->ticks = bswap_64(ret->ticks);
		ret->mono_ns = bswap_64(ret->mono_ns);
	}
	return true;
}

static bool header_is_timed(uint64_t header)
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

static bool header_is_switch(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_SCHEDULING &&
	       FXT_GET(FXT_SCHEDULING_SUBTYPE, header) <=
	       FXT_SCHEDULING_CONTEXT_SWITCH;
}

/**
 * fxt_count() - count records by their first words
 * @bytes: records in our byte order
 * @len_bytes: their length
 * @ret: the counts, up to a record whose size is of no use
 */
void fxt_count(const void *bytes, size_t len_bytes, struct fxt_counts *ret)
{
	const unsigned char *at = bytes, *end = at + len_bytes;
	struct fxt_counts counts = { 0 };
	uint64_t header, words;

	for (; end - at >= FXT_WORD_BYTES; at += words * FXT_WORD_BYTES) {
		memcpy(&header, at, sizeof(header));
		words = FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_LARGE ?
				FXT_GET(FXT_LARGE_WORDS, header) :
				FXT_GET(FXT_HEADER_WORDS, header);
		if (!words || words > (uint64_t)(end - at) / FXT_WORD_BYTES)
			break;
		counts.timed += header_is_timed(header);
		counts.switches += header_is_switch(header);
	}
	*ret = counts;
}

/* A thread of a legacy switch, whose inline threads begin at *@at. */
static struct vitrine_fxt_thread
switch_thread(const struct vitrine_fxt_thread *table, unsigned int ref,
	      const uint64_t *words, unsigned int nr_words, unsigned int *at)
{
	struct vitrine_fxt_thread thread = { 0 };

	if (ref)
		return table[ref];
	if (*at + 2 <= nr_words) {
		thread.process = words[*at];
		thread.thread = words[*at + 1];
	}
	*at += 2;
	return thread;
}

/* One switch of at most 6 words, as the module writes them. */
static void switch_ends(const struct vitrine_fxt_thread *table,
			const uint64_t *words, unsigned int nr_words,
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
				      words, nr_words, &at);
	*ret_incoming = switch_thread(table, FXT_GET(FXT_SWITCH_INCOMING_THREAD, words[0]),
				      words, nr_words, &at);
}

/**
 * fxt_row_ends() - who ran when a sub-buffer began, and who when it ended
 * @bytes: a sub-buffer in our byte order
 * @len_bytes: its length
 * @ret_first: outgoing thread of its first switch
 * @ret_last: incoming thread of its last switch
 *
 * Return: false if there is no switch in it.
 */
bool fxt_row_ends(const void *bytes, size_t len_bytes,
		  struct vitrine_fxt_thread *ret_first,
		  struct vitrine_fxt_thread *ret_last)
{
	const unsigned char *at = bytes, *end = at + len_bytes;
	struct vitrine_fxt_thread table[256] = { 0 }, outgoing;
	uint64_t words[6], nr_words;
	bool found = false;

	for (; end - at >= FXT_WORD_BYTES; at += nr_words * FXT_WORD_BYTES) {
		memcpy(words, at, sizeof(words[0]));
		nr_words = FXT_GET(FXT_HEADER_TYPE, words[0]) == FXT_RECORD_LARGE ?
				FXT_GET(FXT_LARGE_WORDS, words[0]) :
				FXT_GET(FXT_HEADER_WORDS, words[0]);
		if (!nr_words || nr_words > (uint64_t)(end - at) / FXT_WORD_BYTES)
			break;
		memset(words, 0, sizeof(words));
		memcpy(words, at, nr_words < 6 ? nr_words * FXT_WORD_BYTES :
						 sizeof(words));
		if (FXT_GET(FXT_HEADER_TYPE, words[0]) == FXT_RECORD_THREAD)
			table[FXT_GET(FXT_THREAD_INDEX, words[0])] =
				(struct vitrine_fxt_thread){ words[1], words[2] };
		if (!header_is_switch(words[0]))
			continue;
		switch_ends(table, words, nr_words < 6 ? nr_words : 6,
			    &outgoing, ret_last);
		if (!found)
			*ret_first = outgoing;
		found = true;
	}
	return found;
}
