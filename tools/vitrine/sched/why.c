// SPDX-License-Identifier: GPL-2.0
/*
 * Follow the records of a trace to find out why threads waited. why.h describes how.
 */
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "archive.h"
#include "error.h"
#include "fxt.h"
#include "grow.h"
#include "ui/label.h"
#include "why.h"

/* Maximum number of CPUs with a history, which takes 8 KiB each. */
#define MAX_HISTORIES	2048

/* Maximum nesting depth of interrupts that is followed. */
#define NR_NESTED	4

#define STACKS_CATEGORY	"stacks"
#define SYSCALL_CATEGORY "syscall"
#define BLOCK_CATEGORY	"block"

/* Kernel threads belong to this process. */
#define KTHREADD	2

/**
 * struct why_chain - how a thread was woken; exists until the thread ends
 * @before: previous wakeup of the thread
 * @links: link of the last wakeup, followed by the links of the wakers
 * @nr_links: number of @links in use
 * @is_cut: the chain is longer than @links
 * @pending: blocked parts of waits whose user stack may still follow
 * @nr_pending: number of @pending in use
 */
struct why_chain {
	struct why_link before;
	struct why_link links[WHY_LINKS];
	unsigned int nr_links;
	bool is_cut;
	struct why_blocked pending[WHY_PENDING];
	unsigned int nr_pending;
};

/**
 * struct why_thread - data about a thread
 * @totals: totals of its waits
 * @is_wanted: the filter selects the thread
 * @is_kernel: the thread is a kernel thread
 * @is_linked: the first link of @chain belongs to the current wait
 * @is_recorded: the current wait has an event "blocked", from which the next members are
 * @io_wait: the thread waited for I/O
 * @stack: text number of the kernel stack
 * @syscall: text number of the system call
 * @blocked_ns: how long the thread was blocked
 * @priority: as in the last switch record
 * @in_syscall: text number of the current system call, from the category "syscall"
 * @syscall_end_ns: end of this system call
 * @held: an event "runnable" of the current wait names @holder
 * @holder: koid of the thread that had the CPU
 * @last_id: number of the last wait
 * @still_ns: time of an event which says that the thread is still blocked, 0 if there is none
 * @chain: how the thread was woken, NULL if unknown
 */
struct why_thread {
	struct why_totals totals;
	bool is_wanted;
	bool is_kernel;
	bool is_linked;
	bool is_recorded;
	bool io_wait;
	bool held;
	uint8_t priority;
	uint32_t stack;
	uint32_t syscall;
	uint32_t in_syscall;
	uint64_t blocked_ns;
	uint64_t syscall_end_ns;
	uint64_t holder;
	uint64_t last_id;
	uint64_t still_ns;
	struct why_chain *chain;
};

/* An interrupt that may still be in progress. */
struct why_nested {
	uint64_t end_ns;
	uint32_t name;
};

/**
 * struct why_cpu - recent history of a CPU
 * @turns: turns of threads; between them the CPU was idle, or its thread is unknown
 * @interrupts: interrupts that the CPU served
 * @nested: last interrupts that began, a circular buffer
 * @nr_nested: number of interrupts so far
 * @completed: last request to a disk that the CPU completed since its last switch
 * @since_ns: begin of @turns; a gap in the trace moves it to the end of the gap
 * @nr_left_out: last value of the CPU's counter of long waits that were left out
 */
struct why_cpu {
	struct why_history turns;
	struct why_history interrupts;
	struct why_nested nested[NR_NESTED];
	unsigned int nr_nested;
	struct why_request completed;
	uint64_t since_ns;
	uint64_t nr_left_out;
};

/* ---- Threads and CPUs ---------------------------------------------------- */

/* Return the data about a thread, allocated if necessary, or NULL: no memory. */
static struct why_thread *owner_of(struct why *why, struct sched_thread *thread)
{
	struct why_thread *owner = thread->owner;

	if (owner)
		return owner;
	owner = calloc(1, sizeof(*owner));
	if (!owner) {
		why->failed = true;
		return NULL;
	}
	owner->is_wanted = record_filter_match_thread(why->filter,
						      why->sched.archive,
						      &thread->id);
	owner->is_kernel = record_process(why->sched.archive, &thread->id) ==
			   KTHREADD;
	thread->owner = owner;
	return owner;
}

/* Find the thread that an event is about; NULL: no memory. */
static struct why_thread *subject_of(struct why *why,
				     const struct vitrine_fxt_record *record,
				     struct sched_thread **ret)
{
	*ret = sched_thread_get(&why->sched, &record->event.thread);
	if (!*ret) {
		why->failed = true;
		return NULL;
	}
	return owner_of(why, *ret);
}

/* Return the history of a CPU, or NULL if memory is short or there are too many CPUs. */
static struct why_cpu *cpu_of(struct why *why, uint32_t number)
{
	const struct sched_cpu *cpu;

