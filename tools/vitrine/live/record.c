// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine record': record the rings to a file while a command runs, for some time, or until a
 * signal. recorder.c drains the rings, events.c changes settings and restores them, kernel_events.c
 * adds events of ftrace.
 *
 * One loop waits for everything: rings, signals, the end of the time, and a tick once
 * a second for rings that cannot wake it.
 */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "temporary.h"
#include "formats/rewrite.h"
#include "ui/terminal.h"
#include "vitrine.h"
#include "recording.h"

/**
 * struct cost - with --all, the measured cost of one record, in picoseconds
 * @switch_ps: of a context switch
 * @wakeup_ps: of a wakeup
 * @event_ps: of any other event
 */
static struct cost {
	uint64_t switch_ps;
	uint64_t wakeup_ps;
	uint64_t event_ps;
} cost;

/* Maximum number of CPUs that are listed one by one. */
#define MAX_LISTED	8

/* A process in /proc. */
struct process {
	uint64_t pid;
	uint64_t parent;
	char name[64];
};

/**
 * struct record_args - the options of `vitrine record', besides those in the structs of recording.h
 * @output: file to write; without a name, the name has the time
 * @duration_ns: when to stop; 0: no limit
 * @delay_ns: when to begin
 * @history: keep the sub-buffers in which the recording begins from their beginning
 * @cut: what is kept of the recording
 * @is_cut: something is left out
 * @all: record all categories, and report the cost
 * @no_wakeups: do not enable the category sched
 * @command: command to run while recording, and its arguments; or NULL
 */
static struct record_args {
	const char *output;
	uint64_t duration_ns;
	uint64_t delay_ns;
	bool history;
	struct cut_args cut;
	bool is_cut;
	bool all;
	bool no_wakeups;
	char **command;
} args;

/* Seconds until a progress line is shown on the terminal. */
#define PROGRESS_S	2

/* epoll data of descriptors that are not rings */
enum {
	TAG_SIGNAL = -6,
	TAG_TICK,
	TAG_TIME_UP,
	TAG_BEGIN,
	TAG_KERNEL,
	TAG_TRIGGER,
};

/* With a cut, the trace that it is made from. */
static struct vtr_temporary raw;

/* With --why, takes markers about cgroups, or NULL. */
static struct vitrine_marker *marker;

/* Readable when a signal arrives, once a second, and when the delay or the time is over. */
static int signal_fd, tick_fd, timer_fd;

/* Signals that were blocked before recording. */
static sigset_t old_mask;

/* Process id of the command, 0 if there is none or it has been waited for. */
static pid_t command_pid;

/*
 * Socket to the child: its end starts the command; has the errno if exec fails; -1 once the
 * command runs.
 */
static int command_fd;

/* Status of the command, as from waitpid(). */
static int wait_status;

/* Signal that ended the recording, or 0. */
static int end_signal;

/* Recording is over; if that is an error, the trigger of --until is no longer armed. */
static bool is_done;
static struct vitrine_error *disarmed;

/* When recording began and ended, or 0; CPU time that this process had used before, in seconds. */
static struct timespec begin_time, end_time;
static double begin_cpu;

/* A progress line is on the terminal. */
static bool has_progress;

/* Exit code of the cut. */
static int cut_status;

enum {
	OPT_DELAY = RECORD_FILTER_TO + 1,
	OPT_FILTER,
	OPT_KEEP,
	OPT_ROTATE,
	OPT_WHY,
};

/* Longest name of a process; the kernel cuts off the rest. */
#define MAX_NAME	15

#define MIN_ROTATE_BYTES	(64U << 10)
#define MAX_KEEP	999999U

/* Threshold of --why; the largest is that of trace/stacks. */
#define DEFAULT_WHY_US	1000
#define MAX_WHY_NS	(3600 * NSEC_PER_SEC)

#define MAX_NS		(1000 * 3600 * NSEC_PER_SEC)

/* ---- What the recording took ------------------------------------------- */

/*
 * The share of each CPU's time: the cost of one record, as measured by the module, times the number
 * of records of each CPU.
 */

/*
 * Let the module measure the cost of a record.
 *
 * A kind of records that is not being recorded costs 0.
 *
 * Returns NULL, or an error.
 */
