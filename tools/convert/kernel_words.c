// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's priorities, states and softirqs in a Fuchsia trace. Pure.
 */
#include "fxt.h"
#include "kernel_words.h"

const char * const kernel_softirqs[KERNEL_SOFTIRQS] = {
	"softirq HI", "softirq TIMER", "softirq NET_TX", "softirq NET_RX",
	"softirq BLOCK", "softirq IRQ_POLL", "softirq TASKLET",
	"softirq SCHED", "softirq HRTIMER", "softirq RCU",
};

/**
 * kernel_priority() - a thread's priority
 * @tid: the thread
 * @prio: its priority, that of normal threads being 120
 *
 * Return: the priority of a switch record: 0 is idle's alone.
 */
unsigned int kernel_priority(int64_t tid, int64_t prio)
{
	if (!tid)
		return 0;
	return prio < 1 ? 1 : prio > 255 ? 255 : prio;
}

/**
 * kernel_state() - the state of a thread that goes out
 * @state: bits of the kernel's states, as the tracepoint has them
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
 * kernel_softirq() - what a softirq is called
 * @vector: its number
 *
 * Return: its name; of a number no kernel has, "softirq".
 */
const char *kernel_softirq(int64_t vector)
{
	return vector >= 0 && vector < KERNEL_SOFTIRQS ?
		       kernel_softirqs[vector] : "softirq";
}
