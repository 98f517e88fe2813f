// SPDX-License-Identifier: GPL-2.0
/*
 * List the trees and their sizes.
 *
 * Opening a lazy tree runs its publisher's callback, so lazy trees are opened with
 * --all only. The module's own tree, "vitrine", has a node for each tree that is not
 * lazy.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "command.h"
#include "debugfs.h"
#include "ui/fields.h"
#include "ui/label.h"
#include "ui/terminal.h"
#include "value.h"
#include "list.h"
#include "show.h"
#include "trees.h"

/**
 * struct listed - a line of the list
 * @tree: the tree
 * @name: its name
 * @path: its file
 * @kind: "live", "lazy", "retained" or "saved"
 * @error: why the tree could not be read, or NULL
 * @read: the tree has been read: the members below are valid
 * @summary: sizes and generation
 * @used_bytes: size of what is in use
 * @nr_nodes: nodes in it
 * @nr_properties: properties and links in it
 */
struct listed {
	struct tree *tree;
	const char *name;
	const char *path;
	const char *kind;
	struct vitrine_error *error;
	bool read;
	struct vitrine_inspect_summary summary;
	uint64_t used_bytes;
	uint64_t nr_nodes;
	uint64_t nr_properties;
};

/* ---- Reading ----------------------------------------------------------- */

static void listed_read(struct listed *listed)
{
	struct tree *tree = listed->tree;
	const struct vitrine_value *value;
	const void *bytes;
	size_t len;

	listed->error = tree_load(tree);
	if (listed->error)
		return;
	bytes = vitrine_snapshot_bytes(tree->snapshot, &len);
	listed->error = vitrine_inspect_check(bytes, len, tree->path, NULL, NULL,
					      &listed->summary);
	listed->read = !listed->error;
	if (listed->read)
		listed->used_bytes = listed->summary.size_bytes - listed->summary.free_bytes;
	for (value = tree->hierarchy->first; value; value = vtr_value_after(value))
		if (value->type == VITRINE_NODE)
			listed->nr_nodes++;
		else
			listed->nr_properties++;
	tree_close(tree);
}

/* ---- Lazy or not ------------------------------------------------------- */

static const struct vitrine_value *child_named(const struct vitrine_value *first,
					       const char *wanted)
{
	while (first && !vtr_value_is_named(first, wanted))
		first = vitrine_value_next(first);
	return first;
}

/* Return the node "trees" of the module's own tree, or NULL. */
static const struct vitrine_value *known_trees(const struct tree *self)
{
	const struct vitrine_value *value;

	if (!self->hierarchy)
		return NULL;
	value = vitrine_hierarchy_first(self->hierarchy);
	value = value ? vitrine_value_first_child(value) : NULL;
	return child_named(value, "trees");
}

static const char *kind_of(const struct tree *tree,
			   const struct vitrine_value *known)
{
	switch (tree->kind) {
	case TREE_RETAINED:
		return "retained";
	case TREE_SAVED:
		return "saved";
	case TREE_LIVE:
		break;
	}
	if (!known || child_named(vitrine_value_first_child(known), tree->name))
		return "live";
	return "lazy";
}

static struct listed list_one(struct tree *tree,
			      const struct vitrine_value *known, bool all)
{
	struct listed listed = {
		.tree = tree,
		.name = tree->name,
		.path = tree->path,
		.kind = kind_of(tree, known),
	};

	if (all || strcmp(listed.kind, "lazy"))
		listed_read(&listed);
	/* A live tree that is frozen was filled for this open(): it is lazy. */
	if (tree->kind == TREE_LIVE && listed.read &&
	    listed.summary.generation == INSPECT_GENERATION_FROZEN)
		listed.kind = "lazy";
	return listed;
}

/* ---- Printing ---------------------------------------------------------- */

static void write_error(struct json_writer *json, const void *ctx, const void *value)
{
	struct vitrine_error * const *err = value;

	json_string(json, (*err)->message);
}

