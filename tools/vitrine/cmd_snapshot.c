// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine snapshot -o FILE [--wait]': what the flight recorder holds now, or
 * what it holds when a trigger has frozen it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "debugfs.h"

#define CHUNK_BYTES	(1U << 20)

struct snapshot {
	const char *output;
	bool wait;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the trace to FILE", 0 },
	{ "wait", 'w', NULL, 0, "Wait until a trigger has frozen the rings", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct snapshot *snapshot = state->input;

	switch (key) {
	case 'o':
		snapshot->output = arg;
		return 0;
	case 'w':
		snapshot->wait = true;
		return 0;
	case ARGP_KEY_END:
		if (!snapshot->output)
			argp_error(state, "no FILE given, use -o");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Write what the flight recorder holds to a file.",
};

static struct vitrine_error *cannot(const char *action, const char *path)
{
	return vitrine_error_create(errno, path, VITRINE_NO_OFFSET, NULL,
				    "cannot %s: %s", action, strerror(errno));
}

static struct vitrine_error *open_file(const char *name, char **ret_path,
				       int *ret_fd)
{
	char *path = debugfs_path(name, "");

	if (!path)
		return cannot("begin", NULL);
	*ret_path = path;
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? debugfs_explain(errno, path) : NULL;
}

static struct vitrine_error *wait_for(int fd, const char *path)
{
	struct pollfd trigger = { .fd = fd, .events = POLLPRI };
	char line[128] = "";

	if (read(fd, line, sizeof(line) - 1) < 0)
		return cannot("read", path);
	if (!strncmp(line, "none", 4))
		return vitrine_error_create(EINVAL, path, VITRINE_NO_OFFSET,
					    "write `latency_us=1000' to it, for one",
					    "no trigger is armed");
	while (poll(&trigger, 1, -1) < 0)
		if (errno != EINTR)
			return cannot("wait for it", path);
	if (pread(fd, line, sizeof(line) - 1, 0) > 0)
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

static struct vitrine_error *copy(int fd, const char *path,
				  struct vitrine_writer *writer)
{
	struct vitrine_error *err = NULL;
	char *bytes = malloc(CHUNK_BYTES);
	ssize_t len = 0;

	if (!bytes)
		return cannot("begin", NULL);
	while (!err && (len = read(fd, bytes, CHUNK_BYTES)) > 0)
		err = vitrine_writer_append(writer, bytes, len);
	if (len < 0)
		err = cannot("read", path);
	free(bytes);
	return err;
}

static struct vitrine_error *take(const char *output)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	char *path = NULL;
	uint64_t len = 0;
	int fd = -1;

	err = open_file("trace/trace.fxt", &path, &fd);
	if (!err)
		err = vitrine_writer_create(output, &writer);
	if (!err)
		err = copy(fd, path, writer);
	if (!err) {
		len = vitrine_writer_len(writer);
		err = vitrine_writer_commit(writer);
	}
	if (!err)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " bytes\n", output,
			len);
	vitrine_writer_destroy(writer);
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/**
 * cmd_snapshot() - run `vitrine snapshot'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_snapshot(int argc, char **argv)
{
	struct snapshot snapshot = { 0 };
	struct vitrine_error *err = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &snapshot);
	if (snapshot.wait)
		err = wait_for_trigger();
	if (!err)
		err = take(snapshot.output);
	if (!err)
		return EXIT_DONE;
	report_error(err);
	return EXIT_ENVIRONMENT;
}
