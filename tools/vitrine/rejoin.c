// SPDX-License-Identifier: GPL-2.0
/*
 * Join what is left of a Fuchsia trace of which parts are missing, so that no record is made
 * of two halves, and none refers to the tables of another part: what is left of a part ends
 * with a whole record, and the next part begins with a magic record. Of any other file,
 * which has no magic records, only the first part stays.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "fxt_bits.h"
#include "rejoin.h"

static uint64_t word_at(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static bool is_magic(uint64_t word)
{
	return word == FXT_MAGIC_RECORD || word == htobe64(le64toh(FXT_MAGIC_RECORD));
}

/* Return the end of the last record that is whole. */
static uint64_t whole_end(const unsigned char *bytes, uint64_t begin,
			  uint64_t end)
{
	bool is_swapped;
	uint64_t nr;

	if (end - begin < FXT_WORD_BYTES || !is_magic(word_at(bytes + begin)))
		return end;
	is_swapped = word_at(bytes + begin) != FXT_MAGIC_RECORD;
	while (end - begin >= FXT_WORD_BYTES) {
		nr = word_at(bytes + begin);
		nr = fxt_header_words(is_swapped ? __builtin_bswap64(nr) : nr);
		if (!nr || nr > (end - begin) / FXT_WORD_BYTES)
			break;
		begin += nr * FXT_WORD_BYTES;
	}
	return begin;
}

/* Return the next place of a magic record, or @end. */
static uint64_t find_magic(const unsigned char *bytes, uint64_t begin,
			   uint64_t end)
{
	for (; end - begin >= FXT_WORD_BYTES; begin++)
		if (is_magic(word_at(bytes + begin)))
			return begin;
	return end;
}

/* Return the length of what is left. */
static uint64_t join(unsigned char *bytes, uint64_t len,
		     const uint64_t *gaps, size_t nr_gaps)
{
	uint64_t begin = 0, end, to = 0;
	size_t i;

	for (i = 0; i <= nr_gaps; i++) {
		end = i < nr_gaps ? gaps[i] : len;
		if (begin >= end)
			continue;
		/* The reader reports it if the last part ends within a record. */
		end = i < nr_gaps ? whole_end(bytes, begin, end) : end;
		memmove(bytes + to, bytes + begin, end - begin);
		to += end - begin;
		if (i < nr_gaps)
			begin = find_magic(bytes, gaps[i], len);
	}
	return to;
}

/**
 * rejoin() - join what is left of a trace
 * @fd: the parts, one after the other; may become shorter
 * @name: its name in errors
 * @gaps: ascending offsets in the file at which bytes are missing
 * @nr_gaps: number of @gaps, not 0
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *rejoin(int fd, const char *name, const uint64_t *gaps,
			     size_t nr_gaps)
{
	off_t len = lseek(fd, 0, SEEK_END);
	unsigned char *bytes;
	uint64_t left;

	if (!len)
		return NULL;
	bytes = len < 0 ? MAP_FAILED :
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return vtr_error_os(errno, name, "cannot map its copy");
	left = join(bytes, len, gaps, nr_gaps);
	munmap(bytes, len);
	if (ftruncate(fd, left))
		return vtr_error_os(errno, name, "cannot shorten its copy");
	return NULL;
}
