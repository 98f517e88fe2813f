/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers freeze the rings, so that the records before the trigger are preserved.
 * trigger.c lists them.
 */
#ifndef _VTR_TRIGGER_H
#define _VTR_TRIGGER_H

#include <linux/poll.h>
#include <linux/types.h>

struct seq_file;

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

#endif /* _VTR_TRIGGER_H */
