// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Faults of a trace that is read: the first are printed, all are counted.
 */
#include <inttypes.h>

#include "faults.h"

/* More of what is wrong with a file is counted, not printed. */
#define MAX_PRINTED	10

/**
 * faults_print() - print and count a fault
 * @ctx: struct faults
 * @offset: where in the file
 * @message: what is wrong
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
 * @faults: all that there were
 */
void faults_end(const struct faults *faults)
{
	if (faults->nr > MAX_PRINTED)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " more left out\n",
			faults->path, faults->nr - MAX_PRINTED);
}
