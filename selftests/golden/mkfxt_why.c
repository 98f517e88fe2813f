// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces: why threads waited, with the stacks of long waits as the module writes
 * them. Times are in nanoseconds.
 */
#include <stdio.h>
#include <string.h>

#include "mkfxt.h"

#define US	1000ULL

/* A thread: its index in the thread table, priority, process, id and name. */
struct actor {
	unsigned int ref;
	unsigned int priority;
	uint64_t process;
	uint64_t koid;
	const char *name;
};

static const struct actor idle = { 1, 0, 0, 0, "idle" };

/* Threads of the trace with a mutex, a slow disk and a pipe. */
static const struct actor waiter = { 2, 120, 200, 201, "waiter" };
static const struct actor holder = { 3, 120, 200, 202, "holder" };
static const struct actor starter = { 4, 120, 203, 203, "starter" };
static const struct actor compiler = { 5, 120, 300, 300, "cc1" };
static const struct actor shell = { 6, 120, 400, 400, "sshd" };

/* A real-time thread, and the threads that it starves. */
static const struct actor hog = { 2, 49, 500, 500, "hog" };
static const struct actor victim = { 3, 120, 501, 501, "victim" };
static const struct actor late = { 4, 120, 502, 502, "late" };
static const struct actor migration = { 5, 1, 2, 18, "migration/0" };

/* ---- Sub-buffers ---------------------------------------------------------- */

static void introduce(const struct actor *actor)
{
	thread(actor->ref, actor->process, actor->koid);
	thread_name(actor->process, actor->koid, actor->name);
}

/* Begin a sub-buffer with the names of threads. */
#define start(...)	start_with((const struct actor *[]){ __VA_ARGS__, NULL })

static void start_with(const struct actor **actors)
{
	keep();
	for (; *actors; actors++)
		introduce(*actors);
}

static void finish_large(unsigned int cpu, uint32_t subbuf_bytes, uint64_t begin, uint64_t end)
{
	struct packet packet = first_packet(cpu);

	packet.subbuf_bytes = subbuf_bytes;
	kept_subbuf(&packet, begin, end);
}

static void finish(unsigned int cpu, uint64_t begin, uint64_t end)
{
	finish_large(cpu, 4096, begin, end);
}

static void switch_to(unsigned int cpu, uint64_t ticks, unsigned int state,
		      const struct actor *from, const struct actor *to)
{
	legacy_switch(cpu, ticks, state,
		      (struct side){ from->ref, from->priority },
		      (struct side){ to->ref, to->priority });
}

/* A thread comes from idle, and goes back to it in @state. */
static void run(unsigned int cpu, uint64_t from, uint64_t to, unsigned int state,
		const struct actor *actor)
{
	switch_to(cpu, from, 0, &idle, actor);
	switch_to(cpu, to, state, actor, &idle);
}

/* ---- Events --------------------------------------------------------------- */

static void blocked(const struct actor *actor, uint64_t ticks,
		    uint64_t blocked_ns, const char *syscall, bool io_wait,
		    const char *stack)
{
	keep();
	number_arg(ARG_UINT64, "blocked_ns", blocked_ns);
	string_arg("stack", stack);
	string_arg("syscall", syscall);
	if (io_wait)
		int32_arg("io_wait", 1);
	kept_event(0, actor->ref, "stacks", "blocked", ticks);
}

static void still(const struct actor *actor, const char *syscall, const char *stack, uint64_t ticks,
		  uint64_t blocked_ns)
{
	keep();
	number_arg(ARG_UINT64, "blocked_ns", blocked_ns);
	int32_arg("still", 1);
	string_arg("syscall", syscall);
	if (stack)
		string_arg("stack", stack);
	kept_event(0, actor->ref, "stacks", "blocked", ticks);
}

static void left_out(const struct actor *actor, uint64_t ticks, uint64_t nr)
{
	keep();
	number_arg(ARG_UINT64, "left_out", nr);
	kept_event(EVENT_COUNTER, actor->ref, "stacks", "stacks_left_out", ticks);
	word(0);
}

/* A sample, with a stack if the thread is in the kernel. */
static void running(const struct actor *actor, uint64_t ticks, const char *stack)
{
	keep();
	if (stack)
		string_arg("stack", stack);
	kept_event(0, actor->ref, "stacks", "running", ticks);
}

static void user_stack(const struct actor *actor, uint64_t ticks,
		       const char *stack)
{
	keep();
	string_arg("stack", stack);
	kept_event(0, actor->ref, "stacks", "user stack", ticks);
}

/* A system call that blocks: its begin is written before the thread blocks, then its end. */
static void enter(const struct actor *actor, uint64_t ticks, const char *name)
{
	plain_event(2, actor->ref, "syscall", name, ticks);
}

static void leave(const struct actor *actor, uint64_t ticks, const char *name)
{
	plain_event(3, actor->ref, "syscall", name, ticks);
}

static void interrupt(const struct actor *actor, uint64_t begin, uint64_t end,
		      const char *name)
{
	plain_event(EVENT_COMPLETE, actor->ref, "irq", name, begin);
	word(end);
}

/* A request to a disk: when it is issued, and when it is completed. */
static void issue(const struct actor *actor, uint64_t ticks, uint64_t id,
		  const char *operation, const char *disk, uint64_t bytes)
{
	keep();
	string_arg("disk", disk);
	number_arg(ARG_UINT64, "bytes", bytes);
	kept_event(5, actor->ref, "block", operation, ticks);
	word(id);
}

static void complete(const struct actor *actor, uint64_t ticks, uint64_t id,
		     const char *operation)
{
	plain_event(7, actor->ref, "block", operation, ticks);
	word(id);
}

/* ---- A mutex whose holder waits for a disk --------------------------------- */

#define ENTRY	"entry_SYSCALL_64_after_hwframe+0x76;do_syscall_64+0x82;"
#define LEAVE	";schedule+0x27;__schedule+0x3f2"

