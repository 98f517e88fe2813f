// SPDX-License-Identifier: GPL-2.0
/*
 * Find trees by their names, files or selectors, read them, and leave out what
 * no selector selects.
 *
 * One thread. A tree that cannot be read does not keep the others from being
 * read.
 */
#define _GNU_SOURCE	/* asprintf(), versionsort() */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "commands.h"
#include "debugfs.h"
#include "diff.h"
#include "error.h"
#include "trees.h"

#define RETAINED	"retained/"

static const char suffix[] = VITRINE_INSPECT_SUFFIX;

/* ---- The set ----------------------------------------------------------- */

/* Length of a file's name without the suffix. */
static size_t stem_len(const char *file)
{
	size_t len = strlen(file), end = strlen(suffix);

	return len > end && !strcmp(file + len - end, suffix) ? len - end : len;
}

static char *name_of(const char *path, enum tree_kind kind)
{
	const char *file = strrchr(path, '/');
	char *name;

	file = file ? file + 1 : path;
	if (asprintf(&name, "%s%.*s", kind == TREE_RETAINED ? RETAINED : "",
		     (int)stem_len(file), file) < 0)
		return NULL;
	return name;
}

static struct tree *tree_by_path(const struct trees *trees, const char *path)
{
	size_t i;

	for (i = 0; i < trees->nr; i++)
		if (!strcmp(trees->trees[i].path, path))
			return &trees->trees[i];
	return NULL;
}

/* Takes @path over. NULL: no memory. */
static struct tree *tree_append(struct trees *trees, char *path,
				enum tree_kind kind)
{
	struct tree *tree;
	size_t i;

	tree = reallocarray(trees->trees, trees->nr + 1, sizeof(*tree));
	if (tree)
		trees->trees = tree;
	if (!tree || !path) {
		free(path);
		return NULL;
	}
	tree = &trees->trees[trees->nr++];
	*tree = (struct tree){
		.path = path,
		.name = name_of(path, kind),
		.kind = kind,
	};
	if (!tree->name)
		return NULL;
	for (i = 0; i + 1 < trees->nr; i++)
		if (!strcmp(trees->trees[i].name, tree->name))
			tree->ordinal++;
	return tree;
}

/* Takes @path over. A tree named twice is one tree, of which more is wanted. */
static struct vitrine_error *add_tree(struct trees *trees, char *path,
				      enum tree_kind kind,
				      struct selector *selector)
{
	struct tree *tree = path ? tree_by_path(trees, path) : NULL;
	struct selector **selectors;

	if (tree)
		free(path);
	else
		tree = tree_append(trees, path, kind);
	if (!tree)
		return vtr_error_no_memory();
	if (!selector || !selector->nr_nodes) {
		tree->whole = true;
		return NULL;
	}
	selectors = reallocarray(tree->selectors, tree->nr_selectors + 1,
				 sizeof(struct selector *));
	if (!selectors)
		return vtr_error_no_memory();
	tree->selectors = selectors;
	selectors[tree->nr_selectors++] = selector;
	return NULL;
}

/* ---- Several trees: a directory ---------------------------------------- */

/**
 * struct search - for files in a directory
 * @directory: which
 * @pattern: of their names, NULL for all
 * @kind: of the trees they are
 * @selector: of what is wanted of them, or NULL
 */
struct search {
	const char *directory;
	const struct selector_name *pattern;
	enum tree_kind kind;
	struct selector *selector;
};

/* Of a saved tree the suffix is part of the name, as the file's name is. */
static bool is_found(const struct search *search, const char *file)
{
	struct selector_name name = { file, strlen(file) };

	if (*file == '.')
		return false;
	if (search->kind != TREE_SAVED) {
		name.len = stem_len(file);
		if (!file[name.len])
			return false;
	}
	return !search->pattern || selector_name_fits(search->pattern, &name);
}

/* Add what is found, in natural order. Return 0 or errno of the directory. */
static int add_found(struct trees *trees, const struct search *search,
		     struct vitrine_error **err)
{
	struct dirent **entries;
	int i, nr;

