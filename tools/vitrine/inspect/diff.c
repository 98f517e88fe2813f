// SPDX-License-Identifier: GPL-2.0
/*
 * Print the differences of two trees, or of parts of them, as text or JSON.
 *
 * One line for each difference: "-" for what only the first tree has, "+" for what
 * only the second has, "~" for what has changed. Places are written as selectors.
 */

#include "command.h"
#include "ui/line.h"
#include "ui/terminal.h"
#include "diff.h"
#include "show.h"
#include "trees.h"

#define INDENT		4	/* of further lines of a value */

/* For other commands, this exit code means bad input. */
#define EXIT_DIFFERENT	1

static bool is_json;

/* The arguments. */
static char **names;

/*
 * The two nodes whose contents are compared, below which printed paths begin; NULL: whole trees.
 */
static const struct vitrine_value *base[2];

/* Differences found so far. */
static uint64_t nr_found;

/* ---- Numbers ----------------------------------------------------------- */

/* Return whether two values are arrays that can be compared by element. */
static bool are_alike(const struct vitrine_value *old, const struct vitrine_value *new)
{
	return old->type == VITRINE_ARRAY &&
	       tree_same_slots(old, new, histogram_nr_parameters(old));
}

static bool is_integer(struct vtr_number number)
{
	return number.type == VITRINE_INT || number.type == VITRINE_UINT;
}

/* Format the difference of two numbers, or of elements of arrays; false if it is not a number. */
static bool difference(const struct vitrine_value *old, const struct vitrine_value *new,
		       unsigned int slot, char text[DECIMAL_TEXT_BYTES])
{
	struct vtr_number a = vtr_value_number(old, slot);
	struct vtr_number b = vtr_value_number(new, slot);

	if (is_integer(a) && is_integer(b)) {
		decimal_format(number_integer(b) - number_integer(a), 0, text);
		return true;
	}
	if (a.type != VITRINE_DOUBLE || b.type != VITRINE_DOUBLE)
		return false;
	double_format(b.real - a.real, text);
	return __builtin_isfinite(b.real - a.real);
}

/* ---- Places ------------------------------------------------------------ */

static bool is_base(const struct vitrine_value *value)
{
	return !value || value == base[0] || value == base[1];
}

/* Print "root/node:property". The recursion ends at VITRINE_MAX_DEPTH. */
static void print_place(const struct vitrine_value *value, bool is_last)
{
	const struct vitrine_value *parent = value->parent;
	bool is_node = value->type == VITRINE_NODE;

	if (!is_base(parent)) {
		print_place(parent, false);
		putchar(is_last && !is_node ? ':' : '/');
	}
	outline_selector_name(value->name->bytes, value->name->len);
	if (value->ordinal)
		printf("\\#%u", value->ordinal + 1);
}

/* Write the same names as items of a JSON array. */
static void json_place(const struct vitrine_value *value)
{
	const struct vitrine_value *parent = value->parent;

	if (!is_base(parent))
		json_place(parent);
	json_item();
	json_name(value->name->bytes, value->name->len, value->ordinal);
}

/* ---- Text -------------------------------------------------------------- */

static void print_mark(char mark, const struct vitrine_value *value)
{
	printf("%c ", mark);
	term_begin(INK_NODE);
	print_place(value, true);
	term_end();
}

static void print_only(char mark, const struct vitrine_value *value)
{
	print_mark(mark, value);
	if (value->type != VITRINE_NODE) {
		fputs(" = ", stdout);
		outline_value(value, INDENT, INDENT);
	}
	putchar('\n');
}

static void print_difference(const struct vitrine_value *old, const struct vitrine_value *new,
			     unsigned int slot)
{
	char text[DECIMAL_TEXT_BYTES];

	if (difference(old, new, slot, text))
		printf(" (%s%s)", *text == '-' ? "" : "+", text);
	putchar('\n');
}

/* Print one line for each element or bucket that differs. */
static void print_elements(const struct vitrine_value *old, const struct vitrine_value *new)
{
	unsigned int i, first = histogram_nr_parameters(old);

	for (i = first; i < vitrine_value_array(old).count; i++) {
		if (tree_same_slot(old, new, i))
			continue;
		print_mark('~', old);
		putchar(' ');
		outline_element_place(old, i - first);
		fputs(" = ", stdout);
		outline_slot(old, i);
		fputs(" -> ", stdout);
		outline_slot(new, i);
		print_difference(old, new, i);
	}
}

static void print_changed(const struct vitrine_value *old, const struct vitrine_value *new)
{
	if (are_alike(old, new)) {
		print_elements(old, new);
		return;
	}
	if (old->type == VITRINE_ARRAY || new->type == VITRINE_ARRAY) {
		print_only('-', old);
		print_only('+', new);
		return;
	}
	print_mark('~', old);
	fputs(" = ", stdout);
	outline_value(old, INDENT, INDENT);
	fputs(" -> ", stdout);
	outline_value(new, INDENT, INDENT);
	print_difference(old, new, 0);
}

/* ---- JSON -------------------------------------------------------------- */