static const char read_stack[] = ENTRY
	"ksys_read+0x6b;vfs_read+0x2c4;pipe_read+0x3a2" LEAVE;
static const char write_stack[] = ENTRY
	"ksys_write+0x6b;vfs_write+0x2bd;demo_write+0x1c [demo];mutex_lock+0x2d;"
	"__mutex_lock.constprop.0+0x3fb;schedule_preempt_disabled+0x15" LEAVE;
static const char fsync_stack[] = ENTRY
	"__x64_sys_fsync+0x37;do_fsync+0x38;ext4_sync_file+0x1d5;"
	"file_write_and_wait_range+0x90;__filemap_fdatawait_range+0x7b;"
	"folio_wait_bit_common+0x13d;io_schedule+0x46" LEAVE;

static void disk_cpu0(void)
{
	start(&idle, &waiter, &starter, &compiler, &shell, &holder);
	process_name(200, "app");
	process_name(203, "starter");
	process_name(300, "cc1");
	process_name(400, "sshd");
	switch_to(0, 850 * US, 0, &idle, &waiter);
	enter(&waiter, 880 * US, "read");
	switch_to(0, 900 * US, 3, &waiter, &idle);
	switch_to(0, 1000 * US, 0, &idle, &starter);
	blocked(&waiter, 2000 * US, 1100 * US, "read", false, read_stack);
	wakeup(0, 2000 * US, waiter.koid);
	switch_to(0, 2030 * US, 3, &starter, &waiter);
	leave(&waiter, 2040 * US, "read");
	enter(&waiter, 2060 * US, "write");
	switch_to(0, 2130 * US, 3, &waiter, &idle);
	complete(&idle, 12997 * US, 77, "write");
	complete(&idle, 12998 * US, 99, "flush");
	blocked(&holder, 13000 * US, 11500 * US, "fsync", true, fsync_stack);
	wakeup(0, 13000 * US, holder.koid);
	interrupt(&idle, 12995 * US, 13010 * US, "virtio0-req.0");
	switch_to(0, 13050 * US, 0, &idle, &compiler);
	interrupt(&compiler, 13200 * US, 13212 * US, "local_timer");
	switch_to(0, 13470 * US, 3, &compiler, &shell);
	switch_to(0, 13550 * US, 3, &shell, &waiter);
	leave(&waiter, 13580 * US, "write");
	user_stack(&waiter, 13585 * US,
		   "app+0x1139;flush_log+0x40 [app];libc.so.6+0xfa0f4");
	switch_to(0, 13600 * US, 3, &waiter, &idle);
	finish(0, 850 * US, 13600 * US);
}

static void build_disk(void)
{
	disk_cpu0();
	start(&idle, &holder, &waiter);
	switch_to(1, 1000 * US, 0, &idle, &holder);
	enter(&holder, 1200 * US, "fsync");
	issue(&holder, 1300 * US, 77, "write", "vda", 4096);
	switch_to(1, 1500 * US, 3, &holder, &idle);
	switch_to(1, 13020 * US, 0, &idle, &holder);
	leave(&holder, 13080 * US, "fsync");
	blocked(&waiter, 13150 * US, 11020 * US, "write", false, write_stack);
	wakeup(1, 13150 * US, waiter.koid);
	switch_to(1, 13700 * US, 3, &holder, &idle);
	finish(1, 1000 * US, 13700 * US);
}

/* ---- A real-time thread that starves others -------------------------------- */

static void build_starved(void)
{
	start(&idle, &hog, &victim, &late, &migration);
	process_name(2, "kthreadd");
	process_name(500, "hog");
	process_name(501, "<victim> & \"Co;\"");
	process_name(502, "late");
	switch_to(0, 900 * US, 0, &idle, &late);
	switch_to(0, 950 * US, 3, &late, &hog);
	switch_to(0, 1000 * US, 3, &hog, &victim);
	wakeup(0, 1200 * US, late.koid);
	wakeup(0, 1505 * US, hog.koid);
	interrupt(&victim, 1500 * US, 1508 * US, "local_timer");
	switch_to(0, 1510 * US, 0, &victim, &hog);
	switch_to(0, 51510 * US, 3, &hog, &migration);
	switch_to(0, 51520 * US, 3, &migration, &victim);
	left_out(&victim, 51600 * US, 3);
	left_out(&victim, 51700 * US, 5);
	switch_to(0, 52000 * US, 3, &victim, &late);
	switch_to(0, 52100 * US, 3, &late, &idle);
	finish(0, 900 * US, 52100 * US);
}

/* ---- More wakers than a chain has links ------------------------------------ */

#define NR_RUNNERS	12

/* Each runner blocks at first, and is woken up by the previous one after that has run. */
static void build_relay(void)
{
	struct actor runners[NR_RUNNERS];
	char names[NR_RUNNERS][16];
	unsigned int i;

	start(&idle);
	for (i = 0; i < NR_RUNNERS; i++) {
		sprintf(names[i], "runner-%u", i);
		runners[i] = (struct actor){ 2 + i, 120, 600, 601 + i, names[i] };
		introduce(&runners[i]);
	}
	process_name(600, "relay");
	for (i = 0; i < NR_RUNNERS; i++)
		run(0, (10 + 2 * i) * US, (11 + 2 * i) * US, 3, &runners[i]);
	wakeup(0, 100 * US, runners[0].koid);
	for (i = 0; i < NR_RUNNERS; i++) {
		switch_to(0, (110 + 100 * i) * US, 0, &idle, &runners[i]);
		if (i + 1 < NR_RUNNERS)
			wakeup(0, (150 + 100 * i) * US, runners[i + 1].koid);
		switch_to(0, (160 + 100 * i) * US, 3, &runners[i], &idle);
	}
	finish(0, 10 * US, (160 + 100 * i) * US);
}

/* ---- Threads that are still blocked at the end ------------------------------ */

