// SPDX-License-Identifier: GPL-2.0
/*
 * Find the trees or files that the arguments of a command name (names, files and selectors), read
 * them, once or again, and drop everything that no selector selects. If a selector or the name of
 * a tree selects nothing, say which of its names there is not, what there is in its place, and
 * which name is the nearest.
 *
 * One thread. If a tree cannot be read, the others still are.
 */
#define _GNU_SOURCE	/* memrchr(), versionsort() */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "debugfs.h"
#include "value.h"
#include "vitrine.h"
#include "diff.h"
#include "selector.h"
#include "trees.h"

/**
 * struct unfound - the place in a tree up to which a selector leads
 * @selector: the selector, which has nodes
 * @tree: name of the tree, or NULL before unfound_search()
 * @level: number of names of @selector that lead there
 * @parent: name of the node there
 * @nr_nodes: number of nodes in it
 * @nr_properties: number of properties in it
 * @nearest: search for the name that is missing there
 */
struct unfound {
	const struct selector *selector;
	const char *tree;
	size_t level;
	char parent[NEAREST_BYTES];
	size_t nr_nodes;
	size_t nr_properties;
	struct nearest nearest;
};

#define RETAINED	"retained/"

/* Where the module publishes trees. */
static const char * const directories[] = {
	[TREE_LIVE]	= VITRINE_INSPECT_DIR,
	[TREE_RETAINED]	= VITRINE_INSPECT_DIR "/retained",
};

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

