/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look up members of a structure by name. The functions are inline because they are called
 * several times for each event.
 */
#ifndef _VITRINE_BABELTRACE_FIELD_H
#define _VITRINE_BABELTRACE_FIELD_H

#include <babeltrace2/babeltrace.h>

#include "vitrine.h"

static inline const bt_field *field_of(const bt_field *structure,
				       const char *name)
{
	if (!structure)
		return NULL;
	return bt_field_structure_borrow_member_field_by_name_const(structure,
								    name);
}

static inline bool is_integer(const bt_field *field)
{
	return field && bt_field_class_type_is(bt_field_get_class_type(field),
					       BT_FIELD_CLASS_TYPE_INTEGER);
}

static inline int64_t value_of(const bt_field *field)
{
	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return bt_field_integer_signed_get_value(field);
	return bt_field_integer_unsigned_get_value(field);
}

/* Read a number. Return false if there is no such field, or the field is not a number. */
static inline bool get_integer(const bt_field *structure, const char *name,
			       int64_t *ret)
{
	const bt_field *field = field_of(structure, name);

	if (!is_integer(field))
		return false;
	*ret = value_of(field);
	return true;
}

static inline bool get_text(const bt_field *structure, const char *name,
			    struct vitrine_fxt_string *ret)
{
	const bt_field *field = field_of(structure, name);

	if (!field || bt_field_get_class_type(field) !=
	    BT_FIELD_CLASS_TYPE_STRING)
		return false;
	ret->bytes = bt_field_string_get_value(field);
	ret->len_bytes = bt_field_string_get_length(field);
	return true;
}

#endif /* _VITRINE_BABELTRACE_FIELD_H */
