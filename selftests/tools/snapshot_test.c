// SPDX-License-Identifier: GPL-2.0
/*
 * Test snapshots while a writer edits the tree. The observer edits the file between exact
 * steps of the reader, where the reader is most vulnerable, so that each race happens on
 * purpose and in every run.
 *
 * The file is a regular one, mapped because of VITRINE_SOURCE_MAP. Its tree has two numbers
 * that are equal except during an edit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"
#include "vitrine.h"

#define FILE_WORDS	1024		/* 8 KiB: two pages, first one used */
#define TREE_WORDS	512

/* Indexes of words in the tree. */
enum {
	WORD_GENERATION	= 1,
	WORD_SIZE	= 2,
	WORD_FIRST	= 9,		/* value of the first number */
	WORD_LAST	= 11,		/* value of the second number */
};

static char path[32];
static uint64_t *words;
static bool stop;

static uint64_t block(unsigned int order, unsigned int type, uint64_t parent, uint64_t name)
{
	return order | type << 8 | parent << 16 | name << 40;
}

/* Fill the words from @word to @end with FREE blocks of order 7. */
static void write_free(size_t word, size_t end)
{
	for (; word < end; word += 256)
		words[word] = 7;
}

/* Root (2), its name (3), two uints (4 and 5) with the name "u" (6), and free blocks. */
static void write_tree(void)
{
	size_t i;

	for (i = 0; i < FILE_WORDS; i++)
		words[i] = 0;
	words[0] = 1 | 2 << 8 | 2 << 16 | 0x50534e49ULL << 32;
	words[WORD_SIZE] = TREE_WORDS * 8;
	words[4] = block(0, 3, 0, 3);
	words[5] = 2;
	words[6] = block(0, 14, 0, 1);
	words[7] = 4 | (uint64_t)'r' << 32 | (uint64_t)'o' << 40 |
		   (uint64_t)'o' << 48 | (uint64_t)'t' << 56;
	words[8] = block(0, 5, 2, 6);
	words[10] = block(0, 5, 2, 6);
	words[12] = block(0, 14, 0, 2);
	words[13] = 1 | (uint64_t)'u' << 32;
	/* Free blocks in the rest of the first 2048 bytes. */
	words[14] = 0;
	words[16] = 3;
	words[32] = 4;
	words[64] = 5;
	words[128] = 6;
	write_free(256, TREE_WORDS);
}

static void edit_begin(void)
{
	words[WORD_GENERATION]++;
}

static void edit_end(void)
{
	words[WORD_GENERATION]++;
}

static void edit(uint64_t value)
{
	edit_begin();
	words[WORD_FIRST] = value;
	words[WORD_LAST] = value;
	edit_end();
}

/**
 * struct race - when and how often to edit the file
 * @at: step at which to edit
 * @skip: number of times to let this step pass first
 * @strikes: number of edits
 * @strike: the edit
 * @end: ends an edit that @strike has begun, when the reader tries again; or NULL
 * @seen: number of steps of each kind so far
 */
struct race {
	enum vitrine_step at;
	int skip;
	int strikes;
	void (*strike)(void);
	void (*end)(void);
	int seen[VITRINE_STEP_READ + 1];
};

static void observe(void *ctx, enum vitrine_step step)
{
	struct race *race = ctx;

	race->seen[step]++;
	if (race->end && step == VITRINE_STEP_RETRY && words[WORD_GENERATION] & 1)
		race->end();
	else if (step == race->at && race->skip-- <= 0 && race->strikes-- > 0)
		race->strike();
}

static void edit_once(void)
{
	edit(words[WORD_FIRST] + 1);
}

static void change_first(void)
{
	edit_begin();
	words[WORD_FIRST]++;
}

static void change_last(void)
{
	words[WORD_LAST]++;
	edit_end();
}

static void grow(void)
{
	edit_begin();
	words[WORD_SIZE] = FILE_WORDS * 8;
	write_free(TREE_WORDS, FILE_WORDS);
	edit_end();
}

/* The writer is about to grow the tree: the size in the header exceeds the file. */
static void announce_size(void)
{
	edit_begin();
	words[WORD_SIZE] = 1 << 20;
}

static void restore_size(void)
{
	words[WORD_SIZE] = TREE_WORDS * 8;
	edit_end();
}

static struct vitrine_error *snapshot_of(struct vitrine_snapshot **ret, struct race *race)
{
	struct vitrine_source *source = NULL;
	struct vitrine_error *err;

