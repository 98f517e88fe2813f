// SPDX-License-Identifier: GPL-2.0
/*
 * Follow the records of a trace to find out why threads waited. why.h describes how.
 */
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "archive.h"
#include "command.h"
#include "ui/label.h"
#include "why.h"

/* Length of a history. */
#define WHY_SPANS		128

/**
 * struct why_span - a turn of a thread
 * @begin_ns: begin
 * @end_ns: end
 * @thread: the thread
 * @priority: priority of the thread as in a switch record, 0 if unknown
 */
struct why_span {
	uint64_t begin_ns;
	uint64_t end_ns;
	struct sched_thread *thread;
	uint8_t priority;
};

/**
 * struct why_history - the last spans of a CPU, ordered by their end; empty if zeroed
 * @spans: a circular buffer
 * @nr: number of all spans so far
 */
struct why_history {
	struct why_span spans[WHY_SPANS];
	uint64_t nr;
};

#define WHY_PENDING	8

/* A softirq that begins later after an interrupt is not due to it. */
#define WHY_SOFTIRQ_NS	10000

/* A thread that migrates so soon has not waited where it was. */
#define WHY_PLACED_NS		100000

/* Maximum number of CPUs with a history, which takes 4 KiB each. */
#define MAX_HISTORIES	2048

/* Maximum nesting depth of interrupts that is followed. */
#define NR_NESTED	4

#define STACKS_CATEGORY	"stacks"
#define SYSCALL_CATEGORY "syscall"
#define BLOCK_CATEGORY	"block"

/**
 * struct why_pending - blocked parts of waits whose user stack may still follow
 * @blocked: the parts
 * @nr: number of @blocked in use
 */
struct why_pending {
	struct why_blocked blocked[WHY_PENDING];
	unsigned int nr;
};

/**
 * struct why_queue - where a thread waits for a CPU, if it has migrated meanwhile
 * @behind: threads that ran where it waited before
 * @since_ns: when it came to the CPU where it waits now; 0: it has not migrated
 * @cpu: CPU where it has waited longest
 * @longest_ns: for how long
 */
struct why_queue {
	struct why_shares behind;
	uint64_t since_ns;
	uint32_t cpu;
	uint64_t longest_ns;
};

/**
 * struct why_thread - data about a thread
 * @is_wanted: the filter selects the thread
 * @is_woken: @blocked is of the current wait
 * @is_recorded: the current wait has an event "blocked", from which the next members are
 * @io_wait: the thread waited for I/O
 * @stack: text number of the kernel stack
 * @syscall: text number of the system call
 * @blocked_ns: how long the thread was blocked
 * @serves_interrupts: the thread stands for the devices whose interrupts it serves
 * @priority: as in the last switch record
 * @in_syscall: text number of the current system call, from the category "syscall"
 * @syscall_end_ns: end of this system call
 * @still_ns: time of an event which says that the thread is still blocked, 0 if there is none
 * @blocked: blocked part of its last wait
 * @pending: allocated when the first wait is recorded, until the thread ends
 * @queue: allocated when it first migrates while it waits for a CPU, until the thread ends
 */
struct why_thread {
	bool is_wanted;
	bool is_woken;
	bool is_recorded;
	bool io_wait;
	bool serves_interrupts;
	uint8_t priority;
	uint32_t stack;
	uint32_t syscall;
	uint32_t in_syscall;
	uint64_t blocked_ns;
	uint64_t syscall_end_ns;
	uint64_t still_ns;
	struct why_blocked blocked;
	struct why_pending *pending;
	struct why_queue *queue;
};

/**
 * struct why_nested - an interrupt that may still be in progress
 * @end_ns: its end
 * @name: text number of its name, WHY_TEXT_NONE if a thread serves it on its own behalf
 */
struct why_nested {
	uint64_t end_ns;
	uint32_t name;
};

/**
 * struct why_cpu - recent history of a CPU
 * @turns: turns of threads; between them the CPU was idle, or its thread is unknown
 * @nested: last interrupts that began, a circular buffer
 * @nr_nested: number of interrupts so far
 * @interrupted_ns: end of the last one that is no softirq
 * @completed: last request to a disk that the CPU completed since its last switch
 * @since_ns: begin of @turns; a gap in the trace moves it to the end of the gap
 * @nr_left_out: last value of the CPU's counter of long waits that were left out
 */
