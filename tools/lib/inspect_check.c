// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Validate an Inspect file and report every fault with its place.
 *
 * The steps of the scan, which building a tree needs as well, come first. Then come the
 * rules that no reader depends on: reference counts, lists of free blocks, blocks that
 * nothing refers to. A check is used by one thread.
 */
#include <inttypes.h>

#include "inspect.h"

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

/* Require UTF-8 of names only: a publisher may have received other texts from outside. */
static void check_name_of(struct vtr_scan *scan, uint32_t index)
{
	uint32_t name = vtr_field(vtr_word(scan, index, 0),
				  INSPECT_W0_VALUE_NAME);
	int type = vtr_type_at(scan, name);

	if ((type != INSPECT_NAME && type != INSPECT_STRING_REFERENCE) ||
	    !(scan->kind[name] & VTR_KIND_NO_UTF8))
		return;
	vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(name),
		       "this name is not UTF-8");
	/* Report each name once. */
	scan->kind[name] &= ~VTR_KIND_NO_UTF8;
}

static void survey(struct vtr_scan *scan, struct refs *refs)
{
	uint32_t index;

	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		int type = vtr_type_at(scan, index);

		if (vtr_is_value(type))
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
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index) + 8,
			       "reference count is %" PRIu64 ", but this %s is the parent of %u",
			       count, vtr_scan_type_name(scan, type),
			       scan->aux[index]);
	else if (!count && type == INSPECT_TOMBSTONE)
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "this TOMBSTONE has no child left and should have been freed");
}

static void check_users(struct vtr_scan *scan, uint32_t index, int type)
{
	uint32_t users = scan->aux[index];

	if (!users)
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "no block refers to this %s",
			       vtr_scan_type_name(scan, type));
	if (type == INSPECT_STRING_REFERENCE) {
		uint32_t count = vtr_field(vtr_word(scan, index, 0),
					   INSPECT_W0_STRREF_COUNT);

		if (count != users)
			vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
				       "reference count is %u, but there are %u users",
				       count, users);
	}
}

/* Check reference counts, and find blocks in use to which no block refers. */
static void check_references(struct vtr_scan *scan, const struct refs *refs)
{
	uint32_t index;

	/* Blocks that could not be examined may hold the missing references. */
	if (!scan->tiled)
		return;
	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		int type = vtr_type_at(scan, index);

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
				vtr_scan_fault(scan, VTR_UNTIDY,
					       vtr_offset(index),
					       "this EXTENT belongs to no block");
			break;
		}
	}
}

static uint32_t next_free(const struct vtr_scan *scan, uint32_t index)
{
	return vtr_field(vtr_word(scan, index, 0), INSPECT_W0_FREE_NEXT);
}

static uint32_t previous_free(const struct vtr_scan *scan, uint32_t index)
{
	return vtr_field(vtr_word(scan, index, 0), INSPECT_W0_FREE_PREVIOUS);
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
			vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
				       "next free block 0x%x follows 0x%x already",
				       next, scan->aux[next]);
		else
			scan->aux[next] = index;
		return;
	}
	/* In the format, any other block ends a list. In vitrine, only index 0 does. */
	if (!next || vtr_is_lost(scan, next) ||
	    (!refs->linked_back && vtr_type_at(scan, next) >= 0))
		return;
	vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
		       "next free block 0x%x is no FREE block of this size",
		       next);
}

/* Check the rules of vitrine's heap: doubly linked lists, and one list for each order. */
static void check_free_back(struct vtr_scan *scan, struct refs *refs,
			    uint32_t index)
{
	unsigned int order = vtr_field(vtr_word(scan, index, 0),
				       INSPECT_W0_ORDER);
	uint32_t previous = previous_free(scan, index);

	if (previous != scan->aux[index] && !vtr_is_lost(scan, previous))
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "previous free block is said to be 0x%x, but it is 0x%x",
			       previous, scan->aux[index]);
	if (scan->aux[index] || !scan->tiled)
		return;
	if (refs->list_head[order])
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
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
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index) + i,
			       "this FREE block is not cleared");
}

/* Find circles: free blocks that cannot be reached from the head of a list. */
static void check_free_circles(struct vtr_scan *scan)
{
	uint32_t index, at;

	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		if (vtr_type_at(scan, index) != INSPECT_FREE ||
		    scan->aux[index])
			continue;
		/* Terminates, because each block has at most one predecessor. */
		for (at = index; ; at = next_free(scan, at)) {
			scan->kind[at] |= VTR_KIND_WALKED;
			if (!list_continues(scan, at, next_free(scan, at)) ||
			    scan->aux[next_free(scan, at)] != at)
				break;
		}
	}
	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		if (vtr_type_at(scan, index) != INSPECT_FREE ||
		    scan->kind[index] & VTR_KIND_WALKED)
			continue;
		vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(index),
			       "free blocks follow one another in a circle");
		/* Report each circle once. */
		for (at = index; !(scan->kind[at] & VTR_KIND_WALKED);
		     at = next_free(scan, at))
			scan->kind[at] |= VTR_KIND_WALKED;
	}
}

static void check_free_lists(struct vtr_scan *scan, struct refs *refs)
{
	uint32_t index;

	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		if (vtr_type_at(scan, index) != INSPECT_FREE)
			continue;
		check_free_next(scan, refs, index);
		check_free_cleared(scan, refs, index);
	}
	for (index = 0; refs->linked_back && vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		if (vtr_type_at(scan, index) == INSPECT_FREE)
			check_free_back(scan, refs, index);
	}
	check_free_circles(scan);
}

static void ignore_fault(void *ctx, uint64_t offset, const char *message)
{
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
		.fault = fault ? fault : ignore_fault,
		.ctx = ctx,
	};
	struct refs refs = { 0 };
	struct vitrine_error *err;

	err = vtr_scan_init(&scan, bytes, len_bytes);
	if (err)
		return err;
	vtr_scan_strings(&scan);
	vtr_scan_parents(&scan);
	survey(&scan, &refs);
	check_references(&scan, &refs);
	check_free_lists(&scan, &refs);
	*ret = scan.summary;
	vtr_scan_deinit(&scan);
	return NULL;
}