/* The holder was blocked before the trace begins, and the shell goes on. */
static void build_still(void)
{
	start(&idle, &waiter, &holder, &shell);
	process_name(200, "app");
	process_name(400, "sshd");
	switch_to(0, 1000 * US, 0, &idle, &waiter);
	switch_to(0, 2000 * US, 3, &waiter, &shell);
	switch_to(0, 3000 * US, 3, &shell, &idle);
	still(&waiter, "read", NULL, 10000 * US, 8000 * US);
	still(&holder, "read", NULL, 10000 * US, 3600000000ULL * US);
	still(&shell, "read", NULL, 10000 * US, 7000 * US);
	wakeup(0, 10400 * US, shell.koid);
	run(0, 10500 * US, 11000 * US, 0, &shell);
	finish(0, 1000 * US, 11000 * US);
}

/* ---- A limit of CPU time ---------------------------------------------------- */

/*
 * The compiler may run for 20 ms of each 100 ms. In between it is runnable, and the CPU is idle,
 * except for a while in the last period, in which more threads run than are told apart.
 */
static void marker(const struct actor *actor, const char *text, uint64_t ticks)
{
	plain_event(0, actor->ref, "marker", text, ticks);
}

/* With markers that the recorder writes: how long the cgroup had been throttled at first. */
static void throttle(const char *before)
{
	struct actor worker = { 7, 120, 2, 20, "worker" };
	uint64_t now;

	start(&idle, &compiler, &shell);
	process_name(300, "cc1");
	process_name(400, "sshd");
	if (before) {
		marker(&shell, before, 900 * US);
		marker(&shell, "cgroup process 300 /build", 900 * US);
	}
	for (now = 1000 * US; now < 300000 * US; now += 100000 * US)
		run(0, now, now + 20000 * US, 0, &compiler);
	run(0, 230000 * US, 250000 * US, 3, &shell);
	for (; worker.ref < 13; worker.ref++, worker.koid++) {
		introduce(&worker);
		switch_to(0, (250000 + 2000 * worker.ref) * US, 0, &idle, &worker);
		switch_to(0, (250100 + 2000 * worker.ref) * US, 2, &worker, &idle);
	}
	run(0, now, now + 5000 * US, 3, &compiler);
	if (before)
		marker(&shell, "cgroup limit 20000 100000 250000 /build", now + 6000 * US);
	finish(0, (before ? 900 : 1000) * US, now + (before ? 6000 : 5000) * US);
}

static void build_throttled(void)
{
	throttle(NULL);
}

static void build_limited(void)
{
	throttle("cgroup limit 20000 100000 10000 /build");
}

static void build_unlimited(void)
{
	throttle("cgroup limit 20000 100000 250000 /build");
}

/* ---- Samples of running threads --------------------------------------------- */

#define WRITE	ENTRY "ksys_write+0x6b;vfs_write+0x2bd;"

/*
 * The compiler is sampled in user space, twice in one system call, and in user space again, but
 * the user stack is lost. The shell is sampled in the kernel, where it stays.
 */
static void build_sampled(void)
{
	start(&idle, &compiler, &shell);
	process_name(300, "cc1");
	process_name(400, "sshd");
	switch_to(0, 1000 * US, 0, &idle, &compiler);
	running(&compiler, 5000 * US, NULL);
	user_stack(&compiler, 5001 * US, "cc1+0x1139;parse+0x40 [cc1];hash+0x7 [cc1]");
	running(&compiler, 10000 * US, WRITE "copy_from_user+0x1");
	running(&compiler, 15000 * US, WRITE "demo_write+0x1c [demo];spin+0x1 [demo]");
	user_stack(&compiler, 15500 * US, "cc1+0x1139;save+0x90 [cc1]");
	running(&compiler, 20000 * US, NULL);
	running(&compiler, 25000 * US, NULL);
	user_stack(&compiler, 25001 * US, "cc1+0x1139;parse+0x44 [cc1];hash+0x9 [cc1]");
	switch_to(0, 31000 * US, 0, &compiler, &shell);
	running(&shell, 35000 * US, WRITE "copy_from_user+0x1");
	switch_to(0, 36000 * US, 0, &shell, &compiler);
	switch_to(0, 37000 * US, 3, &compiler, &idle);
	finish(0, 1000 * US, 37000 * US);
}

/* ---- Rings that begin at different times ------------------------------------ */

#define MS	1000000ULL

static void snapshot_cpu(unsigned int cpu, uint64_t nr_before, uint64_t begin, uint64_t end)
{
	struct packet packet = first_packet(cpu);

	packet.sequence = nr_before / 100;
	packet.records_before = nr_before;
	packet.bytes_before = nr_before * 16;
	kept_subbuf(&packet, begin, end);
}

/*
 * A snapshot of the flight recorder. CPU 1 has records from 5.2 s on, CPU 0, which is busier,
 * from 13.5 s on. The waiter is woken up at 6 s; it may have run on CPU 0 before that has
 * records. CPU 2 is brought up at 20 s, and had no records before.
 */
static void build_snapshot(void)
{
	start(&idle, &waiter, &starter);
	process_name(200, "app");
	process_name(203, "starter");
	switch_to(0, 13500 * MS, 3, &idle, &starter);
	switch_to(0, 18240 * MS, 3, &starter, &waiter);
	switch_to(0, 18300 * MS, 3, &waiter, &idle);
	wakeup(0, 19000 * MS, waiter.koid);
	run(0, 19010 * MS, 19500 * MS, 3, &waiter);
	snapshot_cpu(0, 900, 13500 * MS, 19500 * MS);
	start(&idle, &shell, &compiler);
	process_name(300, "cc1");
	process_name(400, "sshd");
	switch_to(1, 5200 * MS, 0, &idle, &shell);
	wakeup(1, 6000 * MS, waiter.koid);
	switch_to(1, 7000 * MS, 3, &shell, &idle);
	wakeup(1, 8000 * MS, shell.koid);
	run(1, 8500 * MS, 9000 * MS, 3, &shell);
	wakeup(1, 19500 * MS, compiler.koid);
	run(1, 19600 * MS, 21000 * MS, 3, &shell);
	snapshot_cpu(1, 40, 5200 * MS, 21000 * MS);
	start(&idle, &compiler);
	run(2, 20000 * MS, 21000 * MS, 3, &compiler);
	snapshot_cpu(2, 0, 20000 * MS, 21000 * MS);
}

