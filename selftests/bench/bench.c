// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the cost of a publisher's calls, for selftests/cost_inspect.sh, and of events,
 * for selftests/cost_events.sh. Runs in a guest whose clock counts instructions. Loading
 * the module prints a line for each call,
 *
 *	bench: uint_add 52.00
 *
 * in instructions, without those of the surrounding loop. Its parameters instead make it
 * create a tree that other programs measure, or wait until the name of an event is written
 * to the parameter "event".
 *
 * Each row is a function that makes its call @nr times with interrupts off, so that nothing
 * else runs. The result is the minimum of several rounds. The trees remain until the module
 * is unloaded, so that they can be inspected.
 *
 * Concurrency: everything runs in init, except for a timer, which is cancelled before
 * the tree is destroyed.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <vitrine/inspect.h>
#include <vitrine/trace.h>

#include "../../module/compat.h"
#include "measure.h"

#define MANY_NODES	100000
#define MANY_VALUES	100000
#define MANY_NAMES	1000

static bool memory;
module_param(memory, bool, 0444);
MODULE_PARM_DESC(memory, "Create 100,000 values with 1,000 names and measure nothing");

static unsigned int nr_trees;
module_param_named(trees, nr_trees, uint, 0444);
MODULE_PARM_DESC(trees, "Create that many trees of ten values");

static struct vitrine_tree **small;

static unsigned long size_kb;
module_param(size_kb, ulong, 0444);
MODULE_PARM_DESC(size_kb, "Create a tree of this size in KiB and measure nothing");

static unsigned long edit_us;
module_param(edit_us, ulong, 0644);
MODULE_PARM_DESC(edit_us, "With size_kb: interval of edits in microseconds, 0 for no edits");

static unsigned long late_ns;
module_param(late_ns, ulong, 0644);
MODULE_PARM_DESC(late_ns, "With edit_us: maximum delay of an edit in nanoseconds, for example because interrupts were off; write 0 to reset");

static struct hrtimer editor;
static struct vitrine_tree *tree;
static struct vitrine_node *root;
static struct {
	struct vitrine_uint			*number;
	struct vitrine_string			*string;
	struct vitrine_uint_array		*array;
	struct vitrine_int_histogram		*signed_linear;
	struct vitrine_uint_histogram		*linear, *linear_odd;
	struct vitrine_uint_histogram		*twos, *tens;
	struct vitrine_int_histogram		*signed_twos;
	struct vitrine_percpu_uint		*percpu;
	struct vitrine_percpu_histogram		*percpu_linear;
	struct vitrine_percpu_histogram		*percpu_twos;
} values;
static u64 reals[CALLS];

/* Return values in the range of a latency in ns: 1 to about 2^30. */
static u64 sample(unsigned int i)
{
	return (i * 2654435761U) >> i % 31;
}

BENCH(nothing, (void)i)
BENCH(sample, OPTIMIZER_HIDE_VAR(i); READ_ONCE(reals[sample(i) & 1]))
BENCH(uint_set, vitrine_uint_set(values.number, i))
BENCH(uint_add, vitrine_uint_add(values.number, i))
BENCH(batch, vitrine_batch_end(tree, vitrine_batch_begin(tree)))
BENCH(string_set, vitrine_string_set(values.string, "running"))
BENCH(array_set, vitrine_uint_array_set(values.array, 3, i))
BENCH(uint_linear_insert, vitrine_uint_histogram_insert(values.linear, i))
BENCH(uint_linear_odd_insert, vitrine_uint_histogram_insert(values.linear_odd, i))
BENCH(int_linear_insert, vitrine_int_histogram_insert(values.signed_linear, i))
BENCH(uint_exponential_insert, vitrine_uint_histogram_insert(values.twos, sample(i)))
BENCH(uint_exponential_10_insert, vitrine_uint_histogram_insert(values.tens, sample(i)))
BENCH(int_exponential_insert, vitrine_int_histogram_insert(values.signed_twos, sample(i)))
BENCH(percpu_add, vitrine_percpu_uint_add(values.percpu, i))
BENCH(percpu_linear_insert, vitrine_percpu_histogram_insert(values.percpu_linear, i))
BENCH(percpu_exponential_insert, vitrine_percpu_histogram_insert(values.percpu_twos, sample(i)))
BENCH(node, vitrine_delete(vitrine_node_create(root, "in use")))

/* Distinct names, formatted outside of the measurement. */
static char names[CALLS][24];

BENCH(node_new_name, vitrine_delete(vitrine_node_create(root, names[i])))

/* ---- events -------------------------------------------------------------- */

