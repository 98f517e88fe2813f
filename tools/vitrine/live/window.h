/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last sub-buffers of a recording, on disk.
 */
#ifndef _VITRINE_WINDOW_H
#define _VITRINE_WINDOW_H

#include "vitrine.h"

/**
 * struct window - a file of limited size, of which the oldest sub-buffers are overwritten
 * @limit_bytes: size of the file; 0: there is none
 * @fd: the file, if something was added
 * @at: where the next sub-buffer goes
 * @pieces: the sub-buffers in it, a ring from @first on
 * @first: index of the oldest one
 * @nr_pieces: how many
 * @nr_room: size of @pieces
 * @nr_switches: switches in the sub-buffers that were written
 * @nr_lost: records lost between them
 * @session: session of the last of them
 * @begin_ticks: when the first one of that session began
 * @end_ticks: when the last one ended
 * @ticks_per_second: rate of the clock
 */
struct window {
	uint64_t limit_bytes;
	int fd;
	uint64_t at;
	struct window_piece *pieces;
	size_t first;
	size_t nr_pieces;
	size_t nr_room;
	uint64_t nr_switches;
	uint64_t nr_lost;
	uint32_t session;
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t ticks_per_second;
};

/* In the loss of a sub-buffer that is not from the ring of a CPU. */
#define WINDOW_NO_CPU	UINT32_MAX

struct vitrine_error *window_add(struct window *window,
				 const struct vitrine_subbuf *subbuf);
struct vitrine_error *window_write(struct window *window,
				   struct vitrine_writer *writer);
double window_seconds(const struct window *window);
void window_deinit(struct window *window);

#endif /* _VITRINE_WINDOW_H */
