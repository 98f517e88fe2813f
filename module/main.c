// SPDX-License-Identifier: GPL-2.0
/*
 * Module parameters, initialisation, and cleanup in the reverse order.
 *
 * Concurrency: the kernel calls the init and exit functions once each; the parameters are
 * read-only after loading.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "debugfs.h"
#include "inspect/lazy.h"
#include "inspect/managed.h"
#include "inspect/retained.h"
#include "trace/category.h"
#include "trace/clock.h"
#include "trace/drift.h"
#include "trace/marker.h"
#include "trace/sched.h"
#include "trace/secret.h"
#include "trace/session.h"
#include "trace/source.h"
#include "trace/stacks.h"
#include "trace/trigger.h"
#include "trace/writer.h"
#include "trees/trees.h"

static bool enable = true;
module_param(enable, bool, 0444);
MODULE_PARM_DESC(enable, "Record context switches from load on (default: 1)");

static char *clock = "";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "Clock of the trace: local, counter, mono or boot (default: counter, the counter of the CPU, if it is the kernel's clock source, else local)");

static char *mode = "circular";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "What to do when a ring is full: circular, oneshot or streaming (default: circular)");

static char *trigger = "panic";
module_param(trigger, charp, 0444);
MODULE_PARM_DESC(trigger, "Events that freeze the rings: latency_us=N, event=CATEGORY:NAME, hung_task and panic, separated by spaces, or none (default: panic)");

static unsigned int buffer_kb = 1024;
module_param(buffer_kb, uint, 0444);
MODULE_PARM_DESC(buffer_kb, "Size of the ring of each CPU in KiB, a power of two (default: 1024)");

static unsigned int subbuf_kb = 64;
module_param(subbuf_kb, uint, 0444);
MODULE_PARM_DESC(subbuf_kb, "Size of a sub-buffer in KiB, a power of two, at most half of buffer_kb (default: 64)");

static unsigned int retained_max = 16;
module_param(retained_max, uint, 0444);
MODULE_PARM_DESC(retained_max, "Maximum number of retained trees, 0 for none (default: 16)");

static unsigned int retained_kb = 4096;
module_param(retained_kb, uint, 0444);
MODULE_PARM_DESC(retained_kb, "Maximum size of all retained trees together in KiB (default: 4096)");

static char *events = "";
module_param(events, charp, 0444);
MODULE_PARM_DESC(events, "Event categories to record besides context switches and markers, as written to trace/events, for example sched+irq:cpus=0-3 (default: none)");

static int events_init(void)
{
	char *words;
	int err;

	words = kstrdup(events, GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	/* A space ends a module parameter, so "+" separates the words. */
	strreplace(words, '+', ' ');
	err = vtr_category_switch(words);
	kfree(words);
	if (err)
		pr_err("events=%s: no such category here; use those of trace/events\n",
		       events);
	return err;
}

static char *trees = "vitrine,system,tasks,memory,interrupts,modules,devices";
module_param(trees, charp, 0444);
MODULE_PARM_DESC(trees, "Built-in trees to publish, separated by commas, or all (default: all but sched, which counts every context switch)");

static int session_init(void)
{
	struct vtr_session_settings settings = {
		.buffer_kb = buffer_kb,
		.subbuf_kb = subbuf_kb,
	};
	int err = vtr_clock_default();

	if (*clock)
		err = vtr_clock_find(clock);
	if (err < 0) {
		pr_err("clock=%s: no such clock here; use local, counter, mono or boot\n",
		       clock);
		return err;
	}
	settings.clock = err;
	err = vtr_session_find_mode(mode);
	if (err < 0) {
		pr_err("mode=%s: no such mode; use circular, oneshot or streaming\n",
		       mode);
		return err;
	}
	settings.mode = err;
	err = vtr_session_init(&settings);
	if (err == -EINVAL)
		pr_err("buffer_kb=%u subbuf_kb=%u: both must be powers of two, subbuf_kb between %lu and 1024 and at most half of buffer_kb\n",
		       buffer_kb, subbuf_kb, PAGE_SIZE / 1024);
	return err;
}

