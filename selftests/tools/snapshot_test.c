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
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../must.h"
#include "test.h"

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

/* Fill the words from @word to @end with FREE blocks of order 7. */
static void write_free(size_t word, size_t end)
{
	for (; word < end; word += 256)
		words[word] = 7;
}

static uint64_t block(unsigned int type, uint64_t parent, uint64_t name)
{
	return type << 8 | parent << 16 | name << 40;
}

/* Root (2), its name (3), two uints (4 and 5) with the name "u" (6), and free blocks. */
static void write_tree(void)
{
	const uint64_t tree[] = {
		1 | 2 << 8 | 2 << 16 | 0x50534e49ULL << 32, 0, TREE_WORDS * 8, 0,
		block(3, 0, 3), 2,
		block(14, 0, 1), 0x746f6f7200000004,	/* "root" */
		block(5, 2, 6), 0,
		block(5, 2, 6), 0,
		block(14, 0, 2), 1 | (uint64_t)'u' << 32,
	};
	unsigned int order;

	memset(words, 0, FILE_WORDS * 8);
	memcpy(words, tree, sizeof(tree));
	/* Free blocks in the rest of the first 2048 bytes. */
	for (order = 3; order < 7; order++)
		words[2 << order] = order;
	write_free(256, TREE_WORDS);
}

/* The generation is odd during an edit. */
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

/* When and how often to edit the file. */
struct race {
	enum vitrine_step at;	/* the step at which to edit */
	int skip;		/* how often to let this step pass first */
	int strikes;		/* number of edits */
	void (*strike)(void);	/* the edit, */
	void (*end)(void);	/* and its end, when the reader tries again; or NULL */
	int seen[VITRINE_STEP_READ + 1];	/* number of steps of each kind so far */
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
	struct vitrine_source *source;
	struct vitrine_error *err;

	*ret = NULL;
	must(vitrine_source_create(path, VITRINE_SOURCE_MAP, &source));
	if (race)
		vitrine_source_observe(source, observe, race);
	err = vitrine_snapshot_create(source, ret);
	vitrine_source_destroy(source);
	return err;
}

/* Whether the two numbers in the snapshot are equal, and the snapshot has no faults. */
static bool is_whole(const struct vitrine_snapshot *snapshot)
{
	size_t len;
	const uint64_t *copy = vitrine_snapshot_bytes(snapshot, &len);

	return is_sound(snapshot, path) && copy[WORD_FIRST] == copy[WORD_LAST] &&
	       copy[WORD_GENERATION] == vitrine_snapshot_generation(snapshot);
}

/*
 * After each edit, the reader tries again, and gets the tree of the last generation. A size that
 * was read during an edit is never used to map or read the file.
 */
static void test_races(void)
{
	static const struct {
		const char *what;
		enum vitrine_step at;
		int skip, strikes;
		void (*strike)(void);
		void (*end)(void);
	} races[] = {
		{ "undisturbed", VITRINE_STEP_READ, 0, 0, NULL, NULL },
		{ "edit after the generation", VITRINE_STEP_GENERATION, 0, 1, edit_once, NULL },
		{ "edit after the size", VITRINE_STEP_SIZE, 0, 1, edit_once, NULL },
		{ "edit before the first number", VITRINE_STEP_CHUNK, 3, 1, edit_once, NULL },
		{ "edit between the numbers", VITRINE_STEP_CHUNK, 4, 1, edit_once, NULL },
		{ "edit after the numbers", VITRINE_STEP_CHUNK, 6, 1, edit_once, NULL },
		{ "edit after the copy", VITRINE_STEP_COPY, 0, 1, edit_once, NULL },
		{ "three after the generation", VITRINE_STEP_GENERATION, 0, 3, edit_once, NULL },
		{ "three after the size", VITRINE_STEP_SIZE, 0, 3, edit_once, NULL },
		{ "three after a part", VITRINE_STEP_CHUNK, 0, 3, edit_once, NULL },
		{ "three after the copy", VITRINE_STEP_COPY, 0, 3, edit_once, NULL },
		{ "growth after the generation", VITRINE_STEP_GENERATION, 0, 1, grow, NULL },
		{ "growth after the copy", VITRINE_STEP_COPY, 0, 1, grow, NULL },
		{ "edit that ends later", VITRINE_STEP_CHUNK, 4, 1, change_first, change_last },
		{ "size ahead of its pages", VITRINE_STEP_GENERATION, 0, 1, announce_size,
		  restore_size },
	};
	struct vitrine_snapshot *snapshot;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(races); i++) {
		struct race race = { races[i].at, races[i].skip, races[i].strikes,
				     .strike = races[i].strike, .end = races[i].end };

		write_tree();
		must(snapshot_of(&snapshot, &race));
		ok(is_whole(snapshot), "%s: snapshot is whole", races[i].what);
		vitrine_snapshot_bytes(snapshot, &len);
		ok(vitrine_snapshot_generation(snapshot) == words[WORD_GENERATION] &&
		   len == words[WORD_SIZE], "%s: of the last generation", races[i].what);
		ok(race.seen[VITRINE_STEP_RETRY] == races[i].strikes &&
		   !race.seen[VITRINE_STEP_READ], "%s: after %d retries", races[i].what,
		   races[i].strikes);
		vitrine_snapshot_destroy(snapshot);
	}
}

