// SPDX-License-Identifier: GPL-2.0
/*
 * Trees as JSON: json-c writes every number, string and name; the structure
 * between them is written as the tree is walked. So memory is that of the
 * largest single value, not of the whole text, which may be many times the
 * size of a file whose values share long names.
 */
#define _GNU_SOURCE	/* open_memstream() */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <vitrine/inspect.h>

#include "double.h"
#include "json.h"
#include "utf8.h"

/* ---- Scalars ----------------------------------------------------------- */

/* Write a value and drop it. NULL: there was no memory for it. */
static void write_object(struct json_writer *json, struct json_object *object)
{
	const char *text;
	size_t len;

	if (!object) {
		json->failed = true;
		return;
	}
	text = json_object_to_json_string_length(object,
						 JSON_C_TO_STRING_PLAIN |
						 JSON_C_TO_STRING_NOSLASHESCAPE,
						 &len);
	if (text)
		fwrite(text, 1, len, json->stream);
	else
		json->failed = true;
	json_object_put(object);
}

/* JSON has no infinity, and nothing that is not a number. */
static void write_double(struct json_writer *json, double number)
{
	char text[DOUBLE_TEXT_BYTES];

	if (isnan(number) || isinf(number)) {
		write_object(json, json_object_new_string(isnan(number) ? "NaN" :
							  number > 0 ? "Infinity" :
							  "-Infinity"));
		return;
	}
	double_format(number, text);
	write_object(json, json_object_new_double_s(number, text));
}

static void write_base64(struct json_writer *json, const uint8_t *bytes,
			 size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	fputs("\"b64:", json->stream);
	for (i = 0; i < len; i += 3) {
		size_t n = len - i;
		uint32_t bits = bytes[i] << 16 | (n > 1 ? bytes[i + 1] << 8 : 0) |
				(n > 2 ? bytes[i + 2] : 0);

		putc(digits[bits >> 18], json->stream);
		putc(digits[bits >> 12 & 63], json->stream);
		putc(n > 1 ? digits[bits >> 6 & 63] : '=', json->stream);
		putc(n > 2 ? digits[bits & 63] : '=', json->stream);
	}
	putc('"', json->stream);
}

static void write_string(struct json_writer *json, const char *bytes, size_t len)
{
	if (utf8_is_valid(bytes, len))
		write_object(json, json_object_new_string_len(bytes, len));
	else
		write_base64(json, (const uint8_t *)bytes, len);
}

/* ---- Names ------------------------------------------------------------- */

/* What JSON or an eye could take for something else goes as \xHH or \\. */
static void escape_name(FILE *stream, const uint8_t *bytes, size_t len)
{
	uint32_t c;

	while (len) {
		size_t n = utf8_decode(bytes, len, &c);

		if (!n || !c) {
			fprintf(stream, "\\x%02x", *bytes);
			n = 1;
		} else if (c == '\\') {
			fputs("\\\\", stream);
		} else {
			fwrite(bytes, 1, n, stream);
		}
		bytes += n;
		len -= n;
	}
}

static bool is_plain_name(const char *name, size_t len)
{
	return !memchr(name, '\\', len) && !memchr(name, 0, len) &&
	       utf8_is_valid(name, len);
}

static void write_name(struct json_writer *json, const char *name, size_t len,
		       unsigned int ordinal)
{
	char *escaped = NULL;
	FILE *stream;

	if (!ordinal && is_plain_name(name, len)) {
		write_object(json, json_object_new_string_len(name, len));
		return;
	}
	stream = open_memstream(&escaped, &len);
	if (!stream) {
		json->failed = true;
		return;
	}
	escape_name(stream, (const uint8_t *)name, len);
	if (ordinal)
		fprintf(stream, "\\#%u", ordinal + 1);
	if (fclose(stream) || !escaped)
		json->failed = true;
	else
		write_object(json, json_object_new_string_len(escaped, len));
	free(escaped);
}

/* ---- Structure --------------------------------------------------------- */

