// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan an Inspect file, and validate it.
 *
 * The scan looks at the header, the sequence of blocks, and each block by itself, and then at
 * the references between blocks: names, string references, chains of extents, and parents. No
 * chain is walked twice: the first chain that reaches an extent claims it, and a second
 * claim, even by the same chain, ends the walk. The ancestors of a node are walked up to
 * the first node that was walked before.
 *
 * The versions of the format differ little. Version 0 has types up to TOMBSTONE; it calls
 * a node OBJECT and a buffer PROPERTY. Versions 0 and 1 have a header of 16 bytes without
 * a size field, so that the length of the file is the size.
 *
 * A scan, and a check, are used by one thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base.h"
#include "inspect.h"

#define VTR_KIND_UNKNOWN	0x0f	/* a block of no known type */
#define VTR_KIND_MARKS		0x30	/* for walks; see "References between blocks" */
#define VTR_KIND_WALKING	0x10
#define VTR_KIND_WALKED		0x20
#define VTR_KIND_NO_UTF8	0x10	/* of a NAME or STRING_REFERENCE */

#define MAX_BLOCK_UNITS	(INSPECT_MAX_BLOCK_BYTES / INSPECT_MIN_BLOCK_BYTES)

/**
 * struct chain - a walk along a chain of extents
 * @owner: block whose value the extents contain
 * @from: block that refers to the next extent
 * @next: index of the next extent
 * @missing: number of bytes that later extents must contain
 * @utf8: state of the UTF-8 check
 */
struct chain {
	uint32_t owner;
	uint32_t from;
	uint32_t next;
	uint32_t missing;
	struct vtr_utf8 utf8;
};

/**
 * struct refs - facts about the writer that are known after a pass over all blocks
 * @counted: the writer maintains the reference counts of nodes, which are optional
 * @linked_back: the writer stores the previous free block in bits 40 to 63, as vitrine
 *	does
 * @list_head: for each order, the free block without a predecessor
 */
struct refs {
	bool counted;
	bool linked_back;
	uint32_t list_head[INSPECT_NR_ORDERS];
};

static inline bool vtr_is_lost(const struct vtr_scan *scan, uint32_t index)
{
	return index < scan->nr_units && scan->kind[index] & VTR_KIND_LOST;
}

/* ---- Blocks ------------------------------------------------------------ */

static const char check_advice[] = "run `vitrine check' to list every fault";

static void report(struct vtr_scan *scan, uint64_t offset, const char *format, va_list args)
{
	scan->summary.nr_faults++;
	vtr_report(scan->fault, scan->ctx, offset, format, args);
}

/* Report a fault that is against the format, but with which the file is readable. */
static void untidy(struct vtr_scan *scan, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (scan->thorough)
		report(scan, offset, format, args);
	va_end(args);
}

/* Report a fault with which the file is not readable. */
static void unreadable(struct vtr_scan *scan, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (scan->thorough)
		report(scan, offset, format, args);
	else if (!scan->err)
		scan->err = vtr_error_vcreate(EBADMSG, scan->path, offset, check_advice,
					      format, args);
	va_end(args);
}

/* Return the name of a block type in the version of the file. */
static const char *vtr_scan_type_name(const struct vtr_scan *scan, unsigned int type)
{
	if (scan->version == 0 && type == INSPECT_NODE_VALUE)
		return "OBJECT_VALUE";
	if (scan->version == 0 && type == INSPECT_BUFFER_VALUE)
		return "PROPERTY_VALUE";
	return vtr_block_types[type].name;
}

static bool is_zero(const uint8_t *bytes, size_t len_bytes)
{
	size_t i;

	for (i = 0; i < len_bytes; i++)
		if (bytes[i])
			return false;
	return true;
}

static void count_stale_tail(struct vtr_scan *scan, uint32_t index,
			     uint32_t used)
{
	if (scan->thorough && !is_zero(scan->bytes + vtr_offset(index) + used,
				       vtr_block_bytes(scan, index) - used))
		scan->summary.nr_stale++;
}

/* Check that the unused bytes of a block, from @from to its end, are 0. */
static void check_unused(struct vtr_scan *scan, uint32_t index, uint32_t from)
{
	uint32_t bytes = vtr_block_bytes(scan, index);

	if (!scan->thorough || from >= bytes)
		return;
	if (!is_zero(scan->bytes + vtr_offset(index) + from, bytes - from))
		untidy(scan, vtr_offset(index) + from,
		       "unused bytes of this block are not all 0");
}

/* Check that the unused bits of @word, given by @mask, are 0. */
static void check_unused_bits(struct vtr_scan *scan, uint32_t index,
			      unsigned int word, uint64_t mask)
{
	uint64_t bits = vtr_word(scan, index, word) & mask;

	if (bits)
		untidy(scan, vtr_offset(index) + 8 * word,
		       "unused bits of this word are 0x%016" PRIx64 ", not 0", bits);
}

