// SPDX-License-Identifier: GPL-2.0
/*
 * Compressed dumps of makedumpfile: a helper program with libkdumpfile writes their
 * memory into a temporary file, with holes where the machine has none.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "helper.h"
#include "kdump.h"
#include "temporary.h"

static const struct helper reader = {
	.name = "read-kdump",
	.library = "libkdumpfile",
	.purpose = "a compressed dump",
	.install = "install the package vitrine-tools; to build it, libkdumpfile-dev",
	.advice = "it may be truncated; try to open it with `crash'",
};

/**
 * kdump_detect() - detect a compressed dump
 * @bytes: first bytes of the file
 * @len_bytes: length of @bytes in bytes
 *
 * Return: true if it is one.
 */
bool kdump_detect(const void *bytes, size_t len_bytes)
{
	static const char * const magics[] = { "KDUMP   ", "DISKDUMP" };
	size_t i, len;

	for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		len = strlen(magics[i]);
		if (len_bytes >= len && !memcmp(bytes, magics[i], len))
			return true;
	}
	return false;
}

/**
 * kdump_expand() - expand a compressed dump
 * @path: the dump
 * @ret: an anonymous file with the memory from address 0 on
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *kdump_expand(const char *path, int *ret)
{
	struct vitrine_error *err;
	struct helper_run run;
	int fd;

	fd = vtr_temporary_anonymous();
	if (fd < 0)
		return vtr_error_os(errno, path, "cannot create a temporary file for its memory");
	err = helper_start(&reader, path, -1, fd, &run);
	if (!err)
		err = helper_finish(&reader, path, &run);
	if (err)
		close(fd);
	else
		*ret = fd;
	return err;
}
