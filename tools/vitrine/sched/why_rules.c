// SPDX-License-Identifier: GPL-2.0
/*
 * The rules that tell the kind of a wait, in one table. The first rule that applies decides.
 */
#include <fnmatch.h>
#include <string.h>

#include "why.h"
#include "why_texts.h"

/* Functions of the kernel that take locks. */
#define LOCKS	"*mutex_lock* rwsem_down_* rwbase_* percpu_down* percpu_rwsem_* __percpu_* " \
	"__down* rtlock_* rt_mutex_* __rt_mutex_* d_alloc_parallel"
/* Functions that wait for all that use what is to be freed or changed. */
#define GRACE	"__wait_rcu_gp synchronize_rcu* synchronize_srcu* __synchronize_srcu rcu_barrier*"
/* Functions that wait for a disk. */
#define PAGES	"folio_wait_* wait_on_page_* __wait_on_buffer wait_for_completion_io* io_schedule*"
#define SYNCS	"jbd2_* __jbd2_* xlog_* xfs_log_* btrfs_wait_* btrfs_sync_* *_sync_file *_fsync " \
	"wb_wait_for_completion blk_* submit_bio_wait read_events dm_io md_write_start md_flush_request"
/* Functions that find memory. */
#define RECLAIM	"try_to_free_* shrink_* reclaim_throttle *direct_reclaim* compact_zone* " \
	"mem_cgroup_oom* mem_cgroup_out_of_memory"
/* Functions, and system calls, that wait for an event of any file. */
#define EVENTS	"do_epoll_wait ep_poll do_sys_poll do_poll* do_select *_select io_cqring_wait"
#define EVENT_CALLS	"epoll_* poll ppoll select pselect6 _newselect io_uring_enter"
/* The same of sockets: of the network, and of any sort. */
#define NETWORK	"sk_wait_data tcp_* udp_* inet_* __inet_* sctp_*"
#define SOCKETS	NETWORK " unix_* __skb_* sock_* sk_stream_* netlink_*"
#define SOCKET_CALLS	"recv* send* connect"
/* Functions of programs that ask another machine. */
#define ASKS	"*res_*send* *res_*query* *getaddrinfo* *gethostby* ares_* *connect* *recv*"
/* Functions of the kernel that wait for a signal, and system calls. */
#define SIGNALS	"do_sigtimedwait sigsuspend __do_sys_pause sys_pause"
#define SIGNAL_CALLS	"pause rt_sig*"
/* Functions of programs that wait for a lock. */
#define MUTEXES	"*[mM]utex*lock* ___pthread_mutex_* __lll_lock_wait*"

/* Functions that tell nothing of what is waited for, and where system calls begin. */
#define DULL	"*wait_for_completion* __wait_for_common wait_woken *wait_on_bit* msleep* " \
	"schedule_timeout* usleep_range* down_read* down_write* folio_wait_bit_common"
#define ENTRIES	"do_syscall_64 entry_SYSCALL_64* x64_sys_call invoke_syscall el0* do_el0_svc " \
	"__x64_sys_* __arm64_sys_* __do_sys_* __se_sys_* ksys_*"

