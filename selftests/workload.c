// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads of the selftests: threads that switch, wait, fault or call the kernel a known
 * number of times. Each prints one line about its run. With NOT_REAL_TIME in the environment,
 * threads of SCHED_FIFO keep the class in which the workload was started.
 *
 * Context switches. The line is "switches N ns T": voluntary switches of all threads of the
 * workload, and the time by CLOCK_MONOTONIC. pingpong and ring use the first third of their
 * run as a warm-up and report the rest.
 *
 *	pingpong ROUNDS [CPU [NTH US]]
 *				two processes of SCHED_FIFO pass a byte through two pipes
 *				on one CPU. In every NTH round, each of them first runs for
 *				US microseconds, so that one wait in NTH takes that long
 *	wander MOVES		a thread moves from CPU to CPU
 *	crowd THREADS HOPS	threads on all CPUs, named crowd-0, ..., form a ring and pass
 *				four bytes on, HOPS times each
 *	ring THREADS HOPS	threads of SCHED_FIFO on one CPU, named ring-0, ..., pass a
 *				byte on, HOPS times in all
 *
 * System calls and faults. The line of calls and seeks is "calls N ns T", and that of forks
 * "forks N ns T", for what follows the first third of its run; the others print nothing.
 *
 *	calls N			a thread of SCHED_FIFO on one CPU calls getppid()
 *	seeks N			the same with lseek() on an invalid file descriptor
 *	forks N [NTH US]	a process of SCHED_FIFO on one CPU forks N times, and waits
 *				each time for the child, which exits. Every NTH child first
 *				runs for US microseconds
 *	faults N		a thread writes to, and reads from, N pages that are not
 *				mapped yet, and divides by zero
 *	compat			a thread calls umask() as 32-bit programs of x86 do, where its
 *				number is that of exit() in 64-bit programs
 *
 * Waits. The line names the threads by their ids.
 *
 *	waits MS		two processes are blocked for MS milliseconds each: wait-pipe
 *				reads from a pipe, wait-flock locks a file that is locked.
 *				Prints "pipe PID flock PID"
 *	lock FILE		lock-holder writes to FILE and syncs it while it holds a
 *				mutex. lock-starter then wakes lock-waiter through a pipe,
 *				and lock-waiter locks the mutex. Prints "holder TID starter
 *				TID waiter TID fsync T", the last in nanoseconds
 *	stall MS		the same, but lock-holder naps for MS milliseconds while it holds
 *				the mutex, and for 20 ms afterwards; the last word is "nap T"
 *	frames MS		a thread is blocked for MS milliseconds in three functions
 *				with frame pointers, and then in three without; then another
 *				one, all of whose functions have frame pointers. Prints "tid
 *				TID", the offsets in the file of the functions with frame
 *				pointers, outermost first, and the TID of the other thread
 *	spin MS			a thread runs for MS milliseconds of its own CPU time in two
 *				functions with frame pointers. Prints "tid TID" and the
 *				offsets in the file of the functions, outermost first
 *	exec FILE		a process is blocked while it executes FILE, a copy of this
 *				program, with the arguments "frames 20", because another
 *				process has a lease of FILE. Prints the line of frames
 *	workers SEED N PERCENT	four threads, worker-0, ..., each sleep N times, for 0.5 to
 *				1.5 ms at random, and worker-2 for so much longer. Prints
 *				nothing
 *	starve MS		on one CPU, starve-victim starts starve-hog, a thread of
 *				SCHED_FIFO that runs for MS milliseconds. Prints "hog TID
 *				victim TID"
 */
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "system.h"

#define NR_TOKENS	4

static void run_for(unsigned long long ns)
{
	unsigned long long begin = now_ns();

	while (now_ns() - begin < ns)
		;
}

/**
 * struct delays - rounds of a workload that take longer
 * @nth: one round in @nth does; none if this is 0
 * @us: by how many microseconds
 */
struct delays {
	unsigned long		nth;
	unsigned long		us;
};

static void delay_round(struct delays delays, unsigned long round)
{
	if (delays.nth && round % delays.nth == 0)
		run_for(delays.us * 1000ULL);
}

