// SPDX-License-Identifier: GPL-2.0
/*
 * Find the trees or files that the arguments of a command name (names, files and selectors), read
 * them, once or again, and drop everything that no selector selects. If a selector or the name of
 * a tree selects nothing, say which of its names there is not, what there is in its place, and
 * which name is the nearest. Compare two trees.
 *
 * One thread. If a tree cannot be read, the others still are.
 */
#define _GNU_SOURCE	/* memrchr(), versionsort() */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "value.h"
#include "vitrine.h"
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
static struct unfound {
	const struct selector *selector;
	const char *tree;
	size_t level;
	char parent[NEAREST_BYTES];
	size_t nr_nodes;
	size_t nr_properties;
	struct nearest nearest;
} unfound;

#define RETAINED	"retained/"

/* Where the module publishes trees. */
static const char * const directories[] = {
	[TREE_LIVE]	= VITRINE_INSPECT_DIR,
	[TREE_RETAINED]	= VITRINE_INSPECT_DIR "/retained",
};

/*
 * Application of the selectors of one tree: the tree; links have been followed, and those that
 * remain could not be; names from the root to the current value.
 */
static const struct tree *judged;
static bool links_followed;
static struct selector_name judged_path[VITRINE_MAX_DEPTH];

/* The set that is filled, and the selector of the argument that it is filled from, or NULL. */
static struct trees *set;
static struct selector *chosen;

/* ---- Values ------------------------------------------------------------ */

static const struct selector_name *name_at(const struct selector *selector, size_t level)
{
	return level < selector->nr_nodes ? &selector->nodes[level] : &selector->property;
}

static void begin_level(const char *tree, size_t level,
			const struct vitrine_value *parent)
{
	const struct selector_name *sought = name_at(unfound.selector, level);

	unfound.tree = tree;
	unfound.level = level;
	snprintf(unfound.parent, sizeof(unfound.parent), "%.*s",
		 parent ? (int)parent->name->len : 0, parent ? parent->name->bytes : "");
	unfound.nr_nodes = 0;
	unfound.nr_properties = 0;
	nearest_init(&unfound.nearest, sought->bytes, sought->len);
}

/* Descend as far as the selector leads. Depth: VITRINE_MAX_DEPTH at most. */
static void descend(const char *tree, size_t level,
		    const struct vitrine_value *parent, const struct vitrine_value *value)
{
	const bool is_first = !unfound.tree || level > unfound.level;

	if (is_first)
		begin_level(tree, level, parent);
	for (; value; value = value->next) {
		const bool is_node = value->type == VITRINE_NODE;
		const struct selector_name name = { value->name->bytes, value->name->len };

		if (is_first && unfound.level == level) {
			unfound.nr_nodes += is_node;
			unfound.nr_properties += !is_node;
		}
		if (unfound.level == level)
			nearest_offer(&unfound.nearest, name.bytes, name.len);
		if (is_node && level < unfound.selector->nr_nodes &&
		    selector_name_fits(name_at(unfound.selector, level), &name))
			descend(tree, level + 1, value, value->first_child);
	}
}

/* Search a tree in which the selector selects nothing. */
static void unfound_search(const char *tree, const char *path,
			   const struct vitrine_snapshot *snapshot)
{
	struct vitrine_hierarchy *whole = NULL;
	const struct vitrine_value *root;

	/* An error is one that reading the tree has reported before. */
	vitrine_error_destroy(vitrine_hierarchy_create(snapshot, &whole) ?:
			      vitrine_hierarchy_follow_links(whole, path));
	root = whole ? vitrine_hierarchy_first(whole) : NULL;
	if (root && unfound.selector->below_root)
		descend(tree, 0, root, root->first_child);
	else
		descend(tree, 0, NULL, root);
	vitrine_hierarchy_destroy(whole);
}

/* Make the error for a selector that selects no value. Returns an error. */
static struct vitrine_error *unfound_values(void)
{
	const struct selector *selector = unfound.selector;
	const char *what;

