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
 *	if (!err)
 *		err = vitrine_hierarchy_follow_links(hierarchy, path);
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

/**
 * enum vitrine_verdict - what becomes of a value
 * @VITRINE_DROP: it is left out, with all below it
 * @VITRINE_KEEP: it stays, with all below it
 * @VITRINE_DESCEND: it stays if something below it does
 */
enum vitrine_verdict {
	VITRINE_DROP,
	VITRINE_KEEP,
	VITRINE_DESCEND,
};

typedef enum vitrine_verdict vitrine_filter_fn(void *ctx,
					       const struct vitrine_value *value);

void vitrine_hierarchy_filter(struct vitrine_hierarchy *hierarchy,
			      vitrine_filter_fn *judge, void *ctx);

struct vitrine_error *
vitrine_hierarchy_follow_links(struct vitrine_hierarchy *hierarchy,
			       const char *path);
unsigned int
vitrine_hierarchy_nr_linked(const struct vitrine_hierarchy *hierarchy);

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
int vitrine_value_compare(const struct vitrine_value *a,
			  const struct vitrine_value *b);
int64_t vitrine_value_int(const struct vitrine_value *value);
uint64_t vitrine_value_uint(const struct vitrine_value *value);
double vitrine_value_double(const struct vitrine_value *value);
bool vitrine_value_bool(const struct vitrine_value *value);
const void *vitrine_value_bytes(const struct vitrine_value *value,
				size_t *ret_len);
unsigned int vitrine_value_disposition(const struct vitrine_value *value);
const struct vitrine_error *
vitrine_value_link_error(const struct vitrine_value *value);
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
vitrine_inspect_check(const void *bytes, size_t len_bytes, const char *path,
		      vitrine_fault_fn *fault, void *ctx,
		      struct vitrine_inspect_summary *ret);

/* ---- FXT: records ------------------------------------------------------ */
/*
 * What a record holds is decoded in place: strings and payloads point into the
 * bytes the reader was given and live as long as those do. The numbers of the
 * format are those of <vitrine/fxt.h>.
 */

/**
 * enum vitrine_fxt_kind - what a record is
 * @VITRINE_FXT_UNKNOWN: of a type or subtype this library does not know
 * @VITRINE_FXT_MAGIC: magic number; an archive starts
 * @VITRINE_FXT_PROVIDER_INFO: names a provider; what follows is its
 * @VITRINE_FXT_PROVIDER_SECTION: what follows is that provider's
 * @VITRINE_FXT_PROVIDER_EVENT: something happened to a provider
 * @VITRINE_FXT_INITIALIZATION: ticks per second
 * @VITRINE_FXT_STRING: entry of the string table
 * @VITRINE_FXT_THREAD: entry of the thread table
 * @VITRINE_FXT_EVENT: one of the eleven events
 * @VITRINE_FXT_BLOB: bytes
 * @VITRINE_FXT_USERSPACE_OBJECT: describes an object of a process
 * @VITRINE_FXT_KERNEL_OBJECT: names a process, a thread, ...
 * @VITRINE_FXT_SWITCH: context switch, of either form
 * @VITRINE_FXT_WAKEUP: a thread became ready to run
 * @VITRINE_FXT_LOG: a message
 * @VITRINE_FXT_LARGE_BLOB: many bytes
 */
enum vitrine_fxt_kind {
	VITRINE_FXT_UNKNOWN,
	VITRINE_FXT_MAGIC,
	VITRINE_FXT_PROVIDER_INFO,
	VITRINE_FXT_PROVIDER_SECTION,
	VITRINE_FXT_PROVIDER_EVENT,
	VITRINE_FXT_INITIALIZATION,
	VITRINE_FXT_STRING,
	VITRINE_FXT_THREAD,
	VITRINE_FXT_EVENT,
	VITRINE_FXT_BLOB,
	VITRINE_FXT_USERSPACE_OBJECT,
	VITRINE_FXT_KERNEL_OBJECT,
	VITRINE_FXT_SWITCH,
	VITRINE_FXT_WAKEUP,
	VITRINE_FXT_LOG,
	VITRINE_FXT_LARGE_BLOB,
};

/* Of a record that belongs to no CPU we know of. */
#define VITRINE_FXT_NO_CPU	(~0U)

/* Of a thread whose process the record does not tell; see the names. */
#define VITRINE_FXT_NO_PROCESS	(~0ULL)

/**
 * struct vitrine_fxt_string - a string or a payload
 * @bytes: not terminated; may be NULL when @len_bytes is 0
 * @len_bytes: its length
 */
struct vitrine_fxt_string {
	const char	*bytes;
	size_t		len_bytes;
};

/**
 * struct vitrine_fxt_thread - a thread by its koids
 * @process: koid of its process, or VITRINE_FXT_NO_PROCESS
 * @thread: koid of the thread
 */
struct vitrine_fxt_thread {
	uint64_t	process;
	uint64_t	thread;
};

/**
 * struct vitrine_fxt_arg - an argument of a record
 * @type: enum fxt_arg_type, or a number this library does not know
 * @name: its name
 * @value: its value: @int64 of INT32, too, @uint64 of UINT32, POINTER and KOID
 */