/* Functions in which threads of the kernel wait for work themselves. */
#define IDLE	"worker_thread rescuer_thread kthread_worker_fn smpboot_thread_fn kthreadd " \
	"kswapd* kcompactd* kjournald2 rcu_gp_* rcu_nocb_* kauditd_thread khugepaged oom_reaper " \
	"io_wq*_worker vhost_task_fn vhost_worker irq_thread napi_threaded_poll*"

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
	{ WHY_LOCK, "Python's global lock", .user = "pthread_cond_timedwait",
	  .caller = "_PyEval_EvalFrameDefault", .calls = true },
	{ WHY_LOCK, "a lock of Python", .user = "PyThread_acquire_lock_timed" },
	{ WHY_LOCK, "Ruby's global lock", .user = "*gvl_acquire* thread_sched_wait*" },
	{ WHY_LOCK, "a monitor of Java", .user = "_ZN13ObjectMonitor*enter*" },
	{ WHY_SLEEP, "a nap", .user = "_ZN10JavaThread5sleep* JVM_Sleep" },
	{ WHY_CHILD, "the end of a thread", .user = "*pthread_join* *pthread_clockjoin*" },
	{ WHY_THREAD, "a barrier", .user = "*pthread_barrier_wait* gomp_*barrier* gomp_team_*",
	  .stack = "*futex_*", .syscall = "futex*", .end = WHY_END_THREAD },
	{ WHY_THREAD, "a semaphore", .user = "*sem_wait* *sem_timedwait* *sem_clockwait*",
	  .stack = "*futex_*", .syscall = "futex*", .end = WHY_END_THREAD },
	{ WHY_THREAD, "a condition variable", .user = "*pthread_cond_wait*",
	  .end = WHY_END_THREAD, .by_thread = true },
	{ WHY_THREAD, "a condition variable", .user = "*pthread_cond_*", .end = WHY_END_THREAD },

	/* Locks of the kernel, wherever it takes them, and what stops a thread. */
	{ WHY_LOCK, "a grace period of RCU", .stack = GRACE, .syscall = "membarrier" },
	{ WHY_LOCK, NULL, .stack = LOCKS },
	{ WHY_LOCK, "a lock on a file", .stack = "*lock_inode_wait fcntl_setlk* __break_lease",
	  .syscall = "flock fcntl" },
	{ WHY_STOPPED, "a signal, a debugger or a freezer",
	  .innermost = "ptrace_stop do_signal_stop do_freezer_trap __refrigerator get_signal" },

	/* Memory. */
	{ WHY_MEMORY, "reclaim, above memory.high of its cgroup",
	  .stack = "*mem_cgroup_handle_over_high" },
	{ WHY_MEMORY, "swap",
	  .stack = "do_swap_page swap_read* swapin_* read_swap_* shmem_swapin*" },
	{ WHY_MEMORY, "reclaim", .stack = RECLAIM " throttle_*" },
	{ WHY_DISK, "writing less than it has changed", .stack = "balance_dirty_pages*" },
	{ WHY_THREAD, "userfaultfd", .stack = "handle_userfault", .by_thread = true },
	{ WHY_THREAD, "a page of a file", .stack = PAGES, .end = WHY_END_PROGRAM },
	{ WHY_MEMORY, "a page fault", .stack = "*page_fault do_mem_abort handle_mm_fault",
	  .io = true },

	/* File systems and disks. */
	{ WHY_THREAD, "a FUSE file system", .stack = "request_wait_answer fuse_* __fuse_*",
	  .by_thread = true },
	{ WHY_OUTSIDE, "a network file system",
	  .stack = "rpc_* nfs_* nfs4_* cifs_* smb2_* ceph_* netfs_* p9_* v9fs_*" },
	{ WHY_DISK, NULL, .io = true },
	{ WHY_DISK, NULL, .stack = PAGES " " SYNCS,
	  .syscall = "fsync fdatasync sync syncfs msync io_getevents" },

	/* Processes, time, futexes. */
	{ WHY_CHILD, "a child",
	  .stack = "do_wait kernel_wait4 kernel_waitid* wait_for_vfork_done kernel_clone",
	  .syscall = "wait4 waitid vfork" },
	{ WHY_SLEEP, "a nap", .stack = "do_nanosleep hrtimer_nanosleep*",
	  .syscall = "*nanosleep" },
	{ WHY_SLEEP, "a nap", .stack = "timerfd_read*", .end = WHY_END_INTERRUPT },
	{ WHY_SLEEP, "a signal of a timer, or a time limit", .stack = SIGNALS,
	  .syscall = SIGNAL_CALLS, .end = WHY_END_INTERRUPT },
	{ WHY_LOCK, "a reader-writer lock", .stack = "*futex_*", .syscall = "futex*",
	  .user = "*rwlock_*lock*" },
	{ WHY_LOCK, "a mutex", .stack = "*futex_*", .syscall = "futex*", .user = MUTEXES },
	{ WHY_THREAD, WHY_FUTEX, .stack = "*futex_*", .syscall = "futex*",
	  .end = WHY_END_THREAD },
	{ WHY_SLEEP, "the end of a time limit (futex)", .stack = "*futex_*", .syscall = "futex*",
	  .end = WHY_END_INTERRUPT },

	/* Files, pipes and sockets. */
	{ WHY_WORK, "a connection", .stack = "*_accept", .syscall = "accept*" },
	{ WHY_OUTSIDE, "an answer that did not come", .stack = EVENTS, .syscall = EVENT_CALLS,
	  .user = ASKS, .end = WHY_END_TIMER },
	{ WHY_WORK, WHY_VAIN, .stack = EVENTS, .syscall = EVENT_CALLS, .end = WHY_END_TIMER },
	{ WHY_WORK, "an event, not yet there", .stack = EVENTS, .syscall = EVENT_CALLS,
	  .end = WHY_END_NONE },
	{ WHY_OUTSIDE, "the network or a device", .stack = EVENTS, .syscall = EVENT_CALLS,
	  .end = WHY_END_DEVICE },
	{ WHY_UNKNOWN, "an event, or the end of a time limit", .stack = EVENTS,
	  .syscall = EVENT_CALLS, .end = WHY_END_INTERRUPT },
	{ WHY_OUTSIDE, "an answer that did not come", .stack = SOCKETS, .syscall = SOCKET_CALLS,
	  .end = WHY_END_TIMER },
	{ WHY_UNKNOWN, "an answer that has not come", .stack = SOCKETS, .syscall = SOCKET_CALLS,
	  .end = WHY_END_NONE },
	{ WHY_OUTSIDE, "the network", .stack = SOCKETS, .syscall = SOCKET_CALLS,
	  .end = WHY_END_INTERRUPT },
	{ WHY_OUTSIDE, "a terminal", .stack = "n_tty_read n_tty_write tty_*" },
	{ WHY_THREAD, "a pipe", .stack = "*pipe_* wait_for_partner", .end = WHY_END_THREAD,
	  .by_thread = true },
	{ WHY_THREAD, "a socket", .stack = "unix_*", .end = WHY_END_THREAD, .by_thread = true },
	{ WHY_THREAD, "a socket", .stack = SOCKETS, .syscall = SOCKET_CALLS,
	  .end = WHY_END_THREAD },
	{ WHY_THREAD, WHY_EVENT, .stack = EVENTS, .syscall = EVENT_CALLS, .end = WHY_END_THREAD },
	{ WHY_THREAD, "a semaphore", .stack = "do_semtimedop __do_semtimedop",
	  .end = WHY_END_THREAD },
	{ WHY_THREAD, "a message", .stack = "wq_sleep do_mq_* do_msgrcv do_msgsnd",
	  .end = WHY_END_THREAD },
	{ WHY_THREAD, "fanotify", .stack = "fanotify_get_response fanotify_handle_event",
	  .by_thread = true },
	{ WHY_THREAD, "seccomp", .stack = "seccomp_do_user_notification", .by_thread = true },
	{ WHY_THREAD, WHY_EVENT, .stack = "inotify_read fanotify_read signalfd_read* eventfd_read*",
	  .end = WHY_END_THREAD },
	{ WHY_WORK, "a signal, not yet there", .stack = SIGNALS, .syscall = SIGNAL_CALLS,
	  .end = WHY_END_NONE },
	{ WHY_THREAD, WHY_SIGNAL, .stack = SIGNALS, .syscall = SIGNAL_CALLS,
	  .end = WHY_END_THREAD },
	{ WHY_WORK, "an idle virtual CPU", .stack = "kvm_vcpu_block kvm_vcpu_halt" },
	{ WHY_WORK, "work of the kernel", .innermost = IDLE },
	{ WHY_UNKNOWN, NULL, .innermost = "*", .end = WHY_END_NONE },
	{ WHY_THREAD, NULL, .innermost = "*", .end = WHY_END_THREAD },
	{ WHY_OUTSIDE, NULL, .innermost = "*", .end = WHY_END_DEVICE },
	{ WHY_SLEEP, NULL, .innermost = "*", .end = WHY_END_TIMER },
	{ WHY_UNKNOWN, NULL, .innermost = "*" },

	/* Without a stack. */
	{ WHY_UNKNOWN, "not over yet", .end = WHY_END_NONE },
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

