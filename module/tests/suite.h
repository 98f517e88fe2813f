/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all suites have in common: their definition, and the memory of a case.
 */
#ifndef _VTR_TESTS_SUITE_H
#define _VTR_TESTS_SUITE_H

#include <kunit/test.h>

/* Memory of the case, filled with zeros. */
static inline void *zalloc(struct kunit *test, size_t bytes)
{
	void *memory = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

/* The suite "vitrine_NAME" of NAME_cases, and perhaps what is called around each of them. */
#define VTR_KUNIT_SUITE(name_, ...)					\
	static struct kunit_suite name_ ## _suite = {			\
		.name = "vitrine_" #name_,				\
		.test_cases = name_ ## _cases,				\
		__VA_ARGS__						\
	};								\
	kunit_test_suite(name_ ## _suite)

#endif /* _VTR_TESTS_SUITE_H */
