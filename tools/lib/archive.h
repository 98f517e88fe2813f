/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Go through all records of an archive in time order.
 */
#ifndef _VITRINE_LIB_ARCHIVE_H
#define _VITRINE_LIB_ARCHIVE_H

#include "fxt_file.h"
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

/**
 * struct archive_look - what to look at while an archive is opened
 * @follow: looks at each record of @fxt, which is FXT_OK, FXT_BAD_RECORD or FXT_BAD_FRAME, in the
 *	order of the file; returns false if memory is short; or NULL
 * @ctx: first argument of @follow
 * @thorough: faults of records that can be decoded are reported, too
 * @weights: learn the weights of threads, for the wakeups that are read
 */
struct archive_look {
	bool (*follow)(void *ctx, struct vitrine_fxt *fxt, enum fxt_result result);
	void *ctx;
	bool thorough;
	bool weights;
};

/* Other formats count from 1970 in 63 bits: a later time becomes this one. */
#define ARCHIVE_LAST_NS	(1ULL << 62)

static inline uint64_t archive_clip(uint64_t ns)
{
	return ns < ARCHIVE_LAST_NS ? ns : ARCHIVE_LAST_NS;
}

/**
 * struct archive_cpu - what the records of a CPU that have been read tell of it
 * @known: there was a switch, after which no record was lost
 * @running: incoming thread of the last switch; its id is 0 for idle
 * @priority: its priority
 * @packed: there was a packet header of a ring
 * @session: session of the last one
 * @nr_before: number of records before the first one, which are not in the trace
 * @begin_ns: begin of the sub-buffer of that one
 */
struct archive_cpu {
	bool known;
	bool packed;
	uint8_t priority;
	struct vitrine_fxt_thread running;
	uint32_t session;
	uint64_t nr_before;
	uint64_t begin_ns;
};

/**
 * struct archive_item - a record, and what is known where it is
 * @record: the record, or NULL at the end
 * @cpu: state of its CPU before the record; behind a switch, its incoming thread runs. NULL: the
 *	record has no CPU
 * @breaks: the record is a switch from another thread than @cpu has
 * @ns: its time, not earlier than that of the item before
 * @provider: provider of the record; NULL if the record had to be sorted
 * @packet: header of the sub-buffer that begins with the record, or NULL
 * @loss: what is missing since the previous sub-buffer of the CPU and session; not set without
 *	@packet
 *
 * The archive has a struct archive_cpu for each CPU, which archive_read() changes by the record of
 * the item before: that takes some twenty instructions for a switch, and two for other records. All
 * readers of the item share it, and archive_cpu() has the other CPUs. Readers that begin in the
 * middle of a CPU's records, as decoder and writer do, have a chain of their own.
 */
struct archive_item {
	const struct vitrine_fxt_record *record;
	const struct archive_cpu *cpu;
	bool breaks;
	uint64_t ns;
	const struct fxt_provider *provider;
	const struct vitrine_packet *packet;
	struct fxt_loss loss;
};

struct vitrine_error *archive_index(struct fxt_file *file, const char *path,
				    const struct vitrine_fxt_report *report,
				    const struct archive_look *look,
				    struct vitrine_archive **ret);
struct vitrine_error *archive_begin(struct vitrine_archive *archive,
				    const struct vitrine_fxt_report *report);
struct vitrine_error *archive_open(const char *path, const struct vitrine_fxt_report *report,
				   const struct archive_look *look,
				   struct vitrine_archive **ret);
struct vitrine_error *archive_read(struct vitrine_archive *archive, struct archive_item *ret);
struct vitrine_error *archive_rewind(struct vitrine_archive *archive);
struct vitrine_error *archive_search(struct vitrine_archive *archive,
				     archive_visit *visit, void *ctx);
struct vitrine_error *archive_for_each(struct vitrine_archive *archive,
				       archive_visit *visit, void *ctx);
struct vitrine_error *archive_visit_file(const char *path,
					 archive_visit *visit, void *ctx);
struct fxt_names *archive_threads(struct vitrine_archive *archive);
const struct archive_cpu *archive_cpu(const struct vitrine_archive *archive, uint32_t cpu);
uint32_t archive_nr_cpus(const struct vitrine_archive *archive);
bool archive_realtime(const struct vitrine_archive *archive, uint64_t *ret_ns);
void **archive_note(const struct vitrine_archive *archive, const struct archive_item *item);
uint64_t archive_ns(uint64_t ticks, uint64_t ticks_per_second);

#endif /* _VITRINE_LIB_ARCHIVE_H */
