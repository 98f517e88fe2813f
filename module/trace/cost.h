/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cost of a record on this machine.
 */
#ifndef _VTR_COST_H
#define _VTR_COST_H

#include <linux/types.h>

/**
 * struct vtr_cost - CPU time per record, in picoseconds
 * @switch_ps: a context switch; 0 if none is being recorded
 * @wakeup_ps: a wakeup; 0 if none is being recorded
 * @event_ps: an interrupt, from its begin to its end
 */
struct vtr_cost {
	u64	switch_ps;
	u64	wakeup_ps;
	u64	event_ps;
};

int vtr_cost_measure(struct vtr_cost *ret);

#endif /* _VTR_COST_H */