struct why_cpu {
	struct why_history turns;
	struct why_nested nested[NR_NESTED];
	unsigned int nr_nested;
	uint64_t interrupted_ns;
	struct why_request completed;
	uint64_t since_ns;
	uint64_t nr_left_out;
};

struct why why;

/* ---- Shares of a CPU --------------------------------------------------- */

/* Remember a span. */
static void why_history_add(struct why_history *history, const struct why_span *span)
{
	history->spans[history->nr++ % WHY_SPANS] = *span;
}

static void add_share(struct why_shares *shares, const struct why_span *span, uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < shares->nr; i++)
		if (shares->shares[i].thread == span->thread)
			break;
	/* The last one is for the idle CPU, which tells that a limit has throttled the thread. */
	if (i == shares->nr && i >= WHY_SHARES - !!span->thread) {
		shares->other_ns += ns;
		return;
	}
	if (i == shares->nr)
		shares->shares[shares->nr++] = (struct why_share){
			.thread = span->thread,
			.priority = span->priority,
		};
	shares->shares[i].ns += ns;
}

/*
 * Add a share for each span in the interval, from the last span backwards. A malformed
 * file may have spans that overlap; their common time counts only once. Return the time
 * from which on the history is complete.
 */
static uint64_t add_spans(struct why_shares *shares, const struct why_history *history,
			  uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t i, nr = history->nr < WHY_SPANS ? history->nr : WHY_SPANS;
	uint64_t from_ns, to_ns, reached_ns = end_ns;
	const struct why_span *span;

	for (i = 1; i <= nr && reached_ns > begin_ns; i++) {
		span = &history->spans[(history->nr - i) % WHY_SPANS];
		from_ns = span->begin_ns > begin_ns ? span->begin_ns : begin_ns;
		to_ns = span->end_ns < reached_ns ? span->end_ns : reached_ns;
		if (from_ns < to_ns)
			add_share(shares, span, to_ns - from_ns);
		if (from_ns < reached_ns)
			reached_ns = from_ns;
	}
	return history->nr > WHY_SPANS ? reached_ns : 0;
}

static uint64_t koid_of(const struct why_share *share)
{
	return share->thread ? share->thread->id.thread : 0;
}

static int compare_shares(const void *left, const void *right)
{
	const struct why_share *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return koid_of(a) < koid_of(b) ? -1 : koid_of(a) > koid_of(b);
}

static uint64_t sum_shares(const struct why_shares *shares)
{
	uint64_t sum_ns = shares->other_ns;
	unsigned int i;

	for (i = 0; i < shares->nr; i++)
		sum_ns += shares->shares[i].ns;
	return sum_ns;
}

/* Count the time without a turn as idle, or as unknown if it precedes @known_ns. */
static void add_idle(struct why_shares *shares, uint64_t begin_ns, uint64_t end_ns,
		     uint64_t known_ns)
{
	uint64_t rest_ns = end_ns - begin_ns - sum_shares(shares);
	const struct why_span idle = { .thread = NULL };

	if (known_ns > begin_ns) {
		shares->unknown_ns = known_ns < end_ns ? known_ns - begin_ns :
							 end_ns - begin_ns;
		if (shares->unknown_ns > rest_ns)
			shares->unknown_ns = rest_ns;
		rest_ns -= shares->unknown_ns;
	}
	if (rest_ns)
		add_share(shares, &idle, rest_ns);
}

/* Find the threads that had a CPU in an interval. */
static void why_shares_find_turns(struct why_shares *shares, const struct why_history *history,
				  uint64_t since_ns, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t known_ns = add_spans(shares, history, begin_ns, end_ns);

	add_idle(shares, begin_ns, end_ns, since_ns > known_ns ? since_ns : known_ns);
	qsort(shares->shares, shares->nr, sizeof(*shares->shares), compare_shares);
}

/* ---- Threads and CPUs ---------------------------------------------------- */

