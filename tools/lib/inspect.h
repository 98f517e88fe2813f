/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scan of an Inspect file, which hierarchy.c and inspect_check.c share.
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

#include "error.h"
#include "utf8.h"

/* vtr_scan.kind[index]: the type of the block that starts there, or ... */
#define VTR_KIND_TYPE		0x0f
#define VTR_KIND_UNKNOWN	0x0f	/* a block of no known type */
#define VTR_KIND_MARKS		0x30	/* for walks; see inspect_refs.c */
#define VTR_KIND_WALKING	0x10
#define VTR_KIND_WALKED		0x20
#define VTR_KIND_NO_UTF8	0x10	/* of a NAME or STRING_REFERENCE */
#define VTR_KIND_LOST		0x40	/* never examined: tiling broke before */
#define VTR_KIND_INSIDE		0x80	/* within a block */

enum vtr_severity {
	VTR_UNTIDY,		/* against the format, but readable */
	VTR_UNREADABLE,
};

/**
 * struct vtr_scan - one pass over one file
 * @bytes: the file
 * @len_bytes: how much of it the header accounts for
 * @nr_units: @len_bytes in units of 16, the range of an index
 * @version: of the format
 * @thorough: report also what is merely untidy
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
 * @err: first unreadable fault, if @fault is NULL
 * @fault: takes every fault
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

/* inspect_scan.c: header, tiles, and each block by itself */
struct vitrine_error *vtr_scan_init(struct vtr_scan *scan, const void *bytes,
				    size_t len_bytes);
void vtr_scan_deinit(struct vtr_scan *scan);
void vtr_scan_fault(struct vtr_scan *scan, enum vtr_severity severity,
		    uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
const char *vtr_scan_type_name(const struct vtr_scan *scan, unsigned int type);

/* inspect_refs.c: what blocks say of other blocks */
void vtr_scan_strings(struct vtr_scan *scan);
void vtr_scan_parents(struct vtr_scan *scan);

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

static inline uint32_t vtr_block_bytes(const struct vtr_scan *scan,
				       uint32_t index)
{
	return INSPECT_MIN_BLOCK_BYTES <<
		vtr_field(vtr_word(scan, index, 0), INSPECT_W0_ORDER);
}

/* The block after @index. */
static inline uint32_t vtr_next_index(const struct vtr_scan *scan,
				      uint32_t index)
{
	/* Units that belong to no block are skipped one by one. */
	if (scan->kind[index] & (VTR_KIND_LOST | VTR_KIND_INSIDE))
		return index + 1;
	return index + vtr_block_bytes(scan, index) / INSPECT_MIN_BLOCK_BYTES;
}

/* Type of the block that starts at @index, -1 if none does. */
static inline int vtr_type_at(const struct vtr_scan *scan, uint32_t index)
{
	if (index >= scan->nr_units ||
	    scan->kind[index] & (VTR_KIND_LOST | VTR_KIND_INSIDE))
		return -1;
	return scan->kind[index] & VTR_KIND_TYPE;
}

static inline bool vtr_is_lost(const struct vtr_scan *scan, uint32_t index)
{
	return index < scan->nr_units && scan->kind[index] & VTR_KIND_LOST;
}

/*
 * Return whether blocks of @type have a name and a parent, unlike TOMBSTONE. The hierarchy
 * has a value for each of these blocks, and for no others.
 */
static inline bool vtr_is_value(int type)
{
	switch (type) {
	case INSPECT_NODE_VALUE:
	case INSPECT_INT_VALUE:
	case INSPECT_UINT_VALUE:
	case INSPECT_DOUBLE_VALUE:
	case INSPECT_BUFFER_VALUE:
	case INSPECT_ARRAY_VALUE:
	case INSPECT_LINK_VALUE:
	case INSPECT_BOOL_VALUE:
		return true;
	default:
		return false;
	}
}

/*
 * Return whether a walk over the blocks continues at @index:
 *
 *	for (index = 0; vtr_goes_on(scan, index);
 *	     index = vtr_next_index(scan, index))
 */
static inline bool vtr_goes_on(const struct vtr_scan *scan, uint32_t index)
{
	return index < scan->nr_units && !scan->err;
}

#endif /* _VITRINE_LIB_INSPECT_H */
