// SPDX-License-Identifier: GPL-2.0
/*
 * Create an instance of tracefs, and remove it with all probes that belong to it.
 *
 * The owner of an instance is alive as long as the directory of the instance is locked; the
 * kernel releases the lock when the recorder and its restorer have ended, whatever ended
 * them. An instance without a lock, and a probe without an instance, is what a crash left
 * behind. The directory of all instances is locked while one is created, or removed with its
 * probes, so that nobody finds an instance before its lock, or probes after their instance.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "error.h"
#include "read_tracefs.h"
#include "tracefs.h"

#define INSTANCES	"/instances"

/* How long and how often to wait while files of an instance are open. */
#define BUSY_NS		10000000
#define BUSY_TRIES	1000

/* The second one is mounted by the kernel where debugfs is. */
static const char * const mounts[] = {
	"/sys/kernel/tracing",
	"/sys/kernel/debug/tracing",
};

static const char * const probe_files[] = {
	"kprobe_events",
	"uprobe_events",
};

/* ---- Files -------------------------------------------------------------- */

/**
 * tracefs_explain() - find out why a file of tracefs cannot be used
 * @code: errno value
 * @path: the file
 *
 * Return: an error with advice, never NULL.
 */
struct vitrine_error *tracefs_explain(int code, const char *path)
{
	if (code == EACCES)
		return vitrine_error_create(code, path, VITRINE_NO_OFFSET, "run as root",
					    "permission denied");
	if (code == EPERM)
		return vitrine_error_create(code, path, VITRINE_NO_OFFSET,
					    "the kernel may be locked down: record without -e",
					    "operation not permitted");
	return vtr_error_os(code, path, NULL);
}

/**
 * tracefs_read() - read a file of tracefs
 * @directory: its directory
 * @file: its name
 *
 * Return: its text, to be freed; NULL with errno.
 */
char *tracefs_read(const char *directory, const char *file)
{
	char *path, *text = NULL;
	size_t size = 0;
	ssize_t len = -1;
	FILE *stream;

	if (asprintf(&path, "%s/%s", directory, file) < 0)
		return NULL;
	stream = fopen(path, "re");
	free(path);
	if (!stream)
		return NULL;
	errno = 0;
	len = getdelim(&text, &size, '\0', stream);
	if (len < 0 && !ferror(stream)) {
		free(text);
		text = strdup("");
	} else if (len < 0) {
		free(text);
		text = NULL;
	}
	fclose(stream);
	return text;
}

/* Write a text at once, behind what the file has. */
static int write_file(const char *path, const char *text)
{
	const ssize_t len = strlen(text);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), code = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, len) != len)
		code = errno;
	close(fd);
	return code;
}

/**
 * tracefs_write() - write to a file of tracefs
 * @directory: its directory
 * @file: its name
 * @text: what to write, at once
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *tracefs_write(const char *directory, const char *file,
				    const char *text)
{
	struct vitrine_error *err = NULL;
	char *path;
	int code;

	if (asprintf(&path, "%s/%s", directory, file) < 0)
		return vtr_error_no_memory();
	code = write_file(path, text);
	if (code)
		err = tracefs_explain(code, path);
	free(path);
	return err;
}

/**
 * tracefs_has() - find out whether a file of tracefs exists
 * @tracefs: after tracefs_open()
 * @file: path below the mount point
 *
 * Return: true if it exists.
 */
bool tracefs_has(const struct tracefs *tracefs, const char *file)
{
	char *path;
	bool has;

	if (asprintf(&path, "%s/%s", tracefs->mount, file) < 0)
		return false;
	has = !access(path, F_OK);
	free(path);
	return has;
}

/* ---- Instances ---------------------------------------------------------- */

static char *instance_path(const struct tracefs *tracefs, const char *name)
{
	char *path;

	return asprintf(&path, "%s" INSTANCES "/%s", tracefs->mount, name) < 0 ? NULL : path;
}

/* Open a directory and lock it; return -1 with errno. */
static int open_locked(const char *path, int operation)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), code;

	while (fd >= 0 && flock(fd, operation)) {
		code = errno;
		if (code == EINTR)
			continue;
		close(fd);
		errno = code;
		return -1;
	}
	return fd;
}

/* Lock the directory of all instances; return a descriptor to close, or -1 with errno. */
static int lock_all(const struct tracefs *tracefs)
{
	char *path = instance_path(tracefs, "");
	int fd = path ? open_locked(path, LOCK_EX) : -1;

	free(path);
	return fd;
}

/* Return the instance to which the probe "p:GROUP/EVENT ..." belongs, or false. */
static bool owner_of(const char *line, char ret[TRACEFS_NAME_BYTES])
{
	const char *group = strchr(line, ':');
	unsigned int pid;
	int len = 0;

	if (!group || sscanf(group + 1, TRACEFS_PREFIX "%u%n", &pid, &len) != 1 ||
	    group[1 + len] != '_')
		return false;
	snprintf(ret, TRACEFS_NAME_BYTES, "%.*s", len, group + 1);
	return true;
}

static void remove_probe(const char *path, const char *line)
{
	const char *name = strchr(line, ':');
	char *command;

	if (asprintf(&command, "-%.*s\n", (int)strcspn(name, "\n "), name) < 0)
		return;
	write_file(path, command);
	free(command);
}

