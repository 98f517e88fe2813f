/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A memory dump: raw from address 0 on, an ELF core, or compressed.
 */
#ifndef _VITRINE_DUMP_H
#define _VITRINE_DUMP_H

#include "vitrine.h"

/* The page size on x86, which is assumed. */
#define DUMP_PAGE_BYTES	4096U

/**
 * struct dump_segment - memory that is contiguous in the file
 * @address: physical address of its first byte
 * @len_bytes: its length
 * @bytes: the bytes
 */
struct dump_segment {
	uint64_t address;
	uint64_t len_bytes;
	const unsigned char *bytes;
};

/**
 * struct dump - an open dump
 * @bytes: the mapped file
 * @len_bytes: its length
 * @segments: all memory in it, by address
 * @nr_segments: number of @segments
 */
struct dump {
	const unsigned char *bytes;
	uint64_t len_bytes;
	struct dump_segment *segments;
	unsigned int nr_segments;
};

struct vitrine_error *dump_open(const char *path, struct dump *dump);
void dump_close(struct dump *dump);
const unsigned char *dump_page(const struct dump *dump, uint64_t number);

#endif /* _VITRINE_DUMP_H */
