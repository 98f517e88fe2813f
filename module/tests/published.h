/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree that a case publishes.
 */
#ifndef _VTR_TESTS_PUBLISHED_H
#define _VTR_TESTS_PUBLISHED_H

#include "inspect/edit.h"
#include "inspect/inspect.h"
#include "suite.h"

static struct vitrine_tree *tree;
static struct vitrine_node *root;

static inline void new_tree(struct kunit *test, size_t limit_bytes)
{
	tree = vitrine_tree_create("kunit", limit_bytes);
	KUNIT_ASSERT_NOT_NULL(test, tree);
	root = vitrine_tree_root(tree);
}

static inline int published_init(struct kunit *test)
{
	new_tree(test, 0);
	return 0;
}

/* Also called in the middle of cases, where the publisher goes. */
static inline void published_exit(struct kunit *test)
{
	vitrine_tree_destroy(tree);
	tree = NULL;
}

/* The calls that the tree of the case has refused. */
static inline unsigned long failures(void)
{
	return atomic_long_read(&tree->failed);
}

#endif /* _VTR_TESTS_PUBLISHED_H */