/* Check for a thread of the kernel that serves interrupts. */
static bool serves_interrupts(const struct vitrine_fxt_thread *id)
{
	static const char * const names[] = { "ksoftirqd/", "ktimers/", "irq/", "napi/" };
	struct vitrine_fxt_string name;
	uint64_t process;
	size_t i;

	if (!vitrine_archive_thread(archive, id->thread, &name, &process) || process != KTHREADD)
		return false;
	for (i = 0; i < ARRAY_LEN(names); i++)
		if (name.len_bytes > strlen(names[i]) &&
		    !memcmp(name.bytes, names[i], strlen(names[i])))
			return true;
	return false;
}

static void on_added(struct sched_thread *thread)
{
	struct why_thread *owner = thread->owner;

	owner->is_wanted = record_filter_match_thread(sched.filter, &thread->id);
	owner->serves_interrupts = serves_interrupts(&thread->id);
}

/* Find the thread that an event is about. */
static struct why_thread *subject_of(const struct vitrine_fxt_record *record,
				     struct sched_thread **ret)
{
	*ret = sched_thread_get(&record->event.thread);
	return (*ret)->owner;
}

/* Return the history of a CPU, or NULL if there are too many CPUs. */
static struct why_cpu *cpu_of(uint32_t number)
{
	const struct sched_cpu *cpu;

	if (number < why.nr_cpus && why.cpus[number])
		return why.cpus[number];
	/* sched_state.c bounds the number of CPUs. */
	if (number >= sched.nr_cpus || why.nr_histories >= MAX_HISTORIES)
		return NULL;
	must_have(GROW_TO(why.cpus, why.nr_cpus, number));
	why.cpus[number] = calloc(1, sizeof(**why.cpus));
	must_have(why.cpus[number]);
	why.cpus[number]->since_ns = sched.now_ns;
	cpu = sched.cpus[number];
	if (cpu && why.cpus[number]->since_ns < cpu->begin_ns)
		why.cpus[number]->since_ns = cpu->begin_ns;
	why.nr_histories++;
	return why.cpus[number];
}

/*
 * Find the thread that stands for a thread in results, the same for all that were not recorded.
 * Return NULL for idle.
 */
static struct sched_thread *thread_of(uint64_t koid)
{
	const struct vitrine_fxt_thread id = {
		VITRINE_FXT_NO_PROCESS, fxt_is_others(koid) ? FXT_OTHERS_THREAD(0) : koid,
	};

	return koid ? sched_thread_get(&id) : NULL;
}

/* The same of a thread that is known, or of idle. */
static struct sched_thread *stand_in(struct sched_thread *thread)
{
	return thread && fxt_is_others(thread->id.thread) ? thread_of(thread->id.thread) :
							    thread;
}

/* ---- Use of a CPU --------------------------------------------------------- */

static void find_shares(struct why_shares *shares, uint32_t number, uint64_t begin_ns,
			uint64_t end_ns)
{
	const struct why_cpu *cpu = cpu_of(number);

	if (cpu)
		why_shares_find_turns(shares, &cpu->turns, cpu->since_ns, begin_ns, end_ns);
	else
		shares->unknown_ns = end_ns - begin_ns;
}

/* Add what was on a CPU while a thread waited for it. */
static void add_queue(struct why_queue *queue, uint32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	const struct sched_cpu *now = cpu < sched.nr_cpus ? sched.cpus[cpu] : NULL;
	struct sched_thread *running = now && now->known ? now->running : NULL;
	struct why_shares shares = { 0 };
	const struct why_share *share;
	uint64_t turn_ns = end_ns;
	unsigned int i;

	/* Its turn has not ended, so that the history does not have it. */
	if (running && running->state == SCHED_RUNNING && running->cpu == cpu)
		turn_ns = now->since_ns > begin_ns ? now->since_ns : begin_ns;
	find_shares(&shares, cpu, begin_ns, turn_ns);
	if (turn_ns < end_ns)
		add_share(&shares, &(struct why_span){
			.thread = stand_in(running),
			.priority = ((struct why_thread *)running->owner)->priority,
		}, end_ns - turn_ns);
	for (i = 0; i < shares.nr; i++) {
		share = &shares.shares[i];
		add_share(&queue->behind, &(struct why_span){
			.thread = share->thread, .priority = share->priority,
		}, share->ns);
	}
	queue->behind.other_ns += shares.other_ns;
	queue->behind.unknown_ns += shares.unknown_ns;
	if (end_ns - begin_ns >= queue->longest_ns) {
		queue->longest_ns = end_ns - begin_ns;
		queue->cpu = cpu;
	}
	queue->since_ns = end_ns;
}

