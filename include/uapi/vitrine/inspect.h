/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The Inspect file format, version 2: block types, bit fields, limits.
 *
 * The writer (the module) and the reader (libvitrine) share this header;
 * Documentation/inspect.rst, "The format", explains the blocks. The name of a block type
 * is also the name of the section of the document "Inspect VMO file format" that defines
 * the block. Masks apply to one 64-bit little-endian word: WORD0 is the first eight bytes
 * of a block, WORD1 the second eight.
 *
 *   block    63          40 39          16 15    8 7  4 3   0
 *   any     |              |              |  type  | 0  |order|
 *   FREE    | previous (*) | next free    |   0    | 0  |order|
 *   HEADER  | magic  "INSP"      |version |   2    | 0  |order| generation, size
 *   NODE    | name         | parent       |   3    | 0  |order| child count
 *   number  | name         | parent       | 4,5,6,13| 0 |order| value
 *   BUFFER  | name         | parent       |   7    | 0  |order| length, extent, format
 *   EXTENT  |      0       | next extent  |   8    | 0  |order| payload ...
 *   NAME    |           0      | length   |   9    | 0  |order| payload ...
 *   TOMB    |      0       | parent       |  10    | 0  |order| child count
 *   ARRAY   | name         | parent       |  11    | 0  |order| type, format, count; payload
 *   LINK    | name         | parent       |  12    | 0  |order| content, disposition
 *   STRREF  | references   | next extent  |  14    | 0  |order| length, payload ...
 *
 *   (*) The format leaves bits 40..63 of a FREE block to the writer; vitrine stores the
 *       previous free block of the same order there.
 */
#ifndef _UAPI_VITRINE_INSPECT_H
#define _UAPI_VITRINE_INSPECT_H

#include <linux/types.h>

/* "Blocks": offset = index * 16, size = 16 << order. */
#define INSPECT_MIN_BLOCK_BYTES		16
#define INSPECT_MAX_BLOCK_BYTES		2048
#define INSPECT_NR_ORDERS		8
#define INSPECT_MAX_FILE_BYTES		(256ULL << 20)	/* 24-bit indexes */

/* Parent of the values below the root: the index of the header, which is its block. */
#define INSPECT_ROOT			0

#define INSPECT_MAGIC			0x50534e49U	/* "INSP" */
#define INSPECT_VERSION			2
#define INSPECT_HEADER_ORDER		1	/* 32 bytes: includes the size field */
#define INSPECT_GENERATION_FROZEN	0xfffffffffffffffeULL

enum inspect_type {
	INSPECT_FREE			= 0,
	INSPECT_RESERVED		= 1,
	INSPECT_HEADER			= 2,
	INSPECT_NODE_VALUE		= 3,
	INSPECT_INT_VALUE		= 4,
	INSPECT_UINT_VALUE		= 5,
	INSPECT_DOUBLE_VALUE		= 6,
	INSPECT_BUFFER_VALUE		= 7,
	INSPECT_EXTENT			= 8,
	INSPECT_NAME			= 9,
	INSPECT_TOMBSTONE		= 10,
	INSPECT_ARRAY_VALUE		= 11,
	INSPECT_LINK_VALUE		= 12,
	INSPECT_BOOL_VALUE		= 13,
	INSPECT_STRING_REFERENCE	= 14,
	INSPECT_NR_TYPES		= 15,
};

/* WORD0 of every block */
#define INSPECT_W0_ORDER		0x000000000000000fULL
#define INSPECT_W0_RESERVED		0x00000000000000f0ULL
#define INSPECT_W0_TYPE			0x000000000000ff00ULL

/* WORD0 of FREE */
#define INSPECT_W0_FREE_NEXT		0x000000ffffff0000ULL
#define INSPECT_W0_FREE_PREVIOUS	0xffffff0000000000ULL

/* HEADER: fields of WORD0; WORD1 is the generation; the third word contains the size. */
#define INSPECT_W0_HEADER_VERSION	0x00000000ffff0000ULL
#define INSPECT_W0_HEADER_MAGIC		0xffffffff00000000ULL
#define INSPECT_W2_HEADER_SIZE		0x00000000ffffffffULL

/* WORD0 of every *_VALUE block and of TOMBSTONE, whose name is 0 */
#define INSPECT_W0_VALUE_PARENT		0x000000ffffff0000ULL
#define INSPECT_W0_VALUE_NAME		0xffffff0000000000ULL

/* WORD1 of BUFFER_VALUE */
#define INSPECT_W1_BUFFER_LENGTH	0x00000000ffffffffULL
#define INSPECT_W1_BUFFER_EXTENT	0x0fffffff00000000ULL
#define INSPECT_W1_BUFFER_FORMAT	0xf000000000000000ULL

enum inspect_buffer_format {
	INSPECT_BUFFER_UTF8		= 0,
	INSPECT_BUFFER_BINARY		= 1,
	INSPECT_BUFFER_STRING_REFERENCE	= 2,	/* not written by vitrine */
};

/* EXTENT: payload from byte 8 to the end of the block */
#define INSPECT_W0_EXTENT_NEXT		0x000000ffffff0000ULL
#define INSPECT_EXTENT_PAYLOAD_OFFSET	8

/* NAME: payload from byte 8 */
#define INSPECT_W0_NAME_LENGTH		0x000000000fff0000ULL
#define INSPECT_NAME_PAYLOAD_OFFSET	8

/* WORD1 of ARRAY_VALUE; values from byte 16 */
#define INSPECT_W1_ARRAY_TYPE		0x000000000000000fULL
#define INSPECT_W1_ARRAY_FORMAT		0x00000000000000f0ULL
#define INSPECT_W1_ARRAY_COUNT		0x000000000000ff00ULL
#define INSPECT_ARRAY_PAYLOAD_OFFSET	16

enum inspect_array_format {
	INSPECT_ARRAY_FLAT			= 0,
	INSPECT_ARRAY_LINEAR_HISTOGRAM		= 1,
	INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM	= 2,
};

/* WORD1 of LINK_VALUE */
#define INSPECT_W1_LINK_CONTENT		0x00000000000fffffULL
#define INSPECT_W1_LINK_DISPOSITION	0xf000000000000000ULL

enum inspect_link_disposition {
	INSPECT_LINK_CHILD		= 0,
	INSPECT_LINK_INLINE		= 1,
};

/* STRING_REFERENCE: payload from byte 12, then the EXTENT chain */
#define INSPECT_W0_STRREF_NEXT		0x000000ffffff0000ULL
#define INSPECT_W0_STRREF_COUNT		0xffffff0000000000ULL
#define INSPECT_W1_STRREF_LENGTH	0x00000000ffffffffULL
#define INSPECT_STRREF_PAYLOAD_OFFSET	12

#endif /* _UAPI_VITRINE_INSPECT_H */