	if (number < why->nr_cpus && why->cpus[number])
		return why->cpus[number];
	/* sched_state.c bounds the number of CPUs. */
	if (number >= why->sched.nr_cpus || why->nr_histories >= MAX_HISTORIES)
		return NULL;
	if (!GROW_TO(why->cpus, why->nr_cpus, number))
		return NULL;
	why->cpus[number] = calloc(1, sizeof(**why->cpus));
	if (!why->cpus[number])
		return NULL;
	why->cpus[number]->since_ns = why->sched.now_ns;
	cpu = why->sched.cpus[number];
	if (cpu && why->cpus[number]->since_ns < cpu->begin_ns)
		why->cpus[number]->since_ns = cpu->begin_ns;
	why->nr_histories++;
	return why->cpus[number];
}

/* Return the id that stands for a thread in results, the same for all that were not recorded. */
static uint64_t number_of(uint64_t koid)
{
	return fxt_is_others(koid) ? FXT_OTHERS_THREAD(0) : koid;
}

/* ---- Use of a CPU --------------------------------------------------------- */

static void find_shares(struct why *why, const struct why_thread *owner,
			struct why_wait *wait)
{
	const struct why_cpu *cpu = cpu_of(why, wait->cpu);
	uint64_t begin_ns = wait->end_ns - wait->ready_ns;

	if (!wait->ready_ns)
		return;
	if (cpu) {
		why_shares_find_turns(&wait->behind, &cpu->turns, cpu->since_ns,
				      begin_ns, wait->end_ns);
		why_shares_find(&wait->interrupts, &cpu->interrupts, begin_ns,
				wait->end_ns);
	} else {
		wait->behind.unknown_ns = wait->ready_ns;
	}
	if (owner->held && wait->behind.unknown_ns == wait->ready_ns) {
		wait->behind = (struct why_shares){
			.shares = { { owner->holder, wait->ready_ns, 0 } },
			.nr = 1,
		};
	}
}

/* ---- Worst waits ---------------------------------------------------------- */

static uint64_t length_of(const struct why_wait *wait)
{
	return wait->blocked_ns + wait->ready_ns;
}

