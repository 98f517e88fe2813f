// SPDX-License-Identifier: GPL-2.0
/*
 * Source "fault": page faults by kind of access and mode; on x86 also other exceptions, by
 * the kernel's name of each.
 *
 * They are instant events, because no kernel has a tracepoint for their end. Other
 * exceptions are reported by the die notifier chain, since they have no tracepoint.
 *
 * Concurrency: as in event.c; nothing here is shared. A writer can cause a fault itself,
 * because it reads text by words, beyond its end. A fault with interrupts off is therefore
 * not recorded but counted as lost, as in NMI context.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#ifdef CONFIG_X86
#include <asm/trap_pf.h>
#endif

#include "compat.h"
#include "event.h"
#include "source.h"

#ifdef VTR_PAGE_FAULTS
#include VTR_PAGE_FAULTS
#endif

VTR_SOURCE_CATEGORY(fault);

#ifdef VTR_PAGE_FAULTS
/* Kind of access; known on x86 only. */
enum access {
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_EXECUTE,
	ACCESS_ANY,
};

static const struct vitrine_arg address_args[] = {
	{ "address", FXT_ARG_POINTER },
};

#define FAULT_SITE(name)						\
	{								\
		VTR_SITE(fault, FXT_EVENT_INSTANT, name),		\
		VTR_SITE_ARGS(address_args),				\
	}

#define FAULT_SITES(from)						\
	{								\
		[ACCESS_READ] = FAULT_SITE(from "_read"),		\
		[ACCESS_WRITE] = FAULT_SITE(from "_write"),		\
		[ACCESS_EXECUTE] = FAULT_SITE(from "_execute"),		\
		[ACCESS_ANY] = FAULT_SITE(from "_fault"),		\
	}

static const struct vitrine_site user_sites[] = FAULT_SITES("user");
static const struct vitrine_site kernel_sites[] = FAULT_SITES("kernel");

static __always_inline enum access access_of(unsigned long error_code)
{
#ifdef CONFIG_X86
	if (error_code & X86_PF_INSTR)
		return ACCESS_EXECUTE;
	return error_code & X86_PF_WRITE ? ACCESS_WRITE : ACCESS_READ;
#else
	return ACCESS_ANY;
#endif
}

static __always_inline void write_fault(const struct vitrine_site *sites,
					unsigned long address,
					unsigned long error_code)
{
	vitrine_trace_write1(&sites[access_of(error_code)], 0,
			     vitrine_user_address((void __user *)address));
}

static notrace void probe_user(void *unused, unsigned long address,
			       struct pt_regs *regs, unsigned long error_code)
{
	write_fault(user_sites, address, error_code);
}

static notrace void probe_kernel(void *unused, unsigned long address,
				 struct pt_regs *regs, unsigned long error_code)
{
	if (regs_irqs_disabled(regs))
		vtr_event_lose();
	else
		write_fault(kernel_sites, address, error_code);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(page_fault_user, probe_user),
	VTR_PROBE(page_fault_kernel, probe_kernel),
};
#else
static struct vtr_probe probes[] = {};
#endif

struct vtr_source vtr_source_fault = VTR_SOURCE(fault, probes);

static notrace int notify(struct notifier_block *block, unsigned long reason,
			  void *args)
{
#ifdef CONFIG_X86
	static const struct vitrine_site site = {
		VTR_SITE(fault, FXT_EVENT_INSTANT | VITRINE_RECORD_NAMED, NULL),
	};
	const struct die_args *die = args;

	switch (reason) {
	case DIE_TRAP:
	case DIE_INT3:
	case DIE_DEBUG:
	case DIE_GPF:
		if (regs_irqs_disabled(die->regs))
			vtr_event_lose();
		else
			vtr_prepared_write_key(&site, vtr_strings_key(die->str), die->str, 0, 0);
	}
#endif
	return NOTIFY_DONE;
}

/* First in the chain: later notifiers do not see exceptions that others have handled. */
static struct notifier_block notifier = {
	.notifier_call = notify,
	.priority = INT_MAX,
};

static int fault_switched(bool on)
{
	int err;

	if (!on)
		unregister_die_notifier(&notifier);
	err = vtr_source_switch(&vtr_source_fault, on);
	if (on && !err)
		register_die_notifier(&notifier);
	return err;
}
