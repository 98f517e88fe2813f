// SPDX-License-Identifier: GPL-2.0
/*
 * Build ids of the programs and libraries that are mapped, read from their ELF notes.
 * The kernel's own parser is not exported.
 *
 * Only the first page of a file is read, which contains all that is needed, and is nearly
 * always in the page cache. To fetch it could take arbitrarily long, for example from a server
 * that does not answer.
 *
 * Concurrency: none of its own. The file may be written meanwhile, so each value is copied
 * before it is checked.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "build_id.h"

/* Type of the note, as in <elf.h> of user space. */
#define NOTE_BUILD_ID	3

/* Copy from the first page of a file. Return false if it ends before. */
static bool copy_from_page(const void *page, u64 offset, void *ret, size_t len_bytes)
{
	if (offset > PAGE_SIZE - len_bytes)
		return false;
	memcpy(ret, page + offset, len_bytes);
	return true;
}

/* Find the build id among the notes of a segment. Return its length, or 0. */
static unsigned int find_in_notes(const void *page, u64 at, u64 end, u8 *ret)
{
	struct {
		struct elf64_note	note;
		char			name[4];
	} head;
	u64 desc;

	for (; at < end && copy_from_page(page, at, &head, sizeof(head));
	     at = desc + ALIGN((u64)head.note.n_descsz, 4)) {
		desc = at + sizeof(head.note) + ALIGN((u64)head.note.n_namesz, 4);
		if (head.note.n_type == NOTE_BUILD_ID && head.note.n_namesz == 4 &&
		    !memcmp(head.name, "GNU", 4) &&
		    head.note.n_descsz <= VTR_BUILD_ID_MAX_BYTES &&
		    copy_from_page(page, desc, ret, head.note.n_descsz))
			return head.note.n_descsz;
	}
	return 0;
}

static unsigned int find_in_page(const void *page, u8 *ret)
{
	unsigned int i, len_bytes = 0;
	struct elf64_phdr segment;
	struct elf64_hdr header;

	memcpy(&header, page, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment))
		return 0;
	for (i = 0; !len_bytes && i < header.e_phnum &&
	     copy_from_page(page, header.e_phoff + i * sizeof(segment),
			    &segment, sizeof(segment)); i++)
		if (segment.p_type == PT_NOTE)
			len_bytes = find_in_notes(page, segment.p_offset,
						  segment.p_offset + segment.p_filesz, ret);
	return len_bytes;
}

/**
 * vtr_build_id() - find the build id of a file
 * @file: a file that is mapped
 * @ret: receives the build id, up to VTR_BUILD_ID_MAX_BYTES
 *
 * Reading a device may have side effects, so only regular files are read.
 *
 * Context: task, no lock held.
 * Return: length of the build id, 0 if the file has none, or if its first page is not in the
 *	page cache now.
 */
unsigned int vtr_build_id(struct file *file, u8 *ret)
{
	unsigned int len_bytes = 0;
	struct page *page;
	void *mapped;

	if (!S_ISREG(file_inode(file)->i_mode))
		return 0;
	page = pagecache_get_page(file->f_mapping, 0, 0, 0);
	if (!page)
		return 0;
	if (PageUptodate(page)) {
		mapped = kmap_local_page(page);
		len_bytes = find_in_page(mapped, ret);
		kunmap_local(mapped);
	}
	put_page(page);
	return len_bytes;
}
