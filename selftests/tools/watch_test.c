// SPDX-License-Identifier: GPL-2.0
/*
 * Test the rows of `vitrine watch' without a screen: names, changes, rates, order and filter.
 */
#include "inspect/watch.c"

#include "kselftest.h"

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
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;

	err = vitrine_snapshot_from_bytes(words, nr_words * 8, "test", &snapshot);
	if (!err)
		err = vitrine_hierarchy_create(snapshot, &tree.hierarchy);
	if (err) {
		vitrine_error_print(err, stdout);
		exit(1);
	}
	add_tree(&tree);
	vitrine_hierarchy_destroy(tree.hierarchy);
	vitrine_snapshot_destroy(snapshot);
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Update the rows at time @now from a tree with one value of each type. */
static void take(uint64_t now, int64_t number, uint64_t large, double real, bool extra)
{
	uint32_t root = begin_tree(), node, array;

	put_value(0, INT, root, "int", number);
	put_value(0, UINT, root, "large", large);
	node = put_value(0, NODE, root, "node", 0);
	put_value(0, DOUBLE, node, "real", bits_of(real));
	put_value(0, UINT, node, "same", 7);
	array = put_value(2, ARRAY, node, "hist", UINT | 1 << 4 | 5 << 8);
	words[array * 2 + 2] = 0;
	words[array * 2 + 3] = 10;
	words[array * 2 + 4] = 0;
	words[array * 2 + 5] = large % 1000;
	words[array * 2 + 6] = 1;
	if (extra)
		put_value(0, UINT, root, "new", 1);
	rows_begin(now);
	show_tree(0);
	rows_end();
}

static const struct watch_row *row(const char *name)
{
	const struct watch_rows *rows = &rows_now;
	static const struct watch_row none = { .name = "", .value = "none" };
	size_t i;

	for (i = 0; i < rows->nr; i++)
		if (!strcmp(rows->rows[i].name, name))
			return &rows->rows[i];
	return &none;
}

/* Return the names in a view, each followed by a space. */
static const char *names(enum watch_order order, const char *filter)
{
	static char text[512];
	size_t i;

	sort_order = order;
	snprintf(row_filter, sizeof(row_filter), "%s", filter);
	update_view();
	*text = '\0';
	for (i = 0; i < nr_view; i++) {
		strcat(text, view[i]->name);
		strcat(text, " ");
	}
	return text;
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
	ksft_test_result(rows_now.nr == 5, "a row for each property\n");
	ksft_test_result(!strcmp(row("t:int")->value, "-5") &&
			 !strcmp(row("t:large")->value, "18446744073709551615") &&
			 !strcmp(row("t:node:real")->value, "0.5"), "values\n");
	ksft_test_result(!strcmp(row("t:node:hist")->value, "616 counted"),
			 "a histogram's count: %s\n", row("t:node:hist")->value);
	ksft_test_result(!row("t:int")->has_changed && row("t:int")->rate == 0,
			 "the first time: no rate\n");
	forget();
}

static void test_rates(void)
{
	take(5 * SECOND, -5, 1000, 0.5, false);
	take(7 * SECOND, 5, 1500, 1.5, true);
	ksft_test_result(row("t:int")->rate == 5 &&
			 row("t:large")->rate == 250 &&
			 row("t:node:real")->rate == 0.5, "rates per second\n");
	ksft_test_result(row("t:node:hist")->rate == 250, "a histogram's rate\n");
	ksft_test_result(row("t:int")->has_changed &&
			 !row("t:node:same")->has_changed &&
			 row("t:node:same")->rate == 0, "what has changed\n");
	ksft_test_result(!row("t:new")->has_changed && row("t:new")->rate == 0,
			 "what is new\n");
	take(8 * SECOND, INT64_MIN, UINT64_MAX, NAN, false);
	ksft_test_result(row("t:int")->rate == -0x1p63, "a rate beyond the type\n");
	ksft_test_result(!strcmp(row("t:new")->value, "none"), "what has gone\n");
	take(9 * SECOND, INT64_MIN, UINT64_MAX - 1, 0, false);
	ksft_test_result(row("t:large")->rate == -1, "one less of many: exactly\n");
	take(9 * SECOND, 0, 0, 0, false);
	ksft_test_result(row("t:int")->rate == 0, "no time, no rate\n");
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
	ksft_test_result(!strcmp(names(WATCH_BY_NAME, ""),
				 "x: cannot open t:a t:a#2 t#2:a t#2:a#2 "),
			 "values and trees of one name: %s\n", names(WATCH_BY_NAME, ""));
	ksft_test_result(!strcmp(names(WATCH_BY_NAME, "T#2"), "x: cannot open t#2:a t#2:a#2 "),
			 "errors pass the filter\n");
	forget();
}

static void test_views(void)
{
	take(1 * SECOND, -5, 1000, NAN, false);
	take(2 * SECOND, 995, 1010, NAN, false);
	ksft_test_result(!strcmp(names(WATCH_BY_NAME, ""),
				 "t:int t:large t:node:hist t:node:real t:node:same "),
			 "in the order of the tree: %s\n", names(WATCH_BY_NAME, ""));
	ksft_test_result(!strcmp(names(WATCH_BY_VALUE, ""),
				 "t:large t:int t:node:hist t:node:same t:node:real "),
			 "by value, the largest first, no number last: %s\n",
			 names(WATCH_BY_VALUE, ""));
	ksft_test_result(!strcmp(names(WATCH_BY_RATE, ""),
				 "t:int t:large t:node:hist t:node:same t:node:real "),
			 "by rate: %s\n", names(WATCH_BY_RATE, ""));
	ksft_test_result(!strcmp(names(WATCH_BY_NAME, "NODE:"),
				 "t:node:hist t:node:real t:node:same "),
			 "filtered, in whatever case\n");
	ksft_test_result(!strcmp(names(WATCH_BY_RATE, "absent"), ""), "nothing passes\n");
	forget();
	ksft_test_result(!strcmp(names(WATCH_BY_NAME, ""), ""), "no rows\n");
}

int main(void)
{
	ksft_print_header();
	test_values();
	test_rates();
	test_trees();
	test_views();
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
