// SPDX-License-Identifier: GPL-2.0
/*
 *	map_hold FILE [SETTING VALUE]
 *
 * Map FILE, close it, and check that the module cannot be unloaded until the file is
 * unmapped. With SETTING, write VALUE to it meanwhile, which begins a new session, and
 * check that the mapping still has the old contents. Exits with 0 on success.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "system.h"

static int unload(void)
{
	return syscall(SYS_delete_module, "vitrine", O_NONBLOCK) ? errno : 0;
}

int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE);
	char before[32];
	char *map;
	int fd;

	if (argc != 2 && argc != 4)
		errx(2, "usage: map_hold FILE [SETTING VALUE]");
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		err(1, "%s", argv[1]);
	map = mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		err(1, "%s", argv[1]);
	close(fd);

	/* the constant part: a header's first word, a producer page's fields */
	memcpy(before, map + (argc == 4 ? page : 0), 8);
	if (argc == 4)
		write_word(argv[2], argv[3]);
	if (memcmp(before, map + (argc == 4 ? page : 0), 8))
		errx(1, "%s: the mapping changed", argv[1]);
	if (unload() != EWOULDBLOCK)
		errx(1, "the module could be unloaded while mapped");
	munmap(map, 4 * page);
	return 0;
}
