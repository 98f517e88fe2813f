// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces: why threads waited, with the stacks of long waits as the module writes
 * them. Times are in nanoseconds.
 */
#include <stdio.h>
#include <stdlib.h>
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

static FILE *output;
static char *body;
static size_t len_body;

/* Keep records in memory until finish(): the packet header needs their length. */
static void start(void)
{
	output = stdout;
	stdout = open_memstream(&body, &len_body);
	if (!stdout)
		abort();
}

static void finish(struct packet header, uint64_t begin, uint64_t end)
{
	fclose(stdout);
	stdout = output;
	header.committed = PREAMBLE_BYTES + len_body;
	header.begin = begin;
	header.end = end;
	subbuf_preamble(&header);
	fwrite(body, 1, len_body, stdout);
	free(body);
}

static void introduce(const struct actor *actor)
{
	thread(actor->ref, actor->process, actor->koid);
	thread_name(actor->process, actor->koid, actor->name);
}

static void switch_to(unsigned int cpu, uint64_t ticks, unsigned int state,
		      const struct actor *from, const struct actor *to)
{
	legacy_switch(cpu, ticks, state,
		      (struct side){ from->ref, from->priority },
		      (struct side){ to->ref, to->priority });
}

/* ---- Events --------------------------------------------------------------- */

static unsigned int string_arg_words(const char *name, const char *value)
{
	return 1 + words_of(strlen(name)) + words_of(strlen(value));
}

static void string_arg(const char *name, const char *value)
{
	word(6ULL | (uint64_t)string_arg_words(name, value) << 4 |
	     INLINE(strlen(name)) << 16 | INLINE(strlen(value)) << 32);
	stream(name, strlen(name));
	stream(value, strlen(value));
}

static unsigned int uint64_arg_words(const char *name)
{
	return 2 + words_of(strlen(name));
}

static void uint64_arg(const char *name, uint64_t value)
{
	word(4ULL | (uint64_t)uint64_arg_words(name) << 4 |
	     INLINE(strlen(name)) << 16);
	stream(name, strlen(name));
	word(value);
}

static void head(unsigned int type, const struct actor *actor,
		 const char *category, const char *name, uint64_t ticks,
		 unsigned int nr_args, unsigned int words)
{
	event(type, 2 + words_of(strlen(category)) + words_of(strlen(name)) +
	      words, nr_args,
	      REFS(actor->ref, INLINE(strlen(category)), INLINE(strlen(name))),
	      ticks);
	stream(category, strlen(category));
	stream(name, strlen(name));
}

static void blocked(const struct actor *actor, uint64_t ticks,
		    uint64_t blocked_ns, const char *syscall, bool io_wait,
		    const char *stack)
{
	head(0, actor, "stacks", "blocked", ticks, 3 + io_wait,
	     uint64_arg_words("blocked_ns") + string_arg_words("stack", stack) +
	     string_arg_words("syscall", syscall) + 2 * io_wait);
	uint64_arg("blocked_ns", blocked_ns);
	string_arg("stack", stack);
	string_arg("syscall", syscall);
	if (io_wait)
		int32_arg("io_wait", 1);
}

static void still(const struct actor *actor, uint64_t ticks, uint64_t blocked_ns)
{
	head(0, actor, "stacks", "blocked", ticks, 3,
	     uint64_arg_words("blocked_ns") + 2 +
	     string_arg_words("syscall", "read"));
	uint64_arg("blocked_ns", blocked_ns);
	int32_arg("still", 1);
	string_arg("syscall", "read");
}

static void left_out(const struct actor *actor, uint64_t ticks, uint64_t nr)
{
	head(1, actor, "stacks", "stacks_left_out", ticks, 1,
	     uint64_arg_words("left_out") + 1);
	uint64_arg("left_out", nr);
	word(0);
}

