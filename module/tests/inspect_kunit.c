// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of inspect.c and publish.c, kernel only: the lock, the generation, every
 * context, a full tree, and concurrent writers against snapshots.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>

#include "check.h"
#include "published.h"

/* Allocations of pages fail unless their gfp flags include these. */
gfp_t vtr_edit_gfp_needed;

#define INSPECT_TEST_WRITERS	4
#define INSPECT_TEST_ROUNDS	2000
#define INSPECT_TEST_SNAPSHOTS	300

static const char long_name[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde";

/* Large enough for every tree of the suite. */
static struct check check;

/* Replace the tree of the suite by a smaller one. */
static void limit_tree(struct kunit *test, size_t limit_bytes)
{
	vitrine_tree_destroy(tree);
	new_tree(test, limit_bytes);
}

/* Start a thread on one of the CPUs. */
static void start_on_cpu(struct kunit *test, unsigned int number, int (*function)(void *ctx),
			 void *ctx)
{
	struct task_struct *task = kthread_create(function, ctx, "vitrine_kunit/%u", number);

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, number % num_online_cpus());
	wake_up_process(task);
}

static int inspect_test_init(struct kunit *test)
{
	new_tree(test, 0);
	check_init(test, &check, tree->area.max_pages);
	return 0;
}

static void check_live(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, *tree->generation & 1, 0);
	KUNIT_ASSERT_EQ(test, tree->area.nr_pages, tree->blocks.heap.nr_pages);
	check_tree(test, &tree->blocks, &check);
}

/* 64 bits of an array: a number, or two references to strings. */
static u64 slot_of(const void *array, unsigned int slot)
{
	return ((const u64 *)array)[2 + slot];
}

/* After each case, the tree that it has left is sound. */
static void inspect_test_exit(struct kunit *test)
{
	if (tree)
		check_live(test);
	published_exit(test);
}

