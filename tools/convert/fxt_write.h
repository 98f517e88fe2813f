/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write a trace file from records that were converted from another format. Each CPU has a
 * lane, which is written as sub-buffers with packet headers, so that the file has the number
 * of lost records and `vitrine check' can check it.
 */
#ifndef _VITRINE_CONVERT_FXT_WRITE_H
#define _VITRINE_CONVERT_FXT_WRITE_H

#include "fxt_names.h"
#include "vitrine.h"

struct fxt_out;

/**
 * struct fxt_out_counts - counts of records written to a file
 * @nr_records: number of records with a time
 * @nr_switches: number of context switches among @nr_records
 * @nr_lost: number of records that were reported as lost
 * @nr_breaks: number of switches whose outgoing thread is not the one that came in before,
 *	although no loss was reported; one lost record is counted for each
 * @nr_refused: number of records that FXT cannot represent
 * @nr_null_args: number of arguments of unknown types, which have no value in the file
 * @nr_truncated: number of names that were truncated
 */
struct fxt_out_counts {
	uint64_t nr_records;
	uint64_t nr_switches;
	uint64_t nr_lost;
	uint64_t nr_breaks;
	uint64_t nr_refused;
	uint64_t nr_null_args;
	uint64_t nr_truncated;
};

/**
 * struct fxt_out_session - how the sub-buffers of a file are introduced
 * @provider: provider of CPU 0; the other CPUs follow
 * @name: name of the providers, at most 8 bytes
 * @ticks_per_second: rate of the clock; records have times in its ticks
 * @clock: enum vitrine_clock
 * @session: number of the session
 * @is_nameless: threads of processes are not named: other records of the trace name them
 */
struct fxt_out_session {
	uint32_t provider;
	const char *name;
	uint64_t ticks_per_second;
	uint32_t clock;
	uint32_t session;
	bool is_nameless;
};

struct vitrine_error *fxt_out_create(const char *path, uint64_t realtime_ns,
				     struct fxt_out **ret);
void fxt_out_destroy(struct fxt_out *out);
void fxt_out_set_session(struct fxt_out *out,
			 const struct fxt_out_session *session);
struct vitrine_error *fxt_out_commit(struct fxt_out *out);
struct vitrine_error *fxt_out_error(struct fxt_out *out);
struct fxt_out_counts fxt_out_counts(const struct fxt_out *out);
uint64_t fxt_out_id(struct fxt_out *out, struct fxt_names *given, uint64_t id, uint64_t wanted);
void fxt_out_name_thread(struct fxt_out *out, uint64_t koid, uint64_t process,
			 const struct vitrine_fxt_string *name);
void fxt_out_name_process(struct fxt_out *out, uint64_t koid,
			  const struct vitrine_fxt_string *name);
bool fxt_out_is_named(const struct fxt_out *out, uint64_t koid);
uint64_t fxt_out_process(const struct fxt_out *out, uint64_t koid);
void fxt_out_put(struct fxt_out *out, const struct vitrine_fxt_record *record);
void fxt_out_before(struct fxt_out *out, uint32_t cpu, uint64_t nr_records, uint64_t begin_ns);
void fxt_out_lost(struct fxt_out *out, uint32_t provider, uint32_t cpu, uint64_t nr_records);

#endif /* _VITRINE_CONVERT_FXT_WRITE_H */