#define ROW struct listed
static const struct field listed_fields[] = {
	FIELD(name),
	FIELD(kind),
	FIELD(path),
	FIELD_BY("error", error, write_error, FIELD_IF(error)),
	FIELD_AS("version", summary.version, FIELD_IF(read)),
	FIELD_AS("generation", summary.generation, FIELD_IF(read)),
	FIELD_AS("size_bytes", summary.size_bytes, FIELD_IF(read)),
	FIELD_AS("used_bytes", used_bytes, FIELD_IF(read)),
	FIELD_AS("nodes", nr_nodes, FIELD_IF(read)),
	FIELD_AS("properties", nr_properties, FIELD_IF(read)),
	{ 0 }
};

/* Return a number of a tree; "-" stands for one that is unknown. */
static const char *number(const struct listed *listed, uint64_t number)
{
	return listed->read ? format_label("%" PRIu64, number) : "-";
}

static void print_line(const struct listed *listed, size_t name_columns)
{
	size_t columns = outline_columns(listed->name);
	bool frozen = listed->summary.generation == INSPECT_GENERATION_FROZEN;

	outline_text(listed->name);
	printf("%*s  %-8s %10s %10s %8s %10s %12s\n", (int)(name_columns - columns), "",
	       listed->kind, number(listed, listed->summary.size_bytes),
	       number(listed, listed->used_bytes), number(listed, listed->nr_nodes),
	       number(listed, listed->nr_properties),
	       listed->read && frozen ? "frozen" : number(listed, listed->summary.generation));
}

static size_t widest_name(const struct trees *trees)
{
	size_t i, columns, widest = strlen("NAME");

	for (i = 0; i < trees->nr; i++) {
		columns = outline_columns(trees->trees[i].name);
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

/* Read and print one tree after the other, so that only one is in memory. */
static int list_trees(const struct list_args *args, const struct trees *trees,
		      const struct vitrine_value *known)
{
	struct json_writer json;
	size_t i, columns = widest_name(trees);
	int status = EXIT_DONE;

	json_init(&json, stdout, true);
	if (args->json)
		json_begin_list(&json);
	else if (trees->nr)
		printf("%-*s  %-8s %10s %10s %8s %10s %12s\n", (int)columns,
		       "NAME", "KIND", "SIZE", "USED", "NODES", "PROPERTIES",
		       "GENERATION");
	for (i = 0; i < trees->nr; i++) {
		struct listed listed = list_one(&trees->trees[i], known,
						args->all);

		if (args->json)
			json_item(&json);
		if (args->json)
			fields_put(&json, listed_fields, &listed, NULL);
		else
			print_line(&listed, columns);
		if (listed.error)
			status = worse(status, report_error(listed.error));
	}
	if (args->json) {
		json_end_list(&json);
		json_finish(&json);
	}
	return status;
}

/* Return whether every argument names whole trees, not parts of them. */
static bool all_whole(const struct trees *trees)
{
	size_t i;

	for (i = 0; i < trees->nr; i++)
		if (!trees->trees[i].whole)
			return false;
	return true;
}

/**
 * list_run() - list trees
 * @args: the options
 *
 * Return: enum exit_code.
 */
int list_run(const struct list_args *args)
{
	struct trees trees = { 0 };
	struct tree self = { 0 };
	int status;

	term_init();
	status = trees_find(&trees, args->trees, args->nr_trees);
	if (!all_whole(&trees)) {
		fputs("vitrine: list takes whole trees; leave out the node\n",
		      stderr);
		status = EXIT_USAGE;
	} else if (trees.nr || status == EXIT_DONE) {
		self.path = debugfs_path(VITRINE_INSPECT_DIR "/vitrine", VITRINE_INSPECT_SUFFIX);
		must_have(self.path);
		/* Without the module's own tree, no tree is known to be lazy: open all. */
		vitrine_error_destroy(tree_load(&self));
		status = worse(status, list_trees(args, &trees, known_trees(&self)));
		tree_close(&self);
		free(self.path);
	}
	trees_destroy(&trees);
	return status;
}
