// SPDX-License-Identifier: GPL-2.0
/*
 * Source "syscall": system calls as durations, by name.
 *
 * A call that returns without its thread having been switched out is one complete
 * record, written at its end. For a call during which the thread is switched out, the
 * begin is written just before that switch, with the original timestamp, and the end is a
 * separate record. The call in which a thread sleeps is therefore in the trace already
 * while the thread sleeps.
 *
 * Names come from the kernel's own table of system calls, at build time. Arguments are
 * recorded only if requested, by separate probes.
 *
 * Concurrency: as in event.c. The call of the current thread of a CPU is per-CPU data,
 * accessed with preemption disabled.
 */
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>

#include "compat.h"
#include "event.h"
#include "source.h"
#include "syscall_args.h"
#include "syscall_name.h"

/* On other architectures, nothing calls these, and the category has no events. */
#ifndef CONFIG_HAVE_SYSCALL_TRACEPOINTS
DECLARE_TRACE_EVENT(sys_enter, TP_PROTO(struct pt_regs *regs, long nr), TP_ARGS(regs, nr));
DECLARE_TRACE_EVENT(sys_exit, TP_PROTO(struct pt_regs *regs, long ret), TP_ARGS(regs, ret));
#endif

static int syscall_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(syscall, syscall_switched);

static const struct vitrine_arg ret_args[] = {
	{ "ret", FXT_ARG_INT64 },
};

/* Sites of a system call: as one record, and as begin and end. */
struct syscall_sites {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
	struct vitrine_site	end;
};

#define PREFIX	"sys_"

#define SYSCALL_NAME(function)						\
	(#function + (__builtin_strncmp(#function, PREFIX, strlen(PREFIX)) ? \
		      0 : strlen(PREFIX)))

#define SYSCALL_SITES(name)						\
	{								\
		.complete = {						\
			VTR_SITE(syscall, VITRINE_RECORD_COMPLETE |	\
					  VITRINE_RECORD_BEGAN, name),	\
			.args = ret_args,				\
			.nr_args = ARRAY_SIZE(ret_args),		\
		},							\
		.begin = {						\
			VTR_SITE(syscall, VITRINE_RECORD_BEGIN |	\
					  VITRINE_RECORD_BEGAN, name),	\
		},							\
		.end = {						\
			VTR_SITE(syscall, VITRINE_RECORD_END, name),	\
			.args = ret_args,				\
			.nr_args = ARRAY_SIZE(ret_args),		\
		},							\
	}

#undef __SYSCALL
#undef __SYSCALL_NORETURN
#undef __SYSCALL_WITH_COMPAT
#define __SYSCALL(nr, function)	[nr] = SYSCALL_SITES(SYSCALL_NAME(function)),
#define __SYSCALL_NORETURN(nr, function)	__SYSCALL(nr, function)
#define __SYSCALL_WITH_COMPAT(nr, function, compat) __SYSCALL(nr, function)

static const struct syscall_sites sites[] = {
#ifdef CONFIG_X86_64
#include <asm/syscalls_64.h>
#elif __has_include(<asm/syscall_table_64.h>)
#include <asm/syscall_table_64.h>
#else
#include <asm/unistd.h>
#endif
};

/**
 * struct call - system call of the current thread of a CPU
 * @task: the thread; NULL if the begin is written already, or there is no call
 * @nr: number of the call
 * @begin: time of the begin, in ticks
 * @values: arguments, if they are recorded, and room for the return value
 */
struct call {
	const struct task_struct	*task;
	long				nr;
	u64				begin;
	u64				values[VTR_SYSCALL_MAX_ARGS + 1];
};

static DEFINE_PER_CPU(struct call, call);

/* Calls that never return to their caller have no end. */
static bool has_end(long nr)
{
	return nr != __NR_exit && nr != __NR_exit_group &&
	       nr != __NR_rt_sigreturn;
}

static void write_endless(long nr)
{
	if (nr == __NR_exit)
		vitrine_trace_instant(syscall, "exit");
	else if (nr == __NR_exit_group)
		vitrine_trace_instant(syscall, "exit_group");
	else
		vitrine_trace_instant(syscall, "rt_sigreturn");
}

static bool is_compat(void)
{
#ifdef CONFIG_COMPAT
	return in_compat_syscall();
#else
	return false;
#endif
}

/* Check whether the number is of another table than the native one, such as compat. */
static __always_inline bool is_foreign(void)
{
#ifdef CONFIG_X86
	return in_ia32_syscall();
#else
	return is_compat();
#endif
}

