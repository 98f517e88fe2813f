// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of session.c: a trigger fires while a session is replaced. Kernel only,
 * with the session of the module.
 */
#include <kunit/test.h>

#include <vitrine/inspect.h>

#include "inspect/inspect.h"

/* Step of replace_locked() at which a trigger fires; counted down. */
static int fire_at;

static void fire_while_replacing(void)
{
	if (!fire_at--)
		vtr_session_freeze();
}

/* Session and rings agree on whether they are frozen. */
static void expect_rings_agree(struct kunit *test)
{
	bool is_frozen = vtr_session_frozen();
	struct vtr_ring *ring;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ring = vtr_session_ring(cpu);
		if (!ring)
			continue;
		KUNIT_EXPECT_EQ(test, vtr_ring_frozen(ring), is_frozen);
		vtr_ring_put(ring);
	}
}

static void replace_while_a_trigger_fires(struct kunit *test, int step,
					  bool wanted)
{
	struct vtr_session_settings settings;

	vtr_session_settings(&settings);
	fire_at = step;
	observer = fire_while_replacing;
	KUNIT_EXPECT_EQ(test, vtr_session_replace(&settings), 0);
	observer = NULL;
	KUNIT_EXPECT_EQ(test, !!vtr_session_frozen(), wanted);
	expect_rings_agree(test);
}

/* A freeze before the new rings exist concerns the old ones. */
static void freeze_of_the_old_rings_ends(struct kunit *test)
{
	replace_while_a_trigger_fires(test, 0, false);
}

static void freeze_of_the_new_rings_stays(struct kunit *test)
{
	replace_while_a_trigger_fires(test, 1, true);
	vtr_session_thaw();
	expect_rings_agree(test);
	replace_while_a_trigger_fires(test, 2, true);
	vtr_session_thaw();
	expect_rings_agree(test);
}

/* A new session is not frozen, even if the old one was. */
static void new_session_is_thawed(struct kunit *test)
{
	vtr_session_freeze();
	expect_rings_agree(test);
	replace_while_a_trigger_fires(test, 1, false);
}

static void refresh_session(struct vtr_inspect_refresher *unused)
{
	vtr_session_number();
}

/*
 * Take each lock that is held when session_mutex is taken, and each that is taken while it
 * is held: lockdep, which has seen the documented order, would report another one.
 */
static void locks_nest_as_documented(struct kunit *test)
{
	struct vtr_inspect_refresher refresher = { .refresh = refresh_session };
	struct vtr_session_settings settings;
	bool was_enabled = vtr_session_enabled();
	struct vitrine_tree *tree;

	tree = vitrine_tree_create("kunit_locks", 0);
	KUNIT_ASSERT_NOT_NULL(test, tree);
	vtr_inspect_add_refresher(tree, &refresher);
	vtr_inspect_refresh(tree);
	vitrine_tree_destroy(tree);
	vtr_session_settings(&settings);
	KUNIT_EXPECT_EQ(test, vtr_session_enable(true), 0);
	KUNIT_EXPECT_EQ(test, vtr_session_replace(&settings), 0);
	KUNIT_EXPECT_EQ(test, vtr_session_enable(was_enabled), 0);
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(locks_nest_as_documented),
	KUNIT_CASE(freeze_of_the_old_rings_ends),
	KUNIT_CASE(freeze_of_the_new_rings_stays),
	KUNIT_CASE(new_session_is_thawed),
	{}
};

static struct kunit_suite session_suite = {
	.name = "vitrine_session",
	.test_cases = session_cases,
};

kunit_test_suites(&session_suite);
