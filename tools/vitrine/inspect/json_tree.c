// SPDX-License-Identifier: GPL-2.0
/*
 * Write trees as JSON during the walk, without a copy in memory: the text may be many
 * times the size of a file whose values share long names.
 */
#include <vitrine/inspect.h>

#include "json_tree.h"

static void write_element(struct json_writer *json,
			  const struct vitrine_value *value,
			  enum vitrine_type type, unsigned int i)
{
	const char *bytes;
	size_t len;

	switch (type) {
	case VITRINE_INT:
		json_int(json, vitrine_value_array_int(value, i));
		break;
	case VITRINE_UINT:
		json_uint(json, vitrine_value_array_uint(value, i));
		break;
	case VITRINE_DOUBLE:
		json_real(json, vitrine_value_array_double(value, i));
		break;
	default:
		bytes = vitrine_value_array_string(value, i, &len);
		json_text(json, bytes, len);
		break;
	}
}

/* Write the elements from @first on, in brackets. */
static void write_elements(struct json_writer *json,
			   const struct vitrine_value *value,
			   unsigned int first)
{
	struct vitrine_array array = vitrine_value_array(value);
	unsigned int i;

	json_begin_row(json);
	for (i = first; i < array.count; i++) {
		json_item(json);
		write_element(json, value, array.type, i);
	}
	json_end_list(json);
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
	json_key_string(json, "histogram", is_linear ? "linear" : "exponential");
	for (i = 0; i < nr; i++) {
		json_key(json, is_linear ? linear[i] : exponential[i]);
		write_element(json, value, array.type, i);
	}
	json_key(json, "counts");
	write_elements(json, value, nr);
	json_end(json);
}

static void write_link(struct json_writer *json,
		       const struct vitrine_value *value)
{
	bool is_inline = vitrine_value_disposition(value) == INSPECT_LINK_INLINE;
	const struct vitrine_error *err = vitrine_value_link_error(value);
	const char *bytes;
	size_t len;

	json_begin(json);
	json_key(json, "link");
	bytes = vitrine_value_bytes(value, &len);
	json_text(json, bytes, len);
	json_key_string(json, "disposition", is_inline ? "inline" : "child");
	if (err)
		json_key_string(json, "error", err->message);
	json_end(json);
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
		json_int(json, vitrine_value_int(value));
		break;
	case VITRINE_UINT:
		json_uint(json, vitrine_value_uint(value));
		break;
	case VITRINE_DOUBLE:
		json_real(json, vitrine_value_double(value));
		break;
	case VITRINE_BOOL:
		json_boolean(json, vitrine_value_bool(value));
		break;
	case VITRINE_STRING:
		bytes = vitrine_value_bytes(value, &len);
		json_text(json, bytes, len);
		break;
	case VITRINE_BYTES:
		bytes = vitrine_value_bytes(value, &len);
		json_bytes(json, bytes, len);
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

/* Write @value, its siblings and all below them. Depth: VITRINE_MAX_DEPTH at most. */
static void write_siblings(struct json_writer *json,
			   const struct vitrine_value *value)
{
	json_begin(json);
	for (; value; value = vitrine_value_next(value)) {
		const char *name;
		size_t len;

		name = vitrine_value_name(value, &len);
		json_member(json, name, len, vitrine_value_ordinal(value));
		json_value(json, value);
	}
	json_end(json);
}

/**
 * json_value() - write a value
 * @json: writer
 * @value: property, link, or node with its descendants
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
