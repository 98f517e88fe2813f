/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helper programs that are linked with an optional library.
 */
#ifndef _VITRINE_HELPER_H
#define _VITRINE_HELPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "vitrine.h"

/**
 * struct helper - a program that reads files by means of a library
 * @name: name of the program
 * @library: name of the library
 * @purpose: what the library is needed for
 * @install: how to install it
 * @advice: what to do if the library crashes on a file
 */
struct helper {
	const char *name;
	const char *library;
	const char *purpose;
	const char *install;
	const char *advice;
};

/* A running helper: its process, and the pipe on which it reports errors. */
struct helper_run {
	pid_t pid;
	int status;
};

bool helper_is_installed(const struct helper *helper);
struct vitrine_error *helper_start(const struct helper *helper,
				   const char *from, int in, int out,
				   struct helper_run *ret);
struct vitrine_error *helper_finish(const struct helper *helper,
				    const char *from,
				    const struct helper_run *run);

#endif /* _VITRINE_HELPER_H */
