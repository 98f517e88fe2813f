// SPDX-License-Identifier: GPL-2.0
/*
 * Names and types of the arguments of system calls, from the kernel's own events
 * (CONFIG_FTRACE_SYSCALLS). A call without such an event gets six numbers.
 *
 * Concurrency: the caller serialises. The kernel's tables are constant.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <trace/syscall.h>

#include "syscall_args.h"

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
	nr = min_t(int, known->nb_args, VTR_SYSCALL_MAX_ARGS);
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
	static const char * const names[VTR_SYSCALL_MAX_ARGS] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5",
	};
	int i;

	for (i = 0; i < VTR_SYSCALL_MAX_ARGS; i++) {
		args[i].name = names[i];
		args[i].type = FXT_ARG_UINT64;
	}
	return VTR_SYSCALL_MAX_ARGS;
}

/**
 * vtr_syscall_args_init() - initialise the sites of a system call with arguments
 * @args: the sites, which must not be moved afterwards
 * @complete: site without arguments, but with the return value
 * @begin: site of the begin without arguments
 *
 * Context: task; may sleep.
 */
void vtr_syscall_args_init(struct vtr_syscall_args *args,
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
