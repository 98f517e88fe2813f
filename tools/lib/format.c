// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Detect the format of a file from its first bytes.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/fxt.h>
#include <vitrine/inspect.h>

#include "error.h"

/**
 * vitrine_format_detect() - detect a format by its magic number
 * @bytes: start of the file
 * @len_bytes: how much of it there is; VITRINE_FORMAT_BYTES are enough
 *
 * Return: the format, VITRINE_FORMAT_UNKNOWN for anything else.
 */
enum vitrine_format vitrine_format_detect(const void *bytes, size_t len_bytes)
{
	uint64_t word;

	if (len_bytes < sizeof(word))
		return VITRINE_FORMAT_UNKNOWN;
	memcpy(&word, bytes, sizeof(word));

	/* FXT comes in its writer's byte order. */
	if (word == FXT_MAGIC_RECORD ||
	    word == __builtin_bswap64(FXT_MAGIC_RECORD))
		return VITRINE_FORMAT_FXT;

	word = le64toh(word);
	if (word >> 32 == INSPECT_MAGIC &&
	    (word & INSPECT_W0_TYPE) >> 8 == INSPECT_HEADER)
		return VITRINE_FORMAT_INSPECT;
	return VITRINE_FORMAT_UNKNOWN;
}

/**
 * vtr_read_full() - read a number of bytes, or up to the end of the file
 * @fd: file
 * @buffer: receives the bytes
 * @len_bytes: how much
 *
 * Return: bytes read, less than @len_bytes only at the end, -1 with errno.
 */
ssize_t vtr_read_full(int fd, void *buffer, size_t len_bytes)
{
	size_t done = 0;

	while (done < len_bytes) {
		ssize_t n = read(fd, (char *)buffer + done, len_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += n;
	}
	return done;
}

/**
 * vitrine_format_of_file() - open a file and tell its format
 * @path: file
 * @ret: the format
 *
 * Return: NULL, or an error if the file cannot be read.
 */
struct vitrine_error *vitrine_format_of_file(const char *path,
					     enum vitrine_format *ret)
{
	char bytes[VITRINE_FORMAT_BYTES];
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_open(errno, path);
	len = vtr_read_full(fd, bytes, sizeof(bytes));
	if (len < 0) {
		int code = errno;

		close(fd);
		return vtr_error_os(code, path, "cannot read");
	}
	close(fd);
	*ret = vitrine_format_detect(bytes, len);
	return NULL;
}
