// SPDX-License-Identifier: GPL-2.0
/*
 * Keep the last sub-buffers of a recording in a file without a name, for as long as the
 * recording lasts. Each sub-buffer is a trace by itself, so any of them may be missing.
 *
 * The file is filled from its start to its end, over and over. A sub-buffer overwrites
 * those that are in its place, which are the oldest ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "error.h"
#include "temporary.h"
#include "window.h"

#define MIN_ROOM	64

/* A sub-buffer in the file, and what was lost before it. */
struct window_piece {
	uint64_t offset;
	size_t len_bytes;
	struct vitrine_loss loss;
};

static struct window_piece *piece_at(const struct window *window, size_t index)
{
	return &window->pieces[(window->first + index) & (window->nr_room - 1)];
}

static void drop_oldest(struct window *window)
{
	window->first++;
	window->nr_pieces--;
}

/* Make room for one more piece in the ring, which is a power of two. */
static bool grow(struct window *window)
{
	size_t nr_room = window->nr_room ? 2 * window->nr_room : MIN_ROOM, i;
	struct window_piece *bigger;

	if (window->nr_pieces < window->nr_room)
		return true;
	bigger = reallocarray(NULL, nr_room, sizeof(*bigger));
	if (!bigger)
		return false;
	for (i = 0; i < window->nr_pieces; i++)
		bigger[i] = *piece_at(window, i);
	free(window->pieces);
	window->pieces = bigger;
	window->nr_room = nr_room;
	window->first = 0;
	return true;
}

/* Find the place of the next sub-buffer, and drop what is there. */
static void make_place(struct window *window, size_t len_bytes)
{
	if (window->at + len_bytes > window->limit_bytes) {
		while (window->nr_pieces && piece_at(window, 0)->offset >= window->at)
			drop_oldest(window);
		window->at = 0;
	}
	while (window->nr_pieces && piece_at(window, 0)->offset >= window->at &&
	       piece_at(window, 0)->offset < window->at + len_bytes)
		drop_oldest(window);
}

static struct vitrine_error *copy_in(const struct window *window,
				     const char *bytes, size_t len_bytes)
{
	size_t done = 0;
	ssize_t len;

	while (done < len_bytes) {
		len = pwrite(window->fd, bytes + done, len_bytes - done,
			     window->at + done);
		if (len < 0 && errno != EINTR)
			return vtr_error_os(errno, NULL,
					    "cannot write a temporary file; set TMPDIR to a directory with room");
		if (len > 0)
			done += len;
	}
	return NULL;
}

/**
 * window_add() - keep a sub-buffer
 * @window: window; its file is created the first time
 * @subbuf: sub-buffer; if it is larger than the window, it is the only one
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *window_add(struct window *window,
				 const struct vitrine_subbuf *subbuf)
{
	struct vitrine_error *err;

	if (!window->nr_room) {
		window->fd = vtr_temporary_anonymous();
		if (window->fd < 0)
			return vtr_error_os(errno, NULL,
					    "cannot create a temporary file; set TMPDIR");
	}
	make_place(window, subbuf->len_bytes);
	if (!grow(window)) {
		if (!window->nr_room)
			close(window->fd);
		return vtr_error_no_memory();
	}
	err = copy_in(window, subbuf->bytes, subbuf->len_bytes);
	if (err)
		return err;
	*piece_at(window, window->nr_pieces++) = (struct window_piece){
		.offset = window->at,
		.len_bytes = subbuf->len_bytes,
		.loss = subbuf->loss,
	};
	window->at += subbuf->len_bytes;
	return NULL;
}

static struct vitrine_error *copy_out(const struct window *window,
				      const struct window_piece *piece, char *bytes,
				      struct vitrine_writer *writer)
{
	ssize_t len = pread(window->fd, bytes, piece->len_bytes, piece->offset);
	struct vitrine_error *err = NULL;

	if (len != (ssize_t)piece->len_bytes)
		return vtr_error_os(len < 0 ? errno : EIO, NULL, "cannot read a temporary file");
	if (piece->loss.nr_records)
		err = vitrine_writer_append_loss(writer, &piece->loss);
	return err ? err : vitrine_writer_append(writer, bytes, piece->len_bytes);
}

/**
 * window_write() - append the sub-buffers to a trace, from the oldest on, and forget them
 * @window: window
 * @writer: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *window_write(struct window *window,
				   struct vitrine_writer *writer)
{
	struct vitrine_error *err = NULL;
	size_t i, longest = 0;
	char *bytes;

	for (i = 0; i < window->nr_pieces; i++)
		if (piece_at(window, i)->len_bytes > longest)
			longest = piece_at(window, i)->len_bytes;
	bytes = malloc(longest);
	if (longest && !bytes)
		return vtr_error_no_memory();
	for (i = 0; !err && i < window->nr_pieces; i++)
		err = copy_out(window, piece_at(window, i), bytes, writer);
	free(bytes);
	window->nr_pieces = 0;
	return err;
}

/**
 * window_deinit() - remove the file
 * @window: window
 */
void window_deinit(struct window *window)
{
	if (window->nr_room)
		close(window->fd);
	free(window->pieces);
}
