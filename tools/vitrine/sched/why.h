/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find out why threads waited, for `vitrine why', `vitrine flame' and `vitrine diff'.
 *
 * sched_state.c follows switches and wakeups. why.c adds which threads ran in the
 * meantime, and what woke a thread. A wait begins when a thread leaves its CPU and
 * ends when the thread gets a CPU again. It has up to two parts: the thread is blocked
 * until a wakeup, and then runnable.
 *
 *	blocked		The event "blocked" of the category "stacks" precedes the
 *			wakeup and contains the kernel stack. The event "user stack"
 *			follows later, when the thread returns to user space. The system
 *			call is taken from the event "blocked", or else from the events
 *			of the category "syscall".
 *			If the thread waited for I/O, its waker had completed a
 *			request to a disk shortly before, which the category "block"
 *			names.
 *	runnable	Each CPU has a short history of turns. When a thread gets a CPU, the
 *			history of this CPU tells which threads occupied it in the meantime.
 *
 * Memory use does not depend on the length of the trace. It is bounded by the number of
 * living threads (each has WHY_PENDING waits), of CPUs (each has a history), and of texts
 * (limited in why_texts.c).
 */
#ifndef _VITRINE_WHY_H
#define _VITRINE_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"
#include "fxt_names.h"
#include "record_filter.h"
#include "sched_state.h"
#include "why_texts.h"

/* Maximum number of shares that are listed for one wait: of six threads, and of the idle CPU. */
#define WHY_SHARES	7

/**
 * struct why_share - CPU time of a thread within an interval
 * @thread: the thread, NULL for idle; one stands for all that were not recorded
 * @ns: the CPU time
 * @priority: priority of the thread as in a switch record, 0 if unknown
 */
struct why_share {
	struct sched_thread *thread;
	uint64_t ns;
	uint8_t priority;
};

/**
 * struct why_shares - threads that occupied a CPU during an interval
 * @shares: one share for each of them, largest first
 * @nr: number of @shares in use
 * @other_ns: time of those for which @shares has no room
 * @unknown_ns: part of the interval that the history of the CPU does not cover
 */
struct why_shares {
	struct why_share shares[WHY_SHARES];
	unsigned int nr;
	uint64_t other_ns;
	uint64_t unknown_ns;
};

/* Requests to disks in flight that are followed: sets of so many, with so many in each. */
#define WHY_REQUEST_SETS	512
#define WHY_REQUESTS_IN_SET	8

/**
 * enum why_doubt - whether the thread that ran where a wakeup was made is the waker
 * @WHY_CERTAIN: it is
 * @WHY_IN_CALL: it is, unless an interrupt came during its system call
 * @WHY_DOUBT: the trace does not tell it from a thread that was interrupted
 */
enum why_doubt {
	WHY_CERTAIN,
	WHY_IN_CALL,
	WHY_DOUBT,
};

/**
 * struct why_waker - the thread or interrupt that woke a thread
 * @known: the trace tells which thread ran on @cpu
 * @cpu: CPU of the waker
 * @thread: the thread that ran there, or NULL if the CPU was idle
 * @interrupt: text number of the interrupt that was served, WHY_TEXT_NONE if none is known
 * @doubt: whether @thread is the waker
 */
struct why_waker {
	bool known;
	uint32_t cpu;
	struct sched_thread *thread;
	uint32_t interrupt;
	enum why_doubt doubt;
};

/**
 * struct why_blocked - blocked part of a wait, which is complete except for the user stack
 * @ns: how long the thread was blocked
 * @end_ns: when it was woken, or the end of the trace
 * @is_still: it was still blocked at the end of the trace
 * @io_wait: the kernel counts the wait as waiting for I/O
 * @waker: what woke it
 * @syscall: text number of the system call
 * @stack: text number of the kernel stack
 * @disk: text number of the disk whose completed request woke it
 */
struct why_blocked {
	uint64_t ns;
	uint64_t end_ns;
	bool is_still;
	bool io_wait;
	struct why_waker waker;
	uint32_t syscall;
	uint32_t stack;
	uint32_t disk;
};

