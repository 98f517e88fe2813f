/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Retained trees as main.c, debugfs.c and the tree "vitrine" see them: limits and
 * removal. Publishers use <vitrine/inspect.h>.
 */
#ifndef _VTR_RETAINED_H
#define _VTR_RETAINED_H

void vtr_retained_init(unsigned int trees, unsigned int kb);
void vtr_retained_deinit(void);
int vtr_retained_drop(const char *name);
unsigned long vtr_retained_dropped(void);

#endif /* _VTR_RETAINED_H */
