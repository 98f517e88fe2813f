// SPDX-License-Identifier: GPL-2.0
/*
 * Add probes to tracefs. Each probe is in a group of the recording's instance, by which
 * tracefs.c finds and removes it.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_symbol.h"
#include "error.h"
#include "probes.h"
#include "read_tracefs.h"

/* Longest name of an event, with its 0; the kernel's limit is 64. */
#define NAME_BYTES	56

#define KPROBE		TRACEFS_KPROBE ":"
#define UPROBE		TRACEFS_UPROBE ":"

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/**
 * probes_is_probe() - check whether an event needs a probe
 * @event: an event, as in struct kernel_event_wish
 *
 * Return: true for kprobe:FUNCTION and uprobe:FILE:FUNCTION.
 */
bool probes_is_probe(const char *event)
{
	return begins_with(event, KPROBE) || begins_with(event, UPROBE);
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
	bool has;
	char *path;

	if (asprintf(&path, "events/%s_%s/%s", tracefs->name, type, name) < 0)
		return true;
	has = tracefs_has(tracefs, path);
	free(path);
	return has;
}

/* Add a probe at a place, in which there is no space. */
static struct vitrine_error *add(const struct tracefs *tracefs, const char *type,
				 const char *function, const char *place, unsigned int number,
				 char **ret)
{
	char name[NAME_BYTES + 8], *command, *file;
	struct vitrine_error *err = NULL;

	make_name(name, function, number, false);
	if (is_taken(tracefs, type, name))
		make_name(name, function, number, true);
	if (asprintf(&file, "%s_events", type) < 0)
		return vtr_error_no_memory();
	if (asprintf(&command, "p:%s_%s/%s %s\n", tracefs->name, type, name, place) < 0) {
		free(file);
		return vtr_error_no_memory();
	}
	if (tracefs_has(tracefs, file))
		err = tracefs_write(tracefs->mount, file, command);
	else
		err = vitrine_error_create(EOPNOTSUPP, NULL, VITRINE_NO_OFFSET, NULL,
					   "this kernel has no %ss", type);
	free(command);
	free(file);
	if (!err && asprintf(ret, "%s_%s:%s", tracefs->name, type, name) < 0)
		err = vtr_error_no_memory();
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
	const char *function = event + strlen(KPROBE);
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
	uint64_t offset;
	char *place;

	err = elf_symbol_find(path, function, &offset);
	if (err)
		return err;
	if (asprintf(&place, "%s:0x%" PRIx64, path, offset) < 0)
		return vtr_error_no_memory();
	err = add(tracefs, TRACEFS_UPROBE, function, place, number, ret);
	free(place);
	return err;
}

static struct vitrine_error *add_uprobe(const struct tracefs *tracefs, const char *event,
					unsigned int number, char **ret)
{
	const char *file = event + strlen(UPROBE), *function = strrchr(file, ':');
	struct vitrine_error *err;
	char *given, *path;

	if (!function || function == file || !function[1])
		return malformed(event, "uprobe:FILE:FUNCTION");
	given = strndup(file, function - file);
	if (!given)
		return vtr_error_no_memory();
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

/**
 * probes_add() - add a probe
 * @tracefs: the instance that the probe belongs to
 * @event: kprobe:FUNCTION or uprobe:FILE:FUNCTION
 * @number: makes the name of the event unique
 * @ret: receives the event, "SYSTEM:NAME", to be freed
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *probes_add(const struct tracefs *tracefs, const char *event,
				 unsigned int number, char **ret)
{
	if (begins_with(event, KPROBE))
		return add_kprobe(tracefs, event, number, ret);
	return add_uprobe(tracefs, event, number, ret);
}