/* All other functions of the interface are inline, and call one of these. */
static void null_is_accepted_everywhere(struct kunit *test)
{
	struct vitrine_health health;

	vitrine_tree_destroy(NULL);
	KUNIT_EXPECT_NULL(test, vitrine_tree_root(NULL));
	vitrine_tree_show_stats(NULL);
	vitrine_batch_end(NULL, vitrine_batch_begin(NULL));
	KUNIT_EXPECT_NULL(test, vitrine_node_create(NULL, "n"));
	vitrine_value_delete(NULL);
	vitrine_node_adopt(NULL, root);
	vitrine_node_adopt(root, NULL);
	KUNIT_EXPECT_NULL(test, vitrine_list_append(NULL));
	vitrine_number_set(NULL, INSPECT_INT_VALUE, 1);
	vitrine_number_add(NULL, INSPECT_INT_VALUE, 1);
	vitrine_buffer_set(NULL, "v", 1);
	vitrine_slot_set(NULL, INSPECT_INT_VALUE, 0, 1);
	vitrine_slot_add(NULL, INSPECT_INT_VALUE, 0, 1);
	vitrine_string_array_set(NULL, 0, "v");
	vitrine_int_histogram_insert(NULL, 1);
	vitrine_uint_histogram_insert(NULL, 1);
	vitrine_double_histogram_set(NULL, 1, vitrine_double_from_int(2));
	vitrine_health_init(NULL, root);
	vitrine_health_init(&health, NULL);
	vitrine_health_ok(NULL);
	vitrine_health_unhealthy(&health, "m");
	vitrine_health_deinit(&health);
	vitrine_health_deinit(NULL);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void null_name_is_counted_and_null_string_is_empty(struct kunit *test)
{
	struct vitrine_string_array *array = vitrine_string_array_create(root, "a", 2);
	struct vitrine_string *string = vitrine_string_create(root, "s", NULL);

	KUNIT_EXPECT_NULL(test, vitrine_node_create(root, NULL));
	KUNIT_EXPECT_NULL(test, vitrine_bytes_create(root, "b", NULL, 1));
	KUNIT_EXPECT_EQ(test, failures(), 2);
	KUNIT_ASSERT_NOT_NULL(test, string);
	KUNIT_EXPECT_EQ(test, (u32)bits_of(string), 0);
	vitrine_string_set(string, "value");
	KUNIT_EXPECT_EQ(test, (u32)bits_of(string), 5);
	vitrine_string_set(string, NULL);
	KUNIT_EXPECT_EQ(test, (u32)bits_of(string), 0);
	KUNIT_ASSERT_NOT_NULL(test, array);
	vitrine_string_array_set(array, 1, "value");
	KUNIT_EXPECT_NE(test, slot_of(array, 0), 0);
	vitrine_string_array_set(array, 1, NULL);
	KUNIT_EXPECT_EQ(test, slot_of(array, 0), 0);
	KUNIT_EXPECT_EQ(test, failures(), 2);
}

static void bad_trees_are_refused(struct kunit *test)
{
	unsigned long before = vtr_inspect_refused();
	struct vitrine_tree *longest;

	KUNIT_EXPECT_NULL(test, vitrine_tree_create(NULL, 0));
	KUNIT_EXPECT_NULL(test, vitrine_tree_create("", 0));
	KUNIT_EXPECT_NULL(test, vitrine_tree_create("a/b", 0));
	KUNIT_EXPECT_NULL(test, vitrine_tree_create("a\nb", 0));
	KUNIT_EXPECT_NULL(test, vitrine_tree_create("huge", (256UL << 20) + 1));
	KUNIT_EXPECT_EQ(test, vtr_inspect_refused(), before + 5);
	KUNIT_ASSERT_EQ(test, strlen(long_name), VITRINE_TREE_NAME_MAX);
	longest = vitrine_tree_create(long_name, 1);
	KUNIT_EXPECT_NOT_NULL(test, longest);
	vitrine_tree_destroy(longest);
}

static void numbers_are_set_added_and_subtracted(struct kunit *test)
{
	struct vitrine_int *i = vitrine_int_create(root, "i", -5);
	struct vitrine_uint *u = vitrine_uint_create(root, "u", 5);
	struct vitrine_double *d = vitrine_double_create(root, "d", vitrine_double_from_int(1));
	struct vitrine_bool *b = vitrine_bool_create(root, "b", false);

	KUNIT_ASSERT_TRUE(test, i && u && d && b);
	vitrine_int_add(i, 7);
	KUNIT_EXPECT_EQ(test, bits_of(i), 2);
	vitrine_int_sub(i, 3);
	KUNIT_EXPECT_EQ(test, (s64)bits_of(i), -1);
	vitrine_int_set(i, S64_MIN);
	vitrine_int_sub(i, 1);
	KUNIT_EXPECT_EQ(test, (s64)bits_of(i), S64_MAX);
	vitrine_uint_sub(u, 6);
	KUNIT_EXPECT_EQ(test, bits_of(u), U64_MAX);
	vitrine_uint_add(u, 3);
	KUNIT_EXPECT_EQ(test, bits_of(u), 2);
	vitrine_uint_set(u, 9);
	KUNIT_EXPECT_EQ(test, bits_of(u), 9);
	KUNIT_EXPECT_EQ(test, bits_of(d), 0x3ff0000000000000ULL);
	vitrine_double_set(d, vitrine_double_from_bits(7));
	KUNIT_EXPECT_EQ(test, bits_of(d), 7);
	vitrine_bool_set(b, true);
	KUNIT_EXPECT_EQ(test, bits_of(b), 1);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void a_batch_is_one_generation(struct kunit *test)
{
	u64 before = *tree->generation;
	struct vitrine_uint *u = vitrine_uint_create(root, "u", 0);
	unsigned long flags, inner;
	struct vitrine_string *s;
	struct vitrine_node *n;

	/* An update, too. */
	KUNIT_EXPECT_EQ(test, *tree->generation, before + 2);
	vitrine_uint_set(u, 1);
	KUNIT_EXPECT_EQ(test, *tree->generation, before + 4);
	vitrine_delete(u);
	KUNIT_EXPECT_EQ(test, *tree->generation, before + 6);
	flags = vitrine_batch_begin(tree);
	n = vitrine_node_create(root, "n");
	inner = vitrine_batch_begin(tree);
	s = vitrine_string_create(n, "s", "first");
	vitrine_batch_end(tree, inner);
	KUNIT_EXPECT_EQ(test, *tree->generation, before + 7);
	KUNIT_EXPECT_TRUE(test, irqs_disabled());
	vitrine_string_set(s, "a value that takes another block");
	vitrine_batch_end(tree, flags);

	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_EQ(test, *tree->generation, before + 8);
	KUNIT_EXPECT_NOT_NULL(test, s);
}

/* Several contexts at once need real NMIs; here the preempt count is faked. */
static void pretend_nmi(struct vitrine_uint *number, u64 value)
{
	lockdep_off();
	__preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
	vitrine_uint_set(number, value);
	vitrine_batch_end(tree, vitrine_batch_begin(tree));
	__preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
	lockdep_on();
}

static void an_nmi_never_waits(struct kunit *test)
{
	struct vitrine_uint *u = vitrine_uint_create(root, "u", 0);
	unsigned long flags = vitrine_batch_begin(tree);

	pretend_nmi(u, 1);
	vitrine_batch_end(tree, flags);
	KUNIT_EXPECT_EQ(test, bits_of(u), 0);
	KUNIT_EXPECT_EQ(test, failures(), 1);

	local_irq_save(flags);
	pretend_nmi(u, 2);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, bits_of(u), 2);
	KUNIT_EXPECT_EQ(test, failures(), 1);
}

static void a_full_tree_refuses_and_counts(struct kunit *test)
{
	struct vitrine_string *s;
	struct vitrine_uint *u, *last = NULL;
	unsigned long nr = 0;
	u64 generation;

	limit_tree(test, 1);
	s = vitrine_string_create(root, "s", "old");
	while ((u = vitrine_uint_create(root, "u", nr))) {
		last = u;
		nr++;
	}
	KUNIT_EXPECT_EQ(test, failures(), 1);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_values, nr + 1);
	KUNIT_EXPECT_EQ(test, tree->area.max_pages, 1);
	KUNIT_EXPECT_EQ(test, tree->blocks.heap.nr_pages, 1);
	KUNIT_EXPECT_EQ(test, tree->blocks.heap.used_bytes, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, nr, PAGE_SIZE / 16 - 6);

	generation = *tree->generation;
	vitrine_string_set(s, "a value that takes another block");
	KUNIT_EXPECT_EQ(test, failures(), 2);
	KUNIT_EXPECT_EQ(test, *tree->generation & 1, 0);
	KUNIT_EXPECT_GE(test, *tree->generation, generation);
	KUNIT_EXPECT_EQ(test, (u32)bits_of(s), 3);
	vitrine_uint_add(last, 1);
	KUNIT_EXPECT_EQ(test, bits_of(last), nr);
	vitrine_delete(last);
	KUNIT_EXPECT_NOT_NULL(test, vitrine_uint_create(root, "u", 1));
}

