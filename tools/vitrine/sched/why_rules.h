/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the time of a thread is spent on, by kinds, and the rules that tell the kind of a wait from
 * its evidence. Documentation/why.rst explains them.
 */
#ifndef _VITRINE_WHY_RULES_H
#define _VITRINE_WHY_RULES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum why_kind - what the time of a thread is spent on
 * @WHY_RUNNING: running on a CPU
 * @WHY_CPU: waiting for a CPU
 * @WHY_THROTTLED: kept from a CPU by the limit of a cgroup
 * @WHY_LOCK: waiting for a lock, of the kernel or of a program
 * @WHY_DISK: waiting for a disk
 * @WHY_MEMORY: waiting for memory: a page fault, reclaim, swap
 * @WHY_THREAD: waiting for another thread, by a pipe, a socket or a condition variable
 * @WHY_OUTSIDE: waiting for the network, or for a device
 * @WHY_SLEEP: sleeping of its own accord
 * @WHY_CHILD: waiting for a child, or for a thread to end
 * @WHY_WORK: waiting for work: idle
 * @WHY_UNKNOWN: not known
 * @WHY_KINDS: number of kinds
 */
enum why_kind {
	WHY_RUNNING,
	WHY_CPU,
	WHY_THROTTLED,
	WHY_LOCK,
	WHY_DISK,
	WHY_MEMORY,
	WHY_THREAD,
	WHY_OUTSIDE,
	WHY_SLEEP,
	WHY_CHILD,
	WHY_WORK,
	WHY_UNKNOWN,
	WHY_KINDS,
};

/* What threads wait for in the system calls that wait for many files, in words. */
#define WHY_EVENT	"an event"
/* The same in futex(2), if no function of the program is known. */
#define WHY_FUTEX	"a lock (futex)"

/**
 * enum why_end - what ended a wait
 * @WHY_END_ANY: of a rule: any of them, or none that is known
 * @WHY_END_THREAD: a thread; of a wait, one of the kernel
 * @WHY_END_PROGRAM: a thread of a program
 * @WHY_END_TIMER: the interrupt of a timer
 * @WHY_END_DEVICE: any other interrupt
 * @WHY_END_INTERRUPT: an interrupt; of a wait, one of which the trace does not tell more
 * @WHY_END_UNKNOWN: not known
 * @WHY_END_NONE: it has not ended
 */
enum why_end {
	WHY_END_ANY,
	WHY_END_THREAD,
	WHY_END_PROGRAM,
	WHY_END_TIMER,
	WHY_END_DEVICE,
	WHY_END_INTERRUPT,
	WHY_END_UNKNOWN,
	WHY_END_NONE,
};

/**
 * struct why_evidence - what a trace shows of a wait
 * @stack: kernel stack, frames separated by semicolons, outermost first; or ""
 * @user: user stack; or ""
 * @syscall: name of the system call; or ""
 * @end: what ended the wait
 * @io: it waited for a request to a disk, or the kernel counts it as waiting for I/O
 */
struct why_evidence {
	const char *stack;
	const char *user;
	const char *syscall;
	enum why_end end;
	bool io;
};

/**
 * struct why_rule - a rule; it applies if all of its members do that are set
 * @kind: the kind of the wait
 * @what: what it is in words; NULL: the kind in words, and the function that waits
 * @stack: patterns of functions, separated by spaces, of which the kernel stack has one
 * @innermost: patterns of functions, of which one has called the scheduler
 * @user: patterns of functions of which the user stack has one
 * @caller: patterns of functions of which it has one, too
 * @syscall: patterns of system calls, which replace @stack if there is no kernel stack
 * @end: what ended the wait
 * @io: the wait was for I/O
 */
struct why_rule {
	enum why_kind kind;
	const char *what;
	const char *stack;
	const char *innermost;
	const char *user;
	const char *caller;
	const char *syscall;
	enum why_end end;
	bool io;
};

const struct why_rule *why_rule_find(const struct why_evidence *evidence);
bool why_rule_has(const struct why_rule *rule, const char *frame, size_t len);

#endif /* _VITRINE_WHY_RULES_H */
