// SPDX-License-Identifier: GPL-2.0
/*
 * Write the golden traces.
 *
 *	mkfxt			list the names of all traces
 *	mkfxt NAME		write the trace NAME to standard output
 *	mkfxt load SEED PERCENT	write a trace of four workers whose waits vary at random,
 *				with so many percent more waiting of worker-2
 *	mkfxt steady NS N	write a trace of a thread whose waits take 3.5 us and NS more,
 *				but for N that take 100 us
 *	mkfxt speed SWITCHES	write a trace of two CPUs with so many switches
 *	mkfxt jumble SWITCHES	write such a trace whose provider is not in time order
 *	mkfxt stacks N		write a trace in which a command waits so often, each time with
 *				another stack
 *
 * The generator shares no code with the library or the module. It composes fields from the
 * text of the format, so that errors in their masks are found. The expected results are in
 * fxt/NAME.print and fxt/NAME.check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mkfxt.h"

static void list(const struct golden *golden)
{
	for (; golden->name; golden++)
		puts(golden->name);
}

static bool build(const struct golden *golden, const char *name)
{
	for (; golden->name; golden++) {
		if (!strcmp(golden->name, name)) {
			golden->build();
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		list(good_traces);
		list(why_traces);
		list(bad_traces);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "speed")) {
		build_speed(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "load")) {
		build_load(strtoull(argv[2], NULL, 0),
			   strtoull(argv[3], NULL, 0));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "steady")) {
		build_steady(strtoull(argv[2], NULL, 0),
			     strtoull(argv[3], NULL, 0));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "jumble")) {
		build_jumble(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "stacks")) {
		build_stacks(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (build(good_traces, argv[1]) || build(why_traces, argv[1]) ||
	    build(bad_traces, argv[1]))
		return 0;
	fprintf(stderr, "mkfxt: no golden trace %s\n", argv[1]);
	return 2;
}
