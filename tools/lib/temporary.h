/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files and directories under a temporary name beside the one they are to have. All
 * that there are at the moment are listed, so that a program that is ended by a
 * signal can remove them.
 */
#ifndef _VITRINE_LIB_TEMPORARY_H
#define _VITRINE_LIB_TEMPORARY_H

#include <stdbool.h>

/**
 * struct vtr_temporary - a file or directory, listed while @path is set
 * @path: its temporary name, or NULL: there is none
 * @next: in the list
 */
struct vtr_temporary {
	char *path;
	struct vtr_temporary *next;
};

int vtr_temporary_anonymous(void);
int vtr_temporary_create(struct vtr_temporary *temporary, const char *path);
bool vtr_temporary_mkdir(struct vtr_temporary *temporary, const char *path);
int vtr_temporary_rename(struct vtr_temporary *temporary, const char *path);
void vtr_temporary_remove(struct vtr_temporary *temporary);
void vtr_temporaries_remove(void);

#endif /* _VITRINE_LIB_TEMPORARY_H */