/* ---- Rules ------------------------------------------------------------------ */

/*
 * How a wait ends: another thread wakes it, an interrupt does, perhaps one that was not recorded,
 * nothing is known, or it goes on.
 */
enum ending {
	BY_THREAD,
	BY_TIMER,
	BY_DEVICE,
	BY_INTERRUPT,
	UNSEEN,
	NEVER,
};

/* A wait, by the rule that applies, and with "no-" one that differs in what the rule asks for. */
struct story {
	const char *name;
	const char *syscall;
	const char *stack;
	const char *user;
	enum ending ending;
	bool io_wait;
};

#define EPOLL	"do_epoll_wait+0x6a2;schedule_hrtimeout_range_clock+0x114"
#define FUTEX	"do_futex+0xc0;futex_wait+0x6e;__futex_wait+0x150;futex_wait_queue+0x63"
#define NAP	"common_nsleep+0x1a;do_nanosleep+0x66"
#define PIPE	"vfs_read+0x2c4;pipe_read+0x3a2"

static const struct story stories[] = {
	{ "postgres", "epoll_wait", .stack = EPOLL,
	  .user = "ProcSleep+0x314 [postgres];epoll_wait+0x13 [libc.so.6]" },
	{ "no-postgres", "epoll_wait", .stack = EPOLL,
	  .user = "secure_read+0xd5 [postgres];epoll_wait+0x13 [libc.so.6]" },
	{ "lwlock", "futex", .stack = FUTEX,
	  .user = "LWLockAcquire+0xad [postgres];PGSemaphoreLock+0x22 [postgres]" },
	{ "no-lwlock", "futex", .stack = FUTEX, .user = "PGSemaphoreLock+0x22 [postgres]" },
	{ "sqlite", "clock_nanosleep", .stack = NAP,
	  .user = "sqlite3_step+0x13f [libsqlite3.so.0];usleep+0x40 [libc.so.6]",
	  .ending = BY_TIMER },
	{ "no-sqlite", "fdatasync", .stack = fsync_stack,
	  .user = "sqlite3_step+0x13f [libsqlite3.so.0];fdatasync+0x13 [libc.so.6]",
	  .ending = BY_DEVICE, .io_wait = true },
	{ "gil", "futex", .stack = FUTEX,
	  .user = "PyEval_RestoreThread+0x12 [python3.11];pthread_cond_timedwait" },
	{ "gil-eval", "futex", .stack = FUTEX,
	  .user = "_PyEval_EvalFrameDefault+0x96a [python3];"
		  "pthread_cond_timedwait+0x21c [libc.so.6]",
	  .ending = BY_TIMER },
	{ "no-gil", "futex", .stack = FUTEX,
	  .user = "main+0x96a [app];pthread_cond_timedwait+0x21c [libc.so.6]",
	  .ending = BY_TIMER },
	{ "join", "futex", .stack = FUTEX,
	  .user = "main+0x10 [app];pthread_join+0x10 [libc.so.6]" },
	{ "python-lock", "futex", .stack = FUTEX,
	  .user = "PyThread_acquire_lock_timed+0x173 [python3.11]" },
	{ "condition", "futex", .stack = FUTEX,
	  .user = "main+0x10 [app];pthread_cond_wait+0x10 [libc.so.6]" },
	{ "no-condition", "futex", .stack = FUTEX,
	  .user = "main+0x10 [app];pthread_mutex_lock+0x10 [libc.so.6]" },
	{ "mutex", "write", .stack = write_stack },
	{ "no-mutex", "write", .stack = "vfs_write+0x2bd;demo_write+0x1c [demo]" },
	{ "flock", "flock", .stack = "__do_sys_flock+0x1a;locks_lock_inode_wait+0x80" },
	{ "flock-call", "flock", .stack = "" },
	{ "no-flock-call", "ioctl", .stack = "" },
	{ "memory-high", "read",
	  .stack = "mem_cgroup_handle_over_high+0x120;io_schedule_timeout+0x40",
	  .ending = BY_TIMER },
	{ "no-memory-high", "read", .stack = "mem_cgroup_charge+0x120", .ending = BY_TIMER },
	{ "swap", "", .stack = "asm_exc_page_fault+0x26;handle_mm_fault+0x10;do_swap_page+0x3e7",
	  .ending = BY_DEVICE, .io_wait = true },
	{ "no-swap", "",
	  .stack = "asm_exc_page_fault+0x26;handle_mm_fault+0x10;filemap_fault+0x5a",
	  .ending = BY_DEVICE, .io_wait = true },
	{ "reclaim", "read", .stack = "try_to_free_mem_cgroup_pages+0xd5;shrink_lruvec+0x4c",
	  .ending = BY_TIMER },
	{ "no-fault", "",
	  .stack = "asm_exc_page_fault+0x26;down_read+0x10;rwsem_down_read_slowpath+0x2c" },
	{ "writeback", "write", .stack = "balance_dirty_pages+0x4c9;io_schedule_timeout+0x40",
	  .ending = BY_TIMER },
	{ "fuse", "read", .stack = "fuse_simple_request+0x12;request_wait_answer+0x13" },
	{ "nfs", "read", .stack = "nfs_wait_bit_killable+0x20;rpc_wait_bit_killable+0x10",
	  .ending = BY_DEVICE },
	{ "disk", "fsync", .stack = fsync_stack, .ending = BY_DEVICE, .io_wait = true },
	{ "disk-unasked", "read", .stack = "vfs_read+0x10;some_read+0x10", .ending = BY_DEVICE,
	  .io_wait = true },
	{ "no-disk", "read", .stack = "vfs_read+0x10;some_read+0x10", .ending = BY_DEVICE },
	{ "disk-call", "fsync", .stack = "", .ending = BY_DEVICE },
	{ "child", "wait4", .stack = "kernel_wait4+0x95;do_wait+0x5c" },
	{ "nap", "clock_nanosleep", .stack = NAP, .user = "main+0x10 [app]", .ending = BY_TIMER },
	{ "no-nap", "pause", .stack = "__do_sys_pause+0x10", .user = "main+0x10 [app]" },
	{ "futex", "futex", .stack = FUTEX },
	{ "no-futex", "futex", .stack = FUTEX, .ending = BY_TIMER },
	{ "no-futex-unseen", "futex", .stack = FUTEX, .ending = UNSEEN },
	{ "accept", "accept4", .stack = "do_accept+0x10;inet_csk_accept+0x140" },
	{ "event-vain", "epoll_wait", .stack = EPOLL, .ending = BY_TIMER },
	{ "event-never", "epoll_wait", .stack = EPOLL, .ending = NEVER },
	{ "event-device", "poll", .stack = "do_sys_poll+0x504", .ending = BY_DEVICE },
	{ "event-interrupt", "epoll_wait", .stack = EPOLL, .ending = BY_INTERRUPT },
	{ "network-interrupt", "recvfrom", .stack = "tcp_recvmsg+0x10;sk_wait_data+0x10",
	  .ending = BY_INTERRUPT },
	{ "event-work", "epoll_wait", .stack = EPOLL },
	{ "network", "recvfrom", .stack = "tcp_recvmsg+0x10;sk_wait_data+0x10",
	  .ending = BY_DEVICE },
	{ "no-network", "recvfrom", .stack = "tcp_recvmsg+0x10;sk_wait_data+0x10" },
	{ "terminal", "read", .stack = "tty_read+0x10;n_tty_read+0x10", .ending = BY_DEVICE },
	{ "pipe", "read", .stack = PIPE },
	{ "no-pipe", "read", .stack = PIPE, .ending = UNSEEN },
	{ "unix", "read", .stack = "unix_stream_read_generic+0x10" },
	{ "signal", "rt_sigtimedwait", .stack = "do_sigtimedwait+0x10", .ending = BY_TIMER },
	{ "stopped", "read", .stack = "ptrace_stop+0x10", .ending = UNSEEN },
	{ "never", "read", .stack = PIPE, .ending = NEVER },
	{ "no-never", "read", .stack = PIPE },
	{ "no-join", "futex", .stack = FUTEX, .user = "main+0x10 [app];my_join+0x10 [app]" },
	{ "no-python-lock", "futex", .stack = FUTEX,
	  .user = "PyThread_allocate_lock+0x173 [python3.11]" },
	{ "no-writeback", "write", .stack = "generic_perform_write+0x4c9", .ending = BY_TIMER },
	{ "no-reclaim", "read", .stack = "get_page_from_freelist+0xd5", .ending = BY_TIMER },
	{ "no-fuse", "read", .stack = "vfs_read+0x12" },
	{ "no-nfs", "read", .stack = "vfs_read+0x12", .ending = BY_DEVICE },
	{ "no-child", "ioctl", .stack = "do_vfs_ioctl+0x12" },
	{ "no-accept", "recvfrom", .stack = "sock_recvmsg+0x10;tcp_recvmsg+0x140" },
	{ "no-event", "ioctl", .stack = "do_vfs_ioctl+0x12", .ending = BY_DEVICE },
	{ "no-terminal", "read", .stack = "vfs_read+0x12", .ending = BY_DEVICE },
	{ "no-unix", "read", .stack = "vfs_read+0x12" },
	{ "no-signal", "rt_sigtimedwait", .stack = "do_sigtimedwait+0x10" },
	{ "no-stopped", "read", .stack = "vfs_read+0x12", .ending = UNSEEN },
	{ "userfault", "", .stack = "handle_mm_fault+0x10;handle_userfault+0x10" },
	{ "no-userfault", "", .stack = "handle_mm_fault+0x10;do_fault+0x10" },
	{ "worker", "", .stack = "kthread+0xda;worker_thread+0x1e9;schedule+0x5a" },
	{ "no-worker", "",
	  .stack = "kthread+0xda;worker_thread+0x1e9;process_one_work+0x1c4;some_work+0x10" },
	{ "page", "read", .stack = "filemap_read+0x10;folio_wait_bit_common+0x10" },
	{ "no-page", "read", .stack = "filemap_read+0x10;folio_wait_bit_common+0x10",
	  .ending = BY_DEVICE },
	{ "nap-beside", "clock_nanosleep", .stack = NAP },
	{ "mariadb", "futex", .stack = FUTEX,
	  .user = "_ZN7handler17ha_index_read_mapEPhPKhm16ha_rkey_function+0x8a [mariadbd];"
		  "mariadbd+0xc0ffee;pthread_cond_timedwait+0x21c [libc.so.6]" },
	{ "no-mariadb", "futex", .stack = FUTEX,
	  .user = "_ZN5tpool19thread_pool_generic8get_taskEv+0x8a [mariadbd];"
		  "pthread_cond_timedwait+0x21c [libc.so.6]" },
};

