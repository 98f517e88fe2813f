// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the cost of the probes of the kernel's tracepoints, for
 * selftests/cost_events.sh, in a guest whose clock counts instructions. Writing the name
 * of a row to the parameter "event" calls the probes that are registered at its
 * tracepoints, as the kernel does, and prints a line,
 *
 *	fire: softirq 123.00
 *
 * in instructions, without those of the same loop without probes. The caller chooses
 * whether vitrine or ftrace records the tracepoints. A pair has two tracepoints: begin
 * and end.
 *
 * Concurrency: the kernel's lock of parameters serialises measurements. The caller does not
 * register or unregister probes meanwhile.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <trace/events/block.h>
#include <trace/events/irq.h>
#include <trace/events/module.h>
#include <trace/events/power.h>
#include <trace/events/printk.h>
#include <trace/events/sched.h>
#include <trace/events/timer.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#elif defined(CONFIG_ARM64)
#include <trace/events/ipi.h>
#endif

#include "../../module/compat.h"
#include "../bench/measure.h"

#ifdef VTR_PAGE_FAULTS
#include VTR_PAGE_FAULTS
#endif

#define MAX_POINTS	2

/* Tracepoints of the current row, and one without probes. */
static struct tracepoint *points[MAX_POINTS];
static struct tracepoint nothing;

/*
 * Call the probe of a tracepoint as the kernel does. The check before the call is left out,
 * because it is a no-op that the kernel always has.
 */
