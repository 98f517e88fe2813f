// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write markers: events of this program, which the module records in the trace.
 *
 * One write() passes a marker to trace/marker: text, which module/trace/marker_text.h
 * describes, or a struct vitrine_marker_number and a name. Composing it takes no lock and
 * allocates nothing, so a marker may be used by any number of threads, and in a signal
 * handler.
 */
#define _GNU_SOURCE	/* asprintf(), secure_getenv() */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "base.h"

#define DEBUGFS_MOUNT	"/sys/kernel/debug"

/* The module accepts 255 bytes. */
#define MARKER_BYTES	255
#define NAME_MAX_BYTES	(MARKER_BYTES - sizeof(struct vitrine_marker_number))

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
static void put_bytes(const struct vitrine_marker *marker, const void *bytes,
		      size_t len_bytes)
{
	int code = errno;

	if (write(marker->fd, bytes, len_bytes) < 0)
		errno = code;
}

/* Write "LETTER||NAME". */
static void put_named(const struct vitrine_marker *marker, char letter,
		      const char *name)
{
	char text[MARKER_BYTES];
	size_t len_bytes;

	if (!marker)
		return;
	text[0] = letter;
	text[1] = '|';
	text[2] = '|';
	len_bytes = strnlen(name, NAME_MAX_BYTES);
	memcpy(text + 3, name, len_bytes);
	put_bytes(marker, text, 3 + len_bytes);
}

/* Composing, and parsing, the digits of a number would take as long as all the rest. */
static inline void put_number(const struct vitrine_marker *marker, char letter,
			      const char *name, int64_t number)
{
	struct {
		struct vitrine_marker_number number;
		char name[NAME_MAX_BYTES];
	} binary;
	size_t len_bytes;

	if (!marker)
		return;
	binary.number.letter = letter;
	binary.number.nul = 0;
	binary.number.number = number;
	len_bytes = strnlen(name, NAME_MAX_BYTES);
	memcpy(binary.name, name, len_bytes);
	put_bytes(marker, &binary, sizeof(binary.number) + len_bytes);
}

/**
 * vitrine_marker_instant() - record that something happens now
 * @marker: marker, or NULL to do nothing
 * @name: what happens; a name longer than 245 bytes is truncated
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
		put_bytes(marker, "E", 1);
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
	put_number(marker, 'C', name, value);
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
	put_number(marker, 'S', name, id);
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
	put_number(marker, 'F', name, id);
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
	put_number(marker, 's', name, id);
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
	put_number(marker, 't', name, id);
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
	put_number(marker, 'f', name, id);
}
