// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Answer for the values of a tree. Asking one of the wrong type gives 0, false
 * or "", so that a caller may switch on the type late.
 */
#include <endian.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "hierarchy.h"

/**
 * vitrine_value_first_child() - first of the values below a node
 * @value: value
 *
 * Children come in natural order of their names: "cpu2" before "cpu10".
 *
 * Return: the child, or NULL for none.
 */
const struct vitrine_value *
vitrine_value_first_child(const struct vitrine_value *value)
{
	return value->first_child;
}

/**
 * vitrine_value_next() - next of the values with the same parent
 * @value: value
 *
 * Return: the sibling, or NULL if there is none left.
 */
const struct vitrine_value *
vitrine_value_next(const struct vitrine_value *value)
{
	return value->next;
}

/**
 * vitrine_value_parent() - the node above
 * @value: value
 *
 * Return: the node, NULL for the root.
 */
const struct vitrine_value *
vitrine_value_parent(const struct vitrine_value *value)
{
	return value->parent;
}

/**
 * vitrine_value_offset() - where in the file a value is
 * @value: value
 *
 * Return: byte position of its block.
 */
uint64_t vitrine_value_offset(const struct vitrine_value *value)
{
	return (uint64_t)value->index * INSPECT_MIN_BLOCK_BYTES;
}

/**
 * vitrine_value_type() - what a value is
 * @value: value
 *
 * Return: the type.
 */
enum vitrine_type vitrine_value_type(const struct vitrine_value *value)
{
	return value->type;
}

/**
 * vitrine_value_name() - a value's name
 * @value: value
 * @ret_len: its length
 *
 * Return: the bytes, which need not be UTF-8 and have no final NUL.
 */
const char *vitrine_value_name(const struct vitrine_value *value,
			       size_t *ret_len)
{
	*ret_len = value->name->len;
	return value->name->bytes;
}

/**
 * vitrine_value_ordinal() - tell values apart that have the same name
 * @value: value
 *
 * Nothing in the format keeps two children of a node from having one name.
 *
 * Return: how many siblings of this name come before this one.
 */
unsigned int vitrine_value_ordinal(const struct vitrine_value *value)
{
	return value->ordinal;
}

/**
 * vitrine_value_compare() - the order of siblings
 * @a: value
 * @b: value, of the same tree or another
 *
 * Return: less than 0 if @a comes first by name and ordinal, greater than 0 if
 * @b does, 0 if they have the same.
 */
