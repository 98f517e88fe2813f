// SPDX-License-Identifier: GPL-2.0
/*
 * The tree functions of the library: functions that the command does not use, and files
 * that are large or built to be slow.
 */
#include <stdlib.h>
#include <time.h>

#include "../must.h"
#include "test.h"

#define MIB	(1UL << 20)

static uint64_t *words;
static size_t nr_words;

static void put(uint64_t word)
{
	words[nr_words++] = word;
}

/* Append the two words of a value's block: order, type, indexes of parent and name; the value. */
static void put_block(unsigned int order, unsigned int type, uint64_t low, uint64_t high,
		      uint64_t word)
{
	put(order | type << 8 | low << 16 | high << 40);
	put(word);
}

/* Begin a file: version 1, header of order 0, NAME "root" at index 1, the root at 2. */
static void begin(size_t len_bytes)
{
	words = calloc(1, len_bytes);
	nr_words = 0;
	put(2 << 8 | 1 << 16 | 0x50534e49ULL << 32);
	put(0);
	put_block(0, 9, 4, 0, 0);
	memcpy(&words[3], "root", 4);
	put_block(0, 3, 0, 1, 0);
}

/* What was begun, as a tree. */
static struct vitrine_snapshot *snapshot;
static struct vitrine_hierarchy *hierarchy;

static struct vitrine_error *build(size_t len_bytes)
{
	struct vitrine_error *err;

	err = vitrine_snapshot_from_bytes(words, len_bytes, "test", &snapshot);
	return err ? err : vitrine_hierarchy_create(snapshot, &hierarchy);
}

static void end(void)
{
	vitrine_hierarchy_destroy(hierarchy);
	vitrine_snapshot_destroy(snapshot);
	free(words);
	hierarchy = NULL;
	snapshot = NULL;
}

static void test_wrong_questions(void)
{
	const struct vitrine_value *root, *array, *number;
	size_t len = 1;

	begin(4096);
	put_block(1, 11, 2, 1, 5 | 2 << 8);	/* 3: ARRAY of two UINTs */
	put(7);
	put(8);
	put_block(0, 4, 2, 1, -1);		/* 5: INT */
	must(build(nr_words * 8));
	root = vitrine_hierarchy_first(hierarchy);
	array = vitrine_value_first_child(root);
	number = vitrine_value_next(array);
	ok(vitrine_hierarchy_version(hierarchy) == 1, "version");
	ok(vitrine_value_offset(array) == 48 && vitrine_value_parent(array) == root &&
	   !vitrine_value_parent(root) && !vitrine_value_next(number), "where values are");
	ok(vitrine_value_array(array).count == 2 && vitrine_value_array_uint(array, 1) == 8,
	   "an array's element");
	ok(!vitrine_value_array_uint(array, 2) && !vitrine_value_array_uint(array, ~0U),
	   "beyond an array's end: 0");
	ok(!vitrine_value_array_int(array, 0) && !*vitrine_value_array_string(array, 0, &len) &&
	   !len, "element of another type: 0 or nothing");
	ok(!vitrine_value_array(number).count && !vitrine_value_uint(number) &&
	   !vitrine_value_bool(number) && vitrine_value_int(number) == -1,
	   "value of another type: 0");
	ok(!strcmp(vitrine_value_bytes(array, &len), "") && !len,
	   "bytes of a value without any");
	ok(vitrine_value_ordinal(array) == 0 && vitrine_value_ordinal(number) == 1,
	   "two of one name");
	end();
}

/*
 * Test point: the offsets of the root and of its first child in the file of begin(), which gets
 * one more node "root" below index @parent.
 */
static void root_is_at(unsigned int parent, uint64_t offset, uint64_t child, const char *what)
{
	const struct vitrine_value *root;
	const char *name;
	size_t len;

	begin(4096);
	put_block(0, 3, parent, 1, 0);
	must(build(nr_words * 8));
	root = vitrine_hierarchy_first(hierarchy);
	name = vitrine_value_name(root, &len);
	ok(len == 4 && !memcmp(name, "root", 4) && vitrine_value_type(root) == VITRINE_NODE &&
	   !vitrine_value_parent(root) && !vitrine_value_next(root) &&
	   vitrine_value_offset(root) == offset &&
	   vitrine_value_offset(vitrine_value_first_child(root)) == child, "%s", what);
	end();
}

