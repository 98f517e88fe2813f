/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything under debugfs: files of trees, of rings, and the settings.
 */
#ifndef _VITRINE_DEBUGFS_H
#define _VITRINE_DEBUGFS_H

void vtr_debugfs_init(void);
void vtr_debugfs_deinit(void);

#endif /* _VITRINE_DEBUGFS_H */
