/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source: an open Inspect file, which is mapped if it is live. Only source.c and
 * snapshot.c access its members.
 */
#ifndef _VITRINE_LIB_SOURCE_H
#define _VITRINE_LIB_SOURCE_H

#include <sys/types.h>

#include "vitrine.h"

/**
 * struct vitrine_source - see vitrine_source_create()
 * @path: path as given to vitrine_source_create()
 * @flags: VITRINE_SOURCE_*
 * @fd: the open file
 * @map: shared, read-only mapping of the start of the file, or NULL
 * @map_bytes: number of bytes that are mapped
 * @max_bytes: number of bytes that may be mapped
 * @file_bytes: size of a mapped file, 0 if the file has none, as in debugfs
 * @observe: called after each step of a snapshot, or NULL
 * @observe_ctx: first argument of @observe
 */
struct vitrine_source {
	char *path;
	unsigned int flags;
	int fd;
	const uint8_t *map;
	size_t map_bytes;
	size_t max_bytes;
	size_t file_bytes;
	vitrine_observe_fn *observe;
	void *observe_ctx;
};

/* Map at least @len_bytes. Return false if the file does not allow it. */
bool vtr_source_extend(struct vitrine_source *source, size_t len_bytes);

/* Open the same file once more; in debugfs, this takes a new snapshot in the kernel. */
struct vitrine_error *vtr_source_reopen(const struct vitrine_source *source,
					int *ret);

#endif /* _VITRINE_LIB_SOURCE_H */
