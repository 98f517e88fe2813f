// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine record -o FILE [-t SECONDS] [-- COMMAND...]': every context switch and
 * wakeup while a command runs, for some seconds, or until it is interrupted.
 *
 * One loop waits for everything: rings, signals, the end of the time, and a
 * tick once a second for what nobody announces.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "debugfs.h"
#include "events.h"
#include "recorder.h"

/* From this second on a line tells how it is going. */
#define PROGRESS_S	2

/* epoll data of what is no ring */
#define TAG_SIGNAL	UINT64_MAX
#define TAG_TICK	(UINT64_MAX - 1)
#define TAG_TIME_UP	(UINT64_MAX - 2)

struct record_args {
	const char *output;
	double seconds;		/* 0: no limit */
	bool no_wakeups;
	char **command;		/* NULL: none */
};

/**
 * struct record - a run of the command
 * @args: what was asked for
 * @recorder: the rings, and the counts
 * @wakeups: switched on until recording ends
 * @signal_fd: signals arrive here
 * @tick_fd: readable once a second
 * @time_up_fd: readable when the time is up
 * @old_mask: signals that were blocked before
 * @pid: of the command, 0 if there is none or it has been waited for
 * @go_fd: closed when the command may start
 * @failed_fd: tells the errno if it cannot be executed
 * @status: of the command, as from waitpid()
 * @signal: that ended the recording, or 0
 * @done: nothing more is to be recorded
 * @begin: when recording began
 * @progress: a progress line is on the terminal
 */
struct record {
	struct record_args args;
	struct recorder recorder;
	struct events_hold wakeups;
	int signal_fd;
	int tick_fd;
	int time_up_fd;
	sigset_t old_mask;
	pid_t pid;
	int go_fd;
	int failed_fd;
	int status;
	int signal;
	bool done;
	struct timespec begin;
	bool progress;
};

#define OPT_NO_WAKEUPS	256

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the trace to FILE", 0 },
	{ "time", 't', "SECONDS", 0, "Record no longer than SECONDS", 0 },
	{ "no-wakeups", OPT_NO_WAKEUPS, NULL, 0,
	  "Do not switch the category sched on", 0 },
	{ 0 },
};

static double parse_seconds(struct argp_state *state, const char *arg)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(arg, &end);
	/* Not a number compares as false, so ask for what is good. */
	if (errno || end == arg || *end || !(seconds >= 0.001 && seconds <= 1e9))
		argp_error(state, "%s is no number of seconds", arg);
	return seconds;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct record_args *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case 't':
		args->seconds = parse_seconds(state, arg);
		return 0;
	case OPT_NO_WAKEUPS:
		args->no_wakeups = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		if (!args->output)
			argp_error(state, "no FILE given, use -o");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Record context switches and wakeups while COMMAND runs, for SECONDS, or until ^C.",
};

static struct vitrine_error *system_error(const char *action)
{
	return vitrine_error_create(errno, NULL, VITRINE_NO_OFFSET, NULL,
				    "%s: %s", action, strerror(errno));
}

/* Rings that nobody writes would give an empty trace. */
static struct vitrine_error *check_enabled(void)
{
	char *path = debugfs_path("trace/enable", "");
	struct vitrine_error *err = NULL;
	char advice[128], line[16] = "";
	FILE *file;

