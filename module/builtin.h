/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees the module publishes itself, through the public header. Each has a
 * file of its own; trees.c lists them and has those switched on made.
 *
 * All but "vitrine" are lazy: fill() gathers the state when somebody opens the
 * file, in task context, into a tree that nobody sees yet; of one tree, one
 * call at a time.
 *
 * Sizes are in bytes, times in nanoseconds, and their names say so.
 */
#ifndef _VITRINE_BUILTIN_H
#define _VITRINE_BUILTIN_H

#include <linux/kernel.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "fxt.h"
#include "peek.h"

struct task_struct;

/**
 * struct vtr_builtin - a built-in tree
 * @name: its name, and the word in the parameter trees=
 * @limit_bytes: how large it may grow, besides @cpu_bytes
 * @cpu_bytes: how much more for each CPU there may be
 * @fill: makes what is in it, or NULL if @start makes a live tree
 * @start: called before the tree is there, or NULL; 0, or why it cannot be
 * @stop: undoes @start when the tree is gone, or NULL
 */
struct vtr_builtin {
	const char	*name;
	size_t		limit_bytes;
	size_t		cpu_bytes;
	int		(*fill)(struct vitrine_node *root, void *unused);
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

/* Longest text of a built-in tree in bytes; what is longer is cut. */
#define VTR_BUILTIN_TEXT_MAX	127

/* Copy text that the kernel got from anywhere; the tree is to be UTF-8. */
static inline void vtr_builtin_copy(char clean[VTR_BUILTIN_TEXT_MAX + 1],
				    const char *text)
{
	strscpy(clean, text ?: "", VTR_BUILTIN_TEXT_MAX + 1);
	vtr_fxt_clean(clean, strlen(clean));
}

static inline void vtr_builtin_text(struct vitrine_node *node, const char *name,
				    const char *text)
{
	char clean[VTR_BUILTIN_TEXT_MAX + 1];

	vtr_builtin_copy(clean, text);
	vitrine_record_string(node, name, clean);
}

/* A node that is called by its number. */
static inline struct vitrine_node *
vtr_builtin_number(struct vitrine_node *parent, unsigned int number)
{
	char name[12];

	snprintf(name, sizeof(name), "%u", number);
	return vitrine_record_node(parent, name);
}

#endif /* _VITRINE_BUILTIN_H */
