// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open a file of Inspect bytes, and take a consistent copy of a live tree, or hold the bytes of
 * a saved one.
 *
 * The kernel edits the tree while it is copied, and never waits for a reader:
 *
 *   1. generation = load-acquire; if it is odd, an edit is in progress: back off
 *   2. load the size; read fence; the generation must not have changed, so that the
 *      kernel has backed that size with pages
 *   3. copy; after each chunk a read fence and another load of the generation, so that a
 *      failed attempt ends early
 *
 * All this is snapshot_copy(). Pairs with vtr_edit_begin() and vtr_edit_end()
 * in module/inspect/edit.h: odd generation, smp_wmb(), edits, smp_store_release() of the
 * even one.
 *
 * There are few attempts, with short waits between them. A publisher that never pauses
 * defeats all of them; then read() of the same file, which the kernel serves under the
 * lock of the tree, returns a snapshot. The failed attempts together copy no more bytes
 * than that read(), so that the slowest snapshot takes less than three times as long as
 * read() alone.
 *
 * A source, and a snapshot, are used by one thread at a time.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <vitrine/inspect.h>

#include "base.h"
#include "inspect.h"
#include "vitrine.h"

/**
 * struct vitrine_source - see vitrine_source_create()
 * @path: path as given to vitrine_source_create()
 * @fd: the open file
 * @map: shared, read-only mapping of the start of the file, or NULL
 * @map_bytes: number of bytes that are mapped
 * @max_bytes: number of bytes that may be mapped
 * @file_bytes: size of a mapped file, 0 if the file has none, as in debugfs
 * @observe: called after each step of a snapshot, or NULL
 * @observe_ctx: first argument of @observe
 */
struct vitrine_source {
	char *path;
	int fd;
	const uint8_t *map;
	size_t map_bytes;
	size_t max_bytes;
	size_t file_bytes;
	vitrine_observe_fn *observe;
	void *observe_ctx;
};

#define MAX_ATTEMPTS		8	/* wait 1, 2, 4 ... 64 pauses between */
#define CHUNK_BYTES		(32U << 10)
/* read() copies twice, and its system calls take as long as copying this. */
#define READ_COPIES		2
#define READ_CALL_BYTES		(64U << 10)
#define FIRST_READ_BYTES	(64U << 10)

struct buffer {
	uint8_t *bytes;
	size_t len;
	size_t capacity;
};

/**
 * struct vitrine_snapshot - see vitrine_snapshot_create()
 * @path: path of the source, or NULL
 * @taken: the snapshot
 * @spare: memory for the next snapshot, so that a failed refresh leaves @taken unchanged
 */
struct vitrine_snapshot {
	char *path;
	struct buffer taken;
	struct buffer spare;
};

enum attempt {
	ATTEMPT_TAKEN,
	ATTEMPT_LOST,		/* an edit was in progress, or began during the copy */
	ATTEMPT_UNMAPPABLE,	/* the size in the header cannot be mapped */
	ATTEMPT_NO_MEMORY,
};

/* ---- Sources ----------------------------------------------------------- */

/*
 * A live source is mapped. A file in debugfs has no size of its own (st_size is 0): the header
 * in its first page says how far the tree reaches, and an access beyond raises SIGBUS. Only the
 * first page is mapped here; the snapshot extends the mapping to the size in a header that it
 * has found stable. Trees grow and never shrink.
 */

static size_t page_round_up(size_t len_bytes)
{
	size_t page_bytes = sysconf(_SC_PAGESIZE);

	return (len_bytes + page_bytes - 1) & ~(page_bytes - 1);
}

/*
 * Map at least @len_bytes of a live file, from its start on. The start of the mapping may move.
 * Returns false if the file does not allow it.
 */
static bool vtr_source_extend(struct vitrine_source *source, size_t len_bytes)
{
	size_t map_bytes = page_round_up(len_bytes);
	void *map;

	if (len_bytes > source->max_bytes)
		return false;
	if (len_bytes <= source->map_bytes)
		return true;
	/* Not mremap(): the kernel's mappings may not expand. */
	map = mmap(NULL, map_bytes, PROT_READ, MAP_SHARED, source->fd, 0);
	if (map == MAP_FAILED)
		return false;
	if (source->map)
		munmap((void *)source->map, source->map_bytes);
	source->map = map;
	source->map_bytes = map_bytes;
	return true;
}