static void put_byte(int fd)
{
	if (write(fd, "x", 1) != 1)
		err(1, "write");
}

static void get_byte(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		err(1, "read");
}

static void open_pipe(int *fds)
{
	if (pipe(fds))
		err(1, "pipe");
}

static void start_thread(pthread_t *thread, const char *name, unsigned short nr,
			 void *(*run)(void *arg), void *arg)
{
	char full_name[16];

	snprintf(full_name, sizeof(full_name), name, nr);
	if (pthread_create(thread, NULL, run, arg) || pthread_setname_np(*thread, full_name))
		errx(1, "cannot create the thread %s", full_name);
}

static void pingpong(const unsigned long *args)
{
	const struct delays delays = { args[2], args[3] };
	unsigned long i, rounds = args[0], warm = rounds / 3;
	unsigned long long start = 0;
	int ping[2], pong[2];

	pin(args[1]);
	open_pipe(ping);
	open_pipe(pong);
	if (!fork()) {
		for (i = 0; i < rounds; i++) {
			get_byte(ping[0]);
			delay_round(delays, i);
			put_byte(pong[1]);
		}
		exit(0);
	}
	for (i = 0; i < rounds; i++) {
		if (i == warm)
			start = now_ns();
		delay_round(delays, i);
		put_byte(ping[1]);
		get_byte(pong[0]);
	}
	printf("switches %lu ns %llu\n", 2 * (rounds - warm), now_ns() - start);
	wait(NULL);
}

/* Print the voluntary switches of this process, and the time since @start_ns. */
static void print_switches(unsigned long long start_ns)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("switches %ld ns %llu\n", usage.ru_nvcsw, now_ns() - start_ns);
}

static void wander(const unsigned long *args)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long start = now_ns();
	unsigned long i;

	pthread_setname_np(pthread_self(), "wander");
	for (i = 0; i < args[0]; i++)
		move_to(i % nr_cpus);
	print_switches(start);
}

/**
 * struct link - one thread of a circle and its pipes
 * @from: where it reads
 * @to: where it writes
 * @bytes: how many it passes on
 * @warm: how many of them are passed on before the time is taken
 * @start_ns: when that was
 * @end_ns: when it passed on the last
 */
struct link {
	int			from, to;
	unsigned long		bytes;
	unsigned long		warm;
	unsigned long long	start_ns;
	unsigned long long	end_ns;
};

static void *pass_on(void *arg)
{
	struct link *link = arg;
	unsigned long i;

	for (i = 0; i < link->bytes; i++) {
		get_byte(link->from);
		if (i == link->warm)
			link->start_ns = now_ns();
		if (i == link->bytes - 1)
			link->end_ns = now_ns();
		put_byte(link->to);
	}
	return NULL;
}

/* Two file descriptors a thread, and a few. */
static void allow_pipes(unsigned long nr_threads)
{
	const struct rlimit limit = {
		.rlim_cur = 2 * nr_threads + 64,
		.rlim_max = 2 * nr_threads + 64,
	};

	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "%lu files", 2 * nr_threads);
}

/* Start threads that pass bytes on in a circle. Returns the links when all have ended. */
static struct link *run_circle(const char *name, unsigned long nr_threads, unsigned long bytes,
			       unsigned int nr_tokens)
{
	struct link *links = calloc(nr_threads, sizeof(*links));
	pthread_t *threads = calloc(nr_threads, sizeof(*threads));
	int (*pipes)[2] = calloc(nr_threads, sizeof(*pipes));
	unsigned long i;

	if (!links || !threads || !pipes)
		err(1, "%lu threads", nr_threads);
	for (i = 0; i < nr_threads; i++)
		open_pipe(pipes[i]);
	for (i = 0; i < nr_threads; i++) {
		links[i].from = pipes[i][0];
		links[i].to = pipes[(i + 1) % nr_threads][1];
		links[i].bytes = bytes;
		links[i].warm = (bytes + 2) / 3;
		start_thread(&threads[i], name, i, pass_on, &links[i]);
	}
	for (i = 0; i < nr_tokens; i++)
		put_byte(links[(i * nr_threads / nr_tokens + nr_threads - 1) % nr_threads].to);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return links;
}

