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
#include <elf.h>
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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "debugfs.h"
#include "helpers.h"
#include "ring.h"
#include "vitrine.h"
#include "kernel_events.h"

#define INSTANCES	"/instances"

/* How long and how often to wait while files of an instance are open. */
#define BUSY_NS		10000000
#define BUSY_TRIES	1000

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define NATIVE_BYTES	ELFDATA2LSB
#else
#define NATIVE_BYTES	ELFDATA2MSB
#endif

/**
 * struct elf - a file
 * @bytes: its bytes
 * @len_bytes: their number
 * @header: its header
 */
struct elf {
	const unsigned char *bytes;
	uint64_t len_bytes;
	Elf64_Ehdr header;
};

/* Longest name of an event, with its 0; the kernel's limit is 64. */
#define NAME_BYTES	56

#define KPROBE		TRACEFS_KPROBE ":"
#define UPROBE		TRACEFS_UPROBE ":"

/* Longest sub-buffer that the helper writes. */
#define SUBBUF_BYTES	65536

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
	char *path = must_format("%s/%s", directory, file), *text = read_text(path);

	free(path);
	return text;
}

/* Write to a file of tracefs. Returns NULL, or an error. */
static struct vitrine_error *tracefs_write(const char *directory, const char *file,
					   const char *text)
{
	char *path = must_format("%s/%s", directory, file);
	int code = write_text(path, text);
	struct vitrine_error *err = code ? tracefs_explain(code, path) : NULL;

	free(path);
	return err;
}

/* Find out whether a file of tracefs exists. Returns true if it exists. */
static bool tracefs_has(const struct tracefs *tracefs, const char *file)
{
	char *path = must_format("%s/%s", tracefs->mount, file);
	bool has = !access(path, F_OK);

	free(path);
	return has;
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
	char *path = instance_path(tracefs, "");
	int fd = open_locked(path, LOCK_EX);

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
	char *command = must_format("-%.*s\n", (int)strcspn(name, "\n "), name);

	write_text(path, command);
	free(command);
}

/* Remove the probes of one file whose instance does not exist, with the lock held. */
static void remove_probes_in(const struct tracefs *tracefs, const char *file)
{
	char owner[TRACEFS_NAME_BYTES], *text = tracefs_read(tracefs->mount, file);
	char *path = must_format("%s/%s", tracefs->mount, file), *line, *rest = text, *instance;

	while ((line = next_line(&rest))) {
		if (!owner_of(line, owner))
			continue;
		instance = instance_path(tracefs, owner);
		if (access(instance, F_OK))
			remove_probe(path, line);
		free(instance);
	}
	free(path);
	free(text);
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
	char *path = instance_path(tracefs, name);
	int fd = open_locked(path, LOCK_EX | LOCK_NB);

	if (fd >= 0) {
		close(fd);
		rmdir(path);
	}
	free(path);
}