static void runnable(const struct actor *actor, uint64_t ticks,
		     uint64_t runnable_ns, const struct actor *held_by)
{
	head(0, actor, "stacks", "runnable", ticks, 3,
	     uint64_arg_words("runnable_ns") +
	     string_arg_words("holder", held_by->name) +
	     uint64_arg_words("holder_tid"));
	uint64_arg("runnable_ns", runnable_ns);
	string_arg("holder", held_by->name);
	uint64_arg("holder_tid", held_by->koid);
}

static void user_stack(const struct actor *actor, uint64_t ticks,
		       const char *stack)
{
	head(0, actor, "stacks", "user stack", ticks, 1,
	     string_arg_words("stack", stack));
	string_arg("stack", stack);
}

/* A system call that blocks: its begin is written before the thread blocks, then its end. */
static void enter(const struct actor *actor, uint64_t ticks, const char *name)
{
	head(2, actor, "syscall", name, ticks, 0, 0);
}

static void leave(const struct actor *actor, uint64_t ticks, const char *name)
{
	head(3, actor, "syscall", name, ticks, 0, 0);
}

static void interrupt(const struct actor *actor, uint64_t begin, uint64_t end,
		      const char *name)
{
	head(4, actor, "irq", name, begin, 0, 1);
	word(end);
}

/* A request to a disk: when it is issued, and when it is completed. */
static void issue(const struct actor *actor, uint64_t ticks, uint64_t id,
		  const char *operation, const char *disk, uint64_t bytes)
{
	head(5, actor, "block", operation, ticks, 2,
	     string_arg_words("disk", disk) + uint64_arg_words("bytes") + 1);
	string_arg("disk", disk);
	uint64_arg("bytes", bytes);
	word(id);
}

static void complete(const struct actor *actor, uint64_t ticks, uint64_t id,
		     const char *operation)
{
	head(7, actor, "block", operation, ticks, 0, 1);
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
	start();
	introduce(&idle);
	introduce(&waiter);
	introduce(&starter);
	introduce(&compiler);
	introduce(&shell);
	introduce(&holder);
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
	finish(first_packet(0), 850 * US, 13600 * US);
}

static void build_disk(void)
{
	disk_cpu0();
	start();
	introduce(&idle);
	introduce(&holder);
	introduce(&waiter);
	switch_to(1, 1000 * US, 0, &idle, &holder);
	enter(&holder, 1200 * US, "fsync");
	issue(&holder, 1300 * US, 77, "write", "vda", 4096);
	switch_to(1, 1500 * US, 3, &holder, &idle);
	switch_to(1, 13020 * US, 0, &idle, &holder);
	leave(&holder, 13080 * US, "fsync");
	blocked(&waiter, 13150 * US, 11020 * US, "write", false, write_stack);
	wakeup(1, 13150 * US, waiter.koid);
	switch_to(1, 13700 * US, 3, &holder, &idle);
	finish(first_packet(1), 1000 * US, 13700 * US);
}

/* ---- A real-time thread that starves others -------------------------------- */

static void build_starved(void)
{
	start();
	introduce(&idle);
	introduce(&hog);
	introduce(&victim);
	introduce(&late);
	introduce(&migration);
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
	runnable(&victim, 51520 * US, 50010 * US, &hog);
	left_out(&victim, 51600 * US, 3);
	left_out(&victim, 51700 * US, 5);
	switch_to(0, 52000 * US, 3, &victim, &late);
	switch_to(0, 52100 * US, 3, &late, &idle);
	finish(first_packet(0), 900 * US, 52100 * US);
}

/* ---- What ran before is not in the trace ------------------------------------ */

/* An event names the thread that had the CPU; it is before the switch or after it. */
static void held_by_hog(unsigned int cpu, const struct actor *actor, bool before)
{
	start();
	introduce(&hog);
	introduce(actor);
	introduce(&idle);
	if (before)
		runnable(actor, 5000 * US, 3900 * US, &hog);
	switch_to(cpu, 5000 * US, 0, &hog, actor);
	if (!before)
		runnable(actor, 5000 * US, 3800 * US, &hog);
	switch_to(cpu, 6000 * US, 3, actor, &idle);
	finish(first_packet(cpu), 5000 * US, 6000 * US);
}

