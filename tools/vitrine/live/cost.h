/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The share of each CPU's time that a recording took.
 */
#ifndef _VITRINE_COST_H
#define _VITRINE_COST_H

#include <stdint.h>

#include "recorder.h"

/**
 * struct cost - cost of one record, in picoseconds
 * @switch_ps: of a context switch
 * @wakeup_ps: of a wakeup
 * @event_ps: of any other event
 */
struct cost {
	uint64_t switch_ps;
	uint64_t wakeup_ps;
	uint64_t event_ps;
};

struct vitrine_error *cost_read(struct cost *ret);
void cost_print(const struct cost *cost, const struct recorder *recorder,
		double seconds, double own_seconds);

#endif /* _VITRINE_COST_H */
