/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/kref.h>: a count of one thread. */
#ifndef _HOST_LINUX_KREF_H
#define _HOST_LINUX_KREF_H

struct kref {
	unsigned int count;
};

static inline void kref_init(struct kref *kref)
{
	kref->count = 1;
}

static inline void kref_get(struct kref *kref)
{
	kref->count++;
}

static inline int kref_put(struct kref *kref,
			   void (*release)(struct kref *kref))
{
	if (--kref->count)
		return 0;
	release(kref);
	return 1;
}

#endif