/* Find what a thread has waited for a CPU behind, on each CPU where it did. */
static void find_behind(struct why_wait *wait, struct why_queue *queue)
{
	const uint64_t begin_ns = wait->end_ns - wait->ready_ns;

	if (!queue || queue->since_ns <= begin_ns) {
		find_shares(&wait->behind, wait->cpu, begin_ns, wait->end_ns);
		return;
	}
	if (queue->since_ns < wait->end_ns)
		add_queue(queue, wait->cpu, queue->since_ns, wait->end_ns);
	wait->behind = queue->behind;
	wait->cpu = queue->cpu;
	qsort(wait->behind.shares, wait->behind.nr, sizeof(*wait->behind.shares), compare_shares);
}

/* ---- User stacks ---------------------------------------------------------- */

static void tell_blocked(const struct sched_thread *thread, const struct why_blocked *blocked,
			 uint32_t user_stack)
{
	if (why.ops->blocked)
		why.ops->blocked(thread, blocked, user_stack);
}

static void tell_pending(const struct sched_thread *thread, uint32_t user_stack)
{
	const struct why_thread *owner = thread->owner;
	struct why_pending *pending = owner->pending;
	unsigned int i;

	for (i = 0; pending && i < pending->nr; i++)
		tell_blocked(thread, &pending->blocked[i], user_stack);
	if (pending)
		pending->nr = 0;
}

/* Report a blocked part of a wait, but defer it if it was recorded: a user stack may follow. */
static void tell_or_defer(const struct sched_thread *thread)
{
	struct why_thread *owner = thread->owner;

	if (!owner->is_recorded) {
		tell_blocked(thread, &owner->blocked, WHY_TEXT_NONE);
		return;
	}
	if (!owner->pending)
		owner->pending = calloc(1, sizeof(*owner->pending));
	must_have(owner->pending);
	if (owner->pending->nr == WHY_PENDING)
		tell_pending(thread, WHY_TEXT_NONE);
	owner->pending->blocked[owner->pending->nr++] = owner->blocked;
}

/* ---- Wakeups -------------------------------------------------------------- */

/* Return the innermost interrupt that a CPU is serving, or WHY_TEXT_NONE. */
static uint32_t interrupt_on(uint32_t number)
{
	const struct why_cpu *cpu = cpu_of(number);
	const struct why_nested *nested;
	unsigned int i;

	for (i = 1; cpu && i <= NR_NESTED && i <= cpu->nr_nested; i++) {
		nested = &cpu->nested[(cpu->nr_nested - i) % NR_NESTED];
		if (nested->end_ns >= sched.now_ns)
			return nested->name;
	}
	return WHY_TEXT_NONE;
}

static struct why_waker waker_of(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "waker");
	struct why_waker waker = {
		.cpu = record->cpu,
		.interrupt = interrupt_on(record->cpu),
	};
	const struct sched_cpu *cpu = NULL;
	const struct why_thread *owner;

	if (record->cpu < sched.nr_cpus)
		cpu = sched.cpus[record->cpu];
	if (fxt_is_by_interrupt(record)) {
		waker.known = true;
	} else if (arg && arg->type == FXT_ARG_KOID) {
		waker.known = true;
		waker.thread = cpu && cpu->renamed && cpu->renamed->id.thread == arg->value.uint64 ?
			       cpu->running : thread_of(arg->value.uint64);
	} else if (cpu && cpu->known) {
		waker.known = true;
		waker.thread = stand_in(cpu->running);
	}
	owner = waker.thread ? waker.thread->owner : NULL;
	if (owner && owner->serves_interrupts)
		waker.thread = NULL;
	else if (record->wakeup_context == FXT_WAKEUP_SOFTIRQ_IN_CALL)
		waker.doubt = WHY_IN_CALL;
	else if (record->wakeup_context == FXT_WAKEUP_UNKNOWN)
		waker.doubt = WHY_DOUBT;
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