/* Remove the probes of one file whose instance does not exist, with the lock held. */
static void remove_probes_in(const struct tracefs *tracefs, const char *file)
{
	char owner[TRACEFS_NAME_BYTES], *text = tracefs_read(tracefs->mount, file);
	char *line, *rest, *instance, *path;

	if (!text || asprintf(&path, "%s/%s", tracefs->mount, file) < 0) {
		free(text);
		return;
	}
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!owner_of(line, owner))
			continue;
		instance = instance_path(tracefs, owner);
		if (instance && access(instance, F_OK))
			remove_probe(path, line);
		free(instance);
	}
	free(path);
	free(text);
}

static void remove_probes(const struct tracefs *tracefs)
{
	size_t i;

	for (i = 0; i < sizeof(probe_files) / sizeof(probe_files[0]); i++)
		remove_probes_in(tracefs, probe_files[i]);
}

/* Remove an instance whose owner has ended, with the lock held. */
static void remove_if_left(const struct tracefs *tracefs, const char *name)
{
	char *path = instance_path(tracefs, name);
	int fd = path ? open_locked(path, LOCK_EX | LOCK_NB) : -1;

	if (fd >= 0) {
		close(fd);
		rmdir(path);
	}
	free(path);
}

static void remove_left(const struct tracefs *tracefs)
{
	char *path = instance_path(tracefs, "");
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;
	unsigned int pid;
	char rest;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, TRACEFS_PREFIX "%u%c", &pid, &rest) == 1)
			remove_if_left(tracefs, entry->d_name);
	if (dir)
		closedir(dir);
	free(path);
	remove_probes(tracefs);
}

/**
 * tracefs_clean() - remove the instances and probes that a crash has left behind
 * @tracefs: after tracefs_open()
 *
 * Instances and probes that another process has open stay until the next call.
 */
void tracefs_clean(const struct tracefs *tracefs)
{
	int fd = lock_all(tracefs);

	if (fd < 0)
		return;
	remove_left(tracefs);
	close(fd);
}

static struct vitrine_error *create_locked(struct tracefs *tracefs)
{
	const char *path = tracefs->instance;

	if (mkdir(path, 0700))
		return tracefs_explain(errno, path);
	tracefs->lock_fd = open_locked(path, LOCK_EX | LOCK_NB);
	if (tracefs->lock_fd >= 0)
		return NULL;
	rmdir(path);
	return tracefs_explain(errno, path);
}

/**
 * tracefs_create() - create the instance of this process, which records nothing yet
 * @tracefs: after tracefs_open() and tracefs_clean()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *tracefs_create(struct tracefs *tracefs)
{
	struct vitrine_error *err;
	int fd;

	snprintf(tracefs->name, sizeof(tracefs->name), TRACEFS_PREFIX "%u", getpid());
	tracefs->instance = instance_path(tracefs, tracefs->name);
	if (!tracefs->instance)
		return vtr_error_no_memory();
	fd = lock_all(tracefs);
	if (fd < 0)
		return tracefs_explain(errno, tracefs->instance);
	err = create_locked(tracefs);
	close(fd);
	if (err)
		return err;
	err = tracefs_write(tracefs->instance, "tracing_on", "0");
	if (err)
		tracefs_remove(tracefs);
	return err;
}

/**
 * tracefs_remove() - remove the instance and its probes
 * @tracefs: after tracefs_create(); nobody reads the instance any longer
 */
void tracefs_remove(const struct tracefs *tracefs)
{
	const struct timespec pause = { 0, BUSY_NS };
	int fd = lock_all(tracefs);
	unsigned int i;

	/* A process that was killed closes its files one after the other. */
	for (i = 0; rmdir(tracefs->instance) && errno == EBUSY && i < BUSY_TRIES; i++)
		nanosleep(&pause, NULL);
	remove_probes(tracefs);
	if (fd >= 0)
		close(fd);
}

/**
 * tracefs_open() - find out where tracefs is mounted
 * @tracefs: all zero
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *tracefs_open(struct tracefs *tracefs)
{
	struct statfs fs;
	size_t i;

	tracefs->lock_fd = -1;
	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		if (statfs(mounts[i], &fs)) {
			if (errno == EACCES)
				return tracefs_explain(errno, mounts[i]);
			continue;
		}
		if (fs.f_type != TRACEFS_MAGIC)
			continue;
		tracefs->mount = strdup(mounts[i]);
		return tracefs->mount ? NULL : vtr_error_no_memory();
	}
	return vitrine_error_create(ENOENT, mounts[0], VITRINE_NO_OFFSET,
				    "run `mount -t tracefs none /sys/kernel/tracing' as root",
				    "tracefs is not mounted");
}

/**
 * tracefs_close() - forget an instance, without removing it
 * @tracefs: an instance; a second call does nothing
 */
void tracefs_close(struct tracefs *tracefs)
{
	if (tracefs->instance && tracefs->lock_fd >= 0)
		close(tracefs->lock_fd);
	tracefs->lock_fd = -1;
	free(tracefs->instance);
	free(tracefs->mount);
	tracefs->instance = NULL;
	tracefs->mount = NULL;
}
