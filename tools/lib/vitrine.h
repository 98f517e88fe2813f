/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libvitrine: read Inspect files and Fuchsia traces, live or saved.
 *
 *	struct vitrine_source *source = NULL;
 *	struct vitrine_snapshot *snapshot = NULL;
 *	struct vitrine_hierarchy *hierarchy = NULL;
 *	struct vitrine_error *err;
 *
 *	err = vitrine_source_create(path, 0, &source);
 *	if (!err)
 *		err = vitrine_snapshot_create(source, &snapshot);
 *	if (!err)
 *		err = vitrine_hierarchy_create(snapshot, &hierarchy);
 *	...
 *	vitrine_hierarchy_destroy(hierarchy);
 *	vitrine_snapshot_destroy(snapshot);
 *	vitrine_source_destroy(source);
 *
 * Conventions: a function that can fail returns NULL or an error the caller
 * destroys; its result comes last, as @ret, and is unchanged on failure; a
 * destroy function accepts NULL. Objects may be used by one thread at a time;
 * different objects are independent. Every input is distrusted.
 *
 * The functions' kernel-doc stands where they are defined.
 */
#ifndef _VITRINE_H
#define _VITRINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ------------------------------------------------------------ */

/* vitrine_error.offset: the error is not about one place in a file. */
#define VITRINE_NO_OFFSET	UINT64_MAX

/**
 * struct vitrine_error - what went wrong, where, and what to do about it
 * @code: an errno value: EBADMSG malformed bytes, EPROTONOSUPPORT unknown
 *	version or format, EAGAIN a snapshot was never stable, ENOMEM, ...
 * @path: file the error is about, or NULL
 * @offset: byte position in that file, or VITRINE_NO_OFFSET
 * @message: what is wrong
 * @advice: what to do, or NULL
 */
struct vitrine_error {
	int code;
	const char *path;
	uint64_t offset;
	const char *message;
	const char *advice;
};

