// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Create files and directories under a temporary name beside their final name.
 *
 * Concurrency: list_mutex protects the list of temporary names. The thread that holds it
 * blocks signals, so that a signal handler always finds a consistent list with every file
 * in it.
 */
#define _GNU_SOURCE	/* asprintf(), getdents64(), O_TMPFILE */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary.h"

/* Levels to remove: a Common Trace Format trace is a directory in a temporary directory. */
#define MAX_DEPTH	2

#define ENTRIES_BYTES	4096

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vtr_temporary *list;
static pid_t owner;

static void list_lock(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, old);
	pthread_mutex_lock(&list_mutex);
}

static void list_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&list_mutex);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Set the mode that open() would set; mkostemp() gives access to the owner only. */
static void give_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

/* Call @make with a temporary name, and add it to the list. Return its result, or -1. */
static int make_listed(struct vtr_temporary *temporary, const char *path,
		       int (*make)(char *name))
{
	size_t len = strlen(path);
	sigset_t old;
	char *name;
	int ret;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&name, "%.*s.XXXXXX", (int)len, path) < 0) {
		errno = ENOMEM;
		return -1;
	}
	list_lock(&old);
	ret = make(name);
	if (ret >= 0) {
		owner = getpid();
		*temporary = (struct vtr_temporary){ name, list };
		list = temporary;
	}
	list_unlock(&old);
	if (ret < 0)
		free(name);
	return ret;
}

static int make_file(char *name)
{
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd >= 0)
		give_usual_mode(fd);
	return fd;
}

static int make_directory(char *name)
{
	return mkdtemp(name) ? 0 : -1;
}

static const char *directory(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

/**
 * vtr_temporary_place() - choose where to create a file that the one at @path is made from
 * @path: path, or "-" for standard output
 *
 * Return: @path, or else a path in $TMPDIR or /var/tmp, valid until the next call.
 */
const char *vtr_temporary_place(const char *path)
{
	static char place[4096];

	if (strcmp(path, "-"))
		return path;
	snprintf(place, sizeof(place), "%s/vitrine", directory());
	return place;
}

/**
 * vtr_temporary_anonymous() - create a file without a name
 *
 * The file is in $TMPDIR or else in /var/tmp, which are normally on a disk.
 *
 * Return: file descriptor, or -1 with errno.
 */
int vtr_temporary_anonymous(void)
{
	const char *dir = directory();
	char name[4096];
	int fd;

	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		snprintf(name, sizeof(name), "%s/vitrine.XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	return fd;
}

/**
 * vtr_temporary_create() - create a file beside its final path
 * @temporary: receives the temporary name
 * @path: final path
 *
 * Return: file descriptor, or -1 with errno.
 */
int vtr_temporary_create(struct vtr_temporary *temporary, const char *path)
{
	return make_listed(temporary, path, make_file);
}

/**
 * vtr_temporary_mkdir() - create a directory beside its final path, with mode 0700
 * @temporary: receives the temporary name
 * @path: final path of the content
 *
 * Return: true, or false with errno.
 */
bool vtr_temporary_mkdir(struct vtr_temporary *temporary, const char *path)
{
	return !make_listed(temporary, path, make_directory);
}

static void forget(struct vtr_temporary *temporary)
{
	struct vtr_temporary **link = &list;
	sigset_t old;

	list_lock(&old);
	while (*link && *link != temporary)
		link = &(*link)->next;
	if (*link)
		*link = temporary->next;
	list_unlock(&old);
	free(temporary->path);
	temporary->path = NULL;
}

/**
 * vtr_temporary_rename() - rename a file to its final path
 * @temporary: the file; empty after success
 * @path: final path
 *
 * Return: 0, or -1 with errno.
 */
int vtr_temporary_rename(struct vtr_temporary *temporary, const char *path)
{
	if (rename(temporary->path, path))
		return -1;
	forget(temporary);
	return 0;
}

/* Remove a file or directory. Async-signal-safe, unlike readdir() and nftw(). */
static void remove_at(int dir, const char *name, unsigned int depth)
{
	char entries[ENTRIES_BYTES] __attribute__((aligned(8)));
	const struct dirent64 *entry;
	ssize_t len, at;
	int fd;

	if (!unlinkat(dir, name, 0) || !depth)
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((len = getdents64(fd, entries, sizeof(entries))) > 0) {
		for (at = 0; at < len; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(entries + at);
			if (strcmp(entry->d_name, ".") &&
			    strcmp(entry->d_name, ".."))
				remove_at(fd, entry->d_name, depth - 1);
		}
	}
	close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/**
 * vtr_temporary_remove() - remove a temporary file, or a directory with its content
 * @temporary: file or directory; may be empty
 */
void vtr_temporary_remove(struct vtr_temporary *temporary)
{
	if (!temporary->path)
		return;
	remove_at(AT_FDCWD, temporary->path, MAX_DEPTH);
	forget(temporary);
}

/**
 * vtr_temporaries_remove() - remove all temporary files before a signal ends the process
 *
 * Does nothing in a child process before execve(), because the files are its parent's.
 *
 * Context: a signal handler; the process has one thread.
 */
void vtr_temporaries_remove(void)
{
	const struct vtr_temporary *temporary;

	if (getpid() != owner)
		return;
	for (temporary = list; temporary; temporary = temporary->next)
		remove_at(AT_FDCWD, temporary->path, MAX_DEPTH);
}
