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

/* How long and how often to wait while files of an instance are open. */
#define BUSY_NS		10000000
#define BUSY_TRIES	1000

/* Longest name of an event, with its 0; the kernel's limit is 64. */
#define NAME_BYTES	56

#define KPROBE		TRACEFS_KPROBE ":"
#define UPROBE		TRACEFS_UPROBE ":"

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
static bool tracefs_has(const struct tracefs *tracefs, const char *file)
{
	autofree char *path = must_format("%s/%s", tracefs->mount, file);

	return !access(path, F_OK);
}

/* ---- Instances ---------------------------------------------------------- */

static char *instance_path(const struct tracefs *tracefs, const char *name)
{
	return must_format("%s" INSTANCES "/%s", tracefs->mount, name);
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
	autofree char *path = instance_path(tracefs, "");

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
static void remove_probes_in(const struct tracefs *tracefs, const char *file)
{
	autofree char *path = must_format("%s/%s", tracefs->mount, file), *text = read_file(path);
	char owner[TRACEFS_NAME_BYTES], *line, *rest = text;

	while ((line = next_line(&rest))) {
		autofree char *instance = owner_of(line, owner) ?
					  instance_path(tracefs, owner) : NULL;

		if (instance && access(instance, F_OK))
			remove_probe(path, line);
	}
}

static void remove_probes(const struct tracefs *tracefs)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(probe_files); i++)
		remove_probes_in(tracefs, probe_files[i]);
}

/* Remove an instance whose owner has ended, with the lock held. */
static void remove_if_left(const struct tracefs *tracefs, const char *name)
{
	autofree char *path = instance_path(tracefs, name);
	int fd = open_locked(path, LOCK_EX | LOCK_NB);

	if (fd >= 0) {
		close(fd);
		rmdir(path);
	}
}

static void remove_left(const struct tracefs *tracefs)
{
	autofree char *path = instance_path(tracefs, "");
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned int pid;
	char rest;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, TRACEFS_PREFIX "%u%c", &pid, &rest) == 1)
			remove_if_left(tracefs, entry->d_name);
	if (dir)
		closedir(dir);
	remove_probes(tracefs);
}

/*
 * Remove the instances and probes that a crash has left behind.
 *
 * Instances and probes that another process has open stay until the next call.
 */
static void tracefs_clean(const struct tracefs *tracefs)
{
	int fd = lock_all(tracefs);

	if (fd < 0)
		return;
	remove_left(tracefs);
	close(fd);
}

/* Remove the instance and its probes. */
static void tracefs_remove(const struct tracefs *tracefs)
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

/* Create the instance of this process, which records nothing yet. */
static void tracefs_create(struct tracefs *tracefs)
{
	int fd, code;

	snprintf(tracefs->name, sizeof(tracefs->name), TRACEFS_PREFIX "%u", getpid());
	tracefs->instance = instance_path(tracefs, tracefs->name);
	fd = lock_all(tracefs);
	if (fd < 0 || mkdir(tracefs->instance, 0700))
		must(tracefs_explain(errno, tracefs->instance));
	tracefs->lock_fd = open_locked(tracefs->instance, LOCK_EX | LOCK_NB);
	code = errno;
	if (tracefs->lock_fd < 0) {
		rmdir(tracefs->instance);
		must(tracefs_explain(code, tracefs->instance));
	}
	close(fd);
	must(tracefs_write(tracefs->instance, "tracing_on", "0"));
}

/**
 * tracefs_open() - find out where tracefs is mounted
 * @tracefs: no instance yet
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *tracefs_open(struct tracefs *tracefs)
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
		tracefs->mount = mounts[i];
		return NULL;
	}
	return vitrine_error_create(ENOENT, mounts[0], VITRINE_NO_OFFSET,
				    "run `mount -t tracefs none /sys/kernel/tracing' as root",
				    "tracefs is not mounted");
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

static bool is_taken(const struct tracefs *tracefs, const char *type, const char *name)
{
	autofree char *path = must_format("events/%s_%s/%s", tracefs->name, type, name);

	return tracefs_has(tracefs, path);
}

/* Add a probe at a place, in which there is no space. Set *@ret to the name of its event. */
static struct vitrine_error *add(const struct tracefs *tracefs, const char *type,
				 const char *function, const char *place, unsigned int number,
				 char **ret)
{
	autofree char *file = must_format("%s_events", type), *command = NULL;
	char name[NAME_BYTES + 8];

	if (!tracefs_has(tracefs, file))
		must(vitrine_error_create(EOPNOTSUPP, NULL, VITRINE_NO_OFFSET, NULL,
					  "this kernel has no %ss", type));
	make_name(name, function);
	if (is_taken(tracefs, type, name))
		sprintf(name + strlen(name), "_%u", number);
	command = must_format("p:%s_%s/%s %s\n", tracefs->name, type, name, place);
	*ret = must_format("%s_%s:%s", tracefs->name, type, name);
	return tracefs_write(tracefs->mount, file, command);
}

