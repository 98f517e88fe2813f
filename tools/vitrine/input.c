// SPDX-License-Identifier: GPL-2.0
/*
 * Open a file named on the command line, which may be a pipe; "-" is standard input.
 * A trace is read several times, the first time to detect its format, so a pipe is
 * copied into an anonymous temporary file, and a compressed file is decompressed into one.
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

static struct vitrine_error *write_all(void *ctx, const void *bytes,
				       size_t len_bytes)
{
	const struct input *input = ctx;
	const char *at = bytes;
	ssize_t len;

	for (; len_bytes; at += len, len_bytes -= len) {
		len = write(input->fd, at, len_bytes);
		if (len < 0 && errno == EINTR)
			len = 0;
		if (len < 0)
			return copy_error(input);
	}
	return NULL;
}

/* Append bytes to the copy, decompressed unless @unpacker is NULL. */
static struct vitrine_error *copy_bytes(struct input *input,
					struct unpacker *unpacker,
					const char *bytes, size_t len)
{
	if (!unpacker)
		return write_all(input, bytes, len);
	if (!len)
		return unpacker_end(unpacker);
	return unpacker_put(unpacker, bytes, len, write_all, input);
}

/* Copy all bytes of @from into the temporary file; @bytes has room for COPY_BYTES. */
static struct vitrine_error *copy_with(struct input *input, int from,
				       char *bytes)
{
	struct unpacker *unpacker = NULL;
	struct vitrine_error *err = NULL;
	bool first = true;
	ssize_t len;

	do {
		len = vtr_read_full(from, bytes, COPY_BYTES);
		if (len < 0)
			err = vtr_error_os(errno, input->name, "cannot read");
		else if (first && compress_detect(bytes, len))
			err = unpacker_create(input->name, &unpacker);
		first = false;
		if (!err)
			err = copy_bytes(input, unpacker, bytes, len);
	} while (!err && len);
	unpacker_destroy(unpacker);
	return err;
}

static struct vitrine_error *copy(struct input *input, int from)
{
	char *bytes = malloc(COPY_BYTES);
	struct vitrine_error *err;

	if (!bytes)
		return vtr_error_no_memory();
	err = copy_with(input, from, bytes);
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
	return copy(input, from);
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
