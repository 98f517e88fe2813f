/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FXT: the bytes of a file, which may be larger than memory, and record after record, through
 * all providers.
 *
 * A file has one owner; its bytes may be read by several threads. The library decodes a trace
 * in layers. Each file calls only files below it:
 *
 *	fxt_check.c	validates a file: records against each other and against packet
 *			headers
 *	archive.c	the records of a file in time order, over all its providers
 *	archive_sort.c	the records that have to be sorted
 *	fxt_file.c	record after record, through all providers
 *	fxt_record.c	one record
 *	fxt_field.c	words, streams, references and arguments of a record, providers with
 *			their string and thread tables, and packet headers of sub-buffers
 *
 * Beside them stand fxt_names.c (names of processes and threads) and writer.c (writes a file).
 */
#ifndef _VITRINE_LIB_FXT_FILE_H
#define _VITRINE_LIB_FXT_FILE_H

#include "fxt_field.h"
#include "fxt_record.h"
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

/**
 * struct vitrine_fxt - a reader of records
 * @decoder: the bytes
 * @providers: all providers that have appeared
 * @provider: provider of the next records, or NULL before the first record
 * @offset: offset of the next record
 * @record: the record that was read last
 * @fault_offset: offset of the first fault of @record
 * @fault_message: its message; empty if there is none
 */
struct vitrine_fxt {
	struct fxt_decoder decoder;
	struct fxt_providers providers;
	struct fxt_provider *provider;
	uint64_t offset;
	struct vitrine_fxt_record record;
	uint64_t fault_offset;
	char fault_message[192];
};

struct vitrine_error *fxt_init(struct vitrine_fxt *fxt, const void *bytes,
			       size_t len_bytes, const char *path);
void fxt_deinit(struct vitrine_fxt *fxt);
enum fxt_result fxt_next(struct vitrine_fxt *fxt);
struct vitrine_error *fxt_stop_error(const struct vitrine_fxt *fxt,
				     const char *path);

struct fxt_counts {
	uint64_t timed;
	uint64_t switches;
	uint64_t wakeups;
};

void fxt_scan_counts(const void *bytes, size_t len_bytes,
		     struct fxt_counts *ret);
bool fxt_scan_row_ends(const void *bytes, size_t len_bytes,
		       struct vitrine_fxt_thread *ret_first,
		       struct vitrine_fxt_thread *ret_last);

/**
 * struct fxt_wakers - sub-buffers of one ring after the other, to which wakers are added
 * @cpu: CPU of the last sub-buffer
 * @session: its session
 * @nr_bytes: bytes that were added to the sub-buffers of this CPU and session
 * @words: the last sub-buffer, with wakers
 * @size: room in @words, in bytes
 */
struct fxt_wakers {
	uint32_t cpu;
	uint32_t session;
	uint64_t nr_bytes;
	uint64_t *words;
	size_t size;
};

struct vitrine_error *fxt_wakers_name(struct fxt_wakers *wakers, const void **bytes,
				      size_t *len_bytes);
void fxt_wakers_deinit(struct fxt_wakers *wakers);

#endif /* _VITRINE_LIB_FXT_FILE_H */
