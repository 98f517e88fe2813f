/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build ids of the programs and libraries that are mapped. The locking rules are in
 * build_id.c.
 */
#ifndef _VITRINE_BUILD_ID_H
#define _VITRINE_BUILD_ID_H

#include <linux/types.h>

/* Maximum length of a build id; the usual one is a SHA-1 of 20 bytes. */
#define VTR_BUILD_ID_MAX_BYTES	20

struct file;

unsigned int vtr_build_id(struct file *file, u8 *ret);

#endif /* _VITRINE_BUILD_ID_H */
