// SPDX-License-Identifier: GPL-2.0
/*
 * Write down which cgroups have a limit of CPU time, how long they have been throttled so far, and
 * which processes are in them. `vitrine why' reads these markers; fxt.rst describes them.
 */
#include <fts.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cgroups.h"

/* Longest marker; see marker.c of the library. A cgroup with a longer path is left out. */
#define MARKER_BYTES	255

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

__attribute__((format(printf, 2, 3)))
static void note(const struct vitrine_marker *marker, const char *format, ...)
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
 * @visit: called with @ctx, @cgroup and the path of the file
 * @ctx: first argument of @visit
 */
void cgroups_visit(const char *cgroup, const char *name, cgroups_visit_fn *visit, void *ctx)
{
	char * const tops[] = { (char *)cgroup, NULL };
	FTSENT *entry;
	FTS *tree;

	tree = fts_open(tops, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	while (tree && (entry = fts_read(tree)))
		if (!strcmp(entry->fts_name, name))
			visit(ctx, cgroup, entry->fts_path);
	if (tree)
		fts_close(tree);
}

static void note_processes(void *marker, const char *cgroup, char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t pid;

	while (file && fscanf(file, "%" SCNu64, &pid) == 1)
		note(marker, "cgroup process %" PRIu64 " %s", pid, cgroup + strlen(CGROUPS));
	if (file)
		fclose(file);
}

/* A cgroup without a limit has the word "max" in its file. */
static void note_limit(void *marker, const char *root, char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t quota_us, period_us;

	if (!file)
		return;
	if (fscanf(file, "%" SCNu64 " %" SCNu64, &quota_us, &period_us) == 2) {
		*strrchr(path, '/') = '\0';
		note(marker, "cgroup limit %" PRIu64 " %" PRIu64 " %" PRIu64 " %s", quota_us,
		     period_us, read_throttled(path), path + strlen(CGROUPS));
		cgroups_visit(path, "cgroup.procs", note_processes, marker);
		path[strlen(path)] = '/';
	}
	fclose(file);
}

/**
 * cgroups_note() - write down the limits of all cgroups
 * @marker: receives the markers, or NULL
 */
void cgroups_note(struct vitrine_marker *marker)
{
	if (marker)
		cgroups_visit(CGROUPS, "cpu.max", note_limit, marker);
}
