// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files and directories under a temporary name beside the one they are to have.
 *
 * Concurrency: list_mutex guards the list, with signals blocked in the thread that
 * holds it: a signal handler finds the list whole, and every file in it.
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

/* A trace of the Common Trace Format is a directory in a temporary one. */
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

/* As open() would: mkostemp() lets nobody else read. */
static void give_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

/* Call @make with the name, and list it: its result, or -1 with errno. */
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

/**
 * vtr_temporary_anonymous() - make a file without a name, on a disk
 *
 * It is in $TMPDIR, or else /var/tmp.
 *
 * Return: its descriptor, or -1 with errno.
 */
int vtr_temporary_anonymous(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
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
 * vtr_temporary_create() - make a file beside another
 * @temporary: filled
 * @path: the name it is to have in the end
 *
 * Return: its descriptor, or -1 with errno.
 */
int vtr_temporary_create(struct vtr_temporary *temporary, const char *path)
{
	return make_listed(temporary, path, make_file);
}

/**
 * vtr_temporary_mkdir() - make a directory beside another, for its owner alone
 * @temporary: filled
 * @path: the name its content is to have in the end
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
 * vtr_temporary_rename() - give a file its name
 * @temporary: the file; there is none any more, if this succeeds
 * @path: the name
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

/* Async-signal-safe, so neither readdir() nor nftw(). */
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
 * vtr_temporary_remove() - remove a file, or a directory with what is in it
 * @temporary: nothing happens if there is none
 */
void vtr_temporary_remove(struct vtr_temporary *temporary)
{
	if (!temporary->path)
		return;
	remove_at(AT_FDCWD, temporary->path, MAX_DEPTH);
	forget(temporary);
}

/**
 * vtr_temporaries_remove() - remove all there are, before a signal ends the process
 *
 * In a child that has not called execve() yet they are its parent's, and stay.
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
