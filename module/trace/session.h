/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The current session: its rings and clock, and switching recording on and off. The
 * locking rules are in session.c.
 */
#ifndef _VTR_SESSION_H
#define _VTR_SESSION_H

#include <linux/types.h>

#include <uapi/vitrine/map.h>

struct vtr_ring;
struct vtr_ring_config;
struct vtr_ring_stats;

/**
 * struct vtr_session_settings - settings of a session
 * @clock: clock of its timestamps
 * @mode: what happens when a ring is full
 * @buffer_kb: size of all sub-buffers of a CPU in KiB, a power of two
 * @subbuf_kb: size of a sub-buffer in KiB, a power of two, at most half of
 *	@buffer_kb
 */
struct vtr_session_settings {
	enum vitrine_clock	clock;
	enum vitrine_mode	mode;
	unsigned int		buffer_kb;
	unsigned int		subbuf_kb;
};

#define VTR_NR_MODES	3

const char *vtr_session_mode_name(enum vitrine_mode mode);
int vtr_session_find_mode(const char *name);

int vtr_session_init(const struct vtr_session_settings *settings);
void vtr_session_deinit(void);
void vtr_session_set_publish(void (*publish)(unsigned int cpu));

int vtr_session_enable(bool enable);
bool vtr_session_enabled(void);
int vtr_session_replace(const struct vtr_session_settings *settings);
int vtr_session_renew(u32 number, u32 freeze, enum vitrine_clock clock);
void vtr_session_settings(struct vtr_session_settings *ret);
void vtr_session_config(struct vtr_ring_config *ret);
u32 vtr_session_number(void);

u32 vtr_session_freeze(void);
void vtr_session_thaw(void);
u32 vtr_session_frozen(void);

int vtr_session_flush(void);
struct vtr_ring *vtr_session_ring(unsigned int cpu);
bool vtr_session_stats(unsigned int cpu, struct vtr_ring_stats *ret);
struct vtr_ring **vtr_session_get_rings(void);
void vtr_session_put_rings(struct vtr_ring **rings);

#endif /* _VTR_SESSION_H */
