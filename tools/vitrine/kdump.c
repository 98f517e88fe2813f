// SPDX-License-Identifier: GPL-2.0
/*
 * Compressed dumps, as makedumpfile writes them: a program of ours writes their memory
 * to a temporary file, with holes where there is none.
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
	.advice = "it may be cut short; see what `crash' says of it",
};

/**
 * kdump_detect() - is this a compressed dump?
 * @bytes: its first bytes
 * @len_bytes: how many
 *
 * Return: true if it begins as one does.
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
 * kdump_expand() - make memory as it was of a compressed dump
 * @path: the dump
 * @ret: a file without a name, from address 0 on
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
		return vtr_error_os(errno, path, "cannot make a temporary file for what is in it");
	err = helper_start(&reader, path, fd, &run);
	if (!err)
		err = helper_finish(&reader, path, &run);
	if (err)
		close(fd);
	else
		*ret = fd;
	return err;
}