/* Order waits from worst to least; of two waits of the same length the earlier is worse. */
static int compare_waits(const struct why_wait *a, const struct why_wait *b)
{
	uint64_t a_ns = length_of(a), b_ns = length_of(b);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_worst(const void *left, const void *right)
{
	return compare_waits(left, right);
}

/* Replace the root of the heap, which is the least of the worst waits, by @wait. */
static void sink(struct why *why, const struct why_wait *wait)
{
	struct why_wait *heap = why->worst;
	size_t child, at = 0;

	for (; (child = 2 * at + 1) < why->nr_worst; at = child) {
		if (child + 1 < why->nr_worst &&
		    compare_waits(&heap[child + 1], &heap[child]) > 0)
			child++;
		if (compare_waits(&heap[child], wait) < 0)
			break;
		heap[at] = heap[child];
	}
	heap[at] = *wait;
}

static void rise(struct why *why, const struct why_wait *wait)
{
	struct why_wait *heap = why->worst;
	size_t at = why->nr_worst++;

	for (; at && compare_waits(wait, &heap[(at - 1) / 2]) > 0;
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = *wait;
}

static void add_worst(struct why *why, const struct why_wait *wait)
{
	if (why->nr_worst < why->max_worst)
		rise(why, wait);
	else if (why->max_worst && compare_waits(wait, &why->worst[0]) < 0)
		sink(why, wait);
}

/* Find one of the worst waits by its number; NULL: it is not among them. */
static struct why_wait *find_worst(struct why *why, uint64_t id)
{
	size_t i;

	for (i = 0; i < why->nr_worst; i++)
		if (why->worst[i].id == id)
			return &why->worst[i];
	return NULL;
}

/* ---- Causes --------------------------------------------------------------- */

static void count(struct why *why, const struct why_wait *wait,
		  enum why_cause_kind kind, const struct why_share *share)
{
	const struct why_cause cause = {
		.thread = wait->thread.thread,
		.number = share->number,
		.sum_ns = share->ns,
		.nr = 1,
		.kind = kind,
		.priority = share->priority,
	};

	if (!why_causes_add(&why->causes, &cause))
		why->failed = true;
}

static void count_link(struct why *why, const struct why_wait *wait)
{
	const struct why_link *link = &wait->links[0];
	struct why_share share = { .ns = wait->blocked_ns };

	share.number = link->syscall;
	if (link->syscall)
		count(why, wait, WHY_BLOCKED_SYSCALL, &share);
	share.number = link->stack;
	if (link->stack)
		count(why, wait, WHY_BLOCKED_STACK, &share);
	share.number = link->request.disk;
	if (link->request.disk)
		count(why, wait, WHY_BLOCKED_DISK, &share);
	share.number = link->waker.interrupt;
	if (link->waker.interrupt) {
		count(why, wait, WHY_WOKEN_BY_INTERRUPT, &share);
		return;
	}
	share.number = link->waker.thread;
	if (link->waker.known)
		count(why, wait, WHY_WOKEN_BY_THREAD, &share);
}

static void count_shares(struct why *why, const struct why_wait *wait)
{
	unsigned int i;

	for (i = 0; i < wait->behind.nr; i++)
		count(why, wait, WHY_BEHIND_THREAD, &wait->behind.shares[i]);
	for (i = 0; i < wait->interrupts.nr; i++)
		count(why, wait, WHY_BEHIND_INTERRUPT,
		      &wait->interrupts.shares[i]);
}

/* ---- User stacks ---------------------------------------------------------- */

static void tell_blocked(struct why *why, const struct sched_thread *thread,
			 const struct why_blocked *blocked, uint32_t user_stack)
{
	if (why->ops && why->ops->blocked &&
	    !why->ops->blocked(why->ctx, thread, blocked, user_stack))
		why->failed = true;
}

static void tell_pending(struct why *why, const struct sched_thread *thread,
			 struct why_chain *chain, uint32_t user_stack)
{
	struct why_wait *worst;
	unsigned int i;

	for (i = 0; i < chain->nr_pending; i++) {
		tell_blocked(why, thread, &chain->pending[i], user_stack);
		worst = user_stack ? find_worst(why, chain->pending[i].id) :
				     NULL;
		if (worst)
			worst->user_stack = user_stack;
	}
	chain->nr_pending = 0;
}

/* Report the pending waits of a thread, for which no user stack can follow any more. */
static void end_pending(struct why *why, const struct sched_thread *thread)
{
	const struct why_thread *owner = thread->owner;

	if (owner->chain)
		tell_pending(why, thread, owner->chain, WHY_TEXT_NONE);
}

/* Report a wait; if it was recorded, defer the blocked part, as a user stack may follow. */
static void tell_wait(struct why *why, const struct sched_thread *thread,
		      const struct why_wait *wait)
{
	const struct why_thread *owner = thread->owner;
	struct why_chain *chain = owner->chain;
	const struct why_blocked blocked = {
		.id = wait->id,
		.ns = wait->blocked_ns,
		.is_still = wait->is_still,
		.syscall = wait->nr_links ? wait->links[0].syscall : 0,
		.stack = wait->nr_links ? wait->links[0].stack : 0,
	};

	if (wait->ready_ns && why->ops && why->ops->runnable &&
	    !why->ops->runnable(why->ctx, thread, wait))
		why->failed = true;
	if (!wait->blocked_ns)
		return;
	if (!wait->is_recorded) {
		tell_blocked(why, thread, &blocked, WHY_TEXT_NONE);
		return;
	}
	if (chain->nr_pending == WHY_PENDING)
		tell_pending(why, thread, chain, WHY_TEXT_NONE);
	chain->pending[chain->nr_pending++] = blocked;
}

/* ---- Wakeups -------------------------------------------------------------- */

/* Return the innermost interrupt that a CPU is serving, or WHY_TEXT_NONE. */
static uint32_t interrupt_on(struct why *why, uint32_t number)
{
	const struct why_cpu *cpu = cpu_of(why, number);
	const struct why_nested *nested;
	unsigned int i;

	for (i = 1; cpu && i <= NR_NESTED && i <= cpu->nr_nested; i++) {
		nested = &cpu->nested[(cpu->nr_nested - i) % NR_NESTED];
		if (nested->end_ns >= why->sched.now_ns)
			return nested->name;
	}
	return WHY_TEXT_NONE;
}

static struct why_waker waker_of(struct why *why,
				 const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "waker");
	struct why_waker waker = {
		.cpu = record->cpu,
		.interrupt = interrupt_on(why, record->cpu),
	};
	const struct sched_cpu *cpu = NULL;

	if (record->cpu < why->sched.nr_cpus)
		cpu = why->sched.cpus[record->cpu];
	if (arg && arg->type == FXT_ARG_KOID) {
		waker.known = true;
		waker.thread = number_of(arg->value.uint64);
	} else if (cpu && cpu->known) {
		waker.known = true;
		waker.thread = cpu->running ? number_of(cpu->running->id.thread) : 0;
	}
	return waker;
}

/* Return the system call that a thread is in, or WHY_TEXT_NONE. */
static uint32_t syscall_of(const struct why_thread *owner, uint64_t now_ns)
{
	if (owner->syscall)
		return owner->syscall;
	return owner->in_syscall && owner->syscall_end_ns >= now_ns ?
	       owner->in_syscall : WHY_TEXT_NONE;
}

/* Return the request to a disk that ended the wait of a thread for I/O, if it is known. */
static struct why_request request_of(struct why *why,
				     const struct why_thread *owner,
				     const struct why_waker *waker,
				     uint64_t begin_ns)
{
	const struct why_cpu *cpu = NULL;

	if (owner->io_wait && (waker->known || waker->interrupt))
		cpu = cpu_of(why, waker->cpu);
	if (!cpu || cpu->completed.end_ns < begin_ns)
		return (struct why_request){ 0 };
	return cpu->completed;
}

/* Append a copy of the waker's current links to the thread's own link. */
static void extend(struct why *why, struct why_chain *chain)
{
	const struct why_waker *waker = &chain->links[0].waker;
	const struct sched_thread *thread;
	const struct why_thread *owner;
	unsigned int nr;

	chain->nr_links = 1;
	chain->is_cut = false;
	if (!waker->known || !waker->thread || waker->interrupt ||
	    fxt_is_others(waker->thread) || waker->thread == chain->links[0].thread)
		return;
	thread = sched_thread_find(&why->sched, waker->thread);
	owner = thread ? thread->owner : NULL;
	if (!owner || !owner->chain)
		return;
	nr = owner->chain->nr_links;
	chain->is_cut = owner->chain->is_cut || nr == WHY_LINKS;
	if (nr == WHY_LINKS)
		nr--;
	memcpy(chain->links + 1, owner->chain->links,
	       nr * sizeof(*chain->links));
	chain->nr_links += nr;
}

/* Start a new chain for a thread that was blocked until now, when @waker woke it. */
static void add_link(struct why *why, struct sched_thread *thread,
		     uint64_t blocked_ns, const struct why_waker *waker)
{
	struct why_thread *owner = owner_of(why, thread);
	uint64_t now_ns = why->sched.now_ns;
	struct why_chain *chain;

	if (!owner)
		return;
	if (!owner->chain)
		owner->chain = calloc(1, sizeof(*owner->chain));
	chain = owner->chain;
	if (!chain) {
		why->failed = true;
		return;
	}
	chain->before = chain->nr_links ? chain->links[0] :
					  (struct why_link){ 0 };
	/* Switches give the exact time; after a gap, only the event "blocked" has one. */
	if (!blocked_ns && owner->is_recorded)
		blocked_ns = owner->blocked_ns < now_ns ? owner->blocked_ns :
							  now_ns;
	chain->links[0] = (struct why_link){
		.thread = thread->id.thread,
		.begin_ns = now_ns - blocked_ns,
		.end_ns = now_ns,
		.waker = *waker,
		.syscall = syscall_of(owner, now_ns),
		.stack = owner->stack,
		.io_wait = owner->io_wait,
		.request = request_of(why, owner, waker, now_ns - blocked_ns),
	};
	extend(why, chain);
	owner->is_linked = true;
}

static void on_wakeup(void *ctx, struct sched_thread *thread)
{
	struct why *why = ctx;
	const struct why_waker waker = waker_of(why, why->record);

	add_link(why, thread, thread->blocked_ns, &waker);
}

/* ---- Waits ---------------------------------------------------------------- */

static void fill_links(const struct why_thread *owner, struct why_wait *wait)
{
	struct why_chain *chain = owner->chain;

	if (!owner->is_linked)
		return;
	chain->links[0].ready_ns = wait->ready_ns;
	wait->blocked_ns = chain->links[0].end_ns - chain->links[0].begin_ns;
	wait->before = chain->before;
	wait->nr_links = chain->nr_links;
	wait->is_cut = chain->is_cut;
	memcpy(wait->links, chain->links,
	       wait->nr_links * sizeof(*wait->links));
}

/*
 * Drop the blocked part of a kernel thread's wait unless it was requested or recorded: a
 * kernel thread that waits for work is normal. Its runnable part is always of interest.
 */
static void forget_idleness(struct why *why, const struct why_thread *owner,
			    struct why_wait *wait)
{
	if (!owner->is_kernel || wait->is_recorded || why->filter->nr_threads ||
	    why->filter->nr_processes)
		return;
	wait->blocked_ns = 0;
	wait->nr_links = 0;
}

static void count_wait(struct why *why, struct why_thread *owner,
		       struct why_wait *wait)
{
	struct why_totals *totals = &owner->totals;

	totals->nr++;
	totals->blocked_ns += wait->blocked_ns;
	totals->ready_ns += wait->ready_ns;
	why->nr_waits++;
	why->nr_stacks += wait->nr_links && wait->links[0].stack;
	if (wait->blocked_ns && wait->nr_links)
		count_link(why, wait);
	count_shares(why, wait);
	forget_idleness(why, owner, wait);
	if (length_of(wait) > totals->max_ns)
		totals->max_ns = length_of(wait);
	if (length_of(wait))
		add_worst(why, wait);
}

static void end_wait(struct why *why, struct sched_thread *thread,
		     struct why_thread *owner)
{
	const struct sched_turn *turn = &thread->turn;
	struct why_wait wait = {
		.id = ++why->nr_ids,
		.thread = thread->id,
		.cpu = turn->cpu,
		.end_ns = turn->begin_ns,
		.blocked_ns = turn->blocked_ns,
		.ready_ns = turn->ready_ns,
		.is_preempted = turn->waited == SCHED_PREEMPTED,
		.is_recorded = owner->is_recorded,
		.priority = owner->priority,
	};

	owner->last_id = wait.id;
	fill_links(owner, &wait);
	if (!length_of(&wait) || !owner->is_wanted ||
	    !sched_counts(&why->sched, wait.end_ns))
		return;
	find_shares(why, owner, &wait);
	tell_wait(why, thread, &wait);
	count_wait(why, owner, &wait);
}

/* After a switch, the CPU does something else than to complete a request. */
static void forget_completed(struct why *why, uint32_t number)
{
	struct why_cpu *cpu = cpu_of(why, number);

	if (cpu)
		cpu->completed = (struct why_request){ 0 };
}

static void on_begin(void *ctx, struct sched_thread *thread)
{
	struct why *why = ctx;
	struct why_thread *owner = owner_of(why, thread);
	const struct vitrine_fxt_record *record = why->record;
	uint8_t priority;

	if (!owner)
		return;
	priority = fxt_incoming_priority(record);
	if (priority)
		owner->priority = priority;
	/* The trace does not contain the wakeup. */
	if (!owner->is_linked &&
	    (thread->turn.blocked_ns || owner->is_recorded))
		add_link(why, thread, thread->turn.blocked_ns,
			 &(struct why_waker){ 0 });
	if (!why->failed)
		end_wait(why, thread, owner);
	owner->is_linked = false;
	owner->is_recorded = false;
	owner->io_wait = false;
	owner->held = false;
	owner->still_ns = 0;
	owner->stack = WHY_TEXT_NONE;
	owner->syscall = WHY_TEXT_NONE;
	forget_completed(why, thread->turn.cpu);
}

/*
 * Count the wait of a thread that was still blocked at the end of the trace. A thread that was
 * blocked before the trace began, as most daemons are, is left out unless it was selected.
 */
static void end_still(struct why *why, struct sched_thread *thread,
		      struct why_thread *owner)
{
	uint64_t now_ns = why->sched.now_ns, blocked_ns;
	struct why_wait wait = {
		.id = ++why->nr_ids,
		.thread = thread->id,
		.end_ns = now_ns,
		.is_still = true,
		.is_recorded = true,
		.priority = owner->priority,
	};

	blocked_ns = owner->blocked_ns + (now_ns - owner->still_ns);
	if (!owner->is_wanted || owner->is_linked || !sched_counts(&why->sched, now_ns) ||
	    (blocked_ns > now_ns - why->sched.begin_ns && !why->filter->nr_threads &&
	     !why->filter->nr_processes))
		return;
	if (blocked_ns > now_ns)
		blocked_ns = now_ns;
	add_link(why, thread, blocked_ns, &(struct why_waker){ 0 });
	if (why->failed)
		return;
	fill_links(owner, &wait);
	tell_wait(why, thread, &wait);
	count_wait(why, owner, &wait);
}

static void bury(struct why *why, struct sched_thread *thread,
		 struct why_thread *owner)
{
	end_pending(why, thread);
	free(owner->chain);
	owner->chain = NULL;
	owner->is_linked = false;
}

static void on_end(void *ctx, struct sched_thread *thread)
{
	struct why *why = ctx;
	const struct sched_turn *turn = &thread->turn;
	struct why_thread *owner = owner_of(why, thread);
	struct why_cpu *cpu = cpu_of(why, turn->cpu);

	if (!owner)
		return;
	if (cpu)
		why_history_add(&cpu->turns, &(struct why_span){
			.begin_ns = turn->begin_ns,
			.end_ns = turn->end_ns,
			.number = number_of(thread->id.thread),
			.priority = fxt_is_others(thread->id.thread) ? 0 : owner->priority,
		});
	forget_completed(why, turn->cpu);
	if (owner->is_wanted && why->ops && why->ops->ran &&
	    sched_counts(&why->sched, turn->end_ns) &&
	    !why->ops->ran(why->ctx, thread))
		why->failed = true;
	if (turn->after == SCHED_DEAD)
		bury(why, thread, owner);
}

static void on_gap(void *ctx, uint32_t number, uint64_t begin_ns,
		   uint64_t end_ns)
{
	struct why *why = ctx;
	uint32_t i;

	for (i = 0; i < why->nr_cpus; i++)
		if (why->cpus[i] && (i == number || number == SCHED_ALL_CPUS) &&
		    why->cpus[i]->since_ns < end_ns)
			why->cpus[i]->since_ns = end_ns;
}

static void on_interrupt(void *ctx, const struct sched_interrupt *interrupt)
{
	struct why *why = ctx;
	struct why_cpu *cpu = cpu_of(why, interrupt->cpu);
	char label[LABEL_EVENT_BYTES];
	struct why_nested *nested;
	uint32_t name;

	if (!cpu)
		return;
	label_event(label, interrupt->record);
	if (!why_texts_add(&why->texts, label, strlen(label), &name)) {
		why->failed = true;
		return;
	}
	nested = &cpu->nested[cpu->nr_nested++ % NR_NESTED];
	nested->end_ns = interrupt->end_ns;
	nested->name = name;
	if (interrupt->alone_ns)
		why_history_add(&cpu->interrupts, &(struct why_span){
			.begin_ns = interrupt->end_ns - interrupt->alone_ns,
			.end_ns = interrupt->end_ns,
			.number = name,
		});
}

static const struct sched_ops ops = {
	.begin = on_begin,
	.end = on_end,
	.wakeup = on_wakeup,
	.gap = on_gap,
	.interrupt = on_interrupt,
};

/* ---- Events --------------------------------------------------------------- */

static uint64_t number_arg(const struct vitrine_fxt_record *record,
			   const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	if (!arg)
		return 0;
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_INT64:
		return arg->value.int64 > 0 ? arg->value.int64 : 0;
	case FXT_ARG_UINT32:
	case FXT_ARG_UINT64:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		return arg->value.uint64;
	case FXT_ARG_BOOL:
		return arg->value.boolean;
	default:
		return 0;
	}
}

