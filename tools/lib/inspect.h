/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scan of an Inspect file, which hierarchy.c and the check in inspect.c share.
 *
 * To build a tree, the first fault that makes the file unreadable ends the scan and
 * becomes the error. To validate a file, every fault is reported to the caller, including
 * faults that a reader can live with.
 *
 * The scan needs five bytes of memory for every 16 bytes of the file (kind and aux), and
 * linear time: each step visits each block once. It is used by one thread.
 */
#ifndef _VITRINE_LIB_INSPECT_H
#define _VITRINE_LIB_INSPECT_H

#include <endian.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "vitrine.h"

/* vtr_scan.kind[index]: the type of the block that starts there, or ... */
#define VTR_KIND_TYPE		0x0f
#define VTR_KIND_LOST		0x40	/* never examined: tiling broke before */
#define VTR_KIND_INSIDE		0x80	/* within a block */

/**
 * struct vtr_scan - one pass over one file
 * @bytes: the file
 * @len_bytes: how much of it the header accounts for
 * @nr_units: @len_bytes in units of 16, the range of an index
 * @version: of the format
 * @thorough: report all faults, also what is merely untidy
 * @tiled: blocks tile the file; if not, references between blocks are not
 *	checked
 * @kind: for each unit, VTR_KIND_*
 * @aux: for each block, by type: EXTENT, the block its chain starts from; NAME
 *	and STRING_REFERENCE, number of users; NODE and TOMBSTONE, number of
 *	children; FREE, the free block before it
 * @nr_values: number of nodes and properties
 * @nr_texts: number of NAME and STRING_REFERENCE blocks
 * @chained_bytes: bytes of all values that span several blocks
 * @path: for errors
 * @err: first unreadable fault, unless @thorough
 * @fault: takes every fault, if @thorough; or NULL
 * @ctx: for @fault
 * @summary: counted along the way
 */
struct vtr_scan {
	const uint8_t *bytes;
	size_t len_bytes;
	uint32_t nr_units;
	unsigned int version;
	bool thorough;
	bool tiled;
	uint8_t *kind;
	uint32_t *aux;
	uint32_t nr_values;
	uint32_t nr_texts;
	size_t chained_bytes;
	const char *path;
	struct vitrine_error *err;
	vitrine_fault_fn *fault;
	void *ctx;
	struct vitrine_inspect_summary summary;
};

struct vitrine_error *vtr_scan_init(struct vtr_scan *scan, const void *bytes,
				    size_t len_bytes);
void vtr_scan_deinit(struct vtr_scan *scan);

/* Return the error about a file that is larger than the format allows. */
struct vitrine_error *vtr_error_too_large(const char *path);

static inline uint64_t vtr_offset(uint32_t index)
{
	return (uint64_t)index * INSPECT_MIN_BLOCK_BYTES;
}

static inline uint64_t vtr_word(const struct vtr_scan *scan, uint32_t index,
				unsigned int word)
{
	uint64_t value;

	memcpy(&value, scan->bytes + vtr_offset(index) + 8 * word,
	       sizeof(value));
	return le64toh(value);
}

/* The field of @word that @mask names. */
static inline uint64_t vtr_field(uint64_t word, uint64_t mask)
{
	return (word & mask) / (mask & -mask);
}

/* The field of a word of the block at @index. */
static inline uint64_t vtr_bits(const struct vtr_scan *scan, uint32_t index,
				unsigned int word, uint64_t mask)
{
	return vtr_field(vtr_word(scan, index, word), mask);
}

static inline uint32_t vtr_block_bytes(const struct vtr_scan *scan,
				       uint32_t index)
{
	return INSPECT_MIN_BLOCK_BYTES << vtr_bits(scan, index, 0, INSPECT_W0_ORDER);
}

/* Type of the block that starts at @index, -1 if none does. */
static inline int vtr_type_at(const struct vtr_scan *scan, uint32_t index)
{
	if (index >= scan->nr_units ||
	    scan->kind[index] & (VTR_KIND_LOST | VTR_KIND_INSIDE))
		return -1;
	return scan->kind[index] & VTR_KIND_TYPE;
}

/**
 * struct vtr_block_type - what is known of the blocks of one type
 * @name: in messages
 * @is_value: they have a name and a parent, unlike TOMBSTONE: the hierarchy has a value for
 *	each of them, and for no others
 * @type: type of a value, or of the elements of an array; a buffer may also be VITRINE_BYTES
 * @slot_bytes: size of these elements; 0: arrays cannot have this type
 * @unused: bits of the first two words that must be 0
 * @check: checks a block, apart from its references to other blocks, or NULL
 * @refer: checks and counts these references, or NULL
 */
struct vtr_block_type {
	const char *name;
	bool is_value;
	enum vitrine_type type;
	uint8_t slot_bytes;
	uint64_t unused[2];
	void (*check)(struct vtr_scan *scan, uint32_t index);
	void (*refer)(struct vtr_scan *scan, uint32_t index);
};

extern const struct vtr_block_type vtr_block_types[VTR_KIND_TYPE + 1];

/*
 * Advance @index to the next block: 0, the header, begins a walk. Return the type of the block, or
 * -1 behind the last one, and after the fault that ends a scan.
 */
int vtr_next_block(const struct vtr_scan *scan, uint32_t *index);

#endif /* _VITRINE_LIB_INSPECT_H */
