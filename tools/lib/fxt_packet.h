/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sub-buffers of vitrine in an FXT archive: packet headers, clock pairs, and the
 * records that were lost between two sub-buffers.
 */
#ifndef _VITRINE_LIB_FXT_PACKET_H
#define _VITRINE_LIB_FXT_PACKET_H

#include <vitrine/map.h>

#include "fxt_field.h"

/* Offset in a sub-buffer of the record that holds the packet header. */
#define FXT_PACKET_RECORD_OFFSET	(VITRINE_PACKET_OFFSET - 2 * FXT_WORD_BYTES)

/*
 * Providers of events that a recording takes from tracefs. Their sub-buffers have packet
 * headers like those of the module, which count the events that ftrace lost.
 */
#define FXT_TRACEFS_NAME		"tracefs"
#define FXT_TRACEFS_PROVIDER(cpu)	(0x30000 + (cpu))

static inline bool fxt_is_tracefs(uint32_t provider)
{
	return provider - FXT_TRACEFS_PROVIDER(0) < 0x10000;
}

/**
 * struct fxt_loss - what is missing between two sub-buffers of one CPU and session
 * @nr_missing: records that were written, but are not in the first sub-buffer
 * @nr_unwritten: records that the kernel could not write
 * @nr_bytes: length of the records in @nr_missing
 * @nr_subbufs: number of missing sub-buffers
 */
struct fxt_loss {
	uint64_t nr_missing;
	uint64_t nr_unwritten;
	uint64_t nr_bytes;
	uint64_t nr_subbufs;
};

struct fxt_loss fxt_packet_loss(const struct vitrine_packet *before,
				uint64_t nr_timed,
				const struct vitrine_packet *after);
bool fxt_packet_read(const struct fxt_decoder *decoder,
		     const struct vitrine_fxt_record *record,
		     struct vitrine_packet *ret);
bool fxt_clock_pair_read(const struct fxt_decoder *decoder,
			 const struct vitrine_fxt_record *record,
			 struct vitrine_clock_pair *ret);

#endif /* _VITRINE_LIB_FXT_PACKET_H */