static const struct actor helper = { 2, 120, 800, 800, "helper" };

static void stop_waiting(const struct actor *actor, const struct story *story, uint64_t now)
{
	if (story->ending == BY_THREAD)
		switch_to(0, now - 10 * US, 0, &idle, &helper);
	blocked(actor, now, 9000 * US, story->syscall, story->io_wait, story->stack);
	switch (story->ending) {
	case BY_THREAD:
		wakeup(0, now, actor->koid);
		switch_to(0, now + 10 * US, 3, &helper, actor);
		return;
	case BY_TIMER:
	case BY_DEVICE:
	case BY_INTERRUPT:
		wakeup(0, now, actor->koid);
		if (story->ending != BY_INTERRUPT)
			interrupt(&idle, now - 5 * US, now + 5 * US,
				  story->ending == BY_TIMER ? "local_timer" : "virtio0");
		break;
	default:
		break;
	}
	switch_to(0, now + 10 * US, 0, &idle, actor);
}

/* Each thread waits for 9 ms. */
static void build_rules(void)
{
	uint64_t now = 1000 * US;
	unsigned int i;

	start(&idle, &helper);
	process_name(800, "helper");
	for (i = 0; i < sizeof(stories) / sizeof(*stories); i++, now += 11000 * US) {
		const struct actor actor = { 3 + i, 120, 900 + i, 900 + i, stories[i].name };

		introduce(&actor);
		process_name(900 + i, stories[i].name);
		run(0, now, now + 1000 * US, 3, &actor);
		if (stories[i].ending == NEVER) {
			still(&actor, stories[i].syscall, stories[i].stack, now + 10000 * US,
			      9000 * US);
			continue;
		}
		stop_waiting(&actor, &stories[i], now + 10000 * US);
		if (stories[i].user)
			user_stack(&actor, now + 10020 * US, stories[i].user);
		switch_to(0, now + 10100 * US, 5, &actor, &idle);
	}
	finish_large(0, 1 << 20, 1000 * US, now);
}

