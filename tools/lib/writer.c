// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write a trace file, one archive after the other.
 *
 * The file has a temporary name in the same directory until it is complete, so that no
 * reader finds half a trace. If the disk is full, an archive that does not fit as a whole
 * is cut off again: the file stays a valid trace.
 *
 * A packer may compress the file, in pieces of PIECE_BYTES that can be decompressed on their
 * own. What is cut off then is the last piece.
 *
 * A writer is used by one thread at a time.
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

#include "base.h"
#include "fxt_record.h"
#include "temporary.h"
#include "writer.h"

#define PIECE_BYTES	(1U << 20)

static const struct vtr_packer *registered;

/**
 * struct vitrine_writer - a file being written
 * @path: final name, or "standard output"
 * @temporary: name until the commit; none for a device or a pipe
 * @fd: open file
 * @len_bytes: length so far
 * @empty: nothing has been appended
 * @packer: compresses the file, or NULL
 * @piece: with @packer, the bytes that have not been compressed yet
 * @nr_piece: length of @piece in bytes
 */
struct vitrine_writer {
	char *path;
	struct vtr_temporary temporary;
	int fd;
	uint64_t len_bytes;
	bool empty;
	const struct vtr_packer *packer;
	unsigned char *piece;
	size_t nr_piece;
};

static struct vitrine_error *writer_standard(struct vitrine_writer *writer)
{
	writer->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (writer->fd < 0)
		return vtr_error_os(errno, writer->path, "cannot write");
	return NULL;
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
	writer->fd = vtr_temporary_create(&writer->temporary, writer->path);
	if (writer->fd < 0)
		return vtr_error_os(errno, writer->path, "cannot create");
	return NULL;
}

/**
 * vtr_writer_set_packer() - compress files with certain names
 * @packer: compresses files that are created from now on
 */
void vtr_writer_set_packer(const struct vtr_packer *packer)
{
	registered = packer;
}

/**
 * vtr_writer_pack() - compress a file
 * @writer: writer, to which nothing has been appended; a packer has been registered
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *vtr_writer_pack(struct vitrine_writer *writer)
{
	struct vitrine_error *err;

	if (writer->packer)
		return NULL;
	err = registered->begin(writer->path);
	if (err)
		return err;
	writer->piece = malloc(PIECE_BYTES);
	if (!writer->piece)
		return vtr_error_no_memory();
	writer->packer = registered;
	return NULL;
}

static bool is_packed(const char *path)
{
	return registered && ends_in(path, strlen(path), registered->suffix);
}

/**
 * vitrine_writer_create() - begin a trace file
 * @path: its name, or "-" for standard output; an existing file stays until
 *	vitrine_writer_commit()
 * @ret: the writer
 *
 * Return: NULL, or an error of creating the file, or ENOMEM.
 */
struct vitrine_error *vitrine_writer_create(const char *path,
					    struct vitrine_writer **ret)
{
	struct vitrine_writer *writer = calloc(1, sizeof(*writer));
	struct vitrine_error *err;
	bool standard;

	if (!writer)
		return vtr_error_no_memory();
	writer->fd = -1;
	writer->empty = true;
	standard = !strcmp(path, "-");
	writer->path = strdup(standard ? "standard output" : path);
	err = !writer->path ? vtr_error_no_memory() :
	      standard ? writer_standard(writer) : writer_open(writer);
	if (!err && is_packed(path))
		err = vtr_writer_pack(writer);
	if (err) {
		vitrine_writer_destroy(writer);
		return err;
	}
	*ret = writer;
	return NULL;
}

/**
 * vitrine_writer_destroy() - end writing
 * @writer: writer, or NULL; unless it was committed the file is removed
 */
void vitrine_writer_destroy(struct vitrine_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		close(writer->fd);
	vtr_temporary_remove(&writer->temporary);
	free(writer->piece);
	free(writer->path);
	free(writer);
}

/* Write all of the bytes or, after an error, none. */
static struct vitrine_error *put(struct vitrine_writer *writer,
				 const void *bytes, size_t len_bytes)
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

static struct vitrine_error *put_packed(struct vitrine_writer *writer,
					const void *bytes, size_t len_bytes)
{
	struct vitrine_error *err;
	const void *packed;
	size_t len_packed;

	err = writer->packer->pack(bytes, len_bytes, &packed, &len_packed);
	return err ? err : put(writer, packed, len_packed);
}

/**
 * vtr_writer_flush() - write the bytes that have not been compressed yet
 * @writer: writer
 *
 * Return: NULL, or an error of writing; the bytes are dropped then.
 */
struct vitrine_error *vtr_writer_flush(struct vitrine_writer *writer)
{
	size_t nr = writer->nr_piece;

	writer->nr_piece = 0;
	return nr ? put_packed(writer, writer->piece, nr) : NULL;
}

/* Collect small archives, so that a piece ends where an archive ends. */
static struct vitrine_error *append_packed(struct vitrine_writer *writer,
					   const unsigned char *bytes,
					   size_t len_bytes)
{
	struct vitrine_error *err = NULL;

	if (writer->nr_piece + len_bytes > PIECE_BYTES)
		err = vtr_writer_flush(writer);
	for (; !err && len_bytes > PIECE_BYTES; len_bytes -= PIECE_BYTES) {
		err = put_packed(writer, bytes, PIECE_BYTES);
		bytes += PIECE_BYTES;
	}
	if (err)
		return err;
	memcpy(writer->piece + writer->nr_piece, bytes, len_bytes);
	writer->nr_piece += len_bytes;
	return NULL;
}

