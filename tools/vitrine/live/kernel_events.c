// SPDX-License-Identifier: GPL-2.0
/*
 * Record events of ftrace into the trace. An instance of tracefs, which no other tracer
 * uses, has the events enabled; the helper read-tracefs converts them to sub-buffers, which
 * are written among those of the rings.
 *
 * The instance uses the clock of the session. If ftrace does not have it, which is the case
 * for the counter of arm64, the instance uses CLOCK_MONOTONIC and the helper converts it.
 *
 * The restorer removes the instance and the probes at the end, whatever ends the recorder.
 * An instance cannot be removed while the helper has its files open, so the restorer waits
 * until the helper has closed its end of the socket.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "formats/rewrite.h"
#include "helpers.h"
#include "ring.h"
#include "vitrine.h"
#include "recording.h"

#define INSTANCES	"/instances"

#define TRACEFS_NAME_BYTES	32

/* How long and how often to wait while files of an instance are open. */
#define BUSY_NS		10000000
#define BUSY_TRIES	1000

/* Longest name of an event, with its 0; the kernel's limit is 64. */
#define NAME_BYTES	56

#define KPROBE		TRACEFS_KPROBE ":"
#define UPROBE		TRACEFS_UPROBE ":"

struct kernel_events kernel_events;

/* Where tracefs is mounted, or NULL. */
static const char *mount;

/* Name of the instance; its probes are in groups whose names begin with it and "_". */
static char instance_name[TRACEFS_NAME_BYTES];

/* Its directory, NULL before it exists; locked as long as the recorder or its restorer lives. */
static char *instance;
static int lock_fd = -1;

/* The process that removes the instance and the probes. */
static struct restorer restorer;

/* The helper that reads the instance, once it has been started and until it is waited for. */
static struct helper_run helper;
static bool is_running;

/* Socket to the helper; its end in the helper, or -1. */
static int control[2] = { -1, -1 };

/* A newline, and "SYSTEM:EVENT" lines of all events that are enabled. */
static struct text names;

/* How much of a sub-buffer has been read. */
static size_t nr_subbuf;

/* ---- Instances and their probes ---------------------------------------- */

/*
 * The owner of an instance is alive as long as the directory of the instance is locked; the
 * kernel releases the lock when the recorder and its restorer have ended, whatever ended
 * them. An instance without a lock, and a probe without an instance, is what a crash left
 * behind. The directory of all instances is locked while one is created, or removed with its
 * probes, so that nobody finds an instance before its lock, or probes after their instance.
 */

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

/* Find out why a file of tracefs cannot be used. Returns an error with advice, never NULL. */
static struct vitrine_error *tracefs_explain(int code, const char *path)
{
	if (code == EACCES)
		return make_error(code, path, "run as root", "permission denied");
	if (code == EPERM)
		return make_error(code, path, "the kernel may be locked down: record without -e",
				  "operation not permitted");
	return vtr_error_os(code, path, NULL);
}

/* Read a file of tracefs. Returns its text, to be freed; NULL with errno. */
static char *tracefs_read(const char *directory, const char *file)
{
	autofree char *path = must_format("%s/%s", directory, file);

	return read_file(path);
}

/* Write to a file of tracefs. Returns NULL, or an error. */
static struct vitrine_error *tracefs_write(const char *directory, const char *file,
					   const char *text)
{
	autofree char *path = must_format("%s/%s", directory, file);
	int code = write_file(path, text);

	return code ? tracefs_explain(code, path) : NULL;
}

/* Find out whether a file of tracefs exists. Returns true if it exists. */
static bool tracefs_has(const char *file)
{
	autofree char *path = must_format("%s/%s", mount, file);

	return !access(path, F_OK);
}

/* ---- Instances ---------------------------------------------------------- */

static char *instance_path(const char *name)
{
	return must_format("%s" INSTANCES "/%s", mount, name);
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
static int lock_all(void)
{
	autofree char *path = instance_path("");

	return open_locked(path, LOCK_EX);
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
	autofree char *command = must_format("-%.*s\n", (int)strcspn(name, "\n "), name);

	write_file(path, command);
}

/* Remove the probes of one file whose instance does not exist, with the lock held. */
static void remove_probes_in(const char *file)
{
	autofree char *path = must_format("%s/%s", mount, file), *text = read_file(path);
	char owner[TRACEFS_NAME_BYTES], *line, *rest = text;

	while ((line = next_line(&rest))) {
		autofree char *directory = owner_of(line, owner) ? instance_path(owner) : NULL;

		if (directory && access(directory, F_OK))
			remove_probe(path, line);
	}
}

static void remove_probes(void)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(probe_files); i++)
		remove_probes_in(probe_files[i]);
}

