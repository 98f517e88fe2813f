/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contents of the flight recorder in a file.
 */
#ifndef _VITRINE_SNAPSHOT_H
#define _VITRINE_SNAPSHOT_H

#include <stdbool.h>

/**
 * struct snapshot_args - the options of `vitrine snapshot'
 * @output: file to write; "-": standard output; NULL: a name with the time
 * @wait: wait until a trigger freezes the rings
 */
struct snapshot_args {
	const char *output;
	bool wait;
};

int snapshot_run(const struct snapshot_args *args);

#endif /* _VITRINE_SNAPSHOT_H */
