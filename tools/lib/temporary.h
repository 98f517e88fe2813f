/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Create files and directories under a temporary name beside their final name. A list of
 * them allows a signal handler to remove them before the program ends.
 */
#ifndef _VITRINE_LIB_TEMPORARY_H
#define _VITRINE_LIB_TEMPORARY_H

#include <stdbool.h>

/**
 * struct vtr_temporary - a temporary file or directory
 * @path: temporary name, or NULL if the structure is empty and not in the list
 * @next: next one in the list
 */
struct vtr_temporary {
	char *path;
	struct vtr_temporary *next;
};

const char *vtr_temporary_place(const char *path);
int vtr_temporary_anonymous(void);
int vtr_temporary_create(struct vtr_temporary *temporary, const char *path);
bool vtr_temporary_mkdir(struct vtr_temporary *temporary, const char *path);
int vtr_temporary_rename(struct vtr_temporary *temporary, const char *path);
void vtr_temporary_remove(struct vtr_temporary *temporary);
void vtr_temporaries_remove(void);

#endif /* _VITRINE_LIB_TEMPORARY_H */