static void check_name(struct vtr_scan *scan, uint32_t index)
{
	uint32_t room = vtr_block_bytes(scan, index) -
			INSPECT_NAME_PAYLOAD_OFFSET;
	uint32_t len = vtr_bits(scan, index, 0, INSPECT_W0_NAME_LENGTH);
	const uint8_t *payload = scan->bytes + vtr_offset(index) +
				 INSPECT_NAME_PAYLOAD_OFFSET;

	if (len > room) {
		unreadable(scan, vtr_offset(index),
			   "NAME is %u bytes long, its block has room for %u", len, room);
		return;
	}
	count_stale_tail(scan, index, INSPECT_NAME_PAYLOAD_OFFSET + len);
	if (scan->thorough && !vtr_utf8_is_text(payload, len))
		scan->kind[index] |= VTR_KIND_NO_UTF8;
}

static void check_array_format(struct vtr_scan *scan, uint32_t index,
			       unsigned int type, unsigned int format,
			       unsigned int count)
{
	uint64_t offset = vtr_offset(index) + 8;

	if (format > INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM)
		unreadable(scan, offset, "unknown array format %u", format);
	else if (format != INSPECT_ARRAY_FLAT &&
		 type == INSPECT_STRING_REFERENCE)
		unreadable(scan, offset, "an array of strings cannot be a histogram");
	else if (format == INSPECT_ARRAY_LINEAR_HISTOGRAM && count < 4)
		unreadable(scan, offset, "a linear histogram has at least 4 slots, not %u",
			   count);
	else if (format == INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM && count < 5)
		unreadable(scan, offset,
			   "an exponential histogram has at least 5 slots, not %u", count);
}

static void check_array(struct vtr_scan *scan, uint32_t index)
{
	uint32_t bytes = vtr_block_bytes(scan, index);
	uint64_t word = vtr_word(scan, index, 1);
	unsigned int type = vtr_field(word, INSPECT_W1_ARRAY_TYPE);
	unsigned int format = vtr_field(word, INSPECT_W1_ARRAY_FORMAT);
	unsigned int count = vtr_field(word, INSPECT_W1_ARRAY_COUNT);
	uint32_t slot_bytes = vtr_block_types[type].slot_bytes;
	uint32_t used = INSPECT_ARRAY_PAYLOAD_OFFSET + count * slot_bytes;

	if (!slot_bytes) {
		unreadable(scan, vtr_offset(index) + 8,
			   "an array cannot hold elements of type %u", type);
		return;
	}
	if (used > bytes) {
		unreadable(scan, vtr_offset(index) + 8,
			   "array of %u slots needs %u bytes, its block has %u", count, used,
			   bytes);
		return;
	}
	check_array_format(scan, index, type, format, count);
	check_unused(scan, index, used);
}

static void check_buffer(struct vtr_scan *scan, uint32_t index)
{
	unsigned int format = vtr_bits(scan, index, 1, INSPECT_W1_BUFFER_FORMAT);

	if (format > INSPECT_BUFFER_STRING_REFERENCE)
		unreadable(scan, vtr_offset(index) + 8, "unknown format %u of a %s", format,
			   vtr_scan_type_name(scan, INSPECT_BUFFER_VALUE));
}

static void check_link(struct vtr_scan *scan, uint32_t index)
{
	unsigned int disposition = vtr_bits(scan, index, 1, INSPECT_W1_LINK_DISPOSITION);

	if (disposition > INSPECT_LINK_INLINE)
		unreadable(scan, vtr_offset(index) + 8, "unknown disposition %u of a link",
			   disposition);
}

static void check_second_header(struct vtr_scan *scan, uint32_t index)
{
	if (index)
		untidy(scan, vtr_offset(index), "a HEADER that is not the file's first block");
}

/* Check one block, apart from its references to other blocks. */
static void check_block(struct vtr_scan *scan, uint32_t index,
			unsigned int type)
{
	uint64_t reserved = vtr_word(scan, index, 0) & INSPECT_W0_RESERVED;
	const struct vtr_block_type *block = &vtr_block_types[type];

	if (reserved)
		untidy(scan, vtr_offset(index), "reserved bits 4 to 7 are 0x%" PRIx64 ", not 0",
		       vtr_field(reserved, INSPECT_W0_RESERVED));
	check_unused_bits(scan, index, 0, block->unused[0]);
	check_unused_bits(scan, index, 1, block->unused[1]);
	if (block->check)
		block->check(scan, index);
	/* Values that have no payload end with the second word. */
	if (type == INSPECT_TOMBSTONE || (block->is_value && type != INSPECT_ARRAY_VALUE))
		check_unused(scan, index, 16);
}

/* Return the number of block types in the version of the file. */
static unsigned int nr_types(const struct vtr_scan *scan)
{
	return scan->version ? INSPECT_NR_TYPES : INSPECT_TOMBSTONE + 1;
}

/*
 * Skip a block with an invalid size. Return the next index at which, in a buddy heap, a
 * block certainly begins.
 */
static uint32_t lose_tiles(struct vtr_scan *scan, uint32_t index)
{
	uint32_t end = (index / MAX_BLOCK_UNITS + 1) * MAX_BLOCK_UNITS;

	if (end > scan->nr_units)
		end = scan->nr_units;
	memset(scan->kind + index, VTR_KIND_LOST, end - index);
	scan->tiled = false;
	return end;
}

