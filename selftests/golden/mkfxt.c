// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the golden traces.
 *
 *	mkfxt			list their names
 *	mkfxt NAME		write one to standard output
 *	mkfxt speed SWITCHES	a trace of two CPUs, as large as one likes
 *	mkfxt jumble SWITCHES	one whose provider does not write in time order
 *
 * Nothing is shared with the library or the module: fields are put together
 * here from the text of the format, so that an error in their masks shows. What
 * the reader is to make of each is in fxt/NAME.print and fxt/NAME.check.
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
		list(bad_traces);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "speed")) {
		build_speed(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "jumble")) {
		build_jumble(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (build(good_traces, argv[1]) || build(bad_traces, argv[1]))
		return 0;
	fprintf(stderr, "mkfxt: no golden trace %s\n", argv[1]);
	return 2;
}
