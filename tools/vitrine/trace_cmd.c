// SPDX-License-Identifier: GPL-2.0
/*
 * Starts the program that reads files of trace-cmd's with libtracecmd, and writes
 * what it says, so that the command needs nothing of libtracecmd to be there, and a
 * file that is whole is all there ever is, however the program ends.
 *
 * The program is looked for beside the command, and where it is installed.
 */
#define _GNU_SOURCE	/* pipe2(), strsignal() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "status.h"
#include "trace_cmd.h"

#define COPY_BYTES	65536

/* Of what went wrong in there. */
#define STATUS_BYTES	1024

static const char magic[] = "\x17\x08\x44tracing";

/**
 * struct child - the program, running
 * @pid: its process
 * @trace: the Fuchsia trace comes here
 * @status: what went wrong, see status.h
 */
struct child {
	pid_t pid;
	int trace;
	int status;
};

/**
 * trace_cmd_detect() - is this a file of trace-cmd's?
 * @bytes: its first bytes
 * @len_bytes: how many
 *
 * Return: true if it begins as one does.
 */
bool trace_cmd_detect(const void *bytes, size_t len_bytes)
{
	size_t len = sizeof(magic) - 1;

	return len_bytes >= len && !memcmp(bytes, magic, len);
}

static bool is_beside(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size);
	size_t at;

	if (len < 0 || (size_t)len >= size)
		return false;
	path[len] = '\0';
	at = strrchr(path, '/') + 1 - path;
	snprintf(path + at, size - at, "%s", TRACECMD_READER);
	return !access(path, X_OK);
}

static struct vitrine_error *find_reader(char *path, size_t size)
{
	if (is_beside(path, size))
		return NULL;
	snprintf(path, size, "%s/vitrine/%s", LIBEXECDIR, TRACECMD_READER);
	if (!access(path, X_OK))
		return NULL;
	return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
		"install the package vitrine-tools; to build it, libtracecmd-dev, libtraceevent-dev and libtracefs-dev",
		"trace-cmd's format needs the program %s", path);
}

static void run_reader(const char *reader, const char *from,
		       const int *trace, const int *status)
{
	/* The status may have the trace's number, but not the other way round. */
	int fd = dup(status[1]);

	if (dup2(trace[1], STDOUT_FILENO) < 0 ||
	    dup2(fd, TRACECMD_STATUS_FD) < 0)
		_exit(EXIT_FAILURE);
	execl(reader, TRACECMD_READER, from, NULL);
	_exit(EXIT_FAILURE);
}

static void close_both(const int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

static struct vitrine_error *start(const char *reader, const char *from,
				   struct child *ret)
{
	struct vitrine_error *err;
	int trace[2], status[2];

	if (pipe2(trace, O_CLOEXEC))
		return vtr_error_os(errno, reader, "cannot start it");
	if (pipe2(status, O_CLOEXEC)) {
		err = vtr_error_os(errno, reader, "cannot start it");
		close_both(trace);
		return err;
	}
	ret->pid = fork();
	if (ret->pid < 0) {
		err = vtr_error_os(errno, reader, "cannot start it");
		close_both(trace);
		close_both(status);
		return err;
	}
	if (!ret->pid)
		run_reader(reader, from, trace, status);
	close(trace[1]);
	close(status[1]);
	ret->trace = trace[0];
	ret->status = status[0];
	return NULL;
}

/* Up to the end of what the program writes, or of what we can. */
static struct vitrine_error *copy(const struct child *child,
				  struct vitrine_writer *writer)
{
	char *bytes = malloc(COPY_BYTES);
	struct vitrine_error *err = NULL;
	ssize_t len = 0;

	if (!bytes)
		return vtr_error_no_memory();
	do {
		len = vtr_read_full(child->trace, bytes, COPY_BYTES);
		if (len > 0)
			err = vitrine_writer_append(writer, bytes, len);
	} while (!err && len > 0);
	free(bytes);
	return err;
}

/* What the program says went wrong, or how it died. */
static struct vitrine_error *failure_of(char *text, int status,
					const char *from)
{
	char *message = strchr(text, '\n'), *advice = NULL;

	if (message) {
		*message++ = '\0';
		advice = strchr(message, '\n');
	}
	if (advice) {
		*advice++ = '\0';
		advice[strcspn(advice, "\n")] = '\0';
		return vitrine_error_create(atoi(text), from, VITRINE_NO_OFFSET,
					    *advice ? advice : NULL, "%s",
					    message);
	}
	return vitrine_error_create(EBADMSG, from, VITRINE_NO_OFFSET,
		"it may be cut short; see what `trace-cmd report' says of it",
		"libtracecmd died reading it: %s", WIFSIGNALED(status) ?
		strsignal(WTERMSIG(status)) : "no reason given");
}

/* The program ends when nobody wants its trace any more. */
static struct vitrine_error *finish(const struct child *child,
				    const char *from)
{
	char text[STATUS_BYTES];
	int status = 0;
	ssize_t len;

	close(child->trace);
	len = vtr_read_full(child->status, text, sizeof(text) - 1);
	close(child->status);
	text[len < 0 ? 0 : len] = '\0';
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? failure_of(text, status, from) : NULL;
}

static struct vitrine_error *write_with(const char *reader, const char *from,
					struct vitrine_writer *writer)
{
	struct vitrine_error *err, *end;
	struct child child = { 0 };

	err = start(reader, from, &child);
	if (err)
		return err;
	err = copy(&child, writer);
	end = finish(&child, from);
	/* That it could not write is then for what we could not write. */
	if (!err)
		return end ? end : vitrine_writer_commit(writer);
	vitrine_error_destroy(end);
	return err;
}

/**
 * trace_cmd_read() - make a Fuchsia trace of a file of trace-cmd's
 * @from: the file
 * @to: file to make
 *
 * Return: NULL, or an error; then there is no such file.
 */
struct vitrine_error *trace_cmd_read(const char *from, const char *to)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	char reader[4096];

	err = find_reader(reader, sizeof(reader));
	if (!err)
		err = vitrine_writer_create(to, &writer);
	if (!err)
		err = write_with(reader, from, writer);
	vitrine_writer_destroy(writer);
	return err;
}
