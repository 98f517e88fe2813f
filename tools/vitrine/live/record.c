// SPDX-License-Identifier: GPL-2.0
/*
 * Record the rings to a file while a command runs, for some time, or until a signal.
 * recorder.c drains the rings, events.c changes settings and restores them, kernel_events.c
 * adds events of ftrace.
 *
 * One loop waits for everything: rings, signals, the end of the time, and a tick once
 * a second for rings that cannot wake it.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "report.h"
#include "cost.h"
#include "debugfs.h"
#include "events.h"
#include "kernel_events.h"
#include "record.h"
#include "recorder.h"
#include "temporary.h"
#include "trace_name.h"
#include "units.h"

/* Seconds until a progress line is shown on the terminal. */
#define PROGRESS_S	2

/* epoll data of descriptors that are not rings */
#define TAG_SIGNAL	UINT64_MAX
#define TAG_TICK	(UINT64_MAX - 1)
#define TAG_TIME_UP	(UINT64_MAX - 2)
#define TAG_BEGIN	(UINT64_MAX - 3)
#define TAG_KERNEL	(UINT64_MAX - 4)
#define TAG_TRIGGER	(UINT64_MAX - 5)

/**
 * struct record - a recording in progress
 * @args: the options
 * @name: buffer for @output
 * @output: name of the trace
 * @raw: with a choice, the trace that it is made from
 * @processes: with a choice, the processes that are kept
 * @recorder: the rings, and counts of records
 * @wish: settings that are to be changed
 * @events: those that are changed until recording ends
 * @kernel: events of ftrace
 * @cost: with --all, the measured cost of a record
 * @signal_fd: readable when a signal arrives
 * @tick_fd: readable once a second
 * @time_up_fd: readable when the time is up
 * @begin_fd: readable when the delay is over
 * @old_mask: signals that were blocked before recording
 * @pid: process id of the command, 0 if there is none or it has been waited for
 * @go_fd: pipe to the child; closing it starts the command
 * @failed_fd: pipe from the child; has the errno if exec fails
 * @status: status of the command, as from waitpid()
 * @signal: signal that ended the recording, or 0
 * @done: recording is over
 * @disarmed: error that ended it: the trigger of --until is no longer armed
 * @begin: when recording began
 * @end: when it ended, or 0
 * @begin_cpu: CPU time that this process had used by then, in seconds
 * @progress: a progress line is on the terminal
 * @choice_status: exit code of writing the choice
 */
struct record {
	const struct record_args *args;
	char name[TRACE_NAME_BYTES];
	const char *output;
	struct vtr_temporary raw;
	struct processes processes;
	struct recorder recorder;
	struct events_wish wish;
	struct events_hold events;
	struct kernel_events kernel;
	struct cost cost;
	int signal_fd;
	int tick_fd;
	int time_up_fd;
	int begin_fd;
	sigset_t old_mask;
	pid_t pid;
	int go_fd;
	int failed_fd;
	int status;
	int signal;
	bool done;
	struct vitrine_error *disarmed;
	struct timespec begin;
	struct timespec end;
	double begin_cpu;
	bool progress;
	int choice_status;
};

/* Return an error if recording is switched off: the trace would be empty. */
static struct vitrine_error *check_enabled(void)
{
	char *path = debugfs_path("trace/enable", "");
	struct vitrine_error *err = NULL;
	char advice[128], line[16] = "";
	FILE *file;

	if (!path)
		return vtr_error_no_memory();
	file = fopen(path, "re");
	if (file && fgets(line, sizeof(line), file) &&
	    !strncmp(line, "[0]", 3)) {
		snprintf(advice, sizeof(advice), "run `echo 1 > %s' as root",
			 path);
		err = vitrine_error_create(EBUSY, path, VITRINE_NO_OFFSET,
					   advice,
					   "recording is switched off");
	}
	if (file)
		fclose(file);
	free(path);
	return err;
}

/* Let each CPU begin a new sub-buffer; return 0, or an errno value. */
static int flush_rings(void)
{
	static const char word[] = "flush\n";
	char *path = debugfs_path("trace/enable", "");
	int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1, code = path ? errno : ENOMEM;

	free(path);
	if (fd < 0)
		return code;
	code = write(fd, word, strlen(word)) < 0 ? errno : 0;
	close(fd);
	return code;
}

