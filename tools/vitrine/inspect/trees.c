// SPDX-License-Identifier: GPL-2.0
/*
 * Read the trees that trees_find.c has found, once or again, and drop everything that
 * no selector selects.
 *
 * One thread. If a tree cannot be read, the others still are.
 */
#include <errno.h>
#include <stdlib.h>

#include <vitrine/inspect.h>

#include "diff.h"
#include "error.h"
#include "hierarchy.h"
#include "report.h"
#include "trees.h"
#include "unfound.h"

/* ---- Selection --------------------------------------------------------- */

/**
 * struct judgement - application of the selectors of one tree
 * @tree: the tree
 * @links_followed: links have been followed; those that remain could not be
 * @path: names from the root to the current value
 */
struct judgement {
	const struct tree *tree;
	bool links_followed;
	struct selector_name path[VITRINE_MAX_DEPTH];
};

static size_t fill_path(struct judgement *judgement,
			const struct vitrine_value *value)
{
	const struct vitrine_value *above;
	size_t i, nr = 0;

	for (above = value; above; above = vitrine_value_parent(above))
		nr++;
	for (i = nr; i--; value = vitrine_value_parent(value))
		judgement->path[i].bytes =
			vitrine_value_name(value, &judgement->path[i].len);
	return nr;
}

/*
 * Return whether a link leads to a tree that exists but could not be read. A link to
 * nothing, or in a circle, is shown as a link.
 */
static bool has_failed(const struct vitrine_value *link)
{
	const struct vitrine_error *err = vitrine_value_link_error(link);

	return err && err->code != ENOENT && err->code != EINVAL &&
	       err->code != ELOOP && err->code != EMLINK;
}

/*
 * A link may be kept for itself, or for what it may lead to, as long as it has not
 * been followed and if that has failed.
 */
static enum vitrine_verdict judge_by(const struct selector *selector,
				     const struct vitrine_value *value,
				     const struct judgement *judgement,
				     size_t nr_names)
{
	enum vitrine_type type = vitrine_value_type(value);
	bool may_lead = !judgement->links_followed || has_failed(value);
	enum vitrine_verdict verdict;

	verdict = selector_judge(selector, judgement->path, nr_names,
				 type == VITRINE_NODE);
	if (type != VITRINE_LINK || verdict == VITRINE_KEEP)
		return verdict;
	/* The values of an inline link belong to its parent, which is being descended into. */
	if (vitrine_value_disposition(value) == INSPECT_LINK_INLINE)
		return may_lead ? VITRINE_KEEP : VITRINE_DROP;
	verdict = selector_judge(selector, judgement->path, nr_names, true);
	return verdict == VITRINE_DESCEND && may_lead ? VITRINE_KEEP : verdict;
}

static enum vitrine_verdict judge(void *ctx, const struct vitrine_value *value)
{
	struct judgement *judgement = ctx;
	const struct tree *tree = judgement->tree;
	enum vitrine_verdict best = VITRINE_DROP, verdict;
	size_t i, nr = fill_path(judgement, value);

	for (i = 0; i < tree->nr_selectors; i++) {
		verdict = judge_by(tree->selectors[i], value, judgement, nr);
		if (verdict == VITRINE_KEEP && judgement->links_followed)
			tree->selectors[i]->found = true;
		if (verdict != VITRINE_DROP && best != VITRINE_KEEP)
			best = verdict;
	}
	return best;
}

static void tree_cut(const struct tree *tree, bool links_followed)
{
	struct judgement judgement = {
		.tree = tree,
		.links_followed = links_followed,
	};

	if (!tree->whole)
		vitrine_hierarchy_filter(tree->hierarchy, judge, &judgement);
}

/* ---- Reading ----------------------------------------------------------- */

static void tree_close(struct tree *tree)
{
	vitrine_hierarchy_destroy(tree->hierarchy);
	vitrine_snapshot_destroy(tree->snapshot);
	vitrine_source_destroy(tree->source);
	tree->hierarchy = NULL;
	tree->snapshot = NULL;
	tree->source = NULL;
}