static void too_long_text_is_refused_and_counted(struct kunit *test)
{
	char *text = zalloc(test, VITRINE_VALUE_MAX + 2);
	struct vitrine_string *s;

	memset(text, 'x', VITRINE_VALUE_MAX + 1);
	KUNIT_EXPECT_NULL(test, vitrine_node_create(root, text));
	KUNIT_EXPECT_NULL(test, vitrine_string_create(root, "s", text));
	KUNIT_EXPECT_NULL(test, vitrine_bytes_create(root, "b", text, SIZE_MAX));
	KUNIT_EXPECT_EQ(test, failures(), 3);
	text[VITRINE_VALUE_MAX] = 0;
	s = vitrine_string_create(root, "s", text);
	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_EXPECT_EQ(test, (u32)bits_of(s), VITRINE_VALUE_MAX);
	text[VITRINE_VALUE_MAX] = 'x';
	vitrine_string_set(s, text);
	KUNIT_EXPECT_EQ(test, failures(), 4);
	KUNIT_EXPECT_EQ(test, (u32)bits_of(s), VITRINE_VALUE_MAX);
}

/* Creates and deletes values in a context that must not sleep. */
static unsigned int nr_made;

static void make_and_delete(struct irq_work *unused)
{
	struct vitrine_node *n;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		n = vitrine_node_create(root, "from an interrupt");
		vitrine_bytes_create(n, "b", long_name, sizeof(long_name));
		nr_made += !!n;
		if (i & 1)
			vitrine_delete(n);
	}
}

static void expect_refilled(struct kunit *test)
{
	irq_work_sync(&tree->late);
	KUNIT_EXPECT_GE(test, vtr_edit_reserve(tree), VTR_EDIT_RESERVE_PAGES);
}

/* In this context nothing is allocated: only the reserve is available, which is refilled. */
static void interrupts_may_do_it_all(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(make_and_delete);
	unsigned long flags;

	nr_made = 0;
	irq_work_queue(&work);
	irq_work_sync(&work);
	expect_refilled(test);
	local_irq_save(flags);
	make_and_delete(NULL);
	local_irq_restore(flags);
	expect_refilled(test);
	KUNIT_EXPECT_GE(test, nr_made, 2);
	KUNIT_EXPECT_GE(test, failures(), 128 - nr_made);
}

/* The free half of the first page, and later a page. */
static void a_creation_leaves_some_of_the_reserve(struct kunit *test)
{
	while (tree->blocks.heap.nr_pages < 6) {
		KUNIT_ASSERT_NOT_NULL(test, vitrine_node_create(root, "n"));
		if (tree->blocks.heap.used_bytes >= PAGE_SIZE / 2)
			KUNIT_ASSERT_GE(test, vtr_edit_reserve(tree), 1);
	}
}

/* Of the first page, more than half is left, and names are shared in the larger table, too. */
static void a_small_tree_has_one_page(struct kunit *test)
{
	struct vitrine_node *first[10], *second;
	char name[8];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		snprintf(name, sizeof(name), "%u", i);
		first[i] = vitrine_node_create(root, name);
	}
	KUNIT_EXPECT_EQ(test, tree->blocks.heap.nr_ready, 1);
	KUNIT_EXPECT_EQ(test, tree->area.nr_slots, 1);
	KUNIT_EXPECT_EQ(test, tree->blocks.names_mask, 63);
	KUNIT_ASSERT_TRUE(test, vitrine_tree_reserve(root, 2 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, tree->area.nr_slots, tree->area.max_pages);
	KUNIT_EXPECT_EQ(test, tree->blocks.names_mask, 1023);
	for (i = 0; i < ARRAY_SIZE(first); i++) {
		snprintf(name, sizeof(name), "%u", i);
		second = vitrine_node_create(root, name);
		KUNIT_ASSERT_NOT_NULL(test, second);
		KUNIT_EXPECT_EQ(test, vtr_block_get((u64 *)first[i], 0, VALUE_NAME),
				vtr_block_get((u64 *)second, 0, VALUE_NAME));
		vitrine_delete(first[i]);
	}
}

static void a_batch_can_use_the_reserve(struct kunit *test)
{
	unsigned int nr_pages, nr_ready;
	unsigned long flags;

	while (tree->blocks.heap.used_bytes < PAGE_SIZE / 2)
		vitrine_uint_create(root, "u", 0);
	flags = vitrine_batch_begin(tree);
	nr_pages = tree->blocks.heap.nr_pages;
	nr_ready = tree->blocks.heap.nr_ready;
	while (vitrine_uint_create(root, "u", 0))
		;
	vitrine_batch_end(tree, flags);
	KUNIT_EXPECT_GE(test, nr_ready, nr_pages + 2);
	KUNIT_EXPECT_EQ(test, tree->blocks.heap.nr_pages, nr_ready);
	KUNIT_EXPECT_EQ(test, failures(), 1);
	check_live(test);
	KUNIT_EXPECT_NOT_NULL(test, vitrine_uint_create(root, "u", 0));
}

static void a_reference_outlives_the_publisher(struct kunit *test)
{
	struct vitrine_tree *held = vtr_inspect_get(tree);
	void *copied;
	size_t len;

	vitrine_uint_create(root, "last", 0x123456789abcdef);
	published_exit(test);
	KUNIT_EXPECT_EQ(test, vtr_inspect_snapshot(held, &copied, &len), 0);
	KUNIT_EXPECT_EQ(test, len, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, memcmp(copied, held->area.pages[0], PAGE_SIZE), 0);
	kvfree(copied);
	vtr_inspect_put(held);
}

static unsigned int nr_refreshes;

static void count_refresh(struct vtr_inspect_refresher *refresher)
{
	nr_refreshes++;
}

