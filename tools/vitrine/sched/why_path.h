/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The critical path: what a time consisted of, from its end back to its begin. Where a thread
 * was blocked until another one woke it, the path goes on in the waker; what the waker did since
 * the first one was blocked takes the place of the wait. All else (a turn on a CPU, a wait for a
 * CPU, a wait that an interrupt ended) is a part of the path, and the path goes on before it. So
 * the parts follow one another without a hole, and add up to the whole.
 *
 * The turns of all threads are kept in the order of time, at most PATH_MAX_TURNS of them; what was
 * before these is a part of its own, which is not known.
 */
#ifndef _VITRINE_WHY_PATH_H
#define _VITRINE_WHY_PATH_H

#include <stdbool.h>
#include <stdint.h>

/* 56 bytes each; a power of two. The fuzzer keeps fewer. */
#ifndef PATH_MAX_TURNS
#define PATH_MAX_TURNS	(1U << 20)
#endif

/* No thread, no cause. */
#define PATH_NONE	UINT32_MAX

/**
 * struct path_turn - a turn of a thread on a CPU, and the wait before it
 * @blocked_ns: when it was blocked before
 * @woken_ns: when it was woken; @blocked_ns, if it was not blocked
 * @begin_ns: begin of the turn
 * @end_ns: its end; UINT64_MAX: it has not ended
 * @before: number of the thread's turn before, plus one; 0: none
 * @thread: number of the thread
 * @waker: number of the thread that woke it, or PATH_NONE
 * @cause: what it was blocked for, a number of the caller's, or PATH_NONE
 * @behind: the same of what it was runnable for
 */
struct path_turn {
	uint64_t blocked_ns;
	uint64_t woken_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t before;
	uint32_t thread;
	uint32_t waker;
	uint32_t cause;
	uint32_t behind;
};

/**
 * struct path - the turns; all zero at first
 * @turns: a ring
 * @nr: number of all turns so far
 * @lasts: of each thread, the number of its last turn, plus one
 * @nr_threads: size of @lasts
 */
struct path {
	struct path_turn *turns;
	uint64_t nr;
	uint64_t *lasts;
	uint32_t nr_threads;
};

enum path_state {
	PATH_RUNNING,
	PATH_RUNNABLE,
	PATH_BLOCKED,
	PATH_UNKNOWN,
};

/**
 * struct path_part - a part of a critical path
 * @begin_ns: its begin
 * @end_ns: its end
 * @thread: number of the thread
 * @state: what it did
 * @turn: its turn, of which the part is the turn or the wait before, or NULL
 */
struct path_part {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t thread;
	enum path_state state;
	const struct path_turn *turn;
};

/* A wait for another thread that the path replaces: that of @turn, of its thread. */
struct path_wait {
	const struct path_turn *turn;
	uint64_t floor_ns;
};

/* Most waits for one another that are followed at a time. */
#define PATH_MAX_DEPTH	32

/**
 * path_visit - called with each part of a path, from the end to the begin
 * @ctx: of the caller
 * @part: the part
 * @waits: the waits that it replaces, the outermost first
 * @nr_waits: their number
 */
typedef void path_visit(void *ctx, const struct path_part *part, const struct path_wait *waits,
			unsigned int nr_waits);

struct path_turn *path_add(struct path *path, uint32_t thread);
struct path_turn *path_last(const struct path *path, uint32_t thread);
struct path_turn *path_before(const struct path *path, const struct path_turn *turn);
struct path_part path_at(const struct path *path, uint32_t thread, uint64_t ns);
bool path_walk(const struct path *path, uint32_t thread, uint64_t begin_ns, uint64_t end_ns,
	       path_visit *visit, void *ctx);
void path_deinit(struct path *path);

#endif /* _VITRINE_WHY_PATH_H */
