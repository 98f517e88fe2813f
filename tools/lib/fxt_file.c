// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open trace files.
 *
 * A regular file is mapped; it must not shrink while it is open. A file without a size
 * (a pipe, a file of debugfs) is read to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "fxt_file.h"
#include "grow.h"

#define READ_BYTES	(1U << 20)

/*
 * The most that one page fault maps: a folio of the page cache, which may be as large as
 * the range of one page table.
 */
#define FAULT_AROUND_BYTES	(2U << 20)

static struct vitrine_error *read_all(int fd, const char *path,
				      struct fxt_file *ret)
{
	struct fxt_file file = { 0 };
	size_t room = 0;
	ssize_t len;

	for (;;) {
		if (!GROW_BYTES(file.bytes, room, file.len_bytes + READ_BYTES)) {
			free(file.bytes);
			return vtr_error_no_memory();
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
	/* A merge reads at several places, each of which moves forwards. */
	madvise(bytes, status.st_size, MADV_SEQUENTIAL);
	ret->bytes = bytes;
	ret->len_bytes = status.st_size;
	ret->mapped = true;
	return NULL;
}

/**
 * fxt_file_open() - open a file and map or read its bytes
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
 * fxt_file_release() - release the memory of bytes that were read
 * @file: the file
 * @begin: first byte
 * @end: byte behind the last
 *
 * The bytes stay readable: the next access maps them again. The whole fault-around
 * window of each byte is released, since a page fault maps that much.
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
 * fxt_file_close() - unmap or free the bytes of a file
 * @file: file; all zero if it was never opened
 */
void fxt_file_close(struct fxt_file *file)
{
	if (!file->borrowed && file->mapped)
		munmap(file->bytes, file->len_bytes);
	else if (!file->borrowed)
		free(file->bytes);
	*file = (struct fxt_file){ 0 };
}
