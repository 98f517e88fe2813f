// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan an Inspect file, first part: the header, the sequence of blocks, and each block by
 * itself.
 *
 * The versions of the format differ little. Version 0 has types up to TOMBSTONE; it calls
 * a node OBJECT and a buffer PROPERTY. Versions 0 and 1 have a header of 16 bytes without
 * a size field, so that the length of the file is the size. A scan is used by one thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "inspect.h"

#define MAX_BLOCK_UNITS	(INSPECT_MAX_BLOCK_BYTES / INSPECT_MIN_BLOCK_BYTES)

static const char check_advice[] = "run `vitrine check' to list every fault";

/**
 * vtr_scan_fault() - report a fault
 * @scan: scan
 * @severity: whether the file remains readable
 * @offset: offset of the fault in the file
 * @format: format of the message, as for printf()
 */
void vtr_scan_fault(struct vtr_scan *scan, enum vtr_severity severity,
		    uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (scan->fault) {
		scan->summary.nr_faults++;
		vtr_report(scan->fault, scan->ctx, offset, format, args);
	} else if (severity == VTR_UNREADABLE && !scan->err) {
		scan->err = vtr_error_vcreate(EBADMSG, scan->path, offset,
					      check_advice, format, args);
	}
	va_end(args);
}

/**
 * vtr_scan_type_name() - return the name of a block type in the version of the file
 * @scan: scan
 * @type: block type
 *
 * Return: the name, or "block" if the type has none.
 */
const char *vtr_scan_type_name(const struct vtr_scan *scan, unsigned int type)
{
	static const char * const names[INSPECT_NR_TYPES] = {
		[INSPECT_FREE]			= "FREE",
		[INSPECT_RESERVED]		= "RESERVED",
		[INSPECT_HEADER]		= "HEADER",
		[INSPECT_NODE_VALUE]		= "NODE_VALUE",
		[INSPECT_INT_VALUE]		= "INT_VALUE",
		[INSPECT_UINT_VALUE]		= "UINT_VALUE",
		[INSPECT_DOUBLE_VALUE]		= "DOUBLE_VALUE",
		[INSPECT_BUFFER_VALUE]		= "BUFFER_VALUE",
		[INSPECT_EXTENT]		= "EXTENT",
		[INSPECT_NAME]			= "NAME",
		[INSPECT_TOMBSTONE]		= "TOMBSTONE",
		[INSPECT_ARRAY_VALUE]		= "ARRAY_VALUE",
		[INSPECT_LINK_VALUE]		= "LINK_VALUE",
		[INSPECT_BOOL_VALUE]		= "BOOL_VALUE",
		[INSPECT_STRING_REFERENCE]	= "STRING_REFERENCE",
	};

	if (scan->version == 0 && type == INSPECT_NODE_VALUE)
		return "OBJECT_VALUE";
	if (scan->version == 0 && type == INSPECT_BUFFER_VALUE)
		return "PROPERTY_VALUE";
	return type < INSPECT_NR_TYPES ? names[type] : "block";
}

static bool is_zero(const uint8_t *bytes, size_t len_bytes)
{
	size_t i;

	for (i = 0; i < len_bytes; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Check that the unused bytes of a block, from @from to its end, are 0. */
static void check_unused(struct vtr_scan *scan, uint32_t index, uint32_t from)
{
	uint32_t bytes = vtr_block_bytes(scan, index);

	if (!scan->thorough || from >= bytes)
		return;
	if (!is_zero(scan->bytes + vtr_offset(index) + from, bytes - from))
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index) + from,
			       "unused bytes of this block are not all 0");
}

/* Check that the unused bits of @word, given by @mask, are 0. */
static void check_unused_bits(struct vtr_scan *scan, uint32_t index,
			      unsigned int word, uint64_t mask)
{
	uint64_t bits = vtr_word(scan, index, word) & mask;

	if (bits)
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index) + 8 * word,
			       "unused bits of this word are 0x%016" PRIx64 ", not 0",
			       bits);
}

static void check_name(struct vtr_scan *scan, uint32_t index)
{
	uint32_t room = vtr_block_bytes(scan, index) -
			INSPECT_NAME_PAYLOAD_OFFSET;
	uint32_t len = vtr_field(vtr_word(scan, index, 0),
				 INSPECT_W0_NAME_LENGTH);
	const uint8_t *payload = scan->bytes + vtr_offset(index) +
				 INSPECT_NAME_PAYLOAD_OFFSET;
	struct vtr_utf8 utf8 = { 0 };

	check_unused_bits(scan, index, 0,
			  ~(INSPECT_W0_ORDER | INSPECT_W0_RESERVED |
			    INSPECT_W0_TYPE | INSPECT_W0_NAME_LENGTH));
	if (len > room) {
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index),
			       "NAME is %u bytes long, its block has room for %u",
			       len, room);
		return;
	}
	if (!scan->thorough)
		return;
	if (!is_zero(payload + len, room - len))
		scan->summary.nr_stale++;
	vtr_utf8_add(&utf8, payload, len);
	if (!vtr_utf8_is_valid(&utf8))
		scan->kind[index] |= VTR_KIND_NO_UTF8;
}

