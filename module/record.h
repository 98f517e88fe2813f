/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recorded values of an Inspect hierarchy: they go with the node they are
 * recorded in.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 */
#ifndef _VTR_RECORD_H
#define _VTR_RECORD_H

#include <linux/types.h>

#include "tree.h"

int vtr_record_number(struct vtr_tree *tree, u32 node, const char *name,
		      enum inspect_type type, u64 word1);
int vtr_record_buffer(struct vtr_tree *tree, u32 node, const char *name,
		      enum inspect_buffer_format format, const void *value,
		      size_t len_bytes);
int vtr_record_node(struct vtr_tree *tree, u32 node, const char *name,
		    u32 *ret);
bool vtr_record_purge(struct vtr_tree *tree, u32 node, unsigned int max);

#endif /* _VTR_RECORD_H */
