/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes: functions that tracepoints call. A probe whose type does not match its
 * tracepoint does not compile. And all threads, of which the kernel exports no list.
 */
#ifndef _VTR_PROBE_H
#define _VTR_PROBE_H

#include <linux/build_bug.h>
#include <linux/types.h>

struct task_struct;
struct tracepoint;

/**
 * struct vtr_probe - a function that a tracepoint calls
 * @name: name of the tracepoint
 * @function: the function
 * @data: first argument of @function
 * @tracepoint: set by vtr_probe_find(); NULL if this kernel does not have the tracepoint
 */
struct vtr_probe {
	const char		*name;
	void			*function;
	void			*data;
	struct tracepoint	*tracepoint;
};

/*
 * Evaluate to the address of @probe, in an initialiser. Compilation fails unless the type
 * of @probe is the type that <trace/events/...> declares for probes of @tracepoint.
 */
#define VTR_CHECKED_PROBE(tracepoint, probe)				\
	((void *)(probe) + sizeof(struct {				\
		static_assert(__same_type(check_trace_callback_type_##tracepoint, \
					  void (typeof(probe) *)),	\
			      #probe " has not the type of the tracepoint " \
			      #tracepoint);				\
	}))

#define VTR_PROBE(tracepoint, probe)					\
	{ #tracepoint, VTR_CHECKED_PROBE(tracepoint, probe) }

unsigned int vtr_probe_find(struct vtr_probe *probes, unsigned int nr);
int vtr_probe_register(const struct vtr_probe *probes, unsigned int nr);
void vtr_probe_unregister(const struct vtr_probe *probes, unsigned int nr);
struct task_struct *vtr_thread_next(int *id);

#endif /* _VTR_PROBE_H */