static void crowd(const unsigned long *args)
{
	unsigned long long start = now_ns();

	run_circle("crowd-%hu", args[0], args[1] / args[0] * NR_TOKENS, NR_TOKENS);
	print_switches(start);
}

static void ring(const unsigned long *args)
{
	unsigned long nr_threads = args[0], laps = args[1] / nr_threads;
	struct link *first;

	if (laps < 2)
		errx(1, "%lu threads, %lu hops", nr_threads, args[1]);
	allow_pipes(nr_threads);
	pin(0);
	first = run_circle("ring-%hu", nr_threads, laps, 1);
	printf("switches %lu ns %llu\n", (laps - 1 - first->warm) * nr_threads,
	       first->end_ns - first->start_ns);
}

static void call_often(long call, unsigned long nr_calls)
{
	unsigned long i;
	unsigned long long start;

	pin(0);
	start = now_ns();
	for (i = 0; i < nr_calls; i++)
		syscall(call, -1, 0, 0);
	printf("calls %lu ns %llu\n", nr_calls, now_ns() - start);
}

static void calls(const unsigned long *args)
{
	call_often(SYS_getppid, args[0]);
}

static void seeks(const unsigned long *args)
{
	call_often(SYS_lseek, args[0]);
}

static void forks(const unsigned long *args)
{
	const struct delays delays = { args[1], args[2] };
	unsigned long i, nr_forks = args[0], warm = nr_forks / 3;
	unsigned long long start = 0;
	pid_t pid;

	pin(0);
	for (i = 0; i < nr_forks; i++) {
		if (i == warm)
			start = now_ns();
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			delay_round(delays, i);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			err(1, "waitpid");
	}
	printf("forks %lu ns %llu\n", nr_forks - warm, now_ns() - start);
}

static void faults(const unsigned long *args)
{
	unsigned long nr_pages = args[0], page_bytes = sysconf(_SC_PAGESIZE);
	char *bytes = mmap(NULL, nr_pages * page_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static int zero;
	unsigned long i;

	if (bytes == MAP_FAILED)
		err(1, "%lu pages", nr_pages);
	for (i = 0; i < nr_pages; i++) {
		if (i % 2)
			__atomic_store_n(&bytes[i * page_bytes], 1, __ATOMIC_RELAXED);
		else
			__atomic_load_n(&bytes[i * page_bytes], __ATOMIC_RELAXED);
	}
	if (!fork())
		exit(7 / __atomic_load_n(&zero, __ATOMIC_RELAXED));
	wait(NULL);
}

/* In a child: what is inherited of a lock is the lock itself, so open the file anew. */
static void lock_file(const char *path)
{
	int fd = open(path, O_RDWR);

	if (fd < 0 || flock(fd, LOCK_EX))
		err(1, "%s", path);
}

static pid_t start_waiting(const char *name, int pipe_fd, const char *path)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	pthread_setname_np(pthread_self(), name);
	if (path)
		lock_file(path);
	else
		get_byte(pipe_fd);
	exit(0);
}

static void waits(const unsigned long *args)
{
	char path[] = "/tmp/vitrine.XXXXXX";
	pid_t reader, locker;
	int fds[2], fd;

	fd = mkstemp(path);
	if (fd < 0 || flock(fd, LOCK_EX))
		err(1, "%s", path);
	open_pipe(fds);
	reader = start_waiting("wait-pipe", fds[0], NULL);
	locker = start_waiting("wait-flock", -1, path);
	while (!is_asleep(reader) || !is_asleep(locker))
		usleep(1000);
	usleep(args[0] * 1000);
	put_byte(fds[1]);
	flock(fd, LOCK_UN);
	while (wait(NULL) > 0)
		;
	unlink(path);
	printf("pipe %d flock %d\n", reader, locker);
}

/* The threads of "lock", in the order in which they begin. */
enum lock_role {
	LOCK_WAITER,
	LOCK_STARTER,
	LOCK_HOLDER,
	NR_LOCK_ROLES,
};

