/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the recorder has to know about a ring, besides what vitrine.h offers.
 */
#ifndef _VITRINE_LIB_RING_H
#define _VITRINE_LIB_RING_H

#include "vitrine.h"

/* Return enum vitrine_clock of a ring, and the rate of the clock. */
unsigned int vtr_ring_clock(const struct vitrine_ring *ring,
			    uint64_t *ret_ticks_per_second);

#endif /* _VITRINE_LIB_RING_H */
