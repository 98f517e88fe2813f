// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the values of a tree, and drop those that are not wanted.
 *
 * A function for another type than that of the value returns 0, false or "", so that the
 * caller need not check the type first.
 */
#include <endian.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "inspect.h"
#include "value.h"

/* ---- Reading ----------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skip the zeros at *@at. Return the number of digits behind them. */
static uint32_t count_digits(const struct vtr_text *text, uint32_t *at)
{
	uint32_t end;

	while (*at < text->len && text->bytes[*at] == '0')
		++*at;
	for (end = *at; end < text->len && is_digit(text->bytes[end]); end++)
		;
	return end - *at;
}

/*
 * Return the number of bytes with which both texts begin, without digits at the end of these:
 * siblings mostly have names that begin alike.
 */
static uint32_t common_prefix(const struct vtr_text *a, const struct vtr_text *b)
{
	uint32_t least = a->len < b->len ? a->len : b->len, at = 0;

	while (least - at >= 8 && !memcmp(a->bytes + at, b->bytes + at, 8))
		at += 8;
	while (at < least && a->bytes[at] == b->bytes[at])
		at++;
	while (at && is_digit(a->bytes[at - 1]))
		at--;
	return at;
}

/* Compare bytes, but numbers by their value, so that cpu2 comes before cpu10. */
static int compare_natural(const struct vtr_text *a, const struct vtr_text *b)
{
	uint32_t a_at = common_prefix(a, b), b_at = a_at, a_nr, b_nr;
	int order = 0;

	while (!order && a_at < a->len && b_at < b->len) {
		if (!is_digit(a->bytes[a_at]) || !is_digit(b->bytes[b_at])) {
			order = (unsigned char)a->bytes[a_at++] -
				(unsigned char)b->bytes[b_at++];
			continue;
		}
		a_nr = count_digits(a, &a_at);
		b_nr = count_digits(b, &b_at);
		order = a_nr != b_nr ? (a_nr < b_nr ? -1 : 1) :
			memcmp(a->bytes + a_at, b->bytes + b_at, a_nr);
		a_at += a_nr;
		b_at += b_nr;
	}
	return order ? order : (a_at < a->len) - (b_at < b->len);
}

/**
 * vtr_text_compare() - compare two texts in natural order
 * @a: text
 * @b: text
 *
 * The order is total: texts that differ only in leading zeros of numbers are ordered by
 * length.
 *
 * Return: less than 0, greater than 0, or, only if all bytes are equal, 0.
 */
int vtr_text_compare(const struct vtr_text *a, const struct vtr_text *b)
{
	int order = compare_natural(a, b);

	if (order)
		return order;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->len);
}

/**
 * vitrine_value_first_child() - return the first child of a node
 * @value: value
 *
 * Children come in natural order of their names: "cpu2" before "cpu10".
 *
 * Return: the child, or NULL if there is none.
 */
const struct vitrine_value *
vitrine_value_first_child(const struct vitrine_value *value)
{
	return value->first_child;
}

/**
 * vitrine_value_next() - return the next sibling of a value
 * @value: value
 *
 * Return: the sibling, or NULL after the last one.
 */
const struct vitrine_value *
vitrine_value_next(const struct vitrine_value *value)
{
	return value->next;
}

/**
 * vitrine_value_parent() - return the parent of a value
 * @value: value
 *
 * Return: the parent, or NULL for the root.
 */
const struct vitrine_value *
vitrine_value_parent(const struct vitrine_value *value)
{
	return value->parent;
}

/**
 * vtr_value_after() - walk over a tree
 * @value: value
 *
 * Return: the first child, or else the next sibling of the value or of its nearest ancestor that
 * has one; NULL at the end of the tree.
 */
const struct vitrine_value *vtr_value_after(const struct vitrine_value *value)
{
	if (value->first_child)
		return value->first_child;
	while (value && !value->next)
		value = value->parent;
	return value ? value->next : NULL;
}

/**
 * vitrine_value_offset() - return the position of a value in the file
 * @value: value
 *
 * Return: offset of the value's block in bytes.
 */
uint64_t vitrine_value_offset(const struct vitrine_value *value)
{
	return (uint64_t)value->index * INSPECT_MIN_BLOCK_BYTES;
}

/**
 * vitrine_value_type() - return the type of a value
 * @value: value
 *
 * Return: the type.
 */
enum vitrine_type vitrine_value_type(const struct vitrine_value *value)
{
	return value->type;
}

