// SPDX-License-Identifier: GPL-2.0
/*
 * Enable categories of trace/events, and stacks of long waits, and arm a trigger, for the
 * time of a recording. A process restores the settings when the recording ends.
 *
 * Several recorders may run at once, and the last one to end restores the setting.
 * They coordinate by open file description locks on the files, which are released when a
 * recorder and its restorer have ended, whatever ended them: LOCK_CHANGE is held
 * exclusively while a setting is read and written; use_lock() of a category, or
 * LOCK_STACKS of trace/stacks, is shared by all recorders that need it. A category
 * that was on before the first recorder began is never switched off, and trace/stacks gets the
 * setting that the module was loaded with. If two categories hash to the same lock, one of them
 * stays enabled for longer.
 *
 * Only one recorder can arm the trigger, and only if nothing but a panic is waited for:
 * the rings are frozen when it fires.
 */
#define _GNU_SOURCE	/* pipe2(), F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "recording.h"

/* The byte of a file that is locked while its setting changes. */
#define LOCK_CHANGE	0

/* The byte of trace/stacks that is locked while a recorder needs the stacks. */
#define LOCK_STACKS	1

#define EVENTS		"trace/events"
#define STACKS		"trace/stacks"
#define STACKS_PARAMETER "/sys/module/vitrine/parameters/stacks"
#define TRIGGER		"trace/trigger"

/* Maximum length of a setting that is understood. */
#define SETTING_MAX_BYTES	4096

struct events_wish events_wish;

/* trace/events, trace/stacks and trace/trigger, or -1. */
static int events_fd = -1, stacks_fd = -1, trigger_fd = -1;

/* trace/stacks was set by events_hold(), not by the user. */
static bool has_stacks;

/* With a trigger, the words that were written to it. */
static char trigger_words[128];

/* What failed in events_prepare(), or NULL. */
static struct vitrine_error *failure;

/* The process that restores the settings. */
static struct restorer restorer;

/* ---- The process that restores ----------------------------------------- */

/* Survive ^C, the end of the terminal, and a stopping service, which end the recorder. */
static void detach(void)
{
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* A reader of the recorder's output does not wait for this process. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

static void __attribute__((noreturn))
run(int fd, void (*restore)(const char *setting))
{
	FILE *announced = fdopen(fd, "r");
	char *settings = NULL, *end, *before;
	size_t size = 0;

	if (!announced || getdelim(&settings, &size, '\0', announced) < 0)
		_exit(0);
	/* One a line: from the last one on. */
	while ((end = strrchr(settings, '\n'))) {
		*end = '\0';
		before = strrchr(settings, '\n');
		restore(before ? before + 1 : settings);
	}
	_exit(0);
}

/**
 * restorer_start() - fork the process
 * @process: the process
 * @restore: called in the process for each announced setting, last one first; the files that it
 *	uses are open already
 *
 * Return: 0, or -1 with errno.
 */
int restorer_start(struct restorer *process, void (*restore)(const char *setting))
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	process->pid = fork();
	if (!process->pid) {
		close(fds[1]);
		detach();
		run(fds[0], restore);
	}
	notes_add(process->pid, "recorder");
	close(fds[0]);
	process->announce_fd = fds[1];
	if (process->pid > 0)
		return 0;
	process->pid = 0;
	close(fds[1]);
	return -1;
}

/**
 * restorer_announce() - announce that a setting is about to be changed
 * @process: the process
 * @setting: one line, which @restore understands
 *
 * Return: 0, or -1 with errno: the setting must not be changed.
 */
int restorer_announce(const struct restorer *process, const char *setting)
{
	return dprintf(process->announce_fd, "%s\n", setting) < 0 ? -1 : 0;
}

/**
 * restorer_finish() - restore all settings that were announced
 * @process: the process, which has ended afterwards; a second call does nothing
 */
void restorer_finish(struct restorer *process)
{
	if (!process->pid)
		return;
	close(process->announce_fd);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
		;
	process->pid = 0;
}

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

/* Wait until no other recorder changes the setting of a file. Returns 0, or -1 with errno. */
static int lock_change(int fd)
{
	return lock_byte(fd, F_OFD_SETLKW, F_WRLCK, LOCK_CHANGE, NULL);
}