/**
 * struct why_wait - a wait that is over
 * @thread: thread that waited
 * @cpu: CPU that the thread got
 * @end_ns: when the thread got the CPU
 * @ready_ns: how long the thread was runnable
 * @priority: priority of the thread as in a switch record, 0 if unknown
 * @is_preempted: the thread was preempted, not blocked
 * @blocked: what it was blocked for before it was runnable; all zero if it was not
 * @behind: threads that ran on the CPU while the thread was runnable
 */
struct why_wait {
	struct sched_thread *thread;
	uint32_t cpu;
	uint64_t end_ns;
	uint64_t ready_ns;
	uint8_t priority;
	bool is_preempted;
	struct why_blocked blocked;
	struct why_shares behind;
};

/**
 * struct why_ops - callbacks for the waits of selected threads; each may be NULL
 * @begin: called when any thread gets a CPU, with its wait, which may have no length
 * @blocked: called with the blocked part of a wait, and the text number of the user stack
 * @runnable: called at the end of a wait during which the thread was runnable
 * @ran: called at the end of a turn, which is @turn of the thread
 * @is_whole: call also for what ends outside of the time range, or has begun before the trace
 */
struct why_ops {
	void (*begin)(const struct why_wait *wait);
	void (*blocked)(const struct sched_thread *thread,
			const struct why_blocked *blocked, uint32_t user_stack);
	void (*runnable)(const struct why_wait *wait);
	void (*ran)(const struct sched_thread *thread);
	bool is_whole;
};

/* A request to a disk: text number of the disk, and when it was completed. */
struct why_request {
	uint64_t id;
	uint64_t end_ns;
	uint32_t disk;
};

/**
 * struct why - what is known of the trace that is followed, besides struct sched
 * @ops: callbacks
 * @texts: stacks, system calls, interrupts
 * @nr_left_out: number of long waits whose stack the recorder left out
 * @requests: requests to disks in flight, in the set of a hash of their id; unused without @disk
 * @cpus: history of each CPU, or NULL
 * @nr_cpus: size of @cpus
 * @nr_histories: number of @cpus that are not NULL
 */
extern struct why {
	const struct why_ops *ops;
	struct why_texts texts;
	uint64_t nr_left_out;
	struct why_request requests[WHY_REQUEST_SETS][WHY_REQUESTS_IN_SET];
	struct why_cpu **cpus;
	uint32_t nr_cpus;
	uint32_t nr_histories;
} why;

void why_begin(const struct record_filter *filter, const struct why_ops *ops);
void why_follow(const struct archive_item *item);
void why_finish(void);
struct vitrine_error *why_read(const struct record_filter *filter, const struct why_ops *ops);
void why_deinit(void);
bool why_wants(const struct sched_thread *thread);
uint64_t why_number_arg(const struct vitrine_fxt_record *record, const char *name);

/* ---- why_rules.c --------------------------------------------------------------- */

/*
 * What the time of a thread is spent on, by kinds, and the rules that tell the kind of a wait from
 * its evidence. Documentation/why.rst explains them.
 */

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
 * @WHY_STOPPED: stopped, traced or frozen
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
	WHY_STOPPED,
	WHY_CHILD,
	WHY_WORK,
	WHY_UNKNOWN,
	WHY_KINDS,
};

/* Threads of the kernel belong to this process. */
#define KTHREADD	2

/* What threads wait for in the system calls that wait for many files, in words. */
#define WHY_EVENT	"an event"
/* The same, if none came before the end of a time limit. */
#define WHY_VAIN	"an event, in vain"
/* In futex(2), if no function of the program is known; and where signals end a wait. */
#define WHY_FUTEX	"a futex"
#define WHY_SIGNAL	"a signal"

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
 * @calls: the latter has called the former itself
 * @syscall: patterns of system calls, which replace @stack if there is no kernel stack
 * @end: what ended the wait
 * @io: the wait was for I/O
 * @by_thread: no interrupt can end such a wait
 */
struct why_rule {
	enum why_kind kind;
	const char *what;
	const char *stack;
	const char *innermost;
	const char *user;
	const char *caller;
	bool calls;
	const char *syscall;
	enum why_end end;
	bool io;
	bool by_thread;
};

const struct why_rule *why_rule_find(const struct why_evidence *evidence);
bool why_rule_place(const struct why_rule *rule, const char *stack, const char **ret,
		    size_t *ret_len);

