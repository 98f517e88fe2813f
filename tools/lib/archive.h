/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Go through all records of an archive in time order.
 */
#ifndef _VITRINE_LIB_ARCHIVE_H
#define _VITRINE_LIB_ARCHIVE_H

#include "fxt_file.h"
#include "fxt_packet.h"
#include "vitrine.h"

/**
 * enum archive_step - how to go on after a record
 * @ARCHIVE_NEXT: read the next record
 * @ARCHIVE_STOP: the remaining records are not needed
 * @ARCHIVE_NO_MEMORY: memory is short
 */
enum archive_step {
	ARCHIVE_NEXT,
	ARCHIVE_STOP,
	ARCHIVE_NO_MEMORY,
};

typedef enum archive_step archive_visit(void *ctx,
					const struct vitrine_fxt_record *record);

struct vitrine_error *archive_borrow(const struct fxt_file *file,
				     const struct vitrine_fxt_report *report,
				     struct vitrine_archive **ret);
struct vitrine_error *archive_for_each(struct vitrine_archive *archive,
				       archive_visit *visit, void *ctx);
struct vitrine_error *archive_visit_file(const char *path,
					 archive_visit *visit, void *ctx);
struct fxt_loss archive_loss(const struct vitrine_archive *archive);

#endif /* _VITRINE_LIB_ARCHIVE_H */
