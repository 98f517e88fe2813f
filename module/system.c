// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "system": what machine this is, how long it is up, where its CPUs'
 * time and its memory went. Only what modules can reach on every supported
 * kernel.
 *
 * Concurrency: the figures are written by system_refresh(), which the inspect
 * layer never runs twice at a time for one tree.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <linux/utsname.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "inspect.h"
#include "session.h"

#define BOOT_ID_PATH	"/proc/sys/kernel/random/boot_id"
#define BOOT_ID_BYTES	36

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

struct cpu_node {
	struct vitrine_bool	*online;
	struct vitrine_uint	*times[ARRAY_SIZE(cpu_times)];
	struct vitrine_uint	*context_switches;
};

static struct vitrine_tree *tree;
static struct vitrine_uint *uptime;
static struct {
	struct vitrine_uint	*total, *available, *free, *shared, *buffer;
} memory;
static struct cpu_node *cpus;

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

static void refresh_cpu(unsigned int cpu)
{
	u64 switches = vtr_session_switches(cpu);
	struct cpu_node *node = &cpus[cpu];
	struct kernel_cpustat stat;
	unsigned int i;

	kcpustat_cpu_fetch(&stat, cpu);
	vitrine_bool_set(node->online, cpu_online(cpu));
	for (i = 0; i < ARRAY_SIZE(cpu_times); i++)
		vitrine_uint_set(node->times[i],
				 cpu_time(&stat, cpu, cpu_times[i].usage));
	vitrine_uint_set(node->context_switches, switches);
}

static void refresh_memory(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	vitrine_uint_set(memory.total, (u64)info.totalram * info.mem_unit);
	vitrine_uint_set(memory.available,
			 (u64)max(si_mem_available(), 0L) * PAGE_SIZE);
	vitrine_uint_set(memory.free, (u64)info.freeram * info.mem_unit);
	vitrine_uint_set(memory.shared, (u64)info.sharedram * info.mem_unit);
	vitrine_uint_set(memory.buffer, (u64)info.bufferram * info.mem_unit);
}

static void system_refresh(struct vtr_inspect_refresher *unused)
{
	unsigned int cpu;

	vitrine_uint_set(uptime, ktime_get_boottime_ns());
	refresh_memory();
	for_each_possible_cpu(cpu)
		refresh_cpu(cpu);
}

static struct vtr_inspect_refresher refresher = {
	.refresh = system_refresh,
};

static void create_cpu(struct vitrine_node *parent, unsigned int cpu)
{
	struct cpu_node *node = &cpus[cpu];
	struct vitrine_node *parent_of_times;
	char name[12];
	unsigned int i;

	snprintf(name, sizeof(name), "%u", cpu);
	parent_of_times = vitrine_node_create(parent, name);
	node->online = vitrine_bool_create(parent_of_times, "online", false);
	for (i = 0; i < ARRAY_SIZE(cpu_times); i++)
		node->times[i] = vitrine_uint_create(parent_of_times,
						     cpu_times[i].name, 0);
	node->context_switches = vitrine_uint_create(parent_of_times,
						     "context_switches", 0);
}

/* The kernel shows it in /proc only; without /proc the tree lacks it. */
static void create_boot_id(struct vitrine_node *root)
{
	char boot_id[BOOT_ID_BYTES + 1];
	struct file *file;
	loff_t pos = 0;
	ssize_t len;

	file = filp_open(BOOT_ID_PATH, O_RDONLY, 0);
	if (IS_ERR(file))
		return;
	len = kernel_read(file, boot_id, BOOT_ID_BYTES, &pos);
	filp_close(file, NULL);
	if (len != BOOT_ID_BYTES)
		return;
	boot_id[len] = '\0';
	vitrine_string_create(root, "boot_id", boot_id);
}

static void create_memory(struct vitrine_node *root)
{
	struct vitrine_node *node = vitrine_node_create(root, "memory");

	memory.total = vitrine_uint_create(node, "total_bytes", 0);
	memory.available = vitrine_uint_create(node, "available_bytes", 0);
	memory.free = vitrine_uint_create(node, "free_bytes", 0);
	memory.shared = vitrine_uint_create(node, "shared_bytes", 0);
	memory.buffer = vitrine_uint_create(node, "buffer_bytes", 0);
}

/**
 * vtr_system_init() - publish the tree "system"
 *
 * Context: task, sleeps.
 * Return: 0, or -ENOMEM.
 */
int vtr_system_init(void)
{
	/* Some 250 bytes a CPU, and room to spare for the rest. */
	size_t limit_bytes = 64 * 1024 + nr_cpu_ids * 1024UL;
	struct vitrine_node *root, *node;
	unsigned int cpu;

	cpus = kvcalloc(nr_cpu_ids, sizeof(*cpus), GFP_KERNEL);
	if (!cpus)
		return -ENOMEM;
	tree = vitrine_tree_create("system", limit_bytes);
	if (!tree) {
		kvfree(cpus);
		return -ENOMEM;
	}
	root = vitrine_tree_root(tree);
	vitrine_string_create(root, "sysname", init_utsname()->sysname);
	vitrine_string_create(root, "release", init_utsname()->release);
	vitrine_string_create(root, "version", init_utsname()->version);
	vitrine_string_create(root, "machine", init_utsname()->machine);
	create_boot_id(root);
	uptime = vitrine_uint_create(root, "uptime_ns", 0);
	create_memory(root);
	node = vitrine_node_create(root, "cpus");
	for_each_possible_cpu(cpu)
		create_cpu(node, cpu);
	vtr_inspect_add_refresher(tree, &refresher);
	return 0;
}

/**
 * vtr_system_deinit() - withdraw the tree "system"
 *
 * Context: task, sleeps.
 */
void vtr_system_deinit(void)
{
	vitrine_tree_destroy(tree);
	kvfree(cpus);
}
