// SPDX-License-Identifier: GPL-2.0
/*
 * Save what the flight recorder holds now, or what it holds once a trigger has
 * frozen it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "input.h"
#include "report.h"
#include "debugfs.h"
#include "snapshot.h"
#include "trace_name.h"

static struct vitrine_error *open_file(const char *name, char **ret_path,
				       int *ret_fd)
{
	char *path = debugfs_path(name, "");

	if (!path)
		return vtr_error_no_memory();
	*ret_path = path;
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? debugfs_explain(errno, path) : NULL;
}

/* Make an error of the state in which no trigger can fire. */
static struct vitrine_error *hopeless(const char *line, const char *path)
{
	if (!strncmp(line, "none", 4))
		return vitrine_error_create(EINVAL, path, VITRINE_NO_OFFSET,
					    "write a trigger to it, such as `latency_us=1000'",
					    "no trigger is armed");
	return vitrine_error_create(EINVAL, path, VITRINE_NO_OFFSET,
				    "write 1 to trace/enable, then wait again",
				    "recording is off: no trigger can fire");
}

static struct vitrine_error *wait_for(int fd, const char *path)
{
	struct pollfd trigger = { .fd = fd, .events = POLLPRI };
	char line[128] = "";

	while (poll(&trigger, 1, -1) < 0)
		if (errno != EINTR)
			return vtr_error_os(errno, path, "cannot wait for a trigger");
	if (read(fd, line, sizeof(line) - 1) < 0)
		return vtr_error_os(errno, path, "cannot read");
	if (!(trigger.revents & POLLPRI))
		return hopeless(line, path);
	fprintf(stderr, "vitrine: %s", line);
	return NULL;
}

static struct vitrine_error *wait_for_trigger(void)
{
	struct vitrine_error *err;
	char *path = NULL;
	int fd = -1;

	err = open_file("trace/trigger", &path, &fd);
	if (!err)
		err = wait_for(fd, path);
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

static struct vitrine_error *save(const char *output)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	char *path = NULL;
	int fd = -1;

	err = open_file("trace/trace.fxt", &path, &fd);
	if (!err)
		err = vitrine_writer_create(output, &writer);
	if (!err)
		err = input_copy(fd, path, writer);
	if (!err)
		err = vitrine_writer_commit(writer);
	if (!err)
		print_note(output, "%" PRIu64 " bytes",
			   vitrine_writer_len(writer));
	vitrine_writer_destroy(writer);
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/**
 * snapshot_run() - save the contents of the flight recorder
 * @args: the options
 *
 * Return: enum exit_code.
 */
int snapshot_run(const struct snapshot_args *args)
{
	struct vitrine_error *err = NULL;
	char name[TRACE_NAME_BYTES];

	if (args->wait)
		err = wait_for_trigger();
	if (!err)
		err = save(trace_name(args->output, name));
	if (!err)
		return EXIT_DONE;
	report_error(err);
	return EXIT_ENVIRONMENT;
}
