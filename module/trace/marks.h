/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: records about the recording itself. Pure: takes no lock, allocates
 * nothing, also compiles on the host.
 */
#ifndef _VTR_MARKS_H
#define _VTR_MARKS_H

#include <linux/types.h>

/* Maximum length of each kind of mark, in words. */
#define VTR_MARKS_GAP_WORDS	24
#define VTR_MARKS_FROZEN_WORDS	16

unsigned int vtr_marks_put_gap(u64 *words, unsigned int cpu, u64 begin,
			       u64 end, u64 nr_records, u64 nr_bytes);
unsigned int vtr_marks_put_frozen(u64 *words, u64 now, u64 process, u64 thread,
				  const char *cause, u64 value);

#endif /* _VTR_MARKS_H */