static void unlock(int fd, off_t byte)
{
	lock_byte(fd, F_OFD_SETLK, F_UNLCK, byte, NULL);
}

static int write_setting(int fd, const char *words)
{
	ssize_t len = strlen(words);

	/* These files do not support pwrite(). */
	return !lseek(fd, 0, SEEK_SET) && write(fd, words, len) == len ? 0 : -1;
}

/* Return a setting of one line, valid until the next call; NULL with errno. */
static const char *read_setting(int fd)
{
	static char line[SETTING_MAX_BYTES];
	ssize_t len = lseek(fd, 0, SEEK_SET) ? -1 : read(fd, line, sizeof(line) - 1);

	if (len < 0)
		return NULL;
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static int switch_category(int fd, const char *category)
{
	autofree char *word = must_format("+%s\n", category);

	return write_setting(fd, word);
}

/* Restore a setting unless another recorder needs it, which has the lock @use; free @words. */
static void restore(int fd, off_t use, char *words)
{
	lock_change(fd);
	unlock(fd, use);
	if (!is_held(fd, use))
		write_setting(fd, words);
	unlock(fd, LOCK_CHANGE);
	free(words);
}

/* ---- Categories --------------------------------------------------------- */

/* Return whether the recording ends with an event of the category. */
static bool is_awaited(const char *category)
{
	const char *name = events_wish.until ? text_after(events_wish.until, category) : NULL;

	return name && (!*name || *name == ':');
}

/* Categories that explain waits, besides stacks: interrupts and requests to disks. */
static bool is_wanted(const char *category)
{
	const bool is_why = events_wish.set == EVENTS_WHY;

	if (events_wish.set == EVENTS_ALL || is_awaited(category))
		return true;
	if (!strcmp(category, "sched"))
		return events_wish.set != EVENTS_NONE;
	return is_why && (!strcmp(category, "irq") || !strcmp(category, "block") ||
			  !strcmp(category, "marker"));
}

/* This kernel may lack the tracepoints of the other categories. */
static bool is_indispensable(const char *category)
{
	return is_awaited(category) ||
	       (events_wish.set != EVENTS_ALL && !strcmp(category, "sched"));
}

/* Enable the category of a line, with LOCK_CHANGE held; return 0, or -1 with errno. */
static int hold_category(const char *line)
{
	const char *category = line + 1;
	off_t use = use_lock(category);
	bool on = *line == '+';

	/* A category that the user has enabled is left alone. */
	if (on && !is_held(events_fd, use))
		return 0;
	if (restorer_announce(&restorer, category) ||
	    (!on && switch_category(events_fd, category)))
		return -1;
	return lock_byte(events_fd, F_OFD_SETLK, F_RDLCK, use, NULL);
}

/**
 * events_read() - read trace/events
 *
 * Return: its text, to be freed; NULL with errno.
 */
char *events_read(void)
{
	autofree char *path = debugfs_path(EVENTS);

	return read_file(path);
}

/**
 * events_next() - take the next line off the text of trace/events
 * @text: rest of the text, which is changed
 *
 * Return: "+CATEGORY" or "-CATEGORY", without a filter; NULL at the end.
 */
char *events_next(char **text)
{
	char *line = next_line(text);

	if (line)
		line[strcspn(line, ":")] = '\0';
	return line;
}

/* Enable the categories, with LOCK_CHANGE held; return 0, or -1 with errno. */
static int hold_categories(void)
{
	autofree char *text = events_read();
	bool any = events_wish.set == EVENTS_ALL || events_wish.set == EVENTS_NONE;
	char *rest = text, *line;

	if (!text)
		return -1;
	while ((line = events_next(&rest))) {
		if (!is_wanted(line + 1))
			continue;
		any = true;
		if (hold_category(line) &&
		    (errno != ENOENT || is_indispensable(line + 1)))
			return -1;
	}
	if (any)
		return 0;
	errno = EINVAL;
	return -1;
}

/**
 * events_has_category() - check whether a name is a category of trace/events
 * @name: the name
 *
 * Return: true if it is; false if it is not, or if the file cannot be read.
 */
bool events_has_category(const char *name)
{
	autofree char *text = events_read();
	char *rest = text, *line;

	while ((line = events_next(&rest)))
		if (!strcmp(line + 1, name))
			return true;
	return false;
}

/* ---- Stacks ------------------------------------------------------------- */

/* Samples of the running threads of each CPU a second: no multiple of a common period. */
#define SAMPLE_HZ	" sample_hz=99"

/*
 * Record waits of this length, with LOCK_CHANGE held; also those of kernel threads, which a program
 * may wait for. Not every kernel has user stacks.
 */
static int write_threshold(void)
{
	static const char * const user[] = { " user=memory", "" };
	char words[128];
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(user); i++) {
		snprintf(words, sizeof(words), "blocked_us=%" PRIu64 SAMPLE_HZ " kthreads%s\n",
			 events_wish.threshold_us, user[i]);
		if (!write_setting(stacks_fd, words))
			return 0;
		if (errno != EOPNOTSUPP)
			break;
	}
	return -1;
}

