/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markers: events that programs write as text to trace/marker.
 */
#ifndef _VTR_MARKER_H
#define _VTR_MARKER_H

#include <vitrine/trace.h>

DECLARE_VITRINE_CATEGORY(marker);

ssize_t vtr_marker_write(const char __user *text, size_t len_bytes);
u64 vtr_marker_refused(void);

#endif /* _VTR_MARKER_H */
