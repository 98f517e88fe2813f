/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that exist while a recording lasts.
 */
#ifndef _VITRINE_PROCESSES_H
#define _VITRINE_PROCESSES_H

#include "vitrine.h"

/**
 * struct processes - a set of processes; initialised to zero
 * @pids: their ids
 * @nr: how many
 */
struct processes {
	uint64_t *pids;
	size_t nr;
};

bool processes_add_tree(struct processes *processes, const char *text);
struct vitrine_error *processes_add_cgroup(struct processes *processes,
					   const char *path);
void processes_deinit(struct processes *processes);

#endif /* _VITRINE_PROCESSES_H */