/*
 * Read what trace/stacks was set to when the module was loaded, as by the flight recorder's
 * service: recordings replace this setting, and restore it. Returns its line, to be freed.
 */
static char *read_loaded_stacks(void)
{
	char *setting = read_file(STACKS_PARAMETER), *at;

	if (!setting)
		return must_format("none\n");
	for (at = setting; *at; at++)
		if (*at == '+')
			*at = ' ';
	return setting;
}

/* Arm trace/stacks, with LOCK_CHANGE held; return 0, or -1 with errno. */
static int hold_stacks(void)
{
	autofree char *loaded = read_loaded_stacks();
	const char *setting = read_setting(stacks_fd);
	bool is_free;

	if (!setting)
		return -1;
	loaded[strcspn(loaded, "\n")] = '\0';
	is_free = !strcmp(setting, "none") || !strcmp(setting, loaded);
	if (!is_free) {
		fprintf(stderr, "vitrine: trace/stacks is already set and is not changed: %s\n",
			setting);
		/* A setting of the user is left alone. */
		if (!is_held(stacks_fd, LOCK_STACKS))
			return 0;
	}
	if (restorer_announce(&restorer, STACKS) ||
	    (is_free && write_threshold()))
		return -1;
	has_stacks = true;
	return lock_byte(stacks_fd, F_OFD_SETLK, F_RDLCK, LOCK_STACKS, NULL);
}

/**
 * events_still() - record the threads that are still blocked, before the last records are read
 *
 * A kernel module that does not know the word refuses it, and nothing is recorded.
 */
void events_still(void)
{
	if (has_stacks)
		write_setting(stacks_fd, "still\n");
}

/* ---- The trigger -------------------------------------------------------- */

/* Make an error about a trigger that the user, or another recorder, has armed. */
static struct vitrine_error *trigger_in_use(const char *path, const char *line)
{
	char advice[PATH_MAX + 64];

	snprintf(advice, sizeof(advice), "if nobody waits for it, run `echo panic > %s' as root",
		 path);
	return make_error(EBUSY, path, advice, "--until needs the trigger, which is in use: %s",
			  line);
}

static struct vitrine_error *explain_trigger(int code, const char *path)
{
	if (code == EINVAL)
		return make_error(code, path, "`vitrine list --events' lists the categories first",
				  "--until %s: no such category, or too long a name",
				  events_wish.until);
	return vtr_error_os(code, path, "cannot change this setting");
}

/* Arm the trigger besides that for a panic, with LOCK_CHANGE held. */
static struct vitrine_error *arm(const char *path)
{
	const char *line = read_setting(trigger_fd), *before = "";
	char setting[sizeof(TRIGGER) + sizeof(trigger_words)];

	if (!line)
		return vtr_error_os(errno, path, "cannot read this setting");
	if (!strcmp(line, "armed panic"))
		before = " panic";
	else if (strcmp(line, "none"))
		return trigger_in_use(path, line);
	snprintf(trigger_words, sizeof(trigger_words), "event=%s%s", events_wish.until,
		 before);
	snprintf(setting, sizeof(setting), TRIGGER " %s", trigger_words);
	if (restorer_announce(&restorer, setting) ||
	    write_setting(trigger_fd, trigger_words))
		return explain_trigger(errno, path);
	return NULL;
}

