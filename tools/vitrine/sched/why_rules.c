// SPDX-License-Identifier: GPL-2.0
/*
 * The rules that tell the kind of a wait, in one table. The first rule that applies decides.
 */
#include <fnmatch.h>
#include <string.h>

#include "why.h"
#include "why_texts.h"

/* Functions of the kernel that take locks. */
#define LOCKS	"*mutex_lock* rwsem_down_* percpu_down* percpu_rwsem_* __percpu_* __down* rtlock_*"
/* Functions that wait for a disk. */
#define PAGES	"folio_wait_* wait_on_page_* __wait_on_buffer wait_for_completion_io* io_schedule*"
#define SYNCS	"jbd2_* __jbd2_* xlog_* *_sync_file *_fsync blk_* submit_bio_wait"
/* Functions that find memory. */
#define RECLAIM	"try_to_free_* shrink_* reclaim_throttle *direct_reclaim* compact_zone*"
/* Functions, and system calls, that wait for an event of any file. */
#define EVENTS	"do_epoll_wait ep_poll do_sys_poll do_poll* do_select *_select io_cqring_wait"
#define EVENT_CALLS	"epoll_* poll ppoll select pselect6 _newselect io_uring_enter"
/* The same of sockets. */
#define SOCKETS	"sk_wait_data tcp_* inet_* udp_* unix_* __skb_* sock_* sk_stream_* netlink_*"
#define SOCKET_CALLS	"recv* send* connect"

/* Functions in which threads of the kernel wait for work themselves. */
#define IDLE	"worker_thread rescuer_thread kthread_worker_fn smpboot_thread_fn kthreadd " \
	"kswapd* kcompactd* kjournald2 rcu_gp_* rcu_nocb_* kauditd_thread khugepaged oom_reaper"

static const struct why_rule rules[] = {
	/* What programs say of themselves. */
	{ WHY_LOCK, "a lock of PostgreSQL", .user = "ProcSleep" },
	{ WHY_LOCK, "an internal lock of PostgreSQL", .user = "LWLockAcquire*" },
	{ WHY_LOCK, "a row lock of MariaDB",
	  .user = "pthread_cond_timedwait", .caller = "_ZN7handler*ha_*" },
	{ WHY_LOCK, "an SQLite lock, by naps", .stack = "*nanosleep*",
	  .user = "sqlite3InvokeBusyHandler sqlite3_step sqlite3_exec", .syscall = "*nanosleep" },
	{ WHY_LOCK, "Python's global lock",
	  .user = "take_gil PyEval_RestoreThread PyEval_AcquireThread PyEval_AcquireLock" },
	{ WHY_LOCK, "Python's global lock",
	  .user = "pthread_cond_timedwait", .caller = "_PyEval_EvalFrameDefault" },
	{ WHY_CHILD, "the end of a thread", .user = "*pthread_join* *pthread_clockjoin*" },
	{ WHY_THREAD, "another thread of Python", .user = "PyThread_acquire_lock_timed" },
	{ WHY_THREAD, "a condition variable", .user = "*pthread_cond_*", .end = WHY_END_THREAD },

	/* Locks of the kernel, wherever it takes them. */
	{ WHY_LOCK, NULL, .stack = LOCKS " rt_mutex_* __rt_mutex_*" },
	{ WHY_LOCK, "a lock on a file", .stack = "*lock_inode_wait fcntl_setlk* __break_lease",
	  .syscall = "flock fcntl" },

	/* Memory. */
	{ WHY_MEMORY, "reclaim, above memory.high of its cgroup",
	  .stack = "*mem_cgroup_handle_over_high" },
	{ WHY_MEMORY, "swap",
	  .stack = "do_swap_page swap_read* swapin_* read_swap_* shmem_swapin*" },
	{ WHY_MEMORY, "reclaim", .stack = RECLAIM " throttle_*" },
	{ WHY_DISK, "writing less than it has changed", .stack = "balance_dirty_pages*" },
	{ WHY_THREAD, "userfaultfd", .stack = "handle_userfault" },
	{ WHY_THREAD, "a page of a file", .stack = PAGES, .end = WHY_END_PROGRAM },
	{ WHY_MEMORY, "a page fault", .stack = "*page_fault do_mem_abort handle_mm_fault",
	  .io = true },

	/* File systems and disks. */
	{ WHY_THREAD, "a FUSE file system", .stack = "request_wait_answer fuse_* __fuse_*" },
	{ WHY_OUTSIDE, "a network file system",
	  .stack = "rpc_* nfs_* nfs4_* cifs_* smb2_* ceph_*" },
	{ WHY_DISK, NULL, .io = true },
	{ WHY_DISK, NULL, .stack = PAGES " " SYNCS,
	  .syscall = "fsync fdatasync sync syncfs msync" },

	/* Processes, time, futexes. */
	{ WHY_CHILD, "a child",
	  .stack = "do_wait kernel_wait4 kernel_waitid* wait_for_vfork_done",
	  .syscall = "wait4 waitid vfork" },
	{ WHY_SLEEP, "a nap", .stack = "do_nanosleep hrtimer_nanosleep*",
	  .syscall = "*nanosleep" },
	{ WHY_LOCK, "a mutex", .stack = "*futex_*", .syscall = "futex*",
	  .user = "*[mM]utex*lock* *rwlock_*lock* sem_*wait*", .end = WHY_END_THREAD },
	{ WHY_LOCK, WHY_FUTEX, .stack = "*futex_*", .syscall = "futex*",
	  .end = WHY_END_THREAD },
	{ WHY_SLEEP, "the end of a time limit (futex)", .stack = "*futex_*", .syscall = "futex*",
	  .end = WHY_END_TIMER },

	/* Files, pipes and sockets. */
	{ WHY_WORK, "a connection", .stack = "*_accept", .syscall = "accept*" },
	{ WHY_WORK, "an event, in vain", .stack = EVENTS, .syscall = EVENT_CALLS,
	  .end = WHY_END_TIMER },
	{ WHY_WORK, "an event, not yet there", .stack = EVENTS, .syscall = EVENT_CALLS,
	  .end = WHY_END_NONE },
	{ WHY_OUTSIDE, "the network or a device", .stack = EVENTS, .syscall = EVENT_CALLS,
	  .end = WHY_END_DEVICE },
	{ WHY_UNKNOWN, "an event, or the end of a time limit", .stack = EVENTS,
	  .syscall = EVENT_CALLS, .end = WHY_END_INTERRUPT },
	{ WHY_OUTSIDE, "the network", .stack = SOCKETS, .syscall = SOCKET_CALLS,
	  .end = WHY_END_INTERRUPT },
	{ WHY_OUTSIDE, "a terminal", .stack = "n_tty_read n_tty_write tty_*" },
	{ WHY_THREAD, "a pipe", .stack = "*pipe_*", .end = WHY_END_THREAD },
	{ WHY_THREAD, "a socket", .stack = SOCKETS, .syscall = SOCKET_CALLS,
	  .end = WHY_END_THREAD },
	{ WHY_THREAD, WHY_EVENT, .stack = EVENTS, .syscall = EVENT_CALLS, .end = WHY_END_THREAD },
	{ WHY_SLEEP, "a signal, in vain", .stack = "do_sigtimedwait sigsuspend",
	  .syscall = "pause rt_sig*", .end = WHY_END_TIMER },
	{ WHY_UNKNOWN, "stopped or traced", .stack = "ptrace_stop do_signal_stop do_freezer_trap" },
	{ WHY_WORK, "work of the kernel", .innermost = IDLE },
	{ WHY_THREAD, NULL, .innermost = "*", .end = WHY_END_THREAD },
	{ WHY_UNKNOWN, "not over yet", .end = WHY_END_NONE },
	{ WHY_UNKNOWN, NULL, .innermost = "*" },

	/* Without a stack. */
	{ WHY_THREAD, "another thread", .end = WHY_END_THREAD },
	{ WHY_UNKNOWN, "no stack", .end = WHY_END_ANY },
};