/* ---- why_path.c ---------------------------------------------------------------- */

/*
 * The critical path: what a time consisted of, from its end back to its begin. Where a thread
 * was blocked until another one woke it, the path goes on in the waker; what the waker did since
 * the first one was blocked takes the place of the wait. All else (a turn on a CPU, a wait for a
 * CPU, a wait that an interrupt ended) is a part of the path, and the path goes on before it. So
 * the parts follow one another without a hole, and add up to the whole.
 *
 * The turns of all threads are kept in the order of time, at most PATH_MAX_TURNS of them; what was
 * before these is a part of its own, which is not known.
 */

/* 56 bytes each; a power of two. The fuzzer keeps fewer. */
#ifndef PATH_MAX_TURNS
#define PATH_MAX_TURNS	(1U << 20)
#endif

/* No thread, no cause. */
#define PATH_NONE	UINT32_MAX

/**
 * struct path_turn - a turn of a thread on a CPU, and the wait before it
 * @blocked_ns: when it was blocked before
 * @woken_ns: when it was woken; @blocked_ns, if it was not blocked
 * @begin_ns: begin of the turn
 * @end_ns: its end; UINT64_MAX: it has not ended
 * @before: number of the thread's turn before, plus one; 0: none
 * @thread: number of the thread
 * @waker: number of the thread that woke it, or PATH_NONE
 * @cause: what it was blocked for, a number of the caller's, or PATH_NONE
 * @behind: the same of what it was runnable for
 */
struct path_turn {
	uint64_t blocked_ns;
	uint64_t woken_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t before;
	uint32_t thread;
	uint32_t waker;
	uint32_t cause;
	uint32_t behind;
};

enum path_state {
	PATH_RUNNING,
	PATH_RUNNABLE,
	PATH_BLOCKED,
	PATH_UNKNOWN,
};

/**
 * struct path_part - a part of a critical path
 * @begin_ns: its begin
 * @end_ns: its end
 * @thread: number of the thread
 * @state: what it did
 * @turn: its turn, of which the part is the turn or the wait before, or NULL
 */
struct path_part {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t thread;
	enum path_state state;
	const struct path_turn *turn;
};

/* A wait for another thread that the path replaces: that of @turn, of its thread. */
struct path_wait {
	const struct path_turn *turn;
	uint64_t floor_ns;
};

/* Most waits for one another that are followed at a time. */
#define PATH_MAX_DEPTH	32

/**
 * path_visit - called with each part of a path, from the end to the begin
 * @ctx: of the caller
 * @part: the part
 * @waits: the waits that it replaces, the outermost first
 * @nr_waits: their number
 */
typedef void path_visit(void *ctx, const struct path_part *part, const struct path_wait *waits,
			unsigned int nr_waits);

struct path_turn *path_add(uint32_t thread);
struct path_turn *path_last(uint32_t thread);
struct path_turn *path_before(const struct path_turn *turn);
struct path_part path_at(uint32_t thread, uint64_t ns);
void path_walk(uint32_t thread, uint64_t begin_ns, uint64_t end_ns, path_visit *visit, void *ctx);
struct path_turn *path_turn(uint64_t i);
void path_deinit(void);

/* ---- samples.c ----------------------------------------------------------------- */

/*
 * What running threads executed: the samples of a trace. Each stands for the same time, so the
 * part of a thread's samples that has a stack is the part of its running time that it spent there.
 *
 * A sample is the event "running" of the category "stacks", with the kernel stack if the
 * thread was in the kernel. If user stacks are recorded, the event "user stack" follows when
 * the thread returns to user space, for all its samples since the last one.
 */

/**
 * struct sample - a sample
 * @thread: number of the thread, one of the caller's
 * @ns: its time
 * @user: text number of the user stack, WHY_TEXT_NONE if it is not known
 * @kernel: text number of the kernel stack, WHY_TEXT_NONE if the thread was in user space
 * @before: until samples_finish(), number plus one of the thread's sample before whose user stack
 *	may still follow; 0: none
 */
struct sample {
	uint64_t thread;
	uint64_t ns;
	uint32_t user;
	uint32_t kernel;
	uint32_t before;
};

