// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the packets of a file in Heph's trace format.
 */
#include <errno.h>

#include "heph_packet.h"

/**
 * heph_malformed() - create an error for a malformed file
 * @heph: the file
 * @offset: position in the file
 * @what: description of the fault
 *
 * Return: the error, EBADMSG.
 */
struct vitrine_error *heph_malformed(const struct heph *heph, uint64_t offset,
				     const char *what)
{
	return vitrine_error_create(EBADMSG, heph->path, offset, NULL, "%s",
				    what);
}

/**
 * heph_take_packet() - read the header of a packet
 * @heph: the file
 * @offset: position of the packet in the file
 * @ret: receives the packet
 *
 * Return: NULL, or an error: EBADMSG.
 */
struct vitrine_error *heph_take_packet(const struct heph *heph, uint64_t offset,
				       struct heph_packet *ret)
{
	uint64_t at = offset, left = heph->file->len_bytes - offset, magic;
	uint64_t size, least;

	if (left < 8)
		return heph_malformed(heph, offset, "packet is cut short");
	magic = heph_take(heph, &at, 4);
	size = heph_take(heph, &at, 4);
	if (magic != HEPH_EVENT_MAGIC && magic != HEPH_METADATA_MAGIC)
		return heph_malformed(heph, offset,
				      "neither event nor metadata");
	ret->event = magic == HEPH_EVENT_MAGIC;
	least = ret->event ? HEPH_EVENT_BYTES : HEPH_METADATA_BYTES;
	if (size < least || size > left)
		return heph_malformed(heph, offset, size < least ?
				      "packet is shorter than its fields" :
				      "packet is longer than the file");
	ret->offset = offset;
	ret->end = offset + size;
	if (ret->event) {
		ret->stream = heph_take(heph, &at, 4);
		ret->counter = heph_take(heph, &at, 4);
		ret->substream = heph_take(heph, &at, 8);
		ret->start = heph_take(heph, &at, 8);
		ret->finish = heph_take(heph, &at, 8);
	}
	if (!heph_take_text(heph, &at, ret->end, &ret->name))
		return heph_malformed(heph, offset, ret->event ?
				      "description is longer than its packet" :
				      "option's name is longer than its packet");
	ret->at = at;
	return NULL;
}
