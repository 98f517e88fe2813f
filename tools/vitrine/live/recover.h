/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace and the trees in a memory dump.
 */
#ifndef _VITRINE_RECOVER_H
#define _VITRINE_RECOVER_H

#include <stdbool.h>

/**
 * struct recover_args - the options of `vitrine recover'
 * @dump: the dump; "-": standard input
 * @output: trace to write; "-": standard output
 * @directory: where to write trees, or NULL to leave them out
 * @json: print JSON
 */
struct recover_args {
	const char *dump;
	const char *output;
	const char *directory;
	bool json;
};

int recover_run(const struct recover_args *args);

#endif /* _VITRINE_RECOVER_H */
