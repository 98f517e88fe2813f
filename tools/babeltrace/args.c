// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert the fields of an event to arguments of a record, as far as the record has room.
 *
 * Each number or text becomes an argument. Names of array elements have an index, as in
 * "name[0]", and names of structure members a dot, as in "name.member". For a variant, the
 * selected option is converted.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"

/* Maximum nesting depth of structures and arrays. */
#define MAX_DEPTH	4

static void add_field(struct args *args, const char *name,
		      const bt_field *field, unsigned int depth);

/* Check for an enumeration of false and true, which the source writes for booleans. */
static bool is_boolean(const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	return bt_field_get_class_type(field) ==
	       BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION &&
	       bt_field_class_enumeration_get_mapping_count(class) == 2 &&
	       bt_field_class_enumeration_unsigned_borrow_mapping_by_label_const(class,
								"true");
}

static void set_integer(struct vitrine_fxt_arg *arg, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	bool wide = bt_field_class_integer_get_field_value_range(class) > 32;
	bool hex = bt_field_class_integer_get_preferred_display_base(class) ==
		   BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;

	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		arg->type = wide ? FXT_ARG_INT64 : FXT_ARG_INT32;
		arg->value.int64 = bt_field_integer_signed_get_value(field);
		return;
	}
	arg->value.uint64 = bt_field_integer_unsigned_get_value(field);
	if (is_boolean(field)) {
		arg->type = FXT_ARG_BOOL;
		arg->value.boolean = arg->value.uint64;
	} else {
		arg->type = !wide ? FXT_ARG_UINT32 :
			    hex ? FXT_ARG_POINTER : FXT_ARG_UINT64;
	}
}

/* Store a number or text in @arg. Return false for other fields. */
static bool set_arg(struct vitrine_fxt_arg *arg, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		set_integer(arg, field);
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		arg->type = FXT_ARG_BOOL;
		arg->value.boolean = bt_field_bool_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		arg->type = FXT_ARG_STRING_REF;
		arg->value.string.bytes = bt_field_string_get_value(field);
		arg->value.string.len_bytes =
			bt_field_string_get_length(field);
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		arg->type = FXT_ARG_DOUBLE;
		arg->value.real =
			bt_field_real_double_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		arg->type = FXT_ARG_DOUBLE;
		arg->value.real =
			bt_field_real_single_precision_get_value(field);
	} else {
		return false;
	}
	return true;
}

static bool is_full(const struct args *args)
{
	return args->record->nr_args == FXT_MAX_ARGS;
}

/* Add a number or text. A generated name is copied to @names, as the record points to it. */
static void add_value(struct args *args, const char *name,
		      const bt_field *field, unsigned int depth)
{
	unsigned int nr = args->record->nr_args;
	struct vitrine_fxt_arg arg;

	if (is_full(args) || !set_arg(&arg, field)) {
		args->nr_left_out++;
		return;
	}
	if (depth) {
		snprintf(args->names[nr], ARGS_NAME_BYTES, "%s", name);
		name = args->names[nr];
	}
	fxt_add_arg(args->record, arg.type, name)->value = arg.value;
}

static void add_array(struct args *args, const char *name,
		      const bt_field *array, unsigned int depth)
{
	uint64_t i, nr = bt_field_array_get_length(array);
	char element[ARGS_NAME_BYTES];

	for (i = 0; i < nr && !is_full(args); i++) {
		snprintf(element, sizeof(element), "%.40s[%llu]", name,
			 (unsigned long long)i);
		add_field(args, element,
			  bt_field_array_borrow_element_field_by_index_const(array,
									     i),
			  depth + 1);
	}
	args->nr_left_out += nr - i;
}

static const char *member_name(const bt_field_class *structure, uint64_t index)
{
	return bt_field_class_structure_member_get_name(
		bt_field_class_structure_borrow_member_by_index_const(structure,
								      index));
}

static void add_structure(struct args *args, const char *name,
			  const bt_field *structure, unsigned int depth)
{
	const bt_field_class *class = bt_field_borrow_class_const(structure);
	uint64_t i, nr = bt_field_class_structure_get_member_count(class);
	char member[ARGS_NAME_BYTES];

	for (i = 0; i < nr; i++) {
		snprintf(member, sizeof(member), "%.31s.%.31s", name,
			 member_name(class, i));
		add_field(args, member,
			  bt_field_structure_borrow_member_field_by_index_const(
				structure, i), depth + 1);
	}
}

static void add_field(struct args *args, const char *name,
		      const bt_field *field, unsigned int depth)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (depth == MAX_DEPTH)
		args->nr_left_out++;
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		add_array(args, name, field, depth);
	else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
		add_structure(args, name, field, depth);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
		add_field(args, name,
			  bt_field_variant_borrow_selected_option_field_const(field),
			  depth + 1);
	else
		add_value(args, name, field, depth);
}

static bool is_one_of(const char *name, const char * const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/**
 * args_add_members() - add all members of a structure
 * @args: arguments of the record
 * @structure: payload or context of an event, or NULL
 * @skip: names of members that other parts of the record have, ended by NULL
 */
void args_add_members(struct args *args, const bt_field *structure,
		      const char * const *skip)
{
	const bt_field_class *class;
	const char *name;
	uint64_t i, nr;

	if (!structure)
		return;
	class = bt_field_borrow_class_const(structure);
	nr = bt_field_class_structure_get_member_count(class);
	for (i = 0; i < nr; i++) {
		name = member_name(class, i);
		if (!is_one_of(name, skip))
			add_field(args, name,
				  bt_field_structure_borrow_member_field_by_index_const(
					structure, i), 0);
	}
}

/**
 * args_leave_members() - count all members of a structure as left out
 * @args: arguments of the record
 * @structure: as for args_add_members()
 * @skip: as for args_add_members()
 */
void args_leave_members(struct args *args, const bt_field *structure,
			const char * const *skip)
{
	const bt_field_class *class;
	uint64_t i, nr;

	if (!structure)
		return;
	class = bt_field_borrow_class_const(structure);
	nr = bt_field_class_structure_get_member_count(class);
	for (i = 0; i < nr; i++)
		args->nr_left_out += !is_one_of(member_name(class, i), skip);
}
