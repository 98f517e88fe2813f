/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of cgroups, which no tracepoint tells, as markers in the trace.
 */
#ifndef _VITRINE_CGROUPS_H
#define _VITRINE_CGROUPS_H

#include "vitrine.h"

/* Where cgroups of version 2 are mounted. */
#define CGROUPS		"/sys/fs/cgroup"

/* Called with a file that is in @cgroup or below it, and its path. */
typedef void cgroups_visit_fn(void *ctx, const char *cgroup, char *path);

void cgroups_visit(const char *cgroup, const char *name, cgroups_visit_fn *visit, void *ctx);
void cgroups_note(struct vitrine_marker *marker);

#endif /* _VITRINE_CGROUPS_H */
