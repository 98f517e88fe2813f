// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open a file of Inspect bytes: map it if it is live, else leave it to read().
 *
 * A file in debugfs has no size of its own (st_size is 0): the header in its
 * first page says how far the tree reaches, and pages beyond that raise SIGBUS.
 * So only the first page is mapped here, and snapshot.c extends the mapping to
 * what a header says that it has found stable. Trees grow and never shrink.
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
 * Return: whether @len_bytes are mapped now.
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

/* Whether, and how much of, the file may be mapped. */
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
 * vitrine_source_create() - open a file to take snapshots of
 * @path: file, live in debugfs or saved
 * @flags: VITRINE_SOURCE_MAP or VITRINE_SOURCE_READ to have it one way only
 * @ret: the source
 *
 * A live file that cannot be mapped (under lockdown, say) is read instead.
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
 * vitrine_source_destroy() - unmap and close
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
 * vtr_source_reopen() - open the source's file once more
 * @source: source
 * @ret: descriptor
 *
 * The kernel takes the bytes that read() returns when the file is opened.
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
 * vitrine_source_path() - the path a source was made with
 * @source: source
 *
 * Return: the path, good as long as the source.
 */
const char *vitrine_source_path(const struct vitrine_source *source)
{
	return source->path;
}

/**
 * vitrine_source_mapped() - whether a source is read through a mapping
 * @source: source
 *
 * Return: whether it is; if not, every snapshot is a read() of the file.
 */
bool vitrine_source_mapped(const struct vitrine_source *source)
{
	return source->map;
}

/**
 * vitrine_source_observe() - have a function called while snapshots are taken
 * @source: source
 * @observe: function, or NULL for none
 * @ctx: for @observe
 *
 * For tests, which change the file between two exact steps. With a function
 * set, the copy is made in chunks of one block, VITRINE_STEP_CHUNK after each.
 */
void vitrine_source_observe(struct vitrine_source *source,
			    vitrine_observe_fn *observe, void *ctx)
{
	source->observe = observe;
	source->observe_ctx = ctx;
}

/**
 * vitrine_source_generation() - the generation a file has now
 * @source: source
 * @ret: the generation; odd while an edit is under way
 *
 * Cheap on a mapping: one load. It changes with every edit, so whoever waits
 * for changes compares it with that of the snapshot last taken.
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