/* Return the size of an array element, or 0 if arrays cannot have this type. */
static uint32_t array_slot_bytes(unsigned int type)
{
	switch (type) {
	case INSPECT_INT_VALUE:
	case INSPECT_UINT_VALUE:
	case INSPECT_DOUBLE_VALUE:
		return 8;
	case INSPECT_STRING_REFERENCE:
		return 4;
	default:
		return 0;
	}
}

static void check_array_format(struct vtr_scan *scan, uint32_t index,
			       unsigned int type, unsigned int format,
			       unsigned int count)
{
	uint64_t offset = vtr_offset(index) + 8;

	if (format > INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM)
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "unknown array format %u", format);
	else if (format != INSPECT_ARRAY_FLAT &&
		 type == INSPECT_STRING_REFERENCE)
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "an array of strings cannot be a histogram");
	else if (format == INSPECT_ARRAY_LINEAR_HISTOGRAM && count < 4)
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "a linear histogram has at least 4 slots, not %u",
			       count);
	else if (format == INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM && count < 5)
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "an exponential histogram has at least 5 slots, not %u",
			       count);
}

static void check_array(struct vtr_scan *scan, uint32_t index)
{
	uint32_t bytes = vtr_block_bytes(scan, index);
	uint64_t word = vtr_word(scan, index, 1);
	unsigned int type = vtr_field(word, INSPECT_W1_ARRAY_TYPE);
	unsigned int format = vtr_field(word, INSPECT_W1_ARRAY_FORMAT);
	unsigned int count = vtr_field(word, INSPECT_W1_ARRAY_COUNT);
	uint32_t slot_bytes = array_slot_bytes(type);
	uint32_t used = INSPECT_ARRAY_PAYLOAD_OFFSET + count * slot_bytes;

	check_unused_bits(scan, index, 1,
			  ~(INSPECT_W1_ARRAY_TYPE | INSPECT_W1_ARRAY_FORMAT |
			    INSPECT_W1_ARRAY_COUNT));
	if (!slot_bytes) {
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index) + 8,
			       "an array cannot hold elements of type %u",
			       type);
		return;
	}
	if (used > bytes) {
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index) + 8,
			       "array of %u slots needs %u bytes, its block has %u",
			       count, used, bytes);
		return;
	}
	check_array_format(scan, index, type, format, count);
	check_unused(scan, index, used);
}

static void check_buffer(struct vtr_scan *scan, uint32_t index)
{
	unsigned int format = vtr_field(vtr_word(scan, index, 1),
					INSPECT_W1_BUFFER_FORMAT);

	if (format > INSPECT_BUFFER_STRING_REFERENCE)
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index) + 8,
			       "unknown format %u of a %s", format,
			       vtr_scan_type_name(scan, INSPECT_BUFFER_VALUE));
	check_unused(scan, index, 16);
}

static void check_link(struct vtr_scan *scan, uint32_t index)
{
	unsigned int disposition = vtr_field(vtr_word(scan, index, 1),
					     INSPECT_W1_LINK_DISPOSITION);

	check_unused_bits(scan, index, 1,
			  ~(INSPECT_W1_LINK_CONTENT |
			    INSPECT_W1_LINK_DISPOSITION));
	if (disposition > INSPECT_LINK_INLINE)
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index) + 8,
			       "unknown disposition %u of a link", disposition);
	check_unused(scan, index, 16);
}

static void check_second_header(struct vtr_scan *scan, uint32_t index)
{
	if (index)
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "a HEADER that is not the file's first block");
}

/* Check one block, apart from its references to other blocks. */
static void check_block(struct vtr_scan *scan, uint32_t index,
			unsigned int type)
{
	uint64_t reserved = vtr_word(scan, index, 0) & INSPECT_W0_RESERVED;

	if (reserved)
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "reserved bits 4 to 7 are 0x%" PRIx64 ", not 0",
			       vtr_field(reserved, INSPECT_W0_RESERVED));
	switch (type) {
	case INSPECT_HEADER:
		check_second_header(scan, index);
		break;
	case INSPECT_BOOL_VALUE:
		check_unused_bits(scan, index, 1, ~1ULL);
		check_unused(scan, index, 16);
		break;
	case INSPECT_NODE_VALUE:
	case INSPECT_TOMBSTONE:
	case INSPECT_INT_VALUE:
	case INSPECT_UINT_VALUE:
	case INSPECT_DOUBLE_VALUE:
		check_unused(scan, index, 16);
		break;
	case INSPECT_BUFFER_VALUE:
		check_buffer(scan, index);
		break;
	case INSPECT_EXTENT:
		check_unused_bits(scan, index, 0, ~0ULL << 40);
		break;
	case INSPECT_NAME:
		check_name(scan, index);
		break;
	case INSPECT_ARRAY_VALUE:
		check_array(scan, index);
		break;
	case INSPECT_LINK_VALUE:
		check_link(scan, index);
		break;
	}
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
	unsigned int order = vtr_field(vtr_word(scan, index, 0),
				       INSPECT_W0_ORDER);
	uint32_t units = 1U << order;

	if (order >= INSPECT_NR_ORDERS) {
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index),
			       "block of order %u; the largest is %u; resuming at the next multiple of %u",
			       order, INSPECT_NR_ORDERS - 1,
			       INSPECT_MAX_BLOCK_BYTES);
		return false;
	}
	if (units > scan->nr_units - index) {
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index),
			       "block of %u bytes reaches past the end at 0x%zx",
			       INSPECT_MIN_BLOCK_BYTES << order,
			       scan->len_bytes);
		return false;
	}
	if (index & (units - 1))
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "block of %u bytes is not aligned to its size",
			       INSPECT_MIN_BLOCK_BYTES << order);
	return true;
}