/* Write the difference of two numbers, or those of elements; of a histogram, of its buckets. */
static void json_change(const struct vitrine_value *old, const struct vitrine_value *new)
{
	unsigned int i, nr = vitrine_value_array(old).count;
	char text[DECIMAL_TEXT_BYTES];

	if (!are_alike(old, new)) {
		if (old->type == VITRINE_ARRAY || new->type == VITRINE_ARRAY ||
		    !difference(old, new, 0, text))
			return;
		json_key("difference");
		json_number(text);
		return;
	}
	if (vitrine_value_array(old).type == VITRINE_STRING)
		return;
	json_key("difference");
	json_begin_list();
	for (i = histogram_nr_parameters(old); i < nr; i++) {
		json_item();
		if (difference(old, new, i, text))
			json_number(text);
		else
			json_null();
	}
	json_end_list();
}

static void json_difference(const struct vitrine_value *old, const struct vitrine_value *new)
{
	json_item();
	json_begin();
	json_key("path");
	json_begin_list();
	json_place(old ? old : new);
	json_end_list();
	if (old) {
		json_key("old");
		json_value(old);
	}
	if (new) {
		json_key("new");
		json_value(new);
	}
	if (old && new)
		json_change(old, new);
	json_end();
}

/* ---- Comparing --------------------------------------------------------- */

static bool print_one(const struct vitrine_value *old, const struct vitrine_value *new)
{
	if (is_json)
		json_difference(old, new);
	else if (!new)
		print_only('-', old);
	else if (!old)
		print_only('+', new);
	else
		print_changed(old, new);
	nr_found++;
	return !ferror(stdout);
}

static void print_head(void)
{
	if (!is_json) {
		term_begin(INK_TITLE);
		fputs("--- ", stdout);
		outline_text(names[0]);
		fputs("\n+++ ", stdout);
		outline_text(names[1]);
		term_end();
		putchar('\n');
		return;
	}
	json_begin();
	json_key_string("old", names[0]);
	json_key_string("new", names[1]);
	json_key("differences");
	json_begin_list();
}

static void print_foot(void)
{
	if (!is_json)
		return;
	json_end_list();
	json_end();
	json_finish();
}

/* Return the node that the selector names, if it names one node, or NULL. */
static const struct vitrine_value *selected_node(const struct trees *trees)
{
	const struct vitrine_value *value, *parent = NULL;
	const struct selector *selector;
	size_t i, nr;

	selector = trees->nr_selectors ? trees->selectors[0] : NULL;
	if (!selector || !selector->nr_nodes || selector->has_property)
		return NULL;
	nr = selector->nr_nodes + selector->below_root;
	value = vitrine_hierarchy_first(trees->trees[0].hierarchy);
	for (i = 0; i < nr; i++) {
		if (!value || value->next ||
		    value->type != VITRINE_NODE)
			return NULL;
		parent = value;
		value = value->first_child;
	}
	return parent;
}

static int compare(const struct trees *old, const struct trees *new)
{
	const struct vitrine_value *a, *b;

	/* Two selected nodes are compared by their contents; their names may differ. */
	base[0] = selected_node(old);
	base[1] = selected_node(new);
	if (!base[0] || !base[1]) {
		base[0] = NULL;
		base[1] = NULL;
		a = vitrine_hierarchy_first(old->trees[0].hierarchy);
		b = vitrine_hierarchy_first(new->trees[0].hierarchy);
	} else {
		a = vitrine_value_first_child(base[0]);
		b = vitrine_value_first_child(base[1]);
	}
	if (is_json || !tree_compare(a, b, NULL))
		print_head();
	tree_compare(a, b, print_one);
	print_foot();
	return nr_found ? EXIT_DIFFERENT : EXIT_DONE;
}

/*
 * Find and read the tree that @arg names. A tree that cannot be read is not a
 * difference, so EXIT_BAD_INPUT becomes EXIT_ENVIRONMENT.
 */
static int find_one(struct trees *trees, char *arg)
{
	int status = trees_find(trees, (char *[]){ arg, NULL });

	if (status == EXIT_DONE && trees->nr != 1) {
		print_note(arg,
			   "matches more than one tree; name one of them");
		status = EXIT_USAGE;
	}
	if (status == EXIT_DONE)
		status = trees_read(trees);
	return status == EXIT_BAD_INPUT ? EXIT_ENVIRONMENT : status;
}

/**
 * diff_run() - compare two trees and print the differences
 * @json: print JSON
 * @trees: two trees, or parts of them
 *
 * Return: 0, EXIT_DIFFERENT, EXIT_USAGE, or EXIT_ENVIRONMENT, also for bad input.
 */
int diff_run(bool json, char **trees)
{
	struct trees old = { 0 }, new = { 0 };
	int status;

	is_json = json;
	names = trees;
	json_init(true);
	term_init();
	status = find_one(&old, trees[0]);
	status = worse(status, find_one(&new, trees[1]));
	if (status == EXIT_DONE)
		status = compare(&old, &new);
	trees_destroy(&old);
	trees_destroy(&new);
	return status;
}
