/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of cgroups, which no tracepoint tells, as markers in the trace.
 */
#ifndef _VITRINE_CGROUPS_H
#define _VITRINE_CGROUPS_H

#include "vitrine.h"

/* Where cgroups of version 2 are mounted. */
#define CGROUPS		"/sys/fs/cgroup"

void cgroups_note(const struct vitrine_marker *marker);

#endif /* _VITRINE_CGROUPS_H */
