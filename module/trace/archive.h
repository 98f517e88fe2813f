/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the contents of all rings as one archive, trace.fxt, sub-buffer by sub-buffer.
 */
#ifndef _VTR_ARCHIVE_H
#define _VTR_ARCHIVE_H

#include <linux/types.h>

struct vtr_archive;

struct vtr_archive *vtr_archive_create(void);
void vtr_archive_destroy(struct vtr_archive *archive);
ssize_t vtr_archive_read(struct vtr_archive *archive, char __user *buf,
			 size_t count);

#endif /* _VTR_ARCHIVE_H */
