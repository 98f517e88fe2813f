// SPDX-License-Identifier: GPL-2.0
/*
 * Find processes in /proc and in the hierarchy of cgroups. They come and go meanwhile; one
 * that has ended is no error.
 */
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "grow.h"
#include "processes.h"

#define CGROUPS		"/sys/fs/cgroup"

/* A process in /proc. */
struct process {
	uint64_t pid;
	uint64_t parent;
	char name[64];
};

static bool has(const struct processes *processes, uint64_t pid)
{
	size_t i;

	for (i = 0; i < processes->nr; i++)
		if (processes->pids[i] == pid)
			return true;
	return false;
}

static bool add(struct processes *processes, uint64_t pid)
{
	if (has(processes, pid))
		return true;
	if (!GROW(processes->pids, processes->nr))
		return false;
	processes->pids[processes->nr++] = pid;
	return true;
}

/* ---- A process and its children ---------------------------------------------- */

/* Read /proc/PID/stat: "PID (NAME) STATE PARENT ..."; the name may contain anything. */
static bool read_process(const char *pid, struct process *ret)
{
	char path[64], line[512], *open, *close;
	bool good = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.32s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	fclose(file);
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (open && close && close > open) {
		*close = '\0';
		snprintf(ret->name, sizeof(ret->name), "%s", open + 1);
		ret->pid = strtoull(line, NULL, 10);
		good = sscanf(close + 1, " %*c %" SCNu64, &ret->parent) == 1;
	}
	return good;
}

/* Read all processes; return how many. */
static size_t read_all(struct process **ret)
{
	struct process *all = NULL;
	const struct dirent *entry;
	DIR *dir = opendir("/proc");
	size_t nr = 0;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name < '1' || *entry->d_name > '9')
			continue;
		if (!GROW(all, nr))
			break;
		nr += read_process(entry->d_name, &all[nr]);
	}
	if (dir)
		closedir(dir);
	*ret = all;
	return nr;
}

/**
 * processes_add_tree() - add processes, and all that descend from them
 * @processes: set
 * @text: id of a process, or the name of processes
 *
 * Return: false without memory.
 */
bool processes_add_tree(struct processes *processes, const char *text)
{
	struct process *all;
	size_t nr = read_all(&all), before, i;
	bool good = true;
	char id[24];

	for (i = 0; good && i < nr; i++) {
		snprintf(id, sizeof(id), "%" PRIu64, all[i].pid);
		if (!strcmp(id, text) || !strcmp(all[i].name, text))
			good = add(processes, all[i].pid);
	}
	do {
		before = processes->nr;
		for (i = 0; good && i < nr; i++)
			if (has(processes, all[i].parent))
				good = add(processes, all[i].pid);
	} while (good && processes->nr > before);
	free(all);
	return good;
}

/* ---- Cgroups -------------------------------------------------------------------- */

static bool add_members(struct processes *processes, const char *path)
{
	FILE *file = fopen(path, "re");
	bool good = true;
	uint64_t pid;

	while (file && good && fscanf(file, "%" SCNu64, &pid) == 1)
		good = add(processes, pid);
	if (file)
		fclose(file);
	return good;
}

/**
 * processes_add_cgroup() - add the processes of a cgroup and of its descendants
 * @processes: set
 * @path: path in the unified hierarchy, which begins with a slash
 *
 * Return: NULL, or an error: there is no such cgroup, or no memory.
 */
struct vitrine_error *processes_add_cgroup(struct processes *processes,
					   const char *path)
{
	char top[4096];
	char * const tops[] = { top, NULL };
	struct vitrine_error *err = NULL;
	bool found = false;
	FTSENT *entry;
	FTS *tree;

	snprintf(top, sizeof(top), CGROUPS "%s", path);
	tree = fts_open(tops, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	while (!err && tree && (entry = fts_read(tree))) {
		if (strcmp(entry->fts_name, "cgroup.procs"))
			continue;
		found |= entry->fts_level == 1;
		if (!add_members(processes, entry->fts_path))
			err = vtr_error_no_memory();
	}
	if (tree)
		fts_close(tree);
	if (!err && !found)
		err = vitrine_error_create(ENOENT, top, VITRINE_NO_OFFSET,
					   "give a path as in /proc/PID/cgroup, with cgroup version 2 mounted",
					   "no such cgroup");
	return err;
}

/**
 * processes_deinit() - free a set
 * @processes: set
 */
void processes_deinit(struct processes *processes)
{
	free(processes->pids);
}