static void build_held(void)
{
	start();
	introduce(&idle);
	introduce(&waiter);
	process_name(200, "app");
	process_name(500, "hog");
	process_name(501, "victim");
	process_name(502, "late");
	switch_to(0, 1000 * US, 0, &idle, &waiter);
	wakeup(0, 1100 * US, late.koid);
	wakeup(0, 1200 * US, victim.koid);
	switch_to(0, 1300 * US, 3, &waiter, &idle);
	finish(first_packet(0), 1000 * US, 1300 * US);
	held_by_hog(1, &late, true);
	held_by_hog(2, &victim, false);
}

/* ---- More wakers than a chain has links ------------------------------------ */

#define NR_RUNNERS	12

/* Each runner blocks at first, and is woken up by the previous one after that has run. */
static void build_relay(void)
{
	struct actor runners[NR_RUNNERS];
	char names[NR_RUNNERS][16];
	unsigned int i;

	start();
	introduce(&idle);
	for (i = 0; i < NR_RUNNERS; i++) {
		sprintf(names[i], "runner-%u", i);
		runners[i] = (struct actor){ 2 + i, 120, 600, 601 + i, names[i] };
		introduce(&runners[i]);
	}
	process_name(600, "relay");
	for (i = 0; i < NR_RUNNERS; i++) {
		switch_to(0, (10 + 2 * i) * US, 0, &idle, &runners[i]);
		switch_to(0, (11 + 2 * i) * US, 3, &runners[i], &idle);
	}
	wakeup(0, 100 * US, runners[0].koid);
	for (i = 0; i < NR_RUNNERS; i++) {
		switch_to(0, (110 + 100 * i) * US, 0, &idle, &runners[i]);
		if (i + 1 < NR_RUNNERS)
			wakeup(0, (150 + 100 * i) * US, runners[i + 1].koid);
		switch_to(0, (160 + 100 * i) * US, 3, &runners[i], &idle);
	}
	finish(first_packet(0), 10 * US, (160 + 100 * i) * US);
}

/* ---- Threads that are still blocked at the end ------------------------------ */

/* The holder was blocked before the trace begins, and the shell goes on. */
static void build_still(void)
{
	start();
	introduce(&idle);
	introduce(&waiter);
	introduce(&holder);
	introduce(&shell);
	process_name(200, "app");
	process_name(400, "sshd");
	switch_to(0, 1000 * US, 0, &idle, &waiter);
	switch_to(0, 2000 * US, 3, &waiter, &shell);
	switch_to(0, 3000 * US, 3, &shell, &idle);
	still(&waiter, 10000 * US, 8000 * US);
	still(&holder, 10000 * US, 3600000000ULL * US);
	still(&shell, 10000 * US, 7000 * US);
	wakeup(0, 10400 * US, shell.koid);
	switch_to(0, 10500 * US, 0, &idle, &shell);
	switch_to(0, 11000 * US, 0, &shell, &idle);
	finish(first_packet(0), 1000 * US, 11000 * US);
}

/* ---- A limit of CPU time ---------------------------------------------------- */

/*
 * The compiler may run for 20 ms of each 100 ms. In between it is runnable, and the CPU is idle,
 * except for a while in the last period.
 */
static void build_throttled(void)
{
	uint64_t now;

	start();
	introduce(&idle);
	introduce(&compiler);
	introduce(&shell);
	process_name(300, "cc1");
	process_name(400, "sshd");
	for (now = 1000 * US; now < 300000 * US; now += 100000 * US) {
		switch_to(0, now, 0, &idle, &compiler);
		switch_to(0, now + 20000 * US, 0, &compiler, &idle);
	}
	switch_to(0, 230000 * US, 0, &idle, &shell);
	switch_to(0, 250000 * US, 3, &shell, &idle);
	switch_to(0, now, 0, &idle, &compiler);
	switch_to(0, now + 5000 * US, 3, &compiler, &idle);
	finish(first_packet(0), 1000 * US, now + 5000 * US);
}

