// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Report the faults of an input trace: print the first ones and count all of them.
 */
#include <inttypes.h>

#include "faults.h"

/* Further faults of a file are only counted. */
#define MAX_PRINTED	10

/**
 * faults_print() - print and count a fault
 * @ctx: struct faults
 * @offset: position in the file
 * @message: description of the fault
 */
void faults_print(void *ctx, uint64_t offset, const char *message)
{
	struct faults *faults = ctx;

	if (faults->nr++ < MAX_PRINTED)
		fprintf(stderr,
			"vitrine: %s: offset 0x%" PRIx64 ": %s; left out\n",
			faults->path, offset, message);
}

/**
 * faults_end() - print how many faults were not printed
 * @faults: faults of the file
 */
void faults_end(const struct faults *faults)
{
	if (faults->nr > MAX_PRINTED)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " more left out\n",
			faults->path, faults->nr - MAX_PRINTED);
}
