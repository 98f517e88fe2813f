/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compression of the files that are written. The library has none: a program that links
 * with a library for it registers a packer.
 */
#ifndef _VITRINE_LIB_WRITER_H
#define _VITRINE_LIB_WRITER_H

#include "vitrine.h"

/**
 * struct vtr_packer - compresses files
 * @suffix: names of compressed files end so
 * @begin: called before anything is written to a file; an error if it cannot be compressed
 * @pack: compress bytes; the result can be decompressed on its own, belongs to the packer,
 *	and is valid until the next call
 */
struct vtr_packer {
	const char *suffix;
	struct vitrine_error *(*begin)(const char *path);
	struct vitrine_error *(*pack)(const void *bytes, size_t len_bytes,
				      const void **ret_bytes,
				      size_t *ret_len_bytes);
};

/* Compress files that are created from now on if their names end in the packer's suffix. */
void vtr_writer_set_packer(const struct vtr_packer *packer);

/* Compress a file, whatever its name is. Nothing has been appended yet. */
struct vitrine_error *vtr_writer_pack(struct vitrine_writer *writer);

/* Write what is still in memory. */
struct vitrine_error *vtr_writer_flush(struct vitrine_writer *writer);

/* Return whether nothing has been appended yet. */
bool vtr_writer_is_empty(const struct vitrine_writer *writer);

#endif /* _VITRINE_LIB_WRITER_H */
