// SPDX-License-Identifier: GPL-2.0
/*
 * Sum up the spans of a CPU's history within an interval.
 */
#include <stdlib.h>

#include "why_shares.h"

/**
 * why_history_add() - remember a span
 * @history: the history, whose oldest span is forgotten if it is full
 * @span: the span, which ended after all spans that were added before
 */
void why_history_add(struct why_history *history, const struct why_span *span)
{
	history->spans[history->nr++ % WHY_SPANS] = *span;
}

static void add_share(struct why_shares *shares, const struct why_span *span,
		      uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < shares->nr; i++)
		if (shares->shares[i].number == span->number)
			break;
	if (i == WHY_SHARES) {
		shares->other_ns += ns;
		return;
	}
	if (i == shares->nr)
		shares->shares[shares->nr++] = (struct why_share){
			.number = span->number,
			.priority = span->priority,
		};
	shares->shares[i].ns += ns;
}

/*
 * Add a share for each span in the interval, from the last span backwards. A malformed
 * file may have spans that overlap; their common time counts only once. Return the time
 * from which on the history is complete.
 */
static uint64_t add_spans(struct why_shares *shares,
			  const struct why_history *history, uint64_t begin_ns,
			  uint64_t end_ns)
{
	uint64_t i, nr = history->nr < WHY_SPANS ? history->nr : WHY_SPANS;
	uint64_t from_ns, to_ns, reached_ns = end_ns;
	const struct why_span *span;

	for (i = 1; i <= nr && reached_ns > begin_ns; i++) {
		span = &history->spans[(history->nr - i) % WHY_SPANS];
		from_ns = span->begin_ns > begin_ns ? span->begin_ns : begin_ns;
		to_ns = span->end_ns < reached_ns ? span->end_ns : reached_ns;
		if (from_ns < to_ns)
			add_share(shares, span, to_ns - from_ns);
		if (from_ns < reached_ns)
			reached_ns = from_ns;
	}
	return history->nr > WHY_SPANS ? reached_ns : 0;
}

static int compare_shares(const void *left, const void *right)
{
	const struct why_share *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void sort_shares(struct why_shares *shares)
{
	qsort(shares->shares, shares->nr, sizeof(*shares->shares),
	      compare_shares);
}

static uint64_t sum_shares(const struct why_shares *shares)
{
	uint64_t sum_ns = shares->other_ns;
	unsigned int i;

	for (i = 0; i < shares->nr; i++)
		sum_ns += shares->shares[i].ns;
	return sum_ns;
}

/* Count the time without a turn as idle, or as unknown if it precedes @known_ns. */
static void add_idle(struct why_shares *shares, uint64_t begin_ns,
		     uint64_t end_ns, uint64_t known_ns)
{
	uint64_t rest_ns = end_ns - begin_ns - sum_shares(shares);
	const struct why_span idle = { .number = 0 };

	if (known_ns > begin_ns) {
		shares->unknown_ns = known_ns < end_ns ? known_ns - begin_ns :
							 end_ns - begin_ns;
		if (shares->unknown_ns > rest_ns)
			shares->unknown_ns = rest_ns;
		rest_ns -= shares->unknown_ns;
	}
	if (rest_ns)
		add_share(shares, &idle, rest_ns);
}

/**
 * why_shares_find() - find the spans of an interval
 * @shares: zeroed; receives a share for each number, largest first
 * @history: the history
 * @begin_ns: begin of the interval
 * @end_ns: end of the interval
 */
void why_shares_find(struct why_shares *shares,
		     const struct why_history *history, uint64_t begin_ns,
		     uint64_t end_ns)
{
	add_spans(shares, history, begin_ns, end_ns);
	sort_shares(shares);
}

/**
 * why_shares_find_turns() - find the threads that had a CPU in an interval
 * @shares: zeroed; receives a share for each thread, and for idle, largest first
 * @history: turns of the CPU
 * @since_ns: time since when @history lacks no turn
 * @begin_ns: begin of the interval
 * @end_ns: end of the interval
 */
void why_shares_find_turns(struct why_shares *shares,
			   const struct why_history *history, uint64_t since_ns,
			   uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t known_ns = add_spans(shares, history, begin_ns, end_ns);

	add_idle(shares, begin_ns, end_ns,
		 since_ns > known_ns ? since_ns : known_ns);
	sort_shares(shares);
}
