/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees the module publishes itself, through the public header. Each is
 * brought up to date when somebody opens it, and once a second while it is
 * open.
 */
#ifndef _VITRINE_BUILTIN_H
#define _VITRINE_BUILTIN_H

int vtr_self_init(void);
void vtr_self_deinit(void);

int vtr_system_init(void);
void vtr_system_deinit(void);

#endif /* _VITRINE_BUILTIN_H */
