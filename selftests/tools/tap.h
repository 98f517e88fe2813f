/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test points in the Test Anything Protocol, for programs on the host.
 */
#ifndef _SELFTESTS_TAP_H
#define _SELFTESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_points;
static int tap_failures;

/* Print a test point, which passes if @ok. */
__attribute__((format(printf, 2, 3), unused))
static bool tap_check(bool ok, const char *format, ...)
{
	va_list args;

	tap_failures += !ok;
	printf("%sok %d ", ok ? "" : "not ", ++tap_points);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	return ok;
}

/* Print the plan, and return the exit status. */
static int tap_finish(void)
{
	printf("1..%d\n", tap_points);
	return tap_failures ? 1 : 0;
}

#endif /* _SELFTESTS_TAP_H */