static uint32_t stack_arg(struct why *why,
			  const struct vitrine_fxt_record *record,
			  bool (*add)(struct why_texts *texts, const char *bytes,
				      size_t len_bytes, uint32_t *ret))
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "stack");
	uint32_t text = WHY_TEXT_NONE;

	if (arg && arg->type == FXT_ARG_STRING_REF &&
	    !add(&why->texts, arg->value.string.bytes,
		 arg->value.string.len_bytes, &text))
		why->failed = true;
	return text;
}

/* Return the name of the system call, or "system call 74" if only its number is known. */
static uint32_t syscall_arg(struct why *why,
			    const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "syscall");
	struct vitrine_fxt_string name = { 0 };
	uint32_t text = WHY_TEXT_NONE;
	char number[48];

	if (!arg)
		return text;
	if (arg->type == FXT_ARG_STRING_REF) {
		name = arg->value.string;
	} else {
		name.len_bytes = sprintf(number, "system call %llu",
					 (unsigned long long)
					 number_arg(record, "syscall"));
		name.bytes = number;
	}
	if (!why_texts_add(&why->texts, name.bytes, name.len_bytes, &text))
		why->failed = true;
	return text;
}

static void follow_blocked(struct why *why,
			   const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;
	struct why_thread *owner = subject_of(why, record, &thread);

	if (!owner)
		return;
	owner->is_recorded = true;
	owner->blocked_ns = number_arg(record, "blocked_ns");
	owner->io_wait = number_arg(record, "io_wait");
	owner->still_ns = number_arg(record, "still") ? why->sched.now_ns : 0;
	owner->stack = stack_arg(why, record, why_texts_add_stack);
	owner->syscall = syscall_arg(why, record);
	/* In another system call, the thread was in user space since the pending waits. */
	if (owner->chain && owner->chain->nr_pending &&
	    owner->chain->pending[0].syscall != owner->syscall)
		end_pending(why, thread);
}