/* ---- The command ------------------------------------------------------- */

static bool is_standard_output(const struct record *record)
{
	return !strcmp(record->output, "-");
}

static void __attribute__((noreturn))
run_child(const struct record *record, int go_fd, int failed_fd)
{
	char go;
	int code;

	/* let_command_go() closes the pipe; abandon_command() kills the child instead. */
	while (read(go_fd, &go, 1) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &record->old_mask, NULL);
	/* What the command prints is no part of the trace. */
	if (is_standard_output(record))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(record->args->command[0], record->args->command);
	code = errno;
	if (write(failed_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Fork the child, which waits until let_command_go(). */
static struct vitrine_error *prepare_command(struct record *record)
{
	int go[2], failed[2];

	if (!record->args->command)
		return NULL;
	if (pipe2(go, O_CLOEXEC))
		return vtr_error_os(errno, NULL, "cannot run a command");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return vtr_error_os(errno, NULL, "cannot run a command");
	}
	record->go_fd = go[1];
	record->failed_fd = failed[0];
	record->pid = fork();
	if (!record->pid) {
		close(go[1]);
		run_child(record, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (record->pid < 0) {
		record->pid = 0;
		return vtr_error_os(errno, NULL, "cannot run a command");
	}
	return NULL;
}

static struct vitrine_error *let_command_go(struct record *record)
{
	int code;

	if (!record->pid)
		return NULL;
	close(record->go_fd);
	record->go_fd = -1;
	if (read(record->failed_fd, &code, sizeof(code)) != sizeof(code))
		return NULL;
	waitpid(record->pid, NULL, 0);
	record->pid = 0;
	return vtr_error_os(code, record->args->command[0], "cannot run");
}

/* Kill the child, which has not run the command yet. */
static void abandon_command(struct record *record)
{
	if (!record->pid)
		return;
	kill(record->pid, SIGKILL);
	waitpid(record->pid, NULL, 0);
	record->pid = 0;
}

static void print_status(const struct record *record)
{
	const char *command = record->args->command[0];

	if (WIFSIGNALED(record->status))
		fprintf(stderr, "vitrine: %s was killed by signal %d\n",
			command, WTERMSIG(record->status));
	else if (WEXITSTATUS(record->status))
		fprintf(stderr, "vitrine: %s exited with status %d\n", command,
			WEXITSTATUS(record->status));
}

/*
 * The trace is saved: from here on, ^C may end this process like the command. A SIGPIPE is
 * pending if nobody reads the trace any longer, which has been reported as an error.
 */
static void allow_signals(const struct record *record)
{
	sigset_t mask = record->old_mask;

	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (record->pid && record->signal && record->signal != SIGINT)
		kill(record->pid, record->signal);
}

static void wait_for_command(struct record *record)
{
	while (record->pid && waitpid(record->pid, &record->status, 0) < 0)
		if (errno != EINTR)
			break;
	if (record->args->command)
		print_status(record);
}

/* ---- Waiting ----------------------------------------------------------- */

static struct vitrine_error *watch_for(struct record *record, uint32_t events, int fd,
				       uint64_t tag)
{
	struct epoll_event event = { .events = events, .data.u64 = tag };

	if (fd < 0 ||
	    epoll_ctl(record->recorder.epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return vtr_error_os(errno, NULL, "cannot wait");
	return NULL;
}

static struct vitrine_error *watch(struct record *record, int fd, uint64_t tag)
{
	return watch_for(record, EPOLLIN, fd, tag);
}

static struct vitrine_error *watch_signals(struct record *record)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &record->old_mask);
	record->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC);
	/* A pipe that nobody reads is an error of writing. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return watch(record, record->signal_fd, TAG_SIGNAL);
}

/* Wait for a timer, first after @first_ns and then every @period_ns; 0 leaves it off. */
static struct vitrine_error *watch_timer(struct record *record, int *ret_fd,
					 uint64_t tag, uint64_t first_ns,
					 uint64_t period_ns)
{
	const struct itimerspec time = {
		.it_interval.tv_sec = period_ns / NSEC_PER_SEC,
		.it_interval.tv_nsec = period_ns % NSEC_PER_SEC,
		.it_value.tv_sec = first_ns / NSEC_PER_SEC,
		.it_value.tv_nsec = first_ns % NSEC_PER_SEC,
	};
	struct vitrine_error *err;

	*ret_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	err = watch(record, *ret_fd, tag);
	if (!err)
		timerfd_settime(*ret_fd, 0, &time, NULL);
	return err;
}

/* Return for how many seconds the recording has lasted; 0 before it begins. */
static double elapsed(const struct record *record)
{
	struct timespec now = record->end;

	if (!record->recorder.started)
		return 0;
	if (!now.tv_sec)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - record->begin.tv_sec +
	       (now.tv_nsec - record->begin.tv_nsec) / 1e9;
}

static void print_progress(struct record *record)
{
	const struct recorder *recorder = &record->recorder;

	if (elapsed(record) < PROGRESS_S || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rvitrine: %.0f s, %" PRIu64 " switches, ",
		elapsed(record), recorder->nr_switches);
	fprintf(stderr, "%" PRIu64 " bytes, %" PRIu64 " lost\033[K",
		rotation_len(&recorder->files), recorder->nr_lost + recorder->nr_unwritten);
	record->progress = true;
}

static void handle_signal(struct record *record)
{
	struct signalfd_siginfo info;

	if (read(record->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGCHLD) {
		record->signal = info.ssi_signo;
		record->done = true;
	} else if (record->pid && waitpid(record->pid, &record->status,
					  WNOHANG) == record->pid) {
		record->pid = 0;
		record->done = true;
	}
}

/*
 * Find the processes that are kept and exist now. Those that are forked from now on are
 * known from the trace; only the members of a cgroup can change without a fork.
 */
static struct vitrine_error *find_processes(struct record *record)
{
	const struct record_args *args = record->args;
	bool started = record->recorder.started;
	struct vitrine_error *err = NULL;
	unsigned int i;

	for (i = 0; i < args->nr_processes && !started; i++)
		if (!processes_add_tree(&record->processes, args->processes[i]))
			return vtr_error_no_memory();
	if (args->cgroup)
		err = processes_add_cgroup(&record->processes, args->cgroup);
	/* The cgroup may be removed meanwhile. */
	if (err && started && err->code == ENOENT) {
		vitrine_error_destroy(err);
		err = NULL;
	}
	return err;
}

/* The file was ready, or a second is over: if another trigger is armed, nothing is ready. */
static void check_trigger(struct record *record)
{
	struct recorder *recorder = &record->recorder;

	if (!record->wish.until || record->done)
		return;
	record->disarmed = events_fired(&record->events, &recorder->is_over);
	record->done = record->disarmed || recorder->is_over;
}

/* Once a second, find new rings, and drain those that epoll cannot wait for. */
static struct vitrine_error *handle_tick(struct record *record)
{
	struct vitrine_error *err;
	uint64_t ticks;

	if (read(record->tick_fd, &ticks, sizeof(ticks)) < 0)
		return NULL;
	err = recorder_scan(&record->recorder);
	if (!err)
		err = recorder_drain_all(&record->recorder);
	if (!err)
		err = find_processes(record);
	if (!err)
		print_progress(record);
	check_trigger(record);
	return err;
}

/* ---- Beginning -------------------------------------------------------- */

/* Return the CPU time that this process, without its children, has used. */
static double own_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static struct events_wish make_wish(const struct record_args *args)
{
	return (struct events_wish){
		.set = args->no_wakeups ? EVENTS_NONE :
		       args->all ? EVENTS_ALL :
		       args->why ? EVENTS_WHY : EVENTS_WAKEUPS,
		.stacks = args->why,
		.threshold_us = args->threshold_us,
		.memory = args->memory,
		.until = args->until,
	};
}

static bool has_wish(const struct record *record)
{
	return record->wish.set != EVENTS_NONE || record->wish.until;
}

static struct vitrine_error *enable_events(struct record *record)
{
	struct vitrine_error *err;

	if (!has_wish(record))
		return NULL;
	err = events_hold(&record->events, &record->wish);
	/* The cost is measured with the categories enabled. */
	if (!err && record->args->all)
		err = cost_read(&record->cost);
	return err;
}

static struct vitrine_error *arm_trigger(struct record *record)
{
	struct vitrine_error *err;

	if (!record->wish.until)
		return NULL;
	err = events_arm(&record->events, record->wish.until);
	/* Edges only: the file stays ready while recording is switched off. */
	return err ? err : watch_for(record, EPOLLPRI | EPOLLET, record->events.trigger_fd,
				     TAG_TRIGGER);
}

/* Let the sub-buffers begin with which the recording begins. */
static bool flush_first(void *ctx)
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
static bool flush_last(void *ctx)
{
	struct record *record = ctx;

	clock_gettime(CLOCK_MONOTONIC, &record->end);
	return !flush_rings();
}

/*
 * Begin with what the rings get from now on. Categories are on by then. A process that is
 * forked later is found in the trace, and the trigger fires in it.
 */
static struct vitrine_error *begin_recording(struct record *record)
{
	struct recorder *recorder = &record->recorder;
	struct vitrine_error *err;

	err = recorder_scan(recorder);
	if (!err)
		err = enable_events(record);
	if (!err && !record->args->history)
		err = recorder_begin(recorder, flush_first, NULL);
	/* The time is up after the begin plus the limit, never before. */
	record->begin_cpu = own_seconds();
	clock_gettime(CLOCK_MONOTONIC, &record->begin);
	if (!err)
		err = arm_trigger(record);
	if (!err)
		err = find_processes(record);
	if (!err)
		err = kernel_events_enable(&record->kernel);
	if (!err)
		err = watch_timer(record, &record->tick_fd, TAG_TICK,
				  NSEC_PER_SEC, NSEC_PER_SEC);
	if (!err)
		err = watch_timer(record, &record->time_up_fd, TAG_TIME_UP,
				  record->args->duration_ns, 0);
	recorder->started = !err;
	return err;
}

/* ---- Events ----------------------------------------------------------- */

static struct vitrine_error *handle_event(struct record *record, uint64_t tag)
{
	switch (tag) {
	case TAG_SIGNAL:
		handle_signal(record);
		return NULL;
	case TAG_TICK:
		return handle_tick(record);
	case TAG_BEGIN:
		epoll_ctl(record->recorder.epoll_fd, EPOLL_CTL_DEL,
			  record->begin_fd, NULL);
		return begin_recording(record);
	case TAG_TIME_UP:
		record->done = true;
		return NULL;
	case TAG_TRIGGER:
		check_trigger(record);
		return NULL;
	case TAG_KERNEL:
		return kernel_events_read(&record->kernel,
					  &record->recorder.files);
	default:
		return recorder_drain(&record->recorder, tag);
	}
}

static struct vitrine_error *wait_and_record(struct record *record)
{
	struct epoll_event events[16];
	struct vitrine_error *err = NULL;
	int i, nr;

	while (!record->done) {
		nr = epoll_wait(record->recorder.epoll_fd, events, 16, -1);
		if (nr < 0 && errno != EINTR)
			return vtr_error_os(errno, NULL, "cannot wait");
		for (i = 0; i < nr; i++) {
			err = handle_event(record, events[i].data.u64);
			if (err)
				return err;
		}
	}
	events_still(&record->events);
	err = kernel_events_finish(&record->kernel, &record->recorder.files);
	if (!err)
		err = recorder_finish(&record->recorder, flush_last, record);
	if (err || !record->disarmed)
		return err;
	err = record->disarmed;
	record->disarmed = NULL;
	return err;
}

/* Record into a temporary trace beside the one that is wanted, or in TMPDIR for a pipe. */
static struct vitrine_error *prepare_raw(struct record *record)
{
	const char *dir = getenv("TMPDIR");
	char place[PATH_MAX];
	int fd;

	snprintf(place, sizeof(place), "%s", record->output);
	if (is_standard_output(record))
		snprintf(place, sizeof(place), "%s/vitrine",
			 dir && *dir ? dir : "/var/tmp");
	fd = vtr_temporary_create(&record->raw, place);
	if (fd < 0)
		return vtr_error_os(errno, place, "cannot create a temporary file beside it");
	close(fd);
	record->recorder.files.output = record->raw.path;
	return NULL;
}

/* ---- The recording ----------------------------------------------------- */

/*
 * The events have the clock of the rings, all of which have the same. No ring can be missing
 * yet: until recording begins, recorder_scan() fails if one of them cannot be opened.
 */
static struct vitrine_error *start_kernel_events(struct record *record)
{
	const struct recorder *recorder = &record->recorder;
	struct vitrine_error *err;

	err = kernel_events_start(&record->kernel, recorder->cpus[0].ring);
	if (err || !record->kernel.nr_wishes)
		return err;
	return watch(record, record->kernel.data_fd, TAG_KERNEL);
}

/* In reverse order: the restorer of the events of ftrace has the other one's pipe open. */
static void release_events(struct record *record)
{
	kernel_events_release(&record->kernel);
	events_release(&record->events);
}

/* Open everything that is needed, so that errors show before the command runs. */
static struct vitrine_error *prepare(struct record *record)
{
	struct recorder *recorder = &record->recorder;
	struct vitrine_error *err;

	if (has_wish(record))
		events_prepare(&record->events, &record->wish);
	err = kernel_events_prepare(&record->kernel);
	if (err)
		return err;
	recorder->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (recorder->epoll_fd < 0)
		return vtr_error_os(errno, NULL, "cannot wait");
	err = watch_signals(record);
	if (!err)
		err = recorder_scan(recorder);
	if (!err)
		err = check_enabled();
	if (!err && record->args->choice)
		err = prepare_raw(record);
	if (!err)
		err = rotation_open(&recorder->files);
	return err ? err : start_kernel_events(record);
}

static struct vitrine_error *record_begin(struct record *record)
{
	struct vitrine_error *err = prepare(record);

	if (!err && record->args->delay_ns) {
		/* The rings are opened again where they are then. */
		recorder_close(&record->recorder);
		err = watch_timer(record, &record->begin_fd, TAG_BEGIN,
				  record->args->delay_ns, 0);
	} else if (!err) {
		err = begin_recording(record);
	}
	if (!err)
		err = prepare_command(record);
	return err ? err : let_command_go(record);
}

/* Keep what has been written, which is a trace even if an error ended it. */
static struct vitrine_error *save(struct record *record,
				  struct vitrine_error *cause)
{
	struct rotation *files = &record->recorder.files;
	struct vitrine_error *err;
	char advice[96];

	err = rotation_commit(files);
	if (!cause || err) {
		vitrine_error_destroy(cause);
		return err;
	}
	snprintf(advice, sizeof(advice),
		 "the trace up to then is saved: %" PRIu64 " bytes in %.3f s",
		 rotation_len(files), elapsed(record));
	err = vitrine_error_create(cause->code, cause->path, cause->offset,
				   advice, "%s", cause->message);
	vitrine_error_destroy(cause);
	return err;
}

/* Print the name of the file; with a choice, also its size: the rest is of the raw trace. */
static void print_name(const struct record *record)
{
	struct stat status;

	fprintf(stderr, "vitrine: %s: ",
		is_standard_output(record) ? "standard output" : record->output);
	if (!record->args->choice)
		return;
	if (!is_standard_output(record) && !stat(record->output, &status))
		fprintf(stderr, "%jd bytes, ", (intmax_t)status.st_size);
	fputs("chosen from ", stderr);
}

/* Return the size of the finished file, or of what was recorded if that is no single file. */
static uint64_t finished_bytes(const struct record *record)
{
	struct stat status;

	if (is_standard_output(record) || record->args->choice || record->args->rotate_bytes ||
	    stat(record->output, &status))
		return rotation_len(&record->recorder.files);
	return status.st_size;
}

/* Print what the file holds: of a window, that is less than what was recorded. */
static void print_summary(struct record *record, double seconds)
{
	const struct recorder *recorder = &record->recorder;
	const struct window *window = &recorder->files.window;
	const bool is_window = window->limit_bytes;

	print_name(record);
	fprintf(stderr, "%" PRIu64 " switches on %u CPU%s, ",
		is_window ? window->nr_switches : recorder->nr_switches, recorder->nr_seen,
		recorder->nr_seen == 1 ? "" : "s");
	if (record->kernel.nr_wishes)
		fprintf(stderr, "%" PRIu64 " events of ftrace, ", record->kernel.nr_records);
	fprintf(stderr, "%" PRIu64 " bytes, %" PRIu64 " lost, %.3f s\n",
		finished_bytes(record),
		(is_window ? window->nr_lost : recorder->nr_lost) + recorder->nr_unwritten +
		record->kernel.nr_lost, is_window ? window_seconds(window) : seconds);
	if (record->args->all)
		cost_print(&record->cost, recorder, seconds,
			   own_seconds() - record->begin_cpu);
}

static int write_choice(struct record *record)
{
	const struct record_choice *choice = record->args->choice;

	return choice->write(choice->ctx, record->raw.path, record->output,
			     &record->processes);
}

static struct vitrine_error *record_all(struct record *record)
{
	struct vitrine_error *err;
	double seconds;

	err = record_begin(record);
	if (err) {
		/* Until it runs, the child keeps the restorer's pipe open. */
		abandon_command(record);
		release_events(record);
		return err;
	}
	err = wait_and_record(record);
	release_events(record);
	seconds = elapsed(record);
	if (record->progress)
		fputs("\r\033[K", stderr);
	err = save(record, err);
	allow_signals(record);
	if (!err && record->args->choice)
		record->choice_status = write_choice(record);
	if (!err && record->choice_status == EXIT_DONE && record->args->saved)
		record->args->saved(record->output);
	if (!err && record->choice_status == EXIT_DONE)
		print_summary(record, seconds);
	wait_for_command(record);
	return err;
}

/* Return the command's status as a shell reports it. */
static int command_status(const struct record *record)
{
	if (record->choice_status != EXIT_DONE || !record->args->command)
		return record->choice_status;
	if (WIFSIGNALED(record->status))
		return 128 + WTERMSIG(record->status);
	return WEXITSTATUS(record->status);
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

/**
 * record_run() - record a trace
 * @args: the options
 *
 * Return: enum exit_code, or the status of the command that was run.
 */
int record_run(const struct record_args *args)
{
	struct record record = {
		.args = args,
		.recorder.epoll_fd = -1,
		.wish = make_wish(args),
		.events = { .fd = -1, .stacks_fd = -1, .trigger_fd = -1 },
		.kernel = {
			.wishes = args->events,
			.nr_wishes = args->nr_events,
			.control = { -1, -1 },
			.data_fd = -1,
		},
		.signal_fd = -1,
		.tick_fd = -1,
		.time_up_fd = -1,
		.begin_fd = -1,
		.go_fd = -1,
		.failed_fd = -1,
	};
	struct vitrine_error *err;

	record.output = trace_name(args->output, record.name);
	record.recorder.files = (struct rotation){
		.output = record.output,
		.zstd = args->zstd,
		.limit_bytes = args->rotate_bytes,
		.nr_keep = args->nr_keep,
		.window.limit_bytes = args->window_bytes,
	};
	if (args->choice) {
		record.recorder.wants_cpu = args->choice->wants_cpu;
		record.recorder.ctx = args->choice->ctx;
	}
	err = record_all(&record);

	vitrine_error_destroy(record.disarmed);
	vtr_temporary_remove(&record.raw);
	processes_deinit(&record.processes);
	recorder_deinit(&record.recorder);
	vitrine_writer_destroy(record.recorder.files.writer);
	window_deinit(&record.recorder.files.window);
	close_if_open(record.failed_fd);
	close_if_open(record.go_fd);
	close_if_open(record.begin_fd);
	close_if_open(record.time_up_fd);
	close_if_open(record.tick_fd);
	close_if_open(record.signal_fd);
	close_if_open(record.recorder.epoll_fd);
	if (!err)
		return command_status(&record);
	/* There is no input to be bad: EFBIG means a full disk. */
	report_error(err);
	return EXIT_ENVIRONMENT;
}
