/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees that the module publishes itself. They use only the public headers, so each
 * of them could be a module of its own. Each tree has one file; trees.c lists the trees
 * and creates those that are switched on.
 *
 * All trees are lazy. fill() collects the state in task context when the
 * file is opened, into a tree that nobody else sees yet, one call at a time per tree.
 * Recording a value may wait for memory, so fill() must not hold a lock under which
 * sleeping is forbidden. A value that cannot be recorded is counted.
 *
 * Sizes are in bytes and times in nanoseconds, as the names of the values say.
 */
#ifndef _VTR_BUILTIN_H
#define _VTR_BUILTIN_H

#include <linux/kernel.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "peek.h"

struct task_struct;

/**
 * struct vtr_builtin - a built-in tree
 * @name: name of the tree, and of its word in the module parameter trees
 * @limit_bytes: maximum size, in addition to @cpu_bytes
 * @cpu_bytes: additional size for each possible CPU
 * @fill: creates the values. Returns
 *	the number of nodes that it left out, not counting values that could not be
 *	recorded, or a negative errno
 * @start: called before the tree is created, or NULL. Returns 0 or a negative errno
 * @stop: undoes @start after the tree is destroyed, or NULL
 */
struct vtr_builtin {
	const char	*name;
	size_t		limit_bytes;
	size_t		cpu_bytes;
	int		(*fill)(struct vitrine_node *root);
	int		(*start)(void);
	void		(*stop)(void);
};

extern const struct vtr_builtin vtr_builtin_self;
extern const struct vtr_builtin vtr_builtin_system;
extern const struct vtr_builtin vtr_builtin_sched;
extern const struct vtr_builtin vtr_builtin_tasks;
extern const struct vtr_builtin vtr_builtin_memory;
extern const struct vtr_builtin vtr_builtin_interrupts;
extern const struct vtr_builtin vtr_builtin_modules;
extern const struct vtr_builtin vtr_builtin_devices;

struct task_struct *vtr_tasks_next(int *id);

void vtr_self_lacks(const char *tree, const char *name, const char *why);

/* Longest text in a built-in tree in bytes; longer text is truncated. */
#define VTR_BUILTIN_TEXT_MAX	127

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

/* Record a node whose name is a number. */
static inline struct vitrine_node *
vtr_builtin_number(struct vitrine_node *parent, unsigned int number)
{
	char name[12];

	snprintf(name, sizeof(name), "%u", number);
	return vitrine_record_node(parent, name);
}

#endif /* _VTR_BUILTIN_H */
