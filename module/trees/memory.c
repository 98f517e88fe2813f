// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "memory": how much memory there is, its use by kind, node and zone, and the
 * events of reclaim.
 *
 * Concurrency: the kernel keeps these counters per CPU and folds them periodically. They
 * are read without a lock, as /proc/meminfo does.
 */
#include <linux/blk_types.h>
#include <linux/mman.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/swap.h>
#include <linux/vm_event_item.h>
#include <linux/vmstat.h>

#include "builtin.h"
#include "compat.h"
#include "peek.h"

/* Counters per node, in pages except for the stacks, which are in KiB. */
static const struct {
	const char		*name;
	enum node_stat_item	item;
} node_stats[] = {
	{ "page_cache_bytes",		NR_FILE_PAGES },
#ifdef CONFIG_SWAP
	{ "swap_cache_bytes",		NR_SWAPCACHE },
#endif
	{ "dirty_bytes",		NR_FILE_DIRTY },
	{ "writeback_bytes",		NR_WRITEBACK },
	{ "mapped_bytes",		NR_FILE_MAPPED },
	{ "shared_bytes",		NR_SHMEM },
	{ "anonymous_bytes",		NR_ANON_MAPPED },
	{ "active_anonymous_bytes",	NR_ACTIVE_ANON },
	{ "inactive_anonymous_bytes",	NR_INACTIVE_ANON },
	{ "active_file_bytes",		NR_ACTIVE_FILE },
	{ "inactive_file_bytes",	NR_INACTIVE_FILE },
	{ "unevictable_bytes",		NR_UNEVICTABLE },
	{ "slab_reclaimable_bytes",	NR_SLAB_RECLAIMABLE_B },
	{ "slab_unreclaimable_bytes",	NR_SLAB_UNRECLAIMABLE_B },
	{ "kernel_stack_bytes",		NR_KERNEL_STACK_KB },
	{ "page_table_bytes",		NR_PAGETABLE },
};

/* Events, counted per CPU since boot; from 7.1 on, those of reclaim per node. */
static const struct {
	const char	*name;
	unsigned int	item;
	unsigned int	unit;
	bool		is_of_nodes;
} events[] = {
	{ "paged_in_bytes",		PGPGIN,		SECTOR_SIZE },
	{ "paged_out_bytes",		PGPGOUT,	SECTOR_SIZE },
	{ "swapped_in_bytes",		PSWPIN,		PAGE_SIZE },
	{ "swapped_out_bytes",		PSWPOUT,	PAGE_SIZE },
	{ "faults",			PGFAULT,	1 },
	{ "major_faults",		PGMAJFAULT,	1 },
	{ "pages_freed",		PGFREE,		1 },
	{ "pages_activated",		PGACTIVATE,	1 },
	{ "pages_deactivated",		PGDEACTIVATE,	1 },
	{ "pages_scanned_kswapd",	PGSCAN_KSWAPD,	1, VTR_RECLAIM_OF_NODES },
	{ "pages_scanned_direct",	PGSCAN_DIRECT,	1, VTR_RECLAIM_OF_NODES },
	{ "pages_stolen_kswapd",	PGSTEAL_KSWAPD,	1, VTR_RECLAIM_OF_NODES },
	{ "pages_stolen_direct",	PGSTEAL_DIRECT,	1, VTR_RECLAIM_OF_NODES },
	{ "oom_kills",			OOM_KILL,	1 },
};

/* A sum can be negative for a moment, while a CPU has not folded its part. */
static u64 count(const atomic_long_t *stat)
{
	return max(atomic_long_read(stat), 0L);
}

static void record_events(struct vitrine_node *root)
{
	/* Too large for the stack; one fill() runs at a time. */
	static unsigned long counts[NR_VM_EVENT_ITEMS];
	struct vitrine_node *node = vitrine_record_node(root, "events");
	unsigned int i;

	all_vm_events(counts);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		vitrine_record_uint(node, events[i].name,
				    (events[i].is_of_nodes ?
				     count(&vm_node_stat[events[i].item]) :
				     counts[events[i].item]) * events[i].unit);
}

static void record_stats(struct vitrine_node *node, const atomic_long_t *stats)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(node_stats); i++)
		vitrine_record_uint(node, node_stats[i].name,
				    count(&stats[node_stats[i].item]) *
				    (node_stats[i].item == NR_KERNEL_STACK_KB ? 1024 : PAGE_SIZE));
}

static void record_totals(struct vitrine_node *root)
{
	struct sysinfo info;

	si_meminfo(&info);
	VTR_RECORD(root,
		   { "total_bytes", info.totalram * info.mem_unit },
		   { "available_bytes", max(si_mem_available(), 0L) * PAGE_SIZE },
		   { "free_bytes", info.freeram * info.mem_unit },
		   { "buffer_bytes", info.bufferram * info.mem_unit },
		   { "committed_bytes", vm_memory_committed() * PAGE_SIZE },
		   { "swap_free_bytes", max(get_nr_swap_pages(), 0L) * PAGE_SIZE });
	record_stats(root, vm_node_stat);
}

static void record_zone(struct vitrine_node *zones, struct zone *zone)
{
	VTR_RECORD(vitrine_record_node(zones, zone->name),
		   { "present_bytes", vtr_peek(zone->present_pages) * PAGE_SIZE },
		   { "managed_bytes", zone_managed_pages(zone) * PAGE_SIZE },
		   { "free_bytes", zone_page_state(zone, NR_FREE_PAGES) * PAGE_SIZE },
		   { "mlocked_bytes", zone_page_state(zone, NR_MLOCK) * PAGE_SIZE },
		   { "min_bytes", min_wmark_pages(zone) * PAGE_SIZE },
		   { "low_bytes", low_wmark_pages(zone) * PAGE_SIZE },
		   { "high_bytes", high_wmark_pages(zone) * PAGE_SIZE });
}

static void record_node(struct vitrine_node *nodes, int nid)
{
	struct vitrine_node *node = vtr_builtin_number(nodes, nid);
	struct pglist_data *pgdat = NODE_DATA(nid);
	struct vitrine_node *zones;
	unsigned int i;

	record_stats(node, pgdat->vm_stat);
	zones = vitrine_record_node(node, "zones");
	for (i = 0; i < MAX_NR_ZONES; i++)
		if (populated_zone(&pgdat->node_zones[i]))
			record_zone(zones, &pgdat->node_zones[i]);
}

/**
 * vtr_memory_fill() - fill the tree "memory"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_memory_fill(struct vitrine_node *root)
{
	struct vitrine_node *nodes;
	int nid;

	if (IS_ENABLED(CONFIG_VM_EVENT_COUNTERS))
		record_events(root);
	record_totals(root);
	nodes = vitrine_record_node(root, "nodes");
	for_each_online_node(nid)
		record_node(nodes, nid);
	return 0;
}