/* ---- Rings that begin at different times ------------------------------------ */

#define MS	1000000ULL

static void snapshot_cpu(unsigned int cpu, uint64_t nr_before, uint64_t begin, uint64_t end)
{
	struct packet packet = first_packet(cpu);

	packet.sequence = nr_before / 100;
	packet.records_before = nr_before;
	packet.bytes_before = nr_before * 16;
	finish(packet, begin, end);
}

/*
 * A snapshot of the flight recorder. CPU 1 has records from 5.2 s on, CPU 0, which is busier,
 * from 13.5 s on. The waiter is woken up at 6 s; it may have run on CPU 0 before that has
 * records. CPU 2 is brought up at 20 s, and had no records before.
 */
static void build_snapshot(void)
{
	start();
	introduce(&idle);
	introduce(&waiter);
	introduce(&starter);
	process_name(200, "app");
	process_name(203, "starter");
	switch_to(0, 13500 * MS, 3, &idle, &starter);
	switch_to(0, 18240 * MS, 3, &starter, &waiter);
	switch_to(0, 18300 * MS, 3, &waiter, &idle);
	wakeup(0, 19000 * MS, waiter.koid);
	switch_to(0, 19010 * MS, 0, &idle, &waiter);
	switch_to(0, 19500 * MS, 3, &waiter, &idle);
	snapshot_cpu(0, 900, 13500 * MS, 19500 * MS);
	start();
	introduce(&idle);
	introduce(&shell);
	introduce(&compiler);
	process_name(300, "cc1");
	process_name(400, "sshd");
	switch_to(1, 5200 * MS, 0, &idle, &shell);
	wakeup(1, 6000 * MS, waiter.koid);
	switch_to(1, 7000 * MS, 3, &shell, &idle);
	wakeup(1, 8000 * MS, shell.koid);
	switch_to(1, 8500 * MS, 0, &idle, &shell);
	switch_to(1, 9000 * MS, 3, &shell, &idle);
	wakeup(1, 19500 * MS, compiler.koid);
	switch_to(1, 19600 * MS, 0, &idle, &shell);
	switch_to(1, 21000 * MS, 3, &shell, &idle);
	snapshot_cpu(1, 40, 5200 * MS, 21000 * MS);
	start();
	introduce(&idle);
	introduce(&compiler);
	switch_to(2, 20000 * MS, 0, &idle, &compiler);
	switch_to(2, 21000 * MS, 3, &compiler, &idle);
	snapshot_cpu(2, 0, 20000 * MS, 21000 * MS);
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
	struct packet packet = first_packet(nr);
	char name[16];
	struct actor worker = { 2, 120, 700, 701 + nr, name };
	uint64_t now = 1000 * US, wait;
	unsigned int i;

	sprintf(name, "worker-%u", nr);
	start();
	introduce(&idle);
	introduce(&worker);
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
	packet.subbuf_bytes = 1 << 20;
	finish(packet, 1000 * US, now);
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
	struct packet packet = first_packet(0);
	uint64_t now = 1000 * US, seed = 1, wait;
	unsigned int i;

	start();
	introduce(&idle);
	introduce(&shell);
	for (i = 0; i < NR_ROUNDS; i++) {
		switch_to(0, now, 0, &idle, &shell);
		now += 20 * US;
		switch_to(0, now, 3, &shell, &idle);
		wait = i < nr_long ? 100 * US : 3500 + more_ns + random_below(&seed, 16);
		wakeup(0, now + wait, shell.koid);
		now += wait + US;
	}
	packet.subbuf_bytes = 1 << 20;
	finish(packet, 1000 * US, now);
}

const struct golden why_traces[] = {
	{ "disk", build_disk },
	{ "starved", build_starved },
	{ "held", build_held },
	{ "relay", build_relay },
	{ "still", build_still },
	{ "throttled", build_throttled },
	{ "snapshot", build_snapshot },
	{ NULL, NULL },
};
