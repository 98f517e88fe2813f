// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that works without vitrine, for optional.sh: threads update values of each kind
 * without pause, and one creates and deletes values, while vitrine comes and goes.
 *
 * Concurrency: a handle in @handles is stored with the publisher locked, or NULL; threads read
 * it in the updates themselves.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <vitrine/publisher.h>

#define NR_WRITERS	3

static unsigned int abi = VITRINE_ABI;
module_param(abi, uint, 0444);
MODULE_PARM_DESC(abi, "Version of the interface that the driver claims to be built for");

static unsigned long rounds;
module_param(rounds, ulong, 0444);
MODULE_PARM_DESC(rounds, "Number of rounds of updates that the threads have made");

static unsigned long evaluated;
module_param(evaluated, ulong, 0444);
MODULE_PARM_DESC(evaluated, "Number of updates that the module parameter \"evaluate\" has made");

static bool is_published;
module_param(is_published, bool, 0444);
MODULE_PARM_DESC(is_published, "publish() has been called, and unpublish() has not");

static bool device;
module_param(device, bool, 0444);
MODULE_PARM_DESC(device, "Have a device whose lazy tree is filled until the device is removed");

static bool torn;
module_param(torn, bool, 0444);
MODULE_PARM_DESC(torn, "The device was freed while its lazy tree was filled");

static struct {
	struct vitrine_tree			*tree;
	struct vitrine_node			*root;
	struct vitrine_uint			*number;
	struct vitrine_uint			*evaluated;
	struct vitrine_bool			*flag;
	struct vitrine_string			*text;
	struct vitrine_int_array		*array;
	struct vitrine_string_array		*texts;
	struct vitrine_uint_histogram		*sizes;
	struct vitrine_double_histogram		*loads;
	struct vitrine_percpu_uint		*percpu;
	struct vitrine_percpu_histogram		*percpu_sizes;
	struct vitrine_list			*events;
	struct vitrine_node			*here, *there, *moving;
	struct vitrine_health			health;
} handles;

static struct task_struct *tasks[NR_WRITERS + 1];

static struct vitrine_publisher publisher;

static int fill(struct vitrine_node *root, void *ctx)
{
	vitrine_record_uint(root, "rounds", READ_ONCE(rounds));
	return 0;
}

/* A device with a lazy tree; @is_filling is outside of it, because it may be freed. */
static struct gadget {
	struct vitrine_lazy	*lazy;
	u64			nr_fills;
} *gadget;

static bool is_filling, is_removed;
static struct task_struct *remover;

/* Return true when the device is gone, or the task that removes it waits. */
static bool removal_began(void)
{
	struct task_struct *task = READ_ONCE(remover);

	return READ_ONCE(is_removed) ||
	       (task && READ_ONCE(task->__state) & TASK_UNINTERRUPTIBLE);
}

static int gadget_fill(struct vitrine_node *root, void *ctx)
{
	struct gadget *filled = ctx;

	WRITE_ONCE(is_filling, true);
	while (!removal_began())
		usleep_range(100, 200);
	vitrine_record_uint(root, "nr_fills", ++filled->nr_fills);
	WRITE_ONCE(is_filling, false);
	return 0;
}

static int gadget_remove(const char *value, const struct kernel_param *param)
{
	vitrine_publisher_lock(&publisher);
	WRITE_ONCE(remover, current);
	vitrine_lazy_destroy(gadget->lazy);
	torn = READ_ONCE(is_filling);
	kfree(gadget);
	gadget = NULL;
	WRITE_ONCE(is_removed, true);
	WRITE_ONCE(remover, NULL);
	vitrine_publisher_unlock(&publisher);
	return 0;
}
module_param_call(remove, gadget_remove, NULL, NULL, 0200);
MODULE_PARM_DESC(remove, "Written: remove the device");

static void optional_publish(struct vitrine_publisher *publisher)
{
	struct vitrine_f64 zero = vitrine_double_from_int(0), one = vitrine_double_from_int(1);

	handles.tree = vitrine_tree_create("optional", 0);
	handles.root = vitrine_tree_root(handles.tree);
	handles.number = vitrine_uint_create(handles.root, "number", 0);
	handles.evaluated = vitrine_uint_create(handles.root, "evaluated", 0);
	handles.flag = vitrine_bool_create(handles.root, "flag", false);
	handles.text = vitrine_string_create(handles.root, "text", "begun");
	handles.array = vitrine_int_array_create(handles.root, "array", 4);
	handles.texts = vitrine_string_array_create(handles.root, "texts", 2);
	handles.sizes = vitrine_uint_histogram_create(handles.root, "sizes", 0, 1, 2, 20);
	handles.loads = vitrine_double_histogram_create(handles.root, "loads", zero, one,
							zero, 4);
	handles.percpu = vitrine_percpu_uint_create(handles.root, "percpu");
	handles.percpu_sizes = vitrine_percpu_histogram_create(handles.root, "percpu_sizes", 0,
							       64, VITRINE_LINEAR, 16);
	handles.events = vitrine_list_create(handles.root, "events", 2);
	handles.here = vitrine_node_create(handles.root, "here");
	handles.there = vitrine_node_create(handles.root, "there");
	handles.moving = vitrine_node_create(handles.here, "moving");
	vitrine_health_init(&handles.health, handles.root);
	vitrine_lazy_create("optional-lazy", 0, 0, fill, NULL);
	if (gadget)
		gadget->lazy = vitrine_lazy_create("optional-device", 0, 1, gadget_fill, gadget);
	WRITE_ONCE(is_published, true);
}

