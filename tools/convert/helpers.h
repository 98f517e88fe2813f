/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The protocols between the command `vitrine' and the programs that it starts.
 *
 * Each program reports an error on the descriptor STATUS_FD: an errno
 * value as a number, a line with the message, and a line with advice, if there is any. Its
 * exit status is then not 0.
 *
 * read-tracefs reads from its standard input first a line "CLOCK RATE SESSION CONVERT":
 * enum vitrine_clock, its ticks per second, the number of the session, and 1 if the instance
 * records CLOCK_MONOTONIC and the CPU's counter is wanted. Then a line "SYSTEM:EVENT" for each
 * event, and an empty line. The end of the input ends the recording. The input is a socket, to
 * which the program writes "RECORDS LOST" at the end.
 */
#ifndef _VITRINE_CONVERT_HELPERS_H
#define _VITRINE_CONVERT_HELPERS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELPER_STATUS_FD	3

/* In a program: report an error, of which one line counts, and end. */
static inline void __attribute__((noreturn))
helper_fail(int code, const char *message, const char *advice)
{
	dprintf(HELPER_STATUS_FD, "%d\n%.*s\n%s\n", code, (int)strcspn(message, "\n"), message,
		advice);
	exit(EXIT_FAILURE);
}

/*
 * Name of an instance: the prefix and the process id of its recorder. The groups of the
 * recorder's probes are named like the instance, followed by "_kprobe" or "_uprobe".
 */
#define TRACEFS_PREFIX		"vitrine_"
#define TRACEFS_KPROBE		"kprobe"
#define TRACEFS_UPROBE		"uprobe"

#endif /* _VITRINE_CONVERT_HELPERS_H */
