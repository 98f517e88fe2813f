// SPDX-License-Identifier: GPL-2.0
/*
 * Write down which cgroups the limits of their CPU time have throttled, and which processes are in
 * them. `vitrine why' reads these markers; fxt.rst describes them.
 */
#include <fts.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
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
		note("cgroup process %" PRIu64 " %s", pid, cgroup + strlen(CGROUPS));
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
	uint64_t before_us = throttled_before(cgroup);

	if (before_us == cgroup->throttled_us)
		return;
	/* Both, since rings overwrite what was written before. */
	note(LIMIT, cgroup->quota_us, cgroup->period_us, before_us, path + strlen(CGROUPS));
	note(LIMIT, cgroup->quota_us, cgroup->period_us, cgroup->throttled_us,
	     path + strlen(CGROUPS));
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

/**
 * cgroups_note() - write down which cgroups have been throttled since the last time
 * @to: receives the markers, or NULL
 *
 * The first time, nothing is written yet.
 */
void cgroups_note(const struct vitrine_marker *to)
{
	if (!to)
		return;
	marker = to;
	cgroups_visit(CGROUPS, "cpu.max", visit_limit);
	free(before.cgroups);
	before = now;
	now = (struct limited){ 0 };
	is_known = true;
}
