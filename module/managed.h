/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees that are destroyed when their device or module goes.
 */
#ifndef _VTR_MANAGED_H
#define _VTR_MANAGED_H

int vtr_managed_init(void);
void vtr_managed_deinit(void);

#endif /* _VTR_MANAGED_H */