/* Return the disk whose completed request ended the wait of a thread for I/O, if it is known. */
static uint32_t disk_of(const struct why_thread *owner, const struct why_waker *waker,
			uint64_t begin_ns)
{
	const struct why_cpu *cpu = NULL;

	if (owner->io_wait && (waker->known || waker->interrupt))
		cpu = cpu_of(waker->cpu);
	return cpu && cpu->completed.end_ns >= begin_ns ? cpu->completed.disk : WHY_TEXT_NONE;
}

/* Note that a thread was blocked until now, when @waker woke it. */
static void end_blocked(struct why_thread *owner, uint64_t blocked_ns,
			const struct why_waker *waker)
{
	uint64_t now_ns = sched.now_ns;

	/* Switches give the exact time; after a gap, only the event "blocked" has one. */
	if (!blocked_ns && owner->is_recorded)
		blocked_ns = owner->blocked_ns < now_ns ? owner->blocked_ns :
							  now_ns;
	owner->blocked = (struct why_blocked){
		.ns = blocked_ns,
		.end_ns = now_ns,
		.io_wait = owner->io_wait,
		.waker = *waker,
		.syscall = syscall_of(owner, now_ns),
		.stack = owner->stack,
		.disk = disk_of(owner, waker, now_ns - blocked_ns),
	};
	owner->is_woken = true;
}

static void on_wakeup(struct sched_thread *thread, const struct vitrine_fxt_record *record)
{
	const struct why_waker waker = waker_of(record);

	end_blocked(thread->owner, thread->blocked_ns, &waker);
}

/* Check whether what ends at a time is of interest. */
static bool counts(uint64_t ns)
{
	return why.ops->is_whole || sched_counts(ns);
}

/* ---- Waits ---------------------------------------------------------------- */

static void end_wait(struct sched_thread *thread, struct why_thread *owner)
{
	const struct sched_turn *turn = &thread->turn;
	struct why_wait wait = {
		.thread = thread,
		.cpu = turn->cpu,
		.end_ns = turn->begin_ns,
		.ready_ns = turn->ready_ns,
		.priority = owner->priority,
		.is_preempted = turn->waited == SCHED_PREEMPTED,
	};

	if (owner->is_woken)
		wait.blocked = owner->blocked;
	if (why.ops->begin)
		why.ops->begin(&wait);
	if (!owner->is_wanted || !counts(wait.end_ns))
		return;
	if (wait.ready_ns) {
		find_behind(&wait, owner->queue);
		if (why.ops->runnable)
			why.ops->runnable(&wait);
	}
	if (wait.blocked.ns)
		tell_or_defer(thread);
}

/* After a switch, the CPU does something else than to complete a request. */
static void forget_completed(uint32_t number)
{
	struct why_cpu *cpu = cpu_of(number);

	if (cpu)
		cpu->completed = (struct why_request){ 0 };
}

static void on_begin(struct sched_thread *thread, const struct vitrine_fxt_record *record)
{
	struct why_thread *owner = thread->owner;
	uint8_t priority = record->kind == VITRINE_FXT_SWITCH ? fxt_incoming_priority(record) : 0;

	if (priority)
		owner->priority = priority;
	/* The trace does not contain the wakeup. */
	if (!owner->is_woken && (thread->turn.blocked_ns || owner->is_recorded))
		end_blocked(owner, thread->turn.blocked_ns, &(struct why_waker){ 0 });
	end_wait(thread, owner);
	if (owner->queue)
		*owner->queue = (struct why_queue){ 0 };
	owner->is_woken = false;
	owner->is_recorded = false;
	owner->io_wait = false;
	owner->still_ns = 0;
	owner->stack = WHY_TEXT_NONE;
	owner->syscall = WHY_TEXT_NONE;
	forget_completed(thread->turn.cpu);
}

/*
 * Report the wait of a thread that was still blocked at the end of the trace. What it waited for
 * before the trace began, as most daemons do, is reported by request only.
 */
