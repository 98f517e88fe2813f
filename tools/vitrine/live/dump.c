// SPDX-License-Identifier: GPL-2.0
/*
 * A memory dump: raw from address 0 on, as written by QEMU's pmemsave; an ELF core,
 * as written by dump-guest-memory or read from /proc/vmcore; or compressed, as
 * written by makedumpfile. Nothing in the file is trusted.
 */
#define _GNU_SOURCE	/* SEEK_DATA */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump.h"
#include "error.h"
#include "grow.h"
#include "kdump.h"

/* A longer hole in a raw dump is not memory. */
#define MAX_HOLE_BYTES	(64U << 20)

static struct vitrine_error *map_file(const char *path, int fd,
				      struct dump *dump)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status))
		return vtr_error_os(errno, path, "cannot open");
	if (!S_ISREG(status.st_mode) || status.st_size < DUMP_PAGE_BYTES)
		return vitrine_error_create(EBADMSG, path, VITRINE_NO_OFFSET,
					    NULL, "the dump contains no page of memory");
	bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return vtr_error_os(errno, path, "cannot map");
	dump->bytes = bytes;
	dump->len_bytes = status.st_size;
	return NULL;
}

/* Add a segment; false without memory. */
static bool add_segment(struct dump *dump, uint64_t address, uint64_t offset,
			uint64_t len_bytes)
{
	size_t nr = dump->nr_segments;

	if (offset >= dump->len_bytes)
		return true;
	if (len_bytes > dump->len_bytes - offset)
		len_bytes = dump->len_bytes - offset;
	if (!GROW(dump->segments, nr))
		return false;
	dump->segments[dump->nr_segments++] = (struct dump_segment){
		.address = address,
		.len_bytes = len_bytes,
		.bytes = dump->bytes + offset,
	};
	return true;
}

/* Add the memory from address 0 on; short holes in the file read as 0. */
static bool add_memory(struct dump *dump, int fd)
{
	off_t begin = lseek(fd, 0, SEEK_DATA), end, next;

	for (; begin >= 0; begin = next) {
		next = begin;
		do {
			end = lseek(fd, next, SEEK_HOLE);
			next = lseek(fd, end, SEEK_DATA);
		} while (next >= 0 && next - end <= MAX_HOLE_BYTES);
		if (!add_segment(dump, begin, begin, end - begin))
			return false;
	}
	return true;
}

/* With too many segments for the header, the first section has their number. */
static uint64_t nr_programs(const struct dump *dump, const Elf64_Ehdr *header)
{
	Elf64_Shdr section;

	if (header->e_phnum != PN_XNUM)
		return header->e_phnum;
	if (header->e_shoff > dump->len_bytes - sizeof(section))
		return 0;
	memcpy(&section, dump->bytes + header->e_shoff, sizeof(section));
	return section.sh_info;
}

static bool add_core(struct dump *dump, const Elf64_Ehdr *header)
{
	uint64_t i, nr = nr_programs(dump, header);
	Elf64_Phdr program;

	for (i = 0; i < nr; i++) {
		memcpy(&program,
		       dump->bytes + header->e_phoff + i * sizeof(program),
		       sizeof(program));
		if (program.p_type == PT_LOAD && program.p_filesz &&
		    !add_segment(dump, program.p_paddr, program.p_offset,
				 program.p_filesz))
			return false;
	}
	return true;
}

static bool is_core(const struct dump *dump, Elf64_Ehdr *ret)
{
	memcpy(ret, dump->bytes, sizeof(*ret));
	return !memcmp(ret->e_ident, ELFMAG, SELFMAG) &&
	       ret->e_ident[EI_CLASS] == ELFCLASS64 &&
	       ret->e_ident[EI_DATA] == ELFDATA2LSB &&
	       ret->e_type == ET_CORE &&
	       ret->e_phentsize == sizeof(Elf64_Phdr) &&
	       ret->e_phoff < dump->len_bytes &&
	       nr_programs(dump, ret) <= (dump->len_bytes - ret->e_phoff) /
					 sizeof(Elf64_Phdr);
}

static int compare_segments(const void *left, const void *right)
{
	const struct dump_segment *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static struct vitrine_error *find_segments(struct dump *dump, int fd,
					   const char *path)
{
	Elf64_Ehdr header;
	bool good;

	good = is_core(dump, &header) ? add_core(dump, &header) :
					add_memory(dump, fd);
	if (!good)
		return vtr_error_os(errno, path, "cannot read");
	qsort(dump->segments, dump->nr_segments, sizeof(*dump->segments),
	      compare_segments);
	return NULL;
}

/* Open the file or, for a compressed dump, its expanded copy. */
static struct vitrine_error *open_memory(const char *path, int *ret)
{
	char magic[8];
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_os(errno, path, "cannot open");
	len = pread(fd, magic, sizeof(magic), 0);
	if (len < 0 || !kdump_detect(magic, len)) {
		*ret = fd;
		return NULL;
	}
	close(fd);
	return kdump_expand(path, ret);
}

/**
 * dump_open() - open a dump
 * @path: the file
 * @dump: all zero; dump_close() it in any case
 *
 * Return: NULL, or an error of opening or mapping, EBADMSG, ENOMEM.
 */
struct vitrine_error *dump_open(const char *path, struct dump *dump)
{
	struct vitrine_error *err;
	int fd;

	err = open_memory(path, &fd);
	if (err)
		return err;
	err = map_file(path, fd, dump);
	if (!err)
		err = find_segments(dump, fd, path);
	close(fd);
	return err;
}

/**
 * dump_close() - close a dump
 * @dump: dump, also one that could not be opened
 */
void dump_close(struct dump *dump)
{
	if (dump->bytes)
		munmap((void *)dump->bytes, dump->len_bytes);
	free(dump->segments);
}

/**
 * dump_page() - find a page of the machine's memory
 * @dump: dump
 * @number: page frame number
 *
 * Return: its bytes, or NULL if the dump does not have it.
 */
const unsigned char *dump_page(const struct dump *dump, uint64_t number)
{
	size_t first = 0, end = dump->nr_segments, middle;
	const struct dump_segment *segment;
	uint64_t address, offset;

	if (number > UINT64_MAX / DUMP_PAGE_BYTES)
		return NULL;
	address = number * DUMP_PAGE_BYTES;
	/* Find the last segment that does not begin after the page. */
	while (first < end) {
		middle = first + (end - first) / 2;
		if (dump->segments[middle].address <= address)
			first = middle + 1;
		else
			end = middle;
	}
	if (!first)
		return NULL;
	segment = &dump->segments[first - 1];
	offset = address - segment->address;
	if (offset >= segment->len_bytes ||
	    segment->len_bytes - offset < DUMP_PAGE_BYTES)
		return NULL;
	return segment->bytes + offset;
}
