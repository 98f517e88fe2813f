/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report the faults of an input trace: print the first ones and count all of them.
 */
#ifndef _VITRINE_CONVERT_FAULTS_H
#define _VITRINE_CONVERT_FAULTS_H

#include "vitrine.h"

/* The file, and its number of faults. */
struct faults {
	const char *path;
	uint64_t nr;
};

/* For struct vitrine_fxt_report: @ctx is a struct faults. */
void faults_print(void *ctx, uint64_t offset, const char *message);
/* Print how many faults were not printed. */
void faults_end(const struct faults *faults);

#endif /* _VITRINE_CONVERT_FAULTS_H */
