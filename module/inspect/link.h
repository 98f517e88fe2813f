/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links of an Inspect hierarchy to other Inspect files.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 */
#ifndef _VTR_LINK_H
#define _VTR_LINK_H

#include <linux/types.h>

#include "tree.h"

int vtr_link_create(struct vtr_tree *tree, u32 parent, const char *name,
		    const char *content,
		    enum inspect_link_disposition disposition, u32 *ret);
int vtr_link_delete(struct vtr_tree *tree, u32 index);

#endif /* _VTR_LINK_H */