/* Remove an instance whose owner has ended, with the lock held. */
static void remove_if_left(const char *name)
{
	autofree char *path = instance_path(name);
	int fd = open_locked(path, LOCK_EX | LOCK_NB);

	if (fd >= 0) {
		close(fd);
		rmdir(path);
	}
}

/*
 * Remove the instances and probes that a crash has left behind.
 *
 * Instances and probes that another process has open stay until the next call.
 */
static void tracefs_clean(void)
{
	autofree char *path = instance_path("");
	const struct dirent *entry;
	int fd = lock_all();
	unsigned int pid;
	char rest;
	DIR *dir;

	if (fd < 0)
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, TRACEFS_PREFIX "%u%c", &pid, &rest) == 1)
			remove_if_left(entry->d_name);
	if (dir)
		closedir(dir);
	remove_probes();
	close(fd);
}

/* Remove the instance and its probes. */
static void tracefs_remove(void)
{
	const struct timespec pause = { 0, BUSY_NS };
	int fd = lock_all();
	unsigned int i;

	/* A process that was killed closes its files one after the other. */
	for (i = 0; rmdir(instance) && errno == EBUSY && i < BUSY_TRIES; i++)
		nanosleep(&pause, NULL);
	remove_probes();
	if (fd >= 0)
		close(fd);
}

/* Create the instance of this process, which records nothing yet. */
static void tracefs_create(void)
{
	int fd, code;

	snprintf(instance_name, sizeof(instance_name), TRACEFS_PREFIX "%u", getpid());
	instance = instance_path(instance_name);
	fd = lock_all();
	if (fd < 0 || mkdir(instance, 0700))
		must(tracefs_explain(errno, instance));
	lock_fd = open_locked(instance, LOCK_EX | LOCK_NB);
	code = errno;
	if (lock_fd < 0) {
		rmdir(instance);
		must(tracefs_explain(code, instance));
	}
	close(fd);
	must(tracefs_write(instance, "tracing_on", "0"));
}

/* Find out where tracefs is mounted. */
static struct vitrine_error *find_mount(void)
{
	struct statfs fs;
	size_t i;

	for (i = 0; i < ARRAY_LEN(mounts); i++) {
		if (statfs(mounts[i], &fs)) {
			if (errno == EACCES)
				return tracefs_explain(errno, mounts[i]);
			continue;
		}
		if (fs.f_type != TRACEFS_MAGIC)
			continue;
		mount = mounts[i];
		return NULL;
	}
	return make_error(ENOENT, mounts[0],
			  "run `mount -t tracefs none /sys/kernel/tracing' as root",
			  "tracefs is not mounted");
}

/**
 * kernel_events_names() - read the names of all events of ftrace
 * @ret: a line for each, to be freed
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_names(char **ret)
{
	struct vitrine_error *err = find_mount();

	if (err)
		return err;
	*ret = tracefs_read(mount, "available_events");
	return *ret ? NULL : tracefs_explain(errno, mount);
}

static const struct helper reader = {
	.name = "read-tracefs",
	.library = "libtraceevent",
	.purpose = "recording events of ftrace (-e)",
	.install = "install the package vitrine-tools; to build it, see README",
	.advice = "record fewer events with -e to find out which one it is",
};

/* ---- The instance ------------------------------------------------------- */

/* In the restorer: the recorder has ended, so the helper gets the end of its input. */
static void restore(const char *setting)
{
	char byte;

	close(control[1]);
	shutdown(control[0], SHUT_WR);
	while (read(control[0], &byte, 1) > 0)
		;
	tracefs_remove();
}

/* Find the clock of ftrace that is that of the session. */
static const char *clock_name(const char *clocks, unsigned int clock, bool *ret_is_converted)
{
	*ret_is_converted = false;
	switch (clock) {
	case VITRINE_CLOCK_LOCAL:
		return "perf";
	case VITRINE_CLOCK_BOOT:
		return "boot";
	case VITRINE_CLOCK_COUNTER:
		if (strstr(clocks, "x86-tsc"))
			return "x86-tsc";
		*ret_is_converted = true;
		return "mono";
	default:
		return "mono";
	}
}

