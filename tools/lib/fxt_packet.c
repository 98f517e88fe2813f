// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packet headers of sub-buffers.
 *
 * A sub-buffer of vitrine begins with a BLOB of type DATA named "vitrine", whose
 * payload is struct vitrine_packet in the byte order of the writer.
 */
#include "fxt_packet.h"

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
 * fxt_packet_read() - read the packet header in a record
 * @decoder: the bytes
 * @record: any record
 * @ret: the header, in our byte order
 *
 * Return: false if the record is not a packet header; @ret is unchanged then.
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
	/* A CPU that no record can name would be another one: the header is damaged. */
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.cpu >= FXT_MAX_CPUS)
		return false;
	*ret = packet;
	return true;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/**
 * fxt_packet_loss() - count what is missing between two sub-buffers
 * @before: packet header of the first
 * @nr_timed: records with a timestamp in the first
 * @after: packet header of the second, of the same CPU and session
 *
 * Return: the loss; a count is 0 if the headers contradict each other.
 */
struct fxt_loss fxt_packet_loss(const struct vitrine_packet *before,
				uint64_t nr_timed,
				const struct vitrine_packet *after)
{
	return (struct fxt_loss){
		.nr_missing = above(after->records_before,
				    before->records_before + nr_timed),
		.nr_unwritten = above(after->lost_records, before->lost_records),
		.nr_bytes = above(after->bytes_before,
				  before->bytes_before + before->committed_bytes),
		.nr_subbufs = above(after->sequence, before->sequence + 1),
	};
}

/**
 * fxt_clock_pair_read() - read the clock pair in a record
 * @decoder: the bytes
 * @record: any record
 * @ret: the clock pair, in our byte order
 *
 * Return: false if the record is not a clock pair.
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
