// SPDX-License-Identifier: GPL-2.0
/*
 * Open a file named on the command line, which may be a pipe; "-" is standard input.
 * A trace is read several times, the first time to detect its format, so a pipe is
 * copied into an anonymous temporary file, and a compressed file is decompressed into one.
 * What is left of a damaged one is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compress.h"
#include "error.h"
#include "grow.h"
#include "input.h"
#include "rejoin.h"
#include "report.h"
#include "temporary.h"

#define COPY_BYTES	(1U << 20)

/* EXIT_BAD_INPUT if something is missing in a file that was opened. */
static int status_of_all = EXIT_DONE;

/**
 * struct copy - a copy being made
 * @input: the file
 * @unpacker: decompresses it, or NULL
 * @len_bytes: length of the copy so far
 * @gaps: offsets in the copy where bytes are missing
 * @nr_gaps: number of @gaps
 */
struct copy {
	const struct input *input;
	struct unpacker *unpacker;
	uint64_t len_bytes;
	uint64_t *gaps;
	size_t nr_gaps;
};

static struct vitrine_error *copy_error(const struct input *input)
{
	return vitrine_error_create(errno, input->name, VITRINE_NO_OFFSET,
				    "set TMPDIR to a directory with room for it",
				    "cannot copy it into a temporary file: %s",
				    strerror(errno));
}

/* Drop the last bytes of the copy; those that follow are missing, too. */
static struct vitrine_error *note_gap(struct copy *copy, size_t nr_dropped)
{
	copy->len_bytes -= nr_dropped;
	if (ftruncate(copy->input->fd, copy->len_bytes) ||
	    lseek(copy->input->fd, 0, SEEK_END) < 0)
		return copy_error(copy->input);
	if (copy->nr_gaps && copy->gaps[copy->nr_gaps - 1] == copy->len_bytes)
		return NULL;
	if (!GROW(copy->gaps, copy->nr_gaps))
		return vtr_error_no_memory();
	copy->gaps[copy->nr_gaps++] = copy->len_bytes;
	return NULL;
}

/* Append bytes to the copy. */
static struct vitrine_error *write_all(void *ctx, const void *bytes,
				       size_t len_bytes)
{
	struct copy *copy = ctx;
	const char *at = bytes;
	ssize_t len;

	if (!bytes)
		return note_gap(copy, len_bytes);
	copy->len_bytes += len_bytes;
	for (; len_bytes; at += len, len_bytes -= len) {
		len = write(copy->input->fd, at, len_bytes);
		if (len < 0 && errno == EINTR)
			len = 0;
		if (len < 0)
			return copy_error(copy->input);
	}
	return NULL;
}

/* Report what is missing in a compressed file; an error if nothing is left. */
static struct vitrine_error *end_copy(struct copy *copy)
{
	const struct input *input = copy->input;
	struct vitrine_error *err;

	err = copy->unpacker ? unpacker_end(copy->unpacker) : NULL;
	if (!err || !copy->len_bytes)
		return err;
	status_of_all = worse(status_of_all, report_error(err));
	return copy->nr_gaps ? rejoin(input->fd, input->name, copy->gaps,
				      copy->nr_gaps) : NULL;
}

/* Copy all bytes of @from into the temporary file; @bytes has room for COPY_BYTES. */
static struct vitrine_error *copy_with(struct copy *copy, int from, char *bytes)
{
	const char *name = copy->input->name;
	struct vitrine_error *err = NULL;
	bool first = true;
	ssize_t len;

	do {
		len = vtr_read_full(from, bytes, COPY_BYTES);
		if (len < 0)
			err = vtr_error_os(errno, name, "cannot read");
		else if (first && compress_detect(bytes, len))
			err = unpacker_create(name, &copy->unpacker);
		first = false;
		if (!err)
			err = copy->unpacker ?
				      unpacker_put(copy->unpacker, bytes, len,
						   write_all, copy) :
				      write_all(copy, bytes, len);
	} while (!err && len);
	return err ? err : end_copy(copy);
}

static struct vitrine_error *copy_all(struct input *input, int from)
{
	struct copy copy = { .input = input };
	char *bytes = malloc(COPY_BYTES);
	struct vitrine_error *err;