static void a_snapshot_refreshes_first(struct kunit *test)
{
	struct vtr_inspect_refresher first = { .refresh = count_refresh };
	struct vtr_inspect_refresher second = { .refresh = count_refresh };
	struct vitrine_tree *held = vtr_inspect_get(tree);
	void *copied;
	size_t len;

	nr_refreshes = 0;
	vtr_inspect_add_refresher(held, &first);
	vtr_inspect_add_refresher(held, &second);
	KUNIT_EXPECT_EQ(test, vtr_inspect_snapshot(held, &copied, &len), 0);
	kvfree(copied);
	KUNIT_EXPECT_EQ(test, nr_refreshes, 2);
	vtr_inspect_remove_refresher(held, &first);
	vtr_inspect_refresh(held);
	KUNIT_EXPECT_EQ(test, nr_refreshes, 3);
	published_exit(test);
	vtr_inspect_refresh(held);
	KUNIT_EXPECT_EQ(test, nr_refreshes, 3);
	vtr_inspect_put(held);
}

static struct dentry *no_publish(struct vtr_inspect_entry *entry)
{
	return ERR_PTR(-ENODEV);
}

static void count_entry(struct vtr_inspect_entry *entry, void *ctx)
{
	*(unsigned int *)ctx += !entry->is_retained;
}

static void count_file(struct vtr_inspect_entry *entry, void *ctx)
{
	*(unsigned int *)ctx += !entry->is_retained && entry->file == ERR_PTR(-ENODEV);
}

/* Count the trees and lazy trees for which @count counts. */
static unsigned int nr_of(void (*count)(struct vtr_inspect_entry *entry, void *ctx))
{
	unsigned int nr = 0;

	vtr_inspect_visit(count, &nr);
	return nr;
}

static void every_tree_has_its_file(struct kunit *test)
{
	struct dentry *(*real)(struct vtr_inspect_entry *entry) = publish;
	unsigned int nr_trees = nr_of(count_entry);
	struct vitrine_tree *other;

	KUNIT_EXPECT_GT(test, nr_trees, 0);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), 0);
	vtr_inspect_set_publish(no_publish);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), nr_trees);
	other = vitrine_tree_create("kunit2", 0);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), nr_trees + 1);
	vitrine_tree_destroy(other);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), nr_trees);
	vtr_inspect_set_publish(real);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), 0);
}

static void name_passes_on_to_the_next_tree(struct kunit *test)
{
	struct dentry *(*real)(struct vtr_inspect_entry *entry) = publish;
	unsigned long before = vtr_inspect_refused();
	struct vitrine_tree *first, *second;
	unsigned int nr_files;

	vtr_inspect_set_publish(no_publish);
	nr_files = nr_of(count_file);
	first = vitrine_tree_create("kunit2", 0);
	second = vitrine_tree_create("kunit2", 0);
	KUNIT_ASSERT_NOT_NULL(test, second);
	KUNIT_EXPECT_EQ(test, vtr_inspect_refused(), before + 1);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), nr_files + 1);
	KUNIT_EXPECT_NULL(test, second->entry.file);
	vtr_inspect_set_publish(no_publish);
	KUNIT_EXPECT_NULL(test, second->entry.file);
	vitrine_tree_destroy(first);
	KUNIT_EXPECT_NOT_NULL(test, second->entry.file);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), nr_files + 1);
	vitrine_tree_destroy(second);
	KUNIT_EXPECT_EQ(test, nr_of(count_file), nr_files);
	vtr_inspect_set_publish(real);
}

/*
 * Writers on several CPUs: each batch moves an amount from one number to another, and
 * writes a string of equal characters; between batches a node is created and deleted. A
 * torn copy shows as a wrong sum or string: the two numbers are in different pages, so
 * that a copy reads them at different times.
 */
#define INSPECT_TEST_DISTANCE	(48 << 10)

struct writers {
	struct vitrine_uint	*taken;
	struct vitrine_uint	*given;
	struct vitrine_string	*text;
	atomic_t		nr_running;
};

static void write_once(struct writers *w, unsigned int i)
{
	char text[64] = { 0 };
	unsigned long flags;
	struct vitrine_bytes *b;
	struct vitrine_node *n;

	memset(text, 'a' + i % 26, 1 + i % 60);
	flags = vitrine_batch_begin(tree);
	vitrine_uint_sub(w->taken, i);
	vitrine_uint_add(w->given, i);
	vitrine_string_set(w->text, text);
	vitrine_batch_end(tree, flags);

	n = vitrine_node_create(root, text);
	b = vitrine_bytes_create(n, "b", text, sizeof(text));
	vitrine_uint_add(w->given, 1);
	vitrine_uint_sub(w->given, 1);
	vitrine_delete(n);
	vitrine_delete(b);
}

static int writer(void *ctx)
{
	struct writers *w = ctx;
	unsigned int i;

	for (i = 1; i <= INSPECT_TEST_ROUNDS; i++) {
		write_once(w, i);
		cond_resched();
	}
	atomic_dec(&w->nr_running);
	return 0;
}

static const u64 *in_copy(const void *copied, const void *handle)
{
	return copied + (size_t)vtr_edit_index(handle) * 16;
}

/* Between batches, and only there, @given may be greater by one. */
static void expect_whole(struct kunit *test, const struct writers *w,
			 const void *copied, size_t len)
{
	const u64 *taken = in_copy(copied, w->taken);
	const u64 *given = in_copy(copied, w->given);
	const u64 *text = in_copy(copied, w->text);
	const char *bytes = copied + check_extent(text) * 16 + 8;

	KUNIT_EXPECT_EQ(test, ((const u64 *)copied)[1] & 1, 0);
	KUNIT_EXPECT_EQ(test, ((const u64 *)copied)[2], len);
	KUNIT_EXPECT_LE(test, taken[1] + given[1], INSPECT_TEST_WRITERS);
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes, bytes[0], (u32)text[1]));
}