/* Check that the block at @index has a valid size, and report a fault if not. */
static bool check_extent_of_block(struct vtr_scan *scan, uint32_t index)
{
	unsigned int order = vtr_bits(scan, index, 0, INSPECT_W0_ORDER);
	uint32_t units = 1U << order;

	if (order >= INSPECT_NR_ORDERS) {
		unreadable(scan, vtr_offset(index),
			   "block of order %u; the largest is %u; resuming at the next multiple of %u",
			   order, INSPECT_NR_ORDERS - 1, INSPECT_MAX_BLOCK_BYTES);
		return false;
	}
	if (units > scan->nr_units - index) {
		unreadable(scan, vtr_offset(index),
			   "block of %u bytes reaches past the end at 0x%zx",
			   INSPECT_MIN_BLOCK_BYTES << order, scan->len_bytes);
		return false;
	}
	if (index & (units - 1))
		untidy(scan, vtr_offset(index), "block of %u bytes is not aligned to its size",
		       INSPECT_MIN_BLOCK_BYTES << order);
	return true;
}

static void count_block(struct vtr_scan *scan, uint32_t index,
			unsigned int type)
{
	scan->summary.nr_blocks++;
	if (vtr_block_types[type].is_value)
		scan->nr_values++;
	if (type == INSPECT_NAME || type == INSPECT_STRING_REFERENCE)
		scan->nr_texts++;
	if (type == INSPECT_FREE) {
		scan->summary.nr_free++;
		scan->summary.free_bytes += vtr_block_bytes(scan, index);
	}
}

static void scan_blocks(struct vtr_scan *scan)
{
	uint32_t index = 0;

	scan->tiled = true;
	while (index < scan->nr_units && !scan->err) {
		unsigned int type;
		uint32_t units;

		if (!check_extent_of_block(scan, index)) {
			index = lose_tiles(scan, index);
			continue;
		}
		type = vtr_bits(scan, index, 0, INSPECT_W0_TYPE);
		if (type >= nr_types(scan)) {
			unreadable(scan, vtr_offset(index), "unknown block type %u", type);
			type = VTR_KIND_UNKNOWN;
		}
		units = vtr_block_bytes(scan, index) / INSPECT_MIN_BLOCK_BYTES;
		scan->kind[index] = type;
		if (units > 1)
			memset(scan->kind + index + 1, VTR_KIND_INSIDE,
			       units - 1);
		count_block(scan, index, type);
		check_block(scan, index, type);
		index += units;
	}
	scan->summary.nr_values = scan->nr_values;
}

/* Check the size field of the header; return the number of bytes to scan. */
static size_t check_size(struct vtr_scan *scan, size_t len_bytes)
{
	uint64_t word = vtr_word(scan, 0, 2);
	uint64_t size = word & INSPECT_W2_HEADER_SIZE;

	if (!size) {
		if (scan->version >= 2)
			untidy(scan, 16, "the header's size field is 0");
		return len_bytes;
	}
	if (size < vtr_block_bytes(scan, 0)) {
		unreadable(scan, 16,
			   "the header says that the file has %" PRIu64
			   " bytes, less than the header itself", size);
		return len_bytes;
	}
	if (size > len_bytes) {
		unreadable(scan, len_bytes,
			   "the file is truncated: it should have %" PRIu64 " bytes and has %zu",
			   size, len_bytes);
		return len_bytes;
	}
	if (size < len_bytes)
		untidy(scan, size, "%" PRIu64 " bytes follow after the size the header gives",
		       len_bytes - size);
	return size;
}

static void scan_header(struct vtr_scan *scan, size_t len_bytes)
{
	unsigned int order = vtr_bits(scan, 0, 0, INSPECT_W0_ORDER);

	scan->summary.version = scan->version;
	scan->summary.generation = vtr_word(scan, 0, 1);
	if (scan->summary.generation & 1)
		unreadable(scan, 8,
			   "generation 0x%" PRIx64 " is odd: the file was saved amid an edit",
			   scan->summary.generation);
	scan->len_bytes = len_bytes;
	if (!order && scan->version >= 2)
		untidy(scan, 0,
		       "the header is of order 0: it has no room for the size field of version %u",
		       scan->version);
	if (order && len_bytes >= 32) {
		scan->len_bytes = check_size(scan, len_bytes);
		check_unused_bits(scan, 0, 2, ~INSPECT_W2_HEADER_SIZE);
		if (order < INSPECT_NR_ORDERS &&
		    vtr_block_bytes(scan, 0) <= len_bytes)
			check_unused(scan, 0, 24);
	}
	if (scan->len_bytes % INSPECT_MIN_BLOCK_BYTES)
		untidy(scan, scan->len_bytes & ~(INSPECT_MIN_BLOCK_BYTES - 1UL),
		       "%zu bytes at the end are less than a block",
		       scan->len_bytes % INSPECT_MIN_BLOCK_BYTES);
	scan->nr_units = scan->len_bytes / INSPECT_MIN_BLOCK_BYTES;
	scan->summary.size_bytes = scan->len_bytes;
}

/**
 * vtr_error_too_large() - make the error about a file that is larger than the format allows
 * @path: path of the file, or NULL
 *
 * Return: an error, EFBIG.
 */
