/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as our suites use: cases, expectations, assertions (which end the case), memory
 * that is freed with the case. kunit.c runs the suites and prints KTAP.
 */
#ifndef _HOST_KUNIT_TEST_H
#define _HOST_KUNIT_TEST_H

#include <stdint.h>

#include "../host.h"

struct kunit {
	void		*priv;
	const char	*name;
};

struct kunit_case {
	void		(*run_case)(struct kunit *test);
	const char	*name;
};

struct kunit_suite {
	char			name[256];
	int			(*init)(struct kunit *test);
	void			(*exit)(struct kunit *test);
	struct kunit_case	*test_cases;
};

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)	KUNIT_CASE(fn)

/*
 * The pointers in a section are an array: the linker gathers it and marks its
 * ends, kunit.c walks it.
 */
extern struct kunit_suite *__start_kunit_suites[];
extern struct kunit_suite *__stop_kunit_suites[];

#define KUNIT_UNIQUE(line)	kunit_suites_ ## line
#define KUNIT_SUITES(line, ...)						\
	static struct kunit_suite *KUNIT_UNIQUE(line)[]			\
	__attribute__((used, section("kunit_suites"), aligned(8))) =	\
		{ __VA_ARGS__ }
#define KUNIT_SUITES_AT(line, ...)	KUNIT_SUITES(line, __VA_ARGS__)
#define kunit_test_suites(...)	KUNIT_SUITES_AT(__LINE__, __VA_ARGS__)
#define kunit_test_suite(suite)	kunit_test_suites(&(suite))

void kunit_log(const struct kunit *test, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void kunit_fail(struct kunit *test, const char *file, int line,
		const char *format, ...) __attribute__((format(printf, 4, 5)));
void kunit_abort(struct kunit *test) __attribute__((noreturn));
void kunit_skip_case(struct kunit *test) __attribute__((noreturn));
void *kunit_kzalloc(struct kunit *test, size_t bytes, gfp_t gfp);

static inline void *kunit_kmalloc(struct kunit *test, size_t bytes, gfp_t gfp)
{
	return kunit_kzalloc(test, bytes, gfp);
}

#define kunit_info(test, format, ...) \
	kunit_log(test, format, ##__VA_ARGS__)
#define kunit_skip(test, format, ...) do {				\
	kunit_log(test, format, ##__VA_ARGS__);				\
	kunit_skip_case(test);						\
} while (0)

#define KUNIT_FAIL(test, format, ...) \
	kunit_fail(test, __FILE__, __LINE__, format, ##__VA_ARGS__)

#define KUNIT_UNLESS(test, holds, or_else, format, ...) do {		\
	if (!(holds)) {							\
		KUNIT_FAIL(test, format, ##__VA_ARGS__);		\
		or_else;						\
	}								\
} while (0)

/* Both sides are evaluated once, as in the kernel. */
#define KUNIT_COMPARE(test, left, op, right, or_else, format, ...) do {	\
	typeof(left) __left = (left);					\
	typeof(right) __right = (right);				\
	KUNIT_UNLESS(test, __left op __right, or_else,			\
		     "%s " #op " %s: %#llx and %#llx" format, #left,	\
		     #right, (unsigned long long)(uintptr_t)__left,	\
		     (unsigned long long)(uintptr_t)__right,		\
		     ##__VA_ARGS__);					\
} while (0)

#define KUNIT_CONTINUE		((void)0)
#define KUNIT_END(test)		kunit_abort(test)

#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_COMPARE(t, a, ==, b, KUNIT_CONTINUE, "")
#define KUNIT_EXPECT_NE(t, a, b)	KUNIT_COMPARE(t, a, !=, b, KUNIT_CONTINUE, "")
#define KUNIT_EXPECT_LT(t, a, b)	KUNIT_COMPARE(t, a, <, b, KUNIT_CONTINUE, "")
#define KUNIT_EXPECT_LE(t, a, b)	KUNIT_COMPARE(t, a, <=, b, KUNIT_CONTINUE, "")
#define KUNIT_EXPECT_GT(t, a, b)	KUNIT_COMPARE(t, a, >, b, KUNIT_CONTINUE, "")
#define KUNIT_EXPECT_GE(t, a, b)	KUNIT_COMPARE(t, a, >=, b, KUNIT_CONTINUE, "")
#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_COMPARE(t, a, ==, b, KUNIT_END(t), "")
#define KUNIT_ASSERT_NE(t, a, b)	KUNIT_COMPARE(t, a, !=, b, KUNIT_END(t), "")
#define KUNIT_ASSERT_LT(t, a, b)	KUNIT_COMPARE(t, a, <, b, KUNIT_END(t), "")
#define KUNIT_ASSERT_LE(t, a, b)	KUNIT_COMPARE(t, a, <=, b, KUNIT_END(t), "")
#define KUNIT_ASSERT_GT(t, a, b)	KUNIT_COMPARE(t, a, >, b, KUNIT_END(t), "")
#define KUNIT_ASSERT_GE(t, a, b)	KUNIT_COMPARE(t, a, >=, b, KUNIT_END(t), "")
#define KUNIT_EXPECT_PTR_EQ		KUNIT_EXPECT_EQ
#define KUNIT_EXPECT_PTR_NE		KUNIT_EXPECT_NE

#define KUNIT_EXPECT_EQ_MSG(t, a, b, format, ...) \
	KUNIT_COMPARE(t, a, ==, b, KUNIT_CONTINUE, "; " format, ##__VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, format, ...) \
	KUNIT_COMPARE(t, a, ==, b, KUNIT_END(t), "; " format, ##__VA_ARGS__)

#define KUNIT_EXPECT_TRUE(t, x)		KUNIT_UNLESS(t, x, KUNIT_CONTINUE, "%s is false", #x)
#define KUNIT_EXPECT_FALSE(t, x)	KUNIT_UNLESS(t, !(x), KUNIT_CONTINUE, "%s is true", #x)
#define KUNIT_ASSERT_TRUE(t, x)		KUNIT_UNLESS(t, x, KUNIT_END(t), "%s is false", #x)
#define KUNIT_ASSERT_FALSE(t, x)	KUNIT_UNLESS(t, !(x), KUNIT_END(t), "%s is true", #x)
#define KUNIT_EXPECT_NULL(t, p)		KUNIT_UNLESS(t, !(p), KUNIT_CONTINUE, "%s is not NULL", #p)
#define KUNIT_ASSERT_NOT_NULL(t, p)	KUNIT_UNLESS(t, p, KUNIT_END(t), "%s is NULL", #p)

#define KUNIT_EXPECT_STREQ(t, a, b)					\
	KUNIT_UNLESS(t, !strcmp(a, b), KUNIT_CONTINUE,			\
		     "%s is \"%s\", not \"%s\"", #a, a, b)

#endif
