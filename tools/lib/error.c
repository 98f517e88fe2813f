// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Errors as data: code, path, offset, message, advice. Only the command prints them.
 *
 * An error belongs to the function that received it. The error for lack of memory is constant and
 * shared.
 */
#define _GNU_SOURCE	/* vasprintf(), strerror_r() that returns a string */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static const char debugfs_dir[] = "/sys/kernel/debug/";

static struct vitrine_error no_memory = {
	.code = ENOMEM,
	.offset = VITRINE_NO_OFFSET,
	.message = "out of memory",
};

/**
 * vtr_error_no_memory() - the error for a failed allocation
 *
 * Return: an error that may be destroyed like any other.
 */
struct vitrine_error *vtr_error_no_memory(void)
{
	return &no_memory;
}

/**
 * vtr_error_vcreate() - vitrine_error_create() with a va_list
 * @code: errno value
 * @path: file it is about, or NULL
 * @offset: place in that file, or VITRINE_NO_OFFSET
 * @advice: what to do, or NULL
 * @format: what is wrong
 * @args: arguments of @format
 *
 * Return: a new error, never NULL.
 */
struct vitrine_error *vtr_error_vcreate(int code, const char *path,
					uint64_t offset, const char *advice,
					const char *format, va_list args)
{
	struct vitrine_error *err = calloc(1, sizeof(*err));
	char *message = NULL;

	if (!err)
		return vtr_error_no_memory();
	err->code = code;
	err->offset = offset;
	if (vasprintf(&message, format, args) < 0)
		goto err_destroy;
	err->message = message;
	if (path) {
		err->path = strdup(path);
		if (!err->path)
			goto err_destroy;
	}
	if (advice) {
		err->advice = strdup(advice);
		if (!err->advice)
			goto err_destroy;
	}
	return err;

err_destroy:
	vitrine_error_destroy(err);
	return vtr_error_no_memory();
}

/**
 * vitrine_error_create() - make an error
 * @code: errno value
 * @path: file it is about, or NULL; copied
 * @offset: place in that file, or VITRINE_NO_OFFSET
 * @advice: what to do, or NULL; copied
 * @format: what is wrong
 *
 * Return: a new error, never NULL: without memory, the error that says so.
 */
struct vitrine_error *vitrine_error_create(int code, const char *path,
					   uint64_t offset, const char *advice,
					   const char *format, ...)
{
	struct vitrine_error *err;
	va_list args;

	va_start(args, format);
	err = vtr_error_vcreate(code, path, offset, advice, format, args);
	va_end(args);
	return err;
}

/**
 * vtr_report() - report a fault of a file, or a note about it
 * @report: receives the message, or NULL
 * @ctx: context of @report
 * @offset: place in the file
 * @format: the fault
 * @args: arguments of @format
 */
void vtr_report(vitrine_fault_fn *report, void *ctx, uint64_t offset,
		const char *format, va_list args)
{
	char message[256];

	if (!report)
		return;
	vsnprintf(message, sizeof(message), format, args);
	report(ctx, offset, message);
}

/**
 * vtr_note() - report a note, which is worth knowing but no fault
 * @report: receives the message, or NULL
 * @offset: place in the file
 * @format: the note
 */
void vtr_note(const struct vitrine_fxt_report *report, uint64_t offset,
	      const char *format, ...)
{
	va_list args;

	if (!report)
		return;
	va_start(args, format);
	vtr_report(report->note, report->ctx, offset, format, args);
	va_end(args);
}

/**
 * vtr_error_os() - make an error from errno
 * @code: errno value
 * @path: file it is about, or NULL
 * @action: what was tried, e.g. "cannot open", or NULL
 *
 * Return: a new error, never NULL.
 */
struct vitrine_error *vtr_error_os(int code, const char *path,
				   const char *action)
{
	char text[128];
	const char *reason = strerror_r(code, text, sizeof(text));

	if (!action)
		return vitrine_error_create(code, path, VITRINE_NO_OFFSET, NULL,
					    "%s", reason);
	return vitrine_error_create(code, path, VITRINE_NO_OFFSET, NULL,
				    "%s: %s", action, reason);
}

/* Return advice for a lazy tree, which open() fills; filling may fail. */
static const char *fill_advice(int code)
{
	switch (code) {
	case ETIMEDOUT:
		return "its publisher did not fill it in time; try again later";
	case EBUSY:
		return "its publisher is filling it for another reader; try again later";
	case ELOOP:
		return "its publisher tried to read it while filling it";
	default:
		return NULL;
	}
}

static const char *open_advice(int code, const char *path)
{
	bool in_debugfs = !strncmp(path, debugfs_dir, strlen(debugfs_dir));

	if (code == EACCES)
		return "run as root, or copy the file as root first";
	if (code == EPERM)
		return "the kernel may be locked down: see \"lockdown\" in mmap.rst";
	if (code == ENOENT && in_debugfs)
		return "is debugfs mounted, and the module loaded (`insmod vitrine.ko')?";
	return in_debugfs ? fill_advice(code) : NULL;
}

/**
 * vtr_error_open() - make an error from a failed open()
 * @code: errno value
 * @path: file
 *
 * Return: a new error, never NULL, with advice for the usual causes.
 */
struct vitrine_error *vtr_error_open(int code, const char *path)
{
	char text[128];

	return vitrine_error_create(code, path, VITRINE_NO_OFFSET,
				    open_advice(code, path), "cannot open: %s",
				    strerror_r(code, text, sizeof(text)));
}

/**
 * vitrine_error_destroy() - free an error
 * @err: error, or NULL
 */
void vitrine_error_destroy(struct vitrine_error *err)
{
	if (!err || err == &no_memory)
		return;
	free((char *)err->path);
	free((char *)err->message);
	free((char *)err->advice);
	free(err);
}

/**
 * vitrine_error_print() - print an error as one line
 * @err: error
 * @stream: output stream
 *
 * The line reads "PATH: offset 0x1f40: what is wrong; what to do", parts that
 * the error does not have left out. The caller writes its own name before it.
 */
void vitrine_error_print(const struct vitrine_error *err, FILE *stream)
{
	if (err->path)
		fprintf(stream, "%s: ", err->path);
	if (err->offset != VITRINE_NO_OFFSET)
		fprintf(stream, "offset 0x%" PRIx64 ": ", err->offset);
	fputs(err->message, stream);
	if (err->advice)
		fprintf(stream, "; %s", err->advice);
	fputc('\n', stream);
}
