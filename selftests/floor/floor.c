// SPDX-License-Identifier: GPL-2.0
/*
 * The minimum cost of a tracer in a module: a probe of sched_switch that does nothing, or
 * one that reads the time-stamp counter and stores 16 bytes in a page of the CPU, which is
 * overwritten circularly. selftests/peers compares tracers with it.
 *
 *   mode=empty   only the call of the probe
 *   mode=store   the call, reading the counter, and two stores
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "../../module/trace/clock.h"

static char *mode = "empty";
module_param(mode, charp, 0444);

/* Arrays, because per-CPU data of a module costs a relocation. */
static u64 *pages[NR_CPUS];
static unsigned int positions[NR_CPUS];
static struct tracepoint *tp_switch;
static void *probe;

static void probe_empty(void *unused, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state)
{
}

static void probe_store(void *unused, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state)
{
	unsigned int cpu = raw_smp_processor_id();
	unsigned int position = positions[cpu];
	u64 *page = pages[cpu];

	page[position] = vtr_counter_switch_ticks();
	page[position + 1] = (u64)prev->pid << 32 | next->pid;
	positions[cpu] = (position + 2) % (PAGE_SIZE / sizeof(u64));
}

static void find_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		tp_switch = tp;
}

static void free_pages_of_all(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		free_page((unsigned long)pages[cpu]);
}

static int __init floor_init(void)
{
	unsigned int cpu;
	int err;

	check_trace_callback_type_sched_switch(probe_empty);
	check_trace_callback_type_sched_switch(probe_store);

	probe = !strcmp(mode, "store") ? probe_store : probe_empty;
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (!tp_switch)
		return -ENOENT;
	for_each_possible_cpu(cpu) {
		pages[cpu] = (u64 *)get_zeroed_page(GFP_KERNEL);
		if (!pages[cpu]) {
			free_pages_of_all();
			return -ENOMEM;
		}
	}
	err = tracepoint_probe_register(tp_switch, probe, NULL);
	if (err)
		free_pages_of_all();
	return err;
}

static void __exit floor_exit(void)
{
	tracepoint_probe_unregister(tp_switch, probe, NULL);
	tracepoint_synchronize_unregister();
	free_pages_of_all();
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_DESCRIPTION("Measure the minimum cost of a tracer");
MODULE_LICENSE("GPL");