struct vitrine_error *vtr_error_too_large(const char *path)
{
	return vitrine_error_create(EFBIG, path, INSPECT_MAX_FILE_BYTES, NULL,
				    "an Inspect file is at most 256 MiB");
}

/* Check that this is an Inspect file whose version and size are supported. */
static struct vitrine_error *check_prerequisites(struct vtr_scan *scan,
						 size_t len_bytes)
{
	if (len_bytes < INSPECT_MIN_BLOCK_BYTES ||
	    vitrine_format_detect(scan->bytes, len_bytes) !=
	    VITRINE_FORMAT_INSPECT)
		return vitrine_error_create(EBADMSG, scan->path, 0, NULL,
					    "not an Inspect file");
	if (len_bytes > INSPECT_MAX_FILE_BYTES)
		return vtr_error_too_large(scan->path);
	scan->version = vtr_bits(scan, 0, 0, INSPECT_W0_HEADER_VERSION);
	if (scan->version > INSPECT_VERSION)
		return vitrine_error_create(EPROTONOSUPPORT, scan->path, 2,
					    "a newer vitrine may know it",
					    "Inspect version %u; this program reads 0 to %d",
					    scan->version, INSPECT_VERSION);
	return NULL;
}

/* ---- References between blocks ----------------------------------------- */

/* Report a reference to a block of the wrong type, as "0x1f40 is not an EXTENT". */
static void fault_wrong_type(struct vtr_scan *scan, uint64_t offset,
			     const char *what, uint32_t index,
			     const char *expected)
{
	int type;

	if (index >= scan->nr_units) {
		unreadable(scan, offset, "%s 0x%x is beyond the end of the file", what, index);
		return;
	}
	type = vtr_type_at(scan, index);
	if (type < 0)
		unreadable(scan, offset, "%s 0x%x is within a block, not %s", what, index,
			   expected);
	else
		unreadable(scan, offset, "%s 0x%x is of type %s, not %s", what, index,
			   vtr_scan_type_name(scan, type), expected);
}

/* Check and count a reference from @offset to the text at @index. */
static void use_text(struct vtr_scan *scan, uint64_t offset, const char *what,
		     uint32_t index, bool name_allowed)
{
	int type = vtr_type_at(scan, index);

	if (type == INSPECT_STRING_REFERENCE || (type == INSPECT_NAME && name_allowed))
		scan->aux[index]++;
	else if (!vtr_is_lost(scan, index))
		fault_wrong_type(scan, offset, what, index,
				 name_allowed ? "NAME or STRING_REFERENCE" :
						"STRING_REFERENCE");
}

/* Advance to the next extent and claim it. Return false if this is not possible. */
static bool chain_claim(struct vtr_scan *scan, struct chain *chain)
{
	uint32_t index = chain->next;

	if (vtr_type_at(scan, index) != INSPECT_EXTENT) {
		if (!vtr_is_lost(scan, index))
			fault_wrong_type(scan, vtr_offset(chain->from),
					 "next extent", index, "EXTENT");
		return false;
	}
	if (scan->aux[index]) {
		unreadable(scan, vtr_offset(index),
			   scan->aux[index] == chain->owner ?
			   "the extents of block 0x%x run in a circle" :
			   "this EXTENT belongs to block 0x%x already",
			   scan->aux[index]);
		return false;
	}
	scan->aux[index] = chain->owner;
	chain->from = index;
	chain->next = vtr_bits(scan, index, 0, INSPECT_W0_EXTENT_NEXT);
	return true;
}

/* Add @len bytes of block @index, from @offset on, to the UTF-8 check. */
static void add_text(const struct vtr_scan *scan, struct chain *chain,
		     uint32_t index, uint32_t offset, uint32_t len)
{
	if (scan->thorough)
		vtr_utf8_add(&chain->utf8,
			     scan->bytes + vtr_offset(index) + offset, len);
}

/* Check that a value has exactly the extents that it needs, and shares none. */
static void check_chain(struct vtr_scan *scan, struct chain *chain)
{
	while (chain->missing) {
		uint32_t room;

		if (!chain->next) {
			unreadable(scan, vtr_offset(chain->owner),
				   "the extents of this %s end %u bytes too early",
				   vtr_scan_type_name(scan, vtr_type_at(scan, chain->owner)),
				   chain->missing);
			return;
		}
		if (!chain_claim(scan, chain))
			return;
		room = vtr_block_bytes(scan, chain->from) -
			INSPECT_EXTENT_PAYLOAD_OFFSET;
		if (room >= chain->missing) {
			count_stale_tail(scan, chain->from,
					 INSPECT_EXTENT_PAYLOAD_OFFSET +
					 chain->missing);
			room = chain->missing;
		}
		add_text(scan, chain, chain->from,
			 INSPECT_EXTENT_PAYLOAD_OFFSET, room);
		chain->missing -= room;
	}
	if (!chain->next || !scan->thorough)
		return;
	untidy(scan, vtr_offset(chain->from),
	       "extents go on at 0x%x after the last byte of block 0x%x", chain->next,
	       chain->owner);
	/* Claim the surplus extents, so that they are not reported as unreferenced, too. */
	while (chain->next && chain_claim(scan, chain))
		;
}

