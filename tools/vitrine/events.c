// SPDX-License-Identifier: GPL-2.0
/*
 * Switch a category of trace/events on for the time of a recording.
 *
 * Several recorders may run at once, so the last one to end puts the setting back.
 * They agree by locks of open file descriptions on trace/events, which also end when
 * a recorder is killed: LOCK_CHANGE is held while the setting is read and written,
 * LOCK_USE, shared, by each recorder that needs the category as recorders set it. A
 * category that was on before any of them began is never switched off.
 */
#define _GNU_SOURCE	/* F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debugfs.h"
#include "error.h"
#include "events.h"

/* Bytes of the file that are locked. */
#define LOCK_CHANGE	0
#define LOCK_USE	1

/* Longer than any category's name. */
#define WORD_BYTES	64

static int lock_byte(int fd, int command, short type, off_t byte,
		     short *ret_type)
{
	struct flock lock = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = byte,
		.l_len = 1,
	};
	int err;

	do {
		err = fcntl(fd, command, &lock);
	} while (err && errno == EINTR);
	if (ret_type)
		*ret_type = lock.l_type;
	return err;
}

/* Whether another recorder holds the category on. */
static bool is_held(int fd)
{
	short type = F_UNLCK;

	return !lock_byte(fd, F_OFD_GETLK, F_WRLCK, LOCK_USE, &type) &&
	       type != F_UNLCK;
}

/* Whether the file has a line "+CATEGORY", with a filter or without. */
static int is_on(int fd, const char *category, bool *ret)
{
	char *line = NULL, *name;
	size_t size = 0;
	int copy = dup(fd);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "r");

	if (!file)
		return -1;
	rewind(file);
	*ret = false;
	while (getline(&line, &size, file) > 0) {
		name = strtok(line, ":\n");
		*ret |= name && *name == '+' && !strcmp(name + 1, category);
	}
	free(line);
	fclose(file);
	return 0;
}

static int switch_category(int fd, const char *category, char sign)
{
	char word[WORD_BYTES];
	int len = snprintf(word, sizeof(word), "%c%s\n", sign, category);

	/* Not pwrite(), which files of this kind do not have. */
	return !lseek(fd, 0, SEEK_SET) && write(fd, word, len) == len ? 0 : -1;
}

/* With LOCK_CHANGE held: 0, or -1 with errno. */
static int hold_locked(struct events_hold *hold, int fd)
{
	bool on;

	if (is_on(fd, hold->category, &on))
		return -1;
	/* Somebody else's setting stays as it is. */
	if (on && !is_held(fd))
		return 0;
	if (!on && switch_category(fd, hold->category, '+'))
		return -1;
	if (lock_byte(fd, F_OFD_SETLK, F_RDLCK, LOCK_USE, NULL))
		return -1;
	hold->fd = fd;
	return 0;
}

/**
 * events_hold() - switch a category on, if it is off
 * @category: its name
 * @hold: for events_release()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *events_hold(const char *category,
				  struct events_hold *hold)
{
	char *path = debugfs_path("trace/events", "");
	struct vitrine_error *err = NULL;
	int fd;

	*hold = (struct events_hold){ .category = category, .fd = -1 };
	if (!path)
		return vtr_error_no_memory();
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err = debugfs_explain(errno, path);
	else if (lock_byte(fd, F_OFD_SETLKW, F_WRLCK, LOCK_CHANGE, NULL) ||
		 hold_locked(hold, fd))
		err = vtr_error_os(errno, path, "cannot switch events on");
	if (hold->fd >= 0)
		lock_byte(fd, F_OFD_SETLK, F_UNLCK, LOCK_CHANGE, NULL);
	else if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/**
 * events_release() - put the setting back, unless another recorder needs it
 * @hold: what events_hold() filled; nothing happens the second time
 */
void events_release(struct events_hold *hold)
{
	if (hold->fd < 0)
		return;
	lock_byte(hold->fd, F_OFD_SETLKW, F_WRLCK, LOCK_CHANGE, NULL);
	lock_byte(hold->fd, F_OFD_SETLK, F_UNLCK, LOCK_USE, NULL);
	if (!is_held(hold->fd))
		switch_category(hold->fd, hold->category, '-');
	close(hold->fd);
	hold->fd = -1;
}
