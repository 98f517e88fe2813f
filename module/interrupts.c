// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "interrupts": what interrupted each CPU how often. Lines with who
 * handles them, softirqs, and on x86 the CPUs' own interrupts.
 *
 * Concurrency: a line is found and its counts are copied under RCU, which
 * frees lines; who handles it may change, and is copied under the line's lock.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/irqnr.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "builtin.h"

/**
 * struct line - what is copied of an interrupt line
 * @handlers: names of those who handle it, with commas between
 * @chip: name of the interrupt controller
 * @hwirq: number of the line there
 * @level: triggered by level, not by edge
 * @counts: how often, by CPU
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

/* Who handles a line; false if nobody does, as with those chained. */
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

/* CPUs that never were online have nothing to say. */
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

static void record_lines(struct vitrine_node *root, struct line *line)
{
	struct vitrine_node *lines = vitrine_record_node(root, "lines");
	unsigned int irq;

	for (irq = 0; irq < nr_irqs; irq++) {
		if (copy_line(line, irq))
			record_line(lines, irq, line);
		cond_resched();
	}
}

static void record_softirqs(struct vitrine_node *root, u64 *counts)
{
	/* In the words of /proc/softirqs, which is the order of their enum. */
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

#ifdef CONFIG_X86
/* A CPU's own interrupts, by their labels in /proc/interrupts. */
static const struct {
	const char	*label;
	size_t		offset;
} local_interrupts[] = {
	{ "NMI", offsetof(irq_cpustat_t, __nmi_count) },
#ifdef CONFIG_X86_LOCAL_APIC
	{ "LOC", offsetof(irq_cpustat_t, apic_timer_irqs) },
	{ "SPU", offsetof(irq_cpustat_t, irq_spurious_count) },
	{ "PMI", offsetof(irq_cpustat_t, apic_perf_irqs) },
	{ "IWI", offsetof(irq_cpustat_t, apic_irq_work_irqs) },
	{ "RTR", offsetof(irq_cpustat_t, icr_read_retry_count) },
#endif
#ifdef CONFIG_SMP
	{ "RES", offsetof(irq_cpustat_t, irq_resched_count) },
	{ "CAL", offsetof(irq_cpustat_t, irq_call_count) },
	{ "TLB", offsetof(irq_cpustat_t, irq_tlb_count) },
#endif
#ifdef CONFIG_X86_THERMAL_VECTOR
	{ "TRM", offsetof(irq_cpustat_t, irq_thermal_count) },
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	{ "THR", offsetof(irq_cpustat_t, irq_threshold_count) },
#endif
};

static void record_local(struct vitrine_node *root, u64 *counts)
{
	struct vitrine_node *node = vitrine_record_node(root, "local");
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(local_interrupts); i++) {
		for_each_possible_cpu(cpu)
			counts[cpu] = *(unsigned int *)
				((char *)&per_cpu(irq_stat, cpu) +
				 local_interrupts[i].offset);
		record_counts(vitrine_record_node(node,
						  local_interrupts[i].label),
			      counts);
	}
}
#else
static void record_local(struct vitrine_node *root, u64 *counts)
{
}
#endif

static int interrupts_fill(struct vitrine_node *root, void *unused)
{
	struct line *line;

	line = kvzalloc(struct_size(line, counts, nr_cpu_ids), GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	record_lines(root, line);
	record_local(root, line->counts);
	record_softirqs(root, line->counts);
	kvfree(line);
	return 0;
}

/* What interrupted each CPU how often; room for a thousand lines and more. */
const struct vtr_builtin vtr_builtin_interrupts = {
	.name = "interrupts",
	.limit_bytes = SZ_512K,
	.cpu_bytes = SZ_32K,
	.fill = interrupts_fill,
};