static void count_block(struct vtr_scan *scan, uint32_t index,
			unsigned int type)
{
	scan->summary.nr_blocks++;
	if (vtr_is_value(type))
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
		type = vtr_field(vtr_word(scan, index, 0), INSPECT_W0_TYPE);
		if (type >= nr_types(scan)) {
			vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index),
				       "unknown block type %u", type);
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
			vtr_scan_fault(scan, VTR_UNTIDY, 16,
				       "the header's size field is 0");
		return len_bytes;
	}
	if (size < vtr_block_bytes(scan, 0)) {
		vtr_scan_fault(scan, VTR_UNREADABLE, 16,
			       "the header says that the file has %" PRIu64
			       " bytes, less than the header itself", size);
		return len_bytes;
	}
	if (size > len_bytes) {
		vtr_scan_fault(scan, VTR_UNREADABLE, len_bytes,
			       "the file is truncated: it should have %" PRIu64
			       " bytes and has %zu", size, len_bytes);
		return len_bytes;
	}
	if (size < len_bytes)
		vtr_scan_fault(scan, VTR_UNTIDY, size,
			       "%" PRIu64 " bytes follow after the size the header gives",
			       len_bytes - size);
	return size;
}

static void scan_header(struct vtr_scan *scan, size_t len_bytes)
{
	unsigned int order = vtr_field(vtr_word(scan, 0, 0), INSPECT_W0_ORDER);

	scan->summary.version = scan->version;
	scan->summary.generation = vtr_word(scan, 0, 1);
	if (scan->summary.generation & 1)
		vtr_scan_fault(scan, VTR_UNREADABLE, 8,
			       "generation 0x%" PRIx64 " is odd: the file was saved amid an edit",
			       scan->summary.generation);
	scan->len_bytes = len_bytes;
	if (!order && scan->version >= 2)
		vtr_scan_fault(scan, VTR_UNTIDY, 0,
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
		vtr_scan_fault(scan, VTR_UNTIDY,
			       scan->len_bytes & ~(INSPECT_MIN_BLOCK_BYTES - 1UL),
			       "%zu bytes at the end are less than a block",
			       scan->len_bytes % INSPECT_MIN_BLOCK_BYTES);
	scan->nr_units = scan->len_bytes / INSPECT_MIN_BLOCK_BYTES;
	scan->summary.size_bytes = scan->len_bytes;
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
		return vitrine_error_create(EFBIG, scan->path,
					    INSPECT_MAX_FILE_BYTES, NULL,
					    "an Inspect file is at most 256 MiB");
	scan->version = vtr_field(vtr_word(scan, 0, 0),
				  INSPECT_W0_HEADER_VERSION);
	if (scan->version > INSPECT_VERSION)
		return vitrine_error_create(EPROTONOSUPPORT, scan->path, 2,
					    "a newer vitrine may know it",
					    "Inspect version %u; this program reads 0 to %d",
					    scan->version, INSPECT_VERSION);
	return NULL;
}

/**
 * vtr_scan_init() - scan the blocks of a file, apart from references between them
 * @scan: scan, zeroed except for @path, @thorough, @fault and @ctx
 * @bytes: content of the file
 * @len_bytes: length of @bytes
 *
 * After success, the caller must also check @scan->err, and call vtr_scan_deinit().
 *
 * Return: NULL, or an error if the file cannot be scanned.
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
		vtr_scan_deinit(scan);
		return vtr_error_no_memory();
	}
	scan_blocks(scan);
	return NULL;
}

/**
 * vtr_scan_deinit() - free the memory of a scan
 * @scan: scan; @scan->err is freed, too
 */
void vtr_scan_deinit(struct vtr_scan *scan)
{
	free(scan->kind);
	free(scan->aux);
	vitrine_error_destroy(scan->err);
	scan->kind = NULL;
	scan->aux = NULL;
	scan->err = NULL;
}