static DEFINE_VITRINE_CATEGORY(bench);

/* Return text that the compiler cannot recognise as a constant. */
static __always_inline const char *hidden_text(void)
{
	const char *text = "sixteen bytes...";

	OPTIMIZER_HIDE_VAR(text);
	return text;
}

BENCH(instant, vitrine_trace_instant(bench, "instant"))
BENCH(instant_u32, vitrine_trace_instant(bench, "instant", VITRINE_ARG("u32", i)))
BENCH(instant_3, vitrine_trace_instant(bench, "instant", VITRINE_ARG("u32", i),
				       VITRINE_ARG("u64", (u64)i),
				       VITRINE_ARG("text", "constant")))
BENCH(begin_end, vitrine_trace_begin(bench, "span"); vitrine_trace_end(bench, "span"))
BENCH(counter, vitrine_trace_counter(bench, "counter", 1, VITRINE_ARG("value", (u64)i)))
BENCH(complete, vitrine_trace_complete(bench, "complete", 1ULL))
BENCH(text, vitrine_trace_instant(bench, "instant", VITRINE_ARG("text", hidden_text())))

#define EVENT(name)	{ #name, bench_##name }

static const struct {
	const char	*name;
	void		(*bench)(unsigned int nr);
} events[] = {
	EVENT(instant),
	EVENT(instant_u32),
	EVENT(instant_3),
	EVENT(begin_end),
	EVENT(counter),
	EVENT(complete),
	EVENT(text),
};

/* Measure the event whose name was written, CALLS * ROUNDS times. */
static int event_set(const char *name, const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!sysfs_streq(name, events[i].name))
			continue;
		report(events[i].name, events[i].bench, bench_nothing);
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops event_ops = {
	.set = event_set,
};
module_param_cb(event, &event_ops, NULL, 0200);
MODULE_PARM_DESC(event, "Name of the event to measure");

static bool wait;
module_param(wait, bool, 0444);
MODULE_PARM_DESC(wait, "Measure only the events whose names are written to the parameter event");

static void make_values(void)
{
	unsigned int i;

	values.number = vitrine_uint_create(root, "number", 0);
	values.string = vitrine_string_create(root, "string", "started");
	values.array = vitrine_uint_array_create(root, "array", 16);
	values.linear = vitrine_uint_histogram_create(root, "linear", 0, 1, VITRINE_LINEAR, 250);
	values.linear_odd = vitrine_uint_histogram_create(root, "linear odd", 0,
							  7, VITRINE_LINEAR, 250);
	values.signed_linear = vitrine_int_histogram_create(root, "signed", -100,
							    1, VITRINE_LINEAR, 250);
	values.twos = vitrine_uint_histogram_create(root, "twos", 0, 1, 2, 40);
	values.tens = vitrine_uint_histogram_create(root, "tens", 0, 1, 10, 12);
	values.signed_twos = vitrine_int_histogram_create(root, "signed twos", -5, 1, 2, 40);
	values.percpu = vitrine_percpu_uint_create(root, "percpu");
	values.percpu_linear = vitrine_percpu_histogram_create(root, "pl", 0, 7, VITRINE_LINEAR,
							       250);
	values.percpu_twos = vitrine_percpu_histogram_create(root, "pt", 0, 1, 2, 40);
	for (i = 0; i < CALLS; i++) {
		reals[i] = vitrine_double_from_int(sample(i)).bits;
		snprintf(names[i], sizeof(names[i]), "session %u", i);
	}
}

static void delete_percpu(void)
{
	vitrine_percpu_delete(values.percpu);
	vitrine_percpu_delete(values.percpu_linear);
	vitrine_percpu_delete(values.percpu_twos);
}

static void report_values(void)
{
	REPORT(uint_set, nothing);
	REPORT(uint_add, nothing);
	REPORT(batch, nothing);
	REPORT(string_set, nothing);
	REPORT(array_set, nothing);
	REPORT(uint_linear_insert, nothing);
	REPORT(uint_linear_odd_insert, nothing);
	REPORT(int_linear_insert, nothing);
	REPORT(uint_exponential_insert, sample);
	REPORT(uint_exponential_10_insert, sample);
	REPORT(int_exponential_insert, sample);
	REPORT(percpu_add, nothing);
	REPORT(percpu_linear_insert, nothing);
	REPORT(percpu_exponential_insert, sample);
}

static void make_nodes(unsigned int nr)
{
	while (nr--)
		vitrine_node_create(root, "in use");
}

/*
 * Leave every second block free, so that no two free blocks are adjacent: each deletion
 * of a node leaves a hole between two used blocks.
 */
