// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "interrupts": how often each CPU was interrupted, by interrupt line with its
 * handlers, by softirq, and by CPU-local interrupt.
 *
 * The list of lines and the counts of CPU-local interrupts are parsed from
 * /proc/interrupts, because the variables behind these counts differ between
 * architectures and releases.
 *
 * Concurrency: lines are freed by RCU, so a line is looked up and its counts are copied
 * under RCU. The names of its handlers are copied under the lock of the line.
 */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "proc.h"

/**
 * struct line - copy of an interrupt line
 * @handlers: names of the handlers, separated by commas
 * @chip: name of the interrupt controller
 * @hwirq: number of the line at the interrupt controller
 * @level: level-triggered rather than edge-triggered
 * @counts: number of interrupts by CPU
 */
struct line {
	char		handlers[VTR_BUILTIN_TEXT_MAX + 1];
	char		chip[VTR_BUILTIN_TEXT_MAX + 1];
	unsigned long	hwirq;
	bool		level;
	u64		counts[];
};

static void copy_handlers(char *to, size_t size,
			  const struct irqaction *action)
{
	size_t len = 0;

	for (; action; action = action->next)
		len += scnprintf(to + len, size - len, "%s%s",
				 len ? ", " : "", action->name ?: "?");
}

/* Copy the names of the handlers. Return false if there are none, as for chained lines. */
static bool copy_names(struct line *line, struct irq_desc *desc)
{
	const struct irqaction *action;
	unsigned long flags;

	raw_spin_lock_irqsave(&desc->lock, flags);
	action = desc->action;
	if (action && action->name) {
		const struct irq_chip *chip = desc->irq_data.chip;

		copy_handlers(line->handlers, sizeof(line->handlers), action);
		strscpy(line->chip, chip && chip->name ? chip->name : "",
			sizeof(line->chip));
		line->hwirq = desc->irq_data.hwirq;
		line->level = irqd_is_level_type(&desc->irq_data);
	} else {
		action = NULL;
	}
	raw_spin_unlock_irqrestore(&desc->lock, flags);
	return action;
}

static bool copy_line(struct line *line, unsigned int irq)
{
	struct irq_data *data;
	struct irq_desc *desc;
	bool handled = false;
	unsigned int cpu;

	rcu_read_lock();
	data = irq_get_irq_data(irq);
	if (data) {
		desc = irq_data_to_desc(data);
		handled = copy_names(line, desc);
		for_each_possible_cpu(cpu)
			line->counts[cpu] = irq_desc_kstat_cpu(desc, cpu);
	}
	rcu_read_unlock();
	return handled;
}

/* Record the count of each CPU; a CPU that was never online is left out. */
static void record_counts(struct vitrine_node *node, const u64 *counts)
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

static void record_line(struct vitrine_node *lines, unsigned int irq,
			const struct line *line)
{
	struct vitrine_node *node = vtr_builtin_number(lines, irq);

	vtr_builtin_text(node, "handlers", line->handlers);
	vtr_builtin_text(node, "controller", line->chip);
	vitrine_record_uint(node, "controller_line", line->hwirq);
	vitrine_record_string(node, "trigger", line->level ? "level" : "edge");
	record_counts(node, line->counts);
}

static void record_softirqs(struct vitrine_node *root, u64 *counts)
{
	/* Names as in /proc/softirqs, in the order of the enum. */
	static const char * const names[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
		"TASKLET", "SCHED", "HRTIMER", "RCU",
	};
	struct vitrine_node *node = vitrine_record_node(root, "softirqs");
	unsigned int i, cpu;

	BUILD_BUG_ON(ARRAY_SIZE(names) != NR_SOFTIRQS);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for_each_possible_cpu(cpu)
			counts[cpu] = kstat_softirqs_cpu(i, cpu);
		record_counts(vitrine_record_node(node, names[i]), counts);
	}
}

/**
 * struct table - columns of /proc/interrupts
 * @nr_columns: number of columns, one per online CPU
 * @columns: CPU of each column
 */
struct table {
	unsigned int	nr_columns;
	unsigned int	columns[];
};

static void parse_header(struct table *table, char *header)
{
	unsigned int cpu;
	char *word;

	while ((word = strsep(&header, " ")))
		if (sscanf(word, "CPU%u", &cpu) == 1 && cpu < nr_cpu_ids &&
		    table->nr_columns < nr_cpu_ids)
			table->columns[table->nr_columns++] = cpu;
}

/*
 * Record a CPU-local interrupt. Its row has one count per column, followed by a
 * description; a row without a description counts for the whole machine. A row that was
 * printed while other CPUs were online has another number of columns and is skipped.
 */
static void record_local(struct vitrine_node *local, const char *label,
			 char *row, const struct table *table, u64 *counts)
{
	struct vitrine_node *node;
	unsigned int i;
	char *word;

	memset(counts, 0, nr_cpu_ids * sizeof(*counts));
	for (i = 0; i < table->nr_columns; i++) {
		row = skip_spaces(row);
		word = strsep(&row, " ");
		if (!row || kstrtou64(word, 10, &counts[table->columns[i]]))
			return;
	}
	row = skip_spaces(row);
	if (!*row || isdigit(*row))
		return;
	node = vitrine_record_node(local, label);
	vtr_builtin_text(node, "description", row);
	record_counts(node, counts);
}

static void record_rows(struct vitrine_node *root, struct vtr_proc *text,
			struct table *table, struct line *line)
{
	struct vitrine_node *lines = vitrine_record_node(root, "lines");
	struct vitrine_node *local = vitrine_record_node(root, "local");
	char *row = vtr_proc_line(text), *label;
	unsigned int irq;

	if (row)
		parse_header(table, row);
	while ((row = vtr_proc_line(text))) {
		label = strsep(&row, ":");
		if (!row)
			continue;
		label = skip_spaces(label);
		if (kstrtouint(label, 10, &irq))
			record_local(local, label, row, table, line->counts);
		else if (copy_line(line, irq))
			record_line(lines, irq, line);
	}
}

static int record_table(struct vitrine_node *root, struct line *line)
{
	struct vtr_proc *text = vtr_proc_open("interrupts");
	struct table *table;
	int err;

	if (IS_ERR_OR_NULL(text))
		return PTR_ERR(text);
	table = kvzalloc(struct_size(table, columns, nr_cpu_ids), GFP_KERNEL);
	if (table)
		record_rows(root, text, table, line);
	err = vtr_proc_close(text);
	kvfree(table);
	return table ? err : -ENOMEM;
}

static int interrupts_fill(struct vitrine_node *root)
{
	struct line *line;
	int err;

	line = kvzalloc(struct_size(line, counts, nr_cpu_ids), GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	err = record_table(root, line);
	record_softirqs(root, line->counts);
	kvfree(line);
	return err;
}

static int interrupts_start(void)
{
	struct vtr_proc *text = vtr_proc_open("interrupts");

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!text) {
		vtr_self_lacks("interrupts", "lines", "no /proc/interrupts");
		vtr_self_lacks("interrupts", "local", "no /proc/interrupts");
	}
	return vtr_proc_close(text);
}

/* The limit leaves room for more than a thousand lines. */
const struct vtr_builtin vtr_builtin_interrupts = {
	.name = "interrupts",
	.limit_bytes = SZ_512K,
	.cpu_bytes = SZ_32K,
	.fill = interrupts_fill,
	.start = interrupts_start,
};