static void scan_string_reference(struct vtr_scan *scan, uint32_t index)
{
	uint32_t len = vtr_bits(scan, index, 1, INSPECT_W1_STRREF_LENGTH);
	uint32_t room = vtr_block_bytes(scan, index) -
			INSPECT_STRREF_PAYLOAD_OFFSET;
	struct chain chain = {
		.owner = index,
		.from = index,
		.next = vtr_bits(scan, index, 0, INSPECT_W0_STRREF_NEXT),
		.missing = len > room ? len - room : 0,
	};

	if (len < room)
		count_stale_tail(scan, index,
				 INSPECT_STRREF_PAYLOAD_OFFSET + len);
	add_text(scan, &chain, index, INSPECT_STRREF_PAYLOAD_OFFSET,
		 len - chain.missing);
	check_chain(scan, &chain);
	if (!chain.missing && !vtr_utf8_is_valid(&chain.utf8))
		scan->kind[index] |= VTR_KIND_NO_UTF8;
	/* If extents are missing, a fault was reported, and no tree will be built. */
	if (len > room && !chain.missing)
		scan->chained_bytes += len;
}

static void scan_buffer(struct vtr_scan *scan, uint32_t index)
{
	uint64_t word = vtr_word(scan, index, 1);
	uint32_t len = vtr_field(word, INSPECT_W1_BUFFER_LENGTH);
	uint32_t first = vtr_field(word, INSPECT_W1_BUFFER_EXTENT);
	struct chain chain = {
		.owner = index,
		.from = index,
		.next = first,
		.missing = len,
	};

	if (vtr_field(word, INSPECT_W1_BUFFER_FORMAT) ==
	    INSPECT_BUFFER_STRING_REFERENCE) {
		use_text(scan, vtr_offset(index) + 8, "string", first, false);
		return;
	}
	check_chain(scan, &chain);
	if (!chain.missing)
		scan->chained_bytes += len;
}

static void scan_array(struct vtr_scan *scan, uint32_t index)
{
	uint64_t word = vtr_word(scan, index, 1);
	unsigned int count = vtr_field(word, INSPECT_W1_ARRAY_COUNT);
	uint64_t offset = vtr_offset(index) + INSPECT_ARRAY_PAYLOAD_OFFSET;
	unsigned int i;

	if (vtr_field(word, INSPECT_W1_ARRAY_TYPE) !=
	    INSPECT_STRING_REFERENCE)
		return;
	for (i = 0; i < count; i++, offset += sizeof(uint32_t)) {
		uint32_t slot;

		/* check_block() has reported an array that is too long for its block. */
		if (offset + sizeof(slot) >
		    vtr_offset(index) + vtr_block_bytes(scan, index))
			return;
		memcpy(&slot, scan->bytes + offset, sizeof(slot));
		slot = le32toh(slot);
		if (slot)	/* 0: the empty string */
			use_text(scan, offset, "string", slot, false);
	}
}

static void scan_link(struct vtr_scan *scan, uint32_t index)
{
	use_text(scan, vtr_offset(index) + 8, "content",
		 vtr_bits(scan, index, 1, INSPECT_W1_LINK_CONTENT), true);
}

static void scan_name_of(struct vtr_scan *scan, uint32_t index, int type)
{
	uint32_t name = vtr_bits(scan, index, 0, INSPECT_W0_VALUE_NAME);

	/* A TOMBSTONE may have a name. vitrine writes it without one. */
	if (type == INSPECT_TOMBSTONE && !name)
		return;
	use_text(scan, vtr_offset(index), "name", name, true);
}

const struct vtr_block_type vtr_block_types[VTR_KIND_TYPE + 1] = {
	[INSPECT_FREE]		= { "FREE" },
	[INSPECT_RESERVED]	= { "RESERVED" },
	[INSPECT_HEADER]	= { "HEADER", .check = check_second_header },
	[INSPECT_NODE_VALUE]	= { "NODE_VALUE", true, VITRINE_NODE },
	[INSPECT_INT_VALUE]	= { "INT_VALUE", true, VITRINE_INT, 8 },
	[INSPECT_UINT_VALUE]	= { "UINT_VALUE", true, VITRINE_UINT, 8 },
	[INSPECT_DOUBLE_VALUE]	= { "DOUBLE_VALUE", true, VITRINE_DOUBLE, 8 },
	[INSPECT_BUFFER_VALUE]	= {
		"BUFFER_VALUE", true, VITRINE_STRING, .check = check_buffer, .refer = scan_buffer,
	},
	[INSPECT_EXTENT]	= { "EXTENT", .unused = { ~0ULL << 40 } },
	[INSPECT_NAME]		= {
		"NAME", .check = check_name,
		.unused = { ~(INSPECT_W0_ORDER | INSPECT_W0_RESERVED | INSPECT_W0_TYPE |
			      INSPECT_W0_NAME_LENGTH) },
	},
	[INSPECT_TOMBSTONE]	= { "TOMBSTONE" },
	[INSPECT_ARRAY_VALUE]	= {
		"ARRAY_VALUE", true, VITRINE_ARRAY, .check = check_array, .refer = scan_array,
		.unused = { 0, ~(INSPECT_W1_ARRAY_TYPE | INSPECT_W1_ARRAY_FORMAT |
				 INSPECT_W1_ARRAY_COUNT) },
	},
	[INSPECT_LINK_VALUE]	= {
		"LINK_VALUE", true, VITRINE_LINK, .check = check_link, .refer = scan_link,
		.unused = { 0, ~(INSPECT_W1_LINK_CONTENT | INSPECT_W1_LINK_DISPOSITION) },
	},
	[INSPECT_BOOL_VALUE]	= { "BOOL_VALUE", true, VITRINE_BOOL, .unused = { 0, ~1ULL } },
	[INSPECT_STRING_REFERENCE] = {
		"STRING_REFERENCE", false, VITRINE_STRING, 4, .refer = scan_string_reference,
	},
	[VTR_KIND_UNKNOWN]	= { "block" },
};