/**
 * vitrine_value_name() - return the name of a value
 * @value: value
 * @ret_len: length of the name in bytes
 *
 * Return: the name, which need not be UTF-8 and is not NUL-terminated.
 */
const char *vitrine_value_name(const struct vitrine_value *value,
			       size_t *ret_len)
{
	*ret_len = value->name->len;
	return value->name->bytes;
}

/**
 * vtr_value_is_named() - compare the name of a value
 * @value: value
 * @name: name
 *
 * Return: true if it is the name of @value.
 */
bool vtr_value_is_named(const struct vitrine_value *value, const char *name)
{
	return value->name->len == strlen(name) &&
	       !memcmp(value->name->bytes, name, value->name->len);
}

/**
 * vitrine_value_ordinal() - return the position of a value among siblings of its name
 * @value: value
 *
 * The format allows several children of a node to have the same name.
 *
 * Return: number of siblings of this name that precede the value.
 */
unsigned int vitrine_value_ordinal(const struct vitrine_value *value)
{
	return value->ordinal;
}

/**
 * vitrine_value_compare() - compare two values by name and ordinal, the order of siblings
 * @a: value
 * @b: value, of the same tree or another
 *
 * Return: less than 0 if @a comes first, greater than 0 if @b comes first, 0 if name and
 * ordinal are equal.
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
 * vitrine_value_array() - describe a VITRINE_ARRAY
 * @value: value
 *
 * Return: type, format and number of the elements; the number is 0 for other values.
 */
struct vitrine_array vitrine_value_array(const struct vitrine_value *value)
{
	struct vitrine_array array = { .type = VITRINE_INT };

	if (value->type != VITRINE_ARRAY)
		return array;
	array.type = vtr_block_types[value->word & INSPECT_W1_ARRAY_TYPE].type;
	array.format = (value->word & INSPECT_W1_ARRAY_FORMAT) >> 4;
	array.count = (value->word & INSPECT_W1_ARRAY_COUNT) >> 8;
	return array;
}

static const uint8_t *slots_of(const struct vitrine_value *value)
{
	return value->hierarchy->bytes + vitrine_value_offset(value) +
	       INSPECT_ARRAY_PAYLOAD_OFFSET;
}

/**
 * vtr_value_number() - return a number
 * @value: value
 * @slot: of an array, index of the element
 *
 * Return: the number; 0 for an element that an array does not have.
 */
struct vtr_number vtr_value_number(const struct vitrine_value *value, unsigned int slot)
{
	struct vtr_number number = { .type = value->type, .u = value->word };
	struct vitrine_array array;

	if (value->type == VITRINE_BOOL)
		number.u = !!value->word;
	if (value->type != VITRINE_ARRAY)
		return number;
	array = vitrine_value_array(value);
	number.type = array.type;
	number.u = 0;
	if (slot < array.count && array.type != VITRINE_STRING)
		memcpy(&number.u, slots_of(value) + slot * sizeof(number.u), sizeof(number.u));
	number.u = le64toh(number.u);
	return number;
}

/* Return a property of @type, or an element of an array of @type, and 0 for any other. */
static struct vtr_number number_of(const struct vitrine_value *value, bool in_array,
				   unsigned int slot, enum vitrine_type type)
{
	struct vtr_number number = vtr_value_number(value, slot);
	bool is_array = value->type == VITRINE_ARRAY;

	if (is_array != in_array || number.type != type)
		number.u = 0;
	return number;
}

/**
 * vitrine_value_int() - return the value of a VITRINE_INT
 * @value: value
 *
 * Return: the number.
 */
int64_t vitrine_value_int(const struct vitrine_value *value)
{
	return number_of(value, false, 0, VITRINE_INT).i;
}

/**
 * vitrine_value_uint() - return the value of a VITRINE_UINT
 * @value: value
 *
 * Return: the number.
 */
uint64_t vitrine_value_uint(const struct vitrine_value *value)
{
	return number_of(value, false, 0, VITRINE_UINT).u;
}

/**
 * vitrine_value_double() - return the value of a VITRINE_DOUBLE
 * @value: value
 *
 * Return: the number.
 */
double vitrine_value_double(const struct vitrine_value *value)
{
	return number_of(value, false, 0, VITRINE_DOUBLE).real;
}

/**
 * vitrine_value_bool() - return the value of a VITRINE_BOOL
 * @value: value
 *
 * Return: the value.
 */
bool vitrine_value_bool(const struct vitrine_value *value)
{
	return number_of(value, false, 0, VITRINE_BOOL).u;
}

/**
 * vitrine_value_array_int() - return an element of an array of VITRINE_INT
 * @value: value
 * @i: index of the element
 *
 * Return: the number.
 */
