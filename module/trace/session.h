/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The current session: its rings and clock, and switching recording on and off; and the
 * triggers that freeze the rings, which trigger.c lists; and what makes a recording wrong, which
 * drift.c and reuse.c detect. Each of these files has its locking rules.
 */
#ifndef _VTR_SESSION_H
#define _VTR_SESSION_H

#include <linux/poll.h>
#include <linux/types.h>

#include <uapi/vitrine/map.h>

struct seq_file;
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
int vtr_session_set(size_t offset, unsigned int value);
int vtr_session_renew(u32 number, u32 freeze, enum vitrine_clock clock);
void vtr_session_config(struct vtr_ring_config *ret);

u32 vtr_session_freeze_begin(void);
void vtr_session_freeze_end(void);
u32 vtr_session_freeze(void);
void vtr_session_thaw(void);
u32 vtr_session_frozen(void);

int vtr_session_flush(void);
struct vtr_ring *vtr_session_ring(unsigned int cpu);
bool vtr_session_stats(unsigned int cpu, struct vtr_ring_stats *ret);
struct vtr_ring **vtr_session_get_rings(void);
void vtr_session_put_rings(struct vtr_ring **rings);

#ifdef CONFIG_VITRINE_KUNIT
extern bool vtr_session_no_memory;
#endif

int vtr_drift_init(void);
void vtr_drift_deinit(void);
void vtr_drift_watch(void);

int vtr_reuse_init(void);
void vtr_reuse_deinit(void);

/**
 * struct vtr_trigger_report - why the rings are frozen
 * @cause: name of the trigger, a constant
 * @value: measured value: nanoseconds waited; 0 for triggers other than latency_us
 * @cpu: CPU on which the trigger fired
 * @thread: thread on which the trigger fired
 */
struct vtr_trigger_report {
	const char	*cause;
	u64		value;
	unsigned int	cpu;
	int		thread;
};

int vtr_trigger_init(char *words);
void vtr_trigger_deinit(void);
int vtr_trigger_set(char *words);
void vtr_trigger_wake(void);
int vtr_trigger_show(struct seq_file *seq);
bool vtr_trigger_fired(struct vtr_trigger_report *ret);
__poll_t vtr_trigger_poll(struct file *file, poll_table *wait);

#endif /* _VTR_SESSION_H */
