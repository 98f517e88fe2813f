// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open a file of Inspect bytes: map it if it is live, else read it later.
 *
 * A file in debugfs has no size of its own (st_size is 0): the header in its first page
 * says how far the tree reaches, and an access beyond raises SIGBUS. Only the first page
 * is mapped here; snapshot.c extends the mapping to the size in a header that it has found
 * stable. Trees grow and never shrink.
 *
 * A source is used by one thread at a time.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <vitrine/inspect.h>

#include "barrier.h"
#include "error.h"
#include "source.h"

static size_t page_round_up(size_t len_bytes)
{
	size_t page_bytes = sysconf(_SC_PAGESIZE);

	return (len_bytes + page_bytes - 1) & ~(page_bytes - 1);
}

/**
 * vtr_source_extend() - map more of a live file
 * @source: source with a mapping
 * @len_bytes: bytes that must be mapped, from the start of the file
 *
 * The start of the mapping may move.
 *
 * Return: true if @len_bytes are mapped now.
 */
bool vtr_source_extend(struct vitrine_source *source, size_t len_bytes)
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
	source->flags = flags;
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
 * vtr_source_reopen() - open the file of a source once more
 * @source: source
 * @ret: descriptor
 *
 * In debugfs, the kernel takes the snapshot that read() returns at open().
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *vtr_source_reopen(const struct vitrine_source *source,
					int *ret)
{
	int fd = open(source->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return vtr_error_open(errno, source->path);
	*ret = fd;
	return NULL;
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
	int fd;

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