#define FIRE(nr, name, ...) do {					\
	struct tracepoint_func *func;					\
									\
	preempt_disable_notrace();					\
	func = rcu_dereference_raw(points[nr]->funcs);			\
	if (func)							\
		((typeof(__traceiter_##name) *)func->func)(func->data,	\
							   __VA_ARGS__); \
	preempt_enable_notrace();					\
} while (0)

static struct irqaction action = { .name = "virtio0-input.0" };
static void timer_function(struct timer_list *timer);
static struct timer_list timer = { .function = timer_function };
static struct hrtimer hrtimer;
static struct gendisk disk = { .disk_name = "vda" };
static struct request_queue *queue;
static struct blk_mq_hw_ctx *hardware_queue;
static struct request *request;
static const char message[] = "a message of 32 bytes, newline\n";
static struct task_struct *other;
static ktime_t expired;
static VTR_HRTIMER_NOW now;

/* Address of a page fault in user space. */
#define ADDRESS	0x7f0012345678

static void timer_function(struct timer_list *unused)
{
}

static enum hrtimer_restart hrtimer_function(struct hrtimer *unused)
{
	return HRTIMER_NORESTART;
}

BENCH(irq_handler, FIRE(0, irq_handler_entry, 11, &action);
	FIRE(1, irq_handler_exit, 11, &action, IRQ_HANDLED))
BENCH(irq_softirq, FIRE(0, softirq_entry, TIMER_SOFTIRQ); FIRE(1, softirq_exit, TIMER_SOFTIRQ))
BENCH(timer_list, FIRE(0, timer_expire_entry, &timer, 0); FIRE(1, timer_expire_exit, &timer))
BENCH(timer_hrtimer, FIRE(0, hrtimer_expire_entry, &hrtimer, now);
	FIRE(1, hrtimer_expire_exit, &hrtimer))
BENCH(block_issue, FIRE(0, block_rq_issue, request))
BENCH(block_complete, FIRE(0, block_rq_complete, request, 0, 4096))
BENCH(power_sleep, FIRE(0, cpu_idle, 1, 0); FIRE(0, cpu_idle, PWR_EVENT_EXIT, 0))
BENCH(power_frequency, FIRE(0, cpu_frequency, 2400000, 0))
BENCH(printk, FIRE(0, console, message, sizeof(message) - 1))
BENCH(module, FIRE(0, module_load, THIS_MODULE))
BENCH(sched_wakeup, FIRE(0, sched_waking, other))
BENCH(sched_wakeup_irq, __preempt_count_add(HARDIRQ_OFFSET); FIRE(0, sched_waking, other);
	__preempt_count_sub(HARDIRQ_OFFSET))
BENCH(sched_migrate, FIRE(0, sched_migrate_task, other, 0))
BENCH(sched_fork, FIRE(0, sched_process_fork, current, other))
#ifdef CONFIG_X86_LOCAL_APIC
BENCH(irq_timer, FIRE(0, local_timer_entry, 236); FIRE(1, local_timer_exit, 236))
BENCH(ipi, FIRE(0, reschedule_entry, 253); FIRE(1, reschedule_exit, 253))
BENCH(fault_user, FIRE(0, page_fault_user, ADDRESS, task_pt_regs(current), 6))
BENCH(fault_kernel, FIRE(0, page_fault_kernel, ADDRESS, task_pt_regs(current), 2))
#elif defined(CONFIG_ARM64)
static const char ipi_reason[] = "Rescheduling interrupts";

BENCH(ipi, FIRE(0, ipi_entry, ipi_reason);
	FIRE(1, ipi_exit, ipi_reason))
#endif

#define ROW(name, ...)	{ #name, bench_##name, { __VA_ARGS__ } }

static const struct row {
	const char	*name;
	void		(*bench)(unsigned int nr);
	const char	*points[MAX_POINTS];
} rows[] = {
	ROW(irq_handler, "irq_handler_entry", "irq_handler_exit"),
	ROW(irq_softirq, "softirq_entry", "softirq_exit"),
	ROW(timer_list, "timer_expire_entry", "timer_expire_exit"),
	ROW(timer_hrtimer, "hrtimer_expire_entry", "hrtimer_expire_exit"),
	ROW(block_issue, "block_rq_issue"),
	ROW(block_complete, "block_rq_complete"),
	ROW(power_sleep, "cpu_idle"),
	ROW(power_frequency, "cpu_frequency"),
	ROW(printk, "console"),
	ROW(module, "module_load"),
	ROW(sched_wakeup, "sched_waking"),
	ROW(sched_wakeup_irq, "sched_waking"),
	ROW(sched_migrate, "sched_migrate_task"),
	ROW(sched_fork, "sched_process_fork"),
#ifdef CONFIG_X86_LOCAL_APIC
	ROW(irq_timer, "local_timer_entry", "local_timer_exit"),
	ROW(ipi, "reschedule_entry", "reschedule_exit"),
	ROW(fault_user, "page_fault_user"),
	ROW(fault_kernel, "page_fault_kernel"),
#elif defined(CONFIG_ARM64)
	ROW(ipi, "ipi_entry", "ipi_exit"),
#endif
};

static void find_points(struct tracepoint *tp, void *ctx)
{
	const struct row *row = ctx;
	unsigned int i;

	for (i = 0; i < MAX_POINTS; i++)
		if (row->points[i] && !strcmp(row->points[i], tp->name))
			points[i] = tp;
}

static void forget_points(void)
{
	unsigned int i;

	for (i = 0; i < MAX_POINTS; i++)
		points[i] = &nothing;
}

static void fire(const struct row *row)
{
	u64 cost, none;

	forget_points();
	none = measure(row->bench);
	for_each_kernel_tracepoint(find_points, (void *)row);
	cost = measure(row->bench) - none;
	pr_info("%s %llu.%02llu\n", row->name, cost / 100, cost % 100);
}

static int event_set(const char *name, const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!sysfs_streq(name, rows[i].name))
			continue;
		fire(&rows[i]);
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops event_ops = {
	.set = event_set,
};
module_param_cb(event, &event_ops, NULL, 0200);

static void __exit fire_exit(void)
{
	put_task_struct(other);
	kfree(request);
	kfree(hardware_queue);
	kfree(queue);
}

/* Process 1 serves as a waiting task: it waits while a parameter is written. */
static int __init fire_init(void)
{
	unsigned long address = (unsigned long)&expired;

	now = (VTR_HRTIMER_NOW)address;
	queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	hardware_queue = kzalloc(sizeof(*hardware_queue), GFP_KERNEL);
	request = kzalloc(sizeof(*request), GFP_KERNEL);
	if (!queue || !hardware_queue || !request) {
		kfree(request);
		kfree(hardware_queue);
		kfree(queue);
		return -ENOMEM;
	}
	queue->disk = &disk;
	request->q = queue;
	request->mq_hctx = hardware_queue;
	request->__sector = 2048;
	request->__data_len = 4096;
	hrtimer_setup(&hrtimer, hrtimer_function, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	rcu_read_lock();
	other = get_pid_task(find_vpid(1), PIDTYPE_PID);
	rcu_read_unlock();
	return 0;
}

module_init(fire_init);
module_exit(fire_exit);

MODULE_DESCRIPTION("Measure the cost of tracepoint probes");
MODULE_LICENSE("GPL");
