// SPDX-License-Identifier: GPL-2.0
/*
 * Write structs as objects of JSON, by tables of their members.
 */
#include "fields.h"

static uint64_t number_at(const char *at, size_t size)
{
	switch (size) {
	case sizeof(uint64_t):
		return *(const uint64_t *)at;
	case sizeof(uint32_t):
		return *(const uint32_t *)at;
	default:
		return *(const uint8_t *)at;
	}
}

static void put_list(const struct field *field, const char *row)
{
	const char *at = row + field->at;
	uint64_t nr = number_at(row + field->when, field->when_size);

	if (field->type == FIELD_POINTER)
		at = *(const char * const *)at;
	json_begin_list();
	for (; nr--; at += field->size) {
		json_item();
		fields_put(field->fields, at);
	}
	json_end_list();
}

static void put_value(const struct field *field, const char *row)
{
	const char *at = row + field->at;

	switch (field->type) {
	case FIELD_UINT:
		json_uint(number_at(at, field->size));
		break;
	case FIELD_BOOL:
		json_boolean(*(const bool *)at);
		break;
	case FIELD_REAL:
		json_real(*(const double *)at);
		break;
	case FIELD_STRING:
		json_string(*(const char * const *)at);
		break;
	case FIELD_NAME:
		json_string(field->names[number_at(at, field->size)]);
		break;
	case FIELD_OTHER:
		field->write(at);
		break;
	case FIELD_OBJECT:
		fields_put(field->fields, at);
		break;
	case FIELD_ARRAY:
	case FIELD_POINTER:
		put_list(field, row);
		break;
	}
}

static bool is_left_out(const struct field *field, const char *row)
{
	return field->when_size && field->type < FIELD_ARRAY &&
	       !number_at(row + field->when, field->when_size);
}

/**
 * fields_members() - write members into an object that has begun
 * @fields: table of the members
 * @row: the struct
 */
void fields_members(const struct field *fields, const void *row)
{
	for (; fields->key; fields++) {
		if (is_left_out(fields, row))
			continue;
		json_key(fields->key);
		put_value(fields, row);
	}
}

/**
 * fields_put() - write a struct as an object
 * @fields: table of its members
 * @row: the struct
 */
void fields_put(const struct field *fields, const void *row)
{
	json_begin();
	fields_members(fields, row);
	json_end();
}

/**
 * fields_print() - print a struct as JSON
 * @fields: table of its members
 * @row: the struct
 */
void fields_print(const struct field *fields, const void *row)
{
	json_init(true);
	fields_put(fields, row);
	json_finish();
}
