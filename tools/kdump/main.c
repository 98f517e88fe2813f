// SPDX-License-Identifier: GPL-2.0
/*
 * read-kdump DUMP: read a compressed dump with libkdumpfile, and write its memory to
 * standard output, which is a file: each page at its physical address. `vitrine recover'
 * runs this program. It is separate so that the command does not depend on libkdumpfile,
 * and survives if the library crashes on a malformed file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <libkdumpfile/kdumpfile.h>

#include "helpers.h"

#define MAX_PAGE_BYTES	65536U

static void write_page(const char *bytes, size_t len_bytes, uint64_t address)
{
	ssize_t len;

	while (len_bytes) {
		len = pwrite(STDOUT_FILENO, bytes, len_bytes, address);
		if (len < 0 && errno != EINTR)
			helper_fail(errno, "cannot write its memory to a temporary file", "");
		if (len < 0)
			continue;
		bytes += len;
		address += len;
		len_bytes -= len;
	}
}

static void write_pages(kdump_ctx_t *dump, kdump_bmp_t *pages, size_t page_bytes)
{
	static char bytes[MAX_PAGE_BYTES];
	kdump_addr_t number = 0;
	size_t len_bytes;

	for (; kdump_bmp_find_set(pages, &number) == KDUMP_OK; number++) {
		len_bytes = page_bytes;
		if (kdump_read(dump, KDUMP_MACHPHYSADDR, number * page_bytes,
			       bytes, &len_bytes) != KDUMP_OK)
			helper_fail(EBADMSG, kdump_get_err(dump), "");
		write_page(bytes, page_bytes, number * page_bytes);
	}
}

static void write_memory(kdump_ctx_t *dump, int fd)
{
	kdump_attr_t pages = { .type = KDUMP_BITMAP };
	kdump_num_t page_bytes;

	if (kdump_open_fd(dump, fd) != KDUMP_OK ||
	    kdump_get_number_attr(dump, KDUMP_ATTR_PAGE_SIZE, &page_bytes) !=
	    KDUMP_OK ||
	    kdump_get_typed_attr(dump, KDUMP_ATTR_FILE_PAGEMAP, &pages) !=
	    KDUMP_OK)
		helper_fail(EBADMSG, kdump_get_err(dump), "");
	if (page_bytes > MAX_PAGE_BYTES)
		helper_fail(EBADMSG, "its page size is larger than that of any supported machine",
			    "");
	write_pages(dump, pages.val.bitmap, page_bytes);
	kdump_bmp_decref(pages.val.bitmap);
}

/**
 * main() - write the memory in a dump to standard output
 * @argc: 2
 * @argv: name of the program, name of the dump
 *
 * Return: EXIT_SUCCESS; EXIT_FAILURE after an error was reported as helpers.h describes.
 */
int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDONLY | O_CLOEXEC);
	kdump_ctx_t *dump;

	if (fd < 0)
		helper_fail(errno, "cannot open", "");
	dump = kdump_new();
	if (!dump)
		helper_fail(ENOMEM, "out of memory", "");
	write_memory(dump, fd);
	kdump_free(dump);
	close(fd);
	return EXIT_SUCCESS;
}
