// SPDX-License-Identifier: GPL-2.0
/*
 * Print errors, and derive the exit code from them.
 */
#include <errno.h>
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