	err = vitrine_source_create(path, VITRINE_SOURCE_MAP, &source);
	if (err)
		return err;
	vitrine_source_observe(source, observe, race);
	err = vitrine_snapshot_create(source, ret);
	vitrine_source_destroy(source);
	return err;
}

/* Whether the two numbers in the snapshot are equal, and the snapshot has no faults. */
static bool is_whole(const struct vitrine_snapshot *snapshot)
{
	struct vitrine_inspect_summary summary = { 0 };
	struct vitrine_error *err;
	const uint64_t *copy;
	size_t len;

	copy = vitrine_snapshot_bytes(snapshot, &len);
	err = vitrine_inspect_check(copy, len, NULL, NULL, NULL, &summary);
	vitrine_error_destroy(err);
	return !err && !summary.nr_faults &&
	       copy[WORD_FIRST] == copy[WORD_LAST] &&
	       copy[WORD_GENERATION] == vitrine_snapshot_generation(snapshot);
}

/* Test point: the snapshot has @generation after so many @retries. */
static void race_test(const char *what, struct race race, int retries)
{
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;

	write_tree();
	err = snapshot_of(&snapshot, &race);
	ksft_test_result(!err && is_whole(snapshot), "%s: snapshot is whole\n", what);
	ksft_test_result(!err && vitrine_snapshot_generation(snapshot) ==
			 words[WORD_GENERATION], "%s: of the last generation\n", what);
	ksft_test_result(race.seen[VITRINE_STEP_RETRY] == retries && !race.seen[VITRINE_STEP_READ],
			 "%s: after %d retries\n", what, retries);
	vitrine_snapshot_destroy(snapshot);
	vitrine_error_destroy(err);
}

