/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build ids of the programs and libraries that are mapped.
 */
#ifndef _VTR_BUILD_ID_H
#define _VTR_BUILD_ID_H

#include <linux/types.h>

struct file;

/* Maximum length of a build id; the usual one is a SHA-1 of 20 bytes. */
#define VTR_BUILD_ID_MAX_BYTES	20

unsigned int vtr_build_id(struct file *file, u8 *ret);

#endif /* _VTR_BUILD_ID_H */
