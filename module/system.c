// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "system": what machine this is, how long it is up, where its CPUs'
 * time and its memory went. Only what modules can reach on every supported
 * kernel.
 *
 * Concurrency: the figures are the kernel's, read as they stand.
 */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/loadavg.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <linux/utsname.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "proc.h"
#include "session.h"

#define BOOT_ID_PATH	"sys/kernel/random/boot_id"

/* What a CPU did with its time, in the order of /proc/stat. */
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

/* Idle time is kept by the tick, which knows of naps in progress. */
static u64 cpu_time(const struct kernel_cpustat *stat, unsigned int cpu,
		    enum cpu_usage_stat usage)
{
	u64 us = -1ULL;

	if (cpu_online(cpu) && usage == CPUTIME_IDLE)
		us = get_cpu_idle_time_us(cpu, NULL);
	else if (cpu_online(cpu) && usage == CPUTIME_IOWAIT)
		us = get_cpu_iowait_time_us(cpu, NULL);
	return us == -1ULL ? stat->cpustat[usage] : us * NSEC_PER_USEC;
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
	vitrine_record_uint(node, "interrupts", kstat_cpu_irqs_sum(cpu));
	vitrine_record_uint(node, "context_switches",
			    vtr_session_switches(cpu));
}

static void record_memory(struct vitrine_node *root)
{
	struct vitrine_node *node = vitrine_record_node(root, "memory");
	struct sysinfo info;

	si_meminfo(&info);
	vitrine_record_uint(node, "total_bytes",
			    (u64)info.totalram * info.mem_unit);
	vitrine_record_uint(node, "available_bytes",
			    (u64)max(si_mem_available(), 0L) * PAGE_SIZE);
	vitrine_record_uint(node, "free_bytes",
			    (u64)info.freeram * info.mem_unit);
	vitrine_record_uint(node, "shared_bytes",
			    (u64)info.sharedram * info.mem_unit);
	vitrine_record_uint(node, "buffer_bytes",
			    (u64)info.bufferram * info.mem_unit);
}

static void record_boot_id(struct vitrine_node *root)
{
	struct vtr_proc *text = vtr_proc_open(BOOT_ID_PATH);
	char *line = text ? vtr_proc_line(text) : NULL;

	if (line)
		vitrine_record_string(root, "boot_id", line);
	vtr_proc_close(text);
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

static int system_fill(struct vitrine_node *root, void *unused)
{
	struct vitrine_node *cpus;
	unsigned int cpu;

	vitrine_record_string(root, "sysname", init_utsname()->sysname);
	vitrine_record_string(root, "release", init_utsname()->release);
	vitrine_record_string(root, "version", init_utsname()->version);
	vitrine_record_string(root, "machine", init_utsname()->machine);
	record_boot_id(root);
	vitrine_record_uint(root, "uptime_ns", ktime_get_boottime_ns());
	record_load(root);
	record_memory(root);
	cpus = vitrine_record_node(root, "cpus");
	for_each_possible_cpu(cpu)
		record_cpu(cpus, cpu);
	return 0;
}

static int system_start(void)
{
	struct vtr_proc *text = vtr_proc_open(BOOT_ID_PATH);

	if (!text)
		vtr_self_lacks("system", "boot_id", "no /proc/" BOOT_ID_PATH);
	vtr_proc_close(text);
	return 0;
}

/* What machine this is, and where its time and memory went. */
const struct vtr_builtin vtr_builtin_system = {
	.name = "system",
	.limit_bytes = SZ_64K,
	.cpu_bytes = SZ_1K,
	.fill = system_fill,
	.start = system_start,
};