struct vitrine_fxt_arg {
	unsigned int			type;
	struct vitrine_fxt_string	name;
	union {
		int64_t				int64;
		uint64_t			uint64;
		double				real;
		bool				boolean;
		struct vitrine_fxt_string	string;
	} value;
};

/**
 * struct vitrine_fxt_record - one record
 * @offset: of its first word, from the start of the bytes
 * @nr_words: its length
 * @kind: enum vitrine_fxt_kind
 * @type: enum fxt_record_type, or a number this library does not know
 * @timed: it has a timestamp
 * @ticks: the timestamp, of a record without one that of the one before
 * @ticks_per_second: what a second was, when the record was written
 * @provider: id of the provider it belongs to
 * @cpu: CPU it was written on or speaks of, or VITRINE_FXT_NO_CPU
 * @nr_args: arguments in @args
 * @args: its arguments
 * @provider_info: of PROVIDER_INFO the name, of PROVIDER_EVENT the event
 * @string: of STRING
 * @thread: of THREAD
 * @event: of EVENT; @id is the counter's, the correlation's, or the end ticks
 * @blob: of BLOB
 * @userspace_object: of USERSPACE_OBJECT
 * @kernel_object: of KERNEL_OBJECT
 * @context_switch: of SWITCH; a legacy one has priorities, others arguments
 * @wakeup: of WAKEUP, the thread
 * @log: of LOG
 * @large_blob: of LARGE_BLOB; without metadata it has no thread
 */
struct vitrine_fxt_record {
	uint64_t	offset;
	uint64_t	ticks;
	uint64_t	ticks_per_second;
	uint32_t	nr_words;
	uint32_t	provider;
	uint32_t	cpu;
	uint8_t		kind;
	uint8_t		type;
	uint8_t		nr_args;
	bool		timed;
	union {
		struct {
			unsigned int			event;
			struct vitrine_fxt_string	name;
		} provider_info;
		struct {
			unsigned int			index;
			struct vitrine_fxt_string	value;
		} string;
		struct {
			unsigned int			index;
			struct vitrine_fxt_thread	thread;
		} thread;
		struct {
			unsigned int			type;
			struct vitrine_fxt_thread	thread;
			struct vitrine_fxt_string	category;
			struct vitrine_fxt_string	name;
			uint64_t			id;
		} event;
		struct {
			unsigned int			type;
			struct vitrine_fxt_string	name;
			struct vitrine_fxt_string	payload;
		} blob;
		struct {
			uint64_t			process;
			uint64_t			pointer;
			struct vitrine_fxt_string	name;
		} userspace_object;
		struct {
			unsigned int			type;
			uint64_t			koid;
			struct vitrine_fxt_string	name;
		} kernel_object;
		struct {
			struct vitrine_fxt_thread	outgoing;
			struct vitrine_fxt_thread	incoming;
			uint8_t				outgoing_state;
			uint8_t				outgoing_priority;
			uint8_t				incoming_priority;
			bool				legacy;
		} context_switch;
		struct vitrine_fxt_thread		wakeup;
		struct {
			struct vitrine_fxt_thread	thread;
			struct vitrine_fxt_string	message;
		} log;
		struct {
			unsigned int			format;
			struct vitrine_fxt_thread	thread;
			struct vitrine_fxt_string	category;
			struct vitrine_fxt_string	name;
			struct vitrine_fxt_string	payload;
		} large_blob;
	};
	struct vitrine_fxt_arg	args[15];
};

struct vitrine_fxt;

struct vitrine_error *vitrine_fxt_create(const void *bytes, size_t len_bytes,
					 struct vitrine_fxt **ret);
void vitrine_fxt_destroy(struct vitrine_fxt *fxt);
struct vitrine_error *vitrine_fxt_next(struct vitrine_fxt *fxt,
				       const struct vitrine_fxt_record **ret);

/* ---- FXT: every fault -------------------------------------------------- */

/**
 * struct vitrine_fxt_summary - what a checked trace holds
 * @len_bytes: its length
 * @nr_records: records of all kinds
 * @nr_switches: context switches
 * @nr_wakeups: thread wakeups
 * @nr_events: events and log messages
 * @nr_unknown: records of unknown kinds, passed over
 * @nr_subbufs: sub-buffers with a packet header
 * @nr_lost: records lost, as far as the packet headers tell
 * @nr_faults: calls of the fault function
 * @nr_providers: providers
 * @nr_cpus: CPUs that switched
 * @nr_threads: threads that were switched from or to
 * @begin_ns: time of the earliest timestamp
 * @end_ns: time of the latest
 */
