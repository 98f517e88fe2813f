/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libvitrine: read Inspect files and Fuchsia traces, live or saved; write markers.
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
 * Conventions: a function that can fail returns NULL, or an error which the caller
 * destroys. Its result is the last parameter, @ret, and is unchanged on failure. A destroy
 * function accepts NULL. An object is used by one thread at a time; different objects are
 * independent. No input is trusted.
 *
 * Functions are documented with their definitions, and in section 3 of the manual.
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

/* Value of vitrine_error.offset if the error does not concern a certain place in a file. */
#define VITRINE_NO_OFFSET	UINT64_MAX

/**
 * struct vitrine_error - an error
 * @code: an errno value, for example EBADMSG for malformed bytes, EPROTONOSUPPORT for an
 *	unknown version or format, and EAGAIN for a snapshot that was never stable
 * @path: name of the file, or NULL
 * @offset: byte position in the file, or VITRINE_NO_OFFSET
 * @message: description of the error
 * @advice: how to avoid or repair the error, or NULL
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
 * typedef vitrine_fault_fn - function that receives a fault of a file
 * @ctx: context of the caller
 * @offset: byte position of the fault
 * @message: description of the fault; valid during the call
 */
typedef void vitrine_fault_fn(void *ctx, uint64_t offset, const char *message);

/* Format of a file, detected from its first bytes. */
enum vitrine_format {
	VITRINE_FORMAT_UNKNOWN	= 0,
	VITRINE_FORMAT_INSPECT	= 1,
	VITRINE_FORMAT_FXT	= 2,
};

/* Number of bytes from which vitrine_format_detect() detects the format. */
#define VITRINE_FORMAT_BYTES	16

enum vitrine_format vitrine_format_detect(const void *bytes, size_t len_bytes);
struct vitrine_error *vitrine_format_of_file(const char *path,
					     enum vitrine_format *ret);

/* ---- Inspect: sources and snapshots ------------------------------------ */

struct vitrine_source;
struct vitrine_snapshot;

/* Map the file even if it is not in debugfs; the file must not shrink while it is mapped. */
#define VITRINE_SOURCE_MAP	1U
/* Do not map the file; use read() only. */
#define VITRINE_SOURCE_READ	2U

struct vitrine_error *vitrine_source_create(const char *path, unsigned int flags,
					    struct vitrine_source **ret);
void vitrine_source_destroy(struct vitrine_source *source);
const char *vitrine_source_path(const struct vitrine_source *source);
bool vitrine_source_mapped(const struct vitrine_source *source);
struct vitrine_error *vitrine_source_generation(struct vitrine_source *source,
						uint64_t *ret);

/**
 * enum vitrine_step - steps of taking a snapshot
 * @VITRINE_STEP_GENERATION: the generation has been loaded and is even
 * @VITRINE_STEP_SIZE: the size has been loaded
 * @VITRINE_STEP_CHUNK: another part has been copied
 * @VITRINE_STEP_COPY: all parts have been copied; the generation is loaded again next
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

/* Function that is called between steps, so that tests can change the file there. */
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

/* Maximum depth of a tree; vitrine_hierarchy_create() rejects deeper ones. */
#define VITRINE_MAX_DEPTH	1024

struct vitrine_hierarchy;
struct vitrine_value;

/* The numbers are part of the ABI and also in vitrine.py. New types are added at the end. */
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
 * struct vitrine_array - properties of an array
 * @type: VITRINE_INT, VITRINE_UINT, VITRINE_DOUBLE or VITRINE_STRING
 * @format: enum inspect_array_format
 * @count: number of elements, including the parameters of a histogram
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
 * enum vitrine_verdict - decision of a filter about a value
 * @VITRINE_DROP: drop the value and all its descendants
 * @VITRINE_KEEP: retain the value and all its descendants
 * @VITRINE_DESCEND: retain the value if the filter retains one of its descendants
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

/* ---- Inspect: validation ----------------------------------------------- */