/*
 * Check whether a stack has a function; unless @caller is NULL, one that such a function has
 * called, with none in between whose name is known.
 */
static bool has_frame(const char *patterns, const char *caller, const char *stack)
{
	bool is_called = !caller;
	const char *frame;
	size_t len;

	while (why_frame_next(&stack, &frame, &len)) {
		if (is_called && matches(patterns, frame, len))
			return true;
		if (caller && frame[len - 1] == ']')
			is_called = matches(caller, frame, len);
	}
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
	       (wanted == WHY_END_THREAD && (end == WHY_END_PROGRAM || end == WHY_END_NONE)) ||
	       (wanted == WHY_END_INTERRUPT && (end == WHY_END_DEVICE || end == WHY_END_TIMER));
}

static bool applies(const struct why_rule *rule, const struct why_evidence *evidence)
{
	if (!ends_so(rule->end, evidence->end) || (rule->io && !evidence->io))
		return false;
	if ((rule->user &&
	     !has_frame(rule->user, rule->calls ? rule->caller : NULL, evidence->user)) ||
	    (rule->caller && !has_frame(rule->caller, NULL, evidence->user)))
		return false;
	if (rule->innermost && !has_innermost(rule->innermost, evidence->stack))
		return false;
	if (!rule->stack)
		return true;
	if (*evidence->stack || !rule->syscall)
		return has_frame(rule->stack, NULL, evidence->stack);
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
 * why_rule_place() - find the function that called those which a rule looks for
 * @rule: the rule; without any, the innermost function is found
 * @stack: kernel stack
 * @ret: frame of the function, not terminated
 * @ret_len: its length
 *
 * Return: false if there is none that tells more than the system call.
 */
bool why_rule_place(const struct why_rule *rule, const char *stack, const char **ret,
		    size_t *ret_len)
{
	const char *end = stack + strlen(stack);
	bool found = !rule->stack, is_one;

	while (why_frame_before(stack, &end, ret, ret_len)) {
		is_one = rule->stack && matches(rule->stack, *ret, *ret_len);
		if (found && !is_one && !why_frame_is_scheduler(*ret, *ret_len) &&
		    !matches(DULL, *ret, *ret_len))
			return !matches(ENTRIES, *ret, *ret_len);
		found |= is_one;
	}
	return false;
}
