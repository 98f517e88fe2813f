/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes: functions that tracepoints call. The compiler refuses a probe whose type
 * is not that of its tracepoint.
 */
#ifndef _VITRINE_PROBE_H
#define _VITRINE_PROBE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>

struct tracepoint;

/**
 * struct vtr_probe - a function that a tracepoint calls
 * @name: the tracepoint's
 * @function: the function
 * @tracepoint: found by vtr_probe_find(), NULL if this kernel has none
 */
struct vtr_probe {
	const char		*name;
	void			*function;
	struct tracepoint	*tracepoint;
};

/*
 * The address of @probe, in an initialiser; an error unless <trace/events/...>
 * declares that @tracepoint calls functions of its type.
 */
#define VTR_PROBE_FUNCTION(tracepoint, probe)				\
	((void *)(probe) + sizeof(struct {				\
		static_assert(__same_type(check_trace_callback_type_##tracepoint, \
					  void (typeof(probe) *)),	\
			      #probe " has not the type of the tracepoint " \
			      #tracepoint);				\
	}))

#define VTR_PROBE(tracepoint, probe)					\
	{ #tracepoint, VTR_PROBE_FUNCTION(tracepoint, probe) }

unsigned int vtr_probe_find(struct vtr_probe *probes, unsigned int nr);
int vtr_probe_register(const struct vtr_probe *probes, unsigned int nr);
void vtr_probe_unregister(const struct vtr_probe *probes, unsigned int nr);

#endif /* _VITRINE_PROBE_H */
