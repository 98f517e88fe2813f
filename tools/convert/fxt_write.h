/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Composes a trace file out of records in their decoded form, as other formats
 * bring them: one lane a CPU, written as sub-buffers with packet headers, so
 * that what was lost is known and `vitrine check' has something to check.
 */
#ifndef _VITRINE_CONVERT_FXT_WRITE_H
#define _VITRINE_CONVERT_FXT_WRITE_H

#include "vitrine.h"

struct fxt_out;
struct fxt_lane_out;

/**
 * struct fxt_out_counts - what a file was given
 * @nr_records: records with a time that were written
 * @nr_switches: of those, context switches
 * @nr_lost: records said to be lost
 * @nr_breaks: times that another thread went out than had come in, although
 *	nothing was said to be lost; one record each is counted as lost
 * @nr_refused: records FXT has no room for
 */
struct fxt_out_counts {
	uint64_t nr_records;
	uint64_t nr_switches;
	uint64_t nr_lost;
	uint64_t nr_breaks;
	uint64_t nr_refused;
};

struct vitrine_error *fxt_out_create(const char *path, uint64_t realtime_ns,
				     struct fxt_out **ret);
void fxt_out_destroy(struct fxt_out *out);
struct vitrine_error *fxt_out_commit(struct fxt_out *out);
struct fxt_out_counts fxt_out_counts(const struct fxt_out *out);
bool fxt_out_name_thread(struct fxt_out *out, uint64_t koid, uint64_t process,
			 const struct vitrine_fxt_string *name);
bool fxt_out_name_process(struct fxt_out *out, uint64_t koid,
			  const struct vitrine_fxt_string *name);
uint64_t fxt_out_process(const struct fxt_out *out, uint64_t koid);

struct vitrine_error *fxt_lane_out_get(struct fxt_out *out, uint32_t cpu,
				       struct fxt_lane_out **ret);
struct vitrine_error *fxt_lane_out_put(struct fxt_lane_out *lane,
				       const struct vitrine_fxt_record *record);
struct vitrine_error *fxt_lane_out_lost(struct fxt_lane_out *lane,
					uint64_t nr_records);

#endif /* _VITRINE_CONVERT_FXT_WRITE_H */
