// SPDX-License-Identifier: GPL-2.0
/*
 * Has a program read files of trace-cmd's with libtracecmd, and writes what it says,
 * so that a file that is whole is all there ever is, however the program ends.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "helper.h"
#include "trace_cmd.h"

#define COPY_BYTES	65536

static const char magic[] = "\x17\x08\x44tracing";

static const struct helper reader = {
	.name = "read-trace-cmd",
	.library = "libtracecmd",
	.purpose = "trace-cmd's format",
	.install = "install the package vitrine-tools; to build it, see README",
	.advice = "it may be cut short; see what `trace-cmd report' says of it",
};

/**
 * trace_cmd_detect() - is this a file of trace-cmd's?
 * @bytes: its first bytes
 * @len_bytes: how many
 *
 * Return: true if it begins as one does.
 */
bool trace_cmd_detect(const void *bytes, size_t len_bytes)
{
	size_t len = sizeof(magic) - 1;

	return len_bytes >= len && !memcmp(bytes, magic, len);
}

/* Up to the end of what the program writes, or of what we can. */
static struct vitrine_error *copy(int trace, struct vitrine_writer *writer)
{
	char *bytes = malloc(COPY_BYTES);
	struct vitrine_error *err = NULL;
	ssize_t len = 0;

	if (!bytes)
		return vtr_error_no_memory();
	do {
		len = vtr_read_full(trace, bytes, COPY_BYTES);
		if (len > 0)
			err = vitrine_writer_append(writer, bytes, len);
	} while (!err && len > 0);
	free(bytes);
	return err;
}

static struct vitrine_error *write_all(const char *from,
				       struct vitrine_writer *writer)
{
	struct vitrine_error *err, *end;
	struct helper_run run;
	int trace[2];

	if (pipe2(trace, O_CLOEXEC))
		return vtr_error_os(errno, from, "cannot read");
	err = helper_start(&reader, from, trace[1], &run);
	close(trace[1]);
	if (err) {
		close(trace[0]);
		return err;
	}
	err = copy(trace[0], writer);
	/* The program ends when nobody wants its trace any more. */
	close(trace[0]);
	end = helper_finish(&reader, from, &run);
	/* That it could not write is then for what we could not write. */
	if (!err)
		return end ? end : vitrine_writer_commit(writer);
	vitrine_error_destroy(end);
	return err;
}

/**
 * trace_cmd_read() - make a Fuchsia trace of a file of trace-cmd's
 * @from: the file
 * @to: file to make
 *
 * Return: NULL, or an error; then there is no such file.
 */
struct vitrine_error *trace_cmd_read(const char *from, const char *to)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;

	err = vitrine_writer_create(to, &writer);
	if (!err)
		err = write_all(from, writer);
	vitrine_writer_destroy(writer);
	return err;
}