static void concurrent_writers_never_show_half(struct kunit *test)
{
	struct writers *w = zalloc(test, sizeof(*w));
	void *filler = zalloc(test, INSPECT_TEST_DISTANCE);
	unsigned int i, nr = 0, nr_bools = 1;
	u64 total = (u64)INSPECT_TEST_ROUNDS * (INSPECT_TEST_ROUNDS + 1) / 2 *
		    INSPECT_TEST_WRITERS;
	void *copied;
	size_t len;

	w->taken = vitrine_uint_create(root, "taken", 0);
	/* Small blocks are allocated from the first page until it is full. */
	vitrine_bytes_create(root, "distance", filler, INSPECT_TEST_DISTANCE);
	while (vtr_edit_index(vitrine_bool_create(root, "b", false)) <
	       INSPECT_TEST_DISTANCE / INSPECT_MIN_BLOCK_BYTES)
		nr_bools++;
	w->given = vitrine_uint_create(root, "given", 0);
	w->text = vitrine_string_create(root, "text", "a");
	KUNIT_ASSERT_NOT_NULL(test, w->text);
	atomic_set(&w->nr_running, INSPECT_TEST_WRITERS);
	for (i = 0; i < INSPECT_TEST_WRITERS; i++)
		start_on_cpu(test, i, writer, w);
	while (nr < INSPECT_TEST_SNAPSHOTS || atomic_read(&w->nr_running)) {
		if (vtr_inspect_snapshot(tree, &copied, &len)) {
			KUNIT_FAIL(test, "no memory\n");
			msleep(20);
			continue;
		}
		expect_whole(test, w, copied, len);
		kvfree(copied);
		nr++;
		cond_resched();
	}
	kunit_info(test, "%u snapshots, generation %llu\n", nr, *tree->generation);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_values, nr_bools + 4);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, bits_of(w->given), total);
	KUNIT_EXPECT_EQ(test, bits_of(w->taken), -total);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

/* Arrays and histograms */

static void slots_are_set_added_and_subtracted(struct kunit *test)
{
	struct vitrine_int_array *i = vitrine_int_array_create(root, "i", 2);
	struct vitrine_uint_array *u = vitrine_uint_array_create(root, "u", 254);
	struct vitrine_double_array *d = vitrine_double_array_create(root, "d", 1);

	KUNIT_ASSERT_TRUE(test, i && u && d);
	vitrine_int_array_add(i, 0, -7);
	vitrine_int_array_sub(i, 0, S64_MIN);
	KUNIT_EXPECT_EQ(test, (s64)slot_of(i, 0), S64_MAX - 6);
	vitrine_int_array_set(i, 1, -5);
	KUNIT_EXPECT_EQ(test, (s64)slot_of(i, 1), -5);
	vitrine_uint_array_set(u, 253, 5);
	vitrine_uint_array_sub(u, 253, 6);
	KUNIT_EXPECT_EQ(test, slot_of(u, 253), U64_MAX);
	vitrine_uint_array_add(u, 253, 3);
	KUNIT_EXPECT_EQ(test, slot_of(u, 253), 2);
	KUNIT_EXPECT_EQ(test, slot_of(u, 252), 0);
	vitrine_double_array_set(d, 0, vitrine_double_from_int(1));
	KUNIT_EXPECT_EQ(test, slot_of(d, 0), 0x3ff0000000000000ULL);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void slots_that_are_not_there_are_counted(struct kunit *test)
{
	struct vitrine_uint_array *u = vitrine_uint_array_create(root, "u", 3);
	struct vitrine_string_array *s = vitrine_string_array_create(root, "s", 1);
	u64 generation;

	KUNIT_ASSERT_TRUE(test, u && s);
	generation = *tree->generation;
	vitrine_uint_array_set(u, 3, 1);
	vitrine_uint_array_add(u, UINT_MAX, 1);
	KUNIT_EXPECT_EQ(test, failures(), 2);
	KUNIT_EXPECT_EQ(test, *tree->generation, generation);
	vitrine_string_array_set(s, 1, "x");
	KUNIT_EXPECT_EQ(test, failures(), 3);
	KUNIT_EXPECT_NULL(test, vitrine_int_array_create(root, "i", 255));
	KUNIT_EXPECT_NULL(test, vitrine_string_array_create(root, "s", 256));
	KUNIT_EXPECT_NULL(test, vitrine_double_array_create(root, NULL, 1));
	KUNIT_EXPECT_EQ(test, failures(), 6);
}

static void histograms_count_what_is_inserted(struct kunit *test)
{
	struct vitrine_f64 zero = vitrine_double_from_int(0), one = vitrine_double_from_int(1),
			   two = vitrine_double_from_int(2);
	struct vitrine_int_histogram *i =
		vitrine_int_histogram_create(root, "i", -10, 5, VITRINE_LINEAR, 3);
	struct vitrine_uint_histogram *u = vitrine_uint_histogram_create(root, "u", 0, 1, 2, 64);
	struct vitrine_double_histogram *d =
		vitrine_double_histogram_create(root, "d", zero, one, two, 3);

	KUNIT_ASSERT_TRUE(test, i && u && d);
	vitrine_int_histogram_insert(i, -11);
	vitrine_int_histogram_insert(i, -1);
	vitrine_int_histogram_insert_many(i, 5, 7);
	KUNIT_EXPECT_EQ(test, slot_of(i, 2), 1);
	KUNIT_EXPECT_EQ(test, slot_of(i, 4), 1);
	KUNIT_EXPECT_EQ(test, slot_of(i, 6), 7);
	vitrine_uint_histogram_insert_many(u, 1ULL << 40, 3);
	vitrine_uint_histogram_insert(u, 1ULL << 40);
	KUNIT_EXPECT_EQ(test, slot_of(u, 45), 4);
	vitrine_double_histogram_set(d, 0, one);
	vitrine_double_histogram_set(d, 4, two);
	vitrine_double_histogram_set(d, 5, two);
	KUNIT_EXPECT_EQ(test, slot_of(d, 3), one.bits);
	KUNIT_EXPECT_EQ(test, slot_of(d, 7), two.bits);
	KUNIT_EXPECT_EQ(test, failures(), 1);

	KUNIT_EXPECT_NULL(test, vitrine_uint_histogram_create(root, "u", 0, 0, VITRINE_LINEAR, 1));
	KUNIT_EXPECT_NULL(test,
			  vitrine_uint_histogram_create(root, "u", 0, 1, VITRINE_LINEAR, 251));
	KUNIT_EXPECT_NULL(test, vitrine_uint_histogram_create(root, NULL, 0, 1, VITRINE_LINEAR, 1));
	KUNIT_EXPECT_EQ(test, failures(), 4);
}

/* Nodes, records, links, lists, health and statistics */

#define NODES_TEST_RECORDS	100	/* more than one slice */

static u32 nr_values(void)
{
	return tree->blocks.nr_values + tree->blocks.nr_tombstones;
}

static void record_many(struct vitrine_node *node)
{
	struct vitrine_node *below = vitrine_record_node(node, "below");
	unsigned int i;

	for (i = 0; i < NODES_TEST_RECORDS; i++) {
		vitrine_record_uint(below, "u", i);
		vitrine_record_string(node, "s", "a text");
	}
}

static void a_node_takes_along_what_it_owns(struct kunit *test)
{
	struct vitrine_node *node = vitrine_node_create(root, "n");
	struct vitrine_uint *held;
	unsigned long flags;

	record_many(node);
	held = vitrine_uint_create(node, "held", 1);
	KUNIT_EXPECT_EQ(test, nr_values(), 3 + 2 * NODES_TEST_RECORDS);
	check_live(test);
	vitrine_delete(node);
	KUNIT_EXPECT_EQ(test, nr_values(), 2);
	check_live(test);
	vitrine_delete(held);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);

	/* in a batch the deletion is one edit, and blocks come from the reserve */
	flags = vitrine_batch_begin(tree);
	node = vitrine_node_create(root, "n");
	record_many(node);
	vitrine_batch_end(tree, flags);
	KUNIT_EXPECT_EQ(test, nr_values(), 2 + 2 * NODES_TEST_RECORDS);
	flags = vitrine_batch_begin(tree);
	vitrine_delete(node);
	vitrine_batch_end(tree, flags);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void moves_that_cannot_be_are_counted(struct kunit *test)
{
	struct vitrine_node *a = vitrine_node_create(root, "a");
	struct vitrine_node *b = vitrine_node_create(a, "b");

	vitrine_node_adopt(b, a);
	KUNIT_EXPECT_EQ(test, failures(), 1);
	vitrine_node_adopt(b, b);
	KUNIT_EXPECT_EQ(test, failures(), 2);
	vitrine_node_adopt(root, b);
	KUNIT_EXPECT_EQ(test, failures(), 2);
}

static void links_to_no_name_are_counted(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, vitrine_link_create(root, "l", "", INSPECT_LINK_CHILD));
	KUNIT_EXPECT_NULL(test, vitrine_link_create(root, "l", "a/b", INSPECT_LINK_CHILD));
	KUNIT_EXPECT_NULL(test, vitrine_link_create(root, "l", NULL, INSPECT_LINK_CHILD));
	KUNIT_EXPECT_EQ(test, failures(), 3);
	KUNIT_EXPECT_TRUE(test, vitrine_link_create(root, "l", long_name, INSPECT_LINK_INLINE));
}

