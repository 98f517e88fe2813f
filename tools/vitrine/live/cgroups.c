// SPDX-License-Identifier: GPL-2.0
/*
 * Write down which cgroups the limits of their CPU time have throttled, which processes are in
 * them, and the limit of real-time threads. `vitrine why' reads these markers; fxt.rst describes
 * them.
 */
#include <fts.h>
#include <inttypes.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "command.h"
#include "recording.h"

/* Longest marker; see marker.c of the library. A cgroup with a longer path is left out. */
#define MARKER_BYTES	255

#define LIMIT		"cgroup limit %" PRIu64 " %" PRIu64 " %" PRIu64 " %s"

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
 * struct limited - all cgroups with a limit, as a walk through the hierarchy has found them
 * @cgroups: the cgroups
 * @nr: how many
 */
struct limited {
	struct cgroup *cgroups;
	size_t nr;
};

/* This walk, and the one before, if there was one: then any other cgroup is new. */
static struct limited now, before;
static bool is_known;

/* Where markers are written during a walk. */
static const struct vitrine_marker *marker;

/**
 * cgroups_top() - find where the hierarchy of cgroups is mounted
 *
 * Return: its directory; the usual one, if it is not mounted.
 */
const char *cgroups_top(void)
{
	static char *top;
	struct mntent *mount;
	FILE *file;

	file = top ? NULL : setmntent("/proc/self/mounts", "re");
	while (file && !top && (mount = getmntent(file)))
		if (!strcmp(mount->mnt_type, "cgroup2"))
			top = strdup(mount->mnt_dir);
	if (file)
		endmntent(file);
	return top ? top : "/sys/fs/cgroup";
}

/* Read a file that has a number; return false if it is not positive, as one without a limit. */
static bool read_limit(const char *path, uint64_t *ret)
{
	autofree char *text = read_file(path);
	int64_t value = text ? strtoll(text, NULL, 10) : 0;

	*ret = value;
	return value > 0;
}

/* Return for how many microseconds a cgroup has been throttled. */
static uint64_t read_throttled(const char *cgroup)
{
	uint64_t value, ret = 0;
	char path[4096], name[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu.stat", cgroup);
	file = fopen(path, "re");
	while (file && fscanf(file, "%63s %" SCNu64, name, &value) == 2)
		if (!strcmp(name, "throttled_usec"))
			ret = value;
	if (file)
		fclose(file);
	return ret;
}

__attribute__((format(printf, 1, 2)))
static void note(const char *format, ...)
{
	char text[MARKER_BYTES + 1];
	va_list list;
	int len;

	va_start(list, format);
	len = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (len <= MARKER_BYTES)
		vitrine_marker_instant(marker, text);
}

/**
 * cgroups_visit() - call a function for each file of a name in a cgroup and its descendants
 * @cgroup: directory of the cgroup
 * @name: name of the files
 * @visit: called with @cgroup, the path of the file and the file
 */
void cgroups_visit(const char *cgroup, const char *name, cgroups_visit_fn *visit)
{
	char * const tops[] = { (char *)cgroup, NULL };
	FTSENT *entry;
	FILE *file;
	FTS *tree;

	tree = fts_open(tops, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	while (tree && (entry = fts_read(tree))) {
		file = strcmp(entry->fts_name, name) ? NULL : fopen(entry->fts_path, "re");
		if (!file)
			continue;
		visit(cgroup, entry->fts_path, file);
		fclose(file);
	}
	if (tree)
		fts_close(tree);
}

static void note_processes(const char *cgroup, char *path, FILE *file)
{
	uint64_t pid;

	while (fscanf(file, "%" SCNu64, &pid) == 1)
		note("cgroup process %" PRIu64 " %s", pid, cgroup + strlen(cgroups_top()));
}

/* Return for how long a cgroup had been throttled; one that was not there had not been. */
static uint64_t throttled_before(const struct cgroup *cgroup)
{
	size_t i;

	for (i = 0; i < before.nr; i++)
		if (before.cgroups[i].id == cgroup->id)
			return before.cgroups[i].throttled_us;
	return is_known ? 0 : cgroup->throttled_us;
}

static void note_limit(const struct cgroup *cgroup, const char *path)
{
	const char *name = path + strlen(cgroups_top());
	uint64_t before_us = throttled_before(cgroup);

	if (before_us == cgroup->throttled_us)
		return;
	/* Both, since rings overwrite what was written before. */
	note(LIMIT, cgroup->quota_us, cgroup->period_us, before_us, name);
	note(LIMIT, cgroup->quota_us, cgroup->period_us, cgroup->throttled_us, name);
	cgroups_visit(path, "cgroup.procs", note_processes);
}

/* A cgroup without a limit has the word "max" in its file. */
static void visit_limit(const char *root, char *path, FILE *file)
{
	struct cgroup cgroup;
	struct stat stat;

	if (fscanf(file, "%" SCNu64 " %" SCNu64, &cgroup.quota_us, &cgroup.period_us) != 2 ||
	    fstat(fileno(file), &stat))
		return;
	*strrchr(path, '/') = '\0';
	cgroup.id = stat.st_ino;
	cgroup.throttled_us = read_throttled(path);
	note_limit(&cgroup, path);
	if (GROW(now.cgroups, now.nr))
		now.cgroups[now.nr++] = cgroup;
	path[strlen(path)] = '/';
}

/* Write down for how long real-time threads may run in each period. */
static void note_real_time(void)
{
	uint64_t quota_us, period_us;

	if (read_limit("/proc/sys/kernel/sched_rt_runtime_us", &quota_us) &&
	    read_limit("/proc/sys/kernel/sched_rt_period_us", &period_us))
		note("real-time limit %" PRIu64 " %" PRIu64, quota_us, period_us);
}

/**
 * cgroups_note() - write down which cgroups have been throttled since the last time
 * @to: receives the markers, or NULL
 *
 * The first time, only the limit of real-time threads is written.
 */
void cgroups_note(const struct vitrine_marker *to)
{
	if (!to)
		return;
	marker = to;
	if (!is_known)
		note_real_time();
	cgroups_visit(cgroups_top(), "cpu.max", visit_limit);
	free(before.cgroups);
	before = now;
	now = (struct limited){ 0 };
	is_known = true;
}
