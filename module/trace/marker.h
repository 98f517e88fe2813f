/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markers: events that programs write as text to trace/marker.
 */
#ifndef _VTR_MARKER_H
#define _VTR_MARKER_H

#include <linux/compiler.h>
#include <linux/types.h>

int vtr_marker_init(void);
void vtr_marker_deinit(void);
ssize_t vtr_marker_write(const char __user *text, size_t len_bytes);
u64 vtr_marker_refused(void);

#endif /* _VTR_MARKER_H */