static void remove_left(const struct tracefs *tracefs)
{
	char *path = instance_path(tracefs, "");
	DIR *dir = opendir(path);
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

/* Create the instance of this process, which records nothing yet. Returns NULL, or an error. */
static struct vitrine_error *tracefs_create(struct tracefs *tracefs)
{
	struct vitrine_error *err;
	int fd;

	snprintf(tracefs->name, sizeof(tracefs->name), TRACEFS_PREFIX "%u", getpid());
	tracefs->instance = instance_path(tracefs, tracefs->name);
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
	for (i = 0; i < ARRAY_LEN(mounts); i++) {
		if (statfs(mounts[i], &fs)) {
			if (errno == EACCES)
				return tracefs_explain(errno, mounts[i]);
			continue;
		}
		if (fs.f_type != TRACEFS_MAGIC)
			continue;
		tracefs->mount = must_format("%s", mounts[i]);
		return NULL;
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

/* ---- Functions of programs --------------------------------------------- */

/*
 * A function is looked up in the symbol tables of a 64-bit ELF file, to put a probe on it. The
 * file is not trusted: every position in it is checked before it is read.
 */

/* Read a structure at an offset; return false if it is not in the file. */
static bool read_at(const struct elf *elf, uint64_t offset, void *to, uint64_t len_bytes)
{
	if (offset > elf->len_bytes || len_bytes > elf->len_bytes - offset)
		return false;
	memcpy(to, elf->bytes + offset, len_bytes);
	return true;
}

static bool read_section(const struct elf *elf, unsigned int index, Elf64_Shdr *ret)
{
	return index < elf->header.e_shnum && elf->header.e_shentsize == sizeof(*ret) &&
	       read_at(elf, elf->header.e_shoff + index * sizeof(*ret), ret, sizeof(*ret)) &&
	       ret->sh_offset <= elf->len_bytes &&
	       ret->sh_size <= elf->len_bytes - ret->sh_offset;
}

/* Compare the text at @index of a table of strings. */
static bool is_named(const struct elf *elf, const Elf64_Shdr *strings, uint64_t index,
		     const char *name)
{
	const uint64_t len = strlen(name) + 1;

	return index <= strings->sh_size && len <= strings->sh_size - index &&
	       !memcmp(elf->bytes + strings->sh_offset + index, name, len);
}

/* Look for a function in a table of symbols. */
static bool find_in(const struct elf *elf, const Elf64_Shdr *table, const char *name,
		    uint64_t *ret_address)
{
	Elf64_Shdr strings;
	Elf64_Sym symbol;
	uint64_t at;

	if (table->sh_entsize != sizeof(symbol) ||
	    !read_section(elf, table->sh_link, &strings) || strings.sh_type != SHT_STRTAB)
		return false;
	for (at = 0; table->sh_size - at >= sizeof(symbol); at += sizeof(symbol)) {
		read_at(elf, table->sh_offset + at, &symbol, sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF ||
		    ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    !is_named(elf, &strings, symbol.st_name, name))
			continue;
		*ret_address = symbol.st_value;
		return true;
	}
	return false;
}

static bool find_address(const struct elf *elf, const char *name, uint64_t *ret_address)
{
	Elf64_Shdr section;
	unsigned int i;

	for (i = 0; i < elf->header.e_shnum; i++)
		if (read_section(elf, i, &section) &&
		    (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
		    find_in(elf, &section, name, ret_address))
			return true;
	return false;
}

/* Convert an address to the offset of the bytes that are mapped there. */
static bool find_offset(const struct elf *elf, uint64_t address, uint64_t *ret_offset)
{
	Elf64_Phdr segment;
	unsigned int i;

	for (i = 0; i < elf->header.e_phnum; i++) {
		if (!read_at(elf, elf->header.e_phoff + i * sizeof(segment), &segment,
			     sizeof(segment)) || segment.p_type != PT_LOAD ||
		    address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*ret_offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

static struct vitrine_error *find(struct elf *elf, const char *path, const char *name,
				  uint64_t *ret_offset)
{
	uint64_t address;

	if (!read_at(elf, 0, &elf->header, sizeof(elf->header)) ||
	    memcmp(elf->header.e_ident, ELFMAG, SELFMAG) ||
	    elf->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf->header.e_ident[EI_DATA] != NATIVE_BYTES ||
	    elf->header.e_phentsize != sizeof(Elf64_Phdr))
		return vitrine_error_create(ENOEXEC, path, VITRINE_NO_OFFSET, NULL,
					    "not a 64-bit program or library of this machine");
	if (!find_address(elf, name, &address) || !find_offset(elf, address, ret_offset))
		return vitrine_error_create(ENOENT, path, VITRINE_NO_OFFSET,
					    "`nm' and `nm -D' list its symbols",
					    "it has no symbol of a function %s", name);
	return NULL;
}

/* Look up a function. Returns NULL, or an error. */
static struct vitrine_error *elf_symbol_find(const char *path, const char *name,
					     uint64_t *ret_offset)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct vitrine_error *err;
	void *bytes = MAP_FAILED;
	struct elf elf = { 0 };
	struct stat status;

	if (fd < 0)
		return vtr_error_open(errno, path);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size)
		bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return vitrine_error_create(ENOEXEC, path, VITRINE_NO_OFFSET, NULL,
					    "not a program or library");
	elf.bytes = bytes;
	elf.len_bytes = status.st_size;
	err = find(&elf, path, name, ret_offset);
	munmap(bytes, status.st_size);
	return err;
}

/* ---- Probes ------------------------------------------------------------ */

/*
 * Each probe is in a group of the recording's instance, by which it is found and removed.
 */

/*
 * Check whether an event needs a probe. Returns true for kprobe:FUNCTION and
 * uprobe:FILE:FUNCTION.
 */
static bool probes_is_probe(const char *event)
{
	return text_after(event, KPROBE) || text_after(event, UPROBE);
}

/* Make the name of an event from that of a function; @number keeps it unique. */
static void make_name(char name[NAME_BYTES + 8], const char *function, unsigned int number,
		      bool is_taken)
{
	char *at;

	snprintf(name, NAME_BYTES, "%s%s", isdigit((unsigned char)*function) ? "_" : "", function);
	for (at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	if (is_taken)
		sprintf(at, "_%u", number);
}

static bool is_taken(const struct tracefs *tracefs, const char *type, const char *name)
{
	char *path = must_format("events/%s_%s/%s", tracefs->name, type, name);
	bool has = tracefs_has(tracefs, path);

	free(path);
	return has;
}

/* Add a probe at a place, in which there is no space. */
static struct vitrine_error *add(const struct tracefs *tracefs, const char *type,
				 const char *function, const char *place, unsigned int number,
				 char **ret)
{
	char name[NAME_BYTES + 8], *command, *file = must_format("%s_events", type);
	struct vitrine_error *err;

	make_name(name, function, number, false);
	if (is_taken(tracefs, type, name))
		make_name(name, function, number, true);
	command = must_format("p:%s_%s/%s %s\n", tracefs->name, type, name, place);
	if (tracefs_has(tracefs, file))
		err = tracefs_write(tracefs->mount, file, command);
	else
		err = vitrine_error_create(EOPNOTSUPP, NULL, VITRINE_NO_OFFSET, NULL,
					   "this kernel has no %ss", type);
	free(command);
	free(file);
	if (!err)
		*ret = must_format("%s_%s:%s", tracefs->name, type, name);
	return err;
}

static struct vitrine_error *malformed(const char *event, const char *form)
{
	return vitrine_error_create(EINVAL, NULL, VITRINE_NO_OFFSET, NULL,
				    "-e %s: not of the form %s", event, form);
}

static struct vitrine_error *add_kprobe(const struct tracefs *tracefs, const char *event,
					unsigned int number, char **ret)
{
	const char *function = text_after(event, KPROBE);
	struct vitrine_error *err;

	if (!*function || strpbrk(function, " \t\n;"))
		return malformed(event, "kprobe:FUNCTION");
	err = add(tracefs, TRACEFS_KPROBE, function, function, number, ret);
	if (!err || (err->code != ENOENT && err->code != EINVAL && err->code != EILSEQ))
		return err;
	vitrine_error_destroy(err);
	return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
				    "see /proc/kallsyms; some functions must not be probed",
				    "-e %s: the kernel cannot probe such a function", event);
}

static struct vitrine_error *add_at_symbol(const struct tracefs *tracefs, const char *path,
					   const char *function, unsigned int number, char **ret)
{
	struct vitrine_error *err;
	uint64_t offset = 0;
	char *place;

	err = elf_symbol_find(path, function, &offset);
	if (err)
		return err;
	place = must_format("%s:0x%" PRIx64, path, offset);
	err = add(tracefs, TRACEFS_UPROBE, function, place, number, ret);
	free(place);
	return err;
}

static struct vitrine_error *add_uprobe(const struct tracefs *tracefs, const char *event,
					unsigned int number, char **ret)
{
	const char *file = text_after(event, UPROBE), *function = strrchr(file, ':');
	struct vitrine_error *err;
	char *given, *path;

	if (!function || function == file || !function[1])
		return malformed(event, "uprobe:FILE:FUNCTION");
	given = must_format("%.*s", (int)(function - file), file);
	path = realpath(given, NULL);
	if (!path)
		err = vtr_error_open(errno, given);
	else if (strpbrk(path, " \t\n;"))
		err = vitrine_error_create(EINVAL, path, VITRINE_NO_OFFSET,
					   "make a link to it elsewhere",
					   "the kernel takes no path with a space here");
	else
		err = add_at_symbol(tracefs, path, function + 1, number, ret);
	free(path);
	free(given);
	return err;
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
static struct vitrine_error *start_restorer(struct kernel_events *events)
{
	struct vitrine_error *err;

	if (!restorer_start(&events->restorer, restore, events) &&
	    !restorer_announce(&events->restorer, events->tracefs.name))
		return NULL;
	err = vtr_error_os(errno, NULL, "cannot start a process");
	tracefs_remove(&events->tracefs);
	return err;
}

static bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);
	const char *at = words;

	for (; (at = strstr(at, word)); at += len)
		if ((at == words || strchr(" [\n", at[-1])) && strchr(" ]\n", at[len]))
			return true;
	return false;
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
		if (has_word(clocks, "x86-tsc"))
			return "x86-tsc";
		*ret_is_converted = true;
		return "mono";
	default:
		return "mono";
	}
}

/* Set the clock of the instance, and tell the helper about the session. */
static struct vitrine_error *set_clock(struct kernel_events *events,
				       const struct vitrine_ring *ring)
{
	char *clocks = tracefs_read(events->tracefs.instance, "trace_clock");
	struct vitrine_error *err;
	uint64_t ticks_per_second;
	bool is_converted;
	unsigned int clock;
	const char *name;

	if (!clocks)
		return tracefs_explain(errno, events->tracefs.instance);
	clock = vtr_ring_clock(ring, &ticks_per_second);
	name = clock_name(clocks, clock, &is_converted);
	free(clocks);
	err = tracefs_write(events->tracefs.instance, "trace_clock", name);
	if (!err)
		dprintf(events->control[0], "%u %" PRIu64 " %u %u\n", clock, ticks_per_second,
			vitrine_ring_session(ring), is_converted);
	return err;
}

/* ---- Events ------------------------------------------------------------- */

/* Explain why a filter was refused; the kernel writes the reason to the file. */
static struct vitrine_error *explain_filter(const char *directory, const char *filter,
					    const char *event)
{
	char *text = tracefs_read(directory, "filter");
	const char *reason = text ? strstr(text, "parse_error: ") : NULL;
	struct vitrine_error *err;

	if (reason)
		reason += strlen("parse_error: ");
	err = vitrine_error_create(EINVAL, NULL, VITRINE_NO_OFFSET,
				   "the fields are in events/SYSTEM/EVENT/format of tracefs",
				   "--filter '%s' for %s: %.*s", filter, event,
				   reason ? (int)strcspn(reason, "\n") : 11,
				   reason ? reason : "not a filter");
	free(text);
	return err;
}

static struct vitrine_error *enable_event(struct kernel_events *events, const char *event,
					  const char *filter)
{
	const char *name = strchr(event, ':') + 1;
	struct vitrine_error *err = NULL;
	char *directory = must_format("%s/events/%.*s/%s", events->tracefs.instance,
				      (int)(name - 1 - event), event, name);

	if (filter)
		err = tracefs_write(directory, "filter", filter);
	if (err && err->code == EINVAL) {
		vitrine_error_destroy(err);
		err = explain_filter(directory, filter, event);
	}
	if (!err)
		err = tracefs_write(directory, "enable", "1");
	free(directory);
	return err;
}

/* Remember an event for the helper, once. */
static void remember(struct kernel_events *events, const char *event)
{
	char *names = events->names ? events->names : must_format("%s", "");

	events->names = has_word(names, event) ? names : must_format("%s%s\n", names, event);
	if (names != events->names)
		free(names);
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

/* Enable the events that match; there must be one. */
static struct vitrine_error *enable_matching(struct kernel_events *events, char *available,
					     const struct kernel_event_wish *wish)
{
	struct vitrine_error *err = NULL;
	unsigned int nr_found = 0;
	struct nearest nearest;
	char *event;

	nearest_init(&nearest, wish->event, strlen(wish->event));
	while (!err && (event = next_line(&available))) {
		if (fnmatch(wish->event, event, 0)) {
			nearest_offer(&nearest, event, strlen(event));
			continue;
		}
		nr_found++;
		remember(events, event);
		err = enable_event(events, event, wish->filter);
	}
	return err || nr_found ? err : no_event(wish, &nearest);
}

static struct vitrine_error *enable_probe(struct kernel_events *events,
					  const struct kernel_event_wish *wish)
{
	const unsigned int number = 1 + (wish - events->wishes);
	struct vitrine_error *err;
	char *event;

	if (text_after(wish->event, KPROBE))
		err = add_kprobe(&events->tracefs, wish->event, number, &event);
	else
		err = add_uprobe(&events->tracefs, wish->event, number, &event);
	if (err)
		return err;
	remember(events, event);
	err = enable_event(events, event, wish->filter);
	free(event);
	return err;
}

static struct vitrine_error *enable_wish(struct kernel_events *events,
					 const struct kernel_event_wish *wish)
{
	struct vitrine_error *err;
	char *available;

	if (probes_is_probe(wish->event))
		return enable_probe(events, wish);
	available = tracefs_read(events->tracefs.mount, "available_events");
	if (!available)
		return tracefs_explain(errno, events->tracefs.mount);
	err = enable_matching(events, available, wish);
	free(available);
	return err;
}

/**
 * kernel_events_prepare() - create the instance and enable the events in it
 * @events: all zero but the wishes, and descriptors that are -1
 *
 * Nothing is recorded before kernel_events_enable(). What a crash has left behind is
 * removed, even if there are no wishes. Called before the rings are opened, because the
 * restorer must not inherit them.
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kernel_events_prepare(struct kernel_events *events)
{
	struct vitrine_error *err;
	unsigned int i;

	err = tracefs_open(&events->tracefs);
	if (!err)
		tracefs_clean(&events->tracefs);
	if (!events->nr_wishes) {
		vitrine_error_destroy(err);
		return NULL;
	}
	events->subbuf = malloc(SUBBUF_BYTES);
	must_have(events->subbuf);
	if (!err && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, events->control))
		err = vtr_error_os(errno, NULL, "cannot start a process");
	if (!err)
		err = tracefs_create(&events->tracefs);
	if (!err)
		err = start_restorer(events);
	for (i = 0; !err && i < events->nr_wishes; i++)
		err = enable_wish(events, &events->wishes[i]);
	return err;
}

/* ---- The helper --------------------------------------------------------- */

/**
 * kernel_events_start() - start the helper
 * @events: after kernel_events_prepare()
 * @ring: a ring of the session
 *
 * Return: NULL, or an error; then events->data_fd can be waited for, if there are wishes.
 */
struct vitrine_error *kernel_events_start(struct kernel_events *events,
					  const struct vitrine_ring *ring)
{
	struct vitrine_error *err;
	int fds[2];

	if (!events->nr_wishes)
		return NULL;
	err = set_clock(events, ring);
	if (err)
		return err;
	if (pipe2(fds, O_CLOEXEC))
		return vtr_error_os(errno, NULL, "cannot start a process");
	err = helper_start(&reader, events->tracefs.instance, events->control[1], fds[1],
			   &events->helper);
	close(fds[1]);
	events->data_fd = fds[0];
	if (err)
		return err;
	close(events->control[1]);
	events->control[1] = -1;
	events->is_running = true;
	dprintf(events->control[0], "%s\n", events->names);
	return NULL;
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

/* Return up to which length the sub-buffer can be read; 0: it is malformed. */
static size_t known_len(const struct kernel_events *events)
{
	struct vitrine_packet packet;

	if (events->nr_subbuf < VITRINE_PREAMBLE_BYTES)
		return VITRINE_PREAMBLE_BYTES;
	memcpy(&packet, events->subbuf + VITRINE_PACKET_OFFSET, sizeof(packet));
	if (packet.magic != VITRINE_PACKET_MAGIC || packet.committed_bytes > SUBBUF_BYTES ||
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
	struct vitrine_subbuf subbuf = { .bytes = events->subbuf };
	struct vitrine_error *err;
	ssize_t len;

	do {
		len = read(events->data_fd, events->subbuf + events->nr_subbuf,
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
	err = end_helper(events);
	return err ? err : vitrine_error_create(EPIPE, reader.name, VITRINE_NO_OFFSET, NULL,
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
	if (events->control[0] >= 0)
		shutdown(events->control[0], SHUT_WR);
	if (events->is_running)
		vitrine_error_destroy(end_helper(events));
	restorer_finish(&events->restorer);
	close_file(&events->control[0]);
	tracefs_close(&events->tracefs);
	free(events->subbuf);
	free(events->names);
	events->subbuf = NULL;
	events->names = NULL;
}
