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

static void put_list(struct json_writer *json, const struct field *field, const char *row,
		     const void *ctx)
{
	const char *at = row + field->at;
	uint64_t nr = number_at(row + field->when, field->when_size);

	if (field->type == FIELD_POINTER)
		at = *(const char * const *)at;
	json_begin_list(json);
	for (; nr--; at += field->size) {
		json_item(json);
		fields_put(json, field->fields, at, ctx);
	}
	json_end_list(json);
}

static void put_value(struct json_writer *json, const struct field *field, const char *row,
		      const void *ctx)
{
	const char *at = row + field->at;

	switch (field->type) {
	case FIELD_UINT:
		json_uint(json, number_at(at, field->size));
		break;
	case FIELD_BOOL:
		json_boolean(json, *(const bool *)at);
		break;
	case FIELD_REAL:
		json_real(json, *(const double *)at);
		break;
	case FIELD_STRING:
		json_string(json, *(const char * const *)at);
		break;
	case FIELD_NAME:
		json_string(json, field->names[number_at(at, field->size)]);
		break;
	case FIELD_OTHER:
		field->write(json, ctx, at);
		break;
	case FIELD_OBJECT:
		fields_put(json, field->fields, at, ctx);
		break;
	case FIELD_ARRAY:
	case FIELD_POINTER:
		put_list(json, field, row, ctx);
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
 * @json: writer
 * @fields: table of the members
 * @row: the struct
 * @ctx: passed to functions in the table
 */
void fields_members(struct json_writer *json, const struct field *fields, const void *row,
		    const void *ctx)
{
	for (; fields->key; fields++) {
		if (is_left_out(fields, row))
			continue;
		json_key(json, fields->key);
		put_value(json, fields, row, ctx);
	}
}

/**
 * fields_put() - write a struct as an object
 * @json: writer
 * @fields: table of its members
 * @row: the struct
 * @ctx: passed to functions in the table
 */
void fields_put(struct json_writer *json, const struct field *fields, const void *row,
		const void *ctx)
{
	json_begin(json);
	fields_members(json, fields, row, ctx);
	json_end(json);
}

/**
 * fields_print() - print a struct as JSON
 * @fields: table of its members
 * @row: the struct
 * @ctx: passed to functions in the table
 */
void fields_print(const struct field *fields, const void *row, const void *ctx)
{
	struct json_writer json;

	json_init(&json, stdout, true);
	fields_put(&json, fields, row, ctx);
	json_finish(&json);
}
