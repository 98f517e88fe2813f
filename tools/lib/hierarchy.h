/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build and free the tree of an Inspect file.
 */
#ifndef _VITRINE_LIB_HIERARCHY_H
#define _VITRINE_LIB_HIERARCHY_H

#include "value.h"

/* Free a linked tree. */
void vtr_linked_destroy(struct vtr_linked *linked);

#endif /* _VITRINE_LIB_HIERARCHY_H */