static unsigned int uid;
module_param(uid, uint, 0444);
MODULE_PARM_DESC(uid, "Owner of the files in debugfs (default: 0)");

static unsigned int gid;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "Group of the files in debugfs (default: 0)");

static unsigned int file_mode = 0600;
module_param(file_mode, uint, 0444);
MODULE_PARM_DESC(file_mode, "Permissions of the files in debugfs: files that the owner can read get the read permissions of this mode, and likewise for writing, for example 0640 (default: 0600)");

static int access_init(struct vtr_debugfs_access *ret)
{
	ret->uid = make_kuid(&init_user_ns, uid);
	ret->gid = make_kgid(&init_user_ns, gid);
	ret->mode = file_mode;
	if (uid_valid(ret->uid) && gid_valid(ret->gid) && !(file_mode & ~0666))
		return 0;
	pr_err("uid=%u gid=%u file_mode=%#o: no such owner or permissions; use ids, and a mode of at most 0666\n",
	       uid, gid, file_mode);
	return -EINVAL;
}

/*
 * Remove what refers to the memory of a module that is unloaded: its categories and trees,
 * the addresses of its functions in stacks, and those of its strings in the tables of the
 * rings.
 */
static int module_changes(struct notifier_block *block, unsigned long state,
			  void *module)
{
	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	vtr_category_module_goes(module);
	vtr_stacks_forget();
	vtr_writer_forget_strings();
	vtr_lazy_module_goes(module);
	vtr_managed_module_goes(module);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_changes,
};

static int __init vitrine_init(void)
{
	struct vtr_debugfs_access access;
	int err;

	err = access_init(&access);
	if (err)
		return err;
	err = vtr_trees_select(trees);
	if (err)
		return err;
	vtr_secret_init();
	vtr_writer_init();
	err = vtr_sched_init();
	if (err) {
		pr_err("this kernel lacks the tracepoint sched_switch, sched_migrate_task or task_rename; use one with CONFIG_TRACEPOINTS\n");
		return err;
	}
	err = session_init();
	if (err)
		return err;
	vtr_drift_init();
	err = register_module_notifier(&module_notifier);
	if (err)
		goto err_drift;
	err = vtr_source_init();
	if (err)
		goto err_notifier;
	err = vtr_marker_init();
	if (err)
		goto err_source;
	err = events_init();
	if (err)
		goto err_marker;
	err = vtr_trigger_init(trigger);
	if (err) {
		pr_err("trigger=%s: no such trigger; use latency_us=N, event=CATEGORY, hung_task, panic or none\n",
		       trigger);
		goto err_marker;
	}
	vtr_retained_init(retained_max, retained_kb);
	err = vtr_lazy_init();
	if (err)
		goto err_trigger;
	err = vtr_trees_init();
	if (err)
		goto err_lazy;
	if (enable) {
		err = vtr_session_enable(true);
		if (err)
			goto err_trees;
	}
	/* Last, because a file that has been opened cannot be withdrawn. */
	vtr_debugfs_init(&access);
	return 0;

err_trees:
	vtr_trees_deinit();
err_lazy:
	vtr_lazy_deinit();
err_trigger:
	vtr_trigger_deinit();
err_marker:
	vtr_marker_deinit();
err_source:
	vtr_source_deinit();
err_notifier:
	unregister_module_notifier(&module_notifier);
err_drift:
	vtr_drift_deinit();
	vtr_session_deinit();
	return err;
}

static void __exit vitrine_exit(void)
{
	vtr_debugfs_deinit();
	vtr_trees_deinit();
	vtr_retained_deinit();
	vtr_lazy_deinit();
	vtr_trigger_deinit();
	vtr_drift_deinit();
	vtr_session_deinit();
	vtr_stacks_deinit();
	vtr_marker_deinit();
	vtr_source_deinit();
	unregister_module_notifier(&module_notifier);
}

module_init(vitrine_init);
module_exit(vitrine_exit);

MODULE_DESCRIPTION("Live kernel state and scheduler traces, mapped read-only");
MODULE_AUTHOR("The vitrine developers");
MODULE_LICENSE("GPL");
/* The version of the library, the command and the packages, too. */
MODULE_VERSION("0.2.0");
