/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of markers, as programs write it to trace/marker. Pure.
 *
 * The syntax is that of Android's atrace, which many programs write to ftrace's
 * trace_marker already: a letter and fields, separated by "|".
 *
 *	B|PID|NAME		a duration begins
 *	E, E|PID		the innermost duration ends
 *	I|PID|NAME		an instant
 *	C|PID|NAME|VALUE	a counter has a new value
 *	S|PID|NAME|ID		a duration begins that may end on another thread
 *	F|PID|NAME|ID		that duration ends
 *	s|PID|NAME|ID		a flow begins in the innermost duration
 *	t|PID|NAME|ID		it passes through the innermost duration
 *	f|PID|NAME|ID		it ends in the innermost duration
 *
 * Any other text without "|" as its second character is an instant of that name. PID is
 * ignored and may be empty: a marker belongs to the thread that writes it. A name may
 * contain "|"; a number is what follows the last one.
 *
 * A marker with a number may also be binary: a struct vitrine_marker_number of
 * <vitrine/map.h>, followed by the name. The library writes it, because the digits of a
 * number would take as long as the rest of the marker.
 */
#ifndef _VTR_MARKER_TEXT_H
#define _VTR_MARKER_TEXT_H

#include <uapi/vitrine/fxt.h>

/* Longest marker in bytes, without newlines and NULs at its end. */
#define VTR_MARKER_MAX_BYTES	255

/* Bytes after the text that may be read and written. */
#define VTR_MARKER_SPARE_BYTES	8

/**
 * struct vtr_marker - a parsed marker
 * @type: event to record: an instant, a counter, the begin or the end of a duration, of an
 *	async duration or of a flow, or a step of a flow
 * @len_bytes: length of @name, which is 0 at most for an end
 * @name: name of the event, terminated, within the parsed text; a NUL in it ends it
 * @number: value of a counter; id of an async duration or of a flow
 */
struct vtr_marker {
	enum fxt_event_type	type;
	unsigned int		len_bytes;
	const char		*name;
	s64			number;
};

int vtr_marker_parse(char *text, size_t len_bytes, struct vtr_marker *ret);

#endif /* _VTR_MARKER_TEXT_H */
