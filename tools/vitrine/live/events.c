// SPDX-License-Identifier: GPL-2.0
/*
 * Enable categories of trace/events, and stacks of long waits, for the time of a recording.
 *
 * Several recorders may run at once, and the last one to end restores the setting.
 * They coordinate by open file description locks on the files, which are released when a
 * recorder and its restorer have ended, whatever ended them: LOCK_CHANGE is held
 * exclusively while a setting is read and written; use_lock() of a category, or
 * LOCK_STACKS of trace/stacks, is shared by all recorders that need it. A setting
 * that was on before the first recorder began is never switched off. If two categories hash
 * to the same lock, one of them stays enabled for longer.
 */
#define _GNU_SOURCE	/* F_OFD_SETLK, asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debugfs.h"
#include "error.h"
#include "events.h"
#include "grow.h"

/* The byte of a file that is locked while its setting changes. */
#define LOCK_CHANGE	0

/* The byte of trace/stacks that is locked while a recorder needs the stacks. */
#define LOCK_STACKS	1

#define EVENTS		"trace/events"
#define STACKS		"trace/stacks"

/* Maximum length of a line of trace/stacks that is understood. */
#define STACKS_MAX_BYTES	4096

/* A line of the file: a category, and whether it is enabled. */
struct line {
	bool on;
	char *category;
};

/* Return the byte to lock while a category is used: FNV-1a of its name, never 0. */
static off_t use_lock(const char *category)
{
	uint32_t hash = 2166136261U;

	for (; *category; category++)
		hash = (hash ^ (unsigned char)*category) * 16777619U;
	return 1 + (off_t)hash;
}

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

/* Return whether another recorder needs the setting that the lock stands for. */
static bool is_held(int fd, off_t byte)
{
	short type = F_UNLCK;

	return !lock_byte(fd, F_OFD_GETLK, F_WRLCK, byte, &type) &&
	       type != F_UNLCK;
}

static void free_lines(struct line *lines, size_t nr)
{
	while (nr--)
		free(lines[nr].category);
	free(lines);
}

/* Parse "+CATEGORY" or "-CATEGORY", with or without a filter. */
static bool parse_line(char *text, struct line *ret)
{
	text[strcspn(text, ":\n")] = '\0';
	ret->on = *text == '+';
	ret->category = strdup(*text ? text + 1 : text);
	return ret->category;
}

/* Read all lines; return how many, or -1 with errno. */
static ssize_t read_lines(int fd, struct line **ret)
{
	int copy = dup(fd);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
	struct line *lines = NULL;
	char *text = NULL;
	size_t size = 0, nr = 0;

	if (!file)
		return -1;
	rewind(file);
	while (getline(&text, &size, file) > 0) {
		if (!GROW(lines, nr) || !parse_line(text, &lines[nr]))
			break;
		if (*lines[nr].category)
			nr++;
		else
			free(lines[nr].category);
	}
	free(text);
	*ret = lines;
	if (feof(file)) {
		fclose(file);
		return nr;
	}
	fclose(file);
	free_lines(lines, nr);
	return -1;
}

static int write_setting(int fd, const char *words)
{
	ssize_t len = strlen(words);

	/* These files do not support pwrite(). */
	return !lseek(fd, 0, SEEK_SET) && write(fd, words, len) == len ? 0 : -1;
}

static int switch_category(int fd, const char *category, char sign)
{
	char *word;
	int err;

	if (asprintf(&word, "%c%s\n", sign, category) < 0)
		return -1;
	err = write_setting(fd, word);
	free(word);
	return err;
}

/* ---- Categories --------------------------------------------------------- */

/* Categories that explain waits, besides stacks: interrupts and requests to disks. */
static bool is_wanted(enum events_set set, const char *category)
{
	return set == EVENTS_ALL || !strcmp(category, "sched") ||
	       (set == EVENTS_WHY &&
		(!strcmp(category, "irq") || !strcmp(category, "block")));
}

/* Enable one category, with LOCK_CHANGE held; return 0, or -1 with errno. */
static int hold_line(struct events_hold *hold, const struct line *line)
{
	off_t use = use_lock(line->category);

	/* A category that the user has enabled is left alone. */
	if (line->on && !is_held(hold->fd, use))
		return 0;
	if (restorer_announce(&hold->restorer, line->category) ||
	    (!line->on && switch_category(hold->fd, line->category, '+')))
		return -1;
	return lock_byte(hold->fd, F_OFD_SETLK, F_RDLCK, use, NULL);
}

static int hold_lines(struct events_hold *hold, const struct line *lines,
		      size_t nr, enum events_set set)
{
	size_t i, nr_wanted = 0;

	for (i = 0; i < nr; i++) {
		if (!is_wanted(set, lines[i].category))
			continue;
		nr_wanted++;
		/* Only wakeups are indispensable: this kernel may lack the others. */
		if (hold_line(hold, &lines[i]) &&
		    (errno != ENOENT ||
		     (set != EVENTS_ALL && !strcmp(lines[i].category, "sched"))))
			return -1;
	}
	errno = EINVAL;
	return nr_wanted || set == EVENTS_ALL ? 0 : -1;
}

/* Enable the categories, with LOCK_CHANGE held; return 0, or -1 with errno. */
static int hold_categories(struct events_hold *hold,
			   const struct events_wish *wish)
{
	ssize_t nr;
	struct line *lines;
	int err;

	nr = read_lines(hold->fd, &lines);
	if (nr < 0)
		return -1;
	err = hold_lines(hold, lines, nr, wish->set);
	free_lines(lines, nr);
	return err;
}

