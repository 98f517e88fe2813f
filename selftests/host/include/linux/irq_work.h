/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/irq_work.h>: there is no interrupt to wait for. */
#ifndef _HOST_LINUX_IRQ_WORK_H
#define _HOST_LINUX_IRQ_WORK_H

#include <stdbool.h>

struct irq_work {
	void (*func)(struct irq_work *work);
};

static inline void init_irq_work(struct irq_work *work,
				 void (*func)(struct irq_work *work))
{
	work->func = func;
}

static inline bool irq_work_queue(struct irq_work *work)
{
	work->func(work);
	return true;
}

static inline void irq_work_sync(struct irq_work *work)
{
	(void)work;
}

#endif
