// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of modules.c, kernel only: a module that is unloaded while its version is
 * being read waits before it frees the version, and no other module waits meanwhile.
 * selftests/trees.sh tests the rest.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "published.h"

/* A module that is unloaded while its strings are read. */
static struct going {
	struct module		*module;
	bool			has_begun;	/* its notifiers have been called */
	struct completion	freed;		/* its strings are freed */
	bool			was_early;	/* they were freed before they were read */
	unsigned int		nr_observed;	/* how often it was found live */
} *going;

/* Do what delete_module() and free_module() do, in the same order. */
static int module_go(void *unused)
{
	WRITE_ONCE(going->module->state, MODULE_STATE_GOING);
	WRITE_ONCE(going->has_begun, true);
	vtr_modules_go();
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
	       !(READ_ONCE(going->has_begun) && READ_ONCE(thread->__state) & TASK_UNINTERRUPTIBLE))
		usleep_range(50, 100);
	going->was_early = completion_done(&going->freed);
	put_task_struct(thread);
}

static void a_module_goes_after_its_version_is_read(struct kunit *test)
{
	struct going here = {
		.module = zalloc(test, sizeof(struct module)),
	};

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
}

/* The second of three has no module, like the parameters of built-in code. */
static void only_one_module_is_held(struct kunit *test)
{
	struct module_kobject *fakes;
	struct kset kset = { .list = LIST_HEAD_INIT(kset.list) };
	struct kobject *kobj;
	int i;

	fakes = zalloc(test, 3 * sizeof(*fakes));
	spin_lock_init(&kset.list_lock);
	for (i = 0; i < 3; i++) {
		kref_init(&fakes[i].kobj.kref);
		list_add_tail(&fakes[i].kobj.entry, &kset.list);
		fakes[i].kobj.state_initialized = 1;
		fakes[i].mod = i == 1 ? NULL : (struct module *)test;
	}
	kobj = NULL;
	for (i = 0; i < 3; i += 2) {
		kobj = next_module(&kset, kobj);
		KUNIT_ASSERT_PTR_EQ(test, kobj, &fakes[i].kobj);
		KUNIT_EXPECT_EQ(test, kref_read(&fakes[i].kobj.kref), 2);
		KUNIT_EXPECT_EQ(test, kref_read(&fakes[2 - i].kobj.kref), 1);
	}
	KUNIT_EXPECT_NULL(test, next_module(&kset, kobj));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, kref_read(&fakes[i].kobj.kref), 1);
}

static struct kunit_case modules_cases[] = {
	KUNIT_CASE(a_module_goes_after_its_version_is_read),
	KUNIT_CASE(only_one_module_is_held),
	{}
};

VTR_KUNIT_SUITE(modules, .init = published_init, .exit = published_exit);
