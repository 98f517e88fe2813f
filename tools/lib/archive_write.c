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

#include <vitrine/map.h>

#include "error.h"
#include "fxt.h"
#include "temporary.h"

/**
 * struct vitrine_writer - a file being written
 * @path: its name
 * @temporary: its name until then; none for a device or a pipe
 * @fd: open file
 * @len_bytes: length so far
 */
struct vitrine_writer {
	char *path;
	struct vtr_temporary temporary;
	int fd;
	uint64_t len_bytes;
};

static struct vitrine_error *writer_open(struct vitrine_writer *writer)
{
	struct stat status;

	if (!strcmp(writer->path, "-")) {
		writer->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		if (writer->fd < 0)
			return vtr_error_os(errno, writer->path,
					    "cannot write");
		return NULL;
	}
	if (!stat(writer->path, &status) && !S_ISREG(status.st_mode)) {
		writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
		if (writer->fd < 0)
			return vtr_error_os(errno, writer->path,
					    "cannot write");
		return NULL;
	}
	writer->fd = vtr_temporary_create(&writer->temporary, writer->path);
	if (writer->fd < 0)
		return vtr_error_os(errno, writer->path, "cannot create");
	return NULL;
}

/**
 * vitrine_writer_create() - begin a trace file
 * @path: its name; a file that has it stays until vitrine_writer_commit();
 *	"-" is standard output
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
	vtr_temporary_remove(&writer->temporary);
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
		if (writer->temporary.path &&
		    (ftruncate(writer->fd, writer->len_bytes) ||
		     lseek(writer->fd, writer->len_bytes, SEEK_SET) < 0))
			code = errno;
		return vtr_error_os(code, writer->path, "cannot write");
	}
	writer->len_bytes += len_bytes;
	return NULL;
}

/* Words of a loss: at most 1 + 2 + 10 + 6 + 17 + 10. */
#define LOSS_WORDS	48

/* Highest CPU that a legacy switch record can name. */
#define LEGACY_MAX_CPU	255

static uint64_t inline_string(const char *string)
{
	return FXT_STRING_REF_INLINE | strlen(string);
}

static unsigned int put_string(uint64_t *words, const char *string)
{
	size_t len_bytes = strlen(string);

	memset(words, 0, (len_bytes + 7) / 8 * 8);
	memcpy(words, string, len_bytes);
	return (len_bytes + 7) / 8;
}

static unsigned int put_arg(uint64_t *words, unsigned int type,
			    const char *name, uint64_t value)
{
	unsigned int nr = 1 + put_string(words + 1, name);

	words[nr++] = value;
	words[0] = FXT_PUT(FXT_HEADER_TYPE, type) |
		   FXT_PUT(FXT_HEADER_WORDS, nr) |
		   FXT_PUT(FXT_ARG_NAME, inline_string(name));
	return nr;
}

static unsigned int put_metadata(uint64_t *words, unsigned int type,
				 uint32_t provider)
{
	words[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_METADATA) |
		   FXT_PUT(FXT_HEADER_WORDS, 1) |
		   FXT_PUT(FXT_METADATA_TYPE, type) |
		   FXT_PUT(FXT_PROVIDER_ID, provider);
	return 1;
}

static unsigned int put_weight(uint64_t *words, const char *name, bool idle)
{
	uint32_t weight = idle ? (uint32_t)INT32_MIN : 1;
	unsigned int nr = 1 + put_string(words + 1, name);

	words[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_ARG_INT32) |
		   FXT_PUT(FXT_HEADER_WORDS, nr) |
		   FXT_PUT(FXT_ARG_NAME, inline_string(name)) |
		   FXT_PUT(FXT_ARG_VALUE32, weight);
	return nr;
}

