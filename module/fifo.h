/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of what happened last: nodes "0", "1", ... below a node, of which the
 * oldest goes when there are too many.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 *
 * A list needs no memory beside its blocks. They are larger than a node's need
 * be, so that they have more notes:
 *
 *	list	as any node's, next being the newest item; number of items;
 *		capacity; number of the next item
 *	item	as any node's; the next newer item, of the newest the oldest
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
