// SPDX-License-Identifier: GPL-2.0
/*
 * Keep the turns of threads, and follow critical paths through them. why.h describes them.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "why.h"

/**
 * struct walk - a path that is being followed
 * @lasts: of each thread, number plus one of the last turn that begins before @now_ns
 * @thread: thread that the path is in
 * @now_ns: where the path is
 * @begin_ns: where it ends
 * @waits: waits that it replaces
 * @nr_waits: their number
 */
struct walk {
	uint64_t *lasts;
	uint32_t thread;
	uint64_t now_ns;
	uint64_t begin_ns;
	struct path_wait waits[PATH_MAX_DEPTH];
	unsigned int nr_waits;
};

/*
 * The turns of all threads, in a ring; their number so far; and of each thread, the number of its
 * last turn, plus one.
 */
static struct {
	struct path_turn *turns;
	uint64_t nr;
	uint64_t *lasts;
	uint32_t nr_threads;
} path;

/* Find a turn by its number plus one; NULL: it is not kept any more, or 0. */
static struct path_turn *find(uint64_t number)
{
	return number && number + PATH_MAX_TURNS > path.nr ?
	       &path.turns[(number - 1) % PATH_MAX_TURNS] : NULL;
}

/**
 * path_add() - add a turn of a thread
 * @thread: number of the thread, below 2^31
 *
 * Return: the turn, with only @before and @thread set.
 */
struct path_turn *path_add(uint32_t thread)
{
	struct path_turn *turn;

	must_have(GROW_TO(path.lasts, path.nr_threads, thread));
	must_have(path.nr >= PATH_MAX_TURNS || GROW(path.turns, path.nr));
	turn = &path.turns[path.nr++ % PATH_MAX_TURNS];
	*turn = (struct path_turn){ .before = path.lasts[thread], .thread = thread };
	path.lasts[thread] = path.nr;
	return turn;
}

/**
 * path_last() - find the last turn of a thread
 * @thread: number of the thread
 *
 * Return: the turn; NULL: it has none, or none is kept.
 */
struct path_turn *path_last(uint32_t thread)
{
	return thread < path.nr_threads ? find(path.lasts[thread]) : NULL;
}

/**
 * path_before() - find the turn of a thread before another one
 * @turn: turn of the thread
 *
 * Return: the turn; NULL: it has none, or none is kept.
 */
struct path_turn *path_before(const struct path_turn *turn)
{
	return find(turn->before);
}

/**
 * path_at() - find out what a thread did at a time
 * @thread: number of the thread
 * @ns: the time
 *
 * Return: all that the thread did so without interruption; not known if @turn is NULL.
 */
struct path_part path_at(uint32_t thread, uint64_t ns)
{
	const struct path_turn *turn = path_last(thread);

	while (turn && turn->blocked_ns > ns)
		turn = path_before(turn);
	if (!turn || turn->end_ns <= ns)
		return (struct path_part){ .thread = thread, .state = PATH_UNKNOWN };
	if (turn->woken_ns > ns)
		return (struct path_part){ turn->blocked_ns, turn->woken_ns, thread, PATH_BLOCKED,
					   turn };
	if (turn->begin_ns > ns)
		return (struct path_part){ turn->woken_ns, turn->begin_ns, thread, PATH_RUNNABLE,
					   turn };
	return (struct path_part){ turn->begin_ns, turn->end_ns, thread, PATH_RUNNING, turn };
}

static uint64_t floor_of(const struct walk *walk)
{
	return walk->nr_waits ? walk->waits[walk->nr_waits - 1].floor_ns : walk->begin_ns;
}

/* Find the last turn of which the wait before it began earlier than now. */
static const struct path_turn *turn_at(struct walk *walk, const struct path_turn **ret_later)
{
	const struct path_turn *turn = NULL;

	*ret_later = NULL;
	if (walk->thread >= path.nr_threads)
		return NULL;
	while ((turn = find(walk->lasts[walk->thread])) &&
	       turn->blocked_ns >= walk->now_ns) {
		walk->lasts[walk->thread] = turn->before;
		*ret_later = turn;
	}
	return turn;
}

