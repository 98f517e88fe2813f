// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The bytes of a trace file, which may be larger than memory.
 *
 * A regular file is mapped; it must not shrink meanwhile. What has no size (a
 * pipe, a file of debugfs) is read to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "fxt.h"

#define READ_BYTES	(1U << 20)

/*
 * What one page fault may map: all of the page cache's folio, which may be as
 * large as what one page table maps.
 */
#define FAULT_AROUND_BYTES	(2U << 20)

static struct vitrine_error *read_all(int fd, const char *path,
				      struct fxt_file *ret)
{
	struct fxt_file file = { 0 };
	unsigned char *bigger;
	size_t room = 0;
	ssize_t len;

	for (;;) {
		if (room - file.len_bytes < READ_BYTES) {
			room = room ? room * 2 : 2 * READ_BYTES;
			bigger = realloc(file.bytes, room);
			if (!bigger) {
				free(file.bytes);
				return vtr_error_no_memory();
			}
			file.bytes = bigger;
		}
		len = read(fd, file.bytes + file.len_bytes, READ_BYTES);
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			break;
		file.len_bytes += len;
	}
	if (len < 0) {
		free(file.bytes);
		return vtr_error_os(errno, path, "cannot read");
	}
	*ret = file;
	return NULL;
}

static struct vitrine_error *load(int fd, const char *path,
				  struct fxt_file *ret)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status))
		return vtr_error_os(errno, path, "cannot read");
	if (!S_ISREG(status.st_mode) || !status.st_size)
		return read_all(fd, path, ret);
	bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return read_all(fd, path, ret);
	/* Merging reads at several places, each of them forwards. */
	madvise(bytes, status.st_size, MADV_SEQUENTIAL);
	ret->bytes = bytes;
	ret->len_bytes = status.st_size;
	ret->mapped = true;
	return NULL;
}

/**
 * fxt_file_open() - get at the bytes of a file
 * @path: the file
 * @ret: its bytes
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *fxt_file_open(const char *path, struct fxt_file *ret)
{
	struct vitrine_error *err;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_open(errno, path);
	*ret = (struct fxt_file){ 0 };
	err = load(fd, path, ret);
	close(fd);
	return err;
}

/**
 * fxt_file_release() - give memory back that is not needed for now
 * @file: the file
 * @begin: first byte
 * @end: byte behind the last
 *
 * The bytes stay readable; they come from the file again. A page fault maps
 * its neighbourhood too, so that is what is given back.
 */
void fxt_file_release(const struct fxt_file *file, uint64_t begin,
		      uint64_t end)
{
	if (!file->mapped)
		return;
	begin &= ~(uint64_t)(FAULT_AROUND_BYTES - 1);
	end = (end + FAULT_AROUND_BYTES - 1) & ~(uint64_t)(FAULT_AROUND_BYTES - 1);
	if (end > file->len_bytes)
		end = file->len_bytes;
	madvise(file->bytes + begin, end - begin, MADV_DONTNEED);
}

/**
 * fxt_file_close() - let go of the bytes
 * @file: file, or one that was never opened and is all zero
 */
void fxt_file_close(struct fxt_file *file)
{
	if (file->mapped)
		munmap(file->bytes, file->len_bytes);
	else if (!file->borrowed)
		free(file->bytes);
	*file = (struct fxt_file){ 0 };
}
