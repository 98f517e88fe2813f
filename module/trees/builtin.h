/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees that the module publishes itself. They use only the public headers, so each
 * of them could be a module of its own. Each tree has one file with the function that fills
 * it; trees.c lists the trees and creates those that are switched on.
 *
 * All trees are lazy. vtr_<tree>_fill() collects the state in task context when the file
 * is opened, into a tree that nobody else sees yet, one call at a time per tree. Recording
 * a value may wait for memory, so the function must not hold a lock under which sleeping
 * is forbidden. A value that cannot be recorded is counted.
 *
 * Sizes are in bytes and times in nanoseconds, as the names of the values say.
 */
#ifndef _VTR_BUILTIN_H
#define _VTR_BUILTIN_H

#include <linux/kernel.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

int vtr_self_fill(struct vitrine_node *root);
int vtr_system_fill(struct vitrine_node *root);
int vtr_tasks_fill(struct vitrine_node *root);
int vtr_memory_fill(struct vitrine_node *root);
int vtr_interrupts_fill(struct vitrine_node *root);
int vtr_modules_fill(struct vitrine_node *root);
void vtr_modules_go(void);
int vtr_devices_fill(struct vitrine_node *root);
int vtr_devices_start(void);
int vtr_sched_fill(struct vitrine_node *root);
int vtr_sched_start(void);
void vtr_sched_stop(void);

/* Longest text in a built-in tree in bytes; longer text is truncated. */
#define VTR_BUILTIN_TEXT_MAX	127

/**
 * struct vtr_figure - a number in a tree
 * @name: name of the property
 * @value: the number
 */
struct vtr_figure {
	const char	*name;
	u64		value;
};

/* Record numbers below @node: VTR_RECORD(node, { "name", value }, { "other", value }). */
#define VTR_RECORD(node, ...)						\
	vtr_builtin_record(node, (const struct vtr_figure[]){ __VA_ARGS__, {} })

static inline void vtr_builtin_record(struct vitrine_node *node,
				      const struct vtr_figure *figures)
{
	for (; figures->name; figures++)
		vitrine_record_uint(node, figures->name, figures->value);
}

/* Copy text from an untrusted source, truncated and as valid UTF-8. */
static inline void vtr_builtin_copy(char clean[VTR_BUILTIN_TEXT_MAX + 1],
				    const char *text)
{
	strscpy(clean, text ?: "", VTR_BUILTIN_TEXT_MAX + 1);
	vitrine_text_clean(clean, strlen(clean));
}

static inline void vtr_builtin_text(struct vitrine_node *node, const char *name,
				    const char *text)
{
	char clean[VTR_BUILTIN_TEXT_MAX + 1];

	vtr_builtin_copy(clean, text);
	vitrine_record_string(node, name, clean);
}

/* Record a node whose name is from an untrusted source. */
static inline struct vitrine_node *
vtr_builtin_node(struct vitrine_node *parent, const char *text)
{
	char clean[VTR_BUILTIN_TEXT_MAX + 1];

	vtr_builtin_copy(clean, text);
	return vitrine_record_node(parent, clean);
}

/* Record a node whose name is a number. */
static inline struct vitrine_node *
vtr_builtin_number(struct vitrine_node *parent, unsigned int number)
{
	char name[12];

	snprintf(name, sizeof(name), "%u", number);
	return vitrine_record_node(parent, name);
}

/* All trees but "sched", which counts every context switch. */
#define VTR_TREES_DEFAULT	"vitrine,system,tasks,memory,interrupts,modules,devices"

int vtr_trees_select(char *names);
int vtr_trees_init(void);
void vtr_trees_deinit(void);

#endif /* _VTR_BUILTIN_H */
