/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which built-in trees there are, and which are switched on.
 */
#ifndef _VITRINE_TREES_H
#define _VITRINE_TREES_H

int vtr_trees_select(const char *names);
int vtr_trees_init(void);
void vtr_trees_deinit(void);

#endif /* _VITRINE_TREES_H */