/**
 * struct samples - all samples of a trace; empty if zeroed
 * @texts: stacks
 * @samples: in order of time; after samples_finish(), by thread and time
 * @nr: number of @samples
 * @nr_seen: number of all samples so far
 * @skip: bits of their number that are 0 in those that are kept
 * @lasts: of each thread, number plus one of its last sample whose user stack may still follow
 */
extern struct samples {
	struct why_texts texts;
	struct sample *samples;
	uint32_t nr;
	uint64_t nr_seen;
	uint64_t skip;
	struct fxt_names lasts;
} samples;

void samples_follow(const struct vitrine_fxt_record *record, uint64_t ns, uint64_t thread);
void samples_finish(void);
size_t samples_of(uint64_t thread, uint64_t begin_ns, uint64_t end_ns, struct sample **ret);
void samples_deinit(void);

/* ---- why_time.c ---------------------------------------------------------------- */

/*
 * Where the time of threads went: for each thread its life, how long it ran, and sums of its waits
 * by kind, place and other thread; its samples; and its turns, for critical paths. This is a fold
 * over the records of a trace, by way of why.c.
 *
 * If the trace has a command that `vitrine record' ran, the time is that from its first exec until
 * its last thread ends; its threads and those of all processes that descend from it are selected.
 *
 * Memory is bounded by the number of threads, TIME_MAX_SUMS, PATH_MAX_TURNS and the limits of
 * samples.c.
 */

#define TIME_MAX_SUMS	(1U << 17)

/* The name of the process in which `vitrine record' runs, and of its command until exec. */
#define RECORDER	"vitrine"

/**
 * struct time_vain - waits of a thread for an event, each of which ended with a time limit
 * @sum: number of their sum
 * @stack: text number of their kernel stack
 * @user_stack: text number of their user stack
 * @nr: how many
 * @ns: how long they took
 * @end_ns: end of the last one
 */
struct time_vain {
	uint32_t sum;
	uint32_t stack;
	uint32_t user_stack;
	uint32_t nr;
	uint64_t ns;
	uint64_t end_ns;
};

/**
 * struct time_thread - a thread
 * @id: its ids
 * @begin_ns: begin of its life within the time
 * @end_ns: its end; UINT64_MAX: it has not ended
 * @running_ns: how long it ran
 * @last: its last sum, plus one; 0: none
 * @priority: its priority as in the last switch record, 0 if unknown
 * @parent: number of the thread that forked it, or PATH_NONE
 * @killer: number of the thread whose signal ended its last wait and its life, or PATH_NONE
 * @killed_ns: end of that wait
 * @vain: its last waits, if they were for the same and in vain; or NULL
 * @recorder: number of the thread of an older recorder that may have forked it, or PATH_NONE
 * @is_selected: the question is about it
 * @is_own: it is one of the recorder's, or of a helper's
 * @is_new: it was forked, or executed a program, within the trace
 * @is_kernel: it is a kernel thread
 */
struct time_thread {
	struct time_vain *vain;
	struct vitrine_fxt_thread id;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t running_ns;
	uint32_t last;
	uint8_t priority;
	uint32_t parent;
	uint32_t killer;
	uint64_t killed_ns;
	uint32_t recorder;
	bool is_selected;
	bool is_own;
	bool is_new;
	bool is_kernel;
};

/**
 * struct time_sum - like waits of a thread
 * @thread: number of the thread
 * @other: number of the thread that ended the waits or, of WHY_CPU, had the CPU; or PATH_NONE
 * @place: text number: what it waited for, in words
 * @kind: what kind of wait
 * @priority: of WHY_CPU, the priority of @other, 0 if it is not known
 * @doubt: whether it was @other that ended the waits, enum why_doubt
 * @cpu: of WHY_CPU, the CPU that the threads got, PATH_NONE if there are several
 * @nr: number of waits
 * @sum_ns: their sum
 * @max_ns: the longest one
 * @max_end_ns: its end
 * @stack: text number of its kernel stack
 * @user_stack: text number of its user stack
 */
struct time_sum {
	uint32_t thread;
	uint32_t other;
	uint32_t place;
	uint8_t kind;
	uint8_t priority;
	uint8_t doubt;
	uint32_t cpu;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t max_end_ns;
	uint32_t stack;
	uint32_t user_stack;
};

