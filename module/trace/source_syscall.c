// SPDX-License-Identifier: GPL-2.0
/*
 * Source "syscall": system calls as durations, by name.
 *
 * A call that returns without its thread having been switched out is one complete
 * record, written at its end. If the thread is switched out, the probe of switches first
 * calls vtr_syscall_leave(), which writes the begin with the original timestamp; the end is
 * a separate record. The call in which a thread sleeps is therefore in the trace already
 * while the thread sleeps.
 *
 * Names come from the kernel's own table of system calls, at build time. Arguments are
 * recorded only if requested, which a static key tells.
 *
 * Concurrency: as in event.c. The call of the current thread of a CPU is per-CPU data,
 * accessed with preemption disabled. The key and the sites with arguments change while no
 * probe is registered.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "compat.h"
#include "event.h"
#include "source.h"
#include "waits.h"

/*
 * Names and types of the arguments of system calls, from the kernel's own events
 * (CONFIG_FTRACE_SYSCALLS). A call without such an event gets six numbers.
 *
 * Concurrency: the caller serialises. The kernel's tables are constant.
 */

/**
 * struct syscall_arg_sites - sites of a system call with arguments
 * @complete: written at the end if the thread was not switched out: arguments, then the
 *	return value
 * @begin: written when the thread is switched out: arguments only
 * @args: arguments of both
 */
struct syscall_arg_sites {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
	struct vitrine_arg	args[VTR_CALL_MAX_ARGS + 1];
};

#ifdef CONFIG_FTRACE_SYSCALLS
static const struct {
	const char	*type;
	unsigned int	fxt;
} types[] = {
	{ "int",		FXT_ARG_INT32 },
	{ "pid_t",		FXT_ARG_INT32 },
	{ "clockid_t",		FXT_ARG_INT32 },
	{ "const clockid_t",	FXT_ARG_INT32 },
	{ "long",		FXT_ARG_INT64 },
	{ "off_t",		FXT_ARG_INT64 },
	{ "loff_t",		FXT_ARG_INT64 },
	{ "unsigned int",	FXT_ARG_UINT32 },
	{ "unsigned",		FXT_ARG_UINT32 },
	{ "u32",		FXT_ARG_UINT32 },
	{ "__u32",		FXT_ARG_UINT32 },
	{ "uid_t",		FXT_ARG_UINT32 },
	{ "gid_t",		FXT_ARG_UINT32 },
	{ "qid_t",		FXT_ARG_UINT32 },
	{ "umode_t",		FXT_ARG_UINT32 },
};

static unsigned int type_of(const char *type)
{
	unsigned int i;

	if (strchr(type, '*'))
		return FXT_ARG_POINTER;
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].type))
			return types[i].fxt;
	return FXT_ARG_UINT64;
}

/* Fill in the arguments. Return their number, or -1 if the kernel has no event. */
static int fill_known(const char *name, struct vitrine_arg *args)
{
	const struct syscall_metadata *known;
	struct trace_event_file *file;
	char event[64];
	int i, nr;

	snprintf(event, sizeof(event), "sys_enter_%s", name);
	file = trace_get_event_file(NULL, "syscalls", event);
	if (IS_ERR(file))
		return -1;
	known = file->event_call->data;
	nr = min_t(int, known->nb_args, VTR_CALL_MAX_ARGS);
	for (i = 0; i < nr; i++) {
		args[i].name = known->args[i];
		args[i].type = type_of(known->types[i]);
	}
	trace_put_event_file(file);
	return nr;
}
#else
static int fill_known(const char *name, struct vitrine_arg *args)
{
	return -1;
}
#endif

static int fill_unknown(struct vitrine_arg *args)
{
	static const char * const names[VTR_CALL_MAX_ARGS] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5",
	};
	int i;

	for (i = 0; i < VTR_CALL_MAX_ARGS; i++) {
		args[i].name = names[i];
		args[i].type = FXT_ARG_UINT64;
	}
	return VTR_CALL_MAX_ARGS;
}

/**
 * syscall_args_init() - initialise the sites of a system call with arguments
 * @args: the sites, which must not be moved afterwards
 * @complete: site without arguments, but with the return value
 * @begin: site of the begin without arguments
 *
 * Context: task; may sleep.
 */
