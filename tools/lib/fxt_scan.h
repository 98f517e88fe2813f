/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scan the contents of a sub-buffer without decoding its records, and name wakers in it.
 */
#ifndef _VITRINE_LIB_FXT_SCAN_H
#define _VITRINE_LIB_FXT_SCAN_H

#include "vitrine.h"

struct fxt_counts {
	uint64_t timed;
	uint64_t switches;
	uint64_t wakeups;
};

void fxt_scan_counts(const void *bytes, size_t len_bytes,
		     struct fxt_counts *ret);
bool fxt_scan_row_ends(const void *bytes, size_t len_bytes,
		       struct vitrine_fxt_thread *ret_first,
		       struct vitrine_fxt_thread *ret_last);

/**
 * struct fxt_wakers - sub-buffers of one ring after the other, to which wakers are added
 * @cpu: CPU of the last sub-buffer
 * @session: its session
 * @nr_bytes: bytes that were added to the sub-buffers of this CPU and session
 * @words: the last sub-buffer, with wakers
 * @size: room in @words, in bytes
 */
struct fxt_wakers {
	uint32_t cpu;
	uint32_t session;
	uint64_t nr_bytes;
	uint64_t *words;
	size_t size;
};

struct vitrine_error *fxt_wakers_name(struct fxt_wakers *wakers, const void **bytes,
				      size_t *len_bytes);
void fxt_wakers_deinit(struct fxt_wakers *wakers);

#endif /* _VITRINE_LIB_FXT_SCAN_H */