static struct vitrine_error *cost_read(void)
{
	autofree char *path = debugfs_path("trace/cost");
	struct vitrine_error *err = NULL;
	FILE *file = fopen(path, "re");

	if (!file)
		return debugfs_explain(errno, path);
	if (fscanf(file, "switch %" SCNu64 " wakeup %" SCNu64 " event %" SCNu64,
		   &cost.switch_ps, &cost.wakeup_ps, &cost.event_ps) != 3)
		err = ferror(file) ?
		      vtr_error_os(errno, path, "cannot measure the cost of a record") :
		      make_error(EBADMSG, path, NULL, "cannot parse the cost of a record");
	fclose(file);
	return err;
}

/* Return how many percent of @seconds one CPU spent on its records. */
static double percent_of(const struct recorder_cpu *cpu, double seconds)
{
	double ps = (double)cost.switch_ps * cpu->nr_switches +
		    (double)cost.wakeup_ps * cpu->nr_wakeups +
		    (double)cost.event_ps * cpu->nr_events;

	return seconds > 0 ? ps / 1e12 / seconds * 100 : 0;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct recorder_cpu *a = left, *b = right;

	return number_order(a->number, b->number);
}

static void print_list(double seconds)
{
	const struct recorder_cpu *cpu;
	unsigned int i;

	for (i = 0; i < recorder.nr_cpus; i++) {
		cpu = &recorder.cpus[i];
		fprintf(stderr, "%s %.2f %% of CPU %u", i ? "," : "",
			percent_of(cpu, seconds), cpu->number);
	}
}

static void print_range(double seconds)
{
	double percent, sum = 0, least = 0, most = 0;
	unsigned int i;

	for (i = 0; i < recorder.nr_cpus; i++) {
		percent = percent_of(&recorder.cpus[i], seconds);
		if (!i || percent < least)
			least = percent;
		if (percent > most)
			most = percent;
		sum += percent;
	}
	fprintf(stderr, " %.2f %% to %.2f %% of each of %u CPUs, %.2f %% on average",
		least, most, recorder.nr_cpus, sum / recorder.nr_cpus);
}

/* Return the CPU time that this process, without its children, has used. */
static double own_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Print the share of each CPU's time that a recording took. */
static void cost_print(double seconds)
{
	double own = own_seconds() - begin_cpu;

	SORT(recorder.cpus, recorder.nr_cpus, compare_numbers);
	fputs("vitrine: recording took", stderr);
	if (recorder.nr_cpus <= MAX_LISTED)
		print_list(seconds);
	else
		print_range(seconds);
	fprintf(stderr, "; saving it %.2f %% of one CPU\n",
		seconds > 0 ? own / seconds * 100 : 0);
}

/* ---- Processes --------------------------------------------------------- */

/*
 * They are in /proc and in the hierarchy of cgroups, and come and go meanwhile; one that has ended
 * is no error.
 */

/* Check whether processes were asked for, and not all of the machine. */
static bool is_by_process(void)
{
	return args.cut.filter.nr_processes || args.cut.cgroup;
}

static bool has(uint64_t pid)
{
	size_t i;

	for (i = 0; i < args.cut.nr_pids; i++)
		if (args.cut.pids[i] == pid)
			return true;
	return false;
}

static void add(uint64_t pid)
{
	if (has(pid))
		return;
	must_have(GROW(args.cut.pids, args.cut.nr_pids));
	args.cut.pids[args.cut.nr_pids++] = pid;
}

/* ---- A process and its children ---------------------------------------------- */

/* Read /proc/PID/stat: "PID (NAME) STATE PARENT ..."; the name may contain anything. */
static bool read_process(const char *pid, struct process *ret)
{
	autofree char *path = must_format("/proc/%s/stat", pid), *line = read_file(path);
	char *open = line ? strchr(line, '(') : NULL, *close = open ? strrchr(open, ')') : NULL;

	if (!close)
		return false;
	*close = '\0';
	snprintf(ret->name, sizeof(ret->name), "%s", open + 1);
	ret->pid = strtoull(line, NULL, 10);
	return sscanf(close + 1, " %*c %" SCNu64, &ret->parent) == 1;
}