/* Set the clock of the instance, and tell the helper about the session. */
static void set_clock(const struct vitrine_ring *ring)
{
	autofree char *clocks = tracefs_read(instance, "trace_clock");
	uint64_t ticks_per_second;
	bool is_converted;
	unsigned int clock;

	if (!clocks)
		must(tracefs_explain(errno, instance));
	clock = vtr_ring_clock(ring, &ticks_per_second);
	must(tracefs_write(instance, "trace_clock",
			   clock_name(clocks, clock, &is_converted)));
	dprintf(control[0], "%u %" PRIu64 " %u %u\n", clock, ticks_per_second,
		vitrine_ring_session(ring), is_converted);
}

/* ---- Events ------------------------------------------------------------- */

/* Explain why a filter was refused; the kernel writes the reason to the file. */
static struct vitrine_error *explain_filter(const char *directory, const char *filter,
					    const char *event)
{
	autofree char *text = tracefs_read(directory, "filter");
	const char *reason = text ? strstr(text, "parse_error: ") : NULL;

	if (reason)
		reason += strlen("parse_error: ");
	return make_error(EINVAL, NULL, "the fields are in events/SYSTEM/EVENT/format of tracefs",
			  "--filter '%s' for %s: %.*s", filter, event,
			  reason ? (int)strcspn(reason, "\n") : 11,
			  reason ? reason : "not a filter");
}

/* Enable an event, which the helper is to read; the name is passed to the helper once. */
static void enable_event(const char *event, const char *filter)
{
	const char *name = strchr(event, ':') + 1;
	autofree char *line = must_format("\n%s\n", event);
	autofree char *directory = must_format("%s/events/%.*s/%s", instance,
					       (int)(name - 1 - event), event, name);
	struct vitrine_error *err = NULL;

	if (!strstr(names.bytes, line))
		text_add_string(&names, line + 1);
	if (filter)
		err = tracefs_write(directory, "filter", filter);
	if (err && err->code == EINVAL)
		must(explain_filter(directory, filter, event));
	must(err);
	must(tracefs_write(directory, "enable", "1"));
}

/* ---- Probes ------------------------------------------------------------ */

/*
 * Each probe is in a group of the recording's instance, by which it is found and removed.
 */

