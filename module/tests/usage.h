/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The usage of a tree, as the tree "vitrine" shows it.
 */
#ifndef _VTR_TESTS_USAGE_H
#define _VTR_TESTS_USAGE_H

#include "inspect/edit.h"

struct vtr_inspect_stats {
	size_t size_bytes;
	size_t used_bytes;
	size_t limit_bytes;
	unsigned long failed;
	u32 nr_values;
	u32 nr_tombstones;
};

static inline void vtr_inspect_stats(struct vitrine_tree *tree, struct vtr_inspect_stats *ret)
{
	const struct vtr_tree *blocks = &tree->blocks;

	ret->size_bytes = vtr_peek(blocks->heap.nr_pages) * PAGE_SIZE;
	ret->used_bytes = vtr_peek(blocks->heap.used_bytes);
	ret->limit_bytes = tree->area.max_pages * PAGE_SIZE;
	ret->failed = atomic_long_read(&tree->failed);
	ret->nr_values = vtr_peek(blocks->nr_values);
	ret->nr_tombstones = vtr_peek(blocks->nr_tombstones);
}

#endif /* _VTR_TESTS_USAGE_H */