	if (!path)
		return system_error("cannot begin");
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

/* ---- The command ------------------------------------------------------- */

static void __attribute__((noreturn))
run_child(const struct record *record, int go_fd, int failed_fd)
{
	char go;
	int code;

	/* The end of the file is the signal to go, the parent's end to stop. */
	while (read(go_fd, &go, 1) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &record->old_mask, NULL);
	execvp(record->args.command[0], record->args.command);
	code = errno;
	if (write(failed_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Make the child, which waits until let_command_go(). */
static struct vitrine_error *prepare_command(struct record *record)
{
	int go[2], failed[2];

	if (!record->args.command)
		return NULL;
	if (pipe2(go, O_CLOEXEC))
		return system_error("cannot run a command");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return system_error("cannot run a command");
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
		return system_error("cannot run a command");
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
	return vitrine_error_create(code, record->args.command[0],
				    VITRINE_NO_OFFSET, NULL, "cannot run: %s",
				    strerror(code));
}

/* Nothing came of it: the child has not been let go. */
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
	const char *command = record->args.command[0];

	if (WIFSIGNALED(record->status))
		fprintf(stderr, "vitrine: %s was killed by signal %d\n",
			command, WTERMSIG(record->status));
	else if (WEXITSTATUS(record->status))
		fprintf(stderr, "vitrine: %s exited with status %d\n", command,
			WEXITSTATUS(record->status));
}

/* The trace is saved; from here on ^C may end us as it ends the command. */
static void wait_for_command(struct record *record)
{
	sigprocmask(SIG_SETMASK, &record->old_mask, NULL);
	if (record->pid && record->signal && record->signal != SIGINT)
		kill(record->pid, record->signal);
	while (record->pid && waitpid(record->pid, &record->status, 0) < 0)
		if (errno != EINTR)
			break;
	if (record->args.command)
		print_status(record);
}

/* ---- Waiting ----------------------------------------------------------- */

static struct vitrine_error *watch(struct record *record, int fd, uint64_t tag)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = tag };

	if (fd < 0 ||
	    epoll_ctl(record->recorder.epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return system_error("cannot wait");
	return NULL;
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
	return watch(record, record->signal_fd, TAG_SIGNAL);
}

static struct vitrine_error *watch_time(struct record *record)
{
	struct itimerspec tick = { { 1, 0 }, { 1, 0 } }, time_up = { 0 };
	struct vitrine_error *err;
	double whole;

	record->tick_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	err = watch(record, record->tick_fd, TAG_TICK);
	if (err)
		return err;
	timerfd_settime(record->tick_fd, 0, &tick, NULL);
	record->time_up_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	err = watch(record, record->time_up_fd, TAG_TIME_UP);
	if (err)
		return err;
	/* All zero, without a limit, leaves the timer off. */
	time_up.it_value.tv_nsec = 1e9 * modf(record->args.seconds, &whole);
	time_up.it_value.tv_sec = whole;
	timerfd_settime(record->time_up_fd, 0, &time_up, NULL);
	return NULL;
}

static double elapsed(const struct record *record)
{
	struct timespec now;

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
		vitrine_writer_len(recorder->writer), recorder->nr_lost);
	record->progress = true;
}

static void take_signal(struct record *record)
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

/* Once a second: new rings, and those that epoll cannot wait for. */
static struct vitrine_error *take_tick(struct record *record)
{
	struct vitrine_error *err;
	uint64_t ticks;

	if (read(record->tick_fd, &ticks, sizeof(ticks)) < 0)
		return NULL;
	err = recorder_scan(&record->recorder);
	if (!err)
		err = recorder_drain_all(&record->recorder);
	if (!err)
		print_progress(record);
	return err;
}

static struct vitrine_error *take_event(struct record *record, uint64_t tag)
{
	switch (tag) {
	case TAG_SIGNAL:
		take_signal(record);
		return NULL;
	case TAG_TICK:
		return take_tick(record);
	case TAG_TIME_UP:
		record->done = true;
		return NULL;
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
			return system_error("cannot wait");
		for (i = 0; i < nr; i++) {
			err = take_event(record, events[i].data.u64);
			if (err)
				return err;
		}
	}
	return recorder_finish(&record->recorder);
}

/* ---- The recording ----------------------------------------------------- */

static struct vitrine_error *record_begin(struct record *record)
{
	struct recorder *recorder = &record->recorder;
	struct vitrine_error *err;

	recorder->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (recorder->epoll_fd < 0)
		return system_error("cannot wait");
	err = watch_signals(record);
	if (!err)
		err = recorder_scan(recorder);
	if (!err)
		err = check_enabled();
	if (!err)
		err = vitrine_writer_create(record->args.output,
					    &recorder->writer);
	if (!err && !record->args.no_wakeups)
		err = events_hold("sched", &record->wakeups);
	if (!err)
		err = prepare_command(record);
	if (!err)
		err = watch_time(record);
	if (err)
		return err;
	recorder->started = true;
	clock_gettime(CLOCK_MONOTONIC, &record->begin);
	return let_command_go(record);
}

/* What has been written is a trace, even if an error ended it. */
static struct vitrine_error *save(struct record *record,
				  struct vitrine_error *cause)
{
	struct vitrine_writer *writer = record->recorder.writer;
	struct vitrine_error *err;
	char advice[96];

	err = vitrine_writer_commit(writer);
	if (!cause || err) {
		vitrine_error_destroy(cause);
		return err;
	}
	snprintf(advice, sizeof(advice),
		 "what was recorded until then is saved: %" PRIu64 " bytes in %.3f s",
		 vitrine_writer_len(writer), elapsed(record));
	err = vitrine_error_create(cause->code, cause->path, cause->offset,
				   advice, "%s", cause->message);
	vitrine_error_destroy(cause);
	return err;
}

static void print_summary(const struct record *record, double seconds)
{
	const struct recorder *recorder = &record->recorder;

	fprintf(stderr, "vitrine: %s: %" PRIu64 " switches on %u CPU%s, ",
		record->args.output, recorder->nr_switches, recorder->nr_seen,
		recorder->nr_seen == 1 ? "" : "s");
	fprintf(stderr, "%" PRIu64 " bytes, %" PRIu64 " lost, %.3f s\n",
		vitrine_writer_len(recorder->writer), recorder->nr_lost,
		seconds);
}

static struct vitrine_error *record_run(struct record *record)
{
	struct vitrine_error *err;
	double seconds;

	err = record_begin(record);
	if (err) {
		events_release(&record->wakeups);
		abandon_command(record);
		return err;
	}
	err = wait_and_record(record);
	events_release(&record->wakeups);
	seconds = elapsed(record);
	if (record->progress)
		fputs("\r\033[K", stderr);
	err = save(record, err);
	if (!err)
		print_summary(record, seconds);
	wait_for_command(record);
	return err;
}

/* As a shell would say it. */
static int command_status(const struct record *record)
{
	if (!record->args.command)
		return EXIT_DONE;
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
 * cmd_record() - `vitrine record'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code, or the status of the command that was run.
 */
int cmd_record(int argc, char **argv)
{
	struct record record = {
		.recorder.epoll_fd = -1,
		.wakeups.fd = -1,
		.signal_fd = -1,
		.tick_fd = -1,
		.time_up_fd = -1,
		.go_fd = -1,
		.failed_fd = -1,
	};
	struct vitrine_error *err;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &record.args);
	err = record_run(&record);

	recorder_deinit(&record.recorder);
	vitrine_writer_destroy(record.recorder.writer);
	close_if_open(record.failed_fd);
	close_if_open(record.go_fd);
	close_if_open(record.time_up_fd);
	close_if_open(record.tick_fd);
	close_if_open(record.signal_fd);
	close_if_open(record.recorder.epoll_fd);
	if (!err)
		return command_status(&record);
	/* There is no input to be bad: a file too large is a full disk. */
	report_error(err);
	return EXIT_ENVIRONMENT;
}
