/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the selftests in C: test points, with the names of the kernel's own
 * kselftest.h, loading of the module, and the paths of its files.
 */
#ifndef _SELFTEST_H
#define _SELFTEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_DIR	"/sys/kernel/debug/vitrine/trace/"
#define INSPECT_DIR	"/sys/kernel/debug/vitrine/inspect/"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The exit status of a skipped test. */
#define KSFT_SKIP	4

static unsigned int ksft_points;
static unsigned int ksft_failures;
static unsigned int ksft_plan;

static inline void ksft_print_header(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("TAP version 13");
}

static inline void ksft_set_plan(unsigned int nr_points)
{
	ksft_plan = nr_points;
	printf("1..%u\n", nr_points);
}

/* Print a diagnostic line. */
__attribute__((format(printf, 1, 2)))
static inline void ksft_print_msg(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

/* Report a test point; @format is its name, without a newline. */
__attribute__((format(printf, 2, 3)))
static inline void ksft_test_result(bool ok, const char *format, ...)
{
	va_list args;

	ksft_failures += !ok;
	printf("%sok %u ", ok ? "" : "not ", ++ksft_points);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

/* Report a failure after which no further test is possible. */
__attribute__((format(printf, 1, 2), noreturn))
static inline void ksft_exit_fail_msg(const char *format, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	exit(EXIT_FAILURE);
}

__attribute__((format(printf, 1, 2), noreturn))
static inline void ksft_exit_skip(const char *format, ...)
{
	va_list args;

	printf("1..0 # SKIP ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	exit(KSFT_SKIP);
}

__attribute__((noreturn))
static inline void ksft_finished(void)
{
	exit(ksft_failures || ksft_points != ksft_plan ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Load, or reload, the module whose path is in an environment variable. */
static inline void load_module(const char *variable, const char *name,
			       const char *params)
{
	const char *path = getenv(variable);
	char command[4096];

	if (!path)
		ksft_exit_skip("set %s to the module, or use selftests/qemu/run\n",
			       variable);
	snprintf(command, sizeof(command),
		 "grep -q '^%s ' /proc/modules && rmmod %s; insmod '%s' %s",
		 name, name, path, params);
	if (system(command))
		ksft_exit_fail_msg("cannot load %s\n", path);
}

static inline void unload_module(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rmmod %s", name);
	if (system(command))
		ksft_exit_fail_msg("cannot unload %s\n", name);
}

#endif /* _SELFTEST_H */