	if (!bytes)
		return vtr_error_no_memory();
	err = copy_with(&copy, from, bytes);
	unpacker_destroy(copy.unpacker);
	free(copy.gaps);
	free(bytes);
	return err;
}

/* Return whether the file can be read once only, or is compressed. */
static bool needs_copy(int fd)
{
	struct stat status;
	char magic[4];

	if (fstat(fd, &status))
		return false;
	if (S_ISREG(status.st_mode))
		return compress_detect(magic, pread(fd, magic, sizeof(magic), 0) ==
				   sizeof(magic) ? sizeof(magic) : 0);
	return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) ||
	       S_ISSOCK(status.st_mode);
}

/* Let @input->path name a descriptor, so that children can open it, too. */
static void set_descriptor_path(struct input *input, int fd)
{
	snprintf(input->own_path, sizeof(input->own_path), "/proc/%d/fd/%d",
		 (int)getpid(), fd);
	input->path = input->own_path;
}

static struct vitrine_error *open_copy(struct input *input, int from)
{
	input->fd = vtr_temporary_anonymous();
	if (input->fd < 0)
		return copy_error(input);
	set_descriptor_path(input, input->fd);
	return copy_all(input, from);
}

static struct vitrine_error *open_standard_input(struct input *input)
{
	input->name = "standard input";
	if (needs_copy(STDIN_FILENO))
		return open_copy(input, STDIN_FILENO);
	set_descriptor_path(input, STDIN_FILENO);
	return NULL;
}

/**
 * input_open() - open a file so that it can be read more than once
 * @input: receives the file; the caller calls input_close(), also after an error
 * @name: path of the file, which must stay valid; "-": standard input
 *
 * Regular files, directories and files that cannot be opened are left to the
 * caller, which opens @input->path.
 *
 * Return: NULL, or an error of reading a pipe or a compressed file.
 */
struct vitrine_error *input_open(struct input *input, const char *name)
{
	struct vitrine_error *err = NULL;
	struct stat status;
	int fd;

	*input = (struct input){ .name = name, .path = name, .fd = -1 };
	if (!strcmp(name, "-"))
		return open_standard_input(input);
	if (stat(name, &status) || S_ISDIR(status.st_mode))
		return NULL;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return S_ISREG(status.st_mode) ? NULL :
						 vtr_error_open(errno, name);
	if (needs_copy(fd))
		err = open_copy(input, fd);
	close(fd);
	return err;
}

/**
 * input_status() - find out whether files were damaged
 *
 * Return: EXIT_BAD_INPUT if something is missing in a file that was opened; that has been
 * reported. Otherwise EXIT_DONE.
 */
int input_status(void)
{
	return status_of_all;
}

/**
 * input_close() - close and remove the copy of a pipe or of a compressed file
 * @input: opened, failed to open, or all zero
 */
void input_close(struct input *input)
{
	if (input->path == input->own_path && input->fd >= 0)
		close(input->fd);
	*input = (struct input){ 0 };
}

/**
 * input_blame() - replace the path of a copy in an error by the user's name
 * @input: the file
 * @err: error, perhaps about the copy; or NULL
 *
 * Return: @err with the name of the file.
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

/**
 * input_copy() - append everything that can be read to a trace
 * @fd: descriptor to read
 * @name: its name in errors
 * @writer: the trace
 *
 * Return: NULL, or an error of reading or writing.
 */
struct vitrine_error *input_copy(int fd, const char *name,
				 struct vitrine_writer *writer)
{
	struct vitrine_error *err = NULL;
	char *bytes = malloc(COPY_BYTES);
	ssize_t len;

	if (!bytes)
		return vtr_error_no_memory();
	/* Write the bytes of a pipe as they arrive, so that a full disk is noticed at once. */
	do {
		len = read(fd, bytes, COPY_BYTES);
		if (len > 0)
			err = vitrine_writer_append(writer, bytes, len);
		else if (len < 0 && errno != EINTR)
			err = vtr_error_os(errno, name, "cannot read");
	} while (!err && len);
	free(bytes);
	return err;
}