static void optional_unpublish(struct vitrine_publisher *publisher)
{
	void **handle = (void **)&handles;
	unsigned int i;

	for (i = 0; i < sizeof(handles) / sizeof(*handle); i++)
		WRITE_ONCE(handle[i], NULL);
	if (gadget)
		WRITE_ONCE(gadget->lazy, NULL);
	WRITE_ONCE(is_published, false);
}

static struct vitrine_publisher publisher = {
	.publish = optional_publish,
	.unpublish = optional_unpublish,
};

/* A value that takes time to read, such as that of a register behind a bus. */
static unsigned long slow(void)
{
	usleep_range(1, 2);
	return ++evaluated;
}

static int evaluate(const char *value, const struct kernel_param *param)
{
	vitrine_uint_set(handles.evaluated, slow());
	vitrine_int_array_set(handles.array, slow() & 1, slow());
	return 0;
}
module_param_call(evaluate, evaluate, NULL, NULL, 0200);
MODULE_PARM_DESC(evaluate, "Written: make two updates with three values that sleep");

/* A batch: the tree is read once, and preemption is off until its end. */
static void update_both(void)
{
	struct vitrine_tree *tree;
	unsigned long flags;

	preempt_disable();
	tree = READ_ONCE(handles.tree);
	flags = vitrine_batch_begin(tree);
	vitrine_uint_sub(handles.number, 1);
	vitrine_uint_add(handles.number, 1);
	vitrine_batch_end(tree, flags);
	preempt_enable();
}

/* One thread does this: calls with the same health are serialised. */
static void change(u64 i)
{
	if (i & 1) {
		vitrine_health_unhealthy(&handles.health, i & 2 ? "odd" : "odder");
		vitrine_node_adopt(handles.there, handles.moving);
	} else {
		vitrine_health_ok(&handles.health);
		vitrine_node_adopt(handles.here, handles.moving);
	}
}

static int writer(void *ctx)
{
	u64 i;

	for (i = 0; !kthread_should_stop(); i++) {
		vitrine_uint_add(handles.number, 1);
		vitrine_bool_set(handles.flag, i & 1);
		vitrine_string_set(handles.text, i & 1 ? "odd" : "even, and two extents long");
		vitrine_int_array_add(handles.array, i % 4, -1);
		vitrine_string_array_set(handles.texts, i % 2, i & 2 ? "this" : NULL);
		vitrine_uint_histogram_insert(handles.sizes, i);
		vitrine_double_histogram_set(handles.loads, 1, vitrine_double_from_bits(i));
		vitrine_percpu_uint_add(handles.percpu, 1);
		vitrine_percpu_histogram_insert(handles.percpu_sizes, i % 1500);
		vitrine_list_record(handles.events, VITRINE_RECORD_UINT("first", i),
				    VITRINE_RECORD_STRING("second", i & 1 ? "odd" : "even"),
				    VITRINE_RECORD_UINT("third", i));
		update_both();
		if (!ctx)
			change(i);
		WRITE_ONCE(rounds, READ_ONCE(rounds) + 1);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static int creator(void *ctx)
{
	while (!kthread_should_stop()) {
		struct vitrine_node *node;

		vitrine_publisher_lock(&publisher);
		node = vitrine_node_create(handles.root, "session");
		vitrine_record_string(node, "peer", "somebody");
		vitrine_delete(node);
		vitrine_publisher_unlock(&publisher);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void stop_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		if (tasks[i])
			kthread_stop(tasks[i]);
}

static int __init optional_init(void)
{
	unsigned int i;

	if (device) {
		gadget = kzalloc(sizeof(*gadget), GFP_KERNEL);
		if (!gadget)
			return -ENOMEM;
	}
	publisher.abi = abi;
	vitrine_publisher_register(&publisher);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		struct task_struct *task = kthread_run(i < NR_WRITERS ? writer : creator,
						       (void *)(unsigned long)i, "optional/%u", i);

		if (IS_ERR(task)) {
			stop_all();
			vitrine_publisher_unregister(&publisher);
			kfree(gadget);
			return PTR_ERR(task);
		}
		tasks[i] = task;
	}
	return 0;
}

/* The threads run on while the values go. */
static void __exit optional_exit(void)
{
	vitrine_publisher_unregister(&publisher);
	stop_all();
	kfree(gadget);
}

module_init(optional_init);
module_exit(optional_exit);

MODULE_DESCRIPTION("A driver that works without vitrine");
MODULE_LICENSE("GPL");