static void end_still(struct sched_thread *thread, struct why_thread *owner)
{
	uint64_t now_ns = sched.now_ns, blocked_ns;

	blocked_ns = owner->blocked_ns + (now_ns - owner->still_ns);
	if (!owner->is_wanted || owner->is_woken || !counts(now_ns) ||
	    (blocked_ns > now_ns - sched.begin_ns && !sched.filter->nr_threads &&
	     !sched.filter->nr_processes && !why.ops->is_whole))
		return;
	if (blocked_ns > now_ns)
		blocked_ns = now_ns;
	end_blocked(owner, blocked_ns, &(struct why_waker){ 0 });
	owner->blocked.is_still = true;
	tell_or_defer(thread);
}

static void bury(struct sched_thread *thread, struct why_thread *owner)
{
	tell_pending(thread, WHY_TEXT_NONE);
	free(owner->pending);
	free(owner->queue);
	owner->pending = NULL;
	owner->queue = NULL;
	owner->is_woken = false;
}

static void on_end(struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;
	struct why_thread *owner = thread->owner;
	struct why_cpu *cpu = cpu_of(turn->cpu);

	if (cpu)
		why_history_add(&cpu->turns, &(struct why_span){
			.begin_ns = turn->begin_ns,
			.end_ns = turn->end_ns,
			.thread = stand_in(thread),
			.priority = fxt_is_others(thread->id.thread) ? 0 : owner->priority,
		});
	forget_completed(turn->cpu);
	if (owner->is_wanted && why.ops->ran && counts(turn->end_ns))
		why.ops->ran(thread);
	if (turn->after == SCHED_DEAD)
		bury(thread, owner);
}

static void on_gap(uint32_t number, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t i;

	for (i = 0; i < why.nr_cpus; i++)
		if (why.cpus[i] && (i == number || number == SCHED_ALL_CPUS) &&
		    why.cpus[i]->since_ns < end_ns)
			why.cpus[i]->since_ns = end_ns;
}

/*
 * Check whether the running thread itself has caused a softirq, for example by sending to a socket
 * of this machine. If not, the softirq follows an interrupt at once.
 */
static bool is_own_softirq(struct why_cpu *cpu, const struct sched_interrupt *interrupt)
{
	static const char softirq[] = "softirq ";
	const struct vitrine_fxt_string *name = &interrupt->record->event.name;

	if (name->len_bytes > strlen(softirq) && !memcmp(name->bytes, softirq, strlen(softirq)))
		return interrupt->thread &&
		       interrupt->begin_ns > cpu->interrupted_ns + WHY_SOFTIRQ_NS;
	cpu->interrupted_ns = interrupt->end_ns;
	return false;
}

static void on_interrupt(const struct sched_interrupt *interrupt)
{
	struct why_cpu *cpu = cpu_of(interrupt->cpu);
	struct why_nested *nested;
	const char *label;
	uint32_t name;

	if (!cpu)
		return;
	label = event_label(interrupt->record);
	name = why_texts_add(&why.texts, label, strlen(label));
	nested = &cpu->nested[cpu->nr_nested++ % NR_NESTED];
	nested->end_ns = interrupt->end_ns;
	nested->name = is_own_softirq(cpu, interrupt) ? WHY_TEXT_NONE : name;
}

static const struct sched_ops sched_ops = {
	.owner_bytes = sizeof(struct why_thread),
	.added = on_added,
	.begin = on_begin,
	.end = on_end,
	.wakeup = on_wakeup,
	.gap = on_gap,
	.interrupt = on_interrupt,
};

/* ---- Events --------------------------------------------------------------- */

/**
 * why_number_arg() - find an argument of an event that is a number
 * @record: the event
 * @name: name of the argument
 *
 * Return: the number; 0 if there is none, or it is negative.
 */
uint64_t why_number_arg(const struct vitrine_fxt_record *record, const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	if (!arg)
		return 0;
	switch (fxt_arg_class(arg->type)) {
	case FXT_CLASS_SIGNED:
		return arg->value.int64 > 0 ? arg->value.int64 : 0;
	case FXT_CLASS_UNSIGNED:
	case FXT_CLASS_ADDRESS:
		return arg->value.uint64;
	case FXT_CLASS_BOOL:
		return arg->value.boolean;
	default:
		return 0;
	}
}

