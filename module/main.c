// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters, the ladder of inits, and its way back.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "category.h"
#include "clock.h"
#include "debugfs.h"
#include "event.h"
#include "lazy.h"
#include "managed.h"
#include "retained.h"
#include "sched.h"
#include "session.h"
#include "source.h"
#include "trees.h"
#include "trigger.h"
#include "writer.h"

static bool enable = true;
module_param(enable, bool, 0444);
MODULE_PARM_DESC(enable, "Record from load on (default: 1)");

static char *clock = "";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "Clock of the trace: local, counter, mono or boot (default: counter, the CPU's own, where it is what the kernel tells time by, else local)");

static char *mode = "circular";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "What to do when the trace memory is full: circular, oneshot or streaming (default: circular)");

static char *trigger = "panic";
module_param(trigger, charp, 0444);
MODULE_PARM_DESC(trigger, "What freezes the rings: latency_us=N, event=CATEGORY:NAME, hung_task, panic, with spaces in between, or none (default: panic)");

static unsigned int buffer_kb = 1024;
module_param(buffer_kb, uint, 0444);
MODULE_PARM_DESC(buffer_kb, "Trace memory a CPU in KiB, a power of two (default: 1024)");

static unsigned int subbuf_kb = 64;
module_param(subbuf_kb, uint, 0444);
MODULE_PARM_DESC(subbuf_kb, "Size of a sub-buffer in KiB, a power of two, at most half of buffer_kb (default: 64)");

static unsigned int retained_max = 16;
module_param(retained_max, uint, 0444);
MODULE_PARM_DESC(retained_max, "How many trees may stay when their publishers have gone; 0: none (default: 16)");

static unsigned int retained_kb = 4096;
module_param(retained_kb, uint, 0444);
MODULE_PARM_DESC(retained_kb, "How many KiB they may take together (default: 4096)");

static char *events = "";
module_param(events, charp, 0444);
MODULE_PARM_DESC(events, "Events to record besides context switches, as written to trace/events: sched+irq:cpus=0-3 (default: none)");

static int events_init(void)
{
	char *words;
	int err;

	words = kstrdup(events, GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	/* A space ends a parameter: at load, all are on and "+" is as good. */
	strreplace(words, '+', ' ');
	err = vtr_category_switch(words);
	kfree(words);
	if (err)
		pr_err("vitrine: events=%s: no such events here; trace/events lists them\n",
		       events);
	return err;
}

static char *trees = "vitrine,system,tasks,memory,interrupts,modules,devices";
module_param(trees, charp, 0444);
MODULE_PARM_DESC(trees, "Built-in trees to publish, with commas between, or all (default: all but sched, which counts at every switch)");

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
		pr_err("vitrine: clock=%s: no such clock here; try local, counter, mono or boot\n",
		       clock);
		return err;
	}
	settings.clock = err;
	err = vtr_session_find_mode(mode);
	if (err < 0) {
		pr_err("vitrine: mode=%s: no such mode; try circular, oneshot or streaming\n",
		       mode);
		return err;
	}
	settings.mode = err;
	err = vtr_session_init(&settings);
	if (err == -EINVAL)
		pr_err("vitrine: buffer_kb=%u subbuf_kb=%u: both must be powers of two, subbuf_kb from %lu to 1024 and at most half of buffer_kb\n",
		       buffer_kb, subbuf_kb, PAGE_SIZE / 1024);
	return err;
}

static int __init vitrine_init(void)
{
	int err;

	err = vtr_trees_select(trees);
	if (err)
		return err;
	vtr_writer_init();
	err = vtr_sched_init();
	if (err) {
		pr_err("vitrine: this kernel has no tracepoint sched_switch or task_rename; it needs CONFIG_TRACEPOINTS\n");
		return err;
	}
	err = session_init();
	if (err)
		return err;
	err = vtr_event_init();
	if (err)
		goto err_session;
	err = vtr_source_init();
	if (err)
		goto err_event;
	err = events_init();
	if (err)
		goto err_source;
	err = vtr_trigger_init(trigger);
	if (err) {
		pr_err("vitrine: trigger=%s: try latency_us=N, event=CATEGORY, hung_task, panic, or none\n",
		       trigger);
		goto err_source;
	}
	vtr_retained_init(retained_max, retained_kb);
	err = vtr_managed_init();
	if (err)
		goto err_trigger;
	err = vtr_lazy_init();
	if (err)
		goto err_managed;
	err = vtr_trees_init();
	if (err)
		goto err_lazy;
	if (enable) {
		err = vtr_session_enable(true);
		if (err)
			goto err_trees;
	}
	/* Last: a file that somebody has opened cannot be taken back. */
	vtr_debugfs_init();
	return 0;

err_trees:
	vtr_trees_deinit();
err_lazy:
	vtr_lazy_deinit();
err_managed:
	vtr_managed_deinit();
err_trigger:
	vtr_trigger_deinit();
err_source:
	vtr_source_deinit();
err_event:
	vtr_event_deinit();
err_session:
	vtr_session_deinit();
	return err;
}

static void __exit vitrine_exit(void)
{
	vtr_debugfs_deinit();
	vtr_trees_deinit();
	vtr_retained_deinit();
	vtr_lazy_deinit();
	vtr_managed_deinit();
	vtr_trigger_deinit();
	vtr_session_deinit();
	vtr_source_deinit();
	vtr_event_deinit();
}

module_init(vitrine_init);
module_exit(vitrine_exit);

MODULE_DESCRIPTION("Live kernel state and scheduler traces, mapped read-only");
MODULE_AUTHOR("The vitrine developers");
MODULE_LICENSE("GPL");