/* Return how much of the file may be mapped, 0 if it must be read instead. */
static size_t mappable_bytes(int fd, unsigned int flags, size_t *file_bytes)
{
	struct statfs fs;
	struct stat st;

	if (flags & VITRINE_SOURCE_READ)
		return 0;
	if (!fstatfs(fd, &fs) && fs.f_type == DEBUGFS_MAGIC)
		return INSPECT_MAX_FILE_BYTES;
	if (!(flags & VITRINE_SOURCE_MAP) || fstat(fd, &st) || st.st_size < 0)
		return 0;
	*file_bytes = st.st_size;
	return st.st_size;
}

/*
 * Open the file of a source once more.
 *
 * In debugfs, the kernel takes the snapshot that read() returns at open().
 *
 * Returns NULL, or an error.
 */
static struct vitrine_error *vtr_source_reopen(const struct vitrine_source *source,
					       int *ret)
{
	int fd = open(source->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return vtr_error_open(errno, source->path);
	*ret = fd;
	return NULL;
}

/**
 * vitrine_source_create() - open a file of which snapshots can be taken
 * @path: a live file in debugfs, or a saved file
 * @flags: 0, VITRINE_SOURCE_MAP to map the file even if it is not in debugfs, or
 *	VITRINE_SOURCE_READ never to map it
 * @ret: the source
 *
 * A live file that cannot be mapped, for example under lockdown, is read instead.
 *
 * Return: NULL, or an error if the file cannot be opened.
 */
struct vitrine_error *vitrine_source_create(const char *path, unsigned int flags,
					    struct vitrine_source **ret)
{
	struct vitrine_source *source = calloc(1, sizeof(*source));
	struct vitrine_error *err;

	if (!source)
		return vtr_error_no_memory();
	source->fd = -1;
	source->path = strdup(path);
	if (!source->path) {
		err = vtr_error_no_memory();
		goto err_destroy;
	}
	err = vtr_source_reopen(source, &source->fd);
	if (err)
		goto err_destroy;

	source->max_bytes = mappable_bytes(source->fd, flags,
					   &source->file_bytes);
	vtr_source_extend(source, INSPECT_MIN_BLOCK_BYTES << INSPECT_HEADER_ORDER);
	*ret = source;
	return NULL;

err_destroy:
	vitrine_source_destroy(source);
	return err;
}

/**
 * vitrine_source_destroy() - unmap and close a source
 * @source: source, or NULL
 */
void vitrine_source_destroy(struct vitrine_source *source)
{
	if (!source)
		return;
	if (source->map)
		munmap((void *)source->map, source->map_bytes);
	if (source->fd >= 0)
		close(source->fd);
	free(source->path);
	free(source);
}

/**
 * vitrine_source_path() - return the path of a source
 * @source: source
 *
 * Return: the path as given to vitrine_source_create(), valid as long as the source.
 */
const char *vitrine_source_path(const struct vitrine_source *source)
{
	return source->path;
}

/**
 * vitrine_source_mapped() - check whether a source is mapped
 * @source: source
 *
 * Return: true if snapshots are copied from a mapping, false if they are read with read().
 */
bool vitrine_source_mapped(const struct vitrine_source *source)
{
	return source->map;
}

/**
 * vitrine_source_observe() - set a callback for the steps of taking a snapshot
 * @source: source
 * @observe: function to call after each step, or NULL
 * @ctx: first argument of @observe
 *
 * Tests use the callback to change the file between two steps. While a callback is set,
 * the file is copied in chunks of one block, with VITRINE_STEP_CHUNK after each chunk.
 */
void vitrine_source_observe(struct vitrine_source *source,
			    vitrine_observe_fn *observe, void *ctx)
{
	source->observe = observe;
	source->observe_ctx = ctx;
}

/**
 * vitrine_source_generation() - return the current generation of a file
 * @source: source
 * @ret: the generation; odd while an edit is in progress
 *
 * This is a single load if the file is mapped. Every edit changes the generation, so a
 * caller detects changes by comparing it with the generation of its last snapshot.
 *
 * Return: NULL, or an error if the file is not mapped and cannot be read.
 */
struct vitrine_error *vitrine_source_generation(struct vitrine_source *source,
						uint64_t *ret)
{
	uint64_t words[2];
	struct vitrine_error *err;
	ssize_t len;
	int fd = -1;

	if (source->map) {
		*ret = vtr_load_acquire((const uint64_t *)source->map + 1);
		*ret = le64toh(*ret);
		return NULL;
	}
	err = vtr_source_reopen(source, &fd);
	if (err)
		return err;
	len = vtr_read_full(fd, words, sizeof(words));
	if (len < 0)
		err = vtr_error_os(errno, source->path, "cannot read");
	else if (len < (ssize_t)sizeof(words))
		err = vitrine_error_create(EBADMSG, source->path, len, NULL,
					   "the file ends within the header");
	else
		*ret = le64toh(words[1]);
	close(fd);
	return err;
}

/* ---- Snapshots --------------------------------------------------------- */

static void observe(const struct vitrine_source *source, enum vitrine_step step)
{
	if (source->observe)
		source->observe(source->observe_ctx, step);
}

/* Check that all bytes loaded so far belong to @generation. */
static bool generation_holds(const struct vitrine_source *source,
			     uint64_t generation)
{
	const uint64_t *header = (const uint64_t *)source->map;

	vtr_read_fence();
	return vtr_load_once(&header[1]) == generation;
}

/* Return the size of the tree from its header, or else from its file; 0 if unknown. */
static size_t live_size_bytes(const struct vitrine_source *source)
{
	const uint64_t *header = (const uint64_t *)source->map;
	uint64_t word0 = le64toh(vtr_load_once(&header[0]));
	uint64_t size = 0;

	if (word0 & INSPECT_W0_ORDER)
		size = le64toh(vtr_load_once(&header[2])) &
			INSPECT_W2_HEADER_SIZE;
	if (!size)
		size = source->file_bytes;
	return size <= INSPECT_MAX_FILE_BYTES ? size : 0;
}

/* Copy the tree, and add the number of bytes copied to @copied. */
static bool copy_stable(struct buffer *to, const struct vitrine_source *source,
			uint64_t generation, size_t *copied)
{
	size_t chunk = source->observe ? INSPECT_MIN_BLOCK_BYTES : CHUNK_BYTES;
	size_t done = 0;

	while (done < to->len) {
		size_t n = to->len - done < chunk ? to->len - done : chunk;

		memcpy(to->bytes + done, source->map + done, n);
		done += n;
		*copied += n;
		if (done == to->len)
			break;
		observe(source, VITRINE_STEP_CHUNK);
		if (!generation_holds(source, generation))
			return false;
	}
	observe(source, VITRINE_STEP_COPY);
	return generation_holds(source, generation);
}

static enum attempt snapshot_copy(struct buffer *to,
				  struct vitrine_source *source, size_t *copied)
{
	const uint64_t *header = (const uint64_t *)source->map;
	uint64_t generation;
	size_t size;

	generation = vtr_load_acquire(&header[1]);
	if (le64toh(generation) & 1)
		return ATTEMPT_LOST;
	observe(source, VITRINE_STEP_GENERATION);

	size = live_size_bytes(source);
	observe(source, VITRINE_STEP_SIZE);
	if (!generation_holds(source, generation))
		return ATTEMPT_LOST;
	if (size < INSPECT_MIN_BLOCK_BYTES || !vtr_source_extend(source, size))
		return ATTEMPT_UNMAPPABLE;

	if (!GROW_BYTES(to->bytes, to->capacity, size))
		return ATTEMPT_NO_MEMORY;
	to->len = size;
	return copy_stable(to, source, generation, copied) ? ATTEMPT_TAKEN :
							     ATTEMPT_LOST;
}

static void back_off(unsigned int attempt)
{
	unsigned int i;

	for (i = 0; i < 1U << attempt; i++)
		vtr_cpu_relax();
}

/* Copy the mapping in several attempts; ATTEMPT_LOST if an edit defeated each of them. */
static enum attempt take_mapped(struct buffer *to, struct vitrine_source *source)
{
	size_t copied = 0;
	unsigned int i;

	for (i = 0; i < MAX_ATTEMPTS; i++) {
		enum attempt attempt = snapshot_copy(to, source, &copied);

		if (attempt != ATTEMPT_LOST)
			return attempt;
		observe(source, VITRINE_STEP_RETRY);
		if (copied >= READ_COPIES * to->len + READ_CALL_BYTES)
			break;
		back_off(i);
	}
	return ATTEMPT_LOST;
}

static struct vitrine_error *error_foreign(const struct buffer *buffer,
					   const char *path)
{
	if (vitrine_format_detect(buffer->bytes, buffer->len) ==
	    VITRINE_FORMAT_FXT)
		return vitrine_error_create(EBADMSG, path, 0,
					    "print it with `vitrine print'",
					    "this is a Fuchsia trace, not an Inspect file");
	if (!buffer->len)
		return vitrine_error_create(EBADMSG, path, 0, NULL,
					    "the file is empty");
	if (buffer->len < INSPECT_MIN_BLOCK_BYTES)
		return vitrine_error_create(EBADMSG, path, buffer->len, NULL,
					    "the file ends within its header");
	return vitrine_error_create(EBADMSG, path, 0, NULL,
				    "not an Inspect file: no magic number \"INSP\"");
}

static bool is_inspect(const struct buffer *buffer)
{
	return buffer->len >= INSPECT_MIN_BLOCK_BYTES &&
		vitrine_format_detect(buffer->bytes, buffer->len) ==
		VITRINE_FORMAT_INSPECT;
}

/* Read @fd to its end, after a check of the first block. */
static struct vitrine_error *read_all(struct buffer *to, int fd,
				      const char *path)
{
	size_t want = INSPECT_MIN_BLOCK_BYTES;
	ssize_t n;

	to->len = 0;
	for (;;) {
		if (!GROW_BYTES(to->bytes, to->capacity, want))
			return vtr_error_no_memory();
		n = vtr_read_full(fd, to->bytes + to->len, want - to->len);
		if (n < 0)
			return vtr_error_os(errno, path, "cannot read");
		to->len += n;
		if (!is_inspect(to))
			return error_foreign(to, path);
		if (to->len < want)
			return NULL;
		if (to->len > INSPECT_MAX_FILE_BYTES)
			return vtr_error_too_large(path);
		want = want < FIRST_READ_BYTES ? FIRST_READ_BYTES : 2 * want;
		if (want > INSPECT_MAX_FILE_BYTES)
			want = INSPECT_MAX_FILE_BYTES + 1;
	}
}

static struct vitrine_error *take_read(struct buffer *to,
				       const struct vitrine_source *source)
{
	struct vitrine_error *err;
	int fd = -1;

	err = vtr_source_reopen(source, &fd);
	if (err)
		return err;
	err = read_all(to, fd, source->path);
	close(fd);
	return err;
}

static uint64_t buffer_generation(const struct buffer *buffer)
{
	uint64_t generation;

	memcpy(&generation, buffer->bytes + sizeof(generation),
	       sizeof(generation));
	return le64toh(generation);
}

static struct vitrine_error *take(struct buffer *to,
				  struct vitrine_source *source)
{
	struct vitrine_error *err;

	if (source->map) {
		switch (take_mapped(to, source)) {
		case ATTEMPT_TAKEN:
			if (is_inspect(to))
				return NULL;
			return error_foreign(to, source->path);
		case ATTEMPT_NO_MEMORY:
			return vtr_error_no_memory();
		case ATTEMPT_LOST:
		case ATTEMPT_UNMAPPABLE:
			break;
		}
		observe(source, VITRINE_STEP_READ);
	}
	err = take_read(to, source);
	if (err && err->code == ENOENT && source->map &&
	    take_mapped(to, source) == ATTEMPT_TAKEN && is_inspect(to)) {
		/* The publisher has removed the file, but its last state is still mapped. */
		vitrine_error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	if (source->map && buffer_generation(to) & 1)
		return vitrine_error_create(EAGAIN, source->path, 8,
					    "try again; if it stays so, the writer died within an edit",
					    "no consistent snapshot: generation 0x%llx is odd",
					    (unsigned long long)buffer_generation(to));
	return NULL;
}

/**
 * vitrine_snapshot_refresh() - replace a snapshot by a new one, reusing its memory
 * @snapshot: snapshot; unchanged on failure
 * @source: source, the same one as before or another
 *
 * A hierarchy built from the old snapshot must be destroyed first.
 *
 * Return: NULL, or an error: EAGAIN if the file was edited during each attempt, EBADMSG
 * if it is not an Inspect file, else as from open() and read().
 */
struct vitrine_error *vitrine_snapshot_refresh(struct vitrine_snapshot *snapshot,
					       struct vitrine_source *source)
{
	struct vitrine_error *err;
	struct buffer old;

	err = take(&snapshot->spare, source);
	if (err)
		return err;
	old = snapshot->taken;
	snapshot->taken = snapshot->spare;
	snapshot->spare = old;
	return NULL;
}

static struct vitrine_error *snapshot_new(const char *path,
					  struct vitrine_snapshot **ret)
{
	struct vitrine_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return vtr_error_no_memory();
	if (path) {
		snapshot->path = strdup(path);
		if (!snapshot->path) {
			free(snapshot);
			return vtr_error_no_memory();
		}
	}
	*ret = snapshot;
	return NULL;
}

/**
 * vitrine_snapshot_create() - take a consistent copy of a file
 * @source: source
 * @ret: the snapshot
 *
 * Return: NULL, or an error as from vitrine_snapshot_refresh().
 */
struct vitrine_error *vitrine_snapshot_create(struct vitrine_source *source,
					      struct vitrine_snapshot **ret)
{
	struct vitrine_snapshot *snapshot;
	struct vitrine_error *err;

	err = snapshot_new(source->path, &snapshot);
	if (err)
		return err;
	err = vitrine_snapshot_refresh(snapshot, source);
	if (err) {
		vitrine_snapshot_destroy(snapshot);
		return err;
	}
	*ret = snapshot;
	return NULL;
}

/**
 * vitrine_snapshot_from_bytes() - create a snapshot from bytes in memory
 * @bytes: content of an Inspect file; copied
 * @len_bytes: length of @bytes
 * @path: path for error messages, or NULL
 * @ret: the snapshot
 *
 * Return: NULL, or an error: EBADMSG if @bytes are not an Inspect file, EFBIG if they are
 * longer than the format allows.
 */
struct vitrine_error *vitrine_snapshot_from_bytes(const void *bytes,
						  size_t len_bytes,
						  const char *path,
						  struct vitrine_snapshot **ret)
{
	struct vitrine_snapshot *snapshot;
	struct vitrine_error *err;
	struct buffer *taken;

	if (len_bytes > INSPECT_MAX_FILE_BYTES)
		return vtr_error_too_large(path);
	err = snapshot_new(path, &snapshot);
	if (err)
		return err;
	taken = &snapshot->taken;
	if (GROW_BYTES(taken->bytes, taken->capacity, len_bytes ? len_bytes : 1)) {
		taken->len = len_bytes;
		if (len_bytes)
			memcpy(taken->bytes, bytes, len_bytes);
		err = is_inspect(taken) ? NULL : error_foreign(taken, path);
	} else {
		err = vtr_error_no_memory();
	}
	if (err)
		vitrine_snapshot_destroy(snapshot);
	else
		*ret = snapshot;
	return err;
}

/**
 * vitrine_snapshot_destroy() - free a snapshot
 * @snapshot: snapshot, or NULL
 */
void vitrine_snapshot_destroy(struct vitrine_snapshot *snapshot)
{
	if (!snapshot)
		return;
	free(snapshot->path);
	free(snapshot->taken.bytes);
	free(snapshot->spare.bytes);
	free(snapshot);
}

/**
 * vitrine_snapshot_bytes() - return the bytes of a snapshot
 * @snapshot: snapshot
 * @ret_len: number of bytes
 *
 * Return: the bytes, valid until the snapshot is refreshed or destroyed.
 */
const void *vitrine_snapshot_bytes(const struct vitrine_snapshot *snapshot,
				   size_t *ret_len)
{
	*ret_len = snapshot->taken.len;
	return snapshot->taken.bytes;
}

/**
 * vitrine_snapshot_path() - return the path of the file of a snapshot
 * @snapshot: snapshot
 *
 * Return: the path, or NULL if the snapshot was created from bytes without a path.
 */
const char *vitrine_snapshot_path(const struct vitrine_snapshot *snapshot)
{
	return snapshot->path;
}

/**
 * vitrine_snapshot_generation() - return the generation of a snapshot
 * @snapshot: snapshot
 *
 * Return: the generation; odd only if a saved file was saved during an edit.
 */
uint64_t vitrine_snapshot_generation(const struct vitrine_snapshot *snapshot)
{
	return buffer_generation(&snapshot->taken);
}
