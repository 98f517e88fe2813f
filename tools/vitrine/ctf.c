// SPDX-License-Identifier: GPL-2.0
/*
 * Loads the plugin of libbabeltrace2 when it is needed, and runs it, so that
 * the command needs nothing of libbabeltrace2 to be there.
 *
 * The plugin is looked for where BABELTRACE_PLUGIN_PATH says; if that is not
 * set, where it is installed, and beside the command.
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
#include "temporary.h"

/* Of what went wrong in there. */
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

/* @faults are for the way to the Common Trace Format, else NULL. */
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

static struct vitrine_error *os_error(const char *path, const char *action)
{
	return vitrine_error_create(errno, path, VITRINE_NO_OFFSET, NULL,
				    "%s: %s", action, strerror(errno));
}

static struct vitrine_error *write_in(const char *dir, const char *from,
				      const char *to, struct faults *faults)
{
	struct vitrine_error *err;
	char *path;

	if (asprintf(&path, "%s/trace", dir) < 0)
		return os_error(to, "cannot create");
	err = convert(from, path, faults);
	if (!err && rename(path, to))
		err = os_error(to, "cannot rename to it");
	free(path);
	return err;
}

/**
 * ctf_write() - write a trace in the Common Trace Format
 * @from: Fuchsia trace
 * @to: directory to make, or an empty one
 * @faults: of @from, to be printed and counted
 *
 * Return: NULL, or an error; then there is no such directory, or it is empty.
 */
struct vitrine_error *ctf_write(const char *from, const char *to,
				struct faults *faults)
{
	struct vtr_temporary dir = { 0 };
	struct vitrine_error *err;

	if (!vtr_temporary_mkdir(&dir, to))
		return os_error(to, "cannot create");
	err = write_in(dir.path, from, to, faults);
	vtr_temporary_remove(&dir);
	return err;
}

/**
 * ctf_read() - make a Fuchsia trace of one in the Common Trace Format
 * @from: directory
 * @to: file to make
 *
 * Return: NULL, or an error; then there is no such file.
 */
struct vitrine_error *ctf_read(const char *from, const char *to)
{
	return convert(from, to, NULL);
}
