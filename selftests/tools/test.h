/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share: test points, expected errors, and the end of the test.
 */
#ifndef _SELFTESTS_TOOLS_TEST_H
#define _SELFTESTS_TOOLS_TEST_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "kselftest.h"
#include "vitrine.h"

/* A test point, which passes if @condition is true; its name is formatted. */
#define ok(condition, format, ...) ksft_test_result(condition, format "\n", ##__VA_ARGS__)

/* Whether @err is an error of this code. It is freed. */
static inline bool is_error(struct vitrine_error *err, int code)
{
	bool is_expected = err && err->code == code;

	if (!is_expected)
		printf("# %s\n", err ? err->message : "no error");
	vitrine_error_destroy(err);
	return is_expected;
}

static inline int tests_end(void)
{
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}

#endif /* _SELFTESTS_TOOLS_TEST_H */
