// SPDX-License-Identifier: GPL-2.0
/*
 * Say that a selector or the name of a tree selects nothing: which of its names there is not,
 * what there is in its place, and which name is the nearest.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/map.h>

#include "live/debugfs.h"
#include "unfound.h"

/* ---- Values ------------------------------------------------------------ */

static const struct selector_name *name_at(const struct selector *selector, size_t level)
{
	return level < selector->nr_nodes ? &selector->nodes[level] : &selector->property;
}

static void begin_level(struct unfound *unfound, const char *tree, size_t level,
			const struct vitrine_value *parent)
{
	const struct selector_name *sought = name_at(unfound->selector, level);
	size_t len = 0;
	const char *name = parent ? vitrine_value_name(parent, &len) : "";

	unfound->tree = tree;
	unfound->level = level;
	snprintf(unfound->parent, sizeof(unfound->parent), "%.*s", (int)len, name);
	unfound->nr_nodes = 0;
	unfound->nr_properties = 0;
	nearest_init(&unfound->nearest, sought->bytes, sought->len);
}

/* Descend as far as the selector leads. Depth: VITRINE_MAX_DEPTH at most. */
static void descend(struct unfound *unfound, const char *tree, size_t level,
		    const struct vitrine_value *parent, const struct vitrine_value *value)
{
	const bool is_first = !unfound->tree || level > unfound->level;

	if (is_first)
		begin_level(unfound, tree, level, parent);
	for (; value; value = vitrine_value_next(value)) {
		const bool is_node = vitrine_value_type(value) == VITRINE_NODE;
		struct selector_name name;

		name.bytes = vitrine_value_name(value, &name.len);
		if (is_first && unfound->level == level) {
			unfound->nr_nodes += is_node;
			unfound->nr_properties += !is_node;
		}
		if (unfound->level == level)
			nearest_offer(&unfound->nearest, name.bytes, name.len);
		if (is_node && level < unfound->selector->nr_nodes &&
		    selector_name_fits(name_at(unfound->selector, level), &name))
			descend(unfound, tree, level + 1, value, vitrine_value_first_child(value));
	}
}

/**
 * unfound_search() - search a tree in which the selector selects nothing
 * @unfound: the selector, and the result of the trees before
 * @tree: name of the tree
 * @path: path of its file, to which links refer
 * @snapshot: the tree
 */
void unfound_search(struct unfound *unfound, const char *tree, const char *path,
		    const struct vitrine_snapshot *snapshot)
{
	struct vitrine_hierarchy *whole = NULL;
	const struct vitrine_value *root;
	struct vitrine_error *err;

	err = vitrine_hierarchy_create(snapshot, &whole);
	if (!err)
		err = vitrine_hierarchy_follow_links(whole, path);
	/* The error is one that reading the tree has reported before. */
	vitrine_error_destroy(err);
	root = whole ? vitrine_hierarchy_first(whole) : NULL;
	if (root && unfound->selector->below_root)
		descend(unfound, tree, 0, root, vitrine_value_first_child(root));
	else
		descend(unfound, tree, 0, NULL, root);
	vitrine_hierarchy_destroy(whole);
}

/**
 * unfound_values() - make the error for a selector that selects no value
 * @unfound: the selector, after unfound_search() of all its trees
 *
 * Return: an error.
 */
struct vitrine_error *unfound_values(const struct unfound *unfound)
{
	const struct selector *selector = unfound->selector;
	const char *what;

	if (!unfound->tree)
		return nothing_selected(selector->text, NULL, NULL,
					"none of its trees can be read");
	what = unfound->level >= selector->nr_nodes ? "property" :
	       unfound->level + 1 == selector->nr_nodes && !selector->has_property ?
	       "node or property" : "node";
	return nothing_selected(selector->text, &unfound->nearest, NULL,
				"node \"%s\" of tree \"%s\" has no %s \"%s\"; it has %zu %s and %zu %s",
				unfound->parent, unfound->tree, what, unfound->nearest.asked,
				unfound->nr_nodes, unfound->nr_nodes == 1 ? "node" : "nodes",
				unfound->nr_properties,
				unfound->nr_properties == 1 ? "property" : "properties");
}

/* ---- Trees ------------------------------------------------------------- */

/* Offer the names of the trees in a directory of debugfs; return how many there are. */
static size_t offer_trees(struct nearest *nearest, const char *directory)
{
	const size_t len_suffix = strlen(VITRINE_INSPECT_SUFFIX);
	char *path = debugfs_path(directory, "");
	struct dirent *entry;
	size_t nr = 0, len;
	DIR *dir = path ? opendir(path) : NULL;

	while (dir && (entry = readdir(dir))) {
		len = strlen(entry->d_name);
		if (len <= len_suffix ||
		    strcmp(entry->d_name + len - len_suffix, VITRINE_INSPECT_SUFFIX))
			continue;
		nearest_offer(nearest, entry->d_name, len - len_suffix);
		nr++;
	}
	if (dir)
		closedir(dir);
	free(path);
	return nr;
}

/**
 * unfound_tree() - make the error for a name that no tree of the running module has
 * @name: the name, or a pattern
 *
 * Return: an error.
 */
struct vitrine_error *unfound_tree(const char *name)
{
	struct nearest nearest;
	size_t nr;

	nearest_init(&nearest, name, strcspn(name, ":"));
	nr = offer_trees(&nearest, VITRINE_INSPECT_DIR) +
	     offer_trees(&nearest, VITRINE_INSPECT_DIR "/retained");
	return nothing_selected(name, &nearest, "run `vitrine list' to see them",
				"no tree or file has this name; there %s %zu tree%s",
				nr == 1 ? "is" : "are", nr, nr == 1 ? "" : "s");
}