/**
 * struct time_limit - a limit of the CPU time of a cgroup
 * @cgroup: text number of its path
 * @place: text number of the limit in words
 * @first_us: how long it had been throttled when the recording began
 * @last_us: how long when it was last looked at
 */
struct time_limit {
	uint32_t cgroup;
	uint32_t place;
	uint64_t first_us;
	uint64_t last_us;
};

/**
 * enum time_behind - what a thread waits for a CPU behind
 * @TIME_BEHIND_THREAD: another thread
 * @TIME_BEHIND_OTHERS: threads that are not told apart
 * @TIME_BEHIND_BESIDE_IDLE: another thread, on a CPU that was also idle
 * @TIME_BEHIND_OTHERS_BESIDE_IDLE: threads that are not told apart, on such a CPU
 * @TIME_BEHIND_IDLE: an idle CPU
 * @TIME_BEHIND_WAKING: a CPU waking up
 * @TIME_BEHIND_UNKNOWN: what is not known
 * @TIME_NR_BEHIND: their number
 */
enum time_behind {
	TIME_BEHIND_THREAD,
	TIME_BEHIND_OTHERS,
	TIME_BEHIND_BESIDE_IDLE,
	TIME_BEHIND_OTHERS_BESIDE_IDLE,
	TIME_BEHIND_IDLE,
	TIME_BEHIND_WAKING,
	TIME_BEHIND_UNKNOWN,
	TIME_NR_BEHIND,
};

/* Kernel priorities below this limit are those of real-time and deadline threads. */
#define TIME_REAL_TIME	100

#define TIME_MAX_LIMITS	1024
#define TIME_CACHE	1024

/* A rule that was found, and the text number of its place; 0: it has not been needed yet. */
struct time_cached {
	uint32_t stack;
	uint32_t user_stack;
	uint32_t syscall;
	uint8_t end;
	bool io;
	const struct why_rule *rule;
	uint32_t place;
};

/**
 * struct spent - what time was spent on: all zero at first, but @selected and @is_no_recording
 * @selected: processes that were asked for; NULL: the command or, without one, all
 * @is_no_recording: the trace is that of the flight recorder: no command belongs to it
 * @threads: all threads
 * @nr_threads: their number
 * @sums: all sums
 * @nr_sums: their number
 * @hash: hash table of @sums; number 1 is the first one
 * @is_noted: the recorder has noted its processes
 * @command: thread id of the command that it noted, or 0
 * @root: number of the main thread of the command, or PATH_NONE
 * @last: number of the thread of the command that ended last
 * @nr_alive: number of its threads that have not ended
 * @exit_ns: when the last one ended, or 0
 * @is_doubtful: there may be another command, of an older recorder
 * @begin_ns: begin of the time
 * @end_ns: its end, or what was asked for until it is known
 * @behind: text numbers of what threads wait for a CPU behind, by enum time_behind
 * @real_time: text number of the limit of real-time threads, in words, or WHY_TEXT_NONE
 * @limits: limits of cgroups
 * @nr_limits: their number
 * @limited: processes in these cgroups, with the number of the limit plus one as owner
 * @cache: rules, by a hash of what they were found for
 */
extern struct spent {
	const struct record_filter *selected;
	bool is_no_recording;
	struct time_thread *threads;
	uint32_t nr_threads;
	struct time_sum *sums;
	uint32_t nr_sums;
	struct hash hash;
	bool is_noted;
	uint64_t command;
	uint32_t root;
	uint32_t last;
	uint32_t nr_alive;
	uint64_t exit_ns;
	bool is_doubtful;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t behind[TIME_NR_BEHIND];
	uint32_t real_time;
	struct time_limit *limits;
	uint32_t nr_limits;
	struct fxt_names limited;
	struct time_cached cache[TIME_CACHE];
} spent;

uint32_t spent_text(const char *text);
struct vitrine_error *spent_read(const struct record_filter *filter);
uint64_t spent_clip(uint64_t begin_ns, uint64_t end_ns);
const struct time_limit *spent_limit(uint32_t thread);
bool spent_is_throttled(const struct time_sum *sum);
void spent_deinit(void);

#endif /* _VITRINE_WHY_H */