/**
 * struct lock - what the threads of "lock" and "stall" share
 * @mutex: what lock-waiter waits for
 * @held: lock-holder writes to it when it has the mutex
 * @start: lock-starter writes to it when lock-waiter is to begin
 * @tids: thread ids, set when a thread begins
 * @started: lock-waiter has read from @start
 * @file: what lock-holder syncs, or -1
 * @nap_us: for how long it naps, without @file
 * @held_ns: how long that took
 */
struct lock {
	pthread_mutex_t		mutex;
	int			held[2];
	int			start[2];
	atomic_int		tids[NR_LOCK_ROLES];
	atomic_bool		started;
	int			file;
	useconds_t		nap_us;
	unsigned long long	held_ns;
};

/**
 * struct starving - what the threads of "starve" share
 * @start: starve-victim writes to it when starve-hog sleeps
 * @tid: thread id of starve-hog, set when it is about to read
 * @run_ns: how long it runs
 */
struct starving {
	int			start[2];
	atomic_int		tid;
	unsigned long long	run_ns;
};

static void *hog_cpu(void *arg)
{
	struct starving *starving = arg;

	pin(0);
	starving->tid = gettid();
	get_byte(starving->start[0]);
	run_for(starving->run_ns);
	return NULL;
}

static void starve(const unsigned long *args)
{
	struct starving starving = { .run_ns = args[0] * 1000000ULL };
	pthread_t hog;

	move_to(0);
	open_pipe(starving.start);
	start_thread(&hog, "starve-hog", 0, hog_cpu, &starving);
	pthread_setname_np(pthread_self(), "starve-victim");
	await_sleep(&starving.tid);
	put_byte(starving.start[1]);
	pthread_join(hog, NULL);
	printf("hog %d victim %d\n", starving.tid, gettid());
}

/* Sleep without a function of the C library, which may have no frame. */
static inline __attribute__((always_inline)) long sleep_here(const struct timespec *time)
{
#if defined(__x86_64__)
	register long result __asm__("rax") = SYS_nanosleep;

	__asm__ volatile("syscall" : "+r"(result) : "D"(time), "S"(NULL) : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long result __asm__("x0") = (long)time;
	register long unused __asm__("x1") = 0;
	register long number __asm__("x8") = SYS_nanosleep;

	__asm__ volatile("svc 0" : "+r"(result) : "r"(unused), "r"(number) : "memory");
	return result;
#else
	return nanosleep(time, NULL);
#endif
}

/* A function that calls no other needs no frame. */
static __attribute__((noipa)) void call_nothing(void)
{
}

/* The compiler may not inline these functions or turn their calls into jumps. */
#define FRAME	__attribute__((noipa, optimize("no-omit-frame-pointer")))
#define NO_FRAME __attribute__((noipa, optimize("omit-frame-pointer")))

static FRAME long kept_inner(const struct timespec *time)
{
	call_nothing();
	return sleep_here(time) + 1;
}

static FRAME long kept_middle(const struct timespec *time)
{
	return kept_inner(time) + 1;
}

static FRAME long kept_outer(const struct timespec *time)
{
	return kept_middle(time) + 1;
}

static NO_FRAME long none_inner(const struct timespec *time)
{
	call_nothing();
	return sleep_here(time) + 1;
}

static NO_FRAME long none_middle(const struct timespec *time)
{
	return none_inner(time) + 1;
}

static NO_FRAME long none_outer(const struct timespec *time)
{
	return none_middle(time) + 1;
}

/* Without a frame of the C library, except that of clone(), which ends the frame pointers. */
static FRAME int whole(void *time)
{
	return !kept_outer(time);
}

static pid_t run_whole(const struct timespec *time)
{
	static char stack[65536] __attribute__((aligned(16)));
	/* With CLONE_VFORK, this thread would wait in clone(), which no .eh_frame describes. */
	pid_t pid = clone(whole, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)time);

	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		err(1, "clone");
	return pid;
}

/* Start of this file in memory: its first segment begins with its first byte. */
extern const char __ehdr_start[];

