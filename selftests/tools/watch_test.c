// SPDX-License-Identifier: GPL-2.0
/*
 * Test the rows of `vitrine watch' without a screen: names, changes, rates, order and filter.
 */
#include "inspect/watch.c"

#include "test.h"

#define SECOND	1000000000ULL

/* Types of blocks: see include/uapi/vitrine/inspect.h. */
enum { NODE = 3, INT = 4, UINT = 5, DOUBLE = 6, NAME = 9, ARRAY = 11 };

static uint64_t words[512];
static size_t nr_words;

/* Append a block of @order and @type, and return its index. */
static uint32_t put(unsigned int order, unsigned int type, uint64_t fields, uint64_t word)
{
	uint32_t index;

	while (nr_words % (2U << order)) {
		words[nr_words++] = 0;
		words[nr_words++] = 0;
	}
	index = nr_words / 2;
	words[nr_words] = order | type << 8 | fields << 16;
	words[nr_words + 1] = word;
	nr_words += 2U << order;
	return index;
}

/* Append a value below @parent; @name has at most 8 bytes. */
static uint32_t put_value(unsigned int order, unsigned int type, uint32_t parent,
			  const char *name, uint64_t word)
{
	uint64_t bytes = 0;

	memcpy(&bytes, name, strlen(name));
	return put(order, type, parent | (uint64_t)put(0, NAME, strlen(name), bytes) << 24, word);
}

static uint32_t begin_tree(void)
{
	memset(words, 0, sizeof(words));
	words[0] = 2 << 8 | 1 << 16 | 0x50534e49ULL << 32;
	nr_words = 2;
	return put_value(0, NODE, 0, "root", 0);
}

static void show_tree(unsigned int ordinal)
{
	struct tree tree = { .name = (char *)"t", .ordinal = ordinal };
	struct vitrine_snapshot *snapshot;

	must(vitrine_snapshot_from_bytes(words, nr_words * 8, "test", &snapshot));
	must(vitrine_hierarchy_create(snapshot, &tree.hierarchy));
	add_tree(&tree);
	vitrine_hierarchy_destroy(tree.hierarchy);
	vitrine_snapshot_destroy(snapshot);
}

/* Update the rows at time @now from a tree with one value of each type. */
static void take(uint64_t now, int64_t number, uint64_t large, double real, bool extra)
{
	uint64_t slots[] = { 0, 10, 0, large % 1000, 1 }, bits;
	uint32_t root = begin_tree(), node, array;

	memcpy(&bits, &real, sizeof(bits));
	put_value(0, INT, root, "int", number);
	put_value(0, UINT, root, "large", large);
	node = put_value(0, NODE, root, "node", 0);
	put_value(0, DOUBLE, node, "real", bits);
	put_value(0, UINT, node, "same", 7);
	array = put_value(2, ARRAY, node, "hist", UINT | 1 << 4 | 5 << 8);
	memcpy(&words[array * 2 + 2], slots, sizeof(slots));
	if (extra)
		put_value(0, UINT, root, "new", 1);
	rows_begin(now);
	show_tree(0);
	rows_end();
}

static const struct watch_row *row(const char *name)
{
	static const struct watch_row none = { .name = "", .value = "none" };
	size_t i;

	for (i = 0; i < rows_now.nr; i++)
		if (!strcmp(rows_now.rows[i].name, name))
			return &rows_now.rows[i];
	return &none;
}

/* Test point: the row has this value. */
static void has_value(const char *name, const char *value)
{
	ok(!strcmp(row(name)->value, value), "%s is %s: %s", name, value, row(name)->value);
}

/* Test point: the row has this rate, and is said to have changed or not. */
static void has_rate(const char *name, double rate, bool has_changed, const char *what)
{
	const struct watch_row *seen = row(name);

	ok(seen->rate == rate && seen->has_changed == has_changed, "%s: %s, %g/s%s", what, name,
	   seen->rate, seen->has_changed ? ", changed" : "");
}

