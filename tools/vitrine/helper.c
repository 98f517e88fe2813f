// SPDX-License-Identifier: GPL-2.0
/*
 * Start the helper programs, which are linked with an optional library: the command
 * itself does not depend on it, and survives a crash of it on a malformed file.
 *
 * A helper is looked for beside the command, and where it is installed.
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
#include "helper.h"
#include "status.h"

/* Longest path of a helper. */
#define PATH_BYTES	4096

/* Longest error text of a helper. */
#define STATUS_BYTES	1024

static bool is_beside(const struct helper *helper, char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size);
	size_t at;

	if (len < 0 || (size_t)len >= size)
		return false;
	path[len] = '\0';
	at = strrchr(path, '/') + 1 - path;
	snprintf(path + at, size - at, "%s", helper->name);
	return !access(path, X_OK);
}

static struct vitrine_error *find_program(const struct helper *helper,
					  char *path, size_t size)
{
	if (is_beside(helper, path, size))
		return NULL;
	snprintf(path, size, "%s/vitrine/%s", LIBEXECDIR, helper->name);
	if (!access(path, X_OK))
		return NULL;
	return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
				    helper->install, "%s needs the program %s",
				    helper->purpose, path);
}

/**
 * helper_is_installed() - check whether a helper can be started
 * @helper: the helper
 *
 * Return: whether its program exists.
 */
bool helper_is_installed(const struct helper *helper)
{
	char path[PATH_BYTES];
	struct vitrine_error *err;

	err = find_program(helper, path, sizeof(path));
	vitrine_error_destroy(err);
	return !err;
}

static void run_program(const char *path, const char *name, const char *from,
			int in, int out, int status)
{
	/* @status may have the number of @out, but not the other way round. */
	int fd = dup(status);

	if (in >= 0 && dup2(in, STDIN_FILENO) < 0)
		_exit(EXIT_FAILURE);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(fd, HELPER_STATUS_FD) < 0)
		_exit(EXIT_FAILURE);
	execl(path, name, from, NULL);
	_exit(EXIT_FAILURE);
}

/**
 * helper_start() - start a helper that reads a file
 * @helper: the helper
 * @from: the file
 * @in: descriptor of its standard input; negative: that of this process
 * @out: descriptor that the helper writes its output to
 * @ret: for helper_finish()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *helper_start(const struct helper *helper,
				   const char *from, int in, int out,
				   struct helper_run *ret)
{
	struct vitrine_error *err;
	char path[PATH_BYTES];
	int status[2];

	err = find_program(helper, path, sizeof(path));
	if (err)
		return err;
	if (pipe2(status, O_CLOEXEC))
		return vtr_error_os(errno, path, "cannot start it");
	ret->pid = fork();
	if (!ret->pid)
		run_program(path, helper->name, from, in, out, status[1]);
	if (ret->pid < 0) {
		err = vtr_error_os(errno, path, "cannot start it");
		close(status[0]);
	}
	close(status[1]);
	ret->status = status[0];
	return err;
}

/* Make an error of what the helper reported, or of the signal that killed it. */
static struct vitrine_error *failure_of(const struct helper *helper, char *text,
					int status, const char *from)
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
				    helper->advice, "%s cannot read it: %s",
				    helper->library, WIFSIGNALED(status) ?
				    strsignal(WTERMSIG(status)) :
				    "its program ended without a message");
}

/**
 * helper_finish() - wait until a helper ends
 * @helper: the helper
 * @from: the file that it reads
 * @run: as filled by helper_start()
 *
 * Return: NULL, or the error that the helper reported.
 */
struct vitrine_error *helper_finish(const struct helper *helper,
				    const char *from,
				    const struct helper_run *run)
{
	char text[STATUS_BYTES];
	int status = 0;
	ssize_t len;

	len = vtr_read_full(run->status, text, sizeof(text) - 1);
	close(run->status);
	text[len < 0 ? 0 : len] = '\0';
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? failure_of(helper, text, status, from) : NULL;
}
