// SPDX-License-Identifier: GPL-2.0
/*
 * Write a recording to several files, and keep the last of them; or to one, which gets
 * the last sub-buffers only.
 *
 * Each sub-buffer has its names and its clock, so a file that begins with any sub-buffer is
 * a complete trace. A file has a temporary name until it is complete.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "rotation.h"
#include "writer.h"

/* Return a pointer to ".fxt" or ".fxt.zst" at the end of a name, or to its end. */
static const char *suffix_of(const char *name)
{
	static const char * const suffixes[] = { ".fxt", ".fxt.zst" };
	size_t len = strlen(name), len_suffix, i;

	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		len_suffix = strlen(suffixes[i]);
		if (len > len_suffix &&
		    !strcmp(name + len - len_suffix, suffixes[i]))
			return name + len - len_suffix;
	}
	return name + len;
}

/* Return the name of a file, as of malloc(), or NULL. */
static char *name_of(const struct rotation *rotation, unsigned int number)
{
	const char *output = rotation->output, *suffix = suffix_of(output);
	char *name;
	int len;

	if (!rotation->limit_bytes)
		return strdup(output);
	len = asprintf(&name, "%.*s.%06u%s", (int)(suffix - output), output,
		       number, suffix);
	return len < 0 ? NULL : name;
}

/**
 * rotation_open() - begin a file
 * @rotation: recording without a current file
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_open(struct rotation *rotation)
{
	char *name = name_of(rotation, rotation->nr_files + 1);
	struct vitrine_error *err;

	if (!name)
		return vtr_error_no_memory();
	err = vitrine_writer_create(name, &rotation->writer);
	free(name);
	if (err)
		return err;
	rotation->nr_files++;
	return rotation->zstd ? vtr_writer_pack(rotation->writer) : NULL;
}

/* The new file has its name, so at no time are there fewer complete files than wanted. */
static struct vitrine_error *remove_oldest(const struct rotation *rotation)
{
	struct vitrine_error *err = NULL;
	char *name;

	if (!rotation->nr_keep || rotation->nr_files <= rotation->nr_keep)
		return NULL;
	name = name_of(rotation, rotation->nr_files - rotation->nr_keep);
	if (!name)
		return vtr_error_no_memory();
	if (unlink(name) && errno != ENOENT)
		err = vtr_error_os(errno, name, "cannot remove");
	free(name);
	return err;
}

/**
 * rotation_collect() - write what has been kept back
 * @rotation: recording
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_collect(struct rotation *rotation)
{
	return window_write(&rotation->window, rotation->writer);
}

/**
 * rotation_commit() - complete the current file, if there is one
 * @rotation: recording
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_commit(struct rotation *rotation)
{
	struct vitrine_error *err;

	if (!rotation->writer)
		return NULL;
	err = rotation_collect(rotation);
	if (!err)
		err = vitrine_writer_commit(rotation->writer);
	return err ? err : remove_oldest(rotation);
}

/* Begin the next file if the current one is large enough. */
static struct vitrine_error *advance(struct rotation *rotation)
{
	struct vitrine_error *err;

	if (!rotation->limit_bytes ||
	    vitrine_writer_len(rotation->writer) < rotation->limit_bytes)
		return NULL;
	err = rotation_commit(rotation);
	if (err)
		return err;
	rotation->bytes_before += vitrine_writer_len(rotation->writer);
	vitrine_writer_destroy(rotation->writer);
	rotation->writer = NULL;
	return rotation_open(rotation);
}

/**
 * rotation_append() - write a sub-buffer, and what was lost before it
 * @rotation: recording
 * @subbuf: sub-buffer
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rotation_append(struct rotation *rotation,
				      const struct vitrine_subbuf *subbuf)
{
	struct vitrine_error *err;

	if (rotation->window.limit_bytes)
		return window_add(&rotation->window, subbuf);
	err = advance(rotation);
	if (!err && subbuf->loss.nr_records)
		err = vitrine_writer_append_loss(rotation->writer, &subbuf->loss);
	return err ? err : vitrine_writer_append(rotation->writer, subbuf->bytes,
						 subbuf->len_bytes);
}

/**
 * rotation_len() - return how much has been written
 * @rotation: recording
 *
 * Return: bytes of all files, also of those that have been removed.
 */
uint64_t rotation_len(const struct rotation *rotation)
{
	return rotation->bytes_before +
	       (rotation->writer ? vitrine_writer_len(rotation->writer) : 0);
}