struct vitrine_fxt_summary {
	uint64_t len_bytes;
	uint64_t nr_records;
	uint64_t nr_switches;
	uint64_t nr_wakeups;
	uint64_t nr_events;
	uint64_t nr_unknown;
	uint64_t nr_subbufs;
	uint64_t nr_lost;
	uint64_t nr_faults;
	unsigned int nr_providers;
	unsigned int nr_cpus;
	unsigned int nr_threads;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Takes faults, and what is worth knowing but no fault, lost records above all. */
struct vitrine_fxt_report {
	vitrine_fault_fn *fault;
	vitrine_fault_fn *note;
	void *ctx;
};

struct vitrine_error *vitrine_fxt_check(const char *path,
					const struct vitrine_fxt_report *report,
					struct vitrine_fxt_summary *ret);
struct vitrine_error *
vitrine_fxt_check_bytes(const void *bytes, size_t len_bytes,
			const struct vitrine_fxt_report *report,
			struct vitrine_fxt_summary *ret);

/* ---- FXT: a file in time order ----------------------------------------- */

struct vitrine_archive;

struct vitrine_error *vitrine_archive_create(const char *path,
					     const struct vitrine_fxt_report *report,
					     struct vitrine_archive **ret);
struct vitrine_error *
vitrine_archive_from_bytes(const void *bytes, size_t len_bytes,
			   const struct vitrine_fxt_report *report,
			   struct vitrine_archive **ret);
void vitrine_archive_destroy(struct vitrine_archive *archive);
struct vitrine_error *
vitrine_archive_next(struct vitrine_archive *archive,
		     const struct vitrine_fxt_record **ret);
bool vitrine_archive_thread(const struct vitrine_archive *archive,
			    uint64_t koid, struct vitrine_fxt_string *ret_name,
			    uint64_t *ret_process);
bool vitrine_archive_process(const struct vitrine_archive *archive,
			     uint64_t koid, struct vitrine_fxt_string *ret_name);
/* The header of a sub-buffer, as <vitrine/map.h> has it. */
struct vitrine_packet;
bool vitrine_archive_packet(const struct vitrine_archive *archive,
			    const struct vitrine_fxt_record *record,
			    struct vitrine_packet *ret);
uint64_t vitrine_fxt_ns(uint64_t ticks, uint64_t ticks_per_second);

/* ---- Rings ------------------------------------------------------------- */

struct vitrine_ring;

/* Begin with the session, not with the sub-buffer being written. */
#define VITRINE_RING_FROM_START	1U

/**
 * struct vitrine_loss - what a reader did not get between two sub-buffers
 * @cpu: whose they are
 * @bridged: @before and @after are known; else nothing is said of who ran
 * @begin_ticks: end of the sub-buffer before
 * @end_ticks: begin of the one after
 * @nr_records: records in between
 * @nr_bytes: their length
 * @before: thread that ran last
 * @after: thread that ran when the one after began
 */
struct vitrine_loss {
	uint32_t cpu;
	bool bridged;
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t nr_records;
	uint64_t nr_bytes;
	struct vitrine_fxt_thread before;
	struct vitrine_fxt_thread after;
};

/**
 * struct vitrine_subbuf - a consistent copy of a sub-buffer
 * @bytes: an archive of its own
 * @len_bytes: its length
 * @sequence: its number in the ring
 * @nr_records: records with a timestamp in it
 * @nr_switches: of those, context switches
 * @nr_lost: records lost between the sub-buffer before and this one,
 *	overwritten before they were read, or never written
 * @loss: of those, what was overwritten; what was never written the sub-buffer
 *	itself tells
 */
struct vitrine_subbuf {
	const void *bytes;
	size_t len_bytes;
	uint64_t sequence;
	uint64_t nr_records;
	uint64_t nr_switches;
	uint64_t nr_lost;
	struct vitrine_loss loss;
};

struct vitrine_error *vitrine_ring_create(const char *path, unsigned int flags,
					  struct vitrine_ring **ret);
void vitrine_ring_destroy(struct vitrine_ring *ring);
int vitrine_ring_fd(const struct vitrine_ring *ring);
unsigned int vitrine_ring_cpu(const struct vitrine_ring *ring);
unsigned int vitrine_ring_session(const struct vitrine_ring *ring);
bool vitrine_ring_closed(const struct vitrine_ring *ring);
uint64_t vitrine_ring_unwritten(const struct vitrine_ring *ring);
void vitrine_ring_observe(struct vitrine_ring *ring,
			  vitrine_observe_fn *observe, void *ctx);
void vitrine_ring_stop(struct vitrine_ring *ring);
struct vitrine_error *vitrine_ring_next(struct vitrine_ring *ring,
					const struct vitrine_subbuf **ret);

/* ---- Writing a trace file ---------------------------------------------- */

struct vitrine_writer;

struct vitrine_error *vitrine_writer_create(const char *path,
					    struct vitrine_writer **ret);
void vitrine_writer_destroy(struct vitrine_writer *writer);
struct vitrine_error *vitrine_writer_append(struct vitrine_writer *writer,
					    const void *bytes,
					    size_t len_bytes);
struct vitrine_error *
vitrine_writer_append_loss(struct vitrine_writer *writer,
			   const struct vitrine_loss *loss);
uint64_t vitrine_writer_len(const struct vitrine_writer *writer);
struct vitrine_error *vitrine_writer_commit(struct vitrine_writer *writer);

#ifdef __cplusplus
}
#endif

#endif /* _VITRINE_H */