static __always_inline const struct syscall_sites *native_sites(long nr)
{
	if (unlikely((unsigned long)nr >= ARRAY_SIZE(sites)))
		return NULL;
	/* User space chooses the number: prevent speculation beyond the array. */
	nr = array_index_nospec(nr, ARRAY_SIZE(sites));
	return likely(sites[nr].complete.name) ? &sites[nr] : NULL;
}

static __always_inline const struct syscall_sites *find_sites(long nr)
{
	return unlikely(is_foreign()) ? NULL : native_sites(nr);
}

/* The machine's own table of system calls, as syscall_get_arch() has it. */
#if defined(CONFIG_X86_64)
#define NATIVE_ARCH	AUDIT_ARCH_X86_64
#elif defined(CONFIG_ARM64)
#define NATIVE_ARCH	AUDIT_ARCH_AARCH64
#elif defined(CONFIG_RISCV)
#define NATIVE_ARCH	AUDIT_ARCH_RISCV64
#endif

/**
 * vtr_syscall_name() - name of the system call that another thread is in
 * @task: the thread, which is on no CPU
 * @nr: number of the call
 *
 * Context: any.
 * Return: the name, a constant; NULL if the number has none here.
 */
const char *vtr_syscall_name(struct task_struct *task, long nr)
{
	const struct syscall_sites *found = NULL;

	if (syscall_get_arch(task) == NATIVE_ARCH)
		found = native_sites(nr);
	return found ? found->complete.name : NULL;
}

/* Return the number of a call that has no name, as text. */
static const char *nameless(void)
{
	return is_compat() ? "compat" : "unknown";
}

static void write_complete(long nr, u64 begin, long ret)
{
	const struct syscall_sites *found = find_sites(nr);

	if (likely(found))
		vtr_event_write_span(&found->complete, begin, ret);
	else
		VITRINE_TRACE_NAMED(syscall, VITRINE_RECORD_COMPLETE |
					     VITRINE_RECORD_BEGAN,
				    nameless(), begin, VITRINE_ARG("nr", nr),
				    VITRINE_ARG("ret", ret));
}

static void write_begin(long nr, u64 begin)
{
	const struct syscall_sites *found = find_sites(nr);

	if (likely(found))
		vitrine_trace_write0(&found->begin, begin);
	else
		VITRINE_TRACE_NAMED(syscall, VITRINE_RECORD_BEGIN |
					     VITRINE_RECORD_BEGAN,
				    nameless(), begin, VITRINE_ARG("nr", nr));
}

static void write_end(long nr, long ret)
{
	const struct syscall_sites *found = find_sites(nr);

	if (nr < 0 || !has_end(nr))
		return;
	if (likely(found))
		vitrine_trace_write1(&found->end, 0, ret);
	else
		VITRINE_TRACE_NAMED(syscall, VITRINE_RECORD_END, nameless(), 0,
				    VITRINE_ARG("ret", ret));
}

static __always_inline void begin_call(long nr, u64 now)
{
	this_cpu_write(call.begin, now);
	this_cpu_write(call.nr, nr);
	this_cpu_write(call.task, current);
}

/* Rare cases, in a function of their own because of the registers that they need. */
static noinline notrace void enter_otherwise(long nr)
{
	if (!has_end(nr))
		return write_endless(nr);
	preempt_disable_notrace();
	begin_call(nr, vtr_event_ticks());
	preempt_enable_notrace();
}

static notrace void probe_sys_enter(void *unused, struct pt_regs *regs, long nr)
{
	/* The rings of all CPUs have the same clock, so preemption is harmless here. */
	if (unlikely(!has_end(nr) ||
		     raw_cpu_read(vtr_writer_ring)->config.clock !=
		     VITRINE_CLOCK_COUNTER))
		return enter_otherwise(nr);
	preempt_disable_notrace();
	begin_call(nr, vtr_counter_ticks());
	preempt_enable_notrace();
}

static notrace void probe_sys_exit(void *unused, struct pt_regs *regs, long ret)
{
	preempt_disable_notrace();
	if (likely(this_cpu_read(call.task) == current)) {
		this_cpu_write(call.task, NULL);
		write_complete(this_cpu_read(call.nr), this_cpu_read(call.begin),
			       ret);
	} else {
		write_end(syscall_get_nr(current, regs), ret);
	}
	preempt_enable_notrace();
}

