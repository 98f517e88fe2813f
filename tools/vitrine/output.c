// SPDX-License-Identifier: GPL-2.0
/*
 * Write a file of text by means of a writer of traces, so that a file of that name stays
 * as it is until the new one is complete.
 */
#define _GNU_SOURCE	/* fopencookie() */
#include <errno.h>

#include "error.h"
#include "output.h"

static ssize_t append(void *cookie, const char *bytes, size_t len)
{
	struct output *output = cookie;

	if (!output->err)
		output->err = vitrine_writer_append(output->writer, bytes, len);
	return output->err ? 0 : len;
}

/**
 * output_open() - begin a file
 * @output: receives the stream, and must stay where it is
 * @path: name of the file, or "-" for standard output
 *
 * Return: NULL, or an error of creating the file.
 */
struct vitrine_error *output_open(struct output *output, const char *path)
{
	const cookie_io_functions_t functions = { .write = append };
	struct vitrine_error *err;

	*output = (struct output){ 0 };
	err = vitrine_writer_create(path, &output->writer);
	if (err)
		return err;
	output->stream = fopencookie(output, "w", functions);
	if (output->stream)
		return NULL;
	vitrine_writer_destroy(output->writer);
	return vtr_error_no_memory();
}

/**
 * output_close() - complete a file and give it its name, or remove it
 * @output: opened
 * @is_good: everything was written to the stream, as far as the caller knows
 *
 * Return: NULL, or an error; ENOMEM if the caller had no memory.
 */
struct vitrine_error *output_close(struct output *output, bool is_good)
{
	struct vitrine_error *err;
	bool is_flushed = !fclose(output->stream);

	err = output->err;
	if (!err && !(is_good && is_flushed))
		err = vtr_error_no_memory();
	if (!err)
		err = vitrine_writer_commit(output->writer);
	vitrine_writer_destroy(output->writer);
	return err;
}