/**
 * vtr_next_block() - walk over the blocks of a file
 * @scan: scan
 * @index: index of a block, advanced to the next one; 0, the header, begins a walk
 *
 * Return: type of the block; -1 behind the last one, and after the fault that ends a scan.
 */
int vtr_next_block(const struct vtr_scan *scan, uint32_t *index)
{
	do {
		/* Units that belong to no block are skipped one by one. */
		*index += vtr_type_at(scan, *index) < 0 ? 1 :
			  vtr_block_bytes(scan, *index) / INSPECT_MIN_BLOCK_BYTES;
		if (*index >= scan->nr_units || scan->err)
			return -1;
	} while (vtr_type_at(scan, *index) < 0);
	return vtr_type_at(scan, *index);
}

/*
 * Check all names, strings and byte vectors. Sets @scan->aux of each EXTENT to its owner, and of
 * each NAME and STRING_REFERENCE to the number of its users.
 */
static void scan_strings(struct vtr_scan *scan)
{
	uint32_t index = 0;
	int type;

	while ((type = vtr_next_block(scan, &index)) >= 0) {
		if (vtr_block_types[type].is_value || type == INSPECT_TOMBSTONE)
			scan_name_of(scan, index, type);
		if (vtr_block_types[type].refer)
			vtr_block_types[type].refer(scan, index);
	}
}

static bool is_node(const struct vtr_scan *scan, uint32_t index)
{
	int type = vtr_type_at(scan, index);

	return type == INSPECT_NODE_VALUE || type == INSPECT_TOMBSTONE;
}

static uint32_t parent_of(const struct vtr_scan *scan, uint32_t index)
{
	return vtr_bits(scan, index, 0, INSPECT_W0_VALUE_PARENT);
}

/* Walk up from @index to the top, or to a node that an earlier walk has visited. */
static void check_ancestors(struct vtr_scan *scan, uint32_t index)
{
	uint32_t at;

	for (at = index; at && is_node(scan, at) &&
	     !(scan->kind[at] & VTR_KIND_MARKS); at = parent_of(scan, at))
		scan->kind[at] |= VTR_KIND_WALKING;

	if (at && is_node(scan, at) && scan->kind[at] & VTR_KIND_WALKING)
		unreadable(scan, vtr_offset(at), "this %s is its own ancestor",
			   vtr_scan_type_name(scan, vtr_type_at(scan, at)));

	for (at = index; at && is_node(scan, at) &&
	     scan->kind[at] & VTR_KIND_WALKING; at = parent_of(scan, at))
		scan->kind[at] ^= VTR_KIND_WALKING | VTR_KIND_WALKED;
}

/*
 * Check the parents of all values. A parent is a node, a node deleted before its children
 * (TOMBSTONE), or index 0, which is the root. Sets @scan->aux of each NODE and TOMBSTONE to the
 * number of its children. The children of the root are not counted.
 */
static void scan_parents(struct vtr_scan *scan)
{
	uint32_t index = 0;
	int type;

	while ((type = vtr_next_block(scan, &index)) >= 0) {
		uint32_t parent;

		if (!vtr_block_types[type].is_value && type != INSPECT_TOMBSTONE)
			continue;
		parent = parent_of(scan, index);
		if (parent && is_node(scan, parent))
			scan->aux[parent]++;
		else if (parent && !vtr_is_lost(scan, parent))
			fault_wrong_type(scan, vtr_offset(index), "parent",
					 parent,
					 vtr_scan_type_name(scan, INSPECT_NODE_VALUE));
		if (is_node(scan, index))
			check_ancestors(scan, index);
	}
}

/**
 * vtr_scan_init() - scan a file
 * @scan: scan, zeroed except for @path, @thorough, @fault and @ctx
 * @bytes: content of the file
 * @len_bytes: length of @bytes
 *
 * After success, the caller must call vtr_scan_deinit().
 *
 * Return: NULL, or an error if the file cannot be scanned, or is not readable and there is no
 * @fault.
 */