static void restore_category(int fd, const char *category)
{
	lock_byte(fd, F_OFD_SETLKW, F_WRLCK, LOCK_CHANGE, NULL);
	lock_byte(fd, F_OFD_SETLK, F_UNLCK, use_lock(category), NULL);
	if (!is_held(fd, use_lock(category)))
		switch_category(fd, category, '-');
	lock_byte(fd, F_OFD_SETLK, F_UNLCK, LOCK_CHANGE, NULL);
}

/* ---- Stacks ------------------------------------------------------------- */

/*
 * Record waits of this length, with LOCK_CHANGE held. Not every kernel stores since when a
 * thread is runnable.
 */
static int write_threshold(int fd, uint64_t us)
{
	char words[96];

	snprintf(words, sizeof(words),
		 "blocked_us=%" PRIu64 " runnable_us=%" PRIu64 " user\n", us, us);
	if (!write_setting(fd, words))
		return 0;
	if (errno != EOPNOTSUPP)
		return -1;
	snprintf(words, sizeof(words), "blocked_us=%" PRIu64 " user\n", us);
	return write_setting(fd, words);
}

/* Arm trace/stacks, with LOCK_CHANGE held; return 0, or -1 with errno. */
static int hold_stacks(struct events_hold *hold, const struct events_wish *wish)
{
	char setting[STACKS_MAX_BYTES] = "";
	ssize_t len;

	if (lseek(hold->stacks_fd, 0, SEEK_SET))
		return -1;
	len = read(hold->stacks_fd, setting, sizeof(setting) - 1);
	if (len < 0)
		return -1;
	setting[strcspn(setting, "\n")] = '\0';
	if (strcmp(setting, "none")) {
		fprintf(stderr, "vitrine: trace/stacks is already set, and stays so: %s\n",
			setting);
		/* A setting of the user is left alone. */
		if (!is_held(hold->stacks_fd, LOCK_STACKS))
			return 0;
	}
	if (restorer_announce(&hold->restorer, STACKS) ||
	    (!strcmp(setting, "none") && write_threshold(hold->stacks_fd, wish->threshold_us)))
		return -1;
	return lock_byte(hold->stacks_fd, F_OFD_SETLK, F_RDLCK, LOCK_STACKS,
			 NULL);
}

static void restore_stacks(int fd)
{
	lock_byte(fd, F_OFD_SETLKW, F_WRLCK, LOCK_CHANGE, NULL);
	lock_byte(fd, F_OFD_SETLK, F_UNLCK, LOCK_STACKS, NULL);
	if (!is_held(fd, LOCK_STACKS))
		write_setting(fd, "none\n");
	lock_byte(fd, F_OFD_SETLK, F_UNLCK, LOCK_CHANGE, NULL);
}

/* ---- Begin and end ------------------------------------------------------ */

/* In the restorer: @setting is STACKS or the name of a category. */
static void restore(void *ctx, const char *setting)
{
	const struct events_hold *hold = ctx;

	if (!strcmp(setting, STACKS))
		restore_stacks(hold->stacks_fd);
	else
		restore_category(hold->fd, setting);
}

/* Open a file of the module; on failure, store the reason for events_hold(). */
static int open_file(struct events_hold *hold, const char *name)
{
	char *path = debugfs_path(name, "");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0) {
		hold->code = path ? errno : ENOMEM;
		hold->blamed = name;
	}
	free(path);
	return fd;
}

static struct vitrine_error *explain(int code, const char *name)
{
	char *path = debugfs_path(name, "");
	struct vitrine_error *err;

	if (!path)
		return vtr_error_no_memory();
	err = debugfs_explain(code, path);
	free(path);
	return err;
}

/**
 * events_prepare() - open the files, and start the process that restores the settings
 * @hold: for events_hold(), which reports errors
 * @stacks: stacks of long waits are to be recorded
 *
 * Called before the rings are opened, because the process must not inherit them.
 */
void events_prepare(struct events_hold *hold, bool stacks)
{
	hold->fd = open_file(hold, EVENTS);
	if (hold->fd >= 0 && stacks)
		hold->stacks_fd = open_file(hold, STACKS);
	if (hold->code || !restorer_start(&hold->restorer, restore, hold))
		return;
	hold->code = errno;
	hold->blamed = EVENTS;
}

/* Call @change() with LOCK_CHANGE of the file held. */
static struct vitrine_error *hold_setting(struct events_hold *hold, int fd,
					  const char *name,
					  int (*change)(struct events_hold *hold,
							const struct events_wish *wish),
					  const struct events_wish *wish)
{
	char *path = debugfs_path(name, "");
	struct vitrine_error *err = NULL;

	if (!path)
		return vtr_error_no_memory();
	if (lock_byte(fd, F_OFD_SETLKW, F_WRLCK, LOCK_CHANGE, NULL) ||
	    change(hold, wish))
		err = vtr_error_os(errno, path, "cannot change this setting");
	lock_byte(fd, F_OFD_SETLK, F_UNLCK, LOCK_CHANGE, NULL);
	free(path);
	return err;
}

/**
 * events_hold() - enable categories that are off, and stacks of long waits
 * @hold: after events_prepare()
 * @wish: what is to be recorded
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *events_hold(struct events_hold *hold,
				  const struct events_wish *wish)
{
	struct vitrine_error *err;

	if (hold->code)
		err = explain(hold->code, hold->blamed);
	else
		err = hold_setting(hold, hold->fd, EVENTS, hold_categories,
				   wish);
	if (!err && hold->stacks_fd >= 0)
		err = hold_setting(hold, hold->stacks_fd, STACKS, hold_stacks,
				   wish);
	if (err)
		events_release(hold);
	return err;
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/**
 * events_release() - restore the settings, unless another recorder needs them
 * @hold: a second call does nothing
 */
void events_release(struct events_hold *hold)
{
	restorer_finish(&hold->restorer);
	close_file(&hold->fd);
	close_file(&hold->stacks_fd);
}
