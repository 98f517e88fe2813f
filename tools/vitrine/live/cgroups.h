/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of cgroups, which no tracepoint tells, as markers in the trace.
 */
#ifndef _VITRINE_CGROUPS_H
#define _VITRINE_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vitrine.h"

/* Where cgroups of version 2 are mounted. */
#define CGROUPS		"/sys/fs/cgroup"

/**
 * struct cgroup - a cgroup with a limit
 * @id: inode of its file cpu.max, which no later cgroup gets
 * @quota_us: for how long its threads may run in each period
 * @period_us: length of a period
 * @throttled_us: for how long they have been throttled
 */
struct cgroup {
	ino_t id;
	uint64_t quota_us;
	uint64_t period_us;
	uint64_t throttled_us;
};

/**
 * struct cgroups - what is known of all cgroups; all zero at first
 * @limited: those with a limit
 * @nr: how many
 * @is_known: it is known, so any other cgroup is new
 */
struct cgroups {
	struct cgroup *limited;
	size_t nr;
	bool is_known;
};

/* Called with a file that is in @cgroup or below it, and its path. */
typedef void cgroups_visit_fn(void *ctx, const char *cgroup, char *path);

void cgroups_visit(const char *cgroup, const char *name, cgroups_visit_fn *visit, void *ctx);
void cgroups_note(struct cgroups *cgroups, const struct vitrine_marker *marker);
void cgroups_deinit(struct cgroups *cgroups);

#endif /* _VITRINE_CGROUPS_H */
