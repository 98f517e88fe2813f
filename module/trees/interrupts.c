// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "interrupts": how often each CPU was interrupted, by interrupt line with its
 * handlers, and by softirq.
 *
 * Concurrency: lines are freed by RCU, so a line is looked up and its counts are copied
 * under RCU. The names of its handlers are copied under the lock of the line.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/irqnr.h>
#include <linux/kernel_stat.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <trace/events/irq.h>

#include "builtin.h"

/*
 * Copy of an interrupt line; one fill runs at a time: the names of the handlers, separated by
 * commas, and of the interrupt controller; the number of the line there; whether it is
 * level-triggered rather than edge-triggered; the number of interrupts by CPU.
 */
static char handlers[VTR_BUILTIN_TEXT_MAX + 1], chip_name[VTR_BUILTIN_TEXT_MAX + 1];
static unsigned long hwirq;
static bool is_level;
static u64 *counts;

/* Copy the names of the handlers. Return false if there are none, as for chained lines. */
static bool copy_names(struct irq_desc *desc)
{
	const struct irqaction *action;
	const struct irq_chip *chip;
	size_t len = 0;

	guard(raw_spinlock_irqsave)(&desc->lock);
	if (!desc->action || !desc->action->name)
		return false;
	for (action = desc->action; action; action = action->next)
		len += scnprintf(handlers + len, sizeof(handlers) - len, "%s%s",
				 len ? ", " : "", action->name ?: "?");
	chip = desc->irq_data.chip;
	strscpy(chip_name, chip && chip->name ? chip->name : "", sizeof(chip_name));
	hwirq = desc->irq_data.hwirq;
	is_level = irqd_is_level_type(&desc->irq_data);
	return true;
}

static bool copy_line(unsigned int irq)
{
	struct irq_data *data;
	struct irq_desc *desc;
	unsigned int cpu;

	guard(rcu)();
	data = irq_get_irq_data(irq);
	if (!data)
		return false;
	desc = irq_data_to_desc(data);
	for_each_possible_cpu(cpu)
		counts[cpu] = irq_desc_kstat_cpu(desc, cpu);
	return copy_names(desc);
}

/* Record the count of each CPU; a CPU that was never online is left out. */
static void record_counts(struct vitrine_node *node)
{
	struct vitrine_node *cpus;
	unsigned int cpu;
	char name[12];
	u64 total = 0;

	for_each_possible_cpu(cpu)
		total += counts[cpu];
	vitrine_record_uint(node, "total", total);
	cpus = vitrine_record_node(node, "cpus");
	for_each_possible_cpu(cpu) {
		if (!counts[cpu] && !cpu_online(cpu))
			continue;
		snprintf(name, sizeof(name), "%u", cpu);
		vitrine_record_uint(cpus, name, counts[cpu]);
	}
}

static void record_line(struct vitrine_node *lines, unsigned int irq)
{
	struct vitrine_node *node = vtr_builtin_number(lines, irq);

	vtr_builtin_text(node, "handlers", handlers);
	vtr_builtin_text(node, "controller", chip_name);
	vitrine_record_uint(node, "controller_line", hwirq);
	vitrine_record_string(node, "trigger", is_level ? "level" : "edge");
	record_counts(node);
}

static void record_softirqs(struct vitrine_node *root)
{
	static const struct {
		unsigned int	nr;
		const char	*name;
	} softirqs[] = { SOFTIRQ_NAME_LIST };
	struct vitrine_node *node = vitrine_record_node(root, "softirqs");
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(softirqs); i++) {
		for_each_possible_cpu(cpu)
			counts[cpu] = kstat_softirqs_cpu(softirqs[i].nr, cpu);
		record_counts(vitrine_record_node(node, softirqs[i].name));
	}
}

/* Hidden lines, such as those of IPIs, are not in /proc/interrupts either. */
static void record_lines(struct vitrine_node *root)
{
	struct vitrine_node *lines = vitrine_record_node(root, "lines");
	unsigned int irq;

	for_each_irq_nr(irq)
		if (!irq_check_status_bit(irq, IRQ_HIDDEN) && copy_line(irq))
			record_line(lines, irq);
}

/**
 * vtr_interrupts_fill() - fill the tree "interrupts"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int vtr_interrupts_fill(struct vitrine_node *root)
{
	counts = kvcalloc(nr_cpu_ids, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return -ENOMEM;
	record_lines(root);
	record_softirqs(root);
	kvfree(counts);
	return 0;
}
