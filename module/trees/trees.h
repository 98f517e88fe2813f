/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The built-in trees: main.c selects, publishes and withdraws them.
 */
#ifndef _VTR_TREES_H
#define _VTR_TREES_H

int vtr_trees_select(const char *names);
int vtr_trees_init(void);
void vtr_trees_deinit(void);

#endif /* _VTR_TREES_H */