static FRAME void spin_inner(clock_t end)
{
	unsigned int i;

	/* The clock is read elsewhere, so that nearly all time is spent here. */
	while (clock() < end)
		for (i = 0; i < 100000; i++)
			__asm__ volatile("" : "+r"(i));
}

static FRAME long spin_outer(clock_t end)
{
	spin_inner(end);
	return end + 1;
}

static void spin(const unsigned long *args)
{
	unsigned long start = (unsigned long)__ehdr_start;

	spin_outer(clock() + args[0] * (CLOCKS_PER_SEC / 1000));
	printf("tid %d %#lx %#lx\n", gettid(), (unsigned long)spin_outer - start,
	       (unsigned long)spin_inner - start);
}

static void frames(const unsigned long *args)
{
	const struct timespec time = { args[0] / 1000, args[0] % 1000 * 1000000 };
	unsigned long start = (unsigned long)__ehdr_start;

	kept_outer(&time);
	none_outer(&time);
	printf("tid %d %#lx %#lx %#lx %d\n", gettid(), (unsigned long)kept_outer - start,
	       (unsigned long)kept_middle - start, (unsigned long)kept_inner - start,
	       run_whole(&time));
}

/*
 * execve() opens the program before it replaces the other one, and waits for the end of the lease.
 * The kernel would tell this process of that by a signal, which would wake it up.
 */
static void exec_frames(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const atomic_int pid = getpid();

	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK))
		err(1, "%s", path);
	signal(SIGIO, SIG_IGN);
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		await_sleep(&pid);
		fcntl(fd, F_SETLEASE, F_UNLCK);
		_exit(0);
	}
	execl(path, "workload", "frames", "20", NULL);
	err(1, "%s", path);
}

static void *hold_lock(void *arg)
{
	static char bytes[4096];
	struct lock *lock = arg;

	lock->tids[LOCK_HOLDER] = gettid();
	pthread_mutex_lock(&lock->mutex);
	if (lock->file >= 0 && pwrite(lock->file, bytes, sizeof(bytes), 0) != sizeof(bytes))
		err(1, "write");
	put_byte(lock->held[1]);
	/* Not by sleeping, which would be one more wait of this thread. */
	while (!lock->started || !is_asleep(lock->tids[LOCK_WAITER]))
		sched_yield();
	lock->held_ns = now_ns();
	if (lock->file < 0)
		usleep(lock->nap_us);
	else if (fsync(lock->file))
		err(1, "fsync");
	lock->held_ns = now_ns() - lock->held_ns;
	pthread_mutex_unlock(&lock->mutex);
	/* A thread that exits at once is taken for one that another waits for in pthread_join(). */
	if (lock->file < 0)
		usleep(20000);
	return NULL;
}

static void *start_waiter(void *arg)
{
	struct lock *lock = arg;

	lock->tids[LOCK_STARTER] = gettid();
	get_byte(lock->held[0]);
	put_byte(lock->start[1]);
	return NULL;
}

static void *wait_for_lock(void *arg)
{
	struct lock *lock = arg;

	lock->tids[LOCK_WAITER] = gettid();
	get_byte(lock->start[0]);
	lock->started = true;
	pthread_mutex_lock(&lock->mutex);
	pthread_mutex_unlock(&lock->mutex);
	return NULL;
}

/*
 * The thread that waits begins first, so that each is asleep before it is woken up. Without a
 * path, the holder naps.
 */
