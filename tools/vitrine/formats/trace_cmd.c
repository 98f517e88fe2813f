// SPDX-License-Identifier: GPL-2.0
/*
 * Read trace.dat of trace-cmd: a helper program with libtracecmd converts it, and its
 * output is copied, so that the output file is complete or does not exist.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "helper.h"
#include "input.h"
#include "trace_cmd.h"

static const char magic[] = "\x17\x08\x44tracing";

static const struct helper reader = {
	.name = "read-trace-cmd",
	.library = "libtracecmd",
	.purpose = "trace-cmd's format",
	.install = "install the package vitrine-tools; to build it, see README",
	.advice = "it may be truncated; try to read it with `trace-cmd report'",
};

/**
 * trace_cmd_detect() - detect a trace.dat
 * @bytes: first bytes of the file
 * @len_bytes: length of @bytes in bytes
 *
 * Return: true if it is one.
 */
bool trace_cmd_detect(const void *bytes, size_t len_bytes)
{
	size_t len = sizeof(magic) - 1;

	return len_bytes >= len && !memcmp(bytes, magic, len);
}

static struct vitrine_error *write_all(const char *from,
				       struct vitrine_writer *writer)
{
	struct vitrine_error *err, *end;
	struct helper_run run;
	int trace[2];

	if (pipe2(trace, O_CLOEXEC))
		return vtr_error_os(errno, from, "cannot read");
	err = helper_start(&reader, from, -1, trace[1], &run);
	close(trace[1]);
	if (err) {
		close(trace[0]);
		return err;
	}
	err = input_copy(trace[0], from, writer);
	/* Closing the pipe ends the helper, if it still writes. */
	close(trace[0]);
	end = helper_finish(&reader, from, &run);
	/* If writing failed here, the helper's error is only a consequence. */
	if (!err)
		return end ? end : vitrine_writer_commit(writer);
	vitrine_error_destroy(end);
	return err;
}

/**
 * trace_cmd_read() - convert a trace.dat
 * @from: the file
 * @to: Fuchsia trace to write
 *
 * Return: NULL, or an error; then the file does not exist.
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
