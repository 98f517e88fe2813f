// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "memory": how much memory there is, its use by kind, node and zone, and the
 * events of reclaim.
 *
 * Concurrency: the kernel keeps these counters per CPU and folds them periodically. They
 * are read without a lock, as /proc/meminfo does.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "proc.h"

#define LIMIT_BYTES	SZ_1M

/* Counters per node, in pages except for the stacks. */
static const struct {
	const char		*name;
	enum node_stat_item	item;
	unsigned int		unit_bytes;
} node_stats[] = {
	{ "page_cache_bytes",		NR_FILE_PAGES,		PAGE_SIZE },
#ifdef CONFIG_SWAP
	{ "swap_cache_bytes",		NR_SWAPCACHE,		PAGE_SIZE },
#endif
	{ "dirty_bytes",		NR_FILE_DIRTY,		PAGE_SIZE },
	{ "writeback_bytes",		NR_WRITEBACK,		PAGE_SIZE },
	{ "mapped_bytes",		NR_FILE_MAPPED,		PAGE_SIZE },
	{ "shared_bytes",		NR_SHMEM,		PAGE_SIZE },
	{ "anonymous_bytes",		NR_ANON_MAPPED,		PAGE_SIZE },
	{ "active_anonymous_bytes",	NR_ACTIVE_ANON,		PAGE_SIZE },
	{ "inactive_anonymous_bytes",	NR_INACTIVE_ANON,	PAGE_SIZE },
	{ "active_file_bytes",		NR_ACTIVE_FILE,		PAGE_SIZE },
	{ "inactive_file_bytes",	NR_INACTIVE_FILE,	PAGE_SIZE },
	{ "unevictable_bytes",		NR_UNEVICTABLE,		PAGE_SIZE },
	{ "slab_reclaimable_bytes",	NR_SLAB_RECLAIMABLE_B,	PAGE_SIZE },
	{ "slab_unreclaimable_bytes",	NR_SLAB_UNRECLAIMABLE_B, PAGE_SIZE },
	{ "kernel_stack_bytes",		NR_KERNEL_STACK_KB,	1024 },
	{ "page_table_bytes",		NR_PAGETABLE,		PAGE_SIZE },
};

#ifndef CONFIG_SWAP
#pragma message "the tree \"memory\" has no swap_cache_bytes: CONFIG_SWAP is off"
#endif

/* Events by their name in /proc/vmstat, because their numbers change between releases. */
static const struct {
	const char	*name;
	const char	*source;
	unsigned int	unit;
} events[] = {
	{ "paged_in_bytes",		"pgpgin",		1024 },
	{ "paged_out_bytes",		"pgpgout",		1024 },
	{ "swapped_in_bytes",		"pswpin",		PAGE_SIZE },
	{ "swapped_out_bytes",		"pswpout",		PAGE_SIZE },
	{ "faults",			"pgfault",		1 },
	{ "major_faults",		"pgmajfault",		1 },
	{ "pages_freed",		"pgfree",		1 },
	{ "pages_activated",		"pgactivate",		1 },
	{ "pages_deactivated",		"pgdeactivate",		1 },
	{ "pages_scanned_kswapd",	"pgscan_kswapd",	1 },
	{ "pages_scanned_direct",	"pgscan_direct",	1 },
	{ "pages_stolen_kswapd",	"pgsteal_kswapd",	1 },
	{ "pages_stolen_direct",	"pgsteal_direct",	1 },
	{ "oom_kills",			"oom_kill",		1 },
};

/**
 * struct event_counts - events parsed from /proc/vmstat
 * @counts: counts, indexed like events[]
 * @found: bit mask of the events that this kernel has
 */
struct event_counts {
	u64		counts[ARRAY_SIZE(events)];
	unsigned long	found;
};

static void read_event(struct event_counts *ret, char *line)
{
	const char *name = strsep(&line, " ");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (line && !strcmp(name, events[i].source) &&
		    !kstrtou64(line, 10, &ret->counts[i]))
			ret->found |= BIT(i);
}

static int read_events(struct event_counts *ret)
{
	struct vtr_proc *text = vtr_proc_open("vmstat");
	char *line;

	memset(ret, 0, sizeof(*ret));
	if (IS_ERR_OR_NULL(text))
		return PTR_ERR(text);
	while ((line = vtr_proc_line(text)))
		read_event(ret, line);
	return vtr_proc_close(text);
}

