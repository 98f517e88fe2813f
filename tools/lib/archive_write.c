// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writes a trace file out of archives, whole ones only.
 *
 * The file has a temporary name beside its own until it is complete, so that
 * nobody finds half a trace. If the disk is full, what does not fit as a whole
 * is cut off again, and the rest is a trace as good as any.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "fxt.h"

/**
 * struct vitrine_writer - a file being written
 * @path: its name
 * @temporary: its name until then, or NULL if it has none: a device, a pipe
 * @fd: open file
 * @len_bytes: length so far
 */
struct vitrine_writer {
	char *path;
	char *temporary;
	int fd;
	uint64_t len_bytes;
};

/* As open() would: mkostemp() lets nobody else read. */
static void give_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static struct vitrine_error *writer_open(struct vitrine_writer *writer)
{
	struct stat status;

	if (!stat(writer->path, &status) && !S_ISREG(status.st_mode)) {
		writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
		if (writer->fd < 0)
			return vtr_error_os(errno, writer->path,
					    "cannot write");
		return NULL;
	}
	if (asprintf(&writer->temporary, "%s.XXXXXX", writer->path) < 0) {
		writer->temporary = NULL;
		return vtr_error_no_memory();
	}
	writer->fd = mkostemp(writer->temporary, O_CLOEXEC);
	if (writer->fd < 0) {
		free(writer->temporary);
		writer->temporary = NULL;
		return vtr_error_os(errno, writer->path, "cannot create");
	}
	give_usual_mode(writer->fd);
	return NULL;
}

/**
 * vitrine_writer_create() - begin a trace file
 * @path: its name; a file that has it stays until vitrine_writer_commit()
 * @ret: the writer
 *
 * Return: NULL, or an error of creating the file, or ENOMEM.
 */
struct vitrine_error *vitrine_writer_create(const char *path,
					    struct vitrine_writer **ret)
{
	struct vitrine_writer *writer = calloc(1, sizeof(*writer));
	struct vitrine_error *err;

	if (!writer)
		return vtr_error_no_memory();
	writer->fd = -1;
	writer->path = strdup(path);
	err = writer->path ? writer_open(writer) : vtr_error_no_memory();
	if (err) {
		vitrine_writer_destroy(writer);
		return err;
	}
	*ret = writer;
	return NULL;
}

/**
 * vitrine_writer_destroy() - end writing
 * @writer: writer, or NULL; if it was not committed, the file is removed
 */
void vitrine_writer_destroy(struct vitrine_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		close(writer->fd);
	if (writer->temporary)
		unlink(writer->temporary);
	free(writer->temporary);
	free(writer->path);
	free(writer);
}

/**
 * vitrine_writer_append() - write an archive behind what there is
 * @writer: writer
 * @bytes: the archive
 * @len_bytes: its length
 *
 * Return: NULL, or an error of writing; the file is then as it was before.
 */
struct vitrine_error *vitrine_writer_append(struct vitrine_writer *writer,
					    const void *bytes,
					    size_t len_bytes)
{
	const char *at = bytes, *end = at + len_bytes;
	ssize_t len;
	int code;

	while (at < end) {
		len = write(writer->fd, at, end - at);
		if (len >= 0) {
			at += len;
			continue;
		}
		if (errno == EINTR)
			continue;
		code = errno;
		if (writer->temporary &&
		    (ftruncate(writer->fd, writer->len_bytes) ||
		     lseek(writer->fd, writer->len_bytes, SEEK_SET) < 0))
			code = errno;
		return vtr_error_os(code, writer->path, "cannot write");
	}
	writer->len_bytes += len_bytes;
	return NULL;
}

/**
 * vitrine_writer_append_loss() - write that a provider lost records here
 * @writer: writer
 * @provider: its id
 *
 * Return: NULL, or an error of writing.
 */
struct vitrine_error *vitrine_writer_append_loss(struct vitrine_writer *writer,
						 uint32_t provider)
{
	const uint64_t magic = FXT_MAGIC_RECORD;
	const uint64_t header =
		FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_METADATA) |
		FXT_PUT(FXT_HEADER_WORDS, 1) |
		FXT_PUT(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_EVENT) |
		FXT_PUT(FXT_PROVIDER_ID, provider) |
		FXT_PUT(FXT_PROVIDER_EVENT_ID, FXT_PROVIDER_EVENT_BUFFER_FULL);
	struct vitrine_error *err;

	/* The first sub-buffer may be lost already; an archive opens with this. */
	if (!writer->len_bytes) {
		err = vitrine_writer_append(writer, &magic, sizeof(magic));
		if (err)
			return err;
	}
	return vitrine_writer_append(writer, &header, sizeof(header));
}

/**
 * vitrine_writer_len() - how long the file is
 * @writer: writer
 *
 * Return: bytes.
 */
uint64_t vitrine_writer_len(const struct vitrine_writer *writer)
{
	return writer->len_bytes;
}

/**
 * vitrine_writer_commit() - the file is complete: give it its name
 * @writer: writer; only good to be destroyed afterwards
 *
 * Return: NULL, or an error; then destroying the writer removes the file.
 */
struct vitrine_error *vitrine_writer_commit(struct vitrine_writer *writer)
{
	int fd = writer->fd;

	writer->fd = -1;
	if (close(fd))
		return vtr_error_os(errno, writer->path, "cannot write");
	if (!writer->temporary)
		return NULL;
	if (rename(writer->temporary, writer->path))
		return vtr_error_os(errno, writer->path, "cannot rename to it");
	free(writer->temporary);
	writer->temporary = NULL;
	return NULL;
}