struct vitrine_error *vtr_scan_init(struct vtr_scan *scan, const void *bytes,
				    size_t len_bytes)
{
	struct vitrine_error *err;

	scan->bytes = bytes;
	err = check_prerequisites(scan, len_bytes);
	if (err)
		return err;
	scan_header(scan, len_bytes);
	scan->kind = calloc(scan->nr_units, sizeof(*scan->kind));
	scan->aux = calloc(scan->nr_units, sizeof(*scan->aux));
	if (!scan->kind || !scan->aux) {
		vitrine_error_destroy(scan->err);
		scan->err = vtr_error_no_memory();
	} else {
		scan_blocks(scan);
		scan_strings(scan);
		scan_parents(scan);
	}
	if (scan->err)
		vtr_scan_deinit(scan);
	return scan->err;
}

/**
 * vtr_scan_deinit() - free the memory of a scan
 * @scan: scan
 */
void vtr_scan_deinit(struct vtr_scan *scan)
{
	free(scan->kind);
	free(scan->aux);
}

/* ---- Validation -------------------------------------------------------- */

/*
 * Every fault is reported with its place. The steps of the scan, which building a tree needs as
 * well, come first. Then come the rules that no reader depends on: reference counts, lists of
 * free blocks, blocks that nothing refers to.
 */

/* Require UTF-8 of names only: a publisher may have received other texts from outside. */
static void check_name_of(struct vtr_scan *scan, uint32_t index)
{
	uint32_t name = vtr_bits(scan, index, 0, INSPECT_W0_VALUE_NAME);
	int type = vtr_type_at(scan, name);

	if ((type != INSPECT_NAME && type != INSPECT_STRING_REFERENCE) ||
	    !(scan->kind[name] & VTR_KIND_NO_UTF8))
		return;
	untidy(scan, vtr_offset(name), "this name is not UTF-8");
	/* Report each name once. */
	scan->kind[name] &= ~VTR_KIND_NO_UTF8;
}

static void survey(struct vtr_scan *scan, struct refs *refs)
{
	uint32_t index = 0;
	int type;

	while ((type = vtr_next_block(scan, &index)) >= 0) {
		if (vtr_block_types[type].is_value)
			check_name_of(scan, index);
		if ((type == INSPECT_NODE_VALUE || type == INSPECT_TOMBSTONE) &&
		    vtr_word(scan, index, 1))
			refs->counted = true;
		if (type == INSPECT_FREE &&
		    vtr_word(scan, index, 0) & INSPECT_W0_FREE_PREVIOUS)
			refs->linked_back = true;
	}
}

static void check_children(struct vtr_scan *scan, const struct refs *refs,
			   uint32_t index, int type)
{
	uint64_t count = vtr_word(scan, index, 1);

	if (!refs->counted)
		return;
	if (count != scan->aux[index])
		untidy(scan, vtr_offset(index) + 8,
		       "reference count is %" PRIu64 ", but this %s is the parent of %u", count,
		       vtr_scan_type_name(scan, type), scan->aux[index]);
	else if (!count && type == INSPECT_TOMBSTONE)
		untidy(scan, vtr_offset(index),
		       "this TOMBSTONE has no child left and should have been freed");
}

static void check_users(struct vtr_scan *scan, uint32_t index, int type)
{
	uint32_t users = scan->aux[index];

	if (!users)
		untidy(scan, vtr_offset(index), "no block refers to this %s",
		       vtr_scan_type_name(scan, type));
	if (type == INSPECT_STRING_REFERENCE) {
		uint32_t count = vtr_bits(scan, index, 0, INSPECT_W0_STRREF_COUNT);

		if (count != users)
			untidy(scan, vtr_offset(index),
			       "reference count is %u, but there are %u users", count, users);
	}
}

/* Check reference counts, and find blocks in use to which no block refers. */
static void check_references(struct vtr_scan *scan, const struct refs *refs)
{
	uint32_t index = 0;
	int type;

	/* Blocks that could not be examined may hold the missing references. */
	if (!scan->tiled)
		return;
	while ((type = vtr_next_block(scan, &index)) >= 0) {
		switch (type) {
		case INSPECT_NODE_VALUE:
		case INSPECT_TOMBSTONE:
			check_children(scan, refs, index, type);
			break;
		case INSPECT_NAME:
		case INSPECT_STRING_REFERENCE:
			check_users(scan, index, type);
			break;
		case INSPECT_EXTENT:
			if (!scan->aux[index])
				untidy(scan, vtr_offset(index),
				       "this EXTENT belongs to no block");
			break;
		}
	}
}

static uint32_t next_free(const struct vtr_scan *scan, uint32_t index)
{
	return vtr_bits(scan, index, 0, INSPECT_W0_FREE_NEXT);
}

static uint32_t previous_free(const struct vtr_scan *scan, uint32_t index)
{
	return vtr_bits(scan, index, 0, INSPECT_W0_FREE_PREVIOUS);
}

/* Check whether @next continues a list: it must be a FREE block of the order of @index. */
static bool list_continues(const struct vtr_scan *scan, uint32_t index,
			   uint32_t next)
{
	return next && vtr_type_at(scan, next) == INSPECT_FREE &&
		vtr_block_bytes(scan, next) == vtr_block_bytes(scan, index);
}