/* Process an event "runnable"; it may precede or follow the switch that ends the wait. */
static void follow_runnable(struct why *why,
			    const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;
	struct why_thread *owner = subject_of(why, record, &thread);
	struct why_wait *wait;

	if (!owner)
		return;
	owner->holder = number_of(number_arg(record, "holder_tid"));
	owner->held = thread->state != SCHED_RUNNING;
	if (owner->held)
		return;
	wait = find_worst(why, owner->last_id);
	if (!wait || wait->behind.unknown_ns < wait->ready_ns)
		return;
	wait->behind = (struct why_shares){
		.shares = { { owner->holder, wait->ready_ns, 0 } },
		.nr = 1,
	};
}

static void follow_user_stack(struct why *why,
			      const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;
	struct why_thread *owner = subject_of(why, record, &thread);
	uint32_t stack = stack_arg(why, record, why_texts_add_user_stack);

	if (owner && owner->chain)
		tell_pending(why, thread, owner->chain, stack);
}

/* Process a CPU's counter of the waits that the recorder left out to limit its rate. */
static void follow_left_out(struct why *why,
			    const struct vitrine_fxt_record *record)
{
	struct why_cpu *cpu = cpu_of(why, record->cpu);
	uint64_t nr = number_arg(record, "left_out");

	if (!cpu || nr <= cpu->nr_left_out)
		return;
	why->nr_left_out += nr - cpu->nr_left_out;
	cpu->nr_left_out = nr;
}