static void test_edits(void)
{
	static const struct {
		const char *what;
		enum vitrine_step at;
		int skip;
	} places[] = {
		{ "edit after the generation", VITRINE_STEP_GENERATION, 0 },
		{ "edit after the size", VITRINE_STEP_SIZE, 0 },
		{ "edit before the first number", VITRINE_STEP_CHUNK, 3 },
		{ "edit between the numbers", VITRINE_STEP_CHUNK, 4 },
		{ "edit after the numbers", VITRINE_STEP_CHUNK, 6 },
		{ "edit after the copy", VITRINE_STEP_COPY, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct race race = {
			.at = places[i].at,
			.skip = places[i].skip,
			.strikes = 1,
			.strike = edit_once,
		};

		race_test(places[i].what, race, 1);
		race.strikes = 3;
		race.skip = 0;
		race_test("three edits in a row", race, 3);
	}
}

static void test_growth(void)
{
	struct race race = { .at = VITRINE_STEP_GENERATION, .strikes = 1, .strike = grow };
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;
	size_t len = 0;

	race_test("growth after the generation", race, 1);
	race.at = VITRINE_STEP_COPY;
	race_test("growth after the copy", race, 1);
	err = snapshot_of(&snapshot, &race);
	if (!err)
		vitrine_snapshot_bytes(snapshot, &len);
	ksft_test_result(len == FILE_WORDS * 8, "grown tree is copied to its new end\n");
	vitrine_snapshot_destroy(snapshot);
}

/* A size that was read during an edit is never used to map or read the file. */
static void test_others(void)
{
	const struct race undisturbed = { .at = VITRINE_STEP_READ };
	const struct race late = {
		.at = VITRINE_STEP_CHUNK,
		.skip = 4,
		.strikes = 1,
		.strike = change_first,
		.end = change_last,
	};
	const struct race size = {
		.at = VITRINE_STEP_GENERATION,
		.strikes = 1,
		.strike = announce_size,
		.end = restore_size,
	};

	race_test("undisturbed", undisturbed, 0);
	race_test("edit that ends later", late, 1);
	race_test("size ahead of its pages", size, 1);
}

static void test_fallback(void)
{
	struct race race = { .at = VITRINE_STEP_READ, .strikes = 1, .strike = edit_end };
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;

	/* Grow the tree to the whole file: read() does not stop at the end of the tree. */
	write_tree();
	grow();
	edit_begin();
	err = snapshot_of(&snapshot, &race);
	ksft_test_result(!err && is_whole(snapshot),
			 "writer that never lets go: read() gives the snapshot\n");
	ksft_test_result(race.seen[VITRINE_STEP_READ] == 1 && race.seen[VITRINE_STEP_RETRY] > 0 &&
			 race.seen[VITRINE_STEP_RETRY] < 100,
			 "after a bounded number of attempts\n");
	vitrine_snapshot_destroy(snapshot);

	snapshot = NULL;
	race = (struct race){ 0 };
	write_tree();
	edit_begin();
	err = snapshot_of(&snapshot, &race);
	ksft_test_result(err && err->code == EAGAIN && !snapshot && err->advice &&
			 err->path && !strcmp(err->path, path),
			 "writer that died within an edit: EAGAIN, path, advice\n");
	vitrine_error_destroy(err);
}

/* Each copy becomes invalid after its last byte. */
static void test_always_late(void)
{
	struct race race = { .at = VITRINE_STEP_COPY, .strikes = 1000, .strike = edit_once };
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;

	write_tree();
	grow();
	err = snapshot_of(&snapshot, &race);
	ksft_test_result(!err && is_whole(snapshot) && race.seen[VITRINE_STEP_READ] == 1,
			 "edit after every copy: read() gives the snapshot\n");
	ksft_test_result(race.seen[VITRINE_STEP_COPY] > 1 && race.seen[VITRINE_STEP_COPY] <= 8,
			 "after a few copies\n");
	vitrine_snapshot_destroy(snapshot);
}

/* A refresh that fails leaves the old snapshot unchanged. */
static void test_refresh(void)
{
	struct vitrine_source *source = NULL;
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;
	uint64_t generation = 0;

	write_tree();
	err = vitrine_source_create(path, VITRINE_SOURCE_MAP, &source);
	if (!err)
		err = vitrine_snapshot_create(source, &snapshot);
	ksft_test_result(!err, "snapshot to refresh\n");
	if (err)
		return;
	edit(7);
	ksft_test_result(!vitrine_source_generation(source, &generation) &&
			 generation == 2, "source tells the new generation\n");
	err = vitrine_snapshot_refresh(snapshot, source);
	ksft_test_result(!err && is_whole(snapshot) &&
			 vitrine_snapshot_generation(snapshot) == 2, "refreshed\n");
	edit_begin();
	err = vitrine_snapshot_refresh(snapshot, source);
	ksft_test_result(err && vitrine_snapshot_generation(snapshot) == 2 &&
			 is_whole(snapshot), "failed refresh changes nothing\n");
	vitrine_error_destroy(err);
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
}

static void *write_without_pause(void *ctx)
{
	uint64_t value = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		value++;
		__atomic_store_n(&words[WORD_GENERATION],
				 words[WORD_GENERATION] + 1, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&words[WORD_FIRST], value, __ATOMIC_RELAXED);
		__atomic_store_n(&words[WORD_LAST], value, __ATOMIC_RELAXED);
		__atomic_store_n(&words[WORD_GENERATION],
				 words[WORD_GENERATION] + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Random races: a thread edits continuously, and no snapshot is inconsistent. */
static void test_busy_writer(void)
{
	int i, torn = 0, taken = 0;
	pthread_t thread;

	write_tree();
	if (pthread_create(&thread, NULL, write_without_pause, NULL))
		return;
	for (i = 0; i < 2000; i++) {
		struct race race = { .at = VITRINE_STEP_READ };
		struct vitrine_snapshot *snapshot = NULL;
		struct vitrine_source *source = NULL;
		struct vitrine_error *err;

		err = vitrine_source_create(path, VITRINE_SOURCE_MAP, &source);
		if (!err && i % 2)
			vitrine_source_observe(source, observe, &race);
		if (!err)
			err = vitrine_snapshot_create(source, &snapshot);
		/* read() of a regular file takes no lock that excludes the writer. */
		if (!err && !race.seen[VITRINE_STEP_READ] && i % 2) {
			taken++;
			torn += !is_whole(snapshot);
		}
		vitrine_error_destroy(err);
		vitrine_snapshot_destroy(snapshot);
		vitrine_source_destroy(source);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("# %d snapshots taken from the mapping\n", taken);
	ksft_test_result(!torn, "busy writer: %d torn snapshots\n", torn);
}

int main(void)
{
	int fd;

	ksft_print_header();
	snprintf(path, sizeof(path), "/tmp/vitrine-snapshot-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || ftruncate(fd, FILE_WORDS * 8))
		return 1;
	words = mmap(NULL, FILE_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (words == MAP_FAILED)
		return 1;
	test_edits();
	test_growth();
	test_others();
	test_fallback();
	test_always_late();
	test_refresh();
	test_busy_writer();
	munmap(words, FILE_WORDS * 8);
	close(fd);
	unlink(path);
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
