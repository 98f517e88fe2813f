// SPDX-License-Identifier: GPL-2.0
/*
 * Load the plugin for libbabeltrace2 when it is needed, so that the command itself does
 * not depend on that library.
 *
 * The plugin is looked for in BABELTRACE_PLUGIN_PATH; if that is not set, where it is
 * installed, and beside the command.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "convert.h"
#include "ctf.h"
#include "error.h"
#include "temporary.h"

/* Longest error text of the plugin. */
#define MESSAGE_BYTES	1024

static void *open_in(const char *dir, size_t len)
{
	void *handle;
	char *path;

	if (!len || asprintf(&path, "%.*s/" VITRINE_BABELTRACE_PLUGIN,
			     (int)len, dir) < 0)
		return NULL;
	handle = access(path, R_OK) ? NULL :
		 dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return handle;
}

static void *open_in_path(const char *path)
{
	void *handle = NULL;
	size_t len;

	while (*path && !handle) {
		len = strcspn(path, ":");
		handle = open_in(path, len);
		path += len + !!path[len];
	}
	return handle;
}

static void *open_beside(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return NULL;
	path[len] = '\0';
	*strrchr(path, '/') = '\0';
	return open_in(path, strlen(path));
}

static struct vitrine_error *find_plugin(vitrine_babeltrace_convert_fn **ret)
{
	const char *path = getenv("BABELTRACE_PLUGIN_PATH");
	void *handle, *symbol = NULL, *cleanup = NULL;

	handle = path ? open_in_path(path) :
			open_in(PLUGINDIR, strlen(PLUGINDIR));
	if (!handle && !path)
		handle = open_beside();
	if (handle) {
		symbol = dlsym(handle, VITRINE_BABELTRACE_CONVERT);
		cleanup = dlsym(handle, VITRINE_BABELTRACE_CLEANUP);
	}
	if (!symbol || !cleanup)
		return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
			"install the package vitrine-babeltrace; to build it, libbabeltrace2-dev",
			"the Common Trace Format needs " VITRINE_BABELTRACE_PLUGIN);
	*ret = (vitrine_babeltrace_convert_fn *)symbol;
	cleanup_of_plugin((void (*)(void))cleanup);
	return NULL;
}

/* Convert to CTF, and count the faults of the trace; without @faults, convert from CTF. */
static struct vitrine_error *convert(const char *from, const char *to,
				     struct faults *faults)
{
	vitrine_babeltrace_convert_fn *function = NULL;
	char message[MESSAGE_BYTES];
	struct vitrine_error *err;

	err = find_plugin(&function);
	if (err || function(from, to, faults, message, sizeof(message)))
		return err;
	return vitrine_error_create(EBADMSG, from, VITRINE_NO_OFFSET, NULL,
				    "%s", message);
}

static struct vitrine_error *write_in(const char *dir, const char *from,
				      const char *to, struct faults *faults)
{
	struct vitrine_error *err;
	char *path;

	if (asprintf(&path, "%s/trace", dir) < 0)
		return vtr_error_os(errno, to, "cannot create");
	err = convert(from, path, faults);
	if (!err && rename(path, to))
		err = vtr_error_os(errno, to, "cannot rename to it");
	free(path);
	return err;
}

/**
 * ctf_write() - convert a trace into the Common Trace Format
 * @from: Fuchsia trace
 * @to: directory, new or empty
 * @faults: faults of @from, which are printed and counted
 *
 * Return: NULL, or an error; then the directory does not exist, or is empty.
 */
struct vitrine_error *ctf_write(const char *from, const char *to,
				struct faults *faults)
{
	struct vtr_temporary dir = { 0 };
	struct vitrine_error *err;

	if (!vtr_temporary_mkdir(&dir, to))
		return vtr_error_os(errno, to, "cannot create");
	err = write_in(dir.path, from, to, faults);
	vtr_temporary_remove(&dir);
	return err;
}

/**
 * ctf_read() - convert a trace from the Common Trace Format
 * @from: directory
 * @to: Fuchsia trace to write
 *
 * Return: NULL, or an error; then the file does not exist.
 */
struct vitrine_error *ctf_read(const char *from, const char *to)
{
	return convert(from, to, NULL);
}