static void new_line(struct json_writer *json)
{
	if (json->pretty)
		fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

/**
 * json_begin() - begin an object
 * @json: writer
 */
void json_begin(struct json_writer *json)
{
	putc('{', json->stream);
	json->depth++;
}

/**
 * json_member() - write the name of a member; its value comes next
 * @json: writer
 * @first: whether it is the object's first
 * @name: bytes of the name
 * @len: how many
 * @ordinal: how many members of this name came before
 */
void json_member(struct json_writer *json, bool first, const char *name,
		 size_t len, unsigned int ordinal)
{
	if (!first)
		putc(',', json->stream);
	new_line(json);
	write_name(json, name, len, ordinal);
	fputs(json->pretty ? ": " : ":", json->stream);
}

/**
 * json_end() - end an object
 * @json: writer
 * @empty: whether it has no member
 */
void json_end(struct json_writer *json, bool empty)
{
	json->depth--;
	if (!empty)
		new_line(json);
	putc('}', json->stream);
}

/**
 * json_begin_list() - begin an array, one item a line
 * @json: writer
 */
void json_begin_list(struct json_writer *json)
{
	putc('[', json->stream);
	json->depth++;
}

/**
 * json_item() - an item of an array comes next
 * @json: writer
 * @first: whether it is the first
 */
void json_item(struct json_writer *json, bool first)
{
	if (!first)
		putc(',', json->stream);
	new_line(json);
}

/**
 * json_end_list() - end an array
 * @json: writer
 * @empty: whether it has no item
 */
void json_end_list(struct json_writer *json, bool empty)
{
	json->depth--;
	if (!empty)
		new_line(json);
	putc(']', json->stream);
}

/**
 * json_name() - write a name as a string, as it is written for a member
 * @json: writer
 * @value: node or property
 */
void json_name(struct json_writer *json, const struct vitrine_value *value)
{
	const char *name;
	size_t len;

	name = vitrine_value_name(value, &len);
	write_name(json, name, len, vitrine_value_ordinal(value));
}

/**
 * json_string() - write text of unknown origin
 * @json: writer
 * @text: text
 */
void json_string(struct json_writer *json, const char *text)
{
	write_string(json, text, strlen(text));
}

/**
 * json_text() - write bytes that should be text
 * @json: writer
 * @bytes: text; what is not UTF-8 is written as bytes
 * @len: how many
 */
void json_text(struct json_writer *json, const char *bytes, size_t len)
{
	write_string(json, bytes, len);
}

/**
 * json_int() - write a number that may be negative
 * @json: writer
 * @number: number
 */
void json_int(struct json_writer *json, int64_t number)
{
	write_object(json, json_object_new_int64(number));
}

/**
 * json_boolean() - write true or false
 * @json: writer
 * @value: which
 */
void json_boolean(struct json_writer *json, bool value)
{
	write_object(json, json_object_new_boolean(value));
}

/**
 * json_real() - write a double as a tree's
 * @json: writer
 * @number: number, or none
 */
void json_real(struct json_writer *json, double number)
{
	write_double(json, number);
}

/**
 * json_uint() - write a number
 * @json: writer
 * @number: number
 */
void json_uint(struct json_writer *json, uint64_t number)
{
	write_object(json, json_object_new_uint64(number));
}

/**
 * json_number() - write a number given in decimal
 * @json: writer
 * @text: number, as JSON has numbers, of any length
 */
void json_number(struct json_writer *json, const char *text)
{
	write_object(json, json_object_new_double_s(strtod(text, NULL), text));
}

/**
 * json_null() - write that there is no value
 * @json: writer
 */
void json_null(struct json_writer *json)
{
	fputs("null", json->stream);
}

/* ---- Values ------------------------------------------------------------ */

static void write_element(struct json_writer *json,
			  const struct vitrine_value *value,
			  enum vitrine_type type, unsigned int i)
{
	const char *bytes;
	size_t len;

	switch (type) {
	case VITRINE_INT:
		write_object(json, json_object_new_int64(vitrine_value_array_int(value, i)));
		break;
	case VITRINE_UINT:
		write_object(json, json_object_new_uint64(vitrine_value_array_uint(value, i)));
		break;
	case VITRINE_DOUBLE:
		write_double(json, vitrine_value_array_double(value, i));
		break;
	default:
		bytes = vitrine_value_array_string(value, i, &len);
		write_string(json, bytes, len);
		break;
	}
}

/* Elements from @first on, in brackets. */
static void write_elements(struct json_writer *json,
			   const struct vitrine_value *value,
			   unsigned int first)
{
	struct vitrine_array array = vitrine_value_array(value);
	unsigned int i;

	putc('[', json->stream);
	for (i = first; i < array.count; i++) {
		if (i > first)
			fputs(json->pretty ? ", " : ",", json->stream);
		write_element(json, value, array.type, i);
	}
	putc(']', json->stream);
}

static void member(struct json_writer *json, bool first, const char *name)
{
	json_member(json, first, name, strlen(name), 0);
}

static void write_histogram(struct json_writer *json,
			    const struct vitrine_value *value)
{
	static const char * const linear[] = { "floor", "step" };
	static const char * const exponential[] = {
		"floor", "initial_step", "step_multiplier",
	};
	struct vitrine_array array = vitrine_value_array(value);
	bool is_linear = array.format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
	unsigned int i, nr = is_linear ? 2 : 3;

	json_begin(json);
	member(json, true, "histogram");
	write_object(json, json_object_new_string(is_linear ? "linear" :
						  "exponential"));
	for (i = 0; i < nr; i++) {
		member(json, false, is_linear ? linear[i] : exponential[i]);
		write_element(json, value, array.type, i);
	}
	member(json, false, "counts");
	write_elements(json, value, nr);
	json_end(json, false);
}

static void write_link(struct json_writer *json,
		       const struct vitrine_value *value)
{
	bool is_inline = vitrine_value_disposition(value) == INSPECT_LINK_INLINE;
	const struct vitrine_error *err = vitrine_value_link_error(value);
	const char *bytes;
	size_t len;

	json_begin(json);
	member(json, true, "link");
	bytes = vitrine_value_bytes(value, &len);
	write_string(json, bytes, len);
	member(json, false, "disposition");
	write_object(json, json_object_new_string(is_inline ? "inline" :
						  "child"));
	if (err) {
		member(json, false, "error");
		write_object(json, json_object_new_string(err->message));
	}
	json_end(json, false);
}

static void write_property(struct json_writer *json,
			   const struct vitrine_value *value)
{
	const void *bytes;
	size_t len;

	switch (vitrine_value_type(value)) {
	case VITRINE_NODE:
		break;
	case VITRINE_INT:
		write_object(json, json_object_new_int64(vitrine_value_int(value)));
		break;
	case VITRINE_UINT:
		write_object(json, json_object_new_uint64(vitrine_value_uint(value)));
		break;
	case VITRINE_DOUBLE:
		write_double(json, vitrine_value_double(value));
		break;
	case VITRINE_BOOL:
		write_object(json, json_object_new_boolean(vitrine_value_bool(value)));
		break;
	case VITRINE_STRING:
		bytes = vitrine_value_bytes(value, &len);
		write_string(json, bytes, len);
		break;
	case VITRINE_BYTES:
		bytes = vitrine_value_bytes(value, &len);
		write_base64(json, bytes, len);
		break;
	case VITRINE_ARRAY:
		if (vitrine_value_array(value).format == INSPECT_ARRAY_FLAT)
			write_elements(json, value, 0);
		else
			write_histogram(json, value);
		break;
	case VITRINE_LINK:
		write_link(json, value);
		break;
	}
}

/* @value and its siblings, and all below them; recursion is VITRINE_MAX_DEPTH. */
static void write_siblings(struct json_writer *json,
			   const struct vitrine_value *value)
{
	bool empty = true;

	json_begin(json);
	for (; value; value = vitrine_value_next(value), empty = false) {
		const char *name;
		size_t len;

		name = vitrine_value_name(value, &len);
		json_member(json, empty, name, len,
			    vitrine_value_ordinal(value));
		if (vitrine_value_type(value) == VITRINE_NODE)
			write_siblings(json, vitrine_value_first_child(value));
		else
			write_property(json, value);
	}
	json_end(json, empty);
}

/**
 * json_value() - write a value
 * @json: writer
 * @value: property, link, or node with all below it
 */
void json_value(struct json_writer *json, const struct vitrine_value *value)
{
	if (vitrine_value_type(value) == VITRINE_NODE)
		write_siblings(json, vitrine_value_first_child(value));
	else
		write_property(json, value);
}

/**
 * json_hierarchy() - write a tree as one object
 * @json: writer
 * @hierarchy: tree
 */
void json_hierarchy(struct json_writer *json,
		    const struct vitrine_hierarchy *hierarchy)
{
	write_siblings(json, vitrine_hierarchy_first(hierarchy));
}