/* Called before the probe that records the switch. */
static notrace void probe_switch(void *unused, bool preempt,
				 struct task_struct *prev,
				 struct task_struct *next,
				 unsigned int prev_state)
{
	struct call *here = this_cpu_ptr(&call);

	if (here->task != prev)
		return;
	here->task = NULL;
	write_begin(here->nr, here->begin);
}

/* ---- with arguments -------------------------------------------------------- */

/* By number, like sites[]; allocated while the probes of this section are registered. */
static struct vtr_syscall_args *args_sites;

static notrace void probe_sys_enter_args(void *unused, struct pt_regs *regs,
					 long nr)
{
	unsigned long values[VTR_SYSCALL_MAX_ARGS];
	unsigned int i;

	if (unlikely(!has_end(nr)))
		return write_endless(nr);
	syscall_get_arguments(current, regs, values);
	preempt_disable_notrace();
	begin_call(nr, vtr_event_ticks());
	for (i = 0; i < VTR_SYSCALL_MAX_ARGS; i++)
		this_cpu_write(call.values[i], values[i]);
	preempt_enable_notrace();
}

static void write_complete_args(struct call *here, long ret)
{
	const struct syscall_sites *found = find_sites(here->nr);
	const struct vtr_syscall_args *args;

	if (!found)
		return write_complete(here->nr, here->begin, ret);
	args = &args_sites[found - sites];
	here->values[args->begin.nr_args] = ret;
	vtr_event_write_values(&args->complete, here->begin, here->values);
}

static void write_begin_args(const struct call *here)
{
	const struct syscall_sites *found = find_sites(here->nr);

	if (!found)
		return write_begin(here->nr, here->begin);
	vtr_event_write_values(&args_sites[found - sites].begin, here->begin,
			       here->values);
}

static notrace void probe_sys_exit_args(void *unused, struct pt_regs *regs,
					long ret)
{
	struct call *here;

	preempt_disable_notrace();
	here = this_cpu_ptr(&call);
	if (likely(here->task == current)) {
		here->task = NULL;
		write_complete_args(here, ret);
	} else {
		write_end(syscall_get_nr(current, regs), ret);
	}
	preempt_enable_notrace();
}

static notrace void probe_switch_args(void *unused, bool preempt,
				      struct task_struct *prev,
				      struct task_struct *next,
				      unsigned int prev_state)
{
	struct call *here = this_cpu_ptr(&call);

	if (here->task != prev)
		return;
	here->task = NULL;
	write_begin_args(here);
}

static int make_args_sites(void)
{
	unsigned int i;

	args_sites = kvcalloc(ARRAY_SIZE(sites), sizeof(*args_sites),
			      GFP_KERNEL);
	if (!args_sites)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(sites); i++)
		if (sites[i].complete.name)
			vtr_syscall_args_init(&args_sites[i],
					      &sites[i].complete,
					      &sites[i].begin);
	return 0;
}

/* Prepared records are indexed by the address of their site, so drop them first. */
static void free_args_sites(void)
{
	if (!args_sites)
		return;
	vtr_writer_forget_strings();
	kvfree(args_sites);
	args_sites = NULL;
}

/* -------------------------------------------------------------------------- */

static void * const functions[] = {
	VTR_PROBE_FUNCTION(sched_switch, probe_switch),
	VTR_PROBE_FUNCTION(sys_enter, probe_sys_enter),
	VTR_PROBE_FUNCTION(sys_exit, probe_sys_exit),
};

static void * const functions_args[] = {
	VTR_PROBE_FUNCTION(sched_switch, probe_switch_args),
	VTR_PROBE_FUNCTION(sys_enter, probe_sys_enter_args),
	VTR_PROBE_FUNCTION(sys_exit, probe_sys_exit_args),
};

/* In the order of functions[]. */
static struct vtr_probe probes[] = {
	{ "sched_switch", .first = true },
	{ "sys_enter" },
	{ "sys_exit" },
};

struct vtr_source vtr_source_syscall =
	VTR_SOURCE(syscall, probes, .takes_args = true);

static int prepare_to_record(bool with_args)
{
	unsigned int i;
	int cpu;

	/* Calls from the previous recording are invalid. */
	for_each_possible_cpu(cpu)
		per_cpu(call, cpu).task = NULL;
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		probes[i].function = with_args ? functions_args[i] :
						 functions[i];
	return with_args ? make_args_sites() : 0;
}

static int syscall_switched(bool on)
{
	int err = 0;

	if (on)
		err = prepare_to_record(vitrine_category_syscall.with_args);
	if (!err)
		err = vtr_source_switch(&vtr_source_syscall, on);
	if (!on || err)
		free_args_sites();
	return err;
}
