// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that publishes its state, as an example for authors and for the tests.
 *
 * It simulates a network card with a few queues. Everything that vitrine requires of a
 * driver is in this file: one tree, a handle for each value that changes, values of all
 * types, no error handling. The parameter mode= chooses how values change:
 *
 *   idle    values do not change: the tree remains as it was created
 *   fast    a thread updates continuously
 *   batch   the same, with each update in a batch: in every snapshot all queues have
 *           the same number of packets, and their balances add up to 0
 *   churn   a thread creates and deletes nodes continuously
 *   timer   a timer, in interrupt context, creates, updates and deletes values
 *
 * Concurrency: only the thread or the timer accesses the card once it runs. It ends
 * before the tree is destroyed.
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

#include "../../module/compat.h"	/* hrtimer_setup() before 6.13 */

#define NR_QUEUES	4
#define NR_REASONS	3	/* reasons to drop a packet */
#define NR_EVENTS	8	/* events in the log */
#define TIMER_PERIOD_NS	(1 * NSEC_PER_MSEC)

static char *mode = "idle";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "How the tree changes: idle, fast, batch, churn or timer");

static char *name = "publisher";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "Name of the tree");

static unsigned long limit;
module_param(limit, ulong, 0444);
MODULE_PARM_DESC(limit, "Maximum size of the tree in bytes (default: 0, the default of vitrine)");

static bool managed;
module_param(managed, bool, 0444);
MODULE_PARM_DESC(managed, "Let vitrine destroy the tree when the module is unloaded");

static bool misuse;
module_param(misuse, bool, 0444);
MODULE_PARM_DESC(misuse, "Delete the root of the tree, twice");

static unsigned int steps;
module_param(steps, uint, 0444);
MODULE_PARM_DESC(steps, "Number of packets to send on each queue at first");

static unsigned int nodes;
module_param(nodes, uint, 0444);
MODULE_PARM_DESC(nodes, "Number of further nodes to create, each with one value");

/* The handles of a queue are beside its state, as they would be in a driver. */
struct queue {
	struct vitrine_node	*node;
	struct vitrine_uint	*packets;
	struct vitrine_int	*balance;
	struct vitrine_double	*load;
	struct vitrine_bool	*busy;
	u64			nr_packets;
};

/* Time per packet, and its difference from the expected time. */
struct timing {
	struct vitrine_int_histogram	*error_ns, *error_log_ns;
	struct vitrine_uint_histogram	*latency_ns, *latency_log_ns;
	struct vitrine_double_histogram	*load, *load_log;
	u64				nr_loads;
};

struct card {
	struct vitrine_tree	*tree;
	struct vitrine_string	*state;
	struct vitrine_health	health;
	struct vitrine_list	*events;
	struct vitrine_int_array *balances;
	struct vitrine_uint_array *drops;
	struct vitrine_double_array *loads;
	struct vitrine_string_array *modes;
	struct vitrine_percpu_uint *interrupts;
	struct vitrine_percpu_histogram *packet_bytes;
	struct timing		timing;
	struct vitrine_node	*active, *standby, *port;
	bool			is_standby;
	struct queue		queues[NR_QUEUES];
	u64			nr_sessions;
	struct vitrine_string	*last_peer;
	struct task_struct	*task;
	struct hrtimer		timer;
};

static struct card the_card;

static void queue_publish(struct queue *queue, struct vitrine_node *parent, unsigned int nr)
{
	char title[16];

	snprintf(title, sizeof(title), "queue%u", nr);
	queue->node = vitrine_node_create(parent, title);
	queue->packets = vitrine_uint_create(queue->node, "packets", 0);
	queue->balance = vitrine_int_create(queue->node, "balance", 0);
	queue->load = vitrine_double_create(queue->node, "load", vitrine_double_from_int(0));
	queue->busy = vitrine_bool_create(queue->node, "busy", false);
}

static void arrays_publish(struct card *card, struct vitrine_node *root)
{
	card->drops = vitrine_uint_array_create(root, "drops", NR_REASONS);
	card->balances = vitrine_int_array_create(root, "balances", NR_QUEUES);
	card->loads = vitrine_double_array_create(root, "loads", NR_QUEUES);
	card->modes = vitrine_string_array_create(root, "modes", 2);
	vitrine_string_array_set(card->modes, 0, "full duplex");
}