int vitrine_value_compare(const struct vitrine_value *a,
			  const struct vitrine_value *b)
{
	int order = vtr_text_compare(a->name, b->name);

	if (order)
		return order;
	return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/**
 * vitrine_value_int() - the value of a VITRINE_INT
 * @value: value
 *
 * Return: the number.
 */
int64_t vitrine_value_int(const struct vitrine_value *value)
{
	return value->type == VITRINE_INT ? (int64_t)value->word : 0;
}

/**
 * vitrine_value_uint() - the value of a VITRINE_UINT
 * @value: value
 *
 * Return: the number.
 */
uint64_t vitrine_value_uint(const struct vitrine_value *value)
{
	return value->type == VITRINE_UINT ? value->word : 0;
}

static double double_from_bits(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/**
 * vitrine_value_double() - the value of a VITRINE_DOUBLE
 * @value: value
 *
 * Return: the number.
 */
double vitrine_value_double(const struct vitrine_value *value)
{
	return value->type == VITRINE_DOUBLE ? double_from_bits(value->word) : 0;
}

/**
 * vitrine_value_bool() - the value of a VITRINE_BOOL
 * @value: value
 *
 * Return: the truth.
 */
bool vitrine_value_bool(const struct vitrine_value *value)
{
	return value->type == VITRINE_BOOL && value->word;
}

/**
 * vitrine_value_bytes() - the value of a VITRINE_STRING or VITRINE_BYTES, or
 * the content of a VITRINE_LINK
 * @value: value
 * @ret_len: its length
 *
 * Return: the bytes. A string should be UTF-8, but nobody has seen to it.
 */
const void *vitrine_value_bytes(const struct vitrine_value *value,
				size_t *ret_len)
{
	*ret_len = value->len;
	return value->bytes ? value->bytes : "";
}

/**
 * vitrine_value_disposition() - where the tree that a VITRINE_LINK names goes
 * @value: value
 *
 * Return: enum inspect_link_disposition.
 */
unsigned int vitrine_value_disposition(const struct vitrine_value *value)
{
	if (value->type != VITRINE_LINK)
		return INSPECT_LINK_CHILD;
	return (value->word & INSPECT_W1_LINK_DISPOSITION) >> 60;
}

static enum vitrine_type slot_type(unsigned int type)
{
	switch (type) {
	case INSPECT_INT_VALUE:
		return VITRINE_INT;
	case INSPECT_UINT_VALUE:
		return VITRINE_UINT;
	case INSPECT_DOUBLE_VALUE:
		return VITRINE_DOUBLE;
	default:
		return VITRINE_STRING;
	}
}

/**
 * vitrine_value_array() - what a VITRINE_ARRAY is made of
 * @value: value
 *
 * Return: type, format and number of its elements; count 0 for other values.
 */
struct vitrine_array vitrine_value_array(const struct vitrine_value *value)
{
	struct vitrine_array array = { .type = VITRINE_INT };

	if (value->type != VITRINE_ARRAY)
		return array;
	array.type = slot_type(value->word & INSPECT_W1_ARRAY_TYPE);
	array.format = (value->word & INSPECT_W1_ARRAY_FORMAT) >> 4;
	array.count = (value->word & INSPECT_W1_ARRAY_COUNT) >> 8;
	return array;
}

/* Copy the element @i to @ret if it is of @type. */
static bool load_slot(const struct vitrine_value *value, unsigned int i,
		      enum vitrine_type type, void *ret, size_t slot_bytes)
{
	struct vitrine_array array = vitrine_value_array(value);

	if (i >= array.count || array.type != type)
		return false;
	memcpy(ret, value->hierarchy->bytes + vitrine_value_offset(value) +
	       INSPECT_ARRAY_PAYLOAD_OFFSET + i * slot_bytes, slot_bytes);
	return true;
}

/**
 * vitrine_value_array_int() - one element of an array of VITRINE_INT
 * @value: value
 * @i: which
 *
 * Return: the number.
 */
int64_t vitrine_value_array_int(const struct vitrine_value *value,
				unsigned int i)
{
	uint64_t bits = 0;

	load_slot(value, i, VITRINE_INT, &bits, sizeof(bits));
	return (int64_t)le64toh(bits);
}

/**
 * vitrine_value_array_uint() - one element of an array of VITRINE_UINT
 * @value: value
 * @i: which
 *
 * Return: the number.
 */
uint64_t vitrine_value_array_uint(const struct vitrine_value *value,
				  unsigned int i)
{
	uint64_t bits = 0;

	load_slot(value, i, VITRINE_UINT, &bits, sizeof(bits));
	return le64toh(bits);
}

/**
 * vitrine_value_array_double() - one element of an array of VITRINE_DOUBLE
 * @value: value
 * @i: which
 *
 * Return: the number.
 */
double vitrine_value_array_double(const struct vitrine_value *value,
				  unsigned int i)
{
	uint64_t bits = 0;

	load_slot(value, i, VITRINE_DOUBLE, &bits, sizeof(bits));
	return double_from_bits(le64toh(bits));
}

/**
 * vitrine_value_array_string() - one element of an array of VITRINE_STRING
 * @value: value
 * @i: which
 * @ret_len: its length
 *
 * Return: the bytes; "" for an element never set.
 */
const char *vitrine_value_array_string(const struct vitrine_value *value,
				       unsigned int i, size_t *ret_len)
{
	const struct vitrine_hierarchy *hierarchy = value->hierarchy;
	const struct vtr_text *text;
	uint32_t index = 0;

	*ret_len = 0;
	load_slot(value, i, VITRINE_STRING, &index, sizeof(index));
	index = le32toh(index);
	if (!index)
		return "";
	/* The scan has seen to it that this is a STRING_REFERENCE. */
	text = &hierarchy->texts[hierarchy->number[index] - 1];
	*ret_len = text->len;
	return text->bytes;
}