int64_t vitrine_value_array_int(const struct vitrine_value *value,
				unsigned int i)
{
	return number_of(value, true, i, VITRINE_INT).i;
}

/**
 * vitrine_value_array_uint() - return an element of an array of VITRINE_UINT
 * @value: value
 * @i: index of the element
 *
 * Return: the number.
 */
uint64_t vitrine_value_array_uint(const struct vitrine_value *value,
				  unsigned int i)
{
	return number_of(value, true, i, VITRINE_UINT).u;
}

/**
 * vitrine_value_array_double() - return an element of an array of VITRINE_DOUBLE
 * @value: value
 * @i: index of the element
 *
 * Return: the number.
 */
double vitrine_value_array_double(const struct vitrine_value *value,
				  unsigned int i)
{
	return number_of(value, true, i, VITRINE_DOUBLE).real;
}

/**
 * vitrine_value_bytes() - return the value of a VITRINE_STRING or VITRINE_BYTES, or the
 * content of a VITRINE_LINK
 * @value: value
 * @ret_len: length in bytes
 *
 * Return: the bytes. Strings should be UTF-8, but this is not checked.
 */
const void *vitrine_value_bytes(const struct vitrine_value *value,
				size_t *ret_len)
{
	*ret_len = value->len;
	return value->bytes ? value->bytes : "";
}

/**
 * vitrine_value_disposition() - return where the tree of a VITRINE_LINK is inserted
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

/**
 * vitrine_value_array_string() - return an element of an array of VITRINE_STRING
 * @value: value
 * @i: index of the element
 * @ret_len: length in bytes
 *
 * Return: the bytes, "" for an element that was never set.
 */
const char *vitrine_value_array_string(const struct vitrine_value *value,
				       unsigned int i, size_t *ret_len)
{
	const struct vitrine_hierarchy *hierarchy = value->hierarchy;
	struct vitrine_array array = vitrine_value_array(value);
	const struct vtr_text *text;
	uint32_t index = 0;

	*ret_len = 0;
	if (i < array.count && array.type == VITRINE_STRING)
		memcpy(&index, slots_of(value) + i * sizeof(index), sizeof(index));
	index = le32toh(index);
	if (!index)
		return "";
	/* The scan has checked that this is a STRING_REFERENCE. */
	text = &hierarchy->texts[hierarchy->number[index] - 1];
	*ret_len = text->len;
	return text->bytes;
}

/**
 * vtr_value_text() - return the bytes of a value that is not a number
 * @value: value
 * @slot: of an array, index of the element
 * @ret_len: length in bytes
 *
 * Return: as vitrine_value_bytes() and vitrine_value_array_string().
 */
const char *vtr_value_text(const struct vitrine_value *value, unsigned int slot,
			   size_t *ret_len)
{
	if (value->type == VITRINE_ARRAY)
		return vitrine_value_array_string(value, slot, ret_len);
	return vitrine_value_bytes(value, ret_len);
}

/* ---- Filtering --------------------------------------------------------- */

/*
 * Nothing is copied: a dropped value is unlinked from the tree and freed with it. Ordinals
 * do not change, so that a value keeps its name among its siblings.
 */

/* Filter @first and its siblings. The recursion is at most VITRINE_MAX_DEPTH deep. */
static struct vitrine_value *keep_siblings(struct vitrine_value *first,
					   vitrine_filter_fn *judge, void *ctx)
{
	struct vitrine_value *kept = NULL, **end = &kept;
	struct vitrine_value *value, *next;

	for (value = first; value; value = next) {
		enum vitrine_verdict verdict = judge(ctx, value);

		next = value->next;
		if (verdict == VITRINE_DESCEND)
			value->first_child = keep_siblings(value->first_child, judge, ctx);
		if (verdict == VITRINE_KEEP ||
		    (verdict == VITRINE_DESCEND && value->first_child)) {
			*end = value;
			end = &value->next;
		}
	}
	*end = NULL;
	return kept;
}

/**
 * vitrine_hierarchy_filter() - drop the values of a tree that are not wanted
 * @hierarchy: tree
 * @judge: decides about each value whose parent is descended into,
 *	parents first
 * @ctx: first argument of @judge
 *
 * If nothing is left, vitrine_hierarchy_first() is NULL.
 */
void vitrine_hierarchy_filter(struct vitrine_hierarchy *hierarchy,
			      vitrine_filter_fn *judge, void *ctx)
{
	hierarchy->first = keep_siblings(hierarchy->first, judge, ctx);
}
