/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files under debugfs; main.c creates them last and removes them first.
 */
#ifndef _VTR_DEBUGFS_H
#define _VTR_DEBUGFS_H

int vtr_debugfs_check(void);
void vtr_debugfs_init(void);
void vtr_debugfs_deinit(void);

#endif /* _VTR_DEBUGFS_H */
