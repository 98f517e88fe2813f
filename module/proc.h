/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own text: figures that it tells user space, but not modules.
 */
#ifndef _VITRINE_PROC_H
#define _VITRINE_PROC_H

struct vtr_proc;

void vtr_proc_init(void);
void vtr_proc_deinit(void);
struct vtr_proc *vtr_proc_open(const char *path);
char *vtr_proc_line(struct vtr_proc *text);
void vtr_proc_close(struct vtr_proc *text);

#endif /* _VITRINE_PROC_H */
