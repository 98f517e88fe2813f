// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of the module's files in debugfs, and errors about them; reading and writing these, and
 * others that the kernel makes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"

#define DEBUGFS_MOUNT	"/sys/kernel/debug"

/**
 * debugfs_path() - make the path of one of the module's files
 * @name: path below the module's directory, e.g. "trace/enable", or ""
 *
 * VITRINE_DEBUGFS in the environment is used instead of the usual mount point.
 *
 * Return: the path, to be freed.
 */
char *debugfs_path(const char *name)
{
	const char *mount = getenv("VITRINE_DEBUGFS");

	if (!mount || !*mount)
		mount = DEBUGFS_MOUNT;
	return must_format("%s/" VITRINE_DEBUGFS_DIR "%s%s", mount, *name ? "/" : "", name);
}

static bool is_mounted(const char *mount)
{
	struct statfs fs;

	return !statfs(mount, &fs) && fs.f_type == DEBUGFS_MAGIC;
}

/**
 * debugfs_explain() - find out why a file of the module cannot be used
 * @code: errno value
 * @path: the file
 *
 * Return: an error with advice, never NULL.
 */
struct vitrine_error *debugfs_explain(int code, const char *path)
{
	autofree char *directory = debugfs_path("");
	const char *mount = getenv("VITRINE_DEBUGFS");
	struct stat st;

	if (code == EACCES)
		return make_error(code, path, "run as root, or see SECURITY in vitrine(1)",
				  "permission denied");
	if (code == EPERM)
		return make_error(code, path,
				  "the kernel is locked down: see \"lockdown\" in mmap.rst",
				  "operation not permitted");
	if (code != ENOENT || !stat(directory, &st))
		return vtr_error_os(code, path, NULL);
	if (!mount && !is_mounted(DEBUGFS_MOUNT))
		return make_error(code, DEBUGFS_MOUNT,
				  "run `mount -t debugfs none " DEBUGFS_MOUNT "' as root",
				  "debugfs is not mounted");
	return make_error(code, path, "run `modprobe vitrine' or `insmod vitrine.ko' as root",
			  "the module vitrine is not loaded");
}

/**
 * read_file() - read a file of the kernel
 * @path: the file
 *
 * Return: its text, to be freed; NULL with errno.
 */
char *read_file(const char *path)
{
	FILE *stream = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t len;

	if (!stream)
		return NULL;
	errno = 0;
	len = getdelim(&text, &size, '\0', stream);
	if (len < 0) {
		free(text);
		text = ferror(stream) ? NULL : strdup("");
	}
	fclose(stream);
	return text;
}

/**
 * next_line() - take the next line off a text
 * @text: rest of the text, which is changed; NULL after its last line
 *
 * Return: the line; NULL at an empty one, or if there is none.
 */
char *next_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *line ? line : NULL;
}

/**
 * write_file() - write to a file of the kernel
 * @path: the file
 * @text: what to write, at once
 *
 * Return: 0, or an errno value.
 */
int write_file(const char *path, const char *text)
{
	const ssize_t len = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC), code = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, len) != len)
		code = errno;
	close(fd);
	return code;
}
