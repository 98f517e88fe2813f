// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions of mappings: all are read-only and shared, except for the consumer page;
 * none extends beyond the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "selftest.h"

#define RING		TRACE_DIR "cpu0"
#define ARCHIVE		TRACE_DIR "trace.fxt"
#define TREE		INSPECT_DIR "system.inspect"
#define RW		(PROT_READ | PROT_WRITE)

static long page;

/* Return the errno of mapping @nr_pages of @path from page @first, 0 on success. */
static int try_map(const char *path, int open_flags, long first, long nr_pages, int prot, int flags)
{
	int fd = open(path, open_flags), err = 0;
	void *map;

	if (fd < 0)
		return errno;
	map = mmap(NULL, nr_pages * page, prot, flags, fd, first * page);
	if (map == MAP_FAILED)
		err = errno;
	else
		munmap(map, nr_pages * page);
	close(fd);
	return err;
}

struct attempt {
	const char *what;
	const char *path;
	int open_flags;
	long first, nr_pages;
	int prot, flags;
	int wanted;
};

static const struct attempt attempts[] = {
	{ "tree: shared, read-only", TREE, O_RDONLY, 0, 1, PROT_READ, MAP_SHARED, 0 },
	{ "tree: writable, opened read-only", TREE, O_RDONLY, 0, 1, RW, MAP_SHARED, EACCES },
	{ "tree: writable", TREE, O_RDWR, 0, 1, RW, MAP_SHARED, EPERM },
	{ "tree: write-only", TREE, O_RDWR, 0, 1, PROT_WRITE, MAP_SHARED, EPERM },
	{ "tree: private", TREE, O_RDONLY, 0, 1, PROT_READ, MAP_PRIVATE, EPERM },
	{ "tree: private and writable", TREE, O_RDONLY, 0, 1, RW, MAP_PRIVATE, EPERM },
	{ "tree: executable", TREE, O_RDONLY, 0, 1, PROT_READ | PROT_EXEC, MAP_SHARED, EPERM },
	{ "tree: past the end", TREE, O_RDONLY, 0, 1L << 17, PROT_READ, MAP_SHARED, EINVAL },
	{ "tree: wholly past the end", TREE, O_RDONLY, 1L << 20, 1, PROT_READ, MAP_SHARED, EINVAL },
	{ "ring: shared, read-only", RING, O_RDONLY, 0, 258, PROT_READ, MAP_SHARED, 0 },
	{ "ring: consumer page writable", RING, O_RDWR, 0, 1, RW, MAP_SHARED, 0 },
	{ "ring: consumer and producer pages writable", RING, O_RDWR, 0, 2, RW, MAP_SHARED, EPERM },
	{ "ring: producer page writable", RING, O_RDWR, 1, 1, RW, MAP_SHARED, EPERM },
	{ "ring: sub-buffer writable", RING, O_RDWR, 2, 1, RW, MAP_SHARED, EPERM },
	{ "ring: private", RING, O_RDWR, 0, 1, PROT_READ, MAP_PRIVATE, EPERM },
	{ "ring: private and writable", RING, O_RDWR, 0, 1, RW, MAP_PRIVATE, EPERM },
	{ "ring: executable", RING, O_RDWR, 0, 1, PROT_READ | PROT_EXEC, MAP_SHARED, EPERM },
	{ "ring: one page too many", RING, O_RDONLY, 0, 259, PROT_READ, MAP_SHARED, EINVAL },
	{ "ring: one page past the end", RING, O_RDONLY, 258, 1, PROT_READ, MAP_SHARED, EINVAL },
	{ "archive: cannot be mapped", ARCHIVE, O_RDONLY, 0, 1, PROT_READ, MAP_SHARED, ENODEV },
};

static void test_attempts(void)
{
	const struct attempt *a;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(attempts); i++) {
		a = &attempts[i];
		err = try_map(a->path, a->open_flags, a->first, a->nr_pages, a->prot, a->flags);
		ksft_test_result(err == a->wanted, "%s: %s\n", a->what,
				 err ? strerrorname_np(err) : "allowed");
	}
}

/* A valid mapping cannot be changed into an invalid one. */
static void test_changes(void)
{
	int tree = open(TREE, O_RDWR), ring = open(RING, O_RDWR);
	void *map;

	map = mmap(NULL, page, PROT_READ, MAP_SHARED, tree, 0);
	ksft_test_result(mprotect(map, page, RW) &&
			 errno == EACCES, "tree: made writable later\n");
	ksft_test_result(mprotect(map, page, PROT_READ | PROT_EXEC) &&
			 errno == EACCES, "tree: made executable later\n");
	ksft_test_result(mremap(map, page, 2 * page, MREMAP_MAYMOVE) ==
			 MAP_FAILED && errno == EFAULT, "tree: grown later\n");
	munmap(map, page);

	map = mmap(NULL, page, PROT_READ, MAP_SHARED, ring, page);
	ksft_test_result(mprotect(map, page, RW) && errno == EACCES,
			 "ring: producer page made writable later\n");
	munmap(map, page);
	close(tree);
	close(ring);
}

static sigjmp_buf fault;

static void on_fault(int signo)
{
	siglongjmp(fault, signo);
}

/* A mapping may be longer than the tree currently is; its last pages do not exist. */
static void test_hole(void)
{
	int fd = open(TREE, O_RDONLY);
	const uint64_t *words;
	uint32_t size;
	int signo;

	words = mmap(NULL, 16 * page, PROT_READ, MAP_SHARED, fd, 0);
	size = words[2] & INSPECT_W2_HEADER_SIZE;
	ksft_test_result(size >= page && size < 16 * page && !(size % page),
			 "tree: says how long it is: %u\n", size);
	signal(SIGBUS, on_fault);
	signo = sigsetjmp(fault, 1);
	if (!signo) {
		__atomic_load_n(&words[15 * page / 8], __ATOMIC_RELAXED);
		signo = -1;
	}
	ksft_test_result(signo == SIGBUS, "tree: SIGBUS past its pages\n");
	signal(SIGBUS, SIG_DFL);
	munmap((void *)words, 16 * page);
	close(fd);
}

static void test_producer(void)
{
	int fd = open(RING, O_RDONLY);
	const struct vitrine_ring_producer *producer;

	producer = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, page);
	ksft_test_result(producer->version == VITRINE_MAP_VERSION &&
			 producer->length == sizeof(*producer) && producer->cpu == 0 &&
			 producer->session == 1 && producer->nr_subbufs == 16 &&
			 producer->subbuf_bytes == 65536 && producer->ticks_per_second,
			 "ring: producer page describes the ring\n");
	munmap((void *)producer, page);
	close(fd);
}

static void test_writes(void)
{
	int fd = open(TREE, O_RDWR);

	ksft_test_result(write(fd, "x", 1) < 0 && errno == EINVAL, "tree: write() refused\n");
	ksft_test_result(ioctl(fd, 0, 0) && errno == ENOTTY, "tree: ioctl() refused\n");
	close(fd);
	fd = open(ARCHIVE, O_RDWR);
	ksft_test_result(write(fd, "x", 1) < 0 && errno == EINVAL, "archive: write() refused\n");
	close(fd);
}

int main(void)
{
	page = sysconf(_SC_PAGESIZE);
	ksft_print_header();
	load_module("vitrine", "");
	ksft_set_plan(ARRAY_SIZE(attempts) + 4 + 2 + 1 + 3);
	test_attempts();
	test_changes();
	test_hole();
	test_producer();
	test_writes();
	unload_module("vitrine");
	ksft_finished();
}
