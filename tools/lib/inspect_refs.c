// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan an Inspect file, second part: references between blocks. These are names, string
 * references, chains of extents, and parents.
 *
 * No chain is walked twice: the first chain that reaches an extent claims it, and a second
 * claim, even by the same chain, ends the walk. The ancestors of a node are walked up to
 * the first node that was walked before. A scan is used by one thread.
 */
#include <inttypes.h>

#include "inspect.h"

/* Report a reference to a block of the wrong type, as "0x1f40 is not an EXTENT". */
static void fault_wrong_type(struct vtr_scan *scan, uint64_t offset,
			     const char *what, uint64_t index,
			     const char *expected)
{
	int type;

	if (index >= scan->nr_units) {
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "%s 0x%" PRIx64 " is beyond the end of the file",
			       what, index);
		return;
	}
	type = vtr_type_at(scan, index);
	if (type < 0)
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "%s 0x%" PRIx64 " is within a block, not %s",
			       what, index, expected);
	else
		vtr_scan_fault(scan, VTR_UNREADABLE, offset,
			       "%s 0x%" PRIx64 " is of type %s, not %s",
			       what, index, vtr_scan_type_name(scan, type),
			       expected);
}

/* Check and count a reference from @offset to the text at @index. */
static void use_text(struct vtr_scan *scan, uint64_t offset, const char *what,
		     uint64_t index, bool name_allowed)
{
	int type = index < scan->nr_units ? vtr_type_at(scan, index) : -1;

	if (type == INSPECT_STRING_REFERENCE ||
	    (type == INSPECT_NAME && name_allowed))
		scan->aux[index]++;
	else if (index >= scan->nr_units || !vtr_is_lost(scan, index))
		fault_wrong_type(scan, offset, what, index,
				 name_allowed ? "NAME or STRING_REFERENCE" :
						"STRING_REFERENCE");
}

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
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(index),
			       scan->aux[index] == chain->owner ?
			       "the extents of block 0x%x run in a circle" :
			       "this EXTENT belongs to block 0x%x already",
			       scan->aux[index]);
		return false;
	}
	scan->aux[index] = chain->owner;
	chain->from = index;
	chain->next = vtr_field(vtr_word(scan, index, 0),
				INSPECT_W0_EXTENT_NEXT);
	return true;
}

static void count_stale_tail(struct vtr_scan *scan, uint32_t index,
			     uint32_t used)
{
	uint32_t bytes = vtr_block_bytes(scan, index);
	const uint8_t *block = scan->bytes + vtr_offset(index);

	if (!scan->thorough)
		return;
	for (; used < bytes; used++) {
		if (block[used]) {
			scan->summary.nr_stale++;
			return;
		}
	}
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
			vtr_scan_fault(scan, VTR_UNREADABLE,
				       vtr_offset(chain->owner),
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
	vtr_scan_fault(scan, VTR_UNTIDY, vtr_offset(chain->from),
		       "extents go on at 0x%x after the last byte of block 0x%x",
		       chain->next, chain->owner);
	/* Claim the surplus extents, so that they are not reported as unreferenced, too. */
	while (chain->next && chain_claim(scan, chain))
		;
}

static void scan_string_reference(struct vtr_scan *scan, uint32_t index)
{
	uint32_t len = vtr_field(vtr_word(scan, index, 1),
				 INSPECT_W1_STRREF_LENGTH);
	uint32_t room = vtr_block_bytes(scan, index) -
			INSPECT_STRREF_PAYLOAD_OFFSET;
	struct chain chain = {
		.owner = index,
		.from = index,
		.next = vtr_field(vtr_word(scan, index, 0),
				  INSPECT_W0_STRREF_NEXT),
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

static void scan_string_array(struct vtr_scan *scan, uint32_t index)
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

static void scan_name_of(struct vtr_scan *scan, uint32_t index, int type)
{
	uint32_t name = vtr_field(vtr_word(scan, index, 0),
				  INSPECT_W0_VALUE_NAME);

	/* A TOMBSTONE may have a name. vitrine writes it without one. */
	if (type == INSPECT_TOMBSTONE && !name)
		return;
	use_text(scan, vtr_offset(index), "name", name, true);
}

/**
 * vtr_scan_strings() - check all names, strings and byte vectors
 * @scan: scan, after vtr_scan_init()
 *
 * Sets @scan->aux of each EXTENT to its owner, and of each NAME and STRING_REFERENCE to
 * the number of its users.
 */
void vtr_scan_strings(struct vtr_scan *scan)
{
	uint32_t index;

	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		int type = vtr_type_at(scan, index);

		if (vtr_is_value(type) || type == INSPECT_TOMBSTONE)
			scan_name_of(scan, index, type);
		switch (type) {
		case INSPECT_STRING_REFERENCE:
			scan_string_reference(scan, index);
			break;
		case INSPECT_BUFFER_VALUE:
			scan_buffer(scan, index);
			break;
		case INSPECT_ARRAY_VALUE:
			scan_string_array(scan, index);
			break;
		case INSPECT_LINK_VALUE:
			use_text(scan, vtr_offset(index) + 8, "content",
				 vtr_field(vtr_word(scan, index, 1),
					   INSPECT_W1_LINK_CONTENT), true);
			break;
		}
	}
}

static bool is_node(const struct vtr_scan *scan, uint32_t index)
{
	int type = vtr_type_at(scan, index);

	return type == INSPECT_NODE_VALUE || type == INSPECT_TOMBSTONE;
}

static uint32_t parent_of(const struct vtr_scan *scan, uint32_t index)
{
	return vtr_field(vtr_word(scan, index, 0), INSPECT_W0_VALUE_PARENT);
}

/* Walk up from @index to the top, or to a node that an earlier walk has visited. */
static void check_ancestors(struct vtr_scan *scan, uint32_t index)
{
	uint32_t at;

	for (at = index; at && is_node(scan, at) &&
	     !(scan->kind[at] & VTR_KIND_MARKS); at = parent_of(scan, at))
		scan->kind[at] |= VTR_KIND_WALKING;

	if (at && is_node(scan, at) && scan->kind[at] & VTR_KIND_WALKING)
		vtr_scan_fault(scan, VTR_UNREADABLE, vtr_offset(at),
			       "this %s is its own ancestor",
			       vtr_scan_type_name(scan, vtr_type_at(scan, at)));

	for (at = index; at && is_node(scan, at) &&
	     scan->kind[at] & VTR_KIND_WALKING; at = parent_of(scan, at))
		scan->kind[at] ^= VTR_KIND_WALKING | VTR_KIND_WALKED;
}

/**
 * vtr_scan_parents() - check the parents of all values
 * @scan: scan, after vtr_scan_init()
 *
 * A parent is a node, a node deleted before its children (TOMBSTONE), or index 0, which is
 * the root. Sets @scan->aux of each NODE and TOMBSTONE to the number of its children. The
 * children of the root are not counted.
 */
void vtr_scan_parents(struct vtr_scan *scan)
{
	uint32_t index;

	for (index = 0; vtr_goes_on(scan, index);
	     index = vtr_next_index(scan, index)) {
		int type = vtr_type_at(scan, index);
		uint32_t parent;

		if (!vtr_is_value(type) && type != INSPECT_TOMBSTONE)
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
