/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources of events: categories whose events come from the kernel's tracepoints. A source
 * is in source_<category>.c, "sched" in sched.c; VITRINE_SOURCES() lists them all. And the
 * probes of switches and wakeups, which are in sched.c, too.
 */
#ifndef _VTR_SOURCE_H
#define _VTR_SOURCE_H

#include <linux/kernel.h>
#include <linux/percpu.h>

#include <uapi/vitrine/fxt.h>
#include <uapi/vitrine/map.h>
#include <vitrine/trace.h>

#include "probe.h"

struct task_struct;
struct vitrine_node;
struct vtr_ring;

/**
 * struct vtr_source - a category and its probes
 * @category: the category
 * @probes: the probes
 * @nr_probes: number of @probes
 * @nr_found: of @probes, those for which this kernel has a tracepoint
 * @takes_args: the source can record arguments; see &vitrine_category.with_args
 * @begun: what each CPU has begun; zeroed when the source is switched on, because the
 *	begins of a previous recording are invalid. May be NULL
 * @begun_bytes: size of @begun
 */
struct vtr_source {
	struct vitrine_category	*category;
	struct vtr_probe	*probes;
	unsigned int		nr_probes;
	unsigned int		nr_found;
	bool			takes_args;
	void __percpu		*begun;
	size_t			begun_bytes;
};

#define VTR_SOURCE(source_category, source_probes, ...) {		\
	.category = &vitrine_category_##source_category,		\
	.probes = (source_probes),					\
	.nr_probes = ARRAY_SIZE(source_probes),				\
	__VA_ARGS__							\
}

/* Define the category of a source, before its probes, which refer to it. */
#define VTR_SOURCE_CATEGORY(name)					\
	static int name##_switched(bool on);				\
	static DEFINE_VITRINE_CATEGORY_SWITCHED(name, name##_switched)

/* Define a source for which switching its probes is all that there is to do. */
#define VTR_SOURCE_DEFINE(name, source_probes, ...)			\
	struct vtr_source vtr_source_##name =				\
		VTR_SOURCE(name, source_probes, ##__VA_ARGS__);		\
									\
	static int name##_switched(bool on)				\
	{								\
		return vtr_source_switch(&vtr_source_##name, on);	\
	}

#define VTR_SOURCE_DECLARE(name, ...)	extern struct vtr_source vtr_source_##name;
VITRINE_SOURCES(VTR_SOURCE_DECLARE)

#define VTR_SOURCE_ADDRESS(name, ...)	&vtr_source_##name,

int vtr_source_init(void);
void vtr_source_deinit(void);
int vtr_source_switch(struct vtr_source *source, bool on);
void vtr_source_record_missing(struct vitrine_node *events);

/* source_syscall.c; sched.c calls vtr_syscall_leave(). */

DECLARE_VITRINE_CATEGORY(syscall);

#define VTR_CALL_MAX_ARGS	6

/**
 * struct vtr_call - system call of the current thread of a CPU
 * @task: the thread; NULL if the begin is written already, or there is no call
 * @nr: number of the call
 * @begin: time of the begin, in ticks
 * @values: arguments, if they are recorded, and room for the return value
 */
struct vtr_call {
	const struct task_struct	*task;
	long				nr;
	u64				begin;
	u64				values[VTR_CALL_MAX_ARGS + 1];
};

DECLARE_PER_CPU(struct vtr_call, vtr_call);

void vtr_syscall_leave(void);
const char *vtr_syscall_name(struct task_struct *task, long nr);

/* sched.c; session.c registers the probes and attaches the CPUs. */
int vtr_sched_init(void);
int vtr_sched_register(enum vitrine_clock clock);
void vtr_sched_unregister(void);
void vtr_sched_repeat_switch(unsigned int nr);
void vtr_sched_repeat_wakeup(unsigned int nr);
bool vtr_sched_records_wakeups(void);
void vtr_sched_attach(struct vtr_ring *ring, unsigned int cpu,
		      const struct task_struct *running);
void vtr_sched_detach(unsigned int cpu, enum fxt_thread_state state);
void vtr_sched_flush(struct vtr_ring *ring);

#endif /* _VTR_SOURCE_H */
