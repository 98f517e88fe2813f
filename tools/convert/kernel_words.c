// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert the kernel's priorities, states and names of events to those of a Fuchsia
 * trace. Pure.
 */
#include <string.h>

#include "fxt_record.h"
#include "kernel_words.h"

const char * const kernel_softirqs[KERNEL_SOFTIRQS] = {
	"softirq HI", "softirq TIMER", "softirq NET_TX", "softirq NET_RX",
	"softirq BLOCK", "softirq IRQ_POLL", "softirq TASKLET",
	"softirq SCHED", "softirq HRTIMER", "softirq RCU",
};

/* Names of x86 tracepoints of inter-processor interrupts. */
static const char * const ipis[] = {
	"reschedule", "call_function", "call_function_single", "irq_work",
	"x86_platform_ipi",
};

/**
 * kernel_priority() - convert the priority of a thread
 * @tid: id of the thread
 * @prio: priority in the kernel; that of normal threads is 120
 *
 * Return: priority in a switch record; only idle has priority 0.
 */
unsigned int kernel_priority(int64_t tid, int64_t prio)
{
	if (!tid)
		return 0;
	return prio < 1 ? 1 : prio > 255 ? 255 : prio;
}

/**
 * kernel_state() - convert the state of an outgoing thread
 * @state: state bits of the tracepoint sched_switch
 *
 * Return: enum fxt_thread_state.
 */
unsigned int kernel_state(int64_t state)
{
	if (state & 0x10)
		return FXT_THREAD_DEAD;
	if (state & 0x20)
		return FXT_THREAD_DYING;
	if (state & (0x04 | 0x08 | 0x40))
		return FXT_THREAD_SUSPENDED;
	if (state & (0x01 | 0x02 | 0x80))
		return FXT_THREAD_BLOCKED;
	return FXT_THREAD_NEW;
}

/**
 * kernel_softirq() - return the name of a softirq
 * @vector: number of the softirq
 *
 * Return: name of the softirq, or "softirq" if the number is unknown.
 */
const char *kernel_softirq(int64_t vector)
{
	return vector >= 0 && vector < KERNEL_SOFTIRQS ?
		       kernel_softirqs[vector] : "softirq";
}

/**
 * kernel_is_ipi() - check whether an x86 vector is an inter-processor interrupt
 * @name: name of the vector
 *
 * Return: true if it belongs to the category "ipi", false if to "irq".
 */
bool kernel_is_ipi(const struct vitrine_fxt_string *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(ipis) / sizeof(ipis[0]); i++)
		if (fxt_string_is(name, ipis[i]))
			return true;
	return false;
}

/**
 * kernel_skip_prefix() - split the prefix off the name of an event
 * @name: the name
 * @prefix: the prefix
 * @ret: rest of the name; not changed if @name begins otherwise
 *
 * Return: true if @name begins with @prefix.
 */
bool kernel_skip_prefix(const char *name, const char *prefix, const char **ret)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len))
		return false;
	*ret = name + len;
	return true;
}