static void syscall_args_init(struct syscall_arg_sites *args,
			      const struct vitrine_site *complete,
			      const struct vitrine_site *begin)
{
	int nr = fill_known(complete->name, args->args);

	if (nr < 0)
		nr = fill_unknown(args->args);
	args->args[nr] = complete->args[0];
	args->complete = *complete;
	args->complete.args = args->args;
	args->complete.nr_args = nr + 1;
	args->begin = *begin;
	args->begin.args = args->args;
	args->begin.nr_args = nr;
}

/* ---- calls -------------------------------------------------------------- */

/* On other architectures, nothing calls these, and the category has no events. */
#ifndef CONFIG_HAVE_SYSCALL_TRACEPOINTS
DECLARE_TRACE_EVENT(sys_enter, TP_PROTO(struct pt_regs *regs, long nr), TP_ARGS(regs, nr));
DECLARE_TRACE_EVENT(sys_exit, TP_PROTO(struct pt_regs *regs, long ret), TP_ARGS(regs, ret));
#endif

static int syscall_switched(bool on);
DEFINE_VITRINE_CATEGORY_SWITCHED(syscall, syscall_switched);

static const struct vitrine_arg ret_args[] = {
	{ "ret", FXT_ARG_INT64 },
};

/* Calls that never return to their caller have no end. */
#define HAS_END(nr)	((nr) != __NR_exit && (nr) != __NR_exit_group && (nr) != __NR_rt_sigreturn)

/* Sites of a system call: as one record, as begin and end, or as an instant if it has no end. */
struct syscall_sites {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
	struct vitrine_site	end;
};

#define PREFIX	"sys_"

#define SYSCALL_NAME(function)						\
	(&#function[__builtin_strncmp(#function, PREFIX, sizeof(PREFIX) - 1) ? \
		    0 : sizeof(PREFIX) - 1])

#define SYSCALL_SITES(nr, name)						\
	{								\
		.complete = {						\
			VTR_SITE(syscall, FXT_EVENT_DURATION_COMPLETE |	\
					  VITRINE_RECORD_BEGAN, name),	\
			VTR_SITE_ARGS(ret_args),			\
		},							\
		.begin = {						\
			VTR_SITE(syscall, FXT_EVENT_DURATION_BEGIN |	\
					  VITRINE_RECORD_BEGAN, name),	\
		},							\
		.end = {						\
			VTR_SITE(syscall, HAS_END(nr) ? FXT_EVENT_DURATION_END : \
					  FXT_EVENT_INSTANT, name),	\
			.args = ret_args,				\
			.nr_args = HAS_END(nr),				\
		},							\
	}

#undef __SYSCALL
#undef __SYSCALL_NORETURN
#undef __SYSCALL_WITH_COMPAT
#define __SYSCALL(nr, function)	[nr] = SYSCALL_SITES(nr, SYSCALL_NAME(function)),
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

DEFINE_PER_CPU(struct vtr_call, vtr_call);

static DEFINE_STATIC_KEY_FALSE(with_args);

/* By number, like sites[]; allocated while @with_args is on. */
static struct syscall_arg_sites *args_sites;

/* Check whether the number is of another table than the native one, such as compat. */
static __always_inline bool is_foreign(void)
{
#ifdef CONFIG_X86
	return in_ia32_syscall();
#else
	return in_compat_syscall();
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
	return in_compat_syscall() ? "compat" : "unknown";
}

static void write_complete_args(const struct syscall_sites *found, u64 begin, long ret)
{
	const struct syscall_arg_sites *args = &args_sites[found - sites];
	u64 *values = this_cpu_ptr(vtr_call.values);

	values[args->begin.nr_args] = ret;
	vtr_prepared_write_values(&args->complete, begin, values);
}

static void write_complete(long nr, u64 begin, long ret)
{
	const struct syscall_sites *found = find_sites(nr);

	if (likely(found) && static_branch_unlikely(&with_args))
		write_complete_args(found, begin, ret);
	else if (likely(found))
		vitrine_trace_write1(&found->complete, begin, ret);
	else
		VITRINE_TRACE_NAMED(syscall, FXT_EVENT_DURATION_COMPLETE |
					     VITRINE_RECORD_BEGAN,
				    nameless(), begin, VITRINE_ARG("nr", nr),
				    VITRINE_ARG("ret", ret));
}

static void write_begin(long nr, u64 begin)
{
	const struct syscall_sites *found = find_sites(nr);

	if (likely(found) && static_branch_unlikely(&with_args))
		vtr_prepared_write_values(&args_sites[found - sites].begin, begin,
					  this_cpu_ptr(vtr_call.values));
	else if (likely(found))
		vitrine_trace_write0(&found->begin, begin);
	else
		VITRINE_TRACE_NAMED(syscall, FXT_EVENT_DURATION_BEGIN |
					     VITRINE_RECORD_BEGAN,
				    nameless(), begin, VITRINE_ARG("nr", nr));
}

