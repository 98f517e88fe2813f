/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash with a key that is made when the module is loaded and never leaves it: for bytes
 * that users choose, and for addresses that a trace must not contain.
 */
#ifndef _VTR_SECRET_H
#define _VTR_SECRET_H

#include <linux/types.h>

void vtr_secret_init(void);
u64 vtr_secret_hash(const void *bytes, size_t len_bytes);

#endif /* _VTR_SECRET_H */
