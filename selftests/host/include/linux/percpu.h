/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/percpu.h>: one CPU, whose cells are plain memory. */
#ifndef _HOST_LINUX_PERCPU_H
#define _HOST_LINUX_PERCPU_H

#define __percpu
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define this_cpu_read(variable)	(variable)
#define this_cpu_write(variable, value)	((void)((variable) = (value)))
#define this_cpu_add(cell, delta)	((void)((cell) += (delta)))

#endif /* _HOST_LINUX_PERCPU_H */
