// SPDX-License-Identifier: GPL-2.0
/*
 * Module parameters, except for those of debugfs.c and inspect.c; other modules that come and go;
 * initialisation, and cleanup in the reverse order.
 *
 * Concurrency: the kernel calls the init and exit functions once each; the parameters are
 * read-only after loading.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "debugfs.h"
#include "inspect/inspect.h"
#include "trace/category.h"
#include "trace/event.h"
#include "trace/session.h"
#include "trace/source.h"
#include "trace/waits.h"
#include "trees/builtin.h"

/* Last, so that the functions themselves are declared, which no driver may do. */
#define VITRINE_ITSELF
#include <vitrine/publisher.h>

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

static char *events = "";
module_param(events, charp, 0444);
MODULE_PARM_DESC(events, "Event categories to record besides context switches and markers, as written to trace/events, for example sched+irq:cpus=0-3 (default: none)");

static char *stacks = "none";
module_param(stacks, charp, 0444);
MODULE_PARM_DESC(stacks, "Long waits to record, and how often to sample, as written to trace/stacks, for example blocked_us=10000+user (default: none)");

/* Let a function parse, and change, a copy of a parameter. */
static int parse(const char *parameter, char separator, int (*function)(char *words))
{
	char *words __free(kfree) = kstrdup(parameter, GFP_KERNEL);

	if (!words)
		return -ENOMEM;
	strreplace(words, separator, ' ');
	return function(words);
}

static char *trees = VTR_TREES_DEFAULT;
module_param(trees, charp, 0444);
MODULE_PARM_DESC(trees, "Built-in trees to publish, separated by commas, or all (default: all but sched, which counts every context switch)");

static int session_init(void)
{
	struct vtr_ring_config settings = {
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

/*
 * Remove what refers to the memory of a module that is unloaded: its categories and trees,
 * the addresses of its functions in stacks, and those of its strings in the tables of the
 * rings. Wait for a reader of its version.
 */
static int module_changes(struct notifier_block *block, unsigned long state,
			  void *module)
{
	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	vtr_modules_go();
	vtr_category_module_goes(module);
	vtr_stacks_forget();
	vtr_writer_forget_strings();
	vtr_inspect_module_goes(module, false);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_changes,
};

/*
 * Publishers in drivers that work without vitrine, too: the other side of
 * <vitrine/publisher.h>.
 *
 * Neither side refers to a symbol of the other, or holds a reference between calls, and either
 * can go first, so they meet at what outlives both: the publisher is a device on the platform
 * bus, and vitrine the driver of all devices of that name. The driver core binds and unbinds
 * them under the lock of the device, and waits for a callback in progress. With symbol_get(),
 * both sides would need a lock that neither can own; a module notifier is called only after
 * the exit function of a module, when the trees have gone already; and a table of functions
 * would make each update an indirect call on x86, too.
 *
 * Concurrency: the driver core binds one publisher at a time to this driver, and unbinds it
 * before either of the two modules is gone. All calls are made in task context.
 */

#define API_MEMBER(type, name, ...)	.name = vitrine_##name,

static const struct vitrine_api api = {
	VITRINE_FUNCTIONS(API_MEMBER)
};

static void publisher_leaves(void *context)
{
	struct vitrine_publisher *publisher = context;

	publisher->leave(publisher, vtr_inspect_module_goes);
}

static int publisher_arrives(struct platform_device *device)
{
	struct vitrine_publisher *publisher =
		*(struct vitrine_publisher **)dev_get_platdata(&device->dev);

	if (publisher->abi != VITRINE_ABI) {
		pr_warn("module %s publishes nothing: it was built for version %u of the interface, and this is %u; build it again\n",
			publisher->name, publisher->abi, VITRINE_ABI);
		return 0;
	}
	publisher->arrive(publisher, &api);
	return devm_add_action_or_reset(&device->dev, publisher_leaves, publisher);
}

static struct platform_driver publishers = {
	.probe = publisher_arrives,
	.driver = {
		.name = "vitrine-publisher",
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

static int __init vitrine_init(void)
{
	int err;

	err = vtr_debugfs_check();
	if (err)
		return err;
	err = parse(trees, ',', vtr_trees_select);
	if (err)
		return err;
	vtr_event_init();
	vtr_writer_init();
	err = vtr_sched_init();
	if (err) {
		pr_err("this kernel lacks the tracepoint sched_switch or task_rename; use one with CONFIG_TRACEPOINTS\n");
		return err;
	}
	err = session_init();
	if (err)
		return err;
	err = vtr_drift_init();
	if (err)
		goto err_session;
	err = vtr_reuse_init();
	if (err)
		goto err_drift;
	err = register_module_notifier(&module_notifier);
	if (err)
		goto err_reuse;
	err = vtr_source_init();
	if (err)
		goto err_notifier;
	err = vitrine_category_register(&vitrine_category_marker);
	if (err)
		goto err_source;
	/*
	 * Markers are switched on, because they cost nothing until a program writes one, which
	 * it does in order to see it in the trace. A space ends a module parameter, so "+"
	 * separates the words.
	 */
	err = parse("marker", ' ', vtr_category_switch) ?:
	      parse(events, '+', vtr_category_switch);
	if (err) {
		pr_err("events=%s: no such category here; use those of trace/events\n",
		       events);
		goto err_marker;
	}
	err = parse(trigger, ' ', vtr_trigger_init);
	if (err) {
		pr_err("trigger=%s: no such trigger; use latency_us=N, event=CATEGORY, hung_task, panic or none\n",
		       trigger);
		goto err_marker;
	}
	err = vtr_lazy_init();
	if (err)
		goto err_trigger;
	err = vtr_trees_init();
	if (err)
		goto err_lazy;
	/* The driver core has -EINVAL for lack of memory, too. */
	err = platform_driver_register(&publishers) ? -ENOMEM : 0;
	if (err)
		goto err_trees;
	err = vtr_session_enable(enable);
	if (err)
		goto err_publisher;
	vtr_drift_watch();
	/* Nothing after this can fail: a thread whose user stack is awaited uses the module. */
	err = parse(stacks, '+', vtr_stacks_set);
	if (err) {
		pr_err("stacks=%s: no such setting here; use the words of trace/stacks\n", stacks);
		goto err_publisher;
	}
	/* Last, because a file that has been opened cannot be withdrawn. */
	vtr_debugfs_init();
	return 0;

err_publisher:
	platform_driver_unregister(&publishers);
err_trees:
	vtr_trees_deinit();
err_lazy:
	vtr_lazy_deinit();
err_trigger:
	vtr_trigger_deinit();
err_marker:
	vitrine_category_unregister(&vitrine_category_marker);
err_source:
	vtr_source_deinit();
err_notifier:
	unregister_module_notifier(&module_notifier);
err_reuse:
	vtr_reuse_deinit();
err_drift:
	vtr_drift_deinit();
err_session:
	vtr_session_deinit();
	return err;
}

static void __exit vitrine_exit(void)
{
	vtr_debugfs_deinit();
	platform_driver_unregister(&publishers);
	vtr_trees_deinit();
	vtr_retained_drop("*");
	vtr_lazy_deinit();
	vtr_trigger_deinit();
	vtr_reuse_deinit();
	vtr_drift_deinit();
	vtr_session_deinit();
	vtr_stacks_deinit();
	vitrine_category_unregister(&vitrine_category_marker);
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