/* Return the name of the system call, or "system call 74" if only its number is known. */
static uint32_t syscall_arg(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, "syscall");
	struct vitrine_fxt_string name = { 0 };
	char number[48];

	if (!arg)
		return WHY_TEXT_NONE;
	if (arg->type == FXT_ARG_STRING_REF) {
		name = arg->value.string;
	} else {
		name.len_bytes = sprintf(number, "system call %llu",
					 (unsigned long long)
					 why_number_arg(record, "syscall"));
		name.bytes = number;
	}
	return why_texts_add(&why.texts, name.bytes, name.len_bytes);
}

static void follow_blocked(const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;
	struct why_thread *owner = subject_of(record, &thread);

	owner->is_recorded = true;
	owner->blocked_ns = why_number_arg(record, "blocked_ns");
	owner->io_wait = why_number_arg(record, "io_wait");
	owner->still_ns = why_number_arg(record, "still") ? sched.now_ns : 0;
	owner->stack = why_texts_add_stack(&why.texts, record, WHY_KERNEL_STACK);
	owner->syscall = syscall_arg(record);
	/* In another system call, the thread was in user space since the pending waits. */
	if (owner->pending && owner->pending->nr &&
	    owner->pending->blocked[0].syscall != owner->syscall)
		tell_pending(thread, WHY_TEXT_NONE);
}

static void follow_user_stack(const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;

	subject_of(record, &thread);
	tell_pending(thread, why_texts_add_stack(&why.texts, record, WHY_USER_STACK));
}

/* Process a CPU's counter of the waits that the recorder left out to limit its rate. */
static void follow_left_out(const struct vitrine_fxt_record *record)
{
	struct why_cpu *cpu = cpu_of(record->cpu);
	uint64_t nr = why_number_arg(record, "left_out");

	if (!cpu || nr <= cpu->nr_left_out)
		return;
	why.nr_left_out += nr - cpu->nr_left_out;
	cpu->nr_left_out = nr;
}

static void follow_stacks(const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_COUNTER &&
	    fxt_string_is(&record->event.name, "stacks_left_out"))
		follow_left_out(record);
	if (record->event.type != FXT_EVENT_INSTANT)
		return;
	if (fxt_string_is(&record->event.name, "blocked"))
		follow_blocked(record);
	else if (fxt_string_is(&record->event.name, "user stack"))
		follow_user_stack(record);
}

static void follow_syscall(const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread;
	struct why_thread *owner;

	if (record->event.type != FXT_EVENT_DURATION_COMPLETE &&
	    record->event.type != FXT_EVENT_DURATION_BEGIN &&
	    record->event.type != FXT_EVENT_DURATION_END)
		return;
	owner = subject_of(record, &thread);
	owner->in_syscall = WHY_TEXT_NONE;
	if (record->event.type == FXT_EVENT_DURATION_END)
		return;
	owner->syscall_end_ns = UINT64_MAX;
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		owner->syscall_end_ns =
			vitrine_fxt_ns(record->event.id, record->ticks_per_second);
	owner->in_syscall = why_texts_add(&why.texts, record->event.name.bytes,
					  record->event.name.len_bytes);
}

/* A runnable thread goes to another CPU, and no longer waits for the one where it was. */
static void follow_migrate(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *koid = fxt_find_arg(record, "thread");
	struct sched_thread *thread;
	const uint64_t from = why_number_arg(record, "from");
	struct why_thread *owner;
	uint64_t since_ns;

	thread = koid && koid->type == FXT_ARG_KOID ? sched_thread_find(koid->value.uint64) : NULL;
	if (!thread || (thread->state != SCHED_WOKEN && thread->state != SCHED_PREEMPTED) ||
	    from >= sched.nr_cpus)
		return;
	owner = thread->owner;
	/* After a gap in the trace, it may be from an earlier wait. */
	if (owner->queue && owner->queue->since_ns <= thread->since_ns)
		*owner->queue = (struct why_queue){ 0 };
	since_ns = owner->queue && owner->queue->since_ns ? owner->queue->since_ns :
							    thread->since_ns;
	/* The wakeup itself has chosen the CPU. */
	if (sched.now_ns - since_ns < WHY_PLACED_NS)
		return;
	if (!owner->queue)
		owner->queue = calloc(1, sizeof(*owner->queue));
	must_have(owner->queue);
	add_queue(owner->queue, from, since_ns, sched.now_ns);
}