/* Make the name of an event from that of a function. */
static void make_name(char name[NAME_BYTES], const char *function)
{
	char *at;

	snprintf(name, NAME_BYTES, "%s%s", isdigit((unsigned char)*function) ? "_" : "", function);
	for (at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
}

static bool is_taken(const char *type, const char *name)
{
	autofree char *path = must_format("events/%s_%s/%s", instance_name, type, name);

	return tracefs_has(path);
}

/* Add a probe at a place, in which there is no space, and enable its event. */
static void add_probe(const struct kernel_event_wish *wish, const char *type,
		      const char *function, const char *place)
{
	autofree char *file = must_format("%s_events", type), *command = NULL, *event = NULL;
	struct vitrine_error *err;
	char name[NAME_BYTES + 8];

	if (!tracefs_has(file))
		must(make_error(EOPNOTSUPP, NULL, NULL, "this kernel has no %ss", type));
	make_name(name, function);
	if (is_taken(type, name))
		sprintf(name + strlen(name), "_%u",
			(unsigned int)(wish - kernel_events.wishes) + 1);
	command = must_format("p:%s_%s/%s %s\n", instance_name, type, name, place);
	event = must_format("%s_%s:%s", instance_name, type, name);
	err = tracefs_write(mount, file, command);
	if (err && place == function &&
	    (err->code == ENOENT || err->code == EINVAL || err->code == EILSEQ))
		must(make_error(ENOENT, NULL,
				"see /proc/kallsyms; some functions must not be probed",
				"-e %s: the kernel cannot probe such a function", wish->event));
	must(err);
	enable_event(event, wish->filter);
}

static void check_form(bool is_good, const char *event, const char *form)
{
	if (!is_good)
		must(make_error(EINVAL, NULL, NULL, "-e %s: not of the form %s", event, form));
}

static void add_kprobe(const struct kernel_event_wish *wish, const char *function)
{
	check_form(*function && !strpbrk(function, " \t\n;"), wish->event, "kprobe:FUNCTION");
	add_probe(wish, TRACEFS_KPROBE, function, function);
}

/* Look up a function in a program or library, as tools/dwarf/main.c describes. */
static uint64_t find_function(const char *path, const char *name)
{
	FILE *question = finder_scratch(), *answer = finder_scratch();
	uint64_t offset;
	int nr;

	if (question)
		fprintf(question, "function %s %s\n", path, name);
	must(finder_run(question, answer));
	nr = fscanf(answer, "%" SCNx64, &offset);
	if (!nr)
		must(make_error(ENOENT, path, "`nm' and `nm -D' list its symbols",
				"it has no symbol of a function %s", name));
	if (nr < 0)
		must(make_error(ENOEXEC, path, NULL,
				"not a 64-bit program or library of this machine"));
	fclose(question);
	fclose(answer);
	return offset;
}

static void check_program(const char *path)
{
	struct stat status;

	if (access(path, R_OK) || stat(path, &status))
		must(vtr_error_open(errno, path));
	if (!S_ISREG(status.st_mode) || !status.st_size)
		must(make_error(ENOEXEC, path, NULL, "not a program or library"));
}

static void add_uprobe(const struct kernel_event_wish *wish, const char *file)
{
	autofree char *given = NULL, *path = NULL, *place = NULL;
	const char *function = strrchr(file, ':');

	check_form(function && function != file && function[1], wish->event,
		   "uprobe:FILE:FUNCTION");
	given = must_format("%.*s", (int)(function++ - file), file);
	path = realpath(given, NULL);
	if (!path)
		must(vtr_error_open(errno, given));
	if (strpbrk(path, " \t\n;"))
		must(make_error(EINVAL, path, "make a link to it elsewhere",
				"the kernel takes no path with a space here"));
	check_program(path);
	place = must_format("%s:0x%" PRIx64, path, find_function(path, function));
	add_probe(wish, TRACEFS_UPROBE, function, place);
}

/* ---- All of them --------------------------------------------------------- */

/* Make an error about an event that ftrace does not have. */
static struct vitrine_error *no_event(const struct kernel_event_wish *wish,
				      const struct nearest *nearest)
{
	char advice[NEAREST_BYTES + 64] = "see `vitrine list --events'";
	char system[NEAREST_BYTES], hint[NEAREST_BYTES + 64] = "";

	snprintf(system, sizeof(system), "%.*s", (int)strcspn(wish->event, ":"), wish->event);
	if (events_has_category(system)) {
		snprintf(hint, sizeof(hint),
			 "; %s is also a category of trace/events, recorded as a whole", system);
		snprintf(advice, sizeof(advice), "write `+%s' to trace/events before", system);
	}
	if (nearest->best[0])
		snprintf(advice, sizeof(advice), "the nearest name is \"%s\"", nearest->best);
	return make_error(ENOENT, NULL, advice, "-e %s: ftrace has no such event%s", wish->event,
			  hint);
}

/* Enable the events that match; there must be one. */
static void enable_matching(const struct kernel_event_wish *wish)
{
	autofree char *available = NULL;
	char *rest, *event;
	unsigned int nr_found = 0;
	struct nearest nearest;

	must(kernel_events_names(&available));
	rest = available;
	nearest_init(&nearest, wish->event, strlen(wish->event));
	while ((event = next_line(&rest))) {
		if (fnmatch(wish->event, event, 0)) {
			nearest_offer(&nearest, event, strlen(event));
			continue;
		}
		nr_found++;
		enable_event(event, wish->filter);
	}
	if (!nr_found)
		must(no_event(wish, &nearest));
}

static void enable_wish(const struct kernel_event_wish *wish)
{
	const char *function = text_after(wish->event, KPROBE);
	const char *file = text_after(wish->event, UPROBE);

	if (function)
		add_kprobe(wish, function);
	else if (file)
		add_uprobe(wish, file);
	else
		enable_matching(wish);
}

/**
 * kernel_events_prepare() - create the instance and enable the events in it
 *
 * Nothing is recorded before kernel_events_enable(). What a crash has left behind is
 * removed, even if there are no wishes. Called before the rings are opened, because the
 * restorer must not inherit them. An error ends the command, and atexit() calls
 * kernel_events_release().
 */
void kernel_events_prepare(void)
{
	struct vitrine_error *err;
	unsigned int i;

	err = find_mount();
	if (!err)
		tracefs_clean();
	if (!kernel_events.nr_wishes) {
		vitrine_error_destroy(err);
		return;
	}
	must(err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control))
		must(vtr_error_os(errno, NULL, "cannot start a process"));
	tracefs_create();
	if (restorer_start(&restorer, restore) || restorer_announce(&restorer, instance_name))
		must(vtr_error_os(errno, NULL, "cannot start a process"));
	text_add_string(&names, "\n");
	for (i = 0; i < kernel_events.nr_wishes; i++)
		enable_wish(&kernel_events.wishes[i]);
}