/* Read all processes; return how many. */
static size_t read_all(struct process **ret)
{
	struct process *all = NULL;
	const struct dirent *entry;
	DIR *dir = opendir("/proc");
	size_t nr = 0;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name < '1' || *entry->d_name > '9')
			continue;
		must_have(GROW(all, nr));
		nr += read_process(entry->d_name, &all[nr]);
	}
	if (dir)
		closedir(dir);
	*ret = all;
	return nr;
}

/* Add processes, and all that descend from them. */
static void add_tree(const char *text)
{
	autofree struct process *all = NULL;
	size_t nr = read_all(&all), before, i;
	char id[24];

	for (i = 0; i < nr; i++) {
		snprintf(id, sizeof(id), "%" PRIu64, all[i].pid);
		if (!strcmp(id, text) || !strcmp(all[i].name, text))
			add(all[i].pid);
	}
	do {
		before = args.cut.nr_pids;
		for (i = 0; i < nr; i++)
			if (has(all[i].parent))
				add(all[i].pid);
	} while (args.cut.nr_pids > before);
}

/* ---- Cgroups -------------------------------------------------------------------- */

static void add_members(const char *cgroup, char *path, FILE *file)
{
	uint64_t pid;

	while (fscanf(file, "%" SCNu64, &pid) == 1)
		add(pid);
}

/*
 * Add the processes of a cgroup and of its descendants. Returns NULL, or an error: there is no
 * such cgroup.
 */
static struct vitrine_error *add_cgroup(const char *path)
{
	autofree char *top = must_format("%s%s", cgroups_top(), path);
	autofree char *file = must_format("%s/cgroup.procs", top);

	if (access(file, F_OK))
		return make_error(ENOENT, top,
				  "give a path as in /proc/PID/cgroup, with cgroup version 2 mounted",
				  "no such cgroup");
	cgroups_visit(top, "cgroup.procs", add_members);
	return NULL;
}

/* Return an error if recording is switched off: the trace would be empty. */
static struct vitrine_error *check_enabled(void)
{
	autofree char *path = debugfs_path("trace/enable"), *text = read_file(path);
	autofree char *advice = must_format("run `echo 1 > %s' as root", path);

	return text && text_after(text, "[0]") ?
	       make_error(EBUSY, path, advice, "recording is switched off") : NULL;
}

/* Let each CPU begin a new sub-buffer; return 0, or an errno value. */
static int flush_rings(void)
{
	autofree char *path = debugfs_path("trace/enable");

	return write_file(path, "flush\n");
}

/* ---- The command ------------------------------------------------------- */

/* End `vitrine record', which has not begun, if there is an error. No input is bad. */
static void need(struct vitrine_error *err)
{
	if (!err)
		return;
	report_error(err);
	cleanup_remove();
	exit(EXIT_ENVIRONMENT);
}

static bool is_standard_output(void)
{
	return !strcmp(args.output, "-");
}

