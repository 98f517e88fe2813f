/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source: a file of Inspect bytes, mapped if it is live.
 */
#ifndef _VITRINE_LIB_SOURCE_H
#define _VITRINE_LIB_SOURCE_H

#include <sys/types.h>

#include "vitrine.h"

/**
 * struct vitrine_source - see vitrine_source_create()
 * @path: as given
 * @flags: VITRINE_SOURCE_*
 * @fd: the open file
 * @map: start of the file, shared and read-only, or NULL
 * @map_bytes: how much of it is mapped
 * @max_bytes: how much may be mapped
 * @file_bytes: size of a mapped file that has one, else 0
 * @observe: called between the steps of a snapshot, or NULL
 * @observe_ctx: for @observe
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

/* Map at least @len_bytes; false if the file does not allow it. */
bool vtr_source_extend(struct vitrine_source *source, size_t len_bytes);

/* A fresh descriptor of the same file: in debugfs, a fresh kernel snapshot. */
struct vitrine_error *vtr_source_reopen(const struct vitrine_source *source,
					int *ret);

#endif /* _VITRINE_LIB_SOURCE_H */