static void check_free_next(struct vtr_scan *scan, const struct refs *refs,
			    uint32_t index)
{
	uint32_t next = next_free(scan, index);

	if (list_continues(scan, index, next)) {
		if (scan->aux[next])
			untidy(scan, vtr_offset(index),
			       "next free block 0x%x follows 0x%x already", next,
			       scan->aux[next]);
		else
			scan->aux[next] = index;
		return;
	}
	/* In the format, any other block ends a list. In vitrine, only index 0 does. */
	if (!next || vtr_is_lost(scan, next) ||
	    (!refs->linked_back && vtr_type_at(scan, next) >= 0))
		return;
	untidy(scan, vtr_offset(index), "next free block 0x%x is no FREE block of this size",
	       next);
}

/* Check the rules of vitrine's heap: doubly linked lists, and one list for each order. */
static void check_free_back(struct vtr_scan *scan, struct refs *refs,
			    uint32_t index)
{
	unsigned int order = vtr_bits(scan, index, 0, INSPECT_W0_ORDER);
	uint32_t previous = previous_free(scan, index);

	if (previous != scan->aux[index] && !vtr_is_lost(scan, previous))
		untidy(scan, vtr_offset(index),
		       "previous free block is said to be 0x%x, but it is 0x%x", previous,
		       scan->aux[index]);
	if (scan->aux[index] || !scan->tiled)
		return;
	if (refs->list_head[order])
		untidy(scan, vtr_offset(index),
		       "a second list of free blocks of order %u; the first begins at 0x%x",
		       order, refs->list_head[order]);
	else
		refs->list_head[order] = index;
}

static void check_free_cleared(struct vtr_scan *scan, const struct refs *refs,
			       uint32_t index)
{
	const uint8_t *block = scan->bytes + vtr_offset(index);
	uint32_t bytes = vtr_block_bytes(scan, index);
	uint32_t i;

	for (i = 8; i < bytes && !block[i]; i++)
		;
	if (i == bytes)
		return;
	scan->summary.nr_stale++;
	if (refs->linked_back)
		untidy(scan, vtr_offset(index) + i, "this FREE block is not cleared");
}

/* Advance @index to the next FREE block. */
static bool to_next_free(const struct vtr_scan *scan, uint32_t *index)
{
	int type;

	do {
		type = vtr_next_block(scan, index);
	} while (type > INSPECT_FREE);
	return type == INSPECT_FREE;
}

/* Find circles: free blocks that cannot be reached from the head of a list. */
static void check_free_circles(struct vtr_scan *scan)
{
	uint32_t index = 0, at;

	while (to_next_free(scan, &index)) {
		if (scan->aux[index])
			continue;
		/* Terminates, because each block has at most one predecessor. */
		for (at = index; ; at = next_free(scan, at)) {
			scan->kind[at] |= VTR_KIND_WALKED;
			if (!list_continues(scan, at, next_free(scan, at)) ||
			    scan->aux[next_free(scan, at)] != at)
				break;
		}
	}
	for (index = 0; to_next_free(scan, &index);) {
		if (scan->kind[index] & VTR_KIND_WALKED)
			continue;
		untidy(scan, vtr_offset(index), "free blocks follow one another in a circle");
		/* Report each circle once. */
		for (at = index; !(scan->kind[at] & VTR_KIND_WALKED);
		     at = next_free(scan, at))
			scan->kind[at] |= VTR_KIND_WALKED;
	}
}

static void check_free_lists(struct vtr_scan *scan, struct refs *refs)
{
	uint32_t index = 0;

	while (to_next_free(scan, &index)) {
		check_free_next(scan, refs, index);
		check_free_cleared(scan, refs, index);
	}
	for (index = 0; refs->linked_back && to_next_free(scan, &index);)
		check_free_back(scan, refs, index);
	check_free_circles(scan);
}

/**
 * vitrine_inspect_check() - find every fault of an Inspect file
 * @bytes: content of the file
 * @len_bytes: length of @bytes
 * @path: path for error messages, or NULL
 * @fault: called for each fault, or NULL to count faults only
 * @ctx: first argument of @fault
 * @ret: summary of the file
 *
 * After a block with an invalid size, up to 2047 bytes are skipped. Checks that need all
 * blocks, that is, of reference counts and of unreferenced blocks, are then left out.
 *
 * Return: NULL even if there are faults, or an error if the file cannot be checked:
 * EBADMSG if it is not an Inspect file, EPROTONOSUPPORT for an unknown version,
 * EFBIG, ENOMEM.
 */
struct vitrine_error *
vitrine_inspect_check(const void *bytes, size_t len_bytes, const char *path,
		      vitrine_fault_fn *fault, void *ctx,
		      struct vitrine_inspect_summary *ret)
{
	struct vtr_scan scan = {
		.thorough = true,
		.path = path,
		.fault = fault,
		.ctx = ctx,
	};
	struct refs refs = { 0 };
	struct vitrine_error *err;

	err = vtr_scan_init(&scan, bytes, len_bytes);
	if (err)
		return err;
	survey(&scan, &refs);
	check_references(&scan, &refs);
	check_free_lists(&scan, &refs);
	*ret = scan.summary;
	vtr_scan_deinit(&scan);
	return NULL;
}