/**
 * vitrine_writer_append() - append an archive
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
	writer->empty = false;
	if (writer->packer)
		return append_packed(writer, bytes, len_bytes);
	return put(writer, bytes, len_bytes);
}

/* Words of a loss: at most 1 + 1 + 1 + 10 + 6 + 16 + 10. */
#define LOSS_WORDS	48

/* Viewers know idle by thread 0 with priority 0, so other threads have priority 1. */
static void encode_switch(struct fxt_encoder *to, uint32_t cpu, uint64_t ticks,
			  const struct vitrine_fxt_thread *outgoing,
			  const struct vitrine_fxt_thread *incoming)
{
	const struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_SWITCH,
		.cpu = cpu,
		.ticks = ticks,
		.context_switch = {
			.outgoing = *outgoing,
			.incoming = *incoming,
			.outgoing_priority = !!outgoing->thread,
			.incoming_priority = !!incoming->thread,
			.legacy = true,
		},
	};

	fxt_encode(to, &record);
}

static struct vitrine_fxt_arg uint64_arg(const char *name, uint64_t value)
{
	return (struct vitrine_fxt_arg){
		.type = FXT_ARG_UINT64,
		.name = { name, strlen(name) },
		.value.uint64 = value,
	};
}

static void encode_drop_stats(struct fxt_encoder *to,
			      const struct vitrine_loss *loss)
{
	static const struct vitrine_fxt_string name = { "lost", 4 };
	const uint64_t thread = VITRINE_LOSS_THREAD(loss->cpu), process = 0;
	const struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_EVENT,
		.ticks = loss->begin_ticks,
		.nr_args = 2,
		.event = {
			.type = FXT_EVENT_DURATION_COMPLETE,
			.thread.thread = thread,
			.category = { "vitrine", 7 },
			.name = { "drop_stats", 10 },
			.id = loss->end_ticks,
		},
		.args = {
			uint64_arg("num_records", loss->nr_records),
			uint64_arg("num_bytes", loss->nr_bytes),
		},
	};

	fxt_encode_object(to, FXT_OBJECT_TYPE_THREAD, thread, &name, &process);
	fxt_encode(to, &record);
}

static void encode_loss(struct fxt_encoder *to, const struct vitrine_loss *loss)
{
	static const struct vitrine_fxt_thread idle;

	fxt_encode_provider(to, VITRINE_FXT_PROVIDER_EVENT, loss->cpu + 1, "");
	/* Without a sub-buffer before, no provider record has been written yet. */
	if (!loss->begin_ticks)
		return;
	fxt_encode_provider(to, VITRINE_FXT_PROVIDER_SECTION, loss->cpu + 1, "");
	if (loss->bridged && loss->before.thread)
		encode_switch(to, loss->cpu, loss->begin_ticks, &loss->before,
			      &idle);
	encode_drop_stats(to, loss);
	if (loss->bridged && loss->after.thread)
		encode_switch(to, loss->cpu, loss->end_ticks, &idle,
			      &loss->after);
}

/**
 * vitrine_writer_append_loss() - report lost records of a CPU in the file
 * @writer: writer
 * @loss: the loss; without a sub-buffer before it, @begin_ticks is 0
 *
 * The loss is written as the provider event "buffer filled up", which all viewers know,
 * and as a duration "drop_stats". A switch to idle at its begin and a switch from idle
 * at its end keep viewers from showing a running thread in between.
 *
 * Return: NULL, or an error of writing.
 */
struct vitrine_error *
vitrine_writer_append_loss(struct vitrine_writer *writer,
			   const struct vitrine_loss *loss)
{
	uint64_t words[LOSS_WORDS];
	struct fxt_encoder encoder = {
		.words = words,
		.size = LOSS_WORDS,
		.inline_threads = true,
	};

	/* If the first sub-buffer is lost, the archive still begins with a magic record. */
	if (writer->empty)
		fxt_encode_magic(&encoder);
	encode_loss(&encoder, loss);
	return vitrine_writer_append(writer, words, encoder.nr * FXT_WORD_BYTES);
}

/**
 * vitrine_writer_len() - return the length of the file
 * @writer: writer
 *
 * Return: bytes.
 */
uint64_t vitrine_writer_len(const struct vitrine_writer *writer)
{
	return writer->len_bytes;
}

/**
 * vtr_writer_is_empty() - find out whether anything has been appended
 * @writer: writer
 *
 * Return: true if nothing has been.
 */
bool vtr_writer_is_empty(const struct vitrine_writer *writer)
{
	return writer->empty;
}

/**
 * vitrine_writer_commit() - complete the file and give it its name
 * @writer: writer, which can only be destroyed afterwards
 *
 * Return: NULL, or an error; then destroying the writer removes the file.
 */
struct vitrine_error *vitrine_writer_commit(struct vitrine_writer *writer)
{
	struct vitrine_error *err = vtr_writer_flush(writer);
	int fd = writer->fd;

	if (err)
		return err;
	writer->fd = -1;
	if (close(fd))
		return vtr_error_os(errno, writer->path, "cannot write");
	if (writer->temporary.path &&
	    vtr_temporary_rename(&writer->temporary, writer->path))
		return vtr_error_os(errno, writer->path, "cannot rename to it");
	return NULL;
}
