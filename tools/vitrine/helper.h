/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of ours that a library is linked with which the command does without.
 */
#ifndef _VITRINE_HELPER_H
#define _VITRINE_HELPER_H

#include <sys/types.h>

#include "vitrine.h"

/**
 * struct helper - a program that reads files with a library
 * @name: of the program
 * @library: which it is
 * @purpose: what needs it
 * @install: how to get it
 * @advice: what to do if the library dies of a file
 */
struct helper {
	const char *name;
	const char *library;
	const char *purpose;
	const char *install;
	const char *advice;
};

/* One that runs: its process, and where it tells what went wrong. */
struct helper_run {
	pid_t pid;
	int status;
};

struct vitrine_error *helper_start(const struct helper *helper,
				   const char *from, int out,
				   struct helper_run *ret);
struct vitrine_error *helper_finish(const struct helper *helper,
				    const char *from,
				    const struct helper_run *run);

#endif /* _VITRINE_HELPER_H */
