// SPDX-License-Identifier: GPL-2.0
/*
 * Find the trees or files that the arguments of a command name: names, files and
 * selectors. Fills the set, opens nothing.
 */
#define _GNU_SOURCE	/* asprintf(), versionsort() */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "error.h"
#include "grow.h"
#include "live/debugfs.h"
#include "report.h"
#include "trees.h"
#include "unfound.h"

#define RETAINED	"retained/"

static const char suffix[] = VITRINE_INSPECT_SUFFIX;

/* ---- The set ----------------------------------------------------------- */

/* Return the length of a file name without the suffix. */
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

/* Append a tree, which owns @path from now on; NULL without memory. */
static struct tree *tree_append(struct trees *trees, char *path,
				enum tree_kind kind)
{
	struct tree *tree;
	size_t i;

	if (!path || !GROW(trees->trees, trees->nr)) {
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

/* Add a tree, which owns @path, or another selector to a tree named before. */
static struct vitrine_error *add_tree(struct trees *trees, char *path,
				      enum tree_kind kind, bool is_found,
				      struct selector *selector)
{
	struct tree *tree = path ? tree_by_path(trees, path) : NULL;
	bool is_new = !tree;

	if (tree)
		free(path);
	else
		tree = tree_append(trees, path, kind);
	if (!tree)
		return vtr_error_no_memory();
	tree->is_found = is_found && (is_new || tree->is_found);
	if (!selector || !selector->nr_nodes) {
		tree->whole = true;
		return NULL;
	}
	if (!GROW(tree->selectors, tree->nr_selectors))
		return vtr_error_no_memory();
	tree->selectors[tree->nr_selectors++] = selector;
	return NULL;
}

/* ---- Several trees: a directory ---------------------------------------- */

/**
 * struct search - a search for files in a directory
 * @directory: directory
 * @pattern: pattern for their names, or NULL for all
 * @kind: origin of the trees
 * @selector: selector of values in them, or NULL
 */
struct search {
	const char *directory;
	const struct selector_name *pattern;
	enum tree_kind kind;
	struct selector *selector;
};

/* The pattern for saved trees includes the suffix, as file names do. */
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

/* Add the files found, in natural order; return 0 or errno of the directory. */
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
			*err = add_tree(trees, path, search->kind, true,
					search->selector);
		}
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Add trees of the running module and retained ones, if there is the directory. */
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
					    "* is allowed in the last part of a path only");
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
	return unfound_tree(selector->text);
}

/* ---- One tree ---------------------------------------------------------- */

/* Make the error for a name that is neither a tree nor a file. */
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
		err = unfound_tree(name);
	free(directory);
	return err;
}

/*
 * Return the path of inspect/NAME.inspect or inspect/retained/NAME.inspect, or NULL
 * without memory; @code is 0, or errno if the file does not exist.
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

/* Add the tree if it exists; @code is 0, or errno if it does not. */
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
		return add_tree(trees, path, kind, false, selector);
	free(path);
	return NULL;
}

/*
 * @name is a file if it has a slash or is "-", standard input; else a live tree, a
 * retained tree or a file, whichever exists first. "retained/NAME" is a retained tree
 * if that exists.
 */
static struct vitrine_error *add_name(struct trees *trees, const char *name,
				      struct selector *selector)
{
	const bool retained = !strncmp(name, RETAINED, strlen(RETAINED));
	struct vitrine_error *err;
	int code, why;

	if (!strcmp(name, "-") || (strchr(name, '/') && !retained))
		return add_tree(trees, strdup(name), TREE_SAVED, false,
				selector);
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
		return add_tree(trees, strdup(name), TREE_SAVED, false,
				selector);
	return explain_name(name, why);
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

	if (!GROW(trees->selectors, trees->nr_selectors)) {
		selector_destroy(selector);
		return vtr_error_no_memory();
	}
	trees->selectors[trees->nr_selectors++] = selector;
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
		err = add_tree(trees, strdup(arg), TREE_SAVED, false, NULL);
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
