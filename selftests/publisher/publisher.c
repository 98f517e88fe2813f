// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that shows its state, for authors to read and for tests to load.
 *
 * It plays a network card with a few queues. Everything vitrine needs of a
 * driver is in this file: one tree, a handle where a value changes, no error
 * handling. What the card does, so that the values change, is chosen by mode=:
 *
 *   idle    nothing: the tree stays as it was made
 *   fast    a thread updates without a pause
 *   batch   the same, each update one step: in every snapshot all queues have
 *           the same number of packets, and their balances add up to 0
 *   churn   a thread makes and deletes nodes without a pause
 *   timer   a timer, that is, an interrupt, makes, updates and deletes
 *
 * Concurrency: a thread or the timer is the only one to touch the card once it
 * runs, and has ended before the tree is destroyed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#define NR_QUEUES	4
#define TIMER_PERIOD_NS	(1 * NSEC_PER_MSEC)

static char *mode = "idle";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "what changes: idle, fast, batch, churn or timer");

static char *name = "publisher";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "name of the tree");

static unsigned long limit;
module_param(limit, ulong, 0444);
MODULE_PARM_DESC(limit, "most bytes of the tree, 0 for vitrine's default");

static unsigned int nodes;
module_param(nodes, uint, 0444);
MODULE_PARM_DESC(nodes, "further nodes to make, each with one value");

/* A queue's handles stand beside its state, as a driver would have them. */
struct queue {
	struct vitrine_node	*node;
	struct vitrine_uint	*packets;
	struct vitrine_int	*balance;
	struct vitrine_double	*load;
	struct vitrine_bool	*busy;
	u64			nr_packets;
};

struct card {
	struct vitrine_tree	*tree;
	struct vitrine_string	*state;
	struct queue		queues[NR_QUEUES];
	u64			nr_sessions;
	struct task_struct	*task;
	struct hrtimer		timer;
};

static struct card the_card;

static void queue_publish(struct queue *queue, struct vitrine_node *parent,
			  unsigned int nr)
{
	char title[16];

	snprintf(title, sizeof(title), "queue%u", nr);
	queue->node = vitrine_node_create(parent, title);
	queue->packets = vitrine_uint_create(queue->node, "packets", 0);
	queue->balance = vitrine_int_create(queue->node, "balance", 0);
	queue->load = vitrine_double_create(queue->node, "load", 0);
	queue->busy = vitrine_bool_create(queue->node, "busy", false);
}

static void card_publish(struct card *card)
{
	static const u8 mac[] = { 0x02, 0x00, 0x5e, 0x10, 0x00, 0x01 };
	struct vitrine_node *root;
	unsigned int i;

	card->tree = vitrine_tree_create(name, limit);
	root = vitrine_tree_root(card->tree);
	card->state = vitrine_string_create(root, "state", "starting");
	vitrine_bytes_create(root, "mac", mac, sizeof(mac));
	for (i = 0; i < NR_QUEUES; i++)
		queue_publish(&card->queues[i], root, i);
	for (i = 0; i < nodes; i++)
		vitrine_uint_create(vitrine_node_create(root, "node"), "value",
				    i);
}

/* A packet on each queue. What one takes from its balance another gets. */
static void card_step(struct card *card)
{
	unsigned int i;

	for (i = 0; i < NR_QUEUES; i++) {
		struct queue *queue = &card->queues[i];
		s64 share = i & 1 ? -1 : 1;
		u64 load;

		queue->nr_packets++;
		vitrine_uint_add(queue->packets, 1);
		vitrine_int_add(queue->balance, share);
		vitrine_bool_set(queue->busy, queue->nr_packets & 1);
		load = vitrine_double_from_ratio(queue->nr_packets & 0xff, 256);
		vitrine_double_set(queue->load, load);
	}
	vitrine_string_set(card->state, card->queues[0].nr_packets & 1 ?
			   "running" : "running, in a state with a long name");
}

/* All of a step at once: no reader sees a balance that is not even. */
static void card_step_in_batch(struct card *card)
{
	unsigned long flags = vitrine_batch_begin(card->tree);

	card_step(card);
	vitrine_batch_end(card->tree, flags);
}

/* A session that comes and goes; every other one's node goes first. */
static void card_churn(struct card *card)
{
	bool node_first = card->nr_sessions & 1;
	struct vitrine_string *peer;
	struct vitrine_node *node;
	char title[24];

	snprintf(title, sizeof(title), "session %llu",
		 card->nr_sessions++ % 1000);
	node = vitrine_node_create(vitrine_tree_root(card->tree), title);
	peer = vitrine_string_create(node, "peer", title);
	if (node_first)
		vitrine_node_delete(node);
	vitrine_string_set(peer, "a peer whose name takes more than one block");
	vitrine_string_delete(peer);
	if (!node_first)
		vitrine_node_delete(node);
}

static int thread_run(void *ctx)
{
	void (*step)(struct card *card) = ctx;

	while (!kthread_should_stop()) {
		step(&the_card);
		cond_resched();
	}
	return 0;
}

static enum hrtimer_restart timer_run(struct hrtimer *timer)
{
	struct card *card = container_of(timer, struct card, timer);

	card_step(card);
	card_churn(card);
	hrtimer_forward_now(timer, ns_to_ktime(TIMER_PERIOD_NS));
	return HRTIMER_RESTART;
}

static void timer_start(struct card *card)
{
	hrtimer_init(&card->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	card->timer.function = timer_run;
	hrtimer_start(&card->timer, ns_to_ktime(TIMER_PERIOD_NS),
		      HRTIMER_MODE_REL_HARD);
}

static int thread_start(struct card *card, void (*step)(struct card *card))
{
	card->task = kthread_run(thread_run, step, "publisher");
	return PTR_ERR_OR_ZERO(card->task);
}

static int card_start(struct card *card)
{
	if (!strcmp(mode, "idle"))
		return 0;
	if (!strcmp(mode, "fast"))
		return thread_start(card, card_step);
	if (!strcmp(mode, "batch"))
		return thread_start(card, card_step_in_batch);
	if (!strcmp(mode, "churn"))
		return thread_start(card, card_churn);
	if (!strcmp(mode, "timer")) {
		timer_start(card);
		return 0;
	}
	pr_err("mode=%s: want idle, fast, batch, churn or timer\n", mode);
	return -EINVAL;
}

static int __init publisher_init(void)
{
	int err;

	card_publish(&the_card);
	err = card_start(&the_card);
	if (err)
		vitrine_tree_destroy(the_card.tree);
	return err;
}

static void __exit publisher_exit(void)
{
	if (the_card.task)
		kthread_stop(the_card.task);
	if (the_card.timer.function)
		hrtimer_cancel(&the_card.timer);
	vitrine_tree_destroy(the_card.tree);
}

module_init(publisher_init);
module_exit(publisher_exit);

MODULE_AUTHOR("vitrine maintainers");
MODULE_DESCRIPTION("A sample publisher of Inspect trees");
MODULE_LICENSE("GPL");