static void __attribute__((noreturn))
run_child(int fd)
{
	char go;
	int code;

	/* let_command_go() ends what can be read; abandon_command() kills the child instead. */
	while (read(fd, &go, 1) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	/* What the command prints is no part of the trace. */
	if (is_standard_output())
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(args.command[0], args.command);
	code = errno;
	if (write(fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Fork the child, which waits until let_command_go(). */
static void prepare_command(void)
{
	int fds[2];

	if (!args.command)
		return;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		need(vtr_error_os(errno, NULL, "cannot run a command"));
	command_fd = fds[0];
	command_pid = fork();
	if (!command_pid) {
		close(fds[0]);
		run_child(fds[1]);
	}
	close(fds[1]);
	if (command_pid < 0) {
		command_pid = 0;
		need(vtr_error_os(errno, NULL, "cannot run a command"));
	}
	/* Otherwise the recording is about the processes that were asked for. */
	if (!is_by_process())
		notes_add(command_pid, "command");
}

static void let_command_go(void)
{
	int code;

	if (!command_pid)
		return;
	shutdown(command_fd, SHUT_WR);
	if (read(command_fd, &code, sizeof(code)) == sizeof(code))
		need(vtr_error_os(code, args.command[0], "cannot run"));
	close_file(&command_fd);
}

static void print_status(void)
{
	const char *command = args.command[0];

	if (WIFSIGNALED(wait_status))
		fprintf(stderr, "vitrine: %s was killed by signal %d\n",
			command, WTERMSIG(wait_status));
	else if (WEXITSTATUS(wait_status))
		fprintf(stderr, "vitrine: %s exited with status %d\n", command,
			WEXITSTATUS(wait_status));
}

/*
 * The trace is saved: from here on, ^C may end this process like the command. A SIGPIPE is
 * pending if nobody reads the trace any longer, which has been reported as an error.
 */
static void allow_signals(void)
{
	sigset_t mask = old_mask;

	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (command_pid && end_signal && end_signal != SIGINT)
		kill(command_pid, end_signal);
}

static void wait_for_command(void)
{
	while (command_pid && waitpid(command_pid, &wait_status, 0) < 0)
		if (errno != EINTR)
			break;
	if (args.command)
		print_status();
}

/* ---- Waiting ----------------------------------------------------------- */

static struct vitrine_error *watch_for(uint32_t events, int fd, int tag)
{
	struct epoll_event event = { .events = events, .data.fd = tag };

	if (fd < 0 ||
	    epoll_ctl(recorder.epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return vtr_error_os(errno, NULL, "cannot wait");
	return NULL;
}

static struct vitrine_error *watch(int fd, int tag)
{
	return watch_for(EPOLLIN, fd, tag);
}

static struct vitrine_error *watch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, 0 };
	sigset_t pipe;

	signal_fd = signals_open(signals, &old_mask);
	/* A pipe that nobody reads is an error of writing. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, NULL);
	return watch(signal_fd, TAG_SIGNAL);
}

/* Wait for a timer. */
static struct vitrine_error *watch_timer(int *ret_fd, int tag, uint64_t ns)
{
	*ret_fd = timer_open(ns);
	return watch(*ret_fd, tag);
}

/* Return for how many seconds the recording has lasted; 0 before it begins. */
static double elapsed(void)
{
	struct timespec now = end_time;

	if (!recorder.started)
		return 0;
	if (!now.tv_sec)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin_time.tv_sec +
	       (now.tv_nsec - begin_time.tv_nsec) / 1e9;
}

static void print_progress(void)
{
	if (elapsed() < PROGRESS_S || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rvitrine: %.0f s, %" PRIu64 " switches, ",
		elapsed(), recorder.nr_switches);
	fprintf(stderr, "%" PRIu64 " bytes, %" PRIu64 " lost\033[K",
		rotation_len(), recorder.nr_lost);
	has_progress = true;
}

static void handle_signal(void)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGCHLD) {
		end_signal = info.ssi_signo;
		is_done = true;
	} else if (command_pid && waitpid(command_pid, &wait_status, WNOHANG) == command_pid) {
		command_pid = 0;
		is_done = true;
	}
}

/*
 * Find the processes that are kept and exist now. Those that are forked from now on are
 * known from the trace; only the members of a cgroup can change without a fork.
 */
static struct vitrine_error *find_processes(void)
{
	const struct record_filter *filter = &args.cut.filter;
	bool started = recorder.started;
	struct vitrine_error *err = NULL;
	unsigned int i;

	for (i = 0; i < filter->nr_processes && !started; i++)
		add_tree(filter->processes[i]);
	if (args.cut.cgroup)
		err = add_cgroup(args.cut.cgroup);
	/* The cgroup may be removed meanwhile. */
	if (err && started) {
		vitrine_error_destroy(err);
		err = NULL;
	}
	return err;
}

/* The file was ready, or a second is over: if another trigger is armed, nothing is ready. */
static void check_trigger(void)
{
	if (!events_wish.until || is_done)
		return;
	disarmed = events_fired(&recorder.is_over);
	is_done = disarmed || recorder.is_over;
}

/* Once a second, find new rings, and drain those that epoll cannot wait for. */
static struct vitrine_error *handle_tick(void)
{
	struct vitrine_error *err;
	uint64_t ticks;

	if (read(tick_fd, &ticks, sizeof(ticks)) < 0)
		return NULL;
	err = recorder_scan() ?: recorder_drain_all() ?:
	      find_processes();
	cgroups_note(marker);
	if (!err)
		print_progress();
	check_trigger();
	return err;
}

/* ---- Beginning -------------------------------------------------------- */

static bool has_wish(void)
{
	return events_wish.set != EVENTS_NONE || events_wish.until;
}

static struct vitrine_error *enable_events(void)
{
	struct vitrine_error *err;

	if (!has_wish())
		return NULL;
	err = events_hold();
	/* Without markers, nothing is known of cgroups. */
	if (!err && events_wish.stacks)
		vitrine_error_destroy(vitrine_marker_create(NULL, &marker));
	/* The cost is measured with the categories enabled. */
	if (!err && args.all)
		err = cost_read();
	return err;
}

static struct vitrine_error *arm_trigger(void)
{
	int fd;

	/* Edges only: the file stays ready while recording is switched off. */
	return !events_wish.until ? NULL :
	       events_arm(&fd) ?: watch_for(EPOLLPRI | EPOLLET, fd, TAG_TRIGGER);
}

/* Let the sub-buffers begin with which the recording begins. */
static bool flush_first(void)
{
	int code = flush_rings();

	if (code)
		fprintf(stderr,
			"vitrine: the trace begins earlier, as with --history, because %s\n",
			code == EINVAL ? "the module is older than this command" :
			code == EBUSY ? "trace/mode is oneshot" : strerror(code));
	return !code;
}

/* Let the sub-buffers begin that tell when the recording ended. */
static bool flush_last(void)
{
	clock_gettime(CLOCK_MONOTONIC, &end_time);
	return !flush_rings();
}

/*
 * Begin with what the rings get from now on. Categories are on by then. A process that is
 * forked later is found in the trace, and the trigger fires in it.
 */
static struct vitrine_error *begin_recording(void)
{
	struct vitrine_error *err;

	err = recorder_scan() ?: enable_events();
	if (!err && !args.history)
		err = recorder_begin(flush_first);
	/* The time is up after the begin plus the limit, never before. */
	begin_cpu = own_seconds();
	clock_gettime(CLOCK_MONOTONIC, &begin_time);
	cgroups_note(marker);
	err = err ?: arm_trigger() ?: find_processes() ?: kernel_events_enable() ?:
	      watch_timer(&tick_fd, TAG_TICK, NSEC_PER_SEC) ?:
	      watch_timer(&timer_fd, TAG_TIME_UP, args.duration_ns);
	recorder.started = !err;
	return err;
}

/* ---- Events ----------------------------------------------------------- */

static struct vitrine_error *handle_event(int tag)
{
	switch (tag) {
	case TAG_SIGNAL:
		handle_signal();
		return NULL;
	case TAG_TICK:
		return handle_tick();
	case TAG_BEGIN:
		close_file(&timer_fd);
		return begin_recording();
	case TAG_TIME_UP:
		is_done = true;
		return NULL;
	case TAG_TRIGGER:
		check_trigger();
		return NULL;
	case TAG_KERNEL:
		return kernel_events_read();
	default:
		return recorder_drain(tag);
	}
}

static struct vitrine_error *wait_and_record(void)
{
	struct epoll_event events[16];
	struct vitrine_error *err = NULL;
	int i, nr;

	while (!is_done) {
		nr = epoll_wait(recorder.epoll_fd, events, 16, -1);
		if (nr < 0 && errno != EINTR)
			return vtr_error_os(errno, NULL, "cannot wait");
		for (i = 0; i < nr; i++) {
			err = handle_event(events[i].data.fd);
			if (err)
				return err;
		}
	}
	events_still();
	cgroups_note(marker);
	return kernel_events_finish() ?:
	       recorder_finish(flush_last) ?: disarmed;
}

/* Record into a temporary trace beside the one that is wanted, or in TMPDIR for a pipe. */
static void prepare_raw(void)
{
	const char *place = vtr_temporary_place(args.output);
	int fd = vtr_temporary_create(&raw, place);

	if (fd < 0)
		need(vtr_error_os(errno, place, "cannot create a temporary file beside it"));
	close(fd);
	rotation.output = raw.path;
}

/* ---- The recording ----------------------------------------------------- */

/*
 * The events have the clock of the rings, all of which have the same. No ring can be missing
 * yet: until recording begins, recorder_scan() fails if one of them cannot be opened.
 */
static void start_kernel_events(void)
{
	kernel_events_start(recorder.cpus[0].ring);
	if (kernel_events.nr_wishes)
		need(watch(kernel_events.data_fd, TAG_KERNEL));
}

/* In reverse order: the restorer of the events of ftrace has the other one's pipe open. */
static void release_events(void)
{
	kernel_events_release();
	events_release();
}

/*
 * When `vitrine record' ends: kill the child if it has not run the command yet, because it keeps
 * the restorer's pipe open, and restore the settings.
 */
static void undo(void)
{
	if (command_pid && command_fd >= 0) {
		kill(command_pid, SIGKILL);
		waitpid(command_pid, NULL, 0);
		command_pid = 0;
	}
	release_events();
}

/* Open everything that is needed, so that errors show before the command runs. */
static void prepare(void)
{
	notes_add(getpid(), "recorder");
	if (has_wish())
		events_prepare();
	kernel_events_prepare();
	recorder.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (recorder.epoll_fd < 0)
		need(vtr_error_os(errno, NULL, "cannot wait"));
	need(watch_signals());
	need(recorder_scan());
	need(check_enabled());
	if (args.is_cut)
		prepare_raw();
	need(rotation_open());
	start_kernel_events();
}

static void record_begin(void)
{
	prepare();
	if (args.delay_ns) {
		/* The rings are opened again where they are then. */
		recorder_close();
		need(watch_timer(&timer_fd, TAG_BEGIN, args.delay_ns));
	} else {
		need(begin_recording());
	}
	prepare_command();
	let_command_go();
}

/* Keep what has been written, which is a trace even if an error ended it. */
static struct vitrine_error *save(struct vitrine_error *cause)
{
	struct vitrine_error *err;
	char advice[96];

	err = rotation_commit();
	if (!cause || err) {
		vitrine_error_destroy(cause);
		return err;
	}
	snprintf(advice, sizeof(advice),
		 "the trace up to then is saved: %" PRIu64 " bytes in %.3f s",
		 rotation_len(), elapsed());
	err = vitrine_error_create(cause->code, cause->path, cause->offset,
				   advice, "%s", cause->message);
	vitrine_error_destroy(cause);
	return err;
}

/* Print the name of the file; with a cut, also its size: the rest is of the raw trace. */
static void print_name(void)
{
	struct stat status;

	fprintf(stderr, "vitrine: %s: ",
		is_standard_output() ? "standard output" : args.output);
	if (!args.is_cut)
		return;
	if (!is_standard_output() && !stat(args.output, &status))
		fprintf(stderr, "%jd bytes, ", (intmax_t)status.st_size);
	fputs("chosen from ", stderr);
}

/* Return the size of the finished file, or of what was recorded if that is no single file. */
static uint64_t finished_bytes(void)
{
	struct stat status;

	if (is_standard_output() || args.is_cut || rotation.limit_bytes ||
	    stat(args.output, &status))
		return rotation_len();
	return status.st_size;
}

static void print_summary(double seconds)
{
	print_name();
	fprintf(stderr, "%" PRIu64 " switches on %u CPU%s, ",
		recorder.nr_switches, recorder.nr_seen, recorder.nr_seen == 1 ? "" : "s");
	if (kernel_events.nr_wishes)
		fprintf(stderr, "%" PRIu64 " events of ftrace, ", kernel_events.nr_records);
	fprintf(stderr, "%" PRIu64 " bytes, %" PRIu64 " lost, %.3f s\n",
		finished_bytes(),
		recorder.nr_lost + kernel_events.nr_lost, seconds);
	if (args.all)
		cost_print(seconds);
}

/* Write what is kept of the trace. */
static int write_cut(void)
{
	args.cut.path = raw.path;
	args.cut.out = args.output;
	return cut_run(&args.cut);
}

/* Only --why records user stacks. A trace is read and written again to name functions. */
static bool can_be_named(void)
{
	return events_wish.stacks && !is_standard_output() && !rotation.zstd &&
	       !rotation.limit_bytes;
}

static struct vitrine_error *record_all(void)
{
	struct vitrine_error *err;
	double seconds;

	record_begin();
	err = wait_and_record();
	release_events();
	seconds = elapsed();
	if (has_progress)
		fputs("\r\033[K", stderr);
	err = save(err);
	allow_signals();
	if (!err && args.is_cut)
		cut_status = write_cut();
	if (!err && cut_status == EXIT_DONE && can_be_named())
		symbolize_recording(args.output);
	if (!err && cut_status == EXIT_DONE)
		print_summary(seconds);
	wait_for_command();
	return err;
}

/* Return the command's status as a shell reports it. */
static int command_status(void)
{
	if (cut_status != EXIT_DONE || !args.command)
		return cut_status;
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return WEXITSTATUS(wait_status);
}

/* Record a trace. Returns enum exit_code, or the status of the command that was run. */
static int record_run(void)
{
	struct vitrine_error *err;

	args.output = trace_name(args.output);
	rotation.output = args.output;
	recorder.filter = &args.cut.filter;
	atexit(undo);
	err = record_all();

	vitrine_marker_destroy(marker);
	vtr_temporary_remove(&raw);
	recorder_deinit();
	if (!err)
		return command_status();
	/* There is no input to be bad. */
	report_error(err);
	return EXIT_ENVIRONMENT;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write FILE; \"-\" is standard output",
	  .text = &args.output },
	{ "for", 't', "DURATION", .help = "Stop after DURATION: 10 (s), 500ms, 2min" },
	{ "time", 't', "DURATION", NULL, .flags = OPTION_ALIAS | OPTION_HIDDEN },
	{ "until", 0, "EVENT", "Stop when CATEGORY:NAME of trace/events occurs",
	  .text = &events_wish.until },
	{ "delay", OPT_DELAY, "DURATION", .help = "Begin DURATION after COMMAND was started" },
	{ "history", 0, NULL, "Keep what the current sub-buffers have already",
	  .flag = &args.history },
	{ "zstd", 0, NULL, "Compress the trace, as if FILE ended in .zst",
	  .flag = &rotation.zstd },
	{ "rotate", OPT_ROTATE, "SIZE", .help = "Begin another file after SIZE, such as 100M" },
	{ "keep", OPT_KEEP, "N", .help = "Keep the last N files (with --rotate)" },
	{ "process", 'p', "PID|NAME", .help = "Keep a process and its children" },
	{ "cpu", 'C', "LIST", .help = "Record CPUs, such as 0,2-3" },
	{ NULL, 'c', .flags = OPTION_ALIAS },
	{ "cgroup", 0, "PATH", "Keep the processes of a cgroup", .text = &args.cut.cgroup },
	{ "all", 0, NULL, "Record all categories, and report the cost", .flag = &args.all },
	{ "why", OPT_WHY, "THRESHOLD", "Record the causes of long waits (default: 1ms)",
	  .flags = OPTION_ARG_OPTIONAL },
	{ "event", 'e', "EVENT", .help = "Also record SYSTEM:NAME, an event of ftrace" },
	{ "filter", OPT_FILTER, "CONDITION",
	  .help = "Record the preceding EVENT if CONDITION is true" },
	{ "no-wakeups", 0, NULL, "Do not record wakeups (category sched)",
	  .flag = &args.no_wakeups },
	{ 0 }
};

/* Check that there can be such a process. One with another name may begin later. */
static void check_process(struct argp_state *state, const char *process)
{
	const size_t len = strlen(process);
	autofree char *path = must_format("/proc/%s", process);

	if (len > MAX_NAME)
		argp_error(state, "-p %s: the kernel keeps %u bytes of a name; give `%.*s'",
			   process, MAX_NAME, MAX_NAME, process);
	if (strspn(process, "0123456789") == len && access(path, F_OK))
		argp_error(state, "-p %s: no such process", process);
}

/* Find out whether something is left out. */
static void check_cut(struct argp_state *state)
{
	const struct record_filter *filter = &args.cut.filter;
	const char *cgroup = args.cut.cgroup;
	const bool by_process = is_by_process();
	unsigned int i;

	if (by_process && !notes_know_pids())
		argp_error(state,
			   "-p and --cgroup: a PID namespace has other ids of processes than the trace; record outside of it");
	for (i = 0; i < filter->nr_processes; i++)
		check_process(state, filter->processes[i]);
	if (cgroup && *cgroup != '/')
		argp_error(state, "%s is not the path of a cgroup, such as /user.slice", cgroup);
	args.is_cut = by_process || filter->nr_cpus;
	if (args.is_cut && rotation.limit_bytes)
		argp_error(state, "--rotate excludes -p, -C and --cgroup");
	if (args.is_cut && rotation.zstd)
		argp_error(state, "--zstd excludes -p, -C and --cgroup; use -o FILE.fxt.zst");
	if (by_process && args.no_wakeups)
		argp_error(state, "--no-wakeups excludes -p and --cgroup: they follow forks");
}

static unsigned int parse_count(struct argp_state *state, const char *arg)
{
	char *end;
	unsigned long nr = strtoul(arg, &end, 10);

	if (end == arg || *end || *arg == '-' || !nr || nr > MAX_KEEP)
		argp_error(state, "%s is not a number from 1 to %u", arg, MAX_KEEP);
	return nr;
}

static void add_event(const char *event, struct argp_state *state)
{
	if (!GROW(kernel_events.wishes, kernel_events.nr_wishes))
		argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
	if (!strchr(event, ':'))
		argp_error(state,
			   "-e %s: an event is SYSTEM:NAME, such as block:block_rq_issue; categories are switched on in trace/events",
			   event);
	kernel_events.wishes[kernel_events.nr_wishes++] =
		(struct kernel_event_wish){ .event = event };
}

static void add_filter(const char *filter, struct argp_state *state)
{
	struct kernel_event_wish *event;

	if (!kernel_events.nr_wishes)
		argp_error(state, "--filter requires -e EVENT before it");
	event = &kernel_events.wishes[kernel_events.nr_wishes - 1];
	if (event->filter)
		argp_error(state, "-e %s has two filters; combine them with &&", event->event);
	event->filter = filter;
}

static void check_args(struct argp_state *state)
{
	bool is_standard = args.output && !strcmp(args.output, "-");
	const char *until = events_wish.until;

	/* The words of a trigger are separated by spaces. */
	if (until && (!*until || strpbrk(until, " \t\n")))
		argp_error(state, "--until %s: an event is CATEGORY:NAME, such as sched:exec",
			   until);
	if (is_standard && isatty(STDOUT_FILENO))
		argp_error(state,
			   "standard output is a terminal; redirect it or use -o FILE");
	if (is_standard && rotation.limit_bytes)
		argp_error(state, "--rotate needs a FILE");
	if (rotation.nr_keep && !rotation.limit_bytes)
		argp_error(state, "--keep requires --rotate");
	if (args.no_wakeups && (args.all || events_wish.stacks))
		argp_error(state, "--no-wakeups excludes --all and --why");
	events_wish.set = args.no_wakeups ? EVENTS_NONE :
			args.all ? EVENTS_ALL :
			events_wish.stacks ? EVENTS_WHY : EVENTS_WAKEUPS;
	check_cut(state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 't':
		args.duration_ns = units_duration(arg, NSEC_PER_SEC / 1000, MAX_NS, state);
		break;
	case OPT_DELAY:
		args.delay_ns = units_duration(arg, 0, MAX_NS, state);
		break;
	case OPT_ROTATE:
		rotation.limit_bytes = units_size(arg, MIN_ROTATE_BYTES, state);
		break;
	case OPT_KEEP:
		rotation.nr_keep = parse_count(state, arg);
		break;
	case OPT_WHY:
		events_wish.stacks = true;
		events_wish.threshold_us =
			arg ? units_duration(arg, 0, MAX_WHY_NS, state) / 1000 :
			      DEFAULT_WHY_US;
		break;
	case 'e':
		add_event(arg, state);
		break;
	case OPT_FILTER:
		add_filter(arg, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.operands = &args.command,
	.flags = ARGP_IN_ORDER,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Record context switches and wakeups to a file.\n"
	       "\013Recording ends when COMMAND exits, after DURATION, or with ^C.\n"
	       "EVENT of -e can also be kprobe:FUNCTION or uprobe:FILE:FUNCTION.\n"
	       "Without -o, the file is vitrine-YYYYmmdd-HHMMSS.fxt.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine record -o load.fxt -- make -j8\n"
	       "  vitrine record -e 'sched:*fork' -e kprobe:vfs_unlink -- make clean\n"
	       "  vitrine record --why -o slow.fxt -- make; vitrine why slow.fxt",
};

/**
 * cmd_record() - run `vitrine record'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code, or the status of the command that was run.
 */
int cmd_record(int argc, char **argv)
{
	args = (struct record_args){ 0 };
	rotation = (struct rotation){ 0 };
	events_wish = (struct events_wish){ 0 };
	kernel_events = (struct kernel_events){ .data_fd = -1 };
	record_filter_options(&line, &args.cut.filter, argc, argv);
	return record_run();
}
