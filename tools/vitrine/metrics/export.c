// SPDX-License-Identifier: GPL-2.0
/*
 * Export trees as metrics: print them, or replace a file that the textfile collector
 * of node_exporter reads. metrics.c makes metrics of values, metric_set.c prints.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "inspect/trees.h"
#include "report.h"
#include "temporary.h"
#include "value.h"
#include "export.h"
#include "metrics.h"

static struct vitrine_error *error_write(const char *path, int code)
{
	/* For report_error(), EFBIG is bad input; here it means that the disk is too small. */
	return vitrine_error_create(code == EFBIG ? ENOSPC : code, path,
				    VITRINE_NO_OFFSET, NULL,
				    "cannot write: %s", strerror(code));
}

/* The collector is not root: the file is readable by all, as far as umask allows. */
static FILE *temporary_open(struct vtr_temporary *temporary, const char *path)
{
	int fd = vtr_temporary_create(temporary, path);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

/* Print, and wait until the file is on the disk. */
static struct vitrine_error *write_all(struct metric_set *set, bool strict,
				       const char *path, FILE *stream)
{
	errno = 0;
	if (!metric_set_print(set, strict, stream))
		return vtr_error_no_memory();
	if (fflush(stream) || ferror(stream) || fsync(fileno(stream)))
		return error_write(path, errno ? errno : EIO);
	return NULL;
}

/*
 * Replace @path atomically: a reader finds the old file or the new one. The collector
 * reads *.prom only, so it ignores the temporary file.
 */
static struct vitrine_error *replace_file(struct metric_set *set, bool strict,
					  const char *path)
{
	struct vtr_temporary temporary = { 0 };
	struct vitrine_error *err;
	FILE *stream;

	stream = temporary_open(&temporary, path);
	if (!stream) {
		err = vtr_error_os(errno, path, "cannot create a temporary file in its directory");
		vtr_temporary_remove(&temporary);
		return err;
	}
	err = write_all(set, strict, path, stream);
	if (fclose(stream) && !err)
		err = error_write(path, errno);
	if (!err && vtr_temporary_rename(&temporary, path))
		err = vtr_error_os(errno, path, "cannot replace");
	vtr_temporary_remove(&temporary);
	return err;
}

static int print_metrics(const struct metrics_args *args,
			 struct metric_set *set)
{
	struct vitrine_error *err = NULL;

	if (args->textfile)
		err = replace_file(set, args->strict, args->textfile);
	else if (!metric_set_print(set, args->strict, stdout))
		err = vtr_error_no_memory();
	return err ? report_error(err) : EXIT_DONE;
}

/**
 * struct own - the choice of a tree's own values
 * @hierarchy: the tree
 * @linked: it had values of other trees, too
 */
struct own {
	const struct vitrine_hierarchy *hierarchy;
	bool linked;
};

static enum vitrine_verdict judge_own(void *ctx, const struct vitrine_value *value)
{
	struct own *own = ctx;

	if (value->hierarchy != own->hierarchy) {
		own->linked = true;
		return VITRINE_DROP;
	}
	return value->type == VITRINE_NODE ? VITRINE_DESCEND : VITRINE_KEEP;
}

/*
 * Drop the values that links have brought into a tree: they are exported with their own tree,
 * which is exported, too, if no trees are selected.
 */
static void drop_linked(const struct tree *tree, bool is_selected)
{
	struct own own = { .hierarchy = tree->hierarchy };

	vitrine_hierarchy_filter(tree->hierarchy, judge_own, &own);
	if (own.linked && is_selected)
		print_note(tree->path,
			   "links are not followed: the trees that they lead to have metrics under their own names, if they are selected");
}

/* Add the values of all trees, and say what is left out. */
static void add_trees(struct metric_set *set, const struct trees *trees)
{
	struct metrics_left_out left_out;
	const struct tree *tree;
	size_t i;

	for (i = 0; i < trees->nr; i++) {
		tree = &trees->trees[i];
		if (!tree->hierarchy)
			continue;
		drop_linked(tree, trees->nr_selectors);
		left_out = metrics_add_tree(set, tree->name, tree->ordinal,
					    tree->hierarchy);
		if (left_out.nr_values)
			print_note(tree->path,
				   "%zu values left out: name too long, or invalid histogram counts",
				   left_out.nr_values);
		if (left_out.nr_entries)
			print_note(tree->path,
				   "%zu entries left out: a list has more than %d; select the entries that are needed",
				   left_out.nr_entries, METRICS_MAX_ENTRIES);
	}
}

/**
 * metrics_run() - export trees as metrics
 * @args: the options
 *
 * Return: enum exit_code.
 */
int metrics_run(const struct metrics_args *args)
{
	struct metric_set set = { 0 };
	struct trees trees = { 0 };
	int status = trees_find(&trees, args->selectors, args->nr_selectors);

	/* Without a tree and without an error, an empty file is written. */
	if (trees.nr || status == EXIT_DONE) {
		status = worse(status, trees_read(&trees));
		add_trees(&set, &trees);
		status = worse(status, print_metrics(args, &set));
	}
	metric_set_destroy(&set);
	trees_destroy(&trees);
	return status;
}