/* ---- The helper --------------------------------------------------------- */

/**
 * kernel_events_start() - start the helper; an error ends the command
 * @ring: a ring of the session
 *
 * If there are wishes, kernel_events.data_fd can be waited for.
 */
void kernel_events_start(const struct vitrine_ring *ring)
{
	int fds[2];

	if (!kernel_events.nr_wishes)
		return;
	set_clock(ring);
	if (pipe2(fds, O_CLOEXEC))
		must(vtr_error_os(errno, NULL, "cannot start a process"));
	must(helper_start(&reader, instance, control[1], fds[1], &helper));
	notes_add(helper.pid, "recorder");
	close(fds[1]);
	kernel_events.data_fd = fds[0];
	close_file(&control[1]);
	is_running = true;
	dprintf(control[0], "%s\n", names.bytes + 1);
}

/**
 * kernel_events_enable() - begin to record
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_enable(void)
{
	return kernel_events.nr_wishes ?
		       tracefs_write(instance, "tracing_on", "1") : NULL;
}

/* A sub-buffer, with room for the longest that the helper writes. */
static unsigned char subbuf_bytes[65536] __attribute__((aligned(8)));

/* Return up to which length the sub-buffer can be read; 0: it is malformed. */
static size_t known_len(void)
{
	struct vitrine_packet packet;

	if (nr_subbuf < VITRINE_PREAMBLE_BYTES)
		return VITRINE_PREAMBLE_BYTES;
	memcpy(&packet, subbuf_bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.committed_bytes > sizeof(subbuf_bytes) ||
	    packet.committed_bytes < nr_subbuf)
		return 0;
	return packet.committed_bytes;
}

static struct vitrine_error *end_helper(void)
{
	is_running = false;
	return helper_finish(&reader, instance, &helper);
}

/* Read once, and write the sub-buffer if it is complete. Set *@ret_end at the end. */
static struct vitrine_error *read_once(bool *ret_end)
{
	struct vitrine_subbuf subbuf = { .bytes = subbuf_bytes };
	struct vitrine_error *err;
	ssize_t len;

	do {
		len = read(kernel_events.data_fd, subbuf_bytes + nr_subbuf,
			   known_len() - nr_subbuf);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return vtr_error_os(errno, reader.name, "cannot read from it");
	*ret_end = !len;
	nr_subbuf += len;
	if (!known_len())
		return make_error(EBADMSG, reader.name, NULL, "it wrote a malformed sub-buffer");
	if (nr_subbuf < known_len())
		return NULL;
	subbuf.len_bytes = nr_subbuf;
	err = rotation_append(&subbuf);
	nr_subbuf = 0;
	return err;
}

/**
 * kernel_events_read() - append what the helper has written, if kernel_events.data_fd is readable
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_read(void)
{
	struct vitrine_error *err;
	bool end = false;

	err = read_once(&end);
	if (err || !end)
		return err;
	return end_helper() ?:
	       make_error(EPIPE, reader.name, NULL, "it ended before the recording did");
}

/**
 * kernel_events_finish() - stop recording, and append the rest
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_finish(void)
{
	struct vitrine_error *err;
	bool end = false;
	char text[64];
	ssize_t len;

	if (!is_running)
		return NULL;
	err = tracefs_write(instance, "tracing_on", "0");
	shutdown(control[0], SHUT_WR);
	while (!err && !end)
		err = read_once(&end);
	if (err)
		return err;
	err = end_helper();
	/* The restorer has the other end open, too, so there is no end to wait for. */
	len = recv(control[0], text, sizeof(text) - 1, MSG_DONTWAIT);
	text[len < 0 ? 0 : len] = '\0';
	if (!err && sscanf(text, "%" SCNu64 " %" SCNu64, &kernel_events.nr_records,
			   &kernel_events.nr_lost) != 2)
		return make_error(EPIPE, reader.name, NULL,
				  "it did not report how many events were lost");
	return err;
}

/**
 * kernel_events_release() - remove the instance and the probes
 *
 * A second call does nothing.
 */
void kernel_events_release(void)
{
	close_file(&kernel_events.data_fd);
	close_file(&control[1]);
	shutdown(control[0], SHUT_WR);
	if (is_running)
		vitrine_error_destroy(end_helper());
	if (restorer.pid)
		restorer_finish(&restorer);
	else if (lock_fd >= 0)
		tracefs_remove();
	close_file(&control[0]);
	close_file(&lock_fd);
	free(instance);
	instance = NULL;
	text_destroy(&names);
}
