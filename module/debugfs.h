/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files under debugfs; main.c creates them last and removes them first.
 */
#ifndef _VTR_DEBUGFS_H
#define _VTR_DEBUGFS_H

#include <linux/types.h>
#include <linux/uidgid.h>

/**
 * struct vtr_debugfs_access - owner, group and permissions of the files
 * @uid: owner
 * @gid: group
 * @mode: permissions; a file gets those of them that the owner has by default
 */
struct vtr_debugfs_access {
	kuid_t	uid;
	kgid_t	gid;
	umode_t	mode;
};

void vtr_debugfs_init(const struct vtr_debugfs_access *access);
void vtr_debugfs_deinit(void);

#endif /* _VTR_DEBUGFS_H */