static void a_list_keeps_its_last(struct kunit *test)
{
	struct vitrine_list *list = vitrine_list_create(root, "l", 2);
	unsigned int i;

	KUNIT_EXPECT_NULL(test, vitrine_list_create(root, "l", 0));
	KUNIT_EXPECT_EQ(test, failures(), 1);
	for (i = 0; i < 5; i++) {
		record_many(vitrine_list_append(list));
		check_live(test);
	}
	KUNIT_EXPECT_EQ(test, bits_of(list), 2ULL);
	KUNIT_EXPECT_EQ(test, nr_values(), 1 + 2 * (2 + 2 * NODES_TEST_RECORDS));
	vitrine_delete(list);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, failures(), 1);
}

static void a_list_records_whole_nodes(struct kunit *test)
{
	struct vitrine_list *list = vitrine_list_create(root, "l", 3);
	u64 generation = *tree->generation;
	unsigned int i;

	for (i = 1; i <= 5; i++) {
		vitrine_list_record(list, VITRINE_RECORD_INT("int", -1),
				    VITRINE_RECORD_UINT("uint", 2U),
				    VITRINE_RECORD_DOUBLE("double", vitrine_double_from_int(3)),
				    VITRINE_RECORD_BOOL("bool", 4),
				    VITRINE_RECORD_STRING("string", "five"),
				    VITRINE_RECORD_BYTES("bytes", "six", 3));
		KUNIT_EXPECT_EQ(test, *tree->generation, generation + 2 * i);
		KUNIT_EXPECT_EQ(test, bits_of(list), min(i, 3U));
		KUNIT_EXPECT_EQ(test, nr_values(), 1 + 7 * min(i, 3U));
		check_live(test);
	}
	KUNIT_EXPECT_EQ(test, failures(), 0);
	vitrine_delete(list);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
}