/* Per-CPU counters, which need no lock. */
static void percpu_publish(struct card *card, struct vitrine_node *root)
{
	card->interrupts = vitrine_percpu_uint_create(root, "interrupts");
	card->packet_bytes = vitrine_percpu_histogram_create(root, "packet_bytes", 0, 64, 2, 6);
}

static void timing_publish(struct timing *timing, struct vitrine_node *root)
{
	struct vitrine_f64 zero = vitrine_double_from_int(0), two = vitrine_double_from_int(2);
	struct vitrine_f64 tenth = vitrine_double_from_ratio(1, 10);
	struct vitrine_node *node = vitrine_node_create(root, "timing");

	timing->error_ns = vitrine_int_histogram_create(node, "error_ns", -500,
							100, VITRINE_LINEAR, 10);
	timing->error_log_ns = vitrine_int_histogram_create(node, "error_log_ns", 0, 1, 2, 10);
	timing->latency_ns = vitrine_uint_histogram_create(node, "latency_ns", 0,
							   1000, VITRINE_LINEAR, 10);
	timing->latency_log_ns = vitrine_uint_histogram_create(node, "latency_log_ns", 0, 1, 2, 40);
	timing->load = vitrine_double_histogram_create(node, "load", zero, tenth, zero, 10);
	timing->load_log = vitrine_double_histogram_create(node, "load_log", zero, tenth, two, 4);
}

/* Constants are recorded in their node, and need no handle. */
static void board_publish(struct vitrine_node *root)
{
	static const u8 mac[] = { 0x02, 0x00, 0x5e, 0x10, 0x00, 0x01 };
	struct vitrine_node *board = vitrine_record_node(root, "board");

	vitrine_record_string(board, "model", "V-1000");
	vitrine_record_bytes(board, "mac", mac, sizeof(mac));
	vitrine_record_uint(board, "revision", 3);
	vitrine_record_int(board, "offset_celsius", -2);
	vitrine_record_double(board, "volts", vitrine_double_from_ratio(33, 10));
	vitrine_record_bool(board, "has_fan", true);
}

/* A port is a child of its group. */
static void groups_publish(struct card *card, struct vitrine_node *root)
{
	card->active = vitrine_node_create(root, "active");
	card->standby = vitrine_node_create(root, "standby");
	card->port = vitrine_node_create(card->active, "port");
	vitrine_record_uint(card->port, "speed_mbit", 1000);
}

/* Links to the trees of the machine. */
static void links_publish(struct vitrine_node *root)
{
	struct vitrine_node *machine = vitrine_node_create(root, "machine");

	vitrine_link_create(root, "vitrine", "vitrine", INSPECT_LINK_CHILD);
	vitrine_link_create(machine, "system", "system", INSPECT_LINK_INLINE);
}

static void card_publish(struct card *card)
{
	struct vitrine_node *root;
	unsigned int i;

	card->tree = managed ? vitrine_module_tree_create(name, limit) :
			       vitrine_tree_create(name, limit);
	root = vitrine_tree_root(card->tree);
	vitrine_health_init(&card->health, root);
	vitrine_tree_show_stats(card->tree);
	card->state = vitrine_string_create(root, "state", "starting");
	card->events = vitrine_list_create(root, "events", NR_EVENTS);
	arrays_publish(card, root);
	percpu_publish(card, root);
	timing_publish(&card->timing, root);
	board_publish(root);
	groups_publish(card, root);
	links_publish(root);
	for (i = 0; i < NR_QUEUES; i++)
		queue_publish(&card->queues[i], root, i);
	for (i = 0; i < nodes; i++)
		vitrine_uint_create(vitrine_node_create(root, "node"), "value", i);
	if (misuse) {
		vitrine_delete(root);
		vitrine_delete(root);
	}
}

/* All values, those per CPU included, go with their tree. */
static void card_unpublish(struct card *card)
{
	if (!managed)
		vitrine_tree_destroy(card->tree);
}

static void event_log(struct card *card, const char *what, u64 value)
{
	struct vitrine_node *event = vitrine_list_append(card->events);

	vitrine_record_string(event, "what", what);
	vitrine_record_uint(event, "value", value);
}

static void timing_step(struct timing *timing, u64 nr_packets)
{
	s64 error_ns = (s64)(nr_packets % 1400) - 700;
	u64 latency_ns = nr_packets * 37 % 12000;
	u64 nr_loads = ++timing->nr_loads;

	vitrine_int_histogram_insert(timing->error_ns, error_ns);
	vitrine_int_histogram_insert(timing->error_log_ns, error_ns);
	vitrine_uint_histogram_insert(timing->latency_ns, latency_ns);
	vitrine_uint_histogram_insert(timing->latency_log_ns, latency_ns);
	vitrine_double_histogram_set(timing->load, 1, vitrine_double_from_int(nr_loads));
	vitrine_double_histogram_set(timing->load_log, 2, vitrine_double_from_int(2 * nr_loads));
}