static void wait_on_holder(const char *path, unsigned long nap_ms)
{
	static const struct {
		const char *name;
		void *(*run)(void *lock);
	} roles[NR_LOCK_ROLES] = {
		[LOCK_WAITER]	= { "lock-waiter", wait_for_lock },
		[LOCK_STARTER]	= { "lock-starter", start_waiter },
		[LOCK_HOLDER]	= { "lock-holder", hold_lock },
	};
	struct lock lock = {
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.file = path ? open(path, O_RDWR) : -1,
		.nap_us = nap_ms * 1000,
	};
	pthread_t threads[NR_LOCK_ROLES];
	int i;

	if (path && lock.file < 0)
		err(1, "%s", path);
	open_pipe(lock.held);
	open_pipe(lock.start);
	for (i = 0; i < NR_LOCK_ROLES; i++) {
		start_thread(&threads[i], roles[i].name, 0, roles[i].run, &lock);
		if (i != LOCK_HOLDER)
			await_sleep(&lock.tids[i]);
	}
	for (i = LOCK_HOLDER; i >= 0; i--) {
		pthread_join(threads[i], NULL);
		printf("%s %d ", roles[i].name + strlen("lock-"), lock.tids[i]);
	}
	printf("%s %llu\n", path ? "fsync" : "nap", lock.held_ns);
}

static void stall(const unsigned long *args)
{
	wait_on_holder(NULL, args[0]);
}

/* ---- workers --------------------------------------------------------------- */

#define NR_WORKERS	4
#define SLOW_WORKER	2

struct worker {
	unsigned int random;
	unsigned long nr_sleeps;
	unsigned long percent;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct timespec time = { 0 };

	for (; worker->nr_sleeps; worker->nr_sleeps--) {
		time.tv_nsec = 500000 + rand_r(&worker->random) % 1000000;
		time.tv_nsec += time.tv_nsec * worker->percent / 100;
		nanosleep(&time, NULL);
	}
	return NULL;
}

static void workers(const unsigned long *args)
{
	struct worker all[NR_WORKERS];
	pthread_t threads[NR_WORKERS];
	int i;

	for (i = 0; i < NR_WORKERS; i++) {
		all[i] = (struct worker){
			.random = args[0] * NR_WORKERS + i,
			.nr_sleeps = args[1],
			.percent = i == SLOW_WORKER ? args[2] : 0,
		};
		start_thread(&threads[i], "worker-%hu", i, work, &all[i]);
	}
	for (i = 0; i < NR_WORKERS; i++)
		pthread_join(threads[i], NULL);
}

static void compat(const unsigned long *unused)
{
	(void)unused;
#ifdef __x86_64__
	long nr = 60;

	asm volatile("int $0x80" : "+a"(nr) : "b"(022) : "memory", "r8", "r9", "r10", "r11");
#endif
}

static const struct {
	const char *name;
	int nr_least, nr_most;	/* arguments */
	void (*run)(const unsigned long *args);
} workloads[] = {
	{ "pingpong", 1, 4, pingpong },
	{ "wander", 1, 1, wander },
	{ "crowd", 2, 2, crowd },
	{ "ring", 2, 2, ring },
	{ "calls", 1, 1, calls },
	{ "seeks", 1, 1, seeks },
	{ "forks", 1, 3, forks },
	{ "faults", 1, 1, faults },
	{ "compat", 0, 0, compat },
	{ "waits", 1, 1, waits },
	{ "workers", 3, 3, workers },
	{ "starve", 1, 1, starve },
	{ "frames", 1, 1, frames },
	{ "spin", 1, 1, spin },
	{ "stall", 1, 1, stall },
};

int main(int argc, char **argv)
{
	unsigned long args[4] = {};
	int arg, nr_args = argc - 2;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (nr_args == 1 && !strcmp(argv[1], "lock")) {
		wait_on_holder(argv[2], 0);
		return 0;
	}
	if (nr_args == 1 && !strcmp(argv[1], "exec"))
		exec_frames(argv[2]);
	for (i = 0; i < sizeof(workloads) / sizeof(*workloads); i++) {
		if (nr_args < workloads[i].nr_least || nr_args > workloads[i].nr_most ||
		    strcmp(argv[1], workloads[i].name))
			continue;
		for (arg = 0; arg < nr_args; arg++)
			args[arg] = strtoul(argv[arg + 2], NULL, 0);
		workloads[i].run(args);
		return 0;
	}
	errx(2,
	     "pingpong ROUNDS [CPU [NTH US]] | wander MOVES | crowd|ring THREADS HOPS | calls|seeks|faults N | compat | forks N [NTH US] | waits|starve|stall|frames|spin MS | workers SEED N PERCENT | exec|lock FILE");
}
