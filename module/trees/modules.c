// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "modules": loaded modules, their size and use count.
 *
 * Concurrency: the kernel does not export its list of modules nor the lock of the list.
 * Each module, however, has a kobject in one kset, which contains ours. A reference to
 * the kobject delays the end of unloading, so the memory of the module stays valid while
 * it is read. Sizes and state may change meanwhile. Only one reference is held at a time,
 * so that unloading waits until this module has been recorded, and not all of them.
 *
 * The version strings are freed before the kernel waits for that reference. A live
 * module frees them only after the notifiers have seen MODULE_STATE_GOING; our notifier
 * takes @versions_lock, which therefore keeps the strings. A module whose load fails may
 * free them without a notification.
 */
#include <linux/cleanup.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "builtin.h"
#include "compat.h"
#include "peek.h"

/* Taint flags of modules, as in kernel/panic.c. */
static const struct {
	unsigned int	bit;
	char		letter;
} taints[] = {
	{ TAINT_PROPRIETARY_MODULE,	'P' },
	{ TAINT_FORCED_MODULE,		'F' },
	{ TAINT_CRAP,			'C' },
	{ TAINT_OOT_MODULE,		'O' },
	{ TAINT_UNSIGNED_MODULE,	'E' },
	{ TAINT_LIVEPATCH,		'K' },
	{ TAINT_AUX,			'X' },
	{ TAINT_RANDSTRUCT,		'T' },
	{ TAINT_TEST,			'N' },
};

static const char * const states[] = {
	[MODULE_STATE_LIVE]	= "live",
	[MODULE_STATE_COMING]	= "loading",
	[MODULE_STATE_GOING]	= "unloading",
	[MODULE_STATE_UNFORMED]	= "unformed",
};

static void record_taints(struct vitrine_node *node, unsigned long bits)
{
	char letters[ARRAY_SIZE(taints) + 1];
	unsigned int i, len = 0;

	for (i = 0; i < ARRAY_SIZE(taints); i++)
		if (bits & BIT(taints[i].bit))
			letters[len++] = taints[i].letter;
	letters[len] = '\0';
	vitrine_record_string(node, "taints", letters);
}

static DEFINE_MUTEX(versions_lock);

#ifdef CONFIG_VITRINE_KUNIT
static void versions_observe(void);
#else
static void versions_observe(void)
{
}
#endif

static void record_versions(struct vitrine_node *node,
			    const struct module *module)
{
	guard(mutex)(&versions_lock);
	if (vtr_peek(module->state) != MODULE_STATE_LIVE)
		return;
	versions_observe();
	vtr_builtin_text(node, "version", module->version);
	vtr_builtin_text(node, "source_version", module->srcversion);
}

static void record_module(struct vitrine_node *modules, struct module *module)
{
	struct vitrine_node *node = vtr_builtin_node(modules, module->name);

	vitrine_record_uint(node, "size_bytes", vtr_module_bytes(module));
#ifdef CONFIG_MODULE_UNLOAD
	vitrine_record_int(node, "references", module_refcount(module));
#endif
	vitrine_record_string(node, "state", states[vtr_peek(module->state)]);
	record_taints(node, vtr_peek(module->taints));
	record_versions(node, module);
}

/* Return the module of a kobject; NULL for the parameters of built-in code. */
static struct module *module_of(struct kobject *kobj)
{
	return container_of(kobj, struct module_kobject, kobj)->mod;
}

/*
 * Return the module after @last, with a reference in place of that to @last; NULL at the
 * end. A kobject stays on the list until the last reference to it is dropped.
 */
static struct kobject *next_module(struct kset *kset, struct kobject *last)
{
	struct kobject *kobj = list_prepare_entry(last, &kset->list, entry);

	spin_lock(&kset->list_lock);
	list_for_each_entry_continue(kobj, &kset->list, entry)
		if (module_of(kobj) && kobject_get_unless_zero(kobj))
			break;
	if (list_entry_is_head(kobj, &kset->list, entry))
		kobj = NULL;
	spin_unlock(&kset->list_lock);
	kobject_put(last);
	return kobj;
}

/* All modules; the kernel does not export its own variable. */
static struct kset *all_modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

/**
 * vtr_modules_fill() - fill the tree "modules"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_modules_fill(struct vitrine_node *root)
{
	struct kset *kset = all_modules();
	struct vitrine_node *modules = vitrine_record_node(root, "modules");
	struct kobject *kobj = NULL;
	unsigned int nr = 0;

	while ((kobj = next_module(kset, kobj))) {
		record_module(modules, module_of(kobj));
		nr++;
	}
	vitrine_record_uint(root, "nr_modules", nr);
	return 0;
}

/**
 * vtr_modules_go() - delay the freeing of version strings that are being read
 *
 * The notifier in main.c calls this when a module is unloaded.
 *
 * Context: task; may sleep.
 */
void vtr_modules_go(void)
{
	mutex_lock(&versions_lock);
	mutex_unlock(&versions_lock);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/modules_kunit.c"
#endif
