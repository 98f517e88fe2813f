// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "devices": statistics of block devices and network interfaces.
 *
 * Concurrency: a device cannot be freed while it is visited. The driver core visits the
 * block devices and holds a reference to one at a time. The indices of network interfaces
 * are collected, and each interface is then looked up and copied under RCU: a reference
 * would delay its removal while a value is recorded, which may wait for memory.
 */
#include <linux/blkdev.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/part_stat.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "compat.h"

#define LIMIT_BYTES	SZ_4M

#ifdef CONFIG_BLOCK
struct io_names {
	const char *count, *bytes, *merges, *time;
};

static void record_io(struct vitrine_node *node, struct block_device *bdev,
		      enum stat_group group, const struct io_names *names)
{
	vitrine_record_uint(node, names->count,
			    part_stat_read(bdev, ios[group]));
	vitrine_record_uint(node, names->bytes,
			    (u64)part_stat_read(bdev, sectors[group]) <<
			    SECTOR_SHIFT);
	vitrine_record_uint(node, names->merges,
			    part_stat_read(bdev, merges[group]));
	vitrine_record_uint(node, names->time,
			    part_stat_read(bdev, nsecs[group]));
}

static void record_block(struct vitrine_node *block, struct device *dev)
{
	static const struct io_names reads = {
		"reads", "read_bytes", "read_merges", "read_ns"
	}, writes = {
		"writes", "written_bytes", "write_merges", "write_ns"
	}, discards = {
		"discards", "discarded_bytes", "discard_merges", "discard_ns"
	};
	struct block_device *bdev = dev_to_bdev(dev);
	char name[VTR_BUILTIN_TEXT_MAX + 1];
	struct vitrine_node *node;

	vtr_builtin_copy(name, dev_name(dev));
	node = vitrine_record_node(block, name);
	vitrine_record_uint(node, "major", MAJOR(dev->devt));
	vitrine_record_uint(node, "minor", MINOR(dev->devt));
	vitrine_record_bool(node, "partition", bdev_is_partition(bdev));
	vitrine_record_uint(node, "size_bytes",
			    (u64)bdev_nr_sectors(bdev) << SECTOR_SHIFT);
	record_io(node, bdev, STAT_READ, &reads);
	record_io(node, bdev, STAT_WRITE, &writes);
	record_io(node, bdev, STAT_DISCARD, &discards);
	vitrine_record_uint(node, "flushes",
			    part_stat_read(bdev, ios[STAT_FLUSH]));
	vitrine_record_uint(node, "flush_ns",
			    part_stat_read(bdev, nsecs[STAT_FLUSH]));
	vitrine_record_uint(node, "busy_ns",
			    jiffies64_to_nsecs(part_stat_read(bdev, io_ticks)));
}

/* The class of all block devices; the kernel does not export its symbol. */
static typeof_member(struct device, class) disk_class;

/* Allocate a disk, which is never added to the system, to find the class. */
static int find_block_class(void)
{
	struct gendisk *disk = VTR_BLK_ALLOC_DISK();

	if (IS_ERR_OR_NULL(disk))
		return -ENOMEM;
	disk_class = disk_to_dev(disk)->class;
	put_disk(disk);
	return 0;
}

static void record_blocks(struct vitrine_node *root)
{
	struct vitrine_node *block = vitrine_record_node(root, "block");
	struct class_dev_iter iter;
	struct device *dev;

	class_dev_iter_init(&iter, disk_class, NULL, NULL);
	while ((dev = class_dev_iter_next(&iter)))
		record_block(block, dev);
	class_dev_iter_exit(&iter);
}
#else
#pragma message "the tree \"devices\" has no block devices: CONFIG_BLOCK is off"

static int find_block_class(void)
{
	vtr_self_lacks("devices", "block", "CONFIG_BLOCK is off");
	return 0;
}

static void record_blocks(struct vitrine_node *root)
{
}
#endif