static unsigned int put_wide_switch(uint64_t *words, uint32_t cpu,
				    uint64_t ticks, uint64_t outgoing,
				    uint64_t incoming)
{
	unsigned int nr = 4;

	words[1] = ticks;
	words[2] = outgoing;
	words[3] = incoming;
	nr += put_weight(words + nr, "outgoing_weight", !outgoing);
	nr += put_weight(words + nr, "incoming_weight", !incoming);
	words[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		   FXT_PUT(FXT_HEADER_WORDS, nr) |
		   FXT_PUT(FXT_SCHEDULING_NR_ARGS, 2) |
		   FXT_PUT(FXT_SCHEDULING_CPU, cpu) |
		   FXT_PUT(FXT_SCHEDULING_SUBTYPE,
			   FXT_SCHEDULING_CONTEXT_SWITCH);
	return nr;
}

/* Viewers know idle by thread 0 with priority 0, so nobody else has 0. */
static unsigned int put_switch(uint64_t *words, uint32_t cpu, uint64_t ticks,
			       const struct vitrine_fxt_thread *outgoing,
			       const struct vitrine_fxt_thread *incoming)
{
	if (cpu > LEGACY_MAX_CPU)
		return put_wide_switch(words, cpu, ticks, outgoing->thread,
				       incoming->thread);
	words[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		   FXT_PUT(FXT_HEADER_WORDS, 6) |
		   FXT_PUT(FXT_SWITCH_CPU, cpu) |
		   FXT_PUT(FXT_SWITCH_OUTGOING_PRIORITY, !!outgoing->thread) |
		   FXT_PUT(FXT_SWITCH_INCOMING_PRIORITY, !!incoming->thread);
	words[1] = ticks;
	words[2] = outgoing->process;
	words[3] = outgoing->thread;
	words[4] = incoming->process;
	words[5] = incoming->thread;
	return 6;
}

static unsigned int put_drop_stats(uint64_t *words,
				   const struct vitrine_loss *loss)
{
	uint64_t thread = VITRINE_LOSS_THREAD(loss->cpu);
	unsigned int event, nr = 3;

	words[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_KERNEL_OBJECT) |
		   FXT_PUT(FXT_KERNEL_OBJECT_TYPE, FXT_OBJECT_TYPE_THREAD) |
		   FXT_PUT(FXT_KERNEL_OBJECT_NAME, inline_string("lost")) |
		   FXT_PUT(FXT_KERNEL_OBJECT_NR_ARGS, 1);
	words[1] = thread;
	put_string(words + 2, "lost");
	nr += put_arg(words + nr, FXT_ARG_KOID, "process", 0);
	words[0] |= FXT_PUT(FXT_HEADER_WORDS, nr);
	event = nr;
	words[nr++] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_EVENT) |
		FXT_PUT(FXT_EVENT_TYPE, FXT_EVENT_DURATION_COMPLETE) |
		FXT_PUT(FXT_EVENT_NR_ARGS, 2) |
		FXT_PUT(FXT_EVENT_CATEGORY, inline_string("vitrine")) |
		FXT_PUT(FXT_EVENT_NAME, inline_string("drop_stats"));
	words[nr++] = loss->begin_ticks;
	words[nr++] = 0;
	words[nr++] = thread;
	nr += put_string(words + nr, "vitrine");
	nr += put_string(words + nr, "drop_stats");
	nr += put_arg(words + nr, FXT_ARG_UINT64, "num_records",
		      loss->nr_records);
	nr += put_arg(words + nr, FXT_ARG_UINT64, "num_bytes", loss->nr_bytes);
	words[nr++] = loss->end_ticks;
	words[event] |= FXT_PUT(FXT_HEADER_WORDS, nr - event);
	return nr;
}

static unsigned int put_loss(uint64_t *words, const struct vitrine_loss *loss)
{
	static const struct vitrine_fxt_thread idle;
	unsigned int nr = 0;

	nr += put_metadata(words + nr, FXT_METADATA_PROVIDER_EVENT,
			   loss->cpu + 1);
	/* Without a sub-buffer before, the provider is unknown still. */
	if (!loss->begin_ticks)
		return nr;
	nr += put_metadata(words + nr, FXT_METADATA_PROVIDER_SECTION,
			   loss->cpu + 1);
	if (loss->bridged && loss->before.thread)
		nr += put_switch(words + nr, loss->cpu, loss->begin_ticks,
				 &loss->before, &idle);
	nr += put_drop_stats(words + nr, loss);
	if (loss->bridged && loss->after.thread)
		nr += put_switch(words + nr, loss->cpu, loss->end_ticks, &idle,
				 &loss->after);
	return nr;
}

/**
 * vitrine_writer_append_loss() - write that records of a CPU are missing here
 * @writer: writer
 * @loss: how many; without a sub-buffer before, @begin_ticks is 0
 *
 * Says it by the provider event that all viewers know, by a duration
 * "drop_stats", and closes the row of switches to idle and opens it again, so
 * that nobody seems to run where nobody knows who ran.
 *
 * Return: NULL, or an error of writing.
 */
struct vitrine_error *
vitrine_writer_append_loss(struct vitrine_writer *writer,
			   const struct vitrine_loss *loss)
{
	const uint64_t magic = FXT_MAGIC_RECORD;
	uint64_t words[LOSS_WORDS];
	struct vitrine_error *err;
	unsigned int nr;

	/* The first sub-buffer may be lost already; an archive opens with this. */
	if (!writer->len_bytes) {
		err = vitrine_writer_append(writer, &magic, sizeof(magic));
		if (err)
			return err;
	}
	nr = put_loss(words, loss);
	return vitrine_writer_append(writer, words, nr * FXT_WORD_BYTES);
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
	if (writer->temporary.path &&
	    vtr_temporary_rename(&writer->temporary, writer->path))
		return vtr_error_os(errno, writer->path, "cannot rename to it");
	return NULL;
}
