/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/slab.h>: the C library's heap, under ASan's eyes. */
#ifndef _HOST_LINUX_SLAB_H
#define _HOST_LINUX_SLAB_H

#include <stdlib.h>

#include <linux/types.h>

#define GFP_KERNEL	0U

static inline void *kzalloc(size_t bytes, gfp_t gfp)
{
	(void)gfp;
	return calloc(1, bytes);
}

static inline void *kcalloc(size_t nr, size_t bytes, gfp_t gfp)
{
	(void)gfp;
	return calloc(nr, bytes);
}

static inline void *kvzalloc_node(size_t bytes, gfp_t gfp, int node)
{
	(void)node;
	return kzalloc(bytes, gfp);
}

static inline void *kvcalloc(size_t nr, size_t bytes, gfp_t gfp)
{
	return kcalloc(nr, bytes, gfp);
}

static inline void kfree(const void *memory)
{
	free((void *)memory);
}

static inline void kvfree(const void *memory)
{
	kfree(memory);
}

#endif
