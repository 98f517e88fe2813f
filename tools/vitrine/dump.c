// SPDX-License-Identifier: GPL-2.0
/*
 * A dump of a machine's memory: raw from address 0 on, as QEMU's pmemsave and
 * others write it, or an ELF core, as its dump-guest-memory and /proc/vmcore
 * have it. Nothing in it is believed.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump.h"

static struct vitrine_error *cannot(const char *action, const char *path)
{
	return vitrine_error_create(errno, path, VITRINE_NO_OFFSET, NULL,
				    "cannot %s: %s", action, strerror(errno));
}

static struct vitrine_error *map_file(const char *path, int fd,
				      struct dump *dump)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status))
		return cannot("open", path);
	if (!S_ISREG(status.st_mode) || status.st_size < DUMP_PAGE_BYTES)
		return vitrine_error_create(EBADMSG, path, VITRINE_NO_OFFSET,
					    NULL, "no file with a page of memory in it");
	bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return cannot("map", path);
	dump->bytes = bytes;
	dump->len_bytes = status.st_size;
	return NULL;
}

static void add_segment(struct dump *dump, uint64_t address, uint64_t offset,
			uint64_t len_bytes)
{
	if (offset >= dump->len_bytes)
		return;
	if (len_bytes > dump->len_bytes - offset)
		len_bytes = dump->len_bytes - offset;
	dump->segments[dump->nr_segments++] = (struct dump_segment){
		.address = address,
		.len_bytes = len_bytes,
		.bytes = dump->bytes + offset,
	};
}

/* A core with too many segments for its header has their number in a section. */
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

static void add_core(struct dump *dump, const Elf64_Ehdr *header)
{
	uint64_t i, nr = nr_programs(dump, header);
	Elf64_Phdr program;

	for (i = 0; i < nr; i++) {
		memcpy(&program,
		       dump->bytes + header->e_phoff + i * sizeof(program),
		       sizeof(program));
		if (program.p_type == PT_LOAD && program.p_filesz)
			add_segment(dump, program.p_paddr, program.p_offset,
				    program.p_filesz);
	}
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

/**
 * dump_open() - open a dump
 * @path: the file
 * @dump: zeroed storage; dump_close() it in any case
 *
 * Return: NULL, or an error of opening or mapping, EBADMSG, ENOMEM.
 */
struct vitrine_error *dump_open(const char *path, struct dump *dump)
{
	struct vitrine_error *err;
	Elf64_Ehdr header;
	bool core;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cannot("open", path);
	err = map_file(path, fd, dump);
	close(fd);
	if (err)
		return err;
	core = is_core(dump, &header);
	dump->segments = calloc(core ? nr_programs(dump, &header) + 1 : 1,
				sizeof(*dump->segments));
	if (!dump->segments)
		return cannot("read", path);
	if (core)
		add_core(dump, &header);
	else
		add_segment(dump, 0, 0, dump->len_bytes);
	qsort(dump->segments, dump->nr_segments, sizeof(*dump->segments),
	      compare_segments);
	return NULL;
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
 * @number: its physical address divided by its size
 *
 * Return: its bytes, or NULL if the dump lacks it.
 */
const unsigned char *dump_page(const struct dump *dump, uint64_t number)
{
	size_t first = 0, end = dump->nr_segments, middle;
	const struct dump_segment *segment;
	uint64_t address, offset;

	if (number > UINT64_MAX / DUMP_PAGE_BYTES)
		return NULL;
	address = number * DUMP_PAGE_BYTES;
	/* The last segment that does not begin behind it. */
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