/**
 * tree_locate() - find the file to open to read a tree
 * @tree: tree
 * @ret_path: path of the file, valid as long as the tree
 *
 * Return: NULL, or an error of reading a pipe.
 */
struct vitrine_error *tree_locate(struct tree *tree, const char **ret_path)
{
	struct vitrine_error *err = NULL;

	*ret_path = tree->path;
	if (tree->kind != TREE_SAVED)
		return NULL;
	if (!tree->input) {
		tree->input = calloc(1, sizeof(*tree->input));
		if (!tree->input)
			return vtr_error_no_memory();
		err = input_open(tree->input, tree->path);
	}
	*ret_path = tree->input->path;
	return err;
}

/**
 * tree_blame() - replace the path of a copy in an error by the user's name
 * @tree: tree
 * @err: error, perhaps about the copy of its file; or NULL
 *
 * Return: @err with the name of the file.
 */
struct vitrine_error *tree_blame(const struct tree *tree,
				 struct vitrine_error *err)
{
	return tree->input ? input_blame(tree->input, err) : err;
}

static struct vitrine_error *tree_open(struct tree *tree)
{
	struct vitrine_error *err;
	const char *path;

	err = tree_locate(tree, &path);
	return err ? err : vitrine_source_create(path, 0, &tree->source);
}

static struct vitrine_error *tree_read(struct tree *tree)
{
	struct vitrine_error *err = NULL;

	if (!tree->source)
		err = tree_open(tree);
	if (!err)
		err = vitrine_snapshot_create(tree->source, &tree->snapshot);
	if (!err)
		err = vitrine_hierarchy_create(tree->snapshot,
					       &tree->hierarchy);
	if (!err) {
		/* Links that are not selected are dropped before they are followed. */
		tree_cut(tree, false);
		err = vitrine_hierarchy_follow_links(tree->hierarchy,
						     tree->path);
	}
	if (err) {
		tree_close(tree);
		return tree_blame(tree, err);
	}
	tree_cut(tree, true);
	return NULL;
}

/* Report an error, unless it is the one reported last for this tree. */
static int tree_failed(struct tree *tree, struct vitrine_error *err)
{
	bool again = err->code == tree->code;

	tree->code = err->code;
	if (!again)
		return report_error(err);
	vitrine_error_destroy(err);
	return EXIT_DONE;
}

/* Depth: VITRINE_MAX_DEPTH at most. */
static int report_links_below(const struct vitrine_value *value)
{
	int status = EXIT_DONE;

	for (; value; value = vitrine_value_next(value)) {
		if (has_failed(value))
			status = worse(status,
				       print_error(vitrine_value_link_error(value)));
		status = worse(status,
			       report_links_below(vitrine_value_first_child(value)));
	}
	return status;
}

static int report_links(const struct tree *tree)
{
	if (!tree->hierarchy->has_links)
		return EXIT_DONE;
	return report_links_below(vitrine_hierarchy_first(tree->hierarchy));
}

static bool has_selector(const struct tree *tree, const struct selector *selector)
{
	size_t i;

	for (i = 0; i < tree->nr_selectors; i++)
		if (tree->selectors[i] == selector)
			return true;
	return false;
}

static int report_unfound(const struct trees *trees, const struct selector *selector)
{
	struct unfound unfound = { .selector = selector };
	const struct tree *tree;
	size_t i;

	for (i = 0; i < trees->nr; i++) {
		tree = &trees->trees[i];
		if (tree->snapshot && has_selector(tree, selector))
			unfound_search(&unfound, tree->name, tree->path, tree->snapshot);
	}
	return report_error(unfound_values(&unfound));
}

/**
 * trees_read() - read trees for the first time
 * @trees: set, as filled by trees_find()
 *
 * Errors are reported. A selector that selects nothing is EXIT_BAD_INPUT, unless none of
 * its trees can be read.
 *
 * Return: enum exit_code, the worst of all trees.
 */
