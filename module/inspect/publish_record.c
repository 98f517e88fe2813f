// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: recorded values, which are deleted with their node.
 *
 * Concurrency: as in publish.c.
 */
#include <linux/export.h>
#include <linux/string.h>

#include "edit.h"
#include "record.h"

static void record_number(struct vitrine_node *node, const char *name,
			  enum inspect_type type, u64 word1)
{
	struct vitrine_tree *tree;
	u32 index;
	int err = -ENOMEM;

	if (!node)
		return;
	tree = vtr_edit_tree(node);
	index = vtr_edit_index(node);
	if (name)
		err = vtr_edit_grow(tree, 1,
				    vtr_record_number(&tree->blocks, index,
						      name, type, word1));
	vtr_edit_done(tree, err);
}

static void record_buffer(struct vitrine_node *node, const char *name,
			  enum inspect_buffer_format format, const void *value,
			  size_t len_bytes)
{
	struct vitrine_tree *tree;
	u32 index;
	int err = -ENOMEM;

	if (!node)
		return;
	tree = vtr_edit_tree(node);
	index = vtr_edit_index(node);
	if (name && (value || !len_bytes))
		err = vtr_edit_grow(tree, vtr_edit_buffer_pages(len_bytes),
				    vtr_record_buffer(&tree->blocks, index,
						      name, format, value,
						      len_bytes));
	vtr_edit_done(tree, err);
}

struct vitrine_node *vitrine_record_node(struct vitrine_node *parent,
					 const char *name)
{
	return vtr_edit_create(parent, name, 0, 1, vtr_record_node);
}
EXPORT_SYMBOL_GPL(vitrine_record_node);

void vitrine_record_int(struct vitrine_node *node, const char *name, s64 value)
{
	record_number(node, name, INSPECT_INT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_record_int);

void vitrine_record_uint(struct vitrine_node *node, const char *name,
			 u64 value)
{
	record_number(node, name, INSPECT_UINT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_record_uint);

void vitrine_record_double(struct vitrine_node *node, const char *name,
			   u64 bits)
{
	record_number(node, name, INSPECT_DOUBLE_VALUE, bits);
}
EXPORT_SYMBOL_GPL(vitrine_record_double);

void vitrine_record_bool(struct vitrine_node *node, const char *name,
			 bool value)
{
	record_number(node, name, INSPECT_BOOL_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_record_bool);

void vitrine_record_string(struct vitrine_node *node, const char *name,
			   const char *value)
{
	record_buffer(node, name, INSPECT_BUFFER_UTF8, value,
		      vtr_edit_string_bytes(value));
}
EXPORT_SYMBOL_GPL(vitrine_record_string);

void vitrine_record_bytes(struct vitrine_node *node, const char *name,
			  const void *value, size_t len_bytes)
{
	record_buffer(node, name, INSPECT_BUFFER_BINARY, value, len_bytes);
}
EXPORT_SYMBOL_GPL(vitrine_record_bytes);
