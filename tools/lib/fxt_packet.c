// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The packet header of a sub-buffer: a BLOB of type DATA named "vitrine".
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
