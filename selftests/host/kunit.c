// SPDX-License-Identifier: GPL-2.0
/*
 * Run the KUnit suites linked in, in user space, and print KTAP.
 *
 * Concurrency: none. One case runs at a time; a failed assertion jumps back
 * here. $VITRINE_SEED replaces the fresh seed of the random walks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <kunit/test.h>
#include <linux/lockdep.h>

#define INDENT	"    "

/* Memory allocated by the running case: a list. */
struct memory {
	struct memory	*next;
	max_align_t	bytes[];
};

static struct memory *memory;
static jmp_buf case_end;
static bool failed, skipped;
int host_locks_held;
void (*host_ordered)(const void *place);

static void log_line(const struct kunit *test, const char *format, va_list args)
{
	size_t len = strlen(format);

	printf(INDENT "# %s: ", test->name);
	vprintf(format, args);
	if (!len || format[len - 1] != '\n')
		putchar('\n');
}

void kunit_log(const struct kunit *test, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_line(test, format, args);
	va_end(args);
}

void kunit_fail(struct kunit *test, const char *file, int line, const char *format, ...)
{
	va_list args;

	printf(INDENT "# %s: failed at %s:%d\n", test->name, file, line);
	va_start(args, format);
	log_line(test, format, args);
	va_end(args);
	failed = true;
}

void kunit_abort(struct kunit *test)
{
	(void)test;
	longjmp(case_end, 1);
}

void kunit_skip_case(struct kunit *test)
{
	skipped = true;
	kunit_abort(test);
}

void *kunit_kzalloc(struct kunit *test, size_t bytes, gfp_t gfp)
{
	struct memory *one = calloc(1, sizeof(*one) + bytes);

	(void)test;
	(void)gfp;
	if (!one)
		abort();
	one->next = memory;
	memory = one;
	return one->bytes;
}

static void memory_free(void)
{
	while (memory) {
		struct memory *next = memory->next;

		free(memory);
		memory = next;
	}
}

static bool case_run(const struct kunit_suite *suite,
		     const struct kunit_case *one, unsigned int number)
{
	struct kunit test = { .name = one->name };

	failed = false;
	skipped = false;
	if (!setjmp(case_end)) {
		if (suite->init && suite->init(&test))
			KUNIT_FAIL(&test, "init failed");
		else
			one->run_case(&test);
	}
	host_ordered = NULL;
	if (suite->exit && !setjmp(case_end))
		suite->exit(&test);
	if (host_locks_held)
		KUNIT_FAIL(&test, "holds %d locks", host_locks_held);
	host_locks_held = 0;
	memory_free();
	printf(INDENT "%s %u %s%s\n", failed ? "not ok" : "ok", number,
	       one->name, skipped ? " # SKIP" : "");
	fflush(stdout);
	return !failed;
}

static bool suite_run(const struct kunit_suite *suite, unsigned int number)
{
	const struct kunit_case *one;
	unsigned int nr = 0;
	bool ok = true;

	for (one = suite->test_cases; one->run_case; one++)
		nr++;
	printf(INDENT "KTAP version 1\n" INDENT "# Subtest: %s\n" INDENT
	       "1..%u\n", suite->name, nr);
	nr = 0;
	for (one = suite->test_cases; one->run_case; one++)
		ok &= case_run(suite, one, ++nr);
	printf("%s %u %s\n", ok ? "ok" : "not ok", number, suite->name);
	return ok;
}

int main(void)
{
	struct kunit_suite **suite;
	unsigned int nr = 0;
	bool ok = true;

	printf("KTAP version 1\n1..%td\n", __stop_kunit_suites - __start_kunit_suites);
	for (suite = __start_kunit_suites; suite < __stop_kunit_suites; suite++)
		ok &= suite_run(*suite, ++nr);
	return ok ? 0 : 1;
}
