// SPDX-License-Identifier: GPL-2.0
/*
 * The last sub-buffers of a recording: whatever their lengths are, what is kept is the end
 * of what was added, in order, and fits into the window, of which no more than two
 * sub-buffers are unused.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "live/window.h"
#include "kselftest.h"

#define MAX_WORDS	64
#define WINDOW_BYTES	2048
#define NR_SUBBUFS	360

/* A sub-buffer consists of words with its number. Later ones are short, so there are more. */
static unsigned int nr_words_of(unsigned int number)
{
	return 1 + number * 2654435761U % (number < NR_SUBBUFS / 2 ? MAX_WORDS : 2);
}

static struct vitrine_error *add(struct window *window, unsigned int number)
{
	uint64_t words[MAX_WORDS];
	const struct vitrine_subbuf subbuf = {
		.bytes = words,
		.len_bytes = nr_words_of(number) * sizeof(*words),
	};
	unsigned int i;

	for (i = 0; i < MAX_WORDS; i++)
		words[i] = number;
	return window_add(window, &subbuf);
}

/* Write the window to a file, and return the number of its words. */
static size_t collect(struct window *window, uint64_t *words, size_t nr_max)
{
	char path[] = "/tmp/vitrine-window.XXXXXX";
	struct vitrine_writer *writer = NULL;
	size_t nr = 0;
	FILE *file;

	close(mkstemp(path));
	if (!vitrine_writer_create(path, &writer) && !window_write(window, writer) &&
	    !vitrine_writer_commit(writer)) {
		file = fopen(path, "r");
		nr = fread(words, sizeof(*words), nr_max, file);
		fclose(file);
	}
	vitrine_writer_destroy(writer);
	remove(path);
	return nr;
}

/* Return whether the words are the sub-buffers up to @last, each of them whole. */
static bool is_end(const uint64_t *words, size_t nr, unsigned int last)
{
	unsigned int number = nr ? words[0] : last + 1, i;
	size_t at = 0;

	for (; number <= last; number++)
		for (i = 0; i < nr_words_of(number); i++)
			if (at == nr || words[at++] != number)
				return false;
	return at == nr;
}

static bool keeps_the_end(unsigned int nr_subbufs)
{
	struct window window = { .limit_bytes = WINDOW_BYTES };
	uint64_t words[WINDOW_BYTES];
	unsigned int i;
	bool good = true;
	size_t nr;

	for (i = 0; good && i < nr_subbufs; i++)
		good = !add(&window, i);
	nr = collect(&window, words, WINDOW_BYTES);
	window_deinit(&window);
	return good && is_end(words, nr, nr_subbufs - 1) &&
	       nr * sizeof(*words) <= WINDOW_BYTES &&
	       (words[0] == 0 ||
		nr + 2 * MAX_WORDS > WINDOW_BYTES / sizeof(*words));
}

static bool keeps_a_large_one(void)
{
	struct window window = { .limit_bytes = 64 };
	uint64_t words[2 * MAX_WORDS];
	unsigned int i;
	bool good = true;
	size_t nr;

	for (i = 0; good && i < 10; i++)
		good = !add(&window, i);
	nr = collect(&window, words, 2 * MAX_WORDS);
	window_deinit(&window);
	return good && nr && is_end(words, nr, 9);
}

/* The file is shorter than what was added, and errno is that of an earlier call. */
static bool tells_what_is_missing(void)
{
	struct window window = { .limit_bytes = WINDOW_BYTES };
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	bool good;

	err = add(&window, 1);
	good = !err && !ftruncate(window.fd, 8) && !vitrine_writer_create("-", &writer);
	errno = ENOENT;
	err = good ? window_write(&window, writer) : err;
	good = good && err && err->code == EIO;
	vitrine_error_destroy(err);
	vitrine_writer_destroy(writer);
	window_deinit(&window);
	return good;
}

int main(void)
{
	unsigned int i;
	bool good = true;

	ksft_print_header();
	for (i = 1; good && i <= NR_SUBBUFS; i++)
		good = keeps_the_end(i);
	if (!good)
		printf("# after %u sub-buffers\n", i - 1);
	ksft_test_result(good, "the end is kept\n");
	ksft_test_result(keeps_a_large_one(), "a sub-buffer that is larger than the window\n");
	ksft_test_result(tells_what_is_missing(), "a short temporary file\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
