/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of a trace file, which may be larger than memory.
 *
 * A file has one owner; its bytes may be read by several threads.
 */
#ifndef _VITRINE_LIB_FXT_FILE_H
#define _VITRINE_LIB_FXT_FILE_H

#include "vitrine.h"

/**
 * struct fxt_file - the bytes of a file
 * @bytes: the bytes
 * @len_bytes: their length
 * @mapped: @bytes is a mapping, else it was allocated
 * @borrowed: @bytes belongs to the caller
 */
struct fxt_file {
	unsigned char *bytes;
	size_t len_bytes;
	bool mapped;
	bool borrowed;
};

/* How many bytes may stay in memory behind the place that is being read. */
#define FXT_RELEASE_BYTES	(1U << 20)

struct vitrine_error *fxt_file_open(const char *path, struct fxt_file *ret);
void fxt_file_release(const struct fxt_file *file, uint64_t begin,
		      uint64_t end);
void fxt_file_close(struct fxt_file *file);

/**
 * fxt_file_pass() - release the bytes before the place that is being read
 * @file: the file
 * @limit: result of the call before, or FXT_RELEASE_BYTES
 * @offset: offset of the place
 *
 * Return: offset of the place where bytes are released next.
 */
static inline uint64_t fxt_file_pass(const struct fxt_file *file,
				     uint64_t limit, uint64_t offset)
{
	if (offset < limit)
		return limit;
	fxt_file_release(file, limit - FXT_RELEASE_BYTES, offset);
	return offset + FXT_RELEASE_BYTES;
}

#endif /* _VITRINE_LIB_FXT_FILE_H */
