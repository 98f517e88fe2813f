// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files without a name, for what does not fit into memory: they are gone with
 * their last descriptor, however the program ends.
 */
#define _GNU_SOURCE	/* O_TMPFILE, mkostemp() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unnamed.h"

/**
 * vtr_unnamed_open() - open a new file without a name
 *
 * It is in the directory TMPDIR, or in /var/tmp, which is on a disk.
 *
 * Return: a descriptor to read and write it, or -1 with errno.
 */
int vtr_unnamed_open(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		snprintf(name, sizeof(name), "%s/vitrine.XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	return fd;
}