static void test_results(void)
{
	struct vitrine_source *source = (void *)3;
	struct vitrine_error *err;

	err = vitrine_source_create("/absent/file", 0, &source);
	ok(err && !strcmp(err->path, "/absent/file") && source == (void *)3 &&
	   is_error(err, ENOENT), "result unchanged: source");
	snapshot = (void *)2;
	err = vitrine_snapshot_from_bytes("foreign bytes, quite", 20, NULL, &snapshot);
	ok(err && !err->path && snapshot == (void *)2 && is_error(err, EBADMSG),
	   "result unchanged: snapshot");
	begin(4096);
	put_block(0, 4, 2, 2, 0);	/* INT whose name is the root node */
	hierarchy = (void *)1;
	err = build(nr_words * 8);
	ok(err && err->offset == 48 && hierarchy == (void *)1 && is_error(err, EBADMSG),
	   "result unchanged: hierarchy");
	hierarchy = NULL;
	end();

	vitrine_hierarchy_destroy(NULL);
	vitrine_snapshot_destroy(NULL);
	vitrine_source_destroy(NULL);
	vitrine_error_destroy(NULL);
	ok(true, "nothing can be destroyed");
}

/* Build and check a hierarchy of @nr_values; return the processor time needed in seconds. */
static double measure(const char *what, size_t len_bytes, size_t nr_values)
{
	struct vitrine_inspect_summary summary;
	clock_t begin_time = clock();
	double seconds;

	must(build(len_bytes));
	must(vitrine_inspect_check(words, len_bytes, NULL, NULL, NULL, &summary));
	seconds = (double)(clock() - begin_time) / CLOCKS_PER_SEC;
	ok(summary.nr_values == nr_values, "%s: %zu KiB", what, len_bytes / 1024);
	printf("# %.3f s\n", seconds);
	end();
	return seconds;
}

/*
 * The time for a tree that is SCALE times as large as another one. It takes about SCALE
 * times as long, and the square of that if each of its parts is compared with each other.
 */
#define SCALE		32
#define MOST_TIMES	(SCALE * SCALE / 4)

/* Append a string reference of @len_bytes, in extents of 2040 bytes. Return its index. */
static uint32_t put_long_name(size_t len_bytes, char last)
{
	uint32_t index = nr_words / 2;
	size_t i;

	/* All blocks from here on are aligned to 2048 bytes. */
	put_block(7, 14, index + 128, 0, len_bytes | (uint64_t)'a' << 32);
	memset(&words[nr_words], 'a', 2032);
	nr_words += 254;
	for (i = 2036; i < len_bytes; i += 2040) {
		bool end = i + 2040 >= len_bytes;

		put(7 | 8 << 8 | (end ? 0 : nr_words / 2 + 128) << 16);
		memset(&words[nr_words], 'a', 2040);
		nr_words += 255;
		if (end)
			((char *)words)[nr_words * 8 - 2041 + len_bytes - i] = last;
	}
	return index;
}

/* The names differ in the last byte only, so that a comparison reads all of both. */
static double measure_long_names(size_t len_bytes)
{
	size_t i, nr = 60000;
	uint32_t names[2];

	begin(8 * MIB);
	nr_words = 256;
	words[6] = 0;			/* FREE blocks up to 2048 */
	for (i = 6; i < 256; i += 2)
		words[i] = 0;
	names[0] = put_long_name(len_bytes, 'a');
	names[1] = put_long_name(len_bytes, 'b');
	for (i = 0; i < nr; i++)
		put_block(0, 5, 2, names[i * 7919 % 2], i);
	nr_words += nr_words % 2;
	return measure("60000 values of two long names", nr_words * 8, nr + 1);
}

static double measure_many_values(size_t nr)
{
	size_t i;

	begin(nr * 16);
	for (i = 0; i < nr - 3; i++)
		put_block(0, 4, 2, 1, i);
	return measure("as many values as fit, all of one name", nr * 16, nr - 2);
}

static double measure_many_free(size_t nr)
{
	size_t i;

	begin(nr * 16);
	for (i = 3; i + 1 < nr; i++)
		put_block(0, 0, i + 1, i > 3 ? i - 1 : 0, 0);
	return measure("one list of free blocks", nr * 16, 1);
}

/* What is SCALE times as large takes at most @most times as long. */
static void test_time(double (*measure_one)(size_t size), double most, const char *what)
{
	double smaller = measure_one(MIB / SCALE);

	ok(measure_one(MIB) < smaller * most, "%s", what);
}

int main(void)
{
	ksft_print_header();
	root_is_at(0, 0, 32, "index 0 is the root");
	root_is_at(2, 32, 48, "a node \"root\" alone below index 0 is the root");
	test_wrong_questions();
	test_results();
	/* Each name is read once: the values take most of the time, however long the names are. */
	test_time(measure_long_names, SCALE / 4, "names are not compared for each value");
	test_time(measure_many_values, MOST_TIMES, "the time is no square of the number of values");
	test_time(measure_many_free, MOST_TIMES, "the time is no square of the number of blocks");
	return tests_end();
}
