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

#include "live/debugfs.h"
#include "report.h"
#include "ui/json.h"
#include "ui/terminal.h"
#include "list.h"
#include "outline.h"
#include "trees.h"

#define NR_NUMBERS	5	/* columns of a listed tree */
#define NUMBER_BYTES	24	/* room for a number in decimal */

/**
 * struct listed - a line of the list
 * @tree: the tree
 * @kind: "live", "lazy", "retained" or "saved"
 * @error: why the tree could not be read, or NULL
 * @read: the tree has been read: the members below are valid
 * @summary: sizes and generation
 * @nr_nodes: nodes in it
 * @nr_properties: properties and links in it
 */
struct listed {
	struct tree *tree;
	const char *kind;
	struct vitrine_error *error;
	bool read;
	struct vitrine_inspect_summary summary;
	uint64_t nr_nodes;
	uint64_t nr_properties;
};

/* ---- Reading ----------------------------------------------------------- */

/* A tree's file, opened and read once. */
struct reading {
	struct vitrine_source *source;
	struct vitrine_snapshot *snapshot;
	struct vitrine_hierarchy *hierarchy;
};

static struct vitrine_error *reading_create(const char *path,
					    struct reading *reading)
{
	struct vitrine_error *err;

	err = vitrine_source_create(path, 0, &reading->source);
	if (!err)
		err = vitrine_snapshot_create(reading->source,
					      &reading->snapshot);
	if (!err)
		err = vitrine_hierarchy_create(reading->snapshot,
					       &reading->hierarchy);
	return err;
}

static void reading_destroy(struct reading *reading)
{
	vitrine_hierarchy_destroy(reading->hierarchy);
	vitrine_snapshot_destroy(reading->snapshot);
	vitrine_source_destroy(reading->source);
}

static void ignore_fault(void *ctx, uint64_t offset, const char *message)
{
}

/* The recursion is at most VITRINE_MAX_DEPTH deep. */
static void count_values(struct listed *listed,
			 const struct vitrine_value *value)
{
	for (; value; value = vitrine_value_next(value)) {
		if (vitrine_value_type(value) != VITRINE_NODE) {
			listed->nr_properties++;
			continue;
		}
		listed->nr_nodes++;
		count_values(listed, vitrine_value_first_child(value));
	}
}

static void listed_read(struct listed *listed)
{
	struct reading reading = { 0 };
	const void *bytes;
	const char *path;
	size_t len;

	listed->error = tree_locate(listed->tree, &path);
	if (!listed->error)
		listed->error = reading_create(path, &reading);
	if (!listed->error) {
		bytes = vitrine_snapshot_bytes(reading.snapshot, &len);
		listed->error = vitrine_inspect_check(bytes, len, path,
						      ignore_fault, NULL,
						      &listed->summary);
	}
	if (!listed->error) {
		count_values(listed, vitrine_hierarchy_first(reading.hierarchy));
		listed->read = true;
	}
	listed->error = tree_blame(listed->tree, listed->error);
	reading_destroy(&reading);
}

/* ---- Lazy or not ------------------------------------------------------- */

static const struct vitrine_value *child_named(const struct vitrine_value *first,
					       const char *wanted)
{
	const char *name;
	size_t len;

	for (; first; first = vitrine_value_next(first)) {
		name = vitrine_value_name(first, &len);
		if (len == strlen(wanted) && !memcmp(name, wanted, len))
			break;
	}
	return first;
}

/* Return the node "trees" of the module's own tree, or NULL. */
static const struct vitrine_value *known_trees(const struct reading *self)
{
	const struct vitrine_value *value;

	if (!self->hierarchy)
		return NULL;
	value = vitrine_hierarchy_first(self->hierarchy);
	value = value ? vitrine_value_first_child(value) : NULL;
	return child_named(value, "trees");
}

/* Without the module's own tree, no tree is known to be lazy, and all are opened. */
static void self_open(struct reading *self)
{
	char *path = debugfs_path(VITRINE_INSPECT_DIR "/vitrine",
				  VITRINE_INSPECT_SUFFIX);

	if (path)
		vitrine_error_destroy(reading_create(path, self));
	free(path);
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

static uint64_t used_bytes(const struct listed *listed)
{
	return listed->summary.size_bytes - listed->summary.free_bytes;
}

static void print_json(struct json_writer *json, const struct listed *listed)
{
	const struct {
		const char *name;
		uint64_t number;
	} members[] = {
		{ "version", listed->summary.version },
		{ "generation", listed->summary.generation },
		{ "size_bytes", listed->summary.size_bytes },
		{ "used_bytes", used_bytes(listed) },
		{ "nodes", listed->nr_nodes },
		{ "properties", listed->nr_properties },
	};
	size_t i, nr;

	json_begin(json);
	json_key_string(json, "name", listed->tree->name);
	json_key_string(json, "kind", listed->kind);
	json_key_string(json, "path", listed->tree->path);
	if (listed->error)
		json_key_string(json, "error", listed->error->message);
	nr = listed->read ? sizeof(members) / sizeof(members[0]) : 0;
	for (i = 0; i < nr; i++)
		json_key_uint(json, members[i].name, members[i].number);
	json_end(json);
}

/* Format the numbers of a tree; "-" stands for those that are unknown. */
static void format_numbers(const struct listed *listed,
			   char cells[NR_NUMBERS][NUMBER_BYTES])
{
	const uint64_t numbers[NR_NUMBERS] = {
		listed->summary.size_bytes,
		used_bytes(listed),
		listed->nr_nodes,
		listed->nr_properties,
		listed->summary.generation,
	};
	size_t i;

	for (i = 0; i < NR_NUMBERS; i++)
		if (listed->read)
			snprintf(cells[i], NUMBER_BYTES, "%" PRIu64,
				 numbers[i]);
		else
			snprintf(cells[i], NUMBER_BYTES, "-");
	if (listed->read &&
	    listed->summary.generation == INSPECT_GENERATION_FROZEN)
		snprintf(cells[4], NUMBER_BYTES, "frozen");
}

static void print_line(const struct listed *listed, size_t name_columns)
{
	char cells[NR_NUMBERS][NUMBER_BYTES];
	size_t columns = outline_columns(listed->tree->name);

	format_numbers(listed, cells);
	outline_text(listed->tree->name);
	printf("%*s  %-8s %10s %10s %8s %10s %12s\n",
	       (int)(name_columns - columns), "", listed->kind, cells[0],
	       cells[1], cells[2], cells[3], cells[4]);
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
			print_json(&json, &listed);
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
	struct reading self = { 0 };
	int status;

	term_init();
	status = trees_find(&trees, args->trees, args->nr_trees);
	if (!all_whole(&trees)) {
		fputs("vitrine: list takes whole trees; leave out the node\n",
		      stderr);
		status = EXIT_USAGE;
	} else if (trees.nr || status == EXIT_DONE) {
		self_open(&self);
		status = worse(status,
			       list_trees(args, &trees, known_trees(&self)));
		reading_destroy(&self);
	}
	trees_destroy(&trees);
	return status;
}
