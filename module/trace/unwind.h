/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The return addresses on a kernel stack.
 */
#ifndef _VTR_UNWIND_H
#define _VTR_UNWIND_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;

unsigned int vtr_unwind(struct task_struct *task, struct pt_regs *regs,
			unsigned long *frames, unsigned int most);
bool vtr_unwind_works(void);

#endif /* _VTR_UNWIND_H */