/* A value that does not fit is missing. The node is there once, with the others. */
static void a_list_records_what_fits(struct kunit *test)
{
	struct vitrine_list *list = vitrine_list_create(root, "l", 3);
	static char large[VITRINE_VALUE_MAX];

	vitrine_list_record(list, VITRINE_RECORD_BYTES("large", large, sizeof(large)),
			    VITRINE_RECORD_INT(NULL, 1), VITRINE_RECORD_INT("int", 2));
	KUNIT_EXPECT_EQ(test, bits_of(list), 1);
	KUNIT_EXPECT_EQ(test, nr_values(), 3);
	KUNIT_EXPECT_EQ(test, failures(), 1);
	vitrine_list_record(list);
	vitrine_list_record((struct vitrine_list *)NULL, VITRINE_RECORD_INT("int", 2));
	KUNIT_EXPECT_EQ(test, nr_values(), 4);
	vitrine_delete(list);
}

/* The text of a string that fits in one extent. */
static const char *text_of(const void *handle)
{
	return (const char *)(vtr_tree_block(&tree->blocks, check_extent(handle)) + 1);
}

static void health_has_a_status_and_maybe_a_message(struct kunit *test)
{
	struct vitrine_health health;
	u64 generation;

	vitrine_health_init(&health, root);
	KUNIT_ASSERT_NOT_NULL(test, health.status);
	KUNIT_EXPECT_EQ(test, bits_of(health.node), 2ULL);
	KUNIT_EXPECT_STREQ(test, text_of(health.status), "STARTING_UP");
	generation = *tree->generation;
	vitrine_health_unhealthy(&health, "on fire");
	KUNIT_EXPECT_EQ(test, *tree->generation, generation + 2);
	KUNIT_EXPECT_STREQ(test, text_of(health.status), "UNHEALTHY");
	KUNIT_EXPECT_STREQ(test, text_of(health.message), "on fire");
	vitrine_health_starting_up(&health, "again");
	KUNIT_EXPECT_STREQ(test, text_of(health.message), "again");
	vitrine_health_ok(&health);
	KUNIT_EXPECT_STREQ(test, text_of(health.status), "OK");
	KUNIT_EXPECT_NULL(test, health.message);
	KUNIT_EXPECT_EQ(test, bits_of(health.node), 2ULL);
	check_live(test);
	vitrine_health_deinit(&health);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void figures_are_right_when_read(struct kunit *test)
{
	u64 wanted[] = { 0, 256 << 10, 0, 7, 1 };
	unsigned int i;

	vitrine_tree_show_stats(tree);
	vitrine_tree_show_stats(tree);
	KUNIT_EXPECT_EQ(test, nr_values(), 6);
	vitrine_uint_create(root, NULL, 1);
	vitrine_bytes_create(root, "b", long_name, 60);
	vtr_inspect_refresh(tree);
	wanted[0] = tree->blocks.heap.nr_pages * PAGE_SIZE;
	wanted[2] = tree->blocks.heap.used_bytes;
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		KUNIT_EXPECT_EQ_MSG(test, bits_of(tree->figures[i]), wanted[i], "figure %u", i);
}

static void a_tree_goes_with_its_device(struct kunit *test)
{
	struct device *dev = root_device_register("vitrine-kunit");
	struct vitrine_tree *managed;

	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	managed = devm_vitrine_tree_create(dev, "devm", 0);
	KUNIT_EXPECT_NOT_NULL(test, managed);
	KUNIT_EXPECT_PTR_EQ(test, find(false, "devm"), &managed->entry);
	root_device_unregister(dev);
	KUNIT_EXPECT_NULL(test, find(false, "devm"));
}

/*
 * Random walks: one thread with a fixed and with a random seed, and one thread on each of four
 * CPUs in the same tree. Each thread compares the value that it has just changed, and
 * periodically all of its values; while all threads are stopped the whole tree is checked
 * against the format.
 */
#define WALK_CALLS		1000000U
#define WALK_CHECKS		400U	/* of the whole tree */
#define WALK_THREADS		4
#define WALK_LIMIT_BYTES	(12U << 10) /* small enough to be full at times */

static u32 walk_index(const void *handle)
{
	return vtr_edit_index(handle);
}

static const struct vtr_tree *walk_tree(void)
{
	return &tree->blocks;
}

#include "tree_walk.h"

/* A thread that makes calls. */
struct walker {
	struct walk_thread	*wt;
	u32			nr_calls;
	struct completion	done;
};

/* Make calls, occasionally several of them in one batch. */
static int walk_some(void *ctx)
{
	struct walker *walker = ctx;
	struct walk_thread *wt = walker->wt;
	u32 calls, batch;
	unsigned long flags;

	for (calls = 0; calls < walker->nr_calls; calls++) {
		if (!walk_below(wt, 50)) {
			flags = vitrine_batch_begin(tree);
			for (batch = walk_below(wt, 10); batch; batch--)
				walk_call(wt);
			vitrine_batch_end(tree, flags);
		}
		walk_call(wt);
		if (!(calls % 64))
			cond_resched();
	}
	walk_compare_all(wt);
	complete(&walker->done);
	return 0;
}

static void inspect_walk(struct kunit *test, u64 seed, unsigned int nr_threads)
{
	struct walker walkers[WALK_THREADS];
	unsigned int i, round;

	limit_tree(test, WALK_LIMIT_BYTES * nr_threads);
	for (i = 0; i < nr_threads; i++) {
		walkers[i].wt = walk_thread_create(test, seed + i);
		walkers[i].nr_calls = WALK_CALLS / WALK_CHECKS / nr_threads;
		init_completion(&walkers[i].done);
	}
	for (round = 0; round < WALK_CHECKS; round++) {
		for (i = 0; i < nr_threads; i++)
			start_on_cpu(test, i, walk_some, &walkers[i]);
		for (i = 0; i < nr_threads; i++)
			wait_for_completion(&walkers[i].done);
		for (i = 0; i < nr_threads; i++)
			walk_check(test, walkers[i].wt);
		check_live(test);
	}
	for (i = 0; i < nr_threads; i++) {
		KUNIT_EXPECT_GT(test, walkers[i].wt->nr_cycles, 0);
		walk_end(test, walkers[i].wt);
	}
	check_live(test);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, tree->blocks.heap.used_bytes, 32);
}

