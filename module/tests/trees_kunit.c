// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of trees.c, kernel only: while memory is short, a built-in tree is either
 * complete, or shows how much is missing, or cannot be opened.
 */

#include "check.h"
#include "published.h"

/* Room for "nr_missing" and little else. */
#define BYTES_LEFT	128

/* Result of filling a tree. */
struct outcome {
	int		err;
	u64		nr_missing;
	unsigned long	nr_failed;
	u32		nr_values;
};

/* Return the value of "nr_missing" below the root, or -1. */
static u64 said_missing(void)
{
	u32 end = tree->blocks.heap.nr_pages * VTR_HEAP_BLOCKS_PER_PAGE, index, order;

	for (index = 0; index < end; index += 1U << order) {
		const u64 *block = vtr_edit_handle(tree, index);

		order = vtr_block_order(block);
		if (vtr_block_type(block) == INSPECT_UINT_VALUE &&
		    check_parent(block) == INSPECT_ROOT &&
		    check_has_text(vtr_edit_handle(tree, check_name_index(block)), "nr_missing"))
			return block[1];
	}
	return -1ULL;
}

/* Return the number of free bytes, including the reserve. */
static size_t bytes_left(void)
{
	const struct vtr_heap *heap = &tree->blocks.heap;

	return heap->nr_ready * PAGE_SIZE - heap->used_bytes;
}

/*
 * Fill a tree. If @gfp_needed is not 0, allocations of pages fail unless their flags
 * include it, and almost nothing is left of the pages that the tree was created with.
 */
static void fill_short(struct kunit *test, const struct builtin *builtin,
		       gfp_t gfp_needed, struct outcome *ret)
{
	u32 nr_before;

	tree = vtr_inspect_create("kunit", SZ_1M, GFP_KERNEL_ACCOUNT);
	KUNIT_ASSERT_NOT_NULL(test, tree);
	root = vitrine_tree_root(tree);
	vtr_edit_gfp_needed = gfp_needed;
	while (gfp_needed && bytes_left() > BYTES_LEFT)
		vitrine_record_uint(root, "ballast", 0);
	nr_before = tree->blocks.nr_values;
	ret->err = fill(root, (void *)builtin);
	vtr_edit_gfp_needed = 0;
	ret->nr_missing = said_missing();
	ret->nr_failed = failures();
	ret->nr_values = tree->blocks.nr_values - nr_before;
	vtr_inspect_put(tree);
}

/* Trees that have been started, all but "sched", and that have values on this kernel. */
static bool is_filled(const struct builtin *builtin)
{
	if (builtin->fill == vtr_devices_fill)
		return IS_ENABLED(CONFIG_BLOCK) || IS_ENABLED(CONFIG_NET);
	return builtin->fill != vtr_sched_fill;
}

static void trees_wait_for_memory_or_say_how_much_is_missing(struct kunit *test)
{
	struct outcome all, waited, some;
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(builtins); i++) {
		const char *name = builtins[i].name;

		if (!is_filled(&builtins[i]))
			continue;
		nr++;
		fill_short(test, &builtins[i], 0, &all);
		fill_short(test, &builtins[i], __GFP_DIRECT_RECLAIM, &waited);
		KUNIT_EXPECT_EQ_MSG(test, waited.err, 0, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, waited.nr_missing, 0, "%s", name);
		KUNIT_EXPECT_GT_MSG(test, waited.nr_values, 2, "%s", name);
		fill_short(test, &builtins[i], ~(gfp_t)0, &some);
		KUNIT_EXPECT_EQ_MSG(test, some.err, 0, "%s", name);
		KUNIT_EXPECT_LT_MSG(test, some.nr_values, all.nr_values, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, some.nr_missing, some.nr_failed, "%s", name);
		KUNIT_EXPECT_GT_MSG(test, some.nr_missing, 0, "%s", name);
	}
	KUNIT_EXPECT_EQ(test, nr, 6 + (IS_ENABLED(CONFIG_BLOCK) || IS_ENABLED(CONFIG_NET)));
}

static int leave_out(struct vitrine_node *root)
{
	return 3;
}

/* Nodes that a tree does not even try to record are missing, too. */
static void trees_count_what_they_leave_out(struct kunit *test)
{
	static const struct builtin builtin = { .fill = leave_out };
	struct outcome some;

	fill_short(test, &builtin, 0, &some);
	KUNIT_EXPECT_EQ(test, some.err, 0);
	KUNIT_EXPECT_EQ(test, some.nr_failed, 0);
	KUNIT_EXPECT_EQ(test, some.nr_missing, 3);
}

static struct kunit_case trees_cases[] = {
	KUNIT_CASE(trees_wait_for_memory_or_say_how_much_is_missing),
	KUNIT_CASE(trees_count_what_they_leave_out),
	{}
};

VTR_KUNIT_SUITE(trees);