/* From time to time the port moves to another group, with its health node. */
static void port_step(struct card *card, u64 nr_packets)
{
	if (nr_packets % 16)
		return;
	card->is_standby = !card->is_standby;
	if (card->is_standby) {
		vitrine_node_adopt(card->standby, card->port);
		vitrine_health_unhealthy(&card->health, "port on standby");
	} else {
		vitrine_node_adopt(card->active, card->port);
		vitrine_health_ok(&card->health);
	}
	vitrine_string_array_set(card->modes, 1, card->is_standby ? "half duplex" : NULL);
	event_log(card, card->is_standby ? "standby" : "active", nr_packets);
}

/* Simulate a packet on each queue; the sum of the balances stays 0. */
static void card_step(struct card *card)
{
	unsigned int i;

	for (i = 0; i < NR_QUEUES; i++) {
		struct queue *queue = &card->queues[i];
		s64 share = i & 1 ? -1 : 1;
		struct vitrine_f64 load;

		queue->nr_packets++;
		vitrine_uint_add(queue->packets, 1);
		vitrine_int_add(queue->balance, share);
		vitrine_bool_set(queue->busy, queue->nr_packets & 1);
		load = vitrine_double_from_ratio(queue->nr_packets & 0xff, 256);
		vitrine_double_set(queue->load, load);
		vitrine_int_array_add(card->balances, i, share);
		vitrine_double_array_set(card->loads, i, load);
	}
	vitrine_percpu_uint_add(card->interrupts, 1);
	vitrine_percpu_histogram_insert(card->packet_bytes, 64 + card->queues[0].nr_packets % 1436);
	vitrine_uint_array_add(card->drops, card->queues[0].nr_packets % NR_REASONS, 1);
	timing_step(&card->timing, card->queues[0].nr_packets);
	port_step(card, card->queues[0].nr_packets);
	vitrine_string_set(card->state, card->queues[0].nr_packets & 1 ?
			   "running" : "running, in a state with a long name");
}

/* One batch per step: no reader sees balances whose sum is not 0. */
static void card_step_in_batch(struct card *card)
{
	unsigned long flags = vitrine_batch_begin(card->tree);

	card_step(card);
	vitrine_batch_end(card->tree, flags);
}

/*
 * Create and delete a session. The node of every other session is deleted first, and its
 * peer only with the next such node: until then the node is a tombstone.
 */
static void card_churn(struct card *card)
{
	bool node_first = card->nr_sessions & 1;
	struct vitrine_string *peer;
	struct vitrine_node *node;
	char title[24];

	snprintf(title, sizeof(title), "session %llu", card->nr_sessions++ % 1000);
	node = vitrine_node_create(vitrine_tree_root(card->tree), title);
	peer = vitrine_string_create(node, "peer", title);
	if (node_first)
		vitrine_delete(node);
	vitrine_string_set(peer, "a peer whose name takes more than one block");
	if (node_first) {
		vitrine_delete(card->last_peer);
		card->last_peer = peer;
	} else {
		vitrine_delete(peer);
		vitrine_delete(node);
	}
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
		hrtimer_start(&card->timer, ns_to_ktime(TIMER_PERIOD_NS), HRTIMER_MODE_REL_HARD);
		return 0;
	}
	pr_err("mode=%s: want idle, fast, batch, churn or timer\n", mode);
	return -EINVAL;
}

static int __init publisher_init(void)
{
	unsigned int i;
	int err;

	hrtimer_setup(&the_card.timer, timer_run, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	card_publish(&the_card);
	for (i = 0; i < steps; i++)
		card_step(&the_card);
	err = card_start(&the_card);
	if (err)
		card_unpublish(&the_card);
	return err;
}

static void __exit publisher_exit(void)
{
	if (the_card.task)
		kthread_stop(the_card.task);
	hrtimer_cancel(&the_card.timer);
	card_unpublish(&the_card);
}

module_init(publisher_init);
module_exit(publisher_exit);

MODULE_AUTHOR("vitrine maintainers");
MODULE_DESCRIPTION("A sample publisher of Inspect trees");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
