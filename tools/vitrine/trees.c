// SPDX-License-Identifier: GPL-2.0
/*
 * Read the trees that trees_find.c has found, at once and again, and leave out
 * what no selector selects.
 *
 * One thread. A tree that cannot be read does not keep the others from being
 * read.
 */
#include <errno.h>
#include <stdlib.h>

#include <vitrine/inspect.h>

#include "commands.h"
#include "diff.h"
#include "trees.h"

/* ---- What is wanted of a tree ------------------------------------------ */

/**
 * struct judgement - by the selectors of one tree
 * @tree: the tree
 * @links_followed: links that are still there lead nowhere
 * @path: names from the top to the value in question
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
 * Whether a tree that is there could not be read. A link to nothing, or in a
 * circle, is shown for what it is.
 */
static bool has_failed(const struct vitrine_value *link)
{
	const struct vitrine_error *err = vitrine_value_link_error(link);

	return err && err->code != ENOENT && err->code != EINVAL &&
	       err->code != ELOOP && err->code != EMLINK;
}

/*
 * A link may stay for what it is, and for what it may lead to: until it has
 * been followed, and if it could not be.
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
	/* Inline it is what the parent has, and that is being descended into. */
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

static struct vitrine_error *tree_read(struct tree *tree)
{
	struct vitrine_error *err = NULL;

	if (!tree->source)
		err = vitrine_source_create(tree->path, 0, &tree->source);
	if (!err)
		err = vitrine_snapshot_create(tree->source, &tree->snapshot);
	if (!err)
		err = vitrine_hierarchy_create(tree->snapshot,
					       &tree->hierarchy);
	if (!err) {
		/* No tree is opened for links that nobody asks for. */
		tree_cut(tree, false);
		err = vitrine_hierarchy_follow_links(tree->hierarchy,
						     tree->path);
	}
	if (err) {
		tree_close(tree);
		return err;
	}
	tree_cut(tree, true);
	return NULL;
}

/* Report an error, but not the same one again and again. */
static int tree_failed(struct tree *tree, struct vitrine_error *err)
{
	bool again = err->code == tree->code;

	tree->code = err->code;
	if (!again)
		return report_error(err);
	vitrine_error_destroy(err);
	return EXIT_DONE;
}

/* Recursion is VITRINE_MAX_DEPTH. */
static int report_links(const struct vitrine_value *value)
{
	int status = EXIT_DONE;

	for (; value; value = vitrine_value_next(value)) {
		if (has_failed(value))
			status = worse(status,
				       print_error(vitrine_value_link_error(value)));
		status = worse(status,
			       report_links(vitrine_value_first_child(value)));
	}
	return status;
}

static int report_unfound(const struct selector *selector)
{
	return report_error(vitrine_error_create(ENOENT, selector->text,
						 VITRINE_NO_OFFSET,
						 "`vitrine show' without it shows what there is",
						 "nothing is selected"));
}

/**
 * trees_read() - read trees for the first time
 * @trees: set, as trees_find() left it
 *
 * Return: enum exit_code, the worst of all trees; reported. A selector that
 * selects nothing is EXIT_ENVIRONMENT, unless none of its trees can be read.
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
		code = err ? tree_failed(tree, err) :
			report_links(vitrine_hierarchy_first(tree->hierarchy));
		status = worse(status, code);
	}
	for (i = 0; any && i < trees->nr_selectors; i++)
		if (trees->selectors[i]->nr_nodes && !trees->selectors[i]->found)
			status = worse(status,
				       report_unfound(trees->selectors[i]));
	return status;
}

/* ---- Reading again ----------------------------------------------------- */

/* Whether it must be opened again to see what it is now. */
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

/* What links lead to changes without a sign in the tree that has them. */
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

/* Read a tree again if it has to be; whether it is another now in @changed. */
static struct vitrine_error *tree_refresh(struct tree *tree, bool *changed)
{
	struct tree old = *tree;
	struct vitrine_error *err;

	if (!may_have_changed(tree))
		return NULL;
	/* Opening a file is what makes a lazy tree, and costs any other. */
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
 * trees_refresh() - read trees again, as far as they may have changed
 * @trees: set, after trees_read()
 * @ret_changed: whether any is another than before
 *
 * A live tree that has not changed costs one load. A frozen one, as a lazy
 * tree is, tells nothing by its generation, nor does one whose links lead to
 * others: these are opened and read each time.
 *
 * Return: enum exit_code; what is reported is not reported again.
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
 * tree_is_shown() - whether there is anything to show of a tree
 * @tree: tree
 *
 * Return: whether it could be read, and its selectors select something.
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