static void walk_with_a_fixed_seed_a_million_calls(struct kunit *test)
{
	inspect_walk(test, 1, 1);
}

static void walk_with_a_fresh_seed_a_million_calls(struct kunit *test)
{
	inspect_walk(test, random_seed(test), 1);
}

static void walk_on_four_cpus_a_million_calls(struct kunit *test)
{
	kunit_info(test, "%u CPUs\n", num_online_cpus());
	inspect_walk(test, random_seed(test), WALK_THREADS);
}

/* A copy that is disturbed at every possible point. */
static struct copying {
	struct walk_thread		*wt;		/* makes the calls that disturb it */
	u8				*before;	/* the tree when the copy began */
	u32				nr_pages;	/* length of @before */
	struct vitrine_percpu_uint	*percpu;	/* a value that is refreshed */
} *copying;

/* Called after a copy has begun, and after each of its pages. */
static void copy_observe(struct vitrine_tree *copied)
{
	unsigned long flags;
	u32 i;

	if (!copying || copied != tree)
		return;
	if (!copying->nr_pages) {
		copying->nr_pages = tree->blocks.heap.nr_pages;
		for (i = 0; i < copying->nr_pages; i++)
			copy_page_to(copying->before, tree, i);
	}
	for (i = 0; i < 5; i++)
		walk_call(copying->wt);
	flags = vitrine_batch_begin(tree);
	walk_call(copying->wt);
	walk_call(copying->wt);
	vitrine_batch_end(tree, flags);
	vitrine_percpu_uint_add(copying->percpu, 1);
	vtr_inspect_refresh(tree);
}

static void a_copy_is_of_the_moment_it_began(struct kunit *test)
{
	u32 max, round, nr;
	struct copying here;
	u8 *bytes;

	limit_tree(test, WALK_LIMIT_BYTES);
	max = tree->area.max_pages;
	here = (struct copying){
		.wt = walk_thread_create(test, 1),
		.before = kunit_kmalloc(test, max * PAGE_SIZE, GFP_KERNEL),
		.percpu = vitrine_percpu_uint_create(root, "percpu"),
	};
	bytes = kunit_kmalloc(test, max * PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, here.before && bytes && here.percpu);
	for (round = 0; round < 500; round++) {
		here.nr_pages = 0;
		copying = &here;
		nr = tree->blocks.heap.nr_pages;
		if (nr > 1)
			KUNIT_EXPECT_EQ(test, copy_saved(tree, bytes, nr - 1), -EAGAIN);
		KUNIT_EXPECT_EQ(test, copy_saved(tree, bytes, nr), 0);
		copying = NULL;
		KUNIT_EXPECT_EQ(test, nr, here.nr_pages);
		KUNIT_ASSERT_EQ(test, memcmp(bytes, here.before, nr * PAGE_SIZE), 0);
		KUNIT_EXPECT_NULL(test, tree->blocks.heap.copy);
	}
	vitrine_percpu_delete(here.percpu);
	walk_check(test, here.wt);
}

static struct kunit_case inspect_cases[] = {
	KUNIT_CASE(null_is_accepted_everywhere),
	KUNIT_CASE(null_name_is_counted_and_null_string_is_empty),
	KUNIT_CASE(bad_trees_are_refused),
	KUNIT_CASE(numbers_are_set_added_and_subtracted),
	KUNIT_CASE(slots_are_set_added_and_subtracted),
	KUNIT_CASE(slots_that_are_not_there_are_counted),
	KUNIT_CASE(histograms_count_what_is_inserted),
	KUNIT_CASE(a_node_takes_along_what_it_owns),
	KUNIT_CASE(moves_that_cannot_be_are_counted),
	KUNIT_CASE(links_to_no_name_are_counted),
	KUNIT_CASE(a_list_keeps_its_last),
	KUNIT_CASE(a_list_records_whole_nodes),
	KUNIT_CASE(a_list_records_what_fits),
	KUNIT_CASE(health_has_a_status_and_maybe_a_message),
	KUNIT_CASE(figures_are_right_when_read),
	KUNIT_CASE(a_tree_goes_with_its_device),
	KUNIT_CASE(a_batch_is_one_generation),
	KUNIT_CASE(an_nmi_never_waits),
	KUNIT_CASE(a_full_tree_refuses_and_counts),
	KUNIT_CASE(too_long_text_is_refused_and_counted),
	KUNIT_CASE(interrupts_may_do_it_all),
	KUNIT_CASE(a_creation_leaves_some_of_the_reserve),
	KUNIT_CASE(a_small_tree_has_one_page),
	KUNIT_CASE(a_batch_can_use_the_reserve),
	KUNIT_CASE(a_reference_outlives_the_publisher),
	KUNIT_CASE(a_snapshot_refreshes_first),
	KUNIT_CASE(every_tree_has_its_file),
	KUNIT_CASE(name_passes_on_to_the_next_tree),
	KUNIT_CASE(concurrent_writers_never_show_half),
	KUNIT_CASE(a_copy_is_of_the_moment_it_began),
	KUNIT_CASE_SLOW(walk_with_a_fixed_seed_a_million_calls),
	KUNIT_CASE_SLOW(walk_with_a_fresh_seed_a_million_calls),
	KUNIT_CASE_SLOW(walk_on_four_cpus_a_million_calls),
	{}
};

VTR_KUNIT_SUITE(inspect, .init = inspect_test_init, .exit = inspect_test_exit);