/* ---- A command, and a lock that four threads need ---------------------------- */

static const struct actor recorder = { 2, 120, 50, 50, "vitrine" };
static const struct actor command = { 3, 120, 60, 60, "app" };
static const struct actor convoy[] = {
	{ 4, 120, 60, 61, "holder" },
	{ 5, 120, 60, 62, "first" },
	{ 6, 120, 60, 63, "second" },
	{ 7, 120, 60, 64, "third" },
};

#define NR_CONVOY	(sizeof(convoy) / sizeof(*convoy))

static void fork_of(const struct actor *parent, uint64_t ticks, const struct actor *child,
		    const char *name)
{
	keep();
	number_arg(ARG_KOID, "process", child->process);
	number_arg(ARG_KOID, "thread", child->koid);
	string_arg("name", name);
	kept_event(0, parent->ref, "sched", "fork", ticks);
}

static void instant(const struct actor *actor, const char *name, uint64_t ticks)
{
	plain_event(0, actor->ref, "sched", name, ticks);
}

/* A thread leaves the CPU at @from for a wait that an actor, or else a timer, ends at @to. */
static void wait_for(const struct actor *actor, const struct actor *by, uint64_t to, uint64_t ns,
		     const char *syscall, const char *stack)
{
	blocked(actor, to, ns, syscall, false, stack);
	wakeup(0, to, actor->koid);
	if (!by)
		interrupt(&idle, to - 5 * US, to + 5 * US, "local_timer");
}

/* Begin a trace in which the recorder starts a command, and perhaps tell who woke it. */
static void fork_command(bool is_woken)
{
	start(&idle, &recorder, &command);
	process_name(50, "vitrine");
	process_name(60, "app");
	switch_to(0, 1 * MS, 0, &idle, &recorder);
	fork_of(&recorder, 2 * MS, &command, "vitrine");
	if (is_woken)
		wakeup(0, 2 * MS, command.koid);
	switch_to(0, 3 * MS, 3, &recorder, &command);
}

/* Begin a trace with a command that runs from 4 ms on. */
static void begin_command(bool is_woken)
{
	fork_command(is_woken);
	instant(&command, "exec", 4 * MS);
}

/*
 * The command starts four threads. The holder takes a mutex and naps for 200 ms; the others need
 * the mutex 60 ms later, and nap for 50 ms each when they have it. Then each exits, and the command
 * does when the last one has.
 */
static void build_convoy(void)
{
	const struct actor *actor;
	uint64_t at = 10 * MS;
	unsigned int i;

	begin_command(true);
	for (i = 0; i < NR_CONVOY; i++) {
		introduce(&convoy[i]);
		fork_of(&command, 5 * MS, &convoy[i], "app");
		wakeup(0, 5 * MS, convoy[i].koid);
	}
	actor = &command;
	for (i = 0; i < NR_CONVOY; i++, at += MS) {
		switch_to(0, at, 3, actor, &convoy[i]);
		actor = &convoy[i];
	}
	switch_to(0, at, 3, actor, &idle);
	/* The holder naps from 11 ms on; the others nap until 71 ms and then wait for the mutex. */
	for (i = 1; i < NR_CONVOY; i++) {
		wait_for(&convoy[i], NULL, (70 + i) * MS, 58 * MS, "clock_nanosleep", NAP);
		run(0, (70 + i) * MS + 10 * US, (70 + i) * MS + 500 * US, 3, &convoy[i]);
	}
	for (i = 0, at = 211 * MS; i < NR_CONVOY; i++, at += 51 * MS) {
		wait_for(&convoy[i], NULL, at, (i ? 49 : 200) * MS, "clock_nanosleep", NAP);
		switch_to(0, at + 10 * US, 0, &idle, &convoy[i]);
		if (i + 1 < NR_CONVOY) {
			wait_for(&convoy[i + 1], &convoy[i], at + MS,
				 at + MS - ((71 + i) * MS + 500 * US), "futex", FUTEX);
			instant(&convoy[i], "exit", at + 2 * MS - 20 * US);
			switch_to(0, at + 2 * MS, 5, &convoy[i], &convoy[i + 1]);
			user_stack(&convoy[i + 1], at + 2 * MS,
				   "pthread_mutex_lock+0x113 [libc.so.6]");
			switch_to(0, at + 2 * MS + 10 * US, 3, &convoy[i + 1], &idle);
			continue;
		}
		wait_for(&command, &convoy[i], at + MS, at - 9 * MS, "futex", FUTEX);
		instant(&convoy[i], "exit", at + MS + 10 * US);
		switch_to(0, at + 2 * MS, 5, &convoy[i], &command);
	}
	instant(&command, "exit", at - 40 * MS);
	switch_to(0, at - 39 * MS, 5, &command, &idle);
	finish_large(0, 1 << 20, 1 * MS, at);
}

