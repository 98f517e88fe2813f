// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: values that belong to their node.
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

/**
 * vitrine_record_node() - record a node
 * @parent: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 *
 * It is deleted with @parent, and with it what is recorded in it. The handle
 * is good until then; it can neither be deleted nor adopted.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_node *vitrine_record_node(struct vitrine_node *parent,
					 const char *name)
{
	struct vitrine_tree *tree;
	u32 parent_index, index = 0;
	int err;

	if (!parent)
		return NULL;
	tree = vtr_edit_tree(parent);
	parent_index = vtr_edit_index(parent);
	if (!name)
		return vtr_edit_created(tree, -ENOMEM, 0);

	err = vtr_edit_grow(tree, 1,
			    vtr_record_node(&tree->blocks, parent_index, name,
					    &index));
	return vtr_edit_created(tree, err, index);
}
EXPORT_SYMBOL_GPL(vitrine_record_node);

/**
 * vitrine_record_int() - record a signed integer
 * @node: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_record_int(struct vitrine_node *node, const char *name, s64 value)
{
	record_number(node, name, INSPECT_INT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_record_int);

/**
 * vitrine_record_uint() - record an unsigned integer
 * @node: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_record_uint(struct vitrine_node *node, const char *name,
			 u64 value)
{
	record_number(node, name, INSPECT_UINT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_record_uint);

/**
 * vitrine_record_double() - record a double
 * @node: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @bits: its value, the bits of an IEEE-754 binary64
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_record_double(struct vitrine_node *node, const char *name,
			   u64 bits)
{
	record_number(node, name, INSPECT_DOUBLE_VALUE, bits);
}
EXPORT_SYMBOL_GPL(vitrine_record_double);

/**
 * vitrine_record_bool() - record a truth value
 * @node: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_record_bool(struct vitrine_node *node, const char *name,
			 bool value)
{
	record_number(node, name, INSPECT_BOOL_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_record_bool);

/**
 * vitrine_record_string() - record a string
 * @node: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its value, at most 64 KiB of UTF-8; copied, NULL is empty
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_record_string(struct vitrine_node *node, const char *name,
			   const char *value)
{
	record_buffer(node, name, INSPECT_BUFFER_UTF8, value,
		      vtr_edit_string_bytes(value));
}
EXPORT_SYMBOL_GPL(vitrine_record_string);

/**
 * vitrine_record_bytes() - record a byte vector
 * @node: node it belongs to, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its value; copied, NULL if there is none
 * @len_bytes: length of @value, at most 64 KiB
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_record_bytes(struct vitrine_node *node, const char *name,
			  const void *value, size_t len_bytes)
{
	record_buffer(node, name, INSPECT_BUFFER_BINARY, value, len_bytes);
}
EXPORT_SYMBOL_GPL(vitrine_record_bytes);
