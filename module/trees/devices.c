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
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/part_stat.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "builtin.h"
#include "compat.h"
#include "peek.h"

#ifdef CONFIG_BLOCK
/* Names by group: requests, bytes, merged requests, time. */
static const char * const io_names[][4] = {
	[STAT_READ]	= { "reads", "read_bytes", "read_merges", "read_ns" },
	[STAT_WRITE]	= { "writes", "written_bytes", "write_merges", "write_ns" },
	[STAT_DISCARD]	= { "discards", "discarded_bytes", "discard_merges", "discard_ns" },
};

static void record_block(struct vitrine_node *block, struct device *dev)
{
	struct vitrine_node *node = vtr_builtin_node(block, dev_name(dev));
	struct block_device *bdev = dev_to_bdev(dev);
	unsigned int i;

	VTR_RECORD(node, { "major", MAJOR(dev->devt) }, { "minor", MINOR(dev->devt) });
	vitrine_record_bool(node, "partition", bdev_is_partition(bdev));
	VTR_RECORD(node, { "size_bytes", bdev_nr_sectors(bdev) << SECTOR_SHIFT });
	for (i = 0; i < ARRAY_SIZE(io_names); i++)
		VTR_RECORD(node,
			   { io_names[i][0], part_stat_read(bdev, ios[i]) },
			   { io_names[i][1],
			     part_stat_read(bdev, sectors[i]) << SECTOR_SHIFT },
			   { io_names[i][2], part_stat_read(bdev, merges[i]) },
			   { io_names[i][3], part_stat_read(bdev, nsecs[i]) });
	VTR_RECORD(node,
		   { "flushes", part_stat_read(bdev, ios[STAT_FLUSH]) },
		   { "flush_ns", part_stat_read(bdev, nsecs[STAT_FLUSH]) },
		   { "busy_ns", jiffies64_to_nsecs(part_stat_read(bdev, io_ticks)) });
}

/* The class of all block devices; the kernel does not export its symbol. */
static typeof_member(struct device, class) disk_class;

/**
 * vtr_devices_start() - find the class of all block devices
 *
 * Allocates a disk, which is never added to the system.
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int vtr_devices_start(void)
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
int vtr_devices_start(void)
{
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

	guard(rcu)();
	for_each_netdev_rcu(&init_net, dev) {
		if (nr < max)
			indices[nr] = dev->ifindex;
		nr++;
	}
	return nr;
}

/* Record an interface, unless it is gone. Its figures are copied under RCU. */
static void record_interface(struct vitrine_node *net, int index)
{
	struct rtnl_link_stats64 stats;
	unsigned int mtu_bytes, flags;
	struct vitrine_node *node;
	struct net_device *dev;
	char name[IFNAMSIZ];
	bool has_carrier;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(&init_net, index);
	if (!dev) {
		rcu_read_unlock();
		return;
	}
	strscpy(name, dev->name, sizeof(name));
	mtu_bytes = vtr_peek(dev->mtu);
	flags = vtr_peek(dev->flags);
	has_carrier = netif_carrier_ok(dev);
	dev_get_stats(dev, &stats);
	rcu_read_unlock();

	node = vtr_builtin_node(net, name);
	VTR_RECORD(node, { "index", index }, { "mtu_bytes", mtu_bytes });
	vitrine_record_bool(node, "up", flags & IFF_UP);
	vitrine_record_bool(node, "carrier", has_carrier);
	VTR_RECORD(node,
		   { "received_packets", stats.rx_packets },
		   { "received_bytes", stats.rx_bytes },
		   { "receive_errors", stats.rx_errors },
		   { "receive_drops", stats.rx_dropped + stats.rx_missed_errors },
		   { "received_multicast", stats.multicast },
		   { "sent_packets", stats.tx_packets },
		   { "sent_bytes", stats.tx_bytes },
		   { "send_errors", stats.tx_errors },
		   { "send_drops", stats.tx_dropped },
		   { "collisions", stats.collisions });
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
static unsigned int get_interfaces(int *indices, unsigned int max)
{
	return 0;
}

static int record_interfaces(struct vitrine_node *root, unsigned int max)
{
	return 0;
}
#endif

/**
 * vtr_devices_fill() - fill the tree "devices"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: number of interfaces left out, or -ENOMEM.
 */
int vtr_devices_fill(struct vitrine_node *root)
{
	record_blocks(root);
	return record_interfaces(root, get_interfaces(NULL, 0));
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/devices_kunit.c"
#endif