/* Find a request in flight; or a place for it: an unused one, or that of any other. */
static struct why_request *request_of(uint64_t id)
{
	struct why_request *set, *place;
	unsigned int i;

	set = why.requests[(id * 0x9e3779b97f4a7c15ULL >> 32) % WHY_REQUEST_SETS];
	for (i = 0, place = set; i < WHY_REQUESTS_IN_SET; i++) {
		if (set[i].disk && set[i].id == id)
			return &set[i];
		if (!set[i].disk)
			place = &set[i];
	}
	return place;
}

static void follow_issue(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *disk = fxt_find_arg(record, "disk");
	struct why_request *request = request_of(record->event.id);

	if (!disk || disk->type != FXT_ARG_STRING_REF)
		return;
	request->id = record->event.id;
	request->disk = why_texts_add(&why.texts, disk->value.string.bytes,
				      disk->value.string.len_bytes);
}

static void follow_completion(const struct vitrine_fxt_record *record)
{
	struct why_request *request = request_of(record->event.id);
	struct why_cpu *cpu = cpu_of(record->cpu);

	if (!request->disk || request->id != record->event.id)
		return;
	if (cpu) {
		cpu->completed = *request;
		cpu->completed.end_ns = sched.now_ns;
	}
	request->disk = WHY_TEXT_NONE;
}

static void follow_block(const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_ASYNC_BEGIN)
		follow_issue(record);
	else if (record->event.type == FXT_EVENT_ASYNC_END)
		follow_completion(record);
}

/**
 * why_follow() - process the next record
 * @item: the next one in time order
 */
void why_follow(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;

	sched_follow(item);
	if (record->kind != VITRINE_FXT_EVENT)
		return;
	if (fxt_string_is(&record->event.category, STACKS_CATEGORY))
		follow_stacks(record);
	else if (fxt_string_is(&record->event.category, SYSCALL_CATEGORY))
		follow_syscall(record);
	else if (fxt_string_is(&record->event.category, BLOCK_CATEGORY))
		follow_block(record);
	else if (fxt_string_is(&record->event.category, "sched") &&
		 fxt_string_is(&record->event.name, "migrate"))
		follow_migrate(record);
}

/* ---- Begin and end -------------------------------------------------------- */

/**
 * why_begin() - begin to follow a trace
 * @filter: as of sched_begin()
 * @ops: callbacks
 *
 * The caller calls why_deinit().
 */
void why_begin(const struct record_filter *filter, const struct why_ops *ops)
{
	why = (struct why){ .ops = ops };
	sched_begin(filter, &sched_ops);
}

/**
 * why_finish() - complete the pending waits
 */
void why_finish(void)
{
	struct sched_thread *thread;
	struct why_thread *owner;
	size_t i = 0;

	sched_finish();
	while ((thread = sched_thread_next(&i))) {
		owner = thread->owner;
		if (owner->still_ns)
			end_still(thread, owner);
		tell_pending(thread, WHY_TEXT_NONE);
	}
}

/**
 * why_read() - follow all records of a trace, and call why_finish()
 * @filter: as of why_begin()
 * @ops: as of why_begin()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *why_read(const struct record_filter *filter, const struct why_ops *ops)
{
	struct vitrine_error *err;
	struct archive_item item;

	why_begin(filter, ops);
	while (!(err = archive_read(archive, &item)) && item.record)
		why_follow(&item);
	if (!err)
		why_finish();
	return err;
}

/**
 * why_deinit() - free all data
 */
void why_deinit(void)
{
	struct sched_thread *thread;
	struct why_thread *owner;
	size_t i = 0;

	while ((thread = sched_thread_next(&i))) {
		owner = thread->owner;
		free(owner->pending);
		free(owner->queue);
	}
	for (i = 0; i < why.nr_cpus; i++)
		free(why.cpus[i]);
	free(why.cpus);
	why_texts_deinit(&why.texts);
	sched_deinit();
}

/**
 * why_wants() - check whether the filter selects a thread
 * @thread: a thread, after why_finish()
 *
 * Return: true if the thread is to be reported.
 */
bool why_wants(const struct sched_thread *thread)
{
	const struct why_thread *owner = thread->owner;

	return owner->is_wanted;
}