static void follow_stacks(struct why *why,
			  const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_COUNTER &&
	    fxt_string_is(&record->event.name, "stacks_left_out"))
		follow_left_out(why, record);
	if (record->event.type != FXT_EVENT_INSTANT)
		return;
	if (fxt_string_is(&record->event.name, "blocked"))
		follow_blocked(why, record);
	else if (fxt_string_is(&record->event.name, "runnable"))
		follow_runnable(why, record);
	else if (fxt_string_is(&record->event.name, "user stack"))
		follow_user_stack(why, record);
}

static void follow_syscall(struct why *why,
			   const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;
	struct why_thread *owner;

	if (record->event.type != FXT_EVENT_DURATION_COMPLETE &&
	    record->event.type != FXT_EVENT_DURATION_BEGIN &&
	    record->event.type != FXT_EVENT_DURATION_END)
		return;
	owner = subject_of(why, record, &thread);
	if (!owner)
		return;
	owner->in_syscall = WHY_TEXT_NONE;
	if (record->event.type == FXT_EVENT_DURATION_END)
		return;
	owner->syscall_end_ns = UINT64_MAX;
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		owner->syscall_end_ns =
			vitrine_fxt_ns(record->event.id,
				       record->ticks_per_second);
	if (!why_texts_add(&why->texts, record->event.name.bytes,
			   record->event.name.len_bytes, &owner->in_syscall))
		why->failed = true;
}

