// SPDX-License-Identifier: GPL-2.0
/*
 * Build ids of the programs and libraries that are mapped, read from their ELF notes.
 * The kernel's own parser is not exported.
 *
 * Only the page cache is read. To fetch a page could take arbitrarily long, for example from
 * a server that does not answer. The first page of a program, which contains all that is
 * needed, is nearly always there.
 *
 * Concurrency: cache_mutex protects the cache. Files are read without it.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/highmem.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/string.h>

#include "build_id.h"
#include "compat.h"

/* The note is among the first program headers, and the first in its segment. */
#define MAX_HEADERS	16
#define MAX_NOTE_BYTES	512

#define CACHE_SLOTS	64

/* Type of the note, as in <elf.h> of user space. */
#define NOTE_BUILD_ID	3

/**
 * struct identity - what tells the content of a file from another
 * @ino: number of the inode
 * @mtime_s: seconds of the last change
 * @size: size of the file
 * @dev: device
 * @mtime_ns: nanoseconds of the last change
 * @generation: tells inodes of the same number apart
 */
struct identity {
	u64	ino;
	s64	mtime_s;
	s64	size;
	u32	dev;
	u32	mtime_ns;
	u64	generation;
};

/**
 * struct cached - build id of a file
 * @identity: the file; zeroed in a free slot
 * @len_bytes: length of @id, 0 if the file has none
 * @id: the build id
 */
struct cached {
	struct identity	identity;
	unsigned int	len_bytes;
	u8		id[VTR_BUILD_ID_MAX_BYTES];
};

static DEFINE_MUTEX(cache_mutex);
static struct cached cache[CACHE_SLOTS];

static struct identity identify(const struct inode *inode)
{
	struct timespec64 mtime = VTR_INODE_MTIME(inode);

	return (struct identity){
		.ino = inode->i_ino,
		.mtime_s = mtime.tv_sec,
		.size = i_size_read(inode),
		.dev = inode->i_sb->s_dev,
		.mtime_ns = mtime.tv_nsec,
		.generation = inode->i_generation,
	};
}

static struct cached *slot_of(const struct identity *identity)
{
	return &cache[hash_64(identity->ino ^ (u64)identity->dev << 32,
			      ilog2(CACHE_SLOTS))];
}

/* Read from the page cache. Return false if a page is not there, which sets @is_missing. */
static bool read_at(struct file *file, u64 offset, void *ret, size_t len_bytes,
		    bool *is_missing)
{
	struct page *page;
	size_t at, len;

	for (; len_bytes; ret += len, offset += len, len_bytes -= len) {
		at = offset_in_page(offset);
		len = min(len_bytes, PAGE_SIZE - at);
		page = pagecache_get_page(file->f_mapping, offset >> PAGE_SHIFT, 0, 0);
		if (!page || !PageUptodate(page)) {
			*is_missing = true;
			if (page)
				put_page(page);
			return false;
		}
		memcpy_from_page(ret, page, at, len);
		put_page(page);
	}
	return true;
}

/* Find the build id among the notes of a segment. */
static unsigned int find_in_notes(const u8 *notes, size_t len_bytes, u8 *ret)
{
	size_t at = 0, name, desc;
	struct elf64_note note;

	while (at + sizeof(note) <= len_bytes) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > len_bytes || note.n_descsz > len_bytes)
			break;
		desc = name + ALIGN(note.n_namesz, 4);
		if (desc + note.n_descsz > len_bytes)
			break;
		if (note.n_type == NOTE_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= VTR_BUILD_ID_MAX_BYTES) {
			memcpy(ret, notes + desc, note.n_descsz);
			return note.n_descsz;
		}
		at = desc + ALIGN(note.n_descsz, 4);
	}
	return 0;
}

static unsigned int find_in_segment(struct file *file, const struct elf64_phdr *segment,
				    u8 *ret, bool *is_missing)
{
	u8 notes[MAX_NOTE_BYTES];
	size_t len_bytes = min_t(u64, segment->p_filesz, sizeof(notes));

	if (segment->p_type != PT_NOTE ||
	    !read_at(file, segment->p_offset, notes, len_bytes, is_missing))
		return 0;
	return find_in_notes(notes, len_bytes, ret);
}

static unsigned int read_build_id(struct file *file, u8 *ret, bool *is_missing)
{
	unsigned int i, len_bytes = 0;
	struct elf64_phdr segment;
	struct elf64_hdr header;

	if (!read_at(file, 0, &header, sizeof(header), is_missing) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment))
		return 0;
	for (i = 0; !len_bytes && i < header.e_phnum && i < MAX_HEADERS; i++) {
		if (!read_at(file, header.e_phoff + i * sizeof(segment),
			     &segment, sizeof(segment), is_missing))
			return 0;
		len_bytes = find_in_segment(file, &segment, ret, is_missing);
	}
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
 * Return: length of the build id, 0 if the file has none, or if it is not in the page
 *	cache now.
 */
unsigned int vtr_build_id(struct file *file, u8 *ret)
{
	const struct inode *inode = file_inode(file);
	struct cached found = { .identity = identify(inode) };
	struct cached *slot = slot_of(&found.identity);
	bool is_cached, is_missing = false;

	if (!S_ISREG(inode->i_mode))
		return 0;
	mutex_lock(&cache_mutex);
	is_cached = !memcmp(&slot->identity, &found.identity,
			    sizeof(found.identity));
	if (is_cached)
		found = *slot;
	mutex_unlock(&cache_mutex);
	if (!is_cached)
		found.len_bytes = read_build_id(file, found.id, &is_missing);
	if (!is_cached && !is_missing) {
		mutex_lock(&cache_mutex);
		*slot = found;
		mutex_unlock(&cache_mutex);
	}
	memcpy(ret, found.id, found.len_bytes);
	return found.len_bytes;
}

