/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The current session: its rings and clock, and switching recording on and off. The
 * locking rules are in session.c.
 */
#ifndef _VTR_SESSION_H
#define _VTR_SESSION_H

#include <linux/types.h>

struct vtr_ring;
struct vtr_ring_config;
struct vtr_ring_stats;

#define VTR_NR_MODES	3

extern const char * const vtr_session_modes[VTR_NR_MODES];

int vtr_session_find_mode(const char *name);

int vtr_session_init(const struct vtr_ring_config *settings);
void vtr_session_deinit(void);
void vtr_session_set_publish(void (*publish)(unsigned int cpu));

int vtr_session_enable(bool enable);
bool vtr_session_enabled(void);
int vtr_session_replace(const struct vtr_ring_config *settings);
void vtr_session_config(struct vtr_ring_config *ret);

u32 vtr_session_freeze(void);
void vtr_session_thaw(void);
u32 vtr_session_frozen(void);

int vtr_session_flush(void);
struct vtr_ring *vtr_session_ring(unsigned int cpu);
bool vtr_session_stats(unsigned int cpu, struct vtr_ring_stats *ret);
struct vtr_ring **vtr_session_get_rings(void);
void vtr_session_put_rings(struct vtr_ring **rings);

#endif /* _VTR_SESSION_H */
