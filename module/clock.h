/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks a session can use. All CPUs of one session use one clock.
 */
#ifndef _VITRINE_CLOCK_H
#define _VITRINE_CLOCK_H

#include <linux/types.h>

#include <uapi/vitrine/map.h>

#define VTR_NR_CLOCKS	4

const char *vtr_clock_name(enum vitrine_clock clock);
int vtr_clock_find(const char *name);
bool vtr_clock_usable(enum vitrine_clock clock);
enum vitrine_clock vtr_clock_default(void);
u64 vtr_clock_rate(enum vitrine_clock clock);
u64 vtr_clock_ticks(enum vitrine_clock clock);

#endif /* _VITRINE_CLOCK_H */
