// SPDX-License-Identifier: GPL-2.0
/*
 * Source "syscall": system calls as durations, by name.
 *
 * Names come from the kernel's own table of system calls, at build time.
 *
 * Concurrency: as event.c has it; nothing here is shared.
 */
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/syscalls.h>

#include "event.h"
#include "source.h"

static int syscall_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(syscall, syscall_switched);

#define PREFIX	"sys_"

#undef __SYSCALL
#undef __SYSCALL_NORETURN
#undef __SYSCALL_WITH_COMPAT
#define __SYSCALL(nr, function)			[nr] = #function,
#define __SYSCALL_NORETURN(nr, function)	[nr] = #function,
#define __SYSCALL_WITH_COMPAT(nr, function, compat) [nr] = #function,

static const char * const names[] = {
#ifdef CONFIG_X86_64
#include <asm/syscalls_64.h>
#elif __has_include(<asm/syscall_table_64.h>)
#include <asm/syscall_table_64.h>
#else
#include <asm/unistd.h>
#endif
};

/* Other tables than the machine's own have other numbers: no names for them. */
static const char *syscall_name(const struct pt_regs *regs, long nr)
{
#ifdef CONFIG_COMPAT
	if (in_compat_syscall())
		return "compat";
#endif
	if (nr < 0 || nr >= ARRAY_SIZE(names))
		return "unknown";
	/* User space chooses the number. */
	nr = array_index_nospec(nr, ARRAY_SIZE(names));
	if (!names[nr])
		return "unknown";
	return names[nr] + (strncmp(names[nr], PREFIX, strlen(PREFIX)) ?
			    0 : strlen(PREFIX));
}

/* Those that do not come back to where they were called have no end. */
static bool has_end(long nr)
{
	return nr != __NR_exit && nr != __NR_exit_group &&
	       nr != __NR_rt_sigreturn;
}

static void probe_sys_enter(void *unused, struct pt_regs *regs, long nr)
{
	if (has_end(nr))
		VITRINE_TRACE(syscall, VITRINE_RECORD_BEGIN,
			      syscall_name(regs, nr), 0,
			      VITRINE_ARG("nr", nr));
	else
		VITRINE_TRACE(syscall, VITRINE_RECORD_INSTANT,
			      syscall_name(regs, nr), 0,
			      VITRINE_ARG("nr", nr));
}

static void probe_sys_exit(void *unused, struct pt_regs *regs, long ret)
{
	long nr = syscall_get_nr(current, regs);

	if (nr >= 0 && has_end(nr))
		VITRINE_TRACE(syscall, VITRINE_RECORD_END,
			      syscall_name(regs, nr), 0,
			      VITRINE_ARG("ret", ret));
}

static struct vtr_probe probes[] = {
	VTR_PROBE(sys_enter, probe_sys_enter),
	VTR_PROBE(sys_exit, probe_sys_exit),
};

struct vtr_source vtr_source_syscall = VTR_SOURCE(syscall, probes);

static int syscall_switched(bool on)
{
	return vtr_source_switch(&vtr_source_syscall, on);
}