int trees_read(struct trees *trees)
{
	int status = EXIT_DONE, code;
	bool any = false;
	size_t i;

	for (i = 0; i < trees->nr; i++) {
		struct tree *tree = &trees->trees[i];
		struct vitrine_error *err = tree_read(tree);

		any |= !err;
		/* It was removed after it was found. */
		if (err && err->code == ENOENT && tree->is_found)
			tree->code = ENOENT;
		code = err ? tree_failed(tree, err) : report_links(tree);
		status = worse(status, code);
	}
	for (i = 0; any && i < trees->nr_selectors; i++)
		if (trees->selectors[i]->nr_nodes && !trees->selectors[i]->found)
			status = worse(status,
				       report_unfound(trees, trees->selectors[i]));
	return status;
}

/* ---- Reading again ----------------------------------------------------- */

/* Return whether the file must be opened again to see changes. */
static bool is_frozen(const struct tree *tree)
{
	return vitrine_snapshot_generation(tree->snapshot) ==
	       INSPECT_GENERATION_FROZEN;
}

static bool generation_moved(const struct tree *tree)
{
	struct vitrine_error *err;
	uint64_t generation;

	err = vitrine_source_generation(tree->source, &generation);
	if (err) {
		vitrine_error_destroy(err);
		return false;
	}
	return generation != vitrine_snapshot_generation(tree->snapshot);
}

/* The target of a link may change while the generation of the tree does not. */
static bool may_have_changed(const struct tree *tree)
{
	return !tree->hierarchy || is_frozen(tree) ||
	       vitrine_hierarchy_nr_linked(tree->hierarchy) ||
	       generation_moved(tree);
}

static bool is_same(const struct tree *old, const struct tree *new)
{
	if (!old->hierarchy || !new->hierarchy)
		return !old->hierarchy == !new->hierarchy;
	return diff_is_same(old->hierarchy, new->hierarchy);
}

/* Read a tree again if necessary; @changed tells whether it differs now. */
static struct vitrine_error *tree_refresh(struct tree *tree, bool *changed)
{
	struct tree old = *tree;
	struct vitrine_error *err;

	if (!may_have_changed(tree))
		return NULL;
		/* Only a lazy tree is filled by open(); the others stay open. */
	if (!tree->snapshot || is_frozen(tree))
		tree->source = NULL;
	else
		old.source = NULL;
	tree->snapshot = NULL;
	tree->hierarchy = NULL;
	err = tree_read(tree);
	if (!err)
		tree->code = 0;
	*changed |= !is_same(&old, tree);
	tree_close(&old);
	return err;
}

/**
 * trees_refresh() - read trees again if they may have changed
 * @trees: set, after trees_read()
 * @ret_changed: any tree has changed
 *
 * A live tree that has not changed costs one load of its generation. Frozen trees,
 * such as lazy ones, and trees with links, whose generations do not tell of changes,
 * are read each time. An error is reported once.
 *
 * Return: enum exit_code.
 */
int trees_refresh(struct trees *trees, bool *ret_changed)
{
	int status = EXIT_DONE;
	size_t i;

	*ret_changed = false;
	for (i = 0; i < trees->nr; i++) {
		struct vitrine_error *err;

		err = tree_refresh(&trees->trees[i], ret_changed);
		if (err)
			status = worse(status,
				       tree_failed(&trees->trees[i], err));
	}
	return status;
}

/**
 * tree_is_shown() - find out whether a tree is to be shown
 * @tree: tree
 *
 * Return: true if it could be read and its selectors select something.
 */
bool tree_is_shown(const struct tree *tree)
{
	return tree->hierarchy &&
	       (tree->whole || vitrine_hierarchy_first(tree->hierarchy));
}

/**
 * trees_destroy() - close all trees and empty the set
 * @trees: set
 */
void trees_destroy(struct trees *trees)
{
	size_t i;

	for (i = 0; i < trees->nr; i++) {
		tree_close(&trees->trees[i]);
		if (trees->trees[i].input)
			input_close(trees->trees[i].input);
		free(trees->trees[i].input);
		free(trees->trees[i].path);
		free(trees->trees[i].name);
		free(trees->trees[i].selectors);
	}
	for (i = 0; i < trees->nr_selectors; i++)
		selector_destroy(trees->selectors[i]);
	free(trees->trees);
	free(trees->selectors);
	*trees = (struct trees){ 0 };
}