/**
 * struct vitrine_inspect_summary - summary of a validated file
 * @version: version of the format
 * @generation: generation in the header
 * @size_bytes: size according to the header
 * @nr_blocks: number of blocks of all types
 * @nr_values: number of nodes and properties
 * @nr_free: number of FREE blocks
 * @free_bytes: total size of FREE blocks
 * @nr_stale: number of FREE blocks and ends of strings that contain bytes of earlier
 *	contents, which the format permits
 * @nr_faults: number of faults
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
 * Records are decoded in place: strings and payloads point into the bytes of the trace and
 * are valid as long as these bytes. <vitrine/fxt.h> defines the constants of the format.
 */

/**
 * enum vitrine_fxt_kind - kinds of records
 * @VITRINE_FXT_UNKNOWN: a type or subtype that the library does not know
 * @VITRINE_FXT_MAGIC: magic number at the start of an archive
 * @VITRINE_FXT_PROVIDER_INFO: name of a provider, to which the following records belong
 * @VITRINE_FXT_PROVIDER_SECTION: provider to which the following records belong
 * @VITRINE_FXT_PROVIDER_EVENT: event of a provider: it lost records
 * @VITRINE_FXT_INITIALIZATION: ticks per second
 * @VITRINE_FXT_STRING: entry of the string table
 * @VITRINE_FXT_THREAD: entry of the thread table
 * @VITRINE_FXT_EVENT: event of one of the eleven types
 * @VITRINE_FXT_BLOB: arbitrary bytes, at most one record long
 * @VITRINE_FXT_USERSPACE_OBJECT: name of an object of a process
 * @VITRINE_FXT_KERNEL_OBJECT: name of a kernel object, for example a process or thread
 * @VITRINE_FXT_SWITCH: context switch, of the current or the legacy form
 * @VITRINE_FXT_WAKEUP: wakeup of a thread
 * @VITRINE_FXT_LOG: log message
 * @VITRINE_FXT_LARGE_BLOB: arbitrary bytes of any length
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

/* CPU of a record whose CPU is not known. */
#define VITRINE_FXT_NO_CPU	(~0U)

/* Process of a thread whose process is not in the record; see vitrine_archive_thread(). */
#define VITRINE_FXT_NO_PROCESS	(~0ULL)

/**
 * struct vitrine_fxt_string - a string or a payload
 * @bytes: the bytes, without a terminating null byte; may be NULL if @len_bytes is 0
 * @len_bytes: number of bytes
 */
struct vitrine_fxt_string {
	const char	*bytes;
	size_t		len_bytes;
};

/**
 * struct vitrine_fxt_thread - koids of a thread
 * @process: koid of its process, or VITRINE_FXT_NO_PROCESS
 * @thread: koid of the thread
 */
struct vitrine_fxt_thread {
	uint64_t	process;
	uint64_t	thread;
};

/**
 * struct vitrine_fxt_arg - an argument of a record
 * @type: enum fxt_arg_type, or a number that the library does not know
 * @name: name of the argument
 * @value: value; INT32 is in @int64, and UINT32, POINTER and KOID are in @uint64
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
 * struct vitrine_fxt_record - a record
 * @offset: byte position of the record in the trace
 * @nr_words: length of the record in words
 * @kind: enum vitrine_fxt_kind
 * @type: enum fxt_record_type, or a number that the library does not know
 * @timed: the record has a timestamp
 * @ticks: the timestamp; without one, the timestamp of the preceding record
 * @ticks_per_second: frequency of the clock
 * @provider: id of the provider
 * @cpu: CPU that wrote the record or that the record describes, or VITRINE_FXT_NO_CPU
 * @nr_args: number of @args
 * @args: arguments
 * @provider_info: name for PROVIDER_INFO, event for PROVIDER_EVENT
 * @string: for STRING
 * @thread: for THREAD
 * @event: for EVENT; @id is the id of a counter, a correlation id, or the end in ticks
 * @blob: for BLOB
 * @userspace_object: for USERSPACE_OBJECT
 * @kernel_object: for KERNEL_OBJECT
 * @context_switch: for SWITCH; the legacy form has priorities, the current one arguments
 * @wakeup: for WAKEUP: the thread that is woken up
 * @wakeup_context: for WAKEUP: enum fxt_wakeup_context, what made the wakeup
 * @log: for LOG
 * @large_blob: for LARGE_BLOB; without metadata it has no thread
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
		struct {
			struct vitrine_fxt_thread	wakeup;
			uint8_t				wakeup_context;
		};
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
const char *vitrine_fxt_event_name(unsigned int type);
bool vitrine_fxt_event_has_id(unsigned int type);
const char *vitrine_fxt_state_name(unsigned int state);
const char *vitrine_fxt_context_name(unsigned int context);

/* ---- FXT: validation --------------------------------------------------- */

