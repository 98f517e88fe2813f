/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of the most recent nodes: "0", "1", ... below a node. When a list is full,
 * appending to it deletes the oldest node.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 *
 * A list is a circular linked list in the notes of its blocks (node.h), and needs no
 * other memory. Its blocks are larger than those of other nodes, to have more notes:
 *
 *	list	as for any node, with next being the newest item; number of items;
 *		capacity; number of the next item
 *	item	as for any node; the next newer item, for the newest item the oldest
 */
#ifndef _VTR_FIFO_H
#define _VTR_FIFO_H

#include <linux/types.h>

#include "tree.h"

int vtr_fifo_create(struct vtr_tree *tree, u32 parent, const char *name,
		    u32 capacity, u32 *ret);
int vtr_fifo_append(struct vtr_tree *tree, u32 list, u32 *ret, u32 *dropped);
int vtr_fifo_delete(struct vtr_tree *tree, u32 list);
bool vtr_fifo_purge(struct vtr_tree *tree, u32 list, unsigned int max);

#endif /* _VTR_FIFO_H */