static void write_end(long nr, long ret)
{
	const struct syscall_sites *found = find_sites(nr);

	if (nr < 0 || (found && !HAS_END(nr)))
		return;
	if (likely(found))
		vitrine_trace_write1(&found->end, 0, ret);
	else
		VITRINE_TRACE_NAMED(syscall, FXT_EVENT_DURATION_END, nameless(), 0,
				    VITRINE_ARG("ret", ret));
}

static __always_inline void begin_call(long nr, u64 now)
{
	this_cpu_write(vtr_call.begin, now);
	this_cpu_write(vtr_call.nr, nr);
	this_cpu_write(vtr_call.task, current);
}

/* Rare cases, in a function of their own because of the registers that they need. */
static noinline notrace void enter_otherwise(long nr, struct pt_regs *regs)
{
	const struct syscall_sites *endless = HAS_END(nr) ? NULL : find_sites(nr);
	unsigned long values[VTR_CALL_MAX_ARGS];
	struct vtr_call *here;
	unsigned int i;

	if (endless)
		return vitrine_trace_write0(&endless->end, 0);
	syscall_get_arguments(current, regs, values);
	preempt_disable_notrace();
	begin_call(nr, vtr_event_ticks());
	here = this_cpu_ptr(&vtr_call);
	for (i = 0; i < VTR_CALL_MAX_ARGS; i++)
		here->values[i] = values[i];
	preempt_enable_notrace();
}

static notrace void probe_sys_enter(void *unused, struct pt_regs *regs, long nr)
{
	/* The rings of all CPUs have the same clock, so preemption is harmless here. */
	if (static_branch_unlikely(&with_args) ||
	    unlikely(!HAS_END(nr) || raw_cpu_read(vtr_writer_ring)->config.clock !=
				     VITRINE_CLOCK_COUNTER))
		return enter_otherwise(nr, regs);
	preempt_disable_notrace();
	begin_call(nr, vtr_counter_ticks());
	preempt_enable_notrace();
}

static notrace void probe_sys_exit(void *unused, struct pt_regs *regs, long ret)
{
	preempt_disable_notrace();
	if (likely(this_cpu_read(vtr_call.task) == current)) {
		this_cpu_write(vtr_call.task, NULL);
		write_complete(this_cpu_read(vtr_call.nr), this_cpu_read(vtr_call.begin),
			       ret);
	} else {
		write_end(syscall_get_nr(current, regs), ret);
	}
	preempt_enable_notrace();
}

/**
 * vtr_syscall_leave() - write the begin of the call in which the current thread leaves this CPU
 *
 * Context: interrupts off, before the switch is recorded; the thread is that of vtr_call.
 */
void vtr_syscall_leave(void)
{
	this_cpu_write(vtr_call.task, NULL);
	write_begin(this_cpu_read(vtr_call.nr), this_cpu_read(vtr_call.begin));
}

/* ---- switching --------------------------------------------------------------- */

/* Prepared records are indexed by the address of their site, so drop them before it is freed. */
static void free_args_sites(void)
{
	if (!args_sites)
		return;
	static_branch_disable(&with_args);
	vtr_writer_forget_strings();
	kvfree(args_sites);
	args_sites = NULL;
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
			syscall_args_init(&args_sites[i],
					  &sites[i].complete,
					  &sites[i].begin);
	static_branch_enable(&with_args);
	return 0;
}

static struct vtr_probe probes[] = {
	VTR_PROBE(sys_enter, probe_sys_enter),
	VTR_PROBE(sys_exit, probe_sys_exit),
};

struct vtr_source vtr_source_syscall =
	VTR_SOURCE(syscall, probes, .takes_args = true, .begun = &vtr_call,
		   .begun_bytes = sizeof(vtr_call));

static int syscall_switched(bool on)
{
	int err = 0;

	if (on && vitrine_category_syscall.with_args)
		err = make_args_sites();
	if (on)
		static_branch_inc(&vtr_switch_watched);
	if (!err)
		err = vtr_source_switch(&vtr_source_syscall, on);
	if (!on || err) {
		static_branch_dec(&vtr_switch_watched);
		free_args_sites();
	}
	return err;
}