/* Return the index of a request in @requests. */
static size_t request_slot(uint64_t id)
{
	return (id * 0x9e3779b97f4a7c15ULL >> 32) % WHY_REQUESTS;
}

static void follow_issue(struct why *why,
			 const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *disk = fxt_find_arg(record, "disk");
	const struct vitrine_fxt_string *name = &record->event.name;
	struct why_request request = {
		.bytes = number_arg(record, "bytes"),
		.begin_ns = why->sched.now_ns,
	};
	size_t slot = request_slot(record->event.id);

	if (!disk || disk->type != FXT_ARG_STRING_REF)
		return;
	if (!why_texts_add(&why->texts, disk->value.string.bytes,
			   disk->value.string.len_bytes, &request.disk) ||
	    !why_texts_add(&why->texts, name->bytes, name->len_bytes,
			   &request.operation))
		why->failed = true;
	why->requests[slot] = request;
	why->request_ids[slot] = record->event.id;
}

static void follow_completion(struct why *why,
			      const struct vitrine_fxt_record *record)
{
	struct why_cpu *cpu = cpu_of(why, record->cpu);
	size_t slot = request_slot(record->event.id);

	if (!why->requests[slot].disk ||
	    why->request_ids[slot] != record->event.id)
		return;
	if (cpu) {
		cpu->completed = why->requests[slot];
		cpu->completed.end_ns = why->sched.now_ns;
	}
	why->requests[slot].disk = WHY_TEXT_NONE;
}

static void follow_block(struct why *why,
			 const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_ASYNC_BEGIN)
		follow_issue(why, record);
	else if (record->event.type == FXT_EVENT_ASYNC_END)
		follow_completion(why, record);
}

/**
 * why_follow() - process the next record
 * @why: state, after why_init()
 * @record: record, in order of time
 *
 * Return: false if there is no memory.
 */
bool why_follow(struct why *why, const struct vitrine_fxt_record *record)
{
	why->record = record;
	if (!sched_follow(&why->sched, record))
		return false;
	if (record->kind != VITRINE_FXT_EVENT)
		return !why->failed;
	if (fxt_string_is(&record->event.category, STACKS_CATEGORY))
		follow_stacks(why, record);
	else if (fxt_string_is(&record->event.category, SYSCALL_CATEGORY))
		follow_syscall(why, record);
	else if (fxt_string_is(&record->event.category, BLOCK_CATEGORY))
		follow_block(why, record);
	return !why->failed;
}

/* ---- Begin and end -------------------------------------------------------- */

/**
 * why_init() - begin to follow a trace
 * @why: state, zeroed except for @ops and @ctx
 * @archive: trace with the names of threads; must outlive @why
 * @filter: selected threads and time range; must outlive @why
 * @max_worst: number of longest waits to keep, at most WHY_MAX_WORST
 *
 * Return: false if there is no memory. The caller calls why_deinit() in either case.
 */
bool why_init(struct why *why, const struct vitrine_archive *archive,
	      const struct record_filter *filter, size_t max_worst)
{
	why->sched.ops = &ops;
	why->sched.ctx = why;
	why->sched.archive = archive;
	why->sched.filter = filter;
	why->sched.from_ns = filter->from_ns;
	why->sched.to_ns = filter->to_ns;
	why->filter = filter;
	why->max_worst = max_worst;
	why->worst = calloc(max_worst + 1, sizeof(*why->worst));
	return why->worst;
}