	if (!unfound.tree)
		return nothing_selected(selector->text, NULL, NULL,
					"none of its trees can be read");
	what = unfound.level >= selector->nr_nodes ? "property" :
	       unfound.level + 1 == selector->nr_nodes && !selector->has_property ?
	       "node or property" : "node";
	return nothing_selected(selector->text, &unfound.nearest, NULL,
				"node \"%s\" of tree \"%s\" has no %s \"%s\"; it has %zu %s and %zu %s",
				unfound.parent, unfound.tree, what, unfound.nearest.asked,
				unfound.nr_nodes, unfound.nr_nodes == 1 ? "node" : "nodes",
				unfound.nr_properties,
				unfound.nr_properties == 1 ? "property" : "properties");
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

static struct tree *tree_by_path(const char *path)
{
	size_t i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->trees[i].path, path))
			return &set->trees[i];
	return NULL;
}

/* Add a tree, or another selector to a tree named before. */
static void add_tree(const char *path, enum tree_kind kind, bool is_found)
{
	struct tree *tree = tree_by_path(path);
	size_t i;

	if (!tree) {
		must_have(GROW(set->trees, set->nr));
		tree = &set->trees[set->nr];
		*tree = (struct tree){
			.path = must_format("%s", path),
			.name = name_of(path, kind),
			.kind = kind,
			.is_found = is_found,
		};
		for (i = 0; i < set->nr; i++)
			tree->ordinal += !strcmp(set->trees[i].name, tree->name);
		set->nr++;
	}
	tree->is_found &= is_found;
	if (!chosen || !chosen->nr_nodes) {
		tree->whole = true;
		return;
	}
	must_have(GROW(tree->selectors, tree->nr_selectors));
	tree->selectors[tree->nr_selectors++] = chosen;
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
static int add_found(const char *directory, const struct selector_name *pattern,
		     enum tree_kind kind)
{
	struct dirent **entries;
	int i, nr;

	nr = scandir(directory, &entries, NULL, versionsort);
	if (nr < 0)
		return errno;
	for (i = 0; i < nr; i++) {
		if (is_found(entries[i]->d_name, pattern, kind)) {
			autofree char *path = must_format("%s/%s", directory, entries[i]->d_name);

			add_tree(path, kind, true);
		}
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Return the path of a published tree, or of the directory of all for "". */
static char *published_path(enum tree_kind kind, const char *name)
{
	autofree char *file = must_format("%s%s%s%s", directories[kind], *name ? "/" : "", name,
					  *name ? VITRINE_INSPECT_SUFFIX : "");

	return debugfs_path(file);
}

/* Add trees of the running module and retained ones, if there is the directory. */
static struct vitrine_error *add_published(const struct selector_name *pattern,
					   enum tree_kind kind)
{
	autofree char *directory = published_path(kind, "");
	int code = add_found(directory, pattern, kind);

	return code && (kind == TREE_LIVE || code != ENOENT) ?
	       debugfs_explain(code, directory) : NULL;
}

static struct vitrine_error *add_all_published(const struct selector_name *pattern)
{
	return add_published(pattern, TREE_LIVE) ?: add_published(pattern, TREE_RETAINED);
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
	/* After the error, nothing is added to the other set. */
	set = &trees;
	vitrine_error_destroy(add_all_published(NULL));
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
static struct vitrine_error *add_files(void)
{
	const char *slash = last_slash(&chosen->tree);
	struct selector_name directory = {
		chosen->tree.bytes, slash - chosen->tree.bytes,
	};
	struct selector_name pattern = {
		slash + 1, chosen->tree.len - directory.len - 1,
	};
	autofree char *path = NULL;
	int code;

	if (selector_name_is_pattern(&directory))
		return make_error(EINVAL, chosen->text, NULL,
				  "* is allowed in the last part of a path only");
	path = selector_name_unescape(&directory);
	code = add_found(*path ? path : "/", &pattern, TREE_SAVED);
	return code ? vtr_error_os(code, *path ? path : "/", "cannot read the directory") : NULL;
}

static bool is_retained(const struct selector_name *name)
{
	return name->len > strlen(RETAINED) &&
	       !memcmp(name->bytes, RETAINED, strlen(RETAINED));
}

static struct vitrine_error *add_pattern(void)
{
	struct selector_name retained = {
		chosen->tree.bytes + strlen(RETAINED),
		chosen->tree.len - strlen(RETAINED),
	};
	size_t nr_before = set->nr;
	struct vitrine_error *err;

	if (is_retained(&chosen->tree))
		err = add_published(&retained, TREE_RETAINED);
	else if (last_slash(&chosen->tree))
		err = add_files();
	else
		err = add_all_published(&chosen->tree);
	if (err || set->nr > nr_before)
		return err;
	return unfound_tree(chosen->text);
}

/* ---- One tree ---------------------------------------------------------- */

/* Make the error for a name that is neither a tree nor a file. */
static struct vitrine_error *explain_name(const char *name, int code)
{
	autofree char *directory = published_path(TREE_LIVE, "");

	return code == ENOENT && !access(directory, F_OK) ? unfound_tree(name) :
							    debugfs_explain(code, directory);
}

/* Add the tree if it exists; return 0, or errno if it does not. */
static int add_published_name(const char *name, enum tree_kind kind)
{
	autofree char *path = published_path(kind, name);

	if (access(path, F_OK))
		return errno;
	add_tree(path, kind, false);
	return 0;
}

/*
 * @name is a file if it has a slash or is "-", standard input; else a live tree, a
 * retained tree or a file, whichever exists first. "retained/NAME" is a retained tree
 * if that exists.
 */
static struct vitrine_error *add_name(const char *name)
{
	const char *retained = text_after(name, RETAINED);
	bool is_file = !strcmp(name, "-") || (strchr(name, '/') && !retained);
	int code = 0;

	if (!is_file) {
		code = retained ? add_published_name(retained, TREE_RETAINED) :
				  add_published_name(name, TREE_LIVE);
		if (!code || (!retained && !add_published_name(name, TREE_RETAINED)))
			return NULL;
	}
	if (!is_file && access(name, F_OK))
		return explain_name(name, code);
	add_tree(name, TREE_SAVED, false);
	return NULL;
}

/* ---- Arguments --------------------------------------------------------- */

/* A file name may have a colon that nobody escaped. */
static bool is_file_as_it_stands(const char *arg)
{
	return strpbrk(arg, ":*\\") && !access(arg, F_OK);
}

static struct vitrine_error *add_selector(void)
{
	autofree char *name = NULL;

	must_have(GROW(set->selectors, set->nr_selectors));
	set->selectors[set->nr_selectors++] = chosen;
	if (selector_name_is_pattern(&chosen->tree)) {
		set->single = false;
		return add_pattern();
	}
	name = selector_name_unescape(&chosen->tree);
	return add_name(name);
}

static int add_arg(struct trees *trees, const char *arg)
{
	struct vitrine_error *err;
	bool bad_selector;
	int status;

	set = trees;
	chosen = NULL;
	if (is_file_as_it_stands(arg)) {
		add_tree(arg, TREE_SAVED, false);
		return EXIT_DONE;
	}
	err = selector_create(arg, &chosen) ?: add_selector();
	if (!err)
		return EXIT_DONE;
	bad_selector = err->code == EINVAL;
	status = report_error(err);
	return bad_selector ? EXIT_USAGE : status;
}

/**
 * trees_find() - find the trees that arguments name
 * @trees: an empty set
 * @args: names, files and selectors, with NULL behind them; NULL means all trees of the running
 *	module
 *
 * Opens nothing. Errors are reported.
 *
 * Return: enum exit_code: EXIT_USAGE for an invalid selector, EXIT_BAD_INPUT for trees
 * that do not exist.
 */
int trees_find(struct trees *trees, char **args)
{
	struct vitrine_error *err;
	int status = EXIT_DONE;

	if (!args) {
		set = trees;
		chosen = NULL;
		err = add_all_published(NULL);
		return err ? report_error(err) : EXIT_DONE;
	}
	trees->single = !args[1];
	for (; *args; args++)
		status = worse(status, add_arg(trees, *args));
	return status;
}

/* ---- Selection --------------------------------------------------------- */

/* Put the name of a value behind those of its ancestors, which were judged before it. */
static size_t extend_path(const struct vitrine_value *value)
{
	const struct vitrine_value *above;
	size_t nr = 0;

	for (above = value; above; above = above->parent)
		nr++;
	judged_path[nr - 1] = (struct selector_name){ value->name->bytes, value->name->len };
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
				     const struct vitrine_value *value, size_t nr_names)
{
	enum vitrine_type type = value->type;
	bool may_lead = !links_followed || has_failed(value);
	enum vitrine_verdict verdict;

	verdict = selector_judge(selector, judged_path, nr_names, type == VITRINE_NODE);
	if (type != VITRINE_LINK || verdict == VITRINE_KEEP)
		return verdict;
	/* The values of an inline link belong to its parent, which is being descended into. */
	if (vitrine_value_disposition(value) == INSPECT_LINK_INLINE)
		return may_lead ? VITRINE_KEEP : VITRINE_DROP;
	verdict = selector_judge(selector, judged_path, nr_names, true);
	return verdict == VITRINE_DESCEND && may_lead ? VITRINE_KEEP : verdict;
}

static enum vitrine_verdict judge(void *ctx, const struct vitrine_value *value)
{
	enum vitrine_verdict best = VITRINE_DROP, verdict;
	size_t i, nr = extend_path(value);

	for (i = 0; i < judged->nr_selectors; i++) {
		verdict = judge_by(judged->selectors[i], value, nr);
		if (verdict == VITRINE_KEEP && links_followed)
			judged->selectors[i]->found = true;
		if (verdict != VITRINE_DROP && best != VITRINE_KEEP)
			best = verdict;
	}
	return best;
}

static void tree_cut(const struct tree *tree, bool after_links)
{
	judged = tree;
	links_followed = after_links;
	if (!tree->whole)
		vitrine_hierarchy_filter(tree->hierarchy, judge, NULL);
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
	struct input *input = &tree->input;
	struct vitrine_error *err = NULL;

	if (tree->source)
		return NULL;
	if (tree->kind == TREE_SAVED && !input->path)
		err = input_open(input, tree->path);
	return err ?: vitrine_source_create(input->path ?: tree->path, 0, &tree->source);
}

/* Close a tree that cannot be read; put the user's name for a copy of its file into @err. */
static struct vitrine_error *tree_give_up(struct tree *tree, struct vitrine_error *err)
{
	tree_close(tree);
	return input_blame(&tree->input, err);
}

/**
 * tree_load() - read a tree, without the trees that links lead to
 * @tree: tree
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *tree_load(struct tree *tree)
{
	struct vitrine_error *err = tree_open(tree) ?:
		vitrine_snapshot_create(tree->source, &tree->snapshot) ?:
		vitrine_hierarchy_create(tree->snapshot, &tree->hierarchy);

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
	const struct tree *tree;
	size_t i;

	unfound = (struct unfound){ .selector = selector };
	for (i = 0; i < trees->nr; i++) {
		tree = &trees->trees[i];
		if (tree->snapshot && has_selector(tree, selector))
			unfound_search(tree->name, tree->path, tree->snapshot);
	}
	return report_error(unfound_values());
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

/* ---- Comparing values -------------------------------------------------- */

/**
 * tree_same_slot() - compare properties, or elements of two arrays
 * @old: property
 * @new: property
 * @slot: of arrays, index of the elements
 *
 * Return: true if they are equal; a NaN equals itself.
 */
bool tree_same_slot(const struct vitrine_value *old, const struct vitrine_value *new,
		    unsigned int slot)
{
	struct vtr_number a = vtr_value_number(old, slot);
	struct vtr_number b = vtr_value_number(new, slot);
	const char *a_bytes, *b_bytes;
	size_t a_len, b_len;

	if (a.type <= VITRINE_BOOL)
		return a.type == b.type && a.u == b.u;
	a_bytes = vtr_value_text(old, slot, &a_len);
	b_bytes = vtr_value_text(new, slot, &b_len);
	return a.type == b.type && a_len == b_len && !memcmp(a_bytes, b_bytes, a_len);
}

/**
 * tree_same_slots() - compare types; of arrays, also the format, the length and elements
 * @old: property
 * @new: property
 * @nr: number of elements to compare; UINT_MAX: all
 *
 * Return: true if they are equal.
 */
bool tree_same_slots(const struct vitrine_value *old, const struct vitrine_value *new,
		     unsigned int nr)
{
	struct vitrine_array a = vitrine_value_array(old);
	struct vitrine_array b = vitrine_value_array(new);
	unsigned int i;

	if (old->type != new->type ||
	    a.type != b.type || a.format != b.format || a.count != b.count)
		return false;
	for (i = 0; i < a.count && i < nr; i++)
		if (!tree_same_slot(old, new, i))
			return false;
	return true;
}

static int link_code(const struct vitrine_value *value)
{
	const struct vitrine_error *err = vitrine_value_link_error(value);

	return err ? err->code : 0;
}

static bool same_property(const struct vitrine_value *old, const struct vitrine_value *new)
{
	bool is_array = old->type == VITRINE_ARRAY;

	return tree_same_slots(old, new, UINT_MAX) &&
	       (is_array || tree_same_slot(old, new, 0)) &&
	       vitrine_value_disposition(old) == vitrine_value_disposition(new) &&
	       link_code(old) == link_code(new);
}

/*
 * Siblings have the same order in both trees, so one walk over both side by side finds all
 * differences. Nothing is copied.
 */

/* Report @value, or everything below it, as present in one tree only. */
static bool only_in_one(tree_differs_fn *differs, const struct vitrine_value *value, bool in_new)
{
	const struct vitrine_value *child = value->first_child;

	if (!child)
		return differs && differs(in_new ? NULL : value, in_new ? value : NULL);
	for (; child; child = child->next)
		if (!only_in_one(differs, child, in_new))
			return false;
	return true;
}

/* Compare two values of the same name. */
static bool walk_pair(tree_differs_fn *differs, const struct vitrine_value *old,
		      const struct vitrine_value *new)
{
	if (old->type == VITRINE_NODE && new->type == VITRINE_NODE)
		return tree_compare(old->first_child, new->first_child, differs);
	if (old->type == VITRINE_NODE || new->type == VITRINE_NODE)
		return only_in_one(differs, old, false) && only_in_one(differs, new, true);
	return same_property(old, new) ||
	       (differs && differs(old, new));
}

/**
 * tree_compare() - find the differences of two trees, or of parts of them
 * @old: first of some siblings, or NULL
 * @new: first of some siblings, or NULL
 * @differs: called for each difference, in the order of names; NULL: end at the first one
 *
 * Return: false if the comparison was ended.
 */
bool tree_compare(const struct vitrine_value *old, const struct vitrine_value *new,
		  tree_differs_fn *differs)
{
	bool go_on = true;
	int order;

	while (go_on && (old || new)) {
		order = !old ? 1 : !new ? -1 : vitrine_value_compare(old, new);
		if (order < 0)
			go_on = only_in_one(differs, old, false);
		else if (order > 0)
			go_on = only_in_one(differs, new, true);
		else
			go_on = walk_pair(differs, old, new);
		old = order <= 0 ? old->next : old;
		new = order >= 0 ? new->next : new;
	}
	return go_on;
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
	return tree_compare(vitrine_hierarchy_first(old->hierarchy),
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
	struct tree *tree;
	size_t i;

	for (tree = trees->trees; tree < trees->trees + trees->nr; tree++) {
		tree_close(tree);
		input_close(&tree->input);
		free(tree->path);
		free(tree->name);
		free(tree->selectors);
	}
	for (i = 0; i < trees->nr_selectors; i++)
		selector_destroy(trees->selectors[i]);
	free(trees->trees);
	free(trees->selectors);
	*trees = (struct trees){ 0 };
}
