// SPDX-License-Identifier: GPL-2.0
/*
 * Look up a function in the symbol tables of a 64-bit ELF file, to put a probe on it.
 *
 * The file is not trusted: every position in it is checked before it is read.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_symbol.h"
#include "error.h"

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define NATIVE_BYTES	ELFDATA2LSB
#else
#define NATIVE_BYTES	ELFDATA2MSB
#endif

/**
 * struct elf - a file
 * @bytes: its bytes
 * @len_bytes: their number
 * @header: its header
 */
struct elf {
	const unsigned char *bytes;
	uint64_t len_bytes;
	Elf64_Ehdr header;
};

/* Read a structure at an offset; return false if it is not in the file. */
static bool read_at(const struct elf *elf, uint64_t offset, void *to, uint64_t len_bytes)
{
	if (offset > elf->len_bytes || len_bytes > elf->len_bytes - offset)
		return false;
	memcpy(to, elf->bytes + offset, len_bytes);
	return true;
}

static bool read_section(const struct elf *elf, unsigned int index, Elf64_Shdr *ret)
{
	return index < elf->header.e_shnum && elf->header.e_shentsize == sizeof(*ret) &&
	       read_at(elf, elf->header.e_shoff + index * sizeof(*ret), ret, sizeof(*ret)) &&
	       ret->sh_offset <= elf->len_bytes &&
	       ret->sh_size <= elf->len_bytes - ret->sh_offset;
}

/* Compare the text at @index of a table of strings. */
static bool is_named(const struct elf *elf, const Elf64_Shdr *strings, uint64_t index,
		     const char *name)
{
	const uint64_t len = strlen(name) + 1;

	return index <= strings->sh_size && len <= strings->sh_size - index &&
	       !memcmp(elf->bytes + strings->sh_offset + index, name, len);
}

/* Look for a function in a table of symbols. */
static bool find_in(const struct elf *elf, const Elf64_Shdr *table, const char *name,
		    uint64_t *ret_address)
{
	Elf64_Shdr strings;
	Elf64_Sym symbol;
	uint64_t at;

	if (table->sh_entsize != sizeof(symbol) ||
	    !read_section(elf, table->sh_link, &strings) || strings.sh_type != SHT_STRTAB)
		return false;
	for (at = 0; table->sh_size - at >= sizeof(symbol); at += sizeof(symbol)) {
		read_at(elf, table->sh_offset + at, &symbol, sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF ||
		    ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    !is_named(elf, &strings, symbol.st_name, name))
			continue;
		*ret_address = symbol.st_value;
		return true;
	}
	return false;
}

static bool find_address(const struct elf *elf, const char *name, uint64_t *ret_address)
{
	Elf64_Shdr section;
	unsigned int i;

	for (i = 0; i < elf->header.e_shnum; i++)
		if (read_section(elf, i, &section) &&
		    (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
		    find_in(elf, &section, name, ret_address))
			return true;
	return false;
}

/* Convert an address to the offset of the bytes that are mapped there. */
static bool find_offset(const struct elf *elf, uint64_t address, uint64_t *ret_offset)
{
	Elf64_Phdr segment;
	unsigned int i;

	for (i = 0; i < elf->header.e_phnum; i++) {
		if (!read_at(elf, elf->header.e_phoff + i * sizeof(segment), &segment,
			     sizeof(segment)) || segment.p_type != PT_LOAD ||
		    address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*ret_offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

static struct vitrine_error *find(struct elf *elf, const char *path, const char *name,
				  uint64_t *ret_offset)
{
	uint64_t address;

	if (!read_at(elf, 0, &elf->header, sizeof(elf->header)) ||
	    memcmp(elf->header.e_ident, ELFMAG, SELFMAG) ||
	    elf->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf->header.e_ident[EI_DATA] != NATIVE_BYTES ||
	    elf->header.e_phentsize != sizeof(Elf64_Phdr))
		return vitrine_error_create(ENOEXEC, path, VITRINE_NO_OFFSET, NULL,
					    "not a 64-bit program or library of this machine");
	if (!find_address(elf, name, &address) || !find_offset(elf, address, ret_offset))
		return vitrine_error_create(ENOENT, path, VITRINE_NO_OFFSET,
					    "`nm' and `nm -D' list its symbols",
					    "it has no symbol of a function %s", name);
	return NULL;
}

/**
 * elf_symbol_find() - look up a function
 * @path: program or library
 * @name: name of the function
 * @ret_offset: receives the offset of its first instruction in the file
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *elf_symbol_find(const char *path, const char *name,
				      uint64_t *ret_offset)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct vitrine_error *err;
	void *bytes = MAP_FAILED;
	struct elf elf = { 0 };
	struct stat status;

	if (fd < 0)
		return vtr_error_open(errno, path);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size)
		bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return vitrine_error_create(ENOEXEC, path, VITRINE_NO_OFFSET, NULL,
					    "not a program or library");
	elf.bytes = bytes;
	elf.len_bytes = status.st_size;
	err = find(&elf, path, name, ret_offset);
	munmap(bytes, status.st_size);
	return err;
}
