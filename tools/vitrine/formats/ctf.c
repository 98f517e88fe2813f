// SPDX-License-Identifier: GPL-2.0
/*
 * Load the plugin for libbabeltrace2 when it is needed, so that the command itself does
 * not depend on that library.
 *
 * The plugin is looked for in BABELTRACE_PLUGIN_PATH; if that is not set, where it is
 * installed, and beside the command.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "convert.h"
#include "ctf.h"
#include "error.h"
#include "temporary.h"

/* Longest error text of the plugin. */
#define MESSAGE_BYTES	1024

static void *open_in(const char *dir, size_t len)
{
	void *handle;
	char *path;

	if (!len || asprintf(&path, "%.*s/" VITRINE_BABELTRACE_PLUGIN,
			     (int)len, dir) < 0)
		return NULL;
	handle = access(path, R_OK) ? NULL :
		 dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return handle;
}

static void *open_in_path(const char *path)
{
	void *handle = NULL;
	size_t len;

	while (*path && !handle) {
		len = strcspn(path, ":");
		handle = open_in(path, len);
		path += len + !!path[len];
	}
	return handle;
}

static void *open_beside(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return NULL;
	path[len] = '\0';
	*strrchr(path, '/') = '\0';
	return open_in(path, strlen(path));
}

static struct vitrine_error *find_plugin(vitrine_babeltrace_convert_fn **ret)
{
	const char *path = getenv("BABELTRACE_PLUGIN_PATH");
	void *handle, *symbol = NULL, *cleanup = NULL;

	handle = path ? open_in_path(path) :
			open_in(PLUGINDIR, strlen(PLUGINDIR));
	if (!handle && !path)
		handle = open_beside();
	if (handle) {
		symbol = dlsym(handle, VITRINE_BABELTRACE_CONVERT);
		cleanup = dlsym(handle, VITRINE_BABELTRACE_CLEANUP);
	}
	if (!symbol || !cleanup)
		return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
			"install the package vitrine-babeltrace; to build it, libbabeltrace2-dev",
			"the Common Trace Format needs " VITRINE_BABELTRACE_PLUGIN);
	*ret = (vitrine_babeltrace_convert_fn *)symbol;
	cleanup_of_plugin((void (*)(void))cleanup);
	return NULL;
}

/**
 * struct answer - what the child that runs libbabeltrace2 leaves to this process
 * @code: 0, or errno
 * @faults: faults of the Fuchsia trace that is read
 * @message: error message; may be empty
 */
struct answer {
	int code;
	struct faults faults;
	char message[MESSAGE_BYTES];
};

/* Make an error of the signal that ended the child. */
static struct vitrine_error *died(const char *from, int number)
{
	if (number == SIGBUS)
		return vitrine_error_create(EBADMSG, from, VITRINE_NO_OFFSET,
			"copy it once it is complete",
			"the file became shorter while it was read");
	return vitrine_error_create(EIO, from, VITRINE_NO_OFFSET, NULL,
				    "libbabeltrace2 died converting it: %s",
				    strsignal(number));
}

static struct vitrine_error *failed(const char *from, const char *to, bool from_fxt,
				    const struct answer *answer)
{
	if (answer->code == EBADMSG)
		return vitrine_error_create(EBADMSG, from, VITRINE_NO_OFFSET,
					    NULL, "%s", answer->message);
	/* The message of our own sink begins with the name of the file. */
	if (!from_fxt && *answer->message)
		return vitrine_error_create(answer->code, NULL,
					    VITRINE_NO_OFFSET, NULL, "%s",
					    answer->message);
	return vitrine_error_create(answer->code, to, VITRINE_NO_OFFSET,
				    "make sure that the disk has room for it",
				    "libbabeltrace2 cannot write it%s%s",
				    *answer->message ? ": " : "", answer->message);
}

/* Run libbabeltrace2, of which some versions crash if a disk is full. */
static void __attribute__((noreturn))
run_child(vitrine_babeltrace_convert_fn *function, const char *from,
	  const char *to, bool from_fxt, struct answer *answer)
{
	cleanup_in_child();
	answer->code = function(from, to, from_fxt ? &answer->faults : NULL,
				answer->message, sizeof(answer->message));
	cleanup_remove();
	_exit(EXIT_SUCCESS);
}

/* Convert to @path, the temporary name of @to. */
static struct vitrine_error *run(const char *from, const char *path,
				 const char *to, bool from_fxt,
				 struct answer *answer)
{
	vitrine_babeltrace_convert_fn *function = NULL;
	struct vitrine_error *err;
	int status;
	pid_t pid;

	err = find_plugin(&function);
	if (err)
		return err;
	pid = fork();
	if (!pid)
		run_child(function, from, path, from_fxt, answer);
	if (pid < 0)
		return vtr_error_os(errno, from, "cannot start a child");
	cleanup_of_child(pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	cleanup_of_child(0);
	if (WIFSIGNALED(status))
		return died(from, WTERMSIG(status));
	return answer->code ? failed(from, to, from_fxt, answer) : NULL;
}

/* Convert to CTF, and count the faults of the trace; without @faults, convert from CTF. */
static struct vitrine_error *convert(const char *from, const char *path,
				     const char *to, struct faults *faults)
{
	struct answer *answer = mmap(NULL, sizeof(*answer),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct vitrine_error *err;

	if (answer == MAP_FAILED)
		return vtr_error_no_memory();
	if (faults)
		answer->faults = *faults;
	err = run(from, path, to, faults, answer);
	if (faults)
		*faults = answer->faults;
	munmap(answer, sizeof(*answer));
	return err;
}

static struct vitrine_error *write_in(const char *dir, const char *from,
				      const char *to, struct faults *faults)
{
	struct vitrine_error *err;
	char *path;

	if (asprintf(&path, "%s/trace", dir) < 0)
		return vtr_error_os(errno, to, "cannot create");
	err = convert(from, path, to, faults);
	if (!err && rename(path, to))
		err = vtr_error_os(errno, to, "cannot rename to it");
	free(path);
	return err;
}

/**
 * ctf_write() - convert a trace into the Common Trace Format
 * @from: Fuchsia trace
 * @to: directory, new or empty
 * @faults: faults of @from, which are printed and counted
 *
 * Return: NULL, or an error; then the directory does not exist, or is empty.
 */
struct vitrine_error *ctf_write(const char *from, const char *to,
				struct faults *faults)
{
	struct vtr_temporary dir = { 0 };
	struct vitrine_error *err;

	if (!vtr_temporary_mkdir(&dir, to))
		return vtr_error_os(errno, to, "cannot create");
	err = write_in(dir.path, from, to, faults);
	vtr_temporary_remove(&dir);
	return err;
}

/**
 * ctf_read() - convert a trace from the Common Trace Format
 * @from: directory
 * @to: Fuchsia trace to write
 *
 * Return: NULL, or an error; then the file does not exist.
 */
struct vitrine_error *ctf_read(const char *from, const char *to)
{
	return convert(from, to, to, NULL);
}
