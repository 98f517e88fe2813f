// SPDX-License-Identifier: GPL-2.0
/*
 * A file that was named on the command line and may be a pipe; "-" is standard
 * input. Traces are looked through before they are read, and their first bytes
 * before that, so what can be read only once is copied into a file without a
 * name, and that is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "input.h"
#include "temporary.h"

#define COPY_BYTES	(1U << 20)

static struct vitrine_error *copy_error(const struct input *input)
{
	return vitrine_error_create(errno, input->name, VITRINE_NO_OFFSET,
				    "set TMPDIR to a directory with room for it",
				    "cannot copy it into a temporary file: %s",
				    strerror(errno));
}

static struct vitrine_error *write_all(const struct input *input, int to,
				       const char *bytes, size_t len_bytes)
{
	ssize_t len;

	for (; len_bytes; bytes += len, len_bytes -= len) {
		len = write(to, bytes, len_bytes);
		if (len < 0 && errno == EINTR)
			len = 0;
		if (len < 0)
			return copy_error(input);
	}
	return NULL;
}

static struct vitrine_error *copy(const struct input *input, int from, int to)
{
	struct vitrine_error *err = NULL;
	char *bytes = malloc(COPY_BYTES);
	ssize_t len;

	if (!bytes)
		return vtr_error_no_memory();
	do {
		len = vtr_read_full(from, bytes, COPY_BYTES);
		if (len < 0)
			err = vtr_error_os(errno, input->name, "cannot read");
		else
			err = write_all(input, to, bytes, len);
	} while (!err && len);
	free(bytes);
	return err;
}

static bool is_readable_once(int fd)
{
	struct stat status;

	return !fstat(fd, &status) &&
	       (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) ||
		S_ISSOCK(status.st_mode));
}

/* A descriptor has a path of its own, for our children, too. */
static void lead_to(struct input *input, int fd)
{
	snprintf(input->own_path, sizeof(input->own_path), "/proc/%d/fd/%d",
		 (int)getpid(), fd);
	input->path = input->own_path;
}

static struct vitrine_error *copy_pipe(struct input *input, int from)
{
	input->fd = vtr_temporary_anonymous();
	if (input->fd < 0)
		return copy_error(input);
	lead_to(input, input->fd);
	return copy(input, from, input->fd);
}

static struct vitrine_error *open_standard_input(struct input *input)
{
	input->name = "standard input";
	if (is_readable_once(STDIN_FILENO))
		return copy_pipe(input, STDIN_FILENO);
	lead_to(input, STDIN_FILENO);
	return NULL;
}

/**
 * input_open() - have a file ready to be read, more than once
 * @input: where it goes; input_close() it, whatever this returns
 * @name: its path; must stay. "-": standard input
 *
 * A regular file, a directory, and what cannot be opened, are left to whoever
 * opens @input->path.
 *
 * Return: NULL, or an error of reading a pipe.
 */
struct vitrine_error *input_open(struct input *input, const char *name)
{
	struct vitrine_error *err = NULL;
	struct stat status;
	int fd;

	*input = (struct input){ .name = name, .path = name, .fd = -1 };
	if (!strcmp(name, "-"))
		return open_standard_input(input);
	if (stat(name, &status) || S_ISREG(status.st_mode) ||
	    S_ISDIR(status.st_mode))
		return NULL;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_open(errno, name);
	if (is_readable_once(fd))
		err = copy_pipe(input, fd);
	close(fd);
	return err;
}

/**
 * input_close() - let go of a file's copy
 * @input: file, opened or failed to open, or all zero
 */
void input_close(struct input *input)
{
	if (input->path == input->own_path && input->fd >= 0)
		close(input->fd);
	*input = (struct input){ 0 };
}

/**
 * input_blame() - call a file in an error what the user calls it
 * @input: the file
 * @err: error, perhaps about its copy; or NULL
 *
 * Return: @err, about the file.
 */
struct vitrine_error *input_blame(const struct input *input,
				  struct vitrine_error *err)
{
	struct vitrine_error *ret;

	if (!err || !err->path || input->path != input->own_path ||
	    strcmp(err->path, input->path))
		return err;
	ret = vitrine_error_create(err->code, input->name, err->offset,
				   err->advice, "%s", err->message);
	vitrine_error_destroy(err);
	return ret;
}