/* Make a part of what the thread did last before now. */
static struct path_part part_of(const struct walk *walk, const struct path_turn *turn)
{
	struct path_part part = {
		.end_ns = walk->now_ns,
		.thread = walk->thread,
		.state = PATH_UNKNOWN,
		.turn = turn,
	};

	if (turn && walk->now_ns > turn->end_ns) {
		part.begin_ns = turn->end_ns;
	} else if (turn && walk->now_ns > turn->begin_ns) {
		part.begin_ns = turn->begin_ns;
		part.state = PATH_RUNNING;
	} else if (turn && walk->now_ns > turn->woken_ns) {
		part.begin_ns = turn->woken_ns;
		part.state = PATH_RUNNABLE;
	} else if (turn) {
		part.begin_ns = turn->blocked_ns;
		part.state = PATH_BLOCKED;
	}
	if (part.begin_ns < floor_of(walk))
		part.begin_ns = floor_of(walk);
	return part;
}

/* Go on in the thread that woke this one; false: there is none. */
static bool follow_waker(struct walk *walk, const struct path_turn *turn,
			 const struct path_turn *later, const struct path_part *part)
{
	/* A new thread: what came before it is in the thread that created it. */
	if (!turn && later && !later->before && later->waker != PATH_NONE) {
		walk->thread = later->waker;
		return later->waker != later->thread;
	}
	if (!turn || part->state != PATH_BLOCKED || turn->waker == PATH_NONE ||
	    turn->waker == walk->thread || walk->nr_waits == PATH_MAX_DEPTH)
		return false;
	walk->waits[walk->nr_waits++] = (struct path_wait){ turn, part->begin_ns };
	walk->thread = turn->waker;
	return true;
}

static void follow(struct walk *walk, path_visit *visit, void *ctx)
{
	const struct path_turn *turn, *later;
	unsigned int nr_jumps = 0;
	struct path_part part;

	while (walk->now_ns > walk->begin_ns) {
		if (walk->nr_waits && walk->now_ns <= floor_of(walk)) {
			walk->thread = walk->waits[--walk->nr_waits].turn->thread;
			continue;
		}
		turn = turn_at(walk, &later);
		part = part_of(walk, turn);
		if (nr_jumps++ < 2 * PATH_MAX_DEPTH && follow_waker(walk, turn, later, &part))
			continue;
		nr_jumps = 0;
		visit(ctx, &part, walk->waits, walk->nr_waits);
		walk->now_ns = part.begin_ns;
	}
}

/**
 * path_walk() - follow a critical path
 * @thread: number of the thread that it ends in
 * @begin_ns: begin of the time
 * @end_ns: end of the time
 * @visit: called with each part
 * @ctx: passed to @visit
 */
void path_walk(uint32_t thread, uint64_t begin_ns, uint64_t end_ns, path_visit *visit, void *ctx)
{
	struct walk walk = {
		.lasts = malloc((path.nr_threads + 1) * sizeof(*walk.lasts)),
		.thread = thread,
		.now_ns = end_ns,
		.begin_ns = begin_ns,
	};

	must_have(walk.lasts);
	if (path.nr_threads)
		memcpy(walk.lasts, path.lasts, path.nr_threads * sizeof(*walk.lasts));
	follow(&walk, visit, ctx);
	free(walk.lasts);
}

/**
 * path_turn() - go through all turns that are kept, in no particular order
 * @i: place, from 0 on
 *
 * Return: the turn there; NULL after the last one.
 */
struct path_turn *path_turn(uint64_t i)
{
	return i < path.nr && i < PATH_MAX_TURNS ? &path.turns[i] : NULL;
}

/**
 * path_deinit() - free all turns
 */
void path_deinit(void)
{
	free(path.turns);
	free(path.lasts);
	memset(&path, 0, sizeof(path));
}