static void check_form(bool is_good, const char *event, const char *form)
{
	if (!is_good)
		must(vitrine_error_create(EINVAL, NULL, VITRINE_NO_OFFSET, NULL,
					  "-e %s: not of the form %s", event, form));
}

static char *add_kprobe(const struct tracefs *tracefs, const char *event, unsigned int number)
{
	const char *function = text_after(event, KPROBE);
	struct vitrine_error *err;
	char *name;

	check_form(*function && !strpbrk(function, " \t\n;"), event, "kprobe:FUNCTION");
	err = add(tracefs, TRACEFS_KPROBE, function, function, number, &name);
	if (err && (err->code == ENOENT || err->code == EINVAL || err->code == EILSEQ))
		must(vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
					  "see /proc/kallsyms; some functions must not be probed",
					  "-e %s: the kernel cannot probe such a function", event));
	must(err);
	return name;
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
		must(vitrine_error_create(ENOENT, path, VITRINE_NO_OFFSET,
					  "`nm' and `nm -D' list its symbols",
					  "it has no symbol of a function %s", name));
	if (nr < 0)
		must(vitrine_error_create(ENOEXEC, path, VITRINE_NO_OFFSET, NULL,
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
		must(vitrine_error_create(ENOEXEC, path, VITRINE_NO_OFFSET, NULL,
					  "not a program or library"));
}

static char *add_uprobe(const struct tracefs *tracefs, const char *event, unsigned int number)
{
	const char *file = text_after(event, UPROBE), *function = strrchr(file, ':');
	autofree char *given = NULL, *path = NULL, *place = NULL;
	char *name;

	check_form(function && function != file && function[1], event, "uprobe:FILE:FUNCTION");
	given = must_format("%.*s", (int)(function++ - file), file);
	path = realpath(given, NULL);
	if (!path)
		must(vtr_error_open(errno, given));
	if (strpbrk(path, " \t\n;"))
		must(vitrine_error_create(EINVAL, path, VITRINE_NO_OFFSET,
					  "make a link to it elsewhere",
					  "the kernel takes no path with a space here"));
	check_program(path);
	place = must_format("%s:0x%" PRIx64, path, find_function(path, function));
	must(add(tracefs, TRACEFS_UPROBE, function, place, number, &name));
	return name;
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
static void restore(void *ctx, const char *setting)
{
	const struct kernel_events *events = ctx;
	char byte;

	close(events->control[1]);
	shutdown(events->control[0], SHUT_WR);
	while (read(events->control[0], &byte, 1) > 0)
		;
	tracefs_remove(&events->tracefs);
}

/* Start the process that removes the instance. */
static void start_restorer(struct kernel_events *events)
{
	if (restorer_start(&events->restorer, restore, events) ||
	    restorer_announce(&events->restorer, events->tracefs.name))
		must(vtr_error_os(errno, NULL, "cannot start a process"));
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
static void set_clock(struct kernel_events *events, const struct vitrine_ring *ring)
{
	autofree char *clocks = tracefs_read(events->tracefs.instance, "trace_clock");
	uint64_t ticks_per_second;
	bool is_converted;
	unsigned int clock;

	if (!clocks)
		must(tracefs_explain(errno, events->tracefs.instance));
	clock = vtr_ring_clock(ring, &ticks_per_second);
	must(tracefs_write(events->tracefs.instance, "trace_clock",
			   clock_name(clocks, clock, &is_converted)));
	dprintf(events->control[0], "%u %" PRIu64 " %u %u\n", clock, ticks_per_second,
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
	return vitrine_error_create(EINVAL, NULL, VITRINE_NO_OFFSET,
				    "the fields are in events/SYSTEM/EVENT/format of tracefs",
				    "--filter '%s' for %s: %.*s", filter, event,
				    reason ? (int)strcspn(reason, "\n") : 11,
				    reason ? reason : "not a filter");
}

/* Enable an event, which the helper is to read; the name is passed to the helper once. */
static void enable_event(struct kernel_events *events, const char *event, const char *filter)
{
	const char *name = strchr(event, ':') + 1;
	autofree char *line = must_format("\n%s\n", event);
	autofree char *directory = must_format("%s/events/%.*s/%s", events->tracefs.instance,
					       (int)(name - 1 - event), event, name);
	struct vitrine_error *err = NULL;

	if (!strstr(events->names.bytes, line))
		text_add_string(&events->names, line + 1);
	if (filter)
		err = tracefs_write(directory, "filter", filter);
	if (err && err->code == EINVAL)
		must(explain_filter(directory, filter, event));
	must(err);
	must(tracefs_write(directory, "enable", "1"));
}

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
	return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET, advice,
				    "-e %s: ftrace has no such event%s", wish->event, hint);
}

static void enable_probe(struct kernel_events *events, const struct kernel_event_wish *wish)
{
	const unsigned int number = 1 + (wish - events->wishes);
	autofree char *event = text_after(wish->event, KPROBE) ?
			       add_kprobe(&events->tracefs, wish->event, number) :
			       add_uprobe(&events->tracefs, wish->event, number);

	enable_event(events, event, wish->filter);
}

/* Enable the events that match; there must be one. */
static void enable_matching(struct kernel_events *events, const struct kernel_event_wish *wish)
{
	autofree char *available = tracefs_read(events->tracefs.mount, "available_events");
	char *rest = available, *event;
	unsigned int nr_found = 0;
	struct nearest nearest;

	if (!available)
		must(tracefs_explain(errno, events->tracefs.mount));
	nearest_init(&nearest, wish->event, strlen(wish->event));
	while ((event = next_line(&rest))) {
		if (fnmatch(wish->event, event, 0)) {
			nearest_offer(&nearest, event, strlen(event));
			continue;
		}
		nr_found++;
		enable_event(events, event, wish->filter);
	}
	if (!nr_found)
		must(no_event(wish, &nearest));
}

static void enable_wish(struct kernel_events *events, const struct kernel_event_wish *wish)
{
	if (text_after(wish->event, KPROBE) || text_after(wish->event, UPROBE))
		enable_probe(events, wish);
	else
		enable_matching(events, wish);
}

/**
 * kernel_events_prepare() - create the instance and enable the events in it
 * @events: all zero but the wishes, and descriptors that are -1
 *
 * Nothing is recorded before kernel_events_enable(). What a crash has left behind is
 * removed, even if there are no wishes. Called before the rings are opened, because the
 * restorer must not inherit them. An error ends the command, and atexit() calls
 * kernel_events_release().
 */
void kernel_events_prepare(struct kernel_events *events)
{
	struct vitrine_error *err;
	unsigned int i;

	err = tracefs_open(&events->tracefs);
	if (!err)
		tracefs_clean(&events->tracefs);
	if (!events->nr_wishes) {
		vitrine_error_destroy(err);
		return;
	}
	must(err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, events->control))
		must(vtr_error_os(errno, NULL, "cannot start a process"));
	tracefs_create(&events->tracefs);
	start_restorer(events);
	text_add_string(&events->names, "\n");
	for (i = 0; i < events->nr_wishes; i++)
		enable_wish(events, &events->wishes[i]);
}

/* ---- The helper --------------------------------------------------------- */

/**
 * kernel_events_start() - start the helper; an error ends the command
 * @events: after kernel_events_prepare(); then events->data_fd can be waited for, if there are
 *	wishes
 * @ring: a ring of the session
 */
void kernel_events_start(struct kernel_events *events, const struct vitrine_ring *ring)
{
	int fds[2];

	if (!events->nr_wishes)
		return;
	set_clock(events, ring);
	if (pipe2(fds, O_CLOEXEC))
		must(vtr_error_os(errno, NULL, "cannot start a process"));
	must(helper_start(&reader, events->tracefs.instance, events->control[1], fds[1],
			  &events->helper));
	close(fds[1]);
	events->data_fd = fds[0];
	close_file(&events->control[1]);
	events->is_running = true;
	dprintf(events->control[0], "%s\n", events->names.bytes + 1);
}

/**
 * kernel_events_enable() - begin to record
 * @events: after kernel_events_start()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_enable(struct kernel_events *events)
{
	return events->nr_wishes ?
		       tracefs_write(events->tracefs.instance, "tracing_on", "1") : NULL;
}

/* A sub-buffer, with room for the longest that the helper writes. */
static unsigned char subbuf_bytes[65536] __attribute__((aligned(8)));

/* Return up to which length the sub-buffer can be read; 0: it is malformed. */
static size_t known_len(const struct kernel_events *events)
{
	struct vitrine_packet packet;

	if (events->nr_subbuf < VITRINE_PREAMBLE_BYTES)
		return VITRINE_PREAMBLE_BYTES;
	memcpy(&packet, subbuf_bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.committed_bytes > sizeof(subbuf_bytes) ||
	    packet.committed_bytes < events->nr_subbuf)
		return 0;
	return packet.committed_bytes;
}

static struct vitrine_error *end_helper(struct kernel_events *events)
{
	events->is_running = false;
	return helper_finish(&reader, events->tracefs.instance, &events->helper);
}

/* Read once, and write the sub-buffer if it is complete. Set *@ret_end at the end. */
static struct vitrine_error *read_once(struct kernel_events *events, struct rotation *files,
				       bool *ret_end)
{
	struct vitrine_subbuf subbuf = { .bytes = subbuf_bytes };
	struct vitrine_error *err;
	ssize_t len;

	do {
		len = read(events->data_fd, subbuf_bytes + events->nr_subbuf,
			   known_len(events) - events->nr_subbuf);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return vtr_error_os(errno, reader.name, "cannot read from it");
	*ret_end = !len;
	events->nr_subbuf += len;
	if (!known_len(events))
		return vitrine_error_create(EBADMSG, reader.name, VITRINE_NO_OFFSET, NULL,
					    "it wrote a malformed sub-buffer");
	if (events->nr_subbuf < known_len(events))
		return NULL;
	subbuf.len_bytes = events->nr_subbuf;
	err = rotation_append(files, &subbuf);
	events->nr_subbuf = 0;
	return err;
}

/**
 * kernel_events_read() - append what the helper has written, if events->data_fd is readable
 * @events: after kernel_events_start()
 * @files: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_read(struct kernel_events *events, struct rotation *files)
{
	struct vitrine_error *err;
	bool end = false;

	err = read_once(events, files, &end);
	if (err || !end)
		return err;
	return end_helper(events) ?:
	       vitrine_error_create(EPIPE, reader.name, VITRINE_NO_OFFSET, NULL,
				    "it ended before the recording did");
}

/**
 * kernel_events_finish() - stop recording, and append the rest
 * @events: after kernel_events_start()
 * @files: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_finish(struct kernel_events *events, struct rotation *files)
{
	struct vitrine_error *err;
	bool end = false;
	char text[64];
	ssize_t len;

	if (!events->is_running)
		return NULL;
	err = tracefs_write(events->tracefs.instance, "tracing_on", "0");
	shutdown(events->control[0], SHUT_WR);
	while (!err && !end)
		err = read_once(events, files, &end);
	if (err)
		return err;
	err = end_helper(events);
	/* The restorer has the other end open, too, so there is no end to wait for. */
	len = recv(events->control[0], text, sizeof(text) - 1, MSG_DONTWAIT);
	text[len < 0 ? 0 : len] = '\0';
	if (!err && sscanf(text, "%" SCNu64 " %" SCNu64, &events->nr_records,
			   &events->nr_lost) != 2)
		return vitrine_error_create(EPIPE, reader.name, VITRINE_NO_OFFSET, NULL,
					    "it did not report how many events were lost");
	return err;
}

/**
 * kernel_events_release() - remove the instance and the probes
 * @events: a second call does nothing
 */
void kernel_events_release(struct kernel_events *events)
{
	close_file(&events->data_fd);
	close_file(&events->control[1]);
	shutdown(events->control[0], SHUT_WR);
	if (events->is_running)
		vitrine_error_destroy(end_helper(events));
	if (events->restorer.pid)
		restorer_finish(&events->restorer);
	else if (events->tracefs.lock_fd >= 0)
		tracefs_remove(&events->tracefs);
	close_file(&events->control[0]);
	close_file(&events->tracefs.lock_fd);
	free(events->tracefs.instance);
	events->tracefs.instance = NULL;
	text_destroy(&events->names);
}
