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
#include <string.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "error.h"
#include "temporary.h"
#include "window.h"

#define MIN_ROOM	64

/* A sub-buffer in the file, and what was lost before it. */
struct window_piece {
	uint64_t offset;
	size_t len_bytes;
	uint64_t nr_switches;
	uint64_t nr_lost;
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
		.nr_switches = subbuf->nr_switches,
		.nr_lost = subbuf->nr_lost,
		.loss = subbuf->loss,
	};
	window->at += subbuf->len_bytes;
	return NULL;
}

/* Rate of the clock in the initialization record of a sub-buffer. */
#define RATE_OFFSET	32

/* Extend the time that the sub-buffers of the last session cover. */
static void follow_time(struct window *window, const char *bytes, size_t len_bytes)
{
	struct vitrine_packet packet;

	if (len_bytes < VITRINE_PREAMBLE_BYTES)
		return;
	memcpy(&packet, bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	memcpy(&window->ticks_per_second, bytes + RATE_OFFSET,
	       sizeof(window->ticks_per_second));
	if (packet.session != window->session || packet.begin_ticks < window->begin_ticks)
		window->begin_ticks = packet.begin_ticks;
	if (packet.session != window->session || packet.end_ticks > window->end_ticks)
		window->end_ticks = packet.end_ticks;
	window->session = packet.session;
}

/* Return whether no earlier piece is of the same CPU: what was lost before is not in the file. */
static bool is_first(const struct window *window, size_t index)
{
	size_t i;

	for (i = index; i--;)
		if (piece_at(window, i)->loss.cpu == piece_at(window, index)->loss.cpu)
			return false;
	return true;
}

static struct vitrine_error *copy_out(struct window *window, size_t index, char *bytes,
				      struct vitrine_writer *writer)
{
	const struct window_piece *piece = piece_at(window, index);
	ssize_t len = pread(window->fd, bytes, piece->len_bytes, piece->offset);
	struct vitrine_error *err = NULL;

	if (len != (ssize_t)piece->len_bytes)
		return vtr_error_os(len < 0 ? errno : EIO, NULL, "cannot read a temporary file");
	if (piece->loss.cpu != WINDOW_NO_CPU)
		follow_time(window, bytes, piece->len_bytes);
	window->nr_switches += piece->nr_switches;
	if (!is_first(window, index))
		window->nr_lost += piece->nr_lost;
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
		err = copy_out(window, i, bytes, writer);
	free(bytes);
	window->nr_pieces = 0;
	return err;
}

/**
 * window_seconds() - return how much time the sub-buffers cover that were written
 * @window: window, after window_write()
 *
 * Return: seconds.
 */
double window_seconds(const struct window *window)
{
	return window->ticks_per_second ? (double)(window->end_ticks - window->begin_ticks) /
					  window->ticks_per_second : 0;
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