/* Test point: a view has these names, each followed by a space. */
static void shows(enum watch_order order, const char *filter, const char *expected,
		  const char *what)
{
	char text[512] = "";
	size_t i;

	sort_order = order;
	snprintf(row_filter, sizeof(row_filter), "%s", filter);
	update_view();
	for (i = 0; i < nr_view; i++) {
		strcat(text, view[i]->name);
		strcat(text, " ");
	}
	ok(!strcmp(text, expected), "%s: %s", what, text);
}

static void forget(void)
{
	rows_free(&rows_now);
	rows_free(&rows_before);
	free(view);
	rows_now = (struct watch_rows){ 0 };
	rows_before = (struct watch_rows){ 0 };
	view = NULL;
}

static void test_values(void)
{
	take(5 * SECOND, -5, UINT64_MAX, 0.5, false);
	ok(rows_now.nr == 5, "a row for each property");
	has_value("t:int", "-5");
	has_value("t:large", "18446744073709551615");
	has_value("t:node:real", "0.5");
	has_value("t:node:hist", "616 counted");
	has_rate("t:int", 0, false, "the first time: no rate");
	forget();
}

static void test_rates(void)
{
	take(5 * SECOND, -5, 1000, 0.5, false);
	take(7 * SECOND, 5, 1500, 1.5, true);
	has_rate("t:int", 5, true, "a rate per second");
	has_rate("t:large", 250, true, "a rate of large numbers");
	has_rate("t:node:real", 0.5, true, "a rate of numbers with a point");
	has_rate("t:node:hist", 250, true, "a histogram's rate");
	has_rate("t:node:same", 0, false, "what has not changed");
	has_rate("t:new", 0, false, "what is new");
	take(8 * SECOND, INT64_MIN, UINT64_MAX, NAN, false);
	has_rate("t:int", -0x1p63, true, "a rate beyond the type");
	has_value("t:new", "none");
	take(9 * SECOND, INT64_MIN, UINT64_MAX - 1, 0, false);
	has_rate("t:large", -1, true, "one less of many: exactly");
	take(9 * SECOND, 0, 0, 0, false);
	has_rate("t:int", 0, true, "no time, no rate");
	forget();
}

static void test_trees(void)
{
	uint32_t root;

	rows_begin(SECOND);
	add_error("x: cannot open");
	root = begin_tree();
	put_value(0, UINT, root, "a", 1);
	put_value(0, UINT, root, "a", 2);
	show_tree(0);
	show_tree(1);
	rows_end();
	shows(WATCH_BY_NAME, "", "x: cannot open t:a t:a#2 t#2:a t#2:a#2 ",
	      "values and trees of one name");
	shows(WATCH_BY_NAME, "T#2", "x: cannot open t#2:a t#2:a#2 ", "errors pass the filter");
	forget();
}

static void test_views(void)
{
	take(1 * SECOND, -5, 1000, NAN, false);
	take(2 * SECOND, 995, 1010, NAN, false);
	shows(WATCH_BY_NAME, "", "t:int t:large t:node:hist t:node:real t:node:same ",
	      "in the order of the tree");
	shows(WATCH_BY_VALUE, "", "t:large t:int t:node:hist t:node:same t:node:real ",
	      "by value, the largest first, no number last");
	shows(WATCH_BY_RATE, "", "t:int t:large t:node:hist t:node:same t:node:real ", "by rate");
	shows(WATCH_BY_NAME, "NODE:", "t:node:hist t:node:real t:node:same ",
	      "filtered, in whatever case");
	shows(WATCH_BY_RATE, "absent", "", "nothing passes");
	forget();
	shows(WATCH_BY_NAME, "", "", "no rows");
}

int main(void)
{
	ksft_print_header();
	test_values();
	test_rates();
	test_trees();
	test_views();
	return tests_end();
}