/**
 * struct vitrine_fxt_summary - summary of a validated trace
 * @len_bytes: length of the trace
 * @nr_records: number of records of all kinds
 * @nr_switches: number of context switches
 * @nr_wakeups: number of wakeups
 * @nr_events: number of events and log messages
 * @nr_unknown: number of records of unknown kinds, which are skipped
 * @nr_subbufs: number of sub-buffers with a packet header
 * @nr_lost: number of lost records according to the packet headers
 * @nr_faults: number of faults
 * @nr_providers: number of providers
 * @nr_cpus: number of CPUs with context switches
 * @nr_threads: number of threads in context switches
 * @begin_ns: earliest time of a record
 * @end_ns: latest time of a record
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

/* Functions that receive faults, and notes: facts that are no faults, such as lost records. */
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
/* The header of a sub-buffer; <vitrine/map.h> defines it. */
struct vitrine_packet;
bool vitrine_archive_packet(const struct vitrine_archive *archive,
			    const struct vitrine_fxt_record *record,
			    struct vitrine_packet *ret);
uint64_t vitrine_fxt_ns(uint64_t ticks, uint64_t ticks_per_second);

/* ---- Rings ------------------------------------------------------------- */

struct vitrine_ring;

/* Begin with the first sub-buffer of the session instead of the current one. */
#define VITRINE_RING_FROM_START	1U

/**
 * struct vitrine_loss - records that were overwritten between two sub-buffers
 * @cpu: CPU of the sub-buffers
 * @bridged: @before and @after are known
 * @begin_ticks: end of the previous sub-buffer
 * @end_ticks: begin of the next sub-buffer
 * @nr_records: number of lost records
 * @nr_bytes: length of the lost records
 * @before: running thread at the end of the previous sub-buffer
 * @after: running thread at the begin of the next sub-buffer
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
 * @bytes: the copy, which is a valid trace by itself
 * @len_bytes: length of @bytes
 * @sequence: number of the sub-buffer in the ring
 * @nr_records: number of records with a timestamp
 * @nr_switches: number of context switches among @nr_records
 * @nr_lost: number of records lost since the previous sub-buffer, because they were
 *	overwritten before they were read, or could not be written
 * @loss: the overwritten records among @nr_lost; the contents of the sub-buffer report the
 *	others
 * @nr_wakeups: number of wakeups among @nr_records
 */
struct vitrine_subbuf {
	const void *bytes;
	size_t len_bytes;
	uint64_t sequence;
	uint64_t nr_records;
	uint64_t nr_switches;
	uint64_t nr_lost;
	struct vitrine_loss loss;
	uint64_t nr_wakeups;
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

/* ---- Markers ----------------------------------------------------------- */
/*
 * Events of this program in the trace. Unlike other objects, a marker may be used by
 * several threads at a time. All functions do nothing if it is NULL, and never fail.
 */

struct vitrine_marker;

struct vitrine_error *vitrine_marker_create(const char *path,
					    struct vitrine_marker **ret);
void vitrine_marker_destroy(struct vitrine_marker *marker);
void vitrine_marker_instant(const struct vitrine_marker *marker,
			    const char *name);
void vitrine_marker_begin(const struct vitrine_marker *marker,
			  const char *name);
void vitrine_marker_end(const struct vitrine_marker *marker);
void vitrine_marker_counter(const struct vitrine_marker *marker,
			    const char *name, int64_t value);
void vitrine_marker_async_begin(const struct vitrine_marker *marker,
				const char *name, uint64_t id);
void vitrine_marker_async_end(const struct vitrine_marker *marker,
			      const char *name, uint64_t id);
void vitrine_marker_flow_begin(const struct vitrine_marker *marker,
			       const char *name, uint64_t id);
void vitrine_marker_flow_step(const struct vitrine_marker *marker,
			      const char *name, uint64_t id);
void vitrine_marker_flow_end(const struct vitrine_marker *marker,
			     const char *name, uint64_t id);

#ifdef __cplusplus
}
#endif

#endif /* _VITRINE_H */