#ifdef CONFIG_NET
/* Copy the indices of up to @max interfaces. Return the number of interfaces. */
static unsigned int get_interfaces(int *indices, unsigned int max)
{
	struct net_device *dev;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_netdev_rcu(&init_net, dev) {
		if (nr < max)
			indices[nr] = dev->ifindex;
		nr++;
	}
	rcu_read_unlock();
	return nr;
}

static void record_net_stats(struct vitrine_node *node,
			     const struct rtnl_link_stats64 *stats)
{
	vitrine_record_uint(node, "received_packets", stats->rx_packets);
	vitrine_record_uint(node, "received_bytes", stats->rx_bytes);
	vitrine_record_uint(node, "receive_errors", stats->rx_errors);
	vitrine_record_uint(node, "receive_drops",
			    stats->rx_dropped + stats->rx_missed_errors);
	vitrine_record_uint(node, "received_multicast", stats->multicast);
	vitrine_record_uint(node, "sent_packets", stats->tx_packets);
	vitrine_record_uint(node, "sent_bytes", stats->tx_bytes);
	vitrine_record_uint(node, "send_errors", stats->tx_errors);
	vitrine_record_uint(node, "send_drops", stats->tx_dropped);
	vitrine_record_uint(node, "collisions", stats->collisions);
}

/**
 * struct interface - what is recorded of a network interface
 * @name: name
 * @mtu_bytes: largest packet
 * @flags: IFF_*
 * @has_carrier: the link is up
 * @stats: statistics
 */
struct interface {
	char			name[VTR_BUILTIN_TEXT_MAX + 1];
	unsigned int		mtu_bytes;
	unsigned int		flags;
	bool			has_carrier;
	struct rtnl_link_stats64 stats;
};

/* Read an interface. Return false if it is gone. */
static bool read_interface(int index, struct interface *ret)
{
	struct net_device *dev;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(&init_net, index);
	if (dev) {
		vtr_builtin_copy(ret->name, dev->name);
		ret->mtu_bytes = vtr_peek(dev->mtu);
		ret->flags = vtr_peek(dev->flags);
		ret->has_carrier = netif_carrier_ok(dev);
		dev_get_stats(dev, &ret->stats);
	}
	rcu_read_unlock();
	return dev;
}

static void record_interface(struct vitrine_node *net, int index)
{
	struct interface interface = {};
	struct vitrine_node *node;

	if (!read_interface(index, &interface))
		return;
	node = vitrine_record_node(net, interface.name);
	vitrine_record_uint(node, "index", index);
	vitrine_record_uint(node, "mtu_bytes", interface.mtu_bytes);
	vitrine_record_bool(node, "up", interface.flags & IFF_UP);
	vitrine_record_bool(node, "carrier", interface.has_carrier);
	record_net_stats(node, &interface.stats);
}

/* Record up to @max interfaces. Return the number of interfaces left out, or an error. */
static int record_interfaces(struct vitrine_node *root, unsigned int max)
{
	struct vitrine_node *net = vitrine_record_node(root, "net");
	unsigned int i, nr;
	int *indices;

	indices = kvcalloc(max, sizeof(*indices), GFP_KERNEL);
	if (!indices)
		return -ENOMEM;
	nr = get_interfaces(indices, max);
	for (i = 0; i < min(nr, max); i++)
		record_interface(net, indices[i]);
	kvfree(indices);
	return nr - i;
}
#else
#pragma message "the tree \"devices\" has no interfaces: CONFIG_NET is off"

static unsigned int get_interfaces(int *indices, unsigned int max)
{
	return 0;
}

static int record_interfaces(struct vitrine_node *root, unsigned int max)
{
	return 0;
}
#endif

static int devices_fill(struct vitrine_node *root)
{
	record_blocks(root);
	return record_interfaces(root, get_interfaces(NULL, 0));
}

static int devices_start(void)
{
	if (!IS_ENABLED(CONFIG_NET))
		vtr_self_lacks("devices", "net", "CONFIG_NET is off");
	return find_block_class();
}

const struct vtr_builtin vtr_builtin_devices = {
	.name = "devices",
	.limit_bytes = LIMIT_BYTES,
	.fill = devices_fill,
	.start = devices_start,
};

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/devices_kunit.c"
#endif
