/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions on rings that the recorder needs and the public header does not offer.
 */
#ifndef _VITRINE_LIB_RING_H
#define _VITRINE_LIB_RING_H

#include "vitrine.h"

/* Return enum vitrine_clock of a ring, and the rate of the clock. */
unsigned int vtr_ring_clock(const struct vitrine_ring *ring,
			    uint64_t *ret_ticks_per_second);

/* Return when the last sub-buffer begins that was copied, or will be. */
uint64_t vtr_ring_begin_ticks(const struct vitrine_ring *ring);

#define VTR_RING_NO_SEQUENCE	UINT64_MAX

/* Begin again with the sub-buffer being written, unless it is @sequence. */
struct vitrine_error *vtr_ring_begin(struct vitrine_ring *ring, uint64_t *sequence);

#endif /* _VITRINE_LIB_RING_H */
