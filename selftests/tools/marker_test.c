// SPDX-License-Identifier: GPL-2.0
/*
 * Test what the library writes for each kind of marker, one write() each, into a pipe that
 * keeps them apart.
 */
#define _GNU_SOURCE
#include <fcntl.h>

#include <vitrine/map.h>

#include "../must.h"
#include "test.h"

static int from;

static struct vitrine_marker *open_marker(const char *path)
{
	struct vitrine_marker *marker;

	must(vitrine_marker_create(path, &marker));
	return marker;
}

/* Check the next marker, which is all that the pipe has, and which is text. */
static void expect(const char *wanted)
{
	char text[512];
	ssize_t len = read(from, text, sizeof(text) - 1);

	text[len < 0 ? 0 : len] = '\0';
	ok(!strcmp(text, wanted), "%s", wanted);
}

/* Check the next marker, which is binary. */
static void expect_number(char letter, const char *name, int64_t number)
{
	struct {
		struct vitrine_marker_number head;
		char name[512];
	} marker = {};
	ssize_t len = read(from, &marker, sizeof(marker) - 1);
	const struct vitrine_marker_number *head = &marker.head;

	ok(len == (ssize_t)(sizeof(*head) + strlen(name)) && head->letter == letter &&
	   !head->nul && head->number == number && !strcmp(marker.name, name),
	   "%c %.16s %lld", letter, name, (long long)number);
}

static void test_kinds(const struct vitrine_marker *marker)
{
	static const struct {
		void (*put)(const struct vitrine_marker *marker, const char *name, uint64_t id);
		char letter;
		uint64_t id;
	} ids[] = {
		{ vitrine_marker_async_begin, 'S', 10 },
		{ vitrine_marker_async_end, 'F', UINT64_MAX },
		{ vitrine_marker_flow_begin, 's', 1 },
		{ vitrine_marker_flow_step, 't', 1 },
		{ vitrine_marker_flow_end, 'f', 1 },
	};
	static const int64_t numbers[] = { 0, -17, INT64_MIN };
	unsigned int i;

	vitrine_marker_instant(marker, "here");
	expect("I||here");
	vitrine_marker_begin(marker, "load");
	expect("B||load");
	vitrine_marker_end(marker);
	expect("E");
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		vitrine_marker_counter(marker, "queue", numbers[i]);
		expect_number('C', "queue", numbers[i]);
	}
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		ids[i].put(marker, "request", ids[i].id);
		expect_number(ids[i].letter, "request", ids[i].id);
	}
}

/* The longest marker, one with a number, is as long as the module accepts: 255 bytes. */
static void test_long_names(const struct vitrine_marker *marker)
{
	char name[300] = "", wanted[300];

	memset(name, 'n', sizeof(name) - 1);
	snprintf(wanted, sizeof(wanted), "%.245s", name);
	vitrine_marker_counter(marker, name, INT64_MIN);
	expect_number('C', wanted, INT64_MIN);
	snprintf(wanted, sizeof(wanted), "B||%.245s", name);
	vitrine_marker_begin(marker, name);
	expect(wanted);
}

static void test_errors(void)
{
	struct vitrine_marker *marker = NULL;
	struct vitrine_error *err;

	ok(is_error(vitrine_marker_create("/nowhere/marker", &marker), ENOENT) && !marker,
	   "a file that does not exist is an error");
	setenv("VITRINE_DEBUGFS", "/nowhere", 1);
	err = vitrine_marker_create(NULL, &marker);
	ok(err && !strcmp(err->path, "/nowhere/vitrine/trace/marker"),
	   "VITRINE_DEBUGFS is where the usual file is");
	vitrine_error_destroy(err);
	marker = open_marker("/dev/full");
	errno = EDOM;
	vitrine_marker_counter(marker, "lost", 1);
	ok(errno == EDOM, "a marker leaves errno as it was");
	vitrine_marker_destroy(marker);
	vitrine_marker_end(NULL);
	vitrine_marker_flow_begin(NULL, "nowhere", 1);
	vitrine_marker_destroy(NULL);
}

int main(void)
{
	struct vitrine_marker *marker;
	char path[64];
	int pipe_fds[2];

	ksft_print_header();
	if (pipe(pipe_fds))
		return 1;
	from = pipe_fds[0];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pipe_fds[1]);
	marker = open_marker(path);
	test_kinds(marker);
	test_long_names(marker);
	vitrine_marker_destroy(marker);
	test_errors();
	return tests_end();
}
