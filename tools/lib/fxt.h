/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FXT: record after record, through all providers.
 *
 * The library decodes a trace in layers. Each file calls only files below it:
 *
 *	archive.c	the records of a file in time order
 *	archive_lane.c	the records of one provider in time order
 *	archive_sort.c	the records of all lanes that have to be sorted
 *	fxt_check.c	validates a file: records against each other
 *	fxt_wakeups.c	wakeups of threads that run
 *	fxt_subbuf.c	sub-buffers against their packet headers
 *	fxt.c		record after record, through all providers
 *	fxt_packet.c	packet headers of sub-buffers
 *	fxt_record.c	one record
 *	fxt_field.c	words, streams, references and arguments of a record
 *	fxt_provider.c	providers with their string and thread tables
 *
 * Beside them stand fxt_file.c (the bytes of a file), fxt_names.c (names of processes
 * and threads), fxt_scan.c (contents of a sub-buffer without decoding), fxt_encode.c
 * (the encoder) and writer.c (writes a file).
 */
#ifndef _VITRINE_LIB_FXT_H
#define _VITRINE_LIB_FXT_H

#include "fxt_packet.h"

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

#endif /* _VITRINE_LIB_FXT_H */