/* Check whether the frame, "FUNCTION" or "FUNCTION [FILE]", matches one of the patterns. */
static bool matches(const char *patterns, const char *frame, size_t len)
{
	char name[128], pattern[128];
	size_t len_pattern;

	len = strcspn(frame, " ;") < len ? strcspn(frame, " ;") : len;
	if (len >= sizeof(name))
		return false;
	memcpy(name, frame, len);
	name[len] = '\0';
	for (; *patterns; patterns += len_pattern + strspn(patterns + len_pattern, " ")) {
		len_pattern = strcspn(patterns, " ");
		memcpy(pattern, patterns, len_pattern);
		pattern[len_pattern] = '\0';
		if (!fnmatch(pattern, name, 0))
			return true;
	}
	return false;
}

static bool has_frame(const char *patterns, const char *stack)
{
	const char *frame;
	size_t len;

	while (why_frame_next(&stack, &frame, &len))
		if (matches(patterns, frame, len))
			return true;
	return false;
}

/* Check whether the function that called the scheduler matches. */
static bool has_innermost(const char *patterns, const char *stack)
{
	const char *end = stack + strlen(stack), *frame;
	size_t len;

	while (why_frame_before(stack, &end, &frame, &len))
		if (!why_frame_is_scheduler(frame, len))
			return matches(patterns, frame, len);
	return false;
}

/* Check whether a wait ended as a rule asks for, which may name only the sort of end. */
static bool ends_so(enum why_end wanted, enum why_end end)
{
	return !wanted || wanted == end ||
	       (wanted == WHY_END_THREAD && end == WHY_END_PROGRAM) ||
	       (wanted == WHY_END_INTERRUPT && end == WHY_END_DEVICE);
}

static bool applies(const struct why_rule *rule, const struct why_evidence *evidence)
{
	if (!ends_so(rule->end, evidence->end) || (rule->io && !evidence->io))
		return false;
	if ((rule->user && !has_frame(rule->user, evidence->user)) ||
	    (rule->caller && !has_frame(rule->caller, evidence->user)))
		return false;
	if (rule->innermost && !has_innermost(rule->innermost, evidence->stack))
		return false;
	if (!rule->stack)
		return true;
	if (*evidence->stack || !rule->syscall)
		return has_frame(rule->stack, evidence->stack);
	return matches(rule->syscall, evidence->syscall, strlen(evidence->syscall));
}

/**
 * why_rule_find() - find the rule for a wait
 * @evidence: what is known of the wait
 *
 * Return: the first rule that applies; the last one always does.
 */
const struct why_rule *why_rule_find(const struct why_evidence *evidence)
{
	const struct why_rule *rule = rules;

	while (!applies(rule, evidence))
		rule++;
	return rule;
}

/**
 * why_rule_has() - check whether a frame is one of those that a rule looks for
 * @rule: the rule
 * @frame: frame of a kernel stack, not terminated
 * @len: length of @frame
 *
 * Return: true if it is.
 */
bool why_rule_has(const struct why_rule *rule, const char *frame, size_t len)
{
	return rule->stack && matches(rule->stack, frame, len);
}
