// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "system": kind of machine, uptime, CPU time and memory; only figures that
 * modules can read on every supported kernel.
 *
 * Concurrency: the figures are read without a lock; vitrine_lazy_create() runs one fill at a time.
 */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/loadavg.h>
#include <linux/tick.h>
#include <linux/utsname.h>

#include <vitrine/trace.h>

#include "builtin.h"

/* Kinds of CPU time, in the order of /proc/stat. */
static const struct {
	const char		*name;
	enum cpu_usage_stat	usage;
} cpu_times[] = {
	{ "user_ns",		CPUTIME_USER },
	{ "nice_ns",		CPUTIME_NICE },
	{ "system_ns",		CPUTIME_SYSTEM },
	{ "idle_ns",		CPUTIME_IDLE },
	{ "iowait_ns",		CPUTIME_IOWAIT },
	{ "irq_ns",		CPUTIME_IRQ },
	{ "softirq_ns",		CPUTIME_SOFTIRQ },
	{ "steal_ns",		CPUTIME_STEAL },
	{ "guest_ns",		CPUTIME_GUEST },
	{ "guest_nice_ns",	CPUTIME_GUEST_NICE },
};

/* The greatest times that were returned. */
static DEFINE_PER_CPU(struct kernel_cpustat, greatest);

/*
 * Return a kind of CPU time. Idle time comes from the tick, which includes current idle, while the
 * CPU is online. It never decreases, although its sources differ, and the tick may move current
 * idle from one kind to the other.
 */
static u64 cpu_time(const struct kernel_cpustat *stat, unsigned int cpu,
		    enum cpu_usage_stat usage)
{
	u64 *ret = &per_cpu(greatest, cpu).cpustat[usage], us = -1ULL;

	if (cpu_online(cpu) && usage == CPUTIME_IDLE)
		us = get_cpu_idle_time_us(cpu, NULL);
	else if (cpu_online(cpu) && usage == CPUTIME_IOWAIT)
		us = get_cpu_iowait_time_us(cpu, NULL);
	*ret = max(*ret, us == -1ULL ? stat->cpustat[usage] : us * NSEC_PER_USEC);
	return *ret;
}

static void record_cpu(struct vitrine_node *cpus, unsigned int cpu)
{
	struct vitrine_node *node = vtr_builtin_number(cpus, cpu);
	struct kernel_cpustat stat;
	unsigned int i;

	kcpustat_cpu_fetch(&stat, cpu);
	vitrine_record_bool(node, "online", cpu_online(cpu));
	for (i = 0; i < ARRAY_SIZE(cpu_times); i++)
		vitrine_record_uint(node, cpu_times[i].name,
				    cpu_time(&stat, cpu, cpu_times[i].usage));
	VTR_RECORD(node,
		   { "interrupts", kstat_cpu_irqs_sum(cpu) },
		   { "context_switches", vitrine_trace_switches(cpu) });
}

static void record_memory(struct vitrine_node *root)
{
	struct sysinfo info;

	si_meminfo(&info);
	VTR_RECORD(vitrine_record_node(root, "memory"),
		   { "total_bytes", info.totalram * info.mem_unit },
		   { "available_bytes", max(si_mem_available(), 0L) * PAGE_SIZE },
		   { "free_bytes", info.freeram * info.mem_unit },
		   { "shared_bytes", info.sharedram * info.mem_unit },
		   { "buffer_bytes", info.bufferram * info.mem_unit });
}

static void record_load(struct vitrine_node *root)
{
	static const char * const names[] = { "1_min", "5_min", "15_min" };
	struct vitrine_node *node = vitrine_record_node(root, "load");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		vitrine_record_double(node, names[i],
				      vitrine_double_from_ratio(avenrun[i],
								FIXED_1));
}

/**
 * vtr_system_fill() - fill the tree "system"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_system_fill(struct vitrine_node *root)
{
	struct vitrine_node *cpus;
	unsigned int cpu;

	vitrine_record_string(root, "sysname", init_utsname()->sysname);
	vitrine_record_string(root, "release", init_utsname()->release);
	vitrine_record_string(root, "version", init_utsname()->version);
	vitrine_record_string(root, "machine", init_utsname()->machine);
	vitrine_record_uint(root, "uptime_ns", ktime_get_boottime_ns());
	record_load(root);
	record_memory(root);
	cpus = vitrine_record_node(root, "cpus");
	for_each_possible_cpu(cpu)
		record_cpu(cpus, cpu);
	return 0;
}
