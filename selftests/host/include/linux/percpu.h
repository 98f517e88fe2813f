/* SPDX-License-Identifier: GPL-2.0 */
/* One CPU: its cells are plain memory. */
#ifndef _HOST_LINUX_PERCPU_H
#define _HOST_LINUX_PERCPU_H

#define __percpu
#define this_cpu_add(cell, delta)	((void)((cell) += (delta)))

#endif /* _HOST_LINUX_PERCPU_H */
