/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scan the contents of a sub-buffer without decoding its records.
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

#endif /* _VITRINE_LIB_FXT_SCAN_H */