static void end_command(uint64_t at)
{
	instant(&command, "exit", at);
	switch_to(0, at + 1 * MS, 5, &command, &idle);
	finish_large(0, 1 << 20, 1 * MS, at + 1 * MS);
}

/* The command runs for 96 ms. */
static void build_quiet(void)
{
	begin_command(true);
	end_command(100 * MS);
}

/* As "quiet", but no thread is known to have waited when the command begins. */
static void build_prompt(void)
{
	begin_command(false);
	end_command(100 * MS);
}

/* The command waits for a CPU behind a thread, and then behind the same as a real-time one. */
static void build_promoted(void)
{
	static const struct actor child = { 4, 120, 60, 61, "app" };
	struct actor promoted = child;

	promoted.priority = 49;
	begin_command(true);
	introduce(&child);
	fork_of(&command, 6 * MS, &child, "app");
	wakeup(0, 6 * MS, child.koid);
	switch_to(0, 7 * MS, 0, &command, &child);
	switch_to(0, 17 * MS, 0, &child, &command);
	switch_to(0, 20 * MS, 0, &command, &promoted);
	switch_to(0, 90 * MS, 0, &promoted, &command);
	end_command(100 * MS);
}

/* The command waits for a disk for 90 ms, until a worker of the kernel has served the interrupt. */
static void build_worker(void)
{
	static const struct actor worker = { 4, 120, 2, 30, "kworker/0:1" };

	begin_command(true);
	introduce(&worker);
	wakeup(0, 6 * MS, worker.koid);
	switch_to(0, 7 * MS, 3, &command, &worker);
	switch_to(0, 7 * MS + 100 * US, 3, &worker, &idle);
	wakeup(0, 97 * MS - 100 * US, worker.koid);
	interrupt(&idle, 97 * MS - 105 * US, 97 * MS - 95 * US, "virtio0");
	switch_to(0, 97 * MS - 90 * US, 0, &idle, &worker);
	blocked(&command, 97 * MS, 90 * MS, "fsync", true, "ext4_sync_file+0x10;io_schedule+0x10");
	wakeup(0, 97 * MS, command.koid);
	switch_to(0, 97 * MS + 10 * US, 3, &worker, &command);
	end_command(100 * MS);
}

/* The command runs for 6 ms; for 90 ms, it waits for a server, which runs. */
static void build_served(void)
{
	static const struct actor server = { 4, 120, 70, 70, "server" };

	begin_command(true);
	introduce(&server);
	process_name(70, "server");
	wakeup(0, 6 * MS, server.koid);
	switch_to(0, 7 * MS, 3, &command, &server);
	wait_for(&command, &server, 97 * MS, 90 * MS, "recvfrom",
		 "tcp_recvmsg+0x10;sk_wait_data+0x10");
	switch_to(0, 97 * MS, 3, &server, &command);
	end_command(100 * MS);
}

/* The command runs for 6 ms; for 90 ms, it waits for events, and none comes. */
static void build_idle(void)
{
	begin_command(true);
	switch_to(0, 7 * MS, 3, &command, &idle);
	wait_for(&command, NULL, 97 * MS, 90 * MS, "epoll_wait", EPOLL);
	switch_to(0, 97 * MS + 10 * US, 0, &idle, &command);
	end_command(100 * MS);
}

/* The command is blocked so often, each time with another stack; but for 500, they have 1 KiB. */
void build_stacks(uint64_t nr_stacks)
{
	char stack[1024];
	uint64_t at = 10 * MS;
	unsigned int i;

	begin_command(true);
	for (i = 0; i < nr_stacks; i++, at += MS) {
		switch_to(0, at, 3, &command, &idle);
		snprintf(stack, sizeof(stack), "pipe_read_%u;%0*u", i,
			 i + 500 < nr_stacks ? 1000 : 1, 0);
		wait_for(&command, NULL, at + 900 * US, 900 * US, "read", stack);
		switch_to(0, at + 910 * US, 0, &idle, &command);
	}
	instant(&command, "exit", at);
	switch_to(0, at + MS, 5, &command, &idle);
	finish_large(0, 1 << 24, 1 * MS, at + MS);
}

/* Two threads of the command hand a task to each other, every 10 ms. */
static void build_peers(void)
{
	static const struct actor peers[] = {
		{ 4, 120, 60, 61, "peer-1" },
		{ 5, 120, 60, 62, "peer-2" },
	};
	const struct actor *before = &command;
	uint64_t at = 10 * MS;
	unsigned int i;

	begin_command(true);
	for (i = 0; i < 2; i++) {
		introduce(&peers[i]);
		fork_of(&command, 5 * MS, &peers[i], "app");
		wakeup(0, 5 * MS, peers[i].koid);
	}
	for (i = 0; i < 10; i++, at += 10 * MS) {
		if (i > 1)
			wait_for(&peers[i % 2], &peers[(i + 1) % 2], at - MS, 9 * MS, "read", PIPE);
		switch_to(0, at, 3, before, &peers[i % 2]);
		before = &peers[i % 2];
	}
	wait_for(&command, before, at - MS, at - 11 * MS, "futex", FUTEX);
	instant(before, "exit", at - 500 * US);
	switch_to(0, at, 5, before, &command);
	end_command(at + MS);
}