	nr = scandir(search->directory, &entries, NULL, versionsort);
	if (nr < 0)
		return errno;
	for (i = 0; i < nr; i++) {
		char *path = NULL;

		if (!*err && is_found(search, entries[i]->d_name)) {
			if (asprintf(&path, "%s/%s", search->directory,
				     entries[i]->d_name) < 0)
				path = NULL;
			*err = add_tree(trees, path, search->kind,
					search->selector);
		}
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Those of the running module; retained ones, if it has the directory. */
static struct vitrine_error *add_published(struct trees *trees,
					   const struct selector_name *pattern,
					   enum tree_kind kind,
					   struct selector *selector)
{
	char *directory = debugfs_path(kind == TREE_LIVE ? VITRINE_INSPECT_DIR :
				       VITRINE_INSPECT_DIR "/retained", "");
	const struct search search = {
		.directory = directory,
		.pattern = pattern,
		.kind = kind,
		.selector = selector,
	};
	struct vitrine_error *err = NULL;
	int code;

	if (!directory)
		return vtr_error_no_memory();
	code = add_found(trees, &search, &err);
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

/* The last "/" of a pattern: only what follows it may have a "*". */
static const char *last_slash(const struct selector_name *pattern)
{
	return memrchr(pattern->bytes, '/', pattern->len);
}

/* Files by the name; the directory is taken as it is. */
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
	struct search search = {
		.pattern = &pattern,
		.kind = TREE_SAVED,
		.selector = selector,
	};
	struct vitrine_error *err = NULL;
	char *path;
	int code;

	if (selector_name_is_pattern(&directory))
		return vitrine_error_create(EINVAL, selector->text,
					    VITRINE_NO_OFFSET, NULL,
					    "only a file's name may have a *, not its directory");
	path = selector_name_unescape(&directory);
	if (!path)
		return vtr_error_no_memory();
	search.directory = *path ? path : "/";
	code = add_found(trees, &search, &err);
	if (code)
		err = vitrine_error_create(code, search.directory,
					   VITRINE_NO_OFFSET, NULL,
					   "cannot read the directory: %s",
					   strerror(code));
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
	return vitrine_error_create(ENOENT, selector->text, VITRINE_NO_OFFSET,
				    "`vitrine list' names all trees",
				    "no tree has a name like this");
}

/* ---- One tree ---------------------------------------------------------- */

/* Neither a tree nor a file: because there is no module, or no such tree? */
static struct vitrine_error *explain_name(const char *name, int code)
{
	char *directory = debugfs_path(VITRINE_INSPECT_DIR, "");
	bool loaded = directory && !access(directory, F_OK);
	struct vitrine_error *err;

	if (!directory)
		err = vtr_error_no_memory();
	else if (!loaded || code != ENOENT)
		err = debugfs_explain(code, directory);
	else
		err = vitrine_error_create(ENOENT, name, VITRINE_NO_OFFSET,
					   "`vitrine list' names all trees",
					   "there is no such tree or file");
	free(directory);
	return err;
}

/*
 * The path of inspect/NAME.inspect, or of inspect/retained/NAME.inspect. NULL
 * without memory; @code is 0, or errno if it is not there.
 */
static char *published_path(const char *name, const char *directory, int *code)
{
	char *file, *path;

	if (asprintf(&file, VITRINE_INSPECT_DIR "/%s%s", directory, name) < 0)
		return NULL;
	path = debugfs_path(file, suffix);
	free(file);
	*code = path && access(path, F_OK) ? errno : 0;
	return path;
}

/* Add the tree if it is there; @code is 0, or why it is not. */
static struct vitrine_error *add_published_name(struct trees *trees,
						const char *name,
						enum tree_kind kind,
						struct selector *selector,
						int *code)
{
	const char *directory = kind == TREE_RETAINED ? RETAINED : "";
	char *path = published_path(name, directory, code);

	if (!path)
		return vtr_error_no_memory();
	if (!*code)
		return add_tree(trees, path, kind, selector);
	free(path);
	return NULL;
}

/*
 * A file if @name has a slash; else a tree if there is one of the name, or a
 * retained one, or a file. "retained/NAME" is a retained tree before it is a
 * file.
 */
static struct vitrine_error *add_name(struct trees *trees, const char *name,
				      struct selector *selector)
{
	const bool retained = !strncmp(name, RETAINED, strlen(RETAINED));
	struct vitrine_error *err;
	int code, why;

	if (strchr(name, '/') && !retained)
		return add_tree(trees, strdup(name), TREE_SAVED, selector);
	if (retained) {
		err = add_published_name(trees, name + strlen(RETAINED),
					 TREE_RETAINED, selector, &why);
		code = why;
	} else {
		err = add_published_name(trees, name, TREE_LIVE, selector,
					 &why);
		code = why;
		if (!err && code)
			err = add_published_name(trees, name, TREE_RETAINED,
						 selector, &code);
	}
	if (err || !code)
		return err;
	if (!access(name, F_OK))
		return add_tree(trees, strdup(name), TREE_SAVED, selector);
	return explain_name(name, why);
}

/* ---- Arguments --------------------------------------------------------- */

/* A file's name may have a colon, and a shell does not escape it. */
static bool is_file_as_it_stands(const char *arg)
{
	return strpbrk(arg, ":*\\") && !access(arg, F_OK);
}

static struct vitrine_error *add_selector(struct trees *trees,
					  struct selector *selector)
{
	struct selector **selectors;
	struct vitrine_error *err;
	char *name;

	selectors = reallocarray(trees->selectors, trees->nr_selectors + 1,
				 sizeof(struct selector *));
	if (!selectors) {
		selector_destroy(selector);
		return vtr_error_no_memory();
	}
	trees->selectors = selectors;
	selectors[trees->nr_selectors++] = selector;
	if (selector_name_is_pattern(&selector->tree)) {
		trees->single = false;
		return add_pattern(trees, selector);
	}
	name = selector_name_unescape(&selector->tree);
	err = name ? add_name(trees, name, selector) : vtr_error_no_memory();
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
		err = add_tree(trees, strdup(arg), TREE_SAVED, NULL);
	} else {
		err = selector_create(arg, &selector);
		if (!err)
			err = add_selector(trees, selector);
	}
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
 * @nr_args: how many; none means all trees of the running module
 *
 * Opens nothing.
 *
 * Return: enum exit_code: EXIT_USAGE for what is no selector, EXIT_ENVIRONMENT
 * for trees that are not there; reported.
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