static void make_holes(void)
{
	struct vitrine_node **nodes = kvcalloc(MANY_NODES, sizeof(*nodes), GFP_KERNEL);
	unsigned int i;

	if (!nodes)
		return;
	for (i = 0; i < MANY_NODES; i++)
		nodes[i] = vitrine_node_create(root, "in use");
	for (i = 0; i < MANY_NODES; i += 2)
		vitrine_delete(nodes[i]);
	kvfree(nodes);
}

static int tree_begin(const char *name, size_t limit_bytes)
{
	tree = vitrine_tree_create(name, limit_bytes);
	root = vitrine_tree_root(tree);
	return tree ? 0 : -ENOMEM;
}

static int bench_tree(const char *name, const char *row, const char *row_new,
		      unsigned int nr_nodes, bool holes)
{
	int err = tree_begin(name, 16 << 20);

	if (err)
		return err;
	make_nodes(nr_nodes);
	if (holes)
		make_holes();
	report(row, bench_node, bench_nothing);
	report(row_new, bench_node_new_name, bench_nothing);
	vitrine_tree_destroy(tree);
	tree = NULL;
	return 0;
}

static int bench_all(void)
{
	int err = tree_begin("bench", 0);

	if (err)
		return err;
	make_values();
	report_values();
	delete_percpu();
	vitrine_tree_destroy(tree);
	tree = NULL;
	return bench_tree("bench", "node_100", "node_new_100", 100, false) ?:
	       bench_tree("bench", "node_100000", "node_new_100000", MANY_NODES,
			  false) ?:
	       bench_tree("bench", "node_holes", "node_new_holes", 0, true);
}

/* Create 100,000 numbers below one node, a hundred of each name. */
static int make_memory(void)
{
	unsigned int i;
	char name[16];
	int err = tree_begin("bench", 4 << 20);

	for (i = 0; !err && i < MANY_VALUES; i++) {
		snprintf(name, sizeof(name), "value-%03u", i % MANY_NAMES);
		if (!vitrine_uint_create(root, name, i))
			err = -ENOSPC;
	}
	return err;
}

/* Create trees of ten values. */
static int make_trees(void)
{
	unsigned int i, nr;
	char name[24];

	small = kvcalloc(nr_trees, sizeof(*small), GFP_KERNEL);
	if (!small)
		return -ENOMEM;
	for (nr = 0; nr < nr_trees; nr++) {
		snprintf(name, sizeof(name), "bench-%u", nr);
		small[nr] = vitrine_tree_create(name, 0);
		for (i = 0; i < 10; i++) {
			snprintf(name, sizeof(name), "value-%u", i);
			if (!vitrine_uint_create(vitrine_tree_root(small[nr]), name, i))
				return -ENOSPC;
		}
	}
	return 0;
}

static void delete_trees(void)
{
	unsigned int i;

	for (i = 0; small && i < nr_trees; i++)
		vitrine_tree_destroy(small[i]);
	kvfree(small);
}

/* Edit the tree. While editing is off, check from time to time whether to begin. */
static enum hrtimer_restart edit(struct hrtimer *timer)
{
	s64 late = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(timer)));
	unsigned long period_us = READ_ONCE(edit_us);

	if (late > (s64)READ_ONCE(late_ns))
		WRITE_ONCE(late_ns, late);
	if (period_us)
		vitrine_uint_add(values.number, 1);
	else
		period_us = 1000;
	hrtimer_forward_now(timer, ns_to_ktime(period_us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int make_large(void)
{
	int err = tree_begin("bench", size_kb << 10);

	values.number = vitrine_uint_create(root, "number", 0);
	while (!err && vitrine_uint_create(root, "filling", ~0ULL))
		;
	if (err)
		return err;
	hrtimer_setup(&editor, edit, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&editor, 0, HRTIMER_MODE_REL_HARD);
	return 0;
}

static int __init bench_init(void)
{
	int err;

	err = vitrine_category_register(&vitrine_category_bench);
	if (err)
		return err;
	if (wait)
		return 0;
	if (memory)
		err = make_memory();
	else if (nr_trees)
		err = make_trees();
	else if (size_kb)
		err = make_large();
	else
		err = bench_all();
	if (err) {
		vitrine_tree_destroy(tree);
		delete_trees();
		vitrine_category_unregister(&vitrine_category_bench);
	}
	return err;
}

static void __exit bench_exit(void)
{
	vitrine_category_unregister(&vitrine_category_bench);
	if (size_kb)
		hrtimer_cancel(&editor);
	vitrine_tree_destroy(tree);
	delete_trees();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Measure the cost of publisher functions");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