/**
 * events_arm() - arm the trigger, after events_hold() of a wish with a trigger
 * @ret_fd: receives its file, which is ready when it has fired
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *events_arm(int *ret_fd)
{
	autofree char *path = debugfs_path(TRIGGER);
	struct vitrine_error *err;

	err = lock_change(trigger_fd) ? vtr_error_os(errno, path, "cannot lock this file") :
					arm(path);
	unlock(trigger_fd, LOCK_CHANGE);
	*ret_fd = trigger_fd;
	return err;
}

static bool is_armed(const char *line, const char *words)
{
	const char *armed = text_after(line, "armed ");

	return armed && !strcmp(armed, words);
}

static bool has_fired(const char *line)
{
	return text_after(line, "fired event ");
}

/* Go back to what was armed before @words, unless the user has changed that meanwhile. */
static void restore_trigger(int fd, const char *words)
{
	const char *before = strchr(words, ' '), *line;

	lock_change(fd);
	line = read_setting(fd);
	if (line && (is_armed(line, words) || has_fired(line)))
		write_setting(fd, before ? before + 1 : "none");
	unlock(fd, LOCK_CHANGE);
}

/**
 * events_fired() - check whether the trigger of events_arm() has fired
 * @ret_fired: the rings are frozen
 *
 * Return: NULL, or an error: somebody has disarmed the trigger, or another one has fired.
 */
struct vitrine_error *events_fired(bool *ret_fired)
{
	autofree char *path = debugfs_path(TRIGGER);
	const char *line = read_setting(trigger_fd) ?: strerror(errno);

	*ret_fired = has_fired(line);
	/* The file is also ready if recording is switched off, and perhaps on again. */
	if (*ret_fired || is_armed(line, trigger_words))
		return NULL;
	return make_error(EBUSY, path, NULL, "the trigger of --until is no longer armed: %s", line);
}

/* ---- Begin and end ------------------------------------------------------ */

/* In the restorer: @setting is STACKS, TRIGGER with its words, or the name of a category. */
static void restore_setting(const char *setting)
{
	const char *trigger = text_after(setting, TRIGGER " ");

	if (!strcmp(setting, STACKS))
		restore(stacks_fd, LOCK_STACKS, read_loaded_stacks());
	else if (trigger)
		restore_trigger(trigger_fd, trigger);
	else
		restore(events_fd, use_lock(setting), must_format("-%s\n", setting));
}

/* Open a file of the module, unless another one could not be opened. */
static int open_file(const char *name)
{
	autofree char *path = debugfs_path(name);
	int fd = failure ? -1 : open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && !failure)
		failure = debugfs_explain(errno, path);
	return fd;
}

/**
 * events_prepare() - open the files, and start the process that restores the settings
 *
 * Called before the rings are opened, because the process must not inherit them. events_hold()
 * reports errors.
 */
void events_prepare(void)
{
	autofree char *path = debugfs_path(EVENTS);

	events_fd = open_file(EVENTS);
	if (events_wish.stacks)
		stacks_fd = open_file(STACKS);
	if (events_wish.until)
		trigger_fd = open_file(TRIGGER);
	if (!failure && restorer_start(&restorer, restore_setting))
		failure = debugfs_explain(errno, path);
}

/* Call @change() with LOCK_CHANGE of the file held. */
static struct vitrine_error *hold_setting(int fd, const char *name, int (*change)(void))
{
	autofree char *path = debugfs_path(name);
	struct vitrine_error *err = NULL;

	if (lock_change(fd) || change())
		err = vtr_error_os(errno, path, "cannot change this setting");
	unlock(fd, LOCK_CHANGE);
	return err;
}

/**
 * events_hold() - enable categories that are off and stacks of long waits, after events_prepare()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *events_hold(void)
{
	struct vitrine_error *err =
		failure ?: hold_setting(events_fd, EVENTS, hold_categories);

	failure = NULL;
	if (!err && stacks_fd >= 0)
		err = hold_setting(stacks_fd, STACKS, hold_stacks);
	if (err)
		events_release();
	return err;
}

/**
 * close_file() - close a file if it is open
 * @fd: its descriptor, or -1, which it is afterwards
 */
void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/**
 * events_release() - restore the settings, unless another recorder needs them
 *
 * A second call does nothing.
 */
void events_release(void)
{
	vitrine_error_destroy(failure);
	failure = NULL;
	restorer_finish(&restorer);
	close_file(&events_fd);
	close_file(&stacks_fd);
	close_file(&trigger_fd);
}