/* Compute the part of the trace that is in the requested time range. */
static void set_span(struct why *why)
{
	const struct sched *sched = &why->sched;

	why->begin_ns = sched->from_ns > sched->begin_ns ? sched->from_ns :
							   sched->begin_ns;
	why->end_ns = sched->to_ns < sched->now_ns ? sched->to_ns :
						     sched->now_ns;
	if (why->end_ns < why->begin_ns)
		why->end_ns = why->begin_ns;
}

/**
 * why_finish() - complete the pending waits and sort the results
 * @why: state, after the last record
 *
 * Return: false if there is no memory.
 */
bool why_finish(struct why *why)
{
	struct sched_thread *thread;
	struct why_thread *owner;
	size_t i = 0;

	sched_finish(&why->sched);
	set_span(why);
	while ((thread = sched_thread_next(&why->sched, &i))) {
		owner = owner_of(why, thread);
		if (owner && owner->still_ns)
			end_still(why, thread, owner);
		if (owner)
			end_pending(why, thread);
	}
	why_causes_sort(&why->causes);
	qsort(why->worst, why->nr_worst, sizeof(*why->worst), compare_worst);
	return !why->failed;
}

static enum archive_step follow(void *ctx, const struct vitrine_fxt_record *record)
{
	return why_follow(ctx, record) ? ARCHIVE_NEXT : ARCHIVE_NO_MEMORY;
}

/**
 * why_read() - follow all records of a trace, and call why_finish()
 * @why: state, after why_init()
 * @archive: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *why_read(struct why *why, struct vitrine_archive *archive)
{
	struct vitrine_error *err = archive_for_each(archive, follow, why);

	if (err)
		return err;
	return why_finish(why) ? NULL : vtr_error_no_memory();
}

/**
 * why_deinit() - free all data
 * @why: state; why_init() or a later function may have failed
 */
void why_deinit(struct why *why)
{
	struct sched_thread *thread;
	struct why_thread *owner;
	size_t i = 0;

	while ((thread = sched_thread_next(&why->sched, &i))) {
		owner = thread->owner;
		if (owner)
			free(owner->chain);
		free(owner);
	}
	for (i = 0; i < why->nr_cpus; i++)
		free(why->cpus[i]);
	free(why->cpus);
	free(why->worst);
	why_texts_deinit(&why->texts);
	why_causes_deinit(&why->causes);
	sched_deinit(&why->sched);
}

/* ---- Queries -------------------------------------------------------------- */

/**
 * why_wants() - check whether the filter selects a thread
 * @thread: a thread, after why_finish()
 *
 * Return: true if the thread is to be reported.
 */
bool why_wants(const struct sched_thread *thread)
{
	const struct why_thread *owner = thread->owner;

	return owner && owner->is_wanted;
}

/**
 * why_totals_of() - return the totals of the waits of a thread
 * @thread: a selected thread
 *
 * Return: the totals.
 */
const struct why_totals *why_totals_of(const struct sched_thread *thread)
{
	const struct why_thread *owner = thread->owner;

	return &owner->totals;
}

/**
 * why_chain() - return the length of the critical path of a wait
 * @wait: the wait
 *
 * A waker belongs to the critical path if it was itself blocked during @wait.
 *
 * Return: number of links of @wait on the critical path, including its own.
 */
unsigned int why_chain(const struct why_wait *wait)
{
	unsigned int nr = 0;

	while (nr < wait->nr_links &&
	       wait->links[nr].end_ns > wait->links[0].begin_ns)
		nr++;
	return nr;
}

static int compare_rows(const void *left, const void *right)
{
	const struct sched_thread *a = *(const struct sched_thread **)left;
	const struct sched_thread *b = *(const struct sched_thread **)right;
	uint64_t a_ns = why_totals_of(a)->max_ns;
	uint64_t b_ns = why_totals_of(b)->max_ns;

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return a->id.thread < b->id.thread ? -1 : a->id.thread > b->id.thread;
}

/**
 * why_rows() - list the threads that waited, ordered by their longest wait
 * @why: state, after why_finish()
 * @ret_nr: number of threads
 *
 * Return: an array that the caller frees, or NULL: no memory.
 */
const struct sched_thread **why_rows(const struct why *why, size_t *ret_nr)
{
	const struct sched_thread **rows;
	struct sched_thread *thread;
	size_t i = 0, nr = 0;

	rows = calloc(why->sched.threads.nr + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	while ((thread = sched_thread_next(&why->sched, &i)))
		if (why_wants(thread) && why_totals_of(thread)->nr)
			rows[nr++] = thread;
	qsort(rows, nr, sizeof(*rows), compare_rows);
	*ret_nr = nr;
	return rows;
}