/* Threads are sampled every 10 ms: @nr times, in functions that @stacks has for each of them. */
static uint64_t sample(const struct actor *actor, uint64_t at, unsigned int nr,
		       const char * const *stacks, unsigned int nr_stacks)
{
	const char *stack;

	for (; nr--; at += 10 * MS) {
		stack = stacks[nr % nr_stacks];
		/* A kernel stack begins with the entry. */
		running(actor, at, strncmp(stack, "entry", 5) ? NULL : stack);
		user_stack(actor, at + US, strncmp(stack, "entry", 5) ? stack : "main+0x1 [app]");
	}
	return at;
}

/*
 * The command is sampled @nr times: five of nine samples are in compress_block(), two in memcpy(),
 * one in the kernel, one in a file without names. It is also sampled before it executes its
 * program, and when it exits. A thread of the same name, which has the CPU while the command waits
 * for it, is sampled in other functions, and is not on the critical path.
 */
static void busy(unsigned int nr)
{
	static const char * const stacks[] = {
		"main+0x10 [app];compress_block+0x40 [app]",
		"main+0x10 [app];memcpy+0x33 [libc.so.6]",
		"main+0x10 [app];compress_block+0x48 [app]",
		ENTRY "do_anonymous_page+0x30;clear_page_erms+0x7",
		"main+0x10 [app];compress_block+0x4c [app]",
		"main+0x10 [app];memcpy+0x39 [libc.so.6]",
		"main+0x10 [app];compress_block+0x40 [app]",
		"main+0x10 [app];libz.so.1+0x4711",
		"main+0x10 [app];compress_block+0x40 [app]",
	};
	static const char * const others[] = { "main+0x10 [app];not_on_the_path+0x40 [app]" };
	static const struct actor other = { 4, 120, 61, 61, "app" };
	uint64_t at;

	fork_command(true);
	introduce(&other);
	process_name(61, "app");
	at = sample(&command, 4 * MS, nr, others, 1);
	instant(&command, "exec", at);
	fork_of(&command, at + MS, &other, "app");
	at = sample(&command, at + 2 * MS, nr, stacks, 9);
	switch_to(0, at, 0, &command, &other);
	at = sample(&other, at + MS, nr, others, 1);
	switch_to(0, at, 3, &other, &command);
	instant(&command, "exit", at + MS);
	at = sample(&command, at + 2 * MS, nr, others, 1);
	switch_to(0, at, 5, &command, &idle);
	finish_large(0, 1 << 20, 1 * MS, at);
}

static void build_busy(void)
{
	busy(90);
}

/* So few samples tell nothing. */
static void build_seldom(void)
{
	busy(19);
}

/* ---- A load whose waits vary at random -------------------------------------- */

#define NR_WORKERS	4
#define NR_ROUNDS	1500

/* Return a random number from 0 to @limit - 1; the same seed has the same numbers. */
static uint64_t random_below(uint64_t *seed, uint64_t limit)
{
	uint64_t value = *seed += 0x9e3779b97f4a7c15ULL;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
	return (value ^ value >> 31) % limit;
}

/* Return a time of 1 ms on average, with a deviation of a quarter, and some outliers. */
static uint64_t random_wait(uint64_t *seed)
{
	uint64_t us = 200;
	int i;

	for (i = 0; i < 4; i++)
		us += random_below(seed, 401);
	return (random_below(seed, 50) ? us : 10 * us) * US;
}

/* A worker has a CPU of its own, and is blocked in one of two system calls. */
static void load_worker(unsigned int nr, uint64_t *seed, uint64_t percent)
{
	char name[16];
	struct actor worker = { 2, 120, 700, 701 + nr, name };
	uint64_t now = 1000 * US, wait;
	unsigned int i;

	sprintf(name, "worker-%u", nr);
	start(&idle, &worker);
	process_name(700, "load");
	for (i = 0; i < NR_ROUNDS; i++) {
		switch_to(nr, now, 0, &idle, &worker);
		now += (20 + random_below(seed, 60)) * US;
		switch_to(nr, now, 3, &worker, &idle);
		wait = random_wait(seed) * percent / 100;
		blocked(&worker, now + wait, wait, i % 2 ? "read" : "futex",
			false, i % 2 ? read_stack : write_stack);
		wakeup(nr, now + wait, worker.koid);
		now += wait + (1 + random_below(seed, 9)) * US;
	}
	finish_large(nr, 1 << 20, 1000 * US, now);
}

void build_load(uint64_t seed, uint64_t percent)
{
	unsigned int i;

	for (i = 0; i < NR_WORKERS; i++)
		load_worker(i, &seed, 100 + (i == 2 ? percent : 0));
}

/*
 * A thread whose waits are almost equal, @more_ns longer than 3.5 us, but for @nr_long that
 * take 100 us.
 */
void build_steady(uint64_t more_ns, uint64_t nr_long)
{
	uint64_t now = 1000 * US, seed = 1, wait;
	unsigned int i;

	start(&idle, &shell);
	for (i = 0; i < NR_ROUNDS; i++) {
		switch_to(0, now, 0, &idle, &shell);
		now += 20 * US;
		switch_to(0, now, 3, &shell, &idle);
		wait = i < nr_long ? 100 * US : 3500 + more_ns + random_below(&seed, 16);
		wakeup(0, now + wait, shell.koid);
		now += wait + US;
	}
	finish_large(0, 1 << 20, 1000 * US, now);
}

const struct golden why_traces[] = {
	{ "disk", build_disk },
	{ "starved", build_starved },
	{ "relay", build_relay },
	{ "still", build_still },
	{ "throttled", build_throttled },
	{ "sampled", build_sampled },
	{ "snapshot", build_snapshot },
	{ "limited", build_limited },
	{ "unlimited", build_unlimited },
	{ "rules", build_rules },
	{ "convoy", build_convoy },
	{ "quiet", build_quiet },
	{ "prompt", build_prompt },
	{ "served", build_served },
	{ "worker", build_worker },
	{ "promoted", build_promoted },
	{ "peers", build_peers },
	{ "idle", build_idle },
	{ "busy", build_busy },
	{ "seldom", build_seldom },
	{ NULL, NULL },
};
