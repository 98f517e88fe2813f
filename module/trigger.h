/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers: what freezes the rings, so that its cause is still in them.
 */
#ifndef _VITRINE_TRIGGER_H
#define _VITRINE_TRIGGER_H

#include <linux/poll.h>
#include <linux/types.h>

/* Longest line of trace/trigger, its end included. */
#define VTR_TRIGGER_LINE_BYTES	128

/**
 * struct vtr_trigger_report - what froze the rings
 * @cause: which trigger, a constant
 * @value: what it measured: nanoseconds waited; 0 of the others
 * @cpu: where
 * @thread: thread it is about
 */
struct vtr_trigger_report {
	const char	*cause;
	u64		value;
	unsigned int	cpu;
	int		thread;
};

int vtr_trigger_init(const char *words);
void vtr_trigger_deinit(void);
int vtr_trigger_set(const char *words);
int vtr_trigger_show(char *line);
bool vtr_trigger_fired(struct vtr_trigger_report *ret);
__poll_t vtr_trigger_poll(struct file *file, poll_table *wait);

#endif /* _VITRINE_TRIGGER_H */