struct vitrine_error *vitrine_error_create(int code, const char *path,
					   uint64_t offset, const char *advice,
					   const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void vitrine_error_destroy(struct vitrine_error *err);
void vitrine_error_print(const struct vitrine_error *err, FILE *stream);

/**
 * typedef vitrine_fault_fn - takes one fault found in a file
 * @ctx: the caller's
 * @offset: byte position of the fault
 * @message: what is wrong there; valid during the call
 */
typedef void vitrine_fault_fn(void *ctx, uint64_t offset, const char *message);

/* What a file is, judged by its first bytes. */
enum vitrine_format {
	VITRINE_FORMAT_UNKNOWN	= 0,
	VITRINE_FORMAT_INSPECT	= 1,
	VITRINE_FORMAT_FXT	= 2,
};

/* As many first bytes as vitrine_format_detect() wants to see. */
#define VITRINE_FORMAT_BYTES	16

enum vitrine_format vitrine_format_detect(const void *bytes, size_t len_bytes);
struct vitrine_error *vitrine_format_of_file(const char *path,
					     enum vitrine_format *ret);

/* ---- Inspect: sources and snapshots ------------------------------------ */

struct vitrine_source;
struct vitrine_snapshot;

/* Map the file even if it is not in debugfs (it must not shrink). */
#define VITRINE_SOURCE_MAP	1U
/* Never map, always read(). */
#define VITRINE_SOURCE_READ	2U

struct vitrine_error *vitrine_source_create(const char *path, unsigned int flags,
					    struct vitrine_source **ret);
void vitrine_source_destroy(struct vitrine_source *source);
const char *vitrine_source_path(const struct vitrine_source *source);
bool vitrine_source_mapped(const struct vitrine_source *source);
struct vitrine_error *vitrine_source_generation(struct vitrine_source *source,
						uint64_t *ret);

/**
 * enum vitrine_step - a place in the taking of a snapshot
 * @VITRINE_STEP_GENERATION: the generation has been loaded and is even
 * @VITRINE_STEP_SIZE: the size has been loaded
 * @VITRINE_STEP_CHUNK: one more part has been copied
 * @VITRINE_STEP_COPY: all has been copied, the generation not yet reloaded
 * @VITRINE_STEP_RETRY: the attempt failed; another follows
 * @VITRINE_STEP_READ: all attempts failed; read() follows
 */
enum vitrine_step {
	VITRINE_STEP_GENERATION,
	VITRINE_STEP_SIZE,
	VITRINE_STEP_CHUNK,
	VITRINE_STEP_COPY,
	VITRINE_STEP_RETRY,
	VITRINE_STEP_READ,
};

/* Called between the exact steps of a snapshot, so that tests can race it. */
typedef void vitrine_observe_fn(void *ctx, enum vitrine_step step);

void vitrine_source_observe(struct vitrine_source *source,
			    vitrine_observe_fn *observe, void *ctx);

struct vitrine_error *vitrine_snapshot_create(struct vitrine_source *source,
					      struct vitrine_snapshot **ret);
struct vitrine_error *vitrine_snapshot_from_bytes(const void *bytes,
						  size_t len_bytes,
						  const char *path,
						  struct vitrine_snapshot **ret);
struct vitrine_error *vitrine_snapshot_refresh(struct vitrine_snapshot *snapshot,
					       struct vitrine_source *source);
void vitrine_snapshot_destroy(struct vitrine_snapshot *snapshot);
const void *vitrine_snapshot_bytes(const struct vitrine_snapshot *snapshot,
				   size_t *ret_len);
const char *vitrine_snapshot_path(const struct vitrine_snapshot *snapshot);
uint64_t vitrine_snapshot_generation(const struct vitrine_snapshot *snapshot);

/* ---- Inspect: the tree ------------------------------------------------- */

/* Deeper trees are refused by vitrine_hierarchy_create(). */
#define VITRINE_MAX_DEPTH	1024

struct vitrine_hierarchy;
struct vitrine_value;

enum vitrine_type {
	VITRINE_NODE,
	VITRINE_INT,
	VITRINE_UINT,
	VITRINE_DOUBLE,
	VITRINE_BOOL,
	VITRINE_STRING,
	VITRINE_BYTES,
	VITRINE_ARRAY,
	VITRINE_LINK,
};

/**
 * struct vitrine_array - what an array is made of
 * @type: VITRINE_INT, VITRINE_UINT, VITRINE_DOUBLE or VITRINE_STRING
 * @format: enum inspect_array_format
 * @count: number of elements, a histogram's parameters included
 */
struct vitrine_array {
	enum vitrine_type type;
	unsigned int format;
	unsigned int count;
};

struct vitrine_error *
vitrine_hierarchy_create(const struct vitrine_snapshot *snapshot,
			 struct vitrine_hierarchy **ret);
void vitrine_hierarchy_destroy(struct vitrine_hierarchy *hierarchy);
unsigned int vitrine_hierarchy_version(const struct vitrine_hierarchy *hierarchy);
const struct vitrine_value *
vitrine_hierarchy_first(const struct vitrine_hierarchy *hierarchy);

const struct vitrine_value *
vitrine_value_first_child(const struct vitrine_value *value);
const struct vitrine_value *
vitrine_value_next(const struct vitrine_value *value);
const struct vitrine_value *
vitrine_value_parent(const struct vitrine_value *value);
uint64_t vitrine_value_offset(const struct vitrine_value *value);
enum vitrine_type vitrine_value_type(const struct vitrine_value *value);
const char *vitrine_value_name(const struct vitrine_value *value,
			       size_t *ret_len);
unsigned int vitrine_value_ordinal(const struct vitrine_value *value);
int64_t vitrine_value_int(const struct vitrine_value *value);
uint64_t vitrine_value_uint(const struct vitrine_value *value);
double vitrine_value_double(const struct vitrine_value *value);
bool vitrine_value_bool(const struct vitrine_value *value);
const void *vitrine_value_bytes(const struct vitrine_value *value,
				size_t *ret_len);
unsigned int vitrine_value_disposition(const struct vitrine_value *value);
struct vitrine_array vitrine_value_array(const struct vitrine_value *value);
int64_t vitrine_value_array_int(const struct vitrine_value *value,
				unsigned int i);
uint64_t vitrine_value_array_uint(const struct vitrine_value *value,
				  unsigned int i);
double vitrine_value_array_double(const struct vitrine_value *value,
				  unsigned int i);
const char *vitrine_value_array_string(const struct vitrine_value *value,
				       unsigned int i, size_t *ret_len);

/* ---- Inspect: every fault ---------------------------------------------- */

/**
 * struct vitrine_inspect_summary - what a checked file holds
 * @version: of the format
 * @generation: from the header
 * @size_bytes: bytes the header accounts for
 * @nr_blocks: blocks of all types
 * @nr_values: nodes and properties
 * @nr_free: FREE blocks
 * @free_bytes: bytes in them
 * @nr_stale: FREE blocks and string tails with bytes left over from earlier
 *	use, which the format does not forbid
 * @nr_faults: calls of the fault function
 */
struct vitrine_inspect_summary {
	unsigned int version;
	uint64_t generation;
	uint64_t size_bytes;
	uint64_t nr_blocks;
	uint64_t nr_values;
	uint64_t nr_free;
	uint64_t free_bytes;
	uint64_t nr_stale;
	uint64_t nr_faults;
};

struct vitrine_error *
vitrine_inspect_check(const void *bytes, size_t len_bytes,
		      vitrine_fault_fn *fault, void *ctx,
		      struct vitrine_inspect_summary *ret);

/* ---- FXT (begin) ------------------------------------------------------- */
/*
 * `vitrine check` calls, for files vitrine_format_detect() finds to be FXT:
 *
 *	struct vitrine_error *
 *	vitrine_fxt_check(const char *path, vitrine_fault_fn *fault, void *ctx,
 *			  struct vitrine_fxt_summary *ret);
 */
/* ---- FXT (end) --------------------------------------------------------- */

#ifdef __cplusplus
}
#endif

#endif /* _VITRINE_H */
