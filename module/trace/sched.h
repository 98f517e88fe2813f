/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes of the scheduler; session.c registers them and attaches the CPUs.
 */
#ifndef _VTR_SCHED_H
#define _VTR_SCHED_H

#include <uapi/vitrine/map.h>

struct vtr_ring;

int vtr_sched_init(void);
int vtr_sched_register(enum vitrine_clock clock);
void vtr_sched_unregister(void);
void vtr_sched_repeat_switch(unsigned int nr);
void vtr_sched_repeat_wakeup(unsigned int nr);
bool vtr_sched_records_wakeups(void);
void vtr_sched_attach(struct vtr_ring *ring);
void vtr_sched_detach(void);
void vtr_sched_flush(struct vtr_ring *ring);

#endif /* _VTR_SCHED_H */
