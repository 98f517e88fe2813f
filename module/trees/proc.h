/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of /proc: figures that the kernel offers to user space, but not to modules.
 */
#ifndef _VTR_PROC_H
#define _VTR_PROC_H

struct vtr_proc;

void vtr_proc_init(void);
void vtr_proc_deinit(void);
struct vtr_proc *vtr_proc_open(const char *path);
char *vtr_proc_line(struct vtr_proc *text);
int vtr_proc_close(struct vtr_proc *text);
#ifdef CONFIG_VITRINE_KUNIT
extern int vtr_proc_open_err;
#endif

#endif /* _VTR_PROC_H */