static int record_events(struct vitrine_node *root)
{
	struct vitrine_node *node;
	struct event_counts now;
	unsigned int i;
	int err;

	err = read_events(&now);
	if (err)
		return err;
	node = vitrine_record_node(root, "events");
	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (now.found & BIT(i))
			vitrine_record_uint(node, events[i].name,
					    now.counts[i] * events[i].unit);
	return 0;
}

static int memory_start(void)
{
	struct event_counts now;
	unsigned int i;
	int err;

	err = read_events(&now);
	for (i = 0; !err && i < ARRAY_SIZE(events); i++)
		if (!(now.found & BIT(i)))
			vtr_self_lacks("memory", events[i].name,
				       "not in /proc/vmstat");
	if (!err && !IS_ENABLED(CONFIG_SWAP))
		vtr_self_lacks("memory", "swap_cache_bytes",
			       "CONFIG_SWAP is off");
	return err;
}

/* A sum can be negative for a moment, while a CPU has not folded its part. */
static u64 count(const atomic_long_t *stat)
{
	return max(atomic_long_read(stat), 0L);
}

static void record_totals(struct vitrine_node *root)
{
	struct sysinfo info;
	unsigned int i;

	si_meminfo(&info);
	vitrine_record_uint(root, "total_bytes",
			    (u64)info.totalram * info.mem_unit);
	vitrine_record_uint(root, "available_bytes",
			    (u64)max(si_mem_available(), 0L) * PAGE_SIZE);
	vitrine_record_uint(root, "free_bytes",
			    (u64)info.freeram * info.mem_unit);
	vitrine_record_uint(root, "buffer_bytes",
			    (u64)info.bufferram * info.mem_unit);
	vitrine_record_uint(root, "committed_bytes",
			    (u64)vm_memory_committed() * PAGE_SIZE);
	vitrine_record_uint(root, "swap_free_bytes",
			    (u64)max(get_nr_swap_pages(), 0L) * PAGE_SIZE);
	for (i = 0; i < ARRAY_SIZE(node_stats); i++)
		vitrine_record_uint(root, node_stats[i].name,
				    count(&vm_node_stat[node_stats[i].item]) *
				    node_stats[i].unit_bytes);
}

static void record_zone(struct vitrine_node *zones, struct zone *zone)
{
	struct vitrine_node *node = vitrine_record_node(zones, zone->name);

	vitrine_record_uint(node, "present_bytes",
			    (u64)vtr_peek(zone->present_pages) * PAGE_SIZE);
	vitrine_record_uint(node, "managed_bytes",
			    (u64)zone_managed_pages(zone) * PAGE_SIZE);
	vitrine_record_uint(node, "free_bytes",
			    (u64)zone_page_state(zone, NR_FREE_PAGES) * PAGE_SIZE);
	vitrine_record_uint(node, "mlocked_bytes",
			    (u64)zone_page_state(zone, NR_MLOCK) * PAGE_SIZE);
	vitrine_record_uint(node, "min_bytes",
			    (u64)min_wmark_pages(zone) * PAGE_SIZE);
	vitrine_record_uint(node, "low_bytes",
			    (u64)low_wmark_pages(zone) * PAGE_SIZE);
	vitrine_record_uint(node, "high_bytes",
			    (u64)high_wmark_pages(zone) * PAGE_SIZE);
}

static void record_node(struct vitrine_node *nodes, int nid)
{
	struct vitrine_node *node = vtr_builtin_number(nodes, nid);
	struct pglist_data *pgdat = NODE_DATA(nid);
	struct vitrine_node *zones;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(node_stats); i++)
		vitrine_record_uint(node, node_stats[i].name,
				    count(&pgdat->vm_stat[node_stats[i].item]) *
				    node_stats[i].unit_bytes);
	zones = vitrine_record_node(node, "zones");
	for (i = 0; i < MAX_NR_ZONES; i++)
		if (populated_zone(&pgdat->node_zones[i]))
			record_zone(zones, &pgdat->node_zones[i]);
}

static int memory_fill(struct vitrine_node *root)
{
	struct vitrine_node *nodes;
	int nid, err;

	err = record_events(root);
	if (err)
		return err;
	record_totals(root);
	nodes = vitrine_record_node(root, "nodes");
	for_each_online_node(nid)
		record_node(nodes, nid);
	return 0;
}

const struct vtr_builtin vtr_builtin_memory = {
	.name = "memory",
	.limit_bytes = LIMIT_BYTES,
	.fill = memory_fill,
	.start = memory_start,
};
