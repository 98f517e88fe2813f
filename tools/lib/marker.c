// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write markers: events of this program, which the module records in the trace.
 *
 * A marker is text that one write() passes to trace/marker; module/trace/marker_text.h
 * describes it. Composing the text takes no lock and allocates nothing, so a marker may be
 * used by any number of threads, and in a signal handler.
 */
#define _GNU_SOURCE	/* asprintf(), secure_getenv() */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "error.h"

#define DEBUGFS_MOUNT	"/sys/kernel/debug"

/* The module accepts 255 bytes: "B||", a name, "|", a number with its sign. */
#define NAME_MAX_BYTES	231
#define NUMBER_BYTES	20
#define MARKER_BYTES	(3 + NAME_MAX_BYTES + 1 + NUMBER_BYTES)

/**
 * struct vitrine_marker - an open trace/marker
 * @fd: the file
 */
struct vitrine_marker {
	int fd;
};

static struct vitrine_error *marker_open(const char *path,
					 struct vitrine_marker **ret)
{
	struct vitrine_marker *marker = malloc(sizeof(*marker));
	int code;

	if (!marker)
		return vtr_error_no_memory();
	marker->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (marker->fd >= 0) {
		*ret = marker;
		return NULL;
	}
	code = errno;
	free(marker);
	return vtr_error_open(code, path);
}

/**
 * vitrine_marker_create() - open the file that takes markers
 * @path: the file trace/marker of debugfs, or NULL for the usual one
 * @ret: marker
 *
 * NULL stands for /sys/kernel/debug/vitrine/trace/marker; VITRINE_DEBUGFS in the
 * environment is used instead of /sys/kernel/debug.
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *vitrine_marker_create(const char *path,
					    struct vitrine_marker **ret)
{
	const char *mount = secure_getenv("VITRINE_DEBUGFS");
	struct vitrine_error *err;
	char *usual;

	if (path)
		return marker_open(path, ret);
	if (!mount || !*mount)
		mount = DEBUGFS_MOUNT;
	if (asprintf(&usual, "%s/" VITRINE_DEBUGFS_DIR "/" VITRINE_TRACE_DIR "/marker",
		     mount) < 0)
		return vtr_error_no_memory();
	err = marker_open(usual, ret);
	free(usual);
	return err;
}

/**
 * vitrine_marker_destroy() - close the file
 * @marker: marker, or NULL
 */
void vitrine_marker_destroy(struct vitrine_marker *marker)
{
	if (!marker)
		return;
	close(marker->fd);
	free(marker);
}

/* The program has no use for an error, and must not find one in errno. */
static void put_text(const struct vitrine_marker *marker, const char *text,
		     size_t len_bytes)
{
	int code = errno;

	if (write(marker->fd, text, len_bytes) < 0)
		errno = code;
}

static char *put_name(char *text, char letter, const char *name)
{
	size_t len_bytes = strnlen(name, NAME_MAX_BYTES);

	text[0] = letter;
	text[1] = '|';
	text[2] = '|';
	memcpy(text + 3, name, len_bytes);
	return text + 3 + len_bytes;
}

static void put_named(const struct vitrine_marker *marker, char letter,
		      const char *name)
{
	char text[MARKER_BYTES], *end;

	if (!marker)
		return;
	end = put_name(text, letter, name);
	put_text(marker, text, end - text);
}

/* Write "LETTER||NAME|NUMBER"; snprintf() would take longer than all the rest. */
static void put_number(const struct vitrine_marker *marker, char letter,
		       const char *name, bool is_negative, uint64_t number)
{
	char text[MARKER_BYTES + 1], digits[2 * NUMBER_BYTES], *end;
	char *first = digits + NUMBER_BYTES;

	if (!marker)
		return;
	end = put_name(text, letter, name);
	*end++ = '|';
	if (is_negative)
		*end++ = '-';
	memset(first, 0, NUMBER_BYTES);
	do {
		*--first = '0' + number % 10;
		number /= 10;
	} while (number);
	/*
	 * A copy of constant length needs no call. Beyond the digits it copies zeros, which are
	 * not written; with a sign, one more than the longest number has.
	 */
	memcpy(end, first, NUMBER_BYTES);
	end += digits + NUMBER_BYTES - first;
	put_text(marker, text, end - text);
}

/**
 * vitrine_marker_instant() - record that something happens now
 * @marker: marker, or NULL to do nothing
 * @name: what happens; a name longer than 231 bytes is truncated
 */
void vitrine_marker_instant(const struct vitrine_marker *marker,
			    const char *name)
{
	put_named(marker, 'I', name);
}

/**
 * vitrine_marker_begin() - begin a duration of the calling thread
 * @marker: marker, or NULL to do nothing
 * @name: as for vitrine_marker_instant()
 *
 * Durations of a thread nest.
 */
void vitrine_marker_begin(const struct vitrine_marker *marker, const char *name)
{
	put_named(marker, 'B', name);
}

/**
 * vitrine_marker_end() - end the innermost duration of the calling thread
 * @marker: marker, or NULL to do nothing
 */
void vitrine_marker_end(const struct vitrine_marker *marker)
{
	if (marker)
		put_text(marker, "E", 1);
}

/**
 * vitrine_marker_counter() - record the value of a counter of the calling process
 * @marker: marker, or NULL to do nothing
 * @name: as for vitrine_marker_instant()
 * @value: the new value
 */
void vitrine_marker_counter(const struct vitrine_marker *marker,
			    const char *name, int64_t value)
{
	put_number(marker, 'C', name, value < 0,
		   value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/**
 * vitrine_marker_async_begin() - begin a duration that may end on another thread
 * @marker: marker, or NULL to do nothing
 * @name: as for vitrine_marker_instant()
 * @id: distinguishes durations of the same name
 */
void vitrine_marker_async_begin(const struct vitrine_marker *marker,
				const char *name, uint64_t id)
{
	put_number(marker, 'S', name, false, id);
}

/**
 * vitrine_marker_async_end() - end a duration begun by vitrine_marker_async_begin()
 * @marker: marker, or NULL to do nothing
 * @name: name of the duration
 * @id: id of the duration
 */
void vitrine_marker_async_end(const struct vitrine_marker *marker,
			      const char *name, uint64_t id)
{
	put_number(marker, 'F', name, false, id);
}

/**
 * vitrine_marker_flow_begin() - begin a flow in the innermost duration of the thread
 * @marker: marker, or NULL to do nothing
 * @name: as for vitrine_marker_instant()
 * @id: distinguishes flows
 *
 * A flow connects durations of several threads, such as the steps of a request.
 */
void vitrine_marker_flow_begin(const struct vitrine_marker *marker,
			       const char *name, uint64_t id)
{
	put_number(marker, 's', name, false, id);
}

/**
 * vitrine_marker_flow_step() - let a flow pass through the innermost duration
 * @marker: marker, or NULL to do nothing
 * @name: name of the flow
 * @id: id of the flow
 */
void vitrine_marker_flow_step(const struct vitrine_marker *marker,
			      const char *name, uint64_t id)
{
	put_number(marker, 't', name, false, id);
}

/**
 * vitrine_marker_flow_end() - end a flow in the innermost duration of the thread
 * @marker: marker, or NULL to do nothing
 * @name: name of the flow
 * @id: id of the flow
 */
void vitrine_marker_flow_end(const struct vitrine_marker *marker,
			     const char *name, uint64_t id)
{
	put_number(marker, 'f', name, false, id);
}
