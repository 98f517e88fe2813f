// SPDX-License-Identifier: GPL-2.0
/*
 * Print errors and notes, and derive the exit code from errors.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "report.h"

/**
 * print_error() - print an error to standard error
 * @err: error
 *
 * Return: the exit code for this error.
 */
int print_error(const struct vitrine_error *err)
{
	fflush(stdout);
	fputs("vitrine: ", stderr);
	vitrine_error_print(err, stderr);

	switch (err->code) {
	case EBADMSG:
	case EPROTONOSUPPORT:
	case EFBIG:
	case ENODATA:	/* nothing_selected() */
		return EXIT_BAD_INPUT;
	default:
		return EXIT_ENVIRONMENT;
	}
}

/**
 * report_error() - print an error to standard error and destroy it
 * @err: error
 *
 * Return: the exit code for this error.
 */
int report_error(struct vitrine_error *err)
{
	int status = print_error(err);

	vitrine_error_destroy(err);
	return status;
}

/**
 * print_note() - print a note to standard error
 * @name: name of the file or command that the note is about
 * @format: as for printf(), without a newline
 */
void print_note(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "vitrine: %s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}