static void test_fallback(void)
{
	struct race race = { VITRINE_STEP_READ, .strikes = 1, .strike = edit_end };
	struct vitrine_snapshot *snapshot;
	struct vitrine_error *err;

	/* Grow the tree to the whole file: read() does not stop at the end of the tree. */
	write_tree();
	grow();
	edit_begin();
	must(snapshot_of(&snapshot, &race));
	ok(is_whole(snapshot), "writer that never lets go: read() gives the snapshot");
	ok(race.seen[VITRINE_STEP_READ] == 1 && race.seen[VITRINE_STEP_RETRY] > 0 &&
	   race.seen[VITRINE_STEP_RETRY] < 100, "after a bounded number of attempts");
	vitrine_snapshot_destroy(snapshot);

	write_tree();
	edit_begin();
	err = snapshot_of(&snapshot, NULL);
	ok(err && !snapshot && err->advice && err->path && !strcmp(err->path, path) &&
	   is_error(err, EAGAIN), "writer that died within an edit: EAGAIN, path, advice");
}

/* Each copy becomes invalid after its last byte. */
static void test_always_late(void)
{
	struct race race = { VITRINE_STEP_COPY, .strikes = 1000, .strike = edit_once };
	struct vitrine_snapshot *snapshot;

	write_tree();
	grow();
	must(snapshot_of(&snapshot, &race));
	ok(is_whole(snapshot) && race.seen[VITRINE_STEP_READ] == 1,
	   "edit after every copy: read() gives the snapshot");
	ok(race.seen[VITRINE_STEP_COPY] > 1 && race.seen[VITRINE_STEP_COPY] <= 8,
	   "after a few copies");
	vitrine_snapshot_destroy(snapshot);
}

/* A refresh that fails leaves the old snapshot unchanged. */
static void test_refresh(void)
{
	struct vitrine_source *source;
	struct vitrine_snapshot *snapshot;
	uint64_t generation = 0;

	write_tree();
	must(vitrine_source_create(path, VITRINE_SOURCE_MAP, &source));
	must(vitrine_snapshot_create(source, &snapshot));
	edit(7);
	ok(!vitrine_source_generation(source, &generation) && generation == 2,
	   "source tells the new generation");
	must(vitrine_snapshot_refresh(snapshot, source));
	ok(is_whole(snapshot) && vitrine_snapshot_generation(snapshot) == 2, "refreshed");
	edit_begin();
	ok(is_error(vitrine_snapshot_refresh(snapshot, source), EAGAIN) &&
	   vitrine_snapshot_generation(snapshot) == 2 && is_whole(snapshot),
	   "failed refresh changes nothing");
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
		struct vitrine_snapshot *snapshot;
		struct vitrine_error *err = snapshot_of(&snapshot, i % 2 ? &race : NULL);

		/* read() of a regular file takes no lock that excludes the writer. */
		if (!err && !race.seen[VITRINE_STEP_READ] && i % 2) {
			taken++;
			torn += !is_whole(snapshot);
		}
		vitrine_error_destroy(err);
		vitrine_snapshot_destroy(snapshot);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("# %d snapshots taken from the mapping\n", taken);
	ok(!torn, "busy writer: %d torn snapshots", torn);
}

int main(void)
{
	int fd;

	ksft_print_header();
	fd = memfd_create("tree", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ftruncate(fd, FILE_WORDS * 8))
		return 1;
	words = mmap(NULL, FILE_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (words == MAP_FAILED)
		return 1;
	test_races();
	test_fallback();
	test_always_late();
	test_refresh();
	test_busy_writer();
	return tests_end();
}
