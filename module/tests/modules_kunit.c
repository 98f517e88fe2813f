// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of modules.c, kernel only: a module that is unloaded while its version is
 * being read waits before it frees the version, and modules that appear after they have
 * been counted are reported as missing. selftests/trees.sh tests the rest.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

/**
 * struct going - a module that is unloaded while its strings are read
 * @module: the module: its state and its strings
 * @has_begun: its notifiers have been called
 * @freed: its strings are freed
 * @was_early: they were freed before they were read
 * @nr_observed: number of times that it was found live
 */
static struct going {
	struct module		*module;
	bool			has_begun;
	struct completion	freed;
	bool			was_early;
	unsigned int		nr_observed;
} *going;

/* Do what delete_module() and free_module() do, in the same order. */
static int module_go(void *unused)
{
	WRITE_ONCE(going->module->state, MODULE_STATE_GOING);
	WRITE_ONCE(going->has_begun, true);
	module_notify(&modules_block, MODULE_STATE_GOING, going->module);
	kfree(going->module->version);
	going->module->version = NULL;
	complete(&going->freed);
	return 0;
}

/* Between the check of the state and the strings, let the module go or wait. */
static void versions_observe(void)
{
	struct task_struct *thread;

	if (!going)
		return;
	going->nr_observed++;
	thread = kthread_create(module_go, NULL, "module_go");
	if (IS_ERR(thread))
		return;
	get_task_struct(thread);
	wake_up_process(thread);
	/* A waiter on a mutex spins while the owner is running, so sleep. */
	while (!completion_done(&going->freed) &&
	       !(READ_ONCE(going->has_begun) &&
		 READ_ONCE(thread->__state) & TASK_UNINTERRUPTIBLE))
		usleep_range(50, 100);
	going->was_early = completion_done(&going->freed);
	put_task_struct(thread);
}

static void a_module_goes_after_its_version_is_read(struct kunit *test)
{
	struct vitrine_tree *tree = vitrine_tree_create("kunit", 0);
	struct vitrine_node *root = vitrine_tree_root(tree);
	struct going here = {
		.module = kunit_kzalloc(test, sizeof(struct module),
					GFP_KERNEL),
	};

	KUNIT_ASSERT_NOT_NULL(test, tree);
	KUNIT_ASSERT_NOT_NULL(test, here.module);
	here.module->version = kstrdup("1.0", GFP_KERNEL);
	here.module->state = MODULE_STATE_LIVE;
	init_completion(&here.freed);
	going = &here;
	record_versions(root, here.module);
	KUNIT_EXPECT_EQ(test, here.nr_observed, 1);
	KUNIT_EXPECT_FALSE(test, here.was_early);
	wait_for_completion(&here.freed);
	/* Its state is GOING: nothing is read any more. */
	record_versions(root, here.module);
	KUNIT_EXPECT_EQ(test, here.nr_observed, 1);
	going = NULL;
	vitrine_tree_destroy(tree);
}

static void late_modules_are_counted(struct kunit *test)
{
	struct kset *kset = THIS_MODULE->mkobj.kobj.kset;
	struct vitrine_tree *tree = vitrine_tree_create("kunit", 0);
	struct vitrine_node *root = vitrine_tree_root(tree);
	int nr = get_modules(kset, NULL, 0);

	KUNIT_ASSERT_NOT_NULL(test, tree);
	/* There is at least this module. */
	KUNIT_EXPECT_GE(test, nr, 1);
	KUNIT_EXPECT_EQ(test, record_modules(root, kset, nr), 0);
	KUNIT_EXPECT_EQ(test, record_modules(root, kset, nr - 1), 1);
	KUNIT_EXPECT_EQ(test, record_modules(root, kset, 0), nr);
	vitrine_tree_destroy(tree);
}

static struct kunit_case modules_cases[] = {
	KUNIT_CASE(a_module_goes_after_its_version_is_read),
	KUNIT_CASE(late_modules_are_counted),
	{}
};

static struct kunit_suite modules_suite = {
	.name = "vitrine_modules",
	.test_cases = modules_cases,
};

kunit_test_suite(modules_suite);
