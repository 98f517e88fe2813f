/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A map of the threads that run on all CPUs, with a line for each switch.
 */
#ifndef _VITRINE_LATENCY_MAP_H
#define _VITRINE_LATENCY_MAP_H

#include "sched_state.h"

void latency_map_switch(const struct sched *sched, uint32_t number,
			unsigned int *nr_tags);

#endif /* _VITRINE_LATENCY_MAP_H */
