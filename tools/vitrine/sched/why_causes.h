/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Causes of the waits of each thread, summed up in one hash table of bounded size.
 */
#ifndef _VITRINE_WHY_CAUSES_H
#define _VITRINE_WHY_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

/**
 * enum why_cause_kind - kind of a cause, which determines the meaning of its number
 * @WHY_BLOCKED_SYSCALL: blocked in a system call; text number of its name
 * @WHY_BLOCKED_STACK: blocked at a kernel stack; text number of the stack
 * @WHY_BLOCKED_DISK: blocked until a disk completed a request; text number of its name
 * @WHY_WOKEN_BY_THREAD: woken by a thread; its koid, 0 if the CPU was idle
 * @WHY_WOKEN_BY_INTERRUPT: woken in an interrupt; text number of its name
 * @WHY_BEHIND_THREAD: runnable while a thread ran; its koid, 0 if the CPU was idle
 * @WHY_BEHIND_INTERRUPT: runnable while an interrupt was served; text number of its name
 * @WHY_NR_KINDS: number of kinds
 */
enum why_cause_kind {
	WHY_BLOCKED_SYSCALL,
	WHY_BLOCKED_STACK,
	WHY_BLOCKED_DISK,
	WHY_WOKEN_BY_THREAD,
	WHY_WOKEN_BY_INTERRUPT,
	WHY_BEHIND_THREAD,
	WHY_BEHIND_INTERRUPT,
	WHY_NR_KINDS,
};

/**
 * struct why_cause - waits of a thread with the same cause
 * @thread: koid of the thread that waited
 * @number: identifies the cause; the meaning depends on @kind
 * @sum_ns: total time of the waits
 * @nr: number of waits
 * @kind: enum why_cause_kind
 * @priority: priority of the thread that ran meanwhile, 0 if unknown
 */
struct why_cause {
	uint64_t thread;
	uint64_t number;
	uint64_t sum_ns;
	uint64_t nr;
	uint8_t kind;
	uint8_t priority;
};

/**
 * struct why_causes - causes of all threads; empty if zeroed
 * @causes: the causes, unordered until why_causes_sort()
 * @nr: number of @causes
 * @hash: hash table of @causes; number 1 is the first one
 * @nr_left_out: number of waits for whose cause there was no room
 */
struct why_causes {
	struct why_cause *causes;
	uint32_t nr;
	struct hash hash;
	uint64_t nr_left_out;
};

bool why_causes_add(struct why_causes *causes, const struct why_cause *cause);
void why_causes_sort(struct why_causes *causes);
size_t why_causes_of(const struct why_causes *causes, uint64_t thread,
		     enum why_cause_kind kind, const struct why_cause **ret);
void why_causes_deinit(struct why_causes *causes);

#endif /* _VITRINE_WHY_CAUSES_H */