/* Search a tree in which the selector selects nothing. */
static void unfound_search(struct unfound *unfound, const char *tree, const char *path,
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

/* Make the error for a selector that selects no value. Returns an error. */
static struct vitrine_error *unfound_values(const struct unfound *unfound)
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

/* ---- The set ----------------------------------------------------------- */

/* Return the length of a file name without the suffix. */
static size_t stem_len(const char *file)
{
	size_t len = strlen(file);

	return ends_in(file, len, VITRINE_INSPECT_SUFFIX) ?
	       len - strlen(VITRINE_INSPECT_SUFFIX) : len;
}

static char *name_of(const char *path, enum tree_kind kind)
{
	const char *file = strrchr(path, '/');

	file = file ? file + 1 : path;
	return must_format("%s%.*s", kind == TREE_RETAINED ? RETAINED : "",
			   (int)stem_len(file), file);
}

static struct tree *tree_by_path(const struct trees *trees, const char *path)
{
	size_t i;

	for (i = 0; i < trees->nr; i++)
		if (!strcmp(trees->trees[i].path, path))
			return &trees->trees[i];
	return NULL;
}

/* Add a tree, or another selector to a tree named before. */
static void add_tree(struct trees *trees, const char *path, enum tree_kind kind, bool is_found,
		     struct selector *selector)
{
	struct tree *tree = tree_by_path(trees, path);
	size_t i;

	if (!tree) {
		must_have(GROW(trees->trees, trees->nr));
		tree = &trees->trees[trees->nr];
		*tree = (struct tree){
			.path = must_format("%s", path),
			.name = name_of(path, kind),
			.kind = kind,
			.is_found = is_found,
		};
		for (i = 0; i < trees->nr; i++)
			tree->ordinal += !strcmp(trees->trees[i].name, tree->name);
		trees->nr++;
	}
	tree->is_found &= is_found;
	if (!selector || !selector->nr_nodes) {
		tree->whole = true;
		return;
	}
	must_have(GROW(tree->selectors, tree->nr_selectors));
	tree->selectors[tree->nr_selectors++] = selector;
}

/* ---- Several trees: a directory ---------------------------------------- */

/* The pattern for saved trees includes the suffix, as file names do. */
static bool is_found(const char *file, const struct selector_name *pattern, enum tree_kind kind)
{
	struct selector_name name = { file, strlen(file) };

	if (*file == '.')
		return false;
	if (kind != TREE_SAVED) {
		name.len = stem_len(file);
		if (!file[name.len])
			return false;
	}
	return !pattern || selector_name_fits(pattern, &name);
}

/*
 * Add the files in a directory whose names match @pattern, or all if it is NULL, in natural
 * order; return 0 or errno of the directory.
 */
static int add_found(struct trees *trees, const char *directory,
		     const struct selector_name *pattern, enum tree_kind kind,
		     struct selector *selector)
{
	struct dirent **entries;
	char *path;
	int i, nr;

	nr = scandir(directory, &entries, NULL, versionsort);
	if (nr < 0)
		return errno;
	for (i = 0; i < nr; i++) {
		if (is_found(entries[i]->d_name, pattern, kind)) {
			path = must_format("%s/%s", directory, entries[i]->d_name);
			add_tree(trees, path, kind, true, selector);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Return the path of a published tree, or of the directory of all for "". */
static char *published_path(enum tree_kind kind, const char *name)
{
	char *file = must_format("%s%s%s", directories[kind], *name ? "/" : "", name);
	char *path = debugfs_path(file, *name ? VITRINE_INSPECT_SUFFIX : "");

	free(file);
	return path;
}

/* Add trees of the running module and retained ones, if there is the directory. */
static struct vitrine_error *add_published(struct trees *trees,
					   const struct selector_name *pattern,
					   enum tree_kind kind,
					   struct selector *selector)
{
	char *directory = published_path(kind, "");
	struct vitrine_error *err = NULL;
	int code;

	code = add_found(trees, directory, pattern, kind, selector);
	if (code && (kind == TREE_LIVE || code != ENOENT))
		err = debugfs_explain(code, directory);
	free(directory);
	return err;
}

static struct vitrine_error *add_all_published(struct trees *trees,
					       const struct selector_name *pattern,
					       struct selector *selector)
{
	struct vitrine_error *err;

	err = add_published(trees, pattern, TREE_LIVE, selector);
	if (!err)
		err = add_published(trees, pattern, TREE_RETAINED, selector);
	return err;
}

/* Make the error for a name that no tree of the running module has. Returns an error. */
static struct vitrine_error *unfound_tree(const char *name)
{
	struct trees trees = { 0 };
	struct vitrine_error *err;
	struct nearest nearest;
	const char *file;
	size_t i;

	nearest_init(&nearest, name, strcspn(name, ":"));
	vitrine_error_destroy(add_all_published(&trees, NULL, NULL));
	for (i = 0; i < trees.nr; i++) {
		file = strrchr(trees.trees[i].path, '/') + 1;
		nearest_offer(&nearest, file, stem_len(file));
	}
	err = nothing_selected(name, &nearest, "run `vitrine list' to see them",
			       "no tree or file has this name; there %s %zu tree%s",
			       trees.nr == 1 ? "is" : "are", trees.nr, trees.nr == 1 ? "" : "s");
	trees_destroy(&trees);
	return err;
}

/* Return the last "/" of a pattern; only the part after it may have a "*". */
static const char *last_slash(const struct selector_name *pattern)
{
	return memrchr(pattern->bytes, '/', pattern->len);
}

/* Add the files that match the selector's pattern, in its directory. */
static struct vitrine_error *add_files(struct trees *trees,
				       struct selector *selector)
{
	const char *slash = last_slash(&selector->tree);
	struct selector_name directory = {
		selector->tree.bytes, slash - selector->tree.bytes,
	};
	struct selector_name pattern = {
		slash + 1, selector->tree.len - directory.len - 1,
	};
	struct vitrine_error *err = NULL;
	char *path;
	int code;

	if (selector_name_is_pattern(&directory))
		return vitrine_error_create(EINVAL, selector->text,
					    VITRINE_NO_OFFSET, NULL,
					    "* is allowed in the last part of a path only");
	path = selector_name_unescape(&directory);
	code = add_found(trees, *path ? path : "/", &pattern, TREE_SAVED, selector);
	if (code)
		err = vtr_error_os(code, *path ? path : "/", "cannot read the directory");
	free(path);
	return err;
}

static bool is_retained(const struct selector_name *name)
{
	return name->len > strlen(RETAINED) &&
	       !memcmp(name->bytes, RETAINED, strlen(RETAINED));
}

static struct vitrine_error *add_pattern(struct trees *trees,
					 struct selector *selector)
{
	struct selector_name retained = {
		selector->tree.bytes + strlen(RETAINED),
		selector->tree.len - strlen(RETAINED),
	};
	size_t nr_before = trees->nr;
	struct vitrine_error *err;

	if (is_retained(&selector->tree))
		err = add_published(trees, &retained, TREE_RETAINED, selector);
	else if (last_slash(&selector->tree))
		err = add_files(trees, selector);
	else
		err = add_all_published(trees, &selector->tree, selector);
	if (err || trees->nr > nr_before)
		return err;
	return unfound_tree(selector->text);
}

/* ---- One tree ---------------------------------------------------------- */

/* Make the error for a name that is neither a tree nor a file. */
static struct vitrine_error *explain_name(const char *name, int code)
{
	char *directory = published_path(TREE_LIVE, "");
	struct vitrine_error *err;

	if (code == ENOENT && !access(directory, F_OK))
		err = unfound_tree(name);
	else
		err = debugfs_explain(code, directory);
	free(directory);
	return err;
}

/* Add the tree if it exists; return 0, or errno if it does not. */
static int add_published_name(struct trees *trees, const char *name, enum tree_kind kind,
			      struct selector *selector)
{
	char *path = published_path(kind, name);
	int code = access(path, F_OK) ? errno : 0;

	if (!code)
		add_tree(trees, path, kind, false, selector);
	free(path);
	return code;
}

/*
 * @name is a file if it has a slash or is "-", standard input; else a live tree, a
 * retained tree or a file, whichever exists first. "retained/NAME" is a retained tree
 * if that exists.
 */
static struct vitrine_error *add_name(struct trees *trees, const char *name,
				      struct selector *selector)
{
	const char *retained = text_after(name, RETAINED);
	bool is_file = !strcmp(name, "-") || (strchr(name, '/') && !retained);
	int code = 0;

	if (!is_file) {
		code = retained ?
		       add_published_name(trees, retained, TREE_RETAINED, selector) :
		       add_published_name(trees, name, TREE_LIVE, selector);
		if (!code || (!retained &&
			      !add_published_name(trees, name, TREE_RETAINED, selector)))
			return NULL;
	}
	if (!is_file && access(name, F_OK))
		return explain_name(name, code);
	add_tree(trees, name, TREE_SAVED, false, selector);
	return NULL;
}

/* ---- Arguments --------------------------------------------------------- */

/* A file name may have a colon that nobody escaped. */
static bool is_file_as_it_stands(const char *arg)
{
	return strpbrk(arg, ":*\\") && !access(arg, F_OK);
}

static struct vitrine_error *add_selector(struct trees *trees,
					  struct selector *selector)
{
	struct vitrine_error *err;
	char *name;

	must_have(GROW(trees->selectors, trees->nr_selectors));
	trees->selectors[trees->nr_selectors++] = selector;
	if (selector_name_is_pattern(&selector->tree)) {
		trees->single = false;
		return add_pattern(trees, selector);
	}
	name = selector_name_unescape(&selector->tree);
	err = add_name(trees, name, selector);
	free(name);
	return err;
}

static int add_arg(struct trees *trees, const char *arg)
{
	struct selector *selector = NULL;
	struct vitrine_error *err;
	bool bad_selector;
	int status;

	if (is_file_as_it_stands(arg)) {
		add_tree(trees, arg, TREE_SAVED, false, NULL);
		return EXIT_DONE;
	}
	err = selector_create(arg, &selector);
	if (!err)
		err = add_selector(trees, selector);
	if (!err)
		return EXIT_DONE;
	bad_selector = err->code == EINVAL;
	status = report_error(err);
	return bad_selector ? EXIT_USAGE : status;
}

/**
 * trees_find() - find the trees that arguments name
 * @trees: an empty set
 * @args: names, files and selectors
 * @nr_args: number of @args; 0 means all trees of the running module
 *
 * Opens nothing. Errors are reported.
 *
 * Return: enum exit_code: EXIT_USAGE for an invalid selector, EXIT_BAD_INPUT for trees
 * that do not exist.
 */
int trees_find(struct trees *trees, char **args, int nr_args)
{
	struct vitrine_error *err;
	int i, status = EXIT_DONE;

	trees->single = nr_args == 1;
	for (i = 0; i < nr_args; i++)
		status = worse(status, add_arg(trees, args[i]));
	if (nr_args)
		return status;
	err = add_all_published(trees, NULL, NULL);
	return err ? report_error(err) : EXIT_DONE;
}

/* ---- Selection --------------------------------------------------------- */

/* Put the name of a value behind those of its ancestors, which were judged before it. */
static size_t extend_path(struct judgement *judgement, const struct vitrine_value *value)
{
	const struct vitrine_value *above;
	size_t nr = 0;

	for (above = value; above; above = vitrine_value_parent(above))
		nr++;
	judgement->path[nr - 1] = (struct selector_name){ value->name->bytes, value->name->len };
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
	size_t i, nr = extend_path(judgement, value);

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

/**
 * tree_close() - free what has been read of a tree, and close its file
 * @tree: tree
 */
void tree_close(struct tree *tree)
{
	vitrine_hierarchy_destroy(tree->hierarchy);
	vitrine_snapshot_destroy(tree->snapshot);
	vitrine_source_destroy(tree->source);
	tree->hierarchy = NULL;
	tree->snapshot = NULL;
	tree->source = NULL;
}

static struct vitrine_error *tree_open(struct tree *tree)
{
	const char *path = tree->path;
	struct vitrine_error *err;

	if (tree->kind == TREE_SAVED && !tree->input) {
		tree->input = calloc(1, sizeof(*tree->input));
		must_have(tree->input);
		err = input_open(tree->input, tree->path);
		if (err)
			return err;
	}
	if (tree->input)
		path = tree->input->path;
	return vitrine_source_create(path, 0, &tree->source);
}

/* Close a tree that cannot be read; put the user's name for a copy of its file into @err. */
static struct vitrine_error *tree_give_up(struct tree *tree, struct vitrine_error *err)
{
	tree_close(tree);
	return tree->input ? input_blame(tree->input, err) : err;
}

/**
 * tree_load() - read a tree, without the trees that links lead to
 * @tree: tree
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *tree_load(struct tree *tree)
{
	struct vitrine_error *err = NULL;

	if (!tree->source)
		err = tree_open(tree);
	if (!err)
		err = vitrine_snapshot_create(tree->source, &tree->snapshot);
	if (!err)
		err = vitrine_hierarchy_create(tree->snapshot,
					       &tree->hierarchy);
	return err ? tree_give_up(tree, err) : NULL;
}

static struct vitrine_error *tree_read(struct tree *tree)
{
	struct vitrine_error *err;

	err = tree_load(tree);
	if (err)
		return err;
	/* Links that are not selected are dropped before they are followed. */
	tree_cut(tree, false);
	err = vitrine_hierarchy_follow_links(tree->hierarchy, tree->path);
	if (err)
		return tree_give_up(tree, err);
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

static int report_links(const struct tree *tree)
{
	const struct vitrine_value *value;
	int status = EXIT_DONE;

	if (!tree->hierarchy->has_links)
		return EXIT_DONE;
	for (value = tree->hierarchy->first; value; value = vtr_value_after(value))
		if (has_failed(value))
			status = worse(status, print_error(vitrine_value_link_error(value)));
	return status;
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
	return diff_values(vitrine_hierarchy_first(old->hierarchy),
			   vitrine_hierarchy_first(new->hierarchy), NULL);
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
