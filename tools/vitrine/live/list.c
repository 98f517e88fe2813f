// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine list': list Inspect trees and their sizes, or the events that can be recorded: the
 * categories of the module, which are switched on in trace/events, and the events of ftrace,
 * which `vitrine record -e' records.
 *
 * Opening a lazy tree runs its publisher's callback, so lazy trees are opened with
 * --all only. The module's own tree, "vitrine", has a node for each tree that is not
 * lazy.
 */
#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/inspect.h>
#include <vitrine/map.h>

#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "inspect/show.h"
#include "inspect/trees.h"
#include "ui/fields.h"
#include "ui/label.h"
#include "ui/terminal.h"
#include "value.h"
#include "recording.h"

/**
 * struct pattern - a pattern for names to print
 * @text: the pattern
 * @found: a name matches it
 * @nearest: search for the nearest name if none does
 */
struct pattern {
	const char *text;
	bool found;
	struct nearest nearest;
};

/* Print names that match one of these; without any, print all. */
static struct pattern *patterns;

/* Number of names read so far. */
static unsigned int nr_read;

/**
 * struct list_args - the options of `vitrine list'
 * @json: print JSON
 * @all: open lazy trees, too
 * @events: list events
 * @names: names or files of trees, or patterns of events; none: all that there are
 * @nr_names: number of @names
 */
static struct list_args {
	bool json;
	bool all;
	bool events;
	char **names;
	int nr_names;
} args;

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

/* ---- Reading trees ----------------------------------------------------------- */

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
		first = first->next;
	return first;
}

/* Return the node "trees" of the module's own tree, or NULL. */
static const struct vitrine_value *known_trees(const struct tree *self)
{
	const struct vitrine_value *value;

	if (!self->hierarchy)
		return NULL;
	value = vitrine_hierarchy_first(self->hierarchy);
	value = value ? value->first_child : NULL;
	return child_named(value, "trees");
}

static const char *kind_of(const struct tree *tree, const struct vitrine_value *known)
{
	switch (tree->kind) {
	case TREE_RETAINED:
		return "retained";
	case TREE_SAVED:
		return "saved";
	case TREE_LIVE:
		break;
	}
	if (!known || child_named(known->first_child, tree->name))
		return "live";
	return "lazy";
}

static struct listed list_one(struct tree *tree, const struct vitrine_value *known)
{
	struct listed listed = {
		.tree = tree,
		.name = tree->name,
		.path = tree->path,
		.kind = kind_of(tree, known),
	};

	if (args.all || strcmp(listed.kind, "lazy"))
		listed_read(&listed);
	/* A live tree that is frozen was filled for this open(): it is lazy. */
	if (tree->kind == TREE_LIVE && listed.read &&
	    listed.summary.generation == INSPECT_GENERATION_FROZEN)
		listed.kind = "lazy";
	return listed;
}

/* ---- Printing trees ---------------------------------------------------------- */

static void write_error(const void *value)
{
	struct vitrine_error * const *err = value;

	json_string((*err)->message);
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
static int list_trees(const struct trees *trees, const struct vitrine_value *known)
{
	size_t i, columns = widest_name(trees);
	int status = EXIT_DONE;

	json_init(true);
	if (args.json)
		json_begin_list();
	else if (trees->nr)
		printf("%-*s  %-8s %10s %10s %8s %10s %12s\n", (int)columns,
		       "NAME", "KIND", "SIZE", "USED", "NODES", "PROPERTIES",
		       "GENERATION");
	for (i = 0; i < trees->nr; i++) {
		struct listed listed = list_one(&trees->trees[i], known);

		if (args.json) {
			json_item();
			fields_put(listed_fields, &listed);
		} else {
			print_line(&listed, columns);
		}
		if (listed.error)
			status = worse(status, report_error(listed.error));
	}
	if (args.json) {
		json_end_list();
		json_finish();
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

/* List trees. Returns enum exit_code. */
static int list_trees_run(void)
{
	struct trees trees = { 0 };
	struct tree self = { 0 };
	int status;

	term_init();
	status = trees_find(&trees, args.names);
	if (!all_whole(&trees)) {
		fputs("vitrine: list takes whole trees; leave out the node\n",
		      stderr);
		status = EXIT_USAGE;
	} else if (trees.nr || status == EXIT_DONE) {
		self.path = debugfs_path(VITRINE_INSPECT_DIR "/vitrine" VITRINE_INSPECT_SUFFIX);
		/* Without the module's own tree, no tree is known to be lazy: open all. */
		vitrine_error_destroy(tree_load(&self));
		status = worse(status, list_trees(&trees, known_trees(&self)));
		tree_close(&self);
		free(self.path);
	}
	trees_destroy(&trees);
	return status;
}

/* ---- Events ------------------------------------------------------------ */

static bool is_wanted(const char *name)
{
	struct pattern *pattern;
	bool wanted = !args.nr_names;
	int i;

	nr_read++;
	for (i = 0; i < args.nr_names; i++) {
		pattern = &patterns[i];
		if (!fnmatch(pattern->text, name, 0)) {
			pattern->found = true;
			wanted = true;
		} else if (!pattern->found) {
			nearest_offer(&pattern->nearest, name, strlen(name));
		}
	}
	return wanted;
}

static const char *help_of(const char *category)
{
	const struct fxt_source *source =
		fxt_source_find(&(struct vitrine_fxt_string){ category, strlen(category) });

	if (source)
		return source->what;
	return strcmp(category, "marker") ? "events of another module" :
					    "what programs write to trace/marker";
}

static struct vitrine_error *list_categories(void)
{
	autofree char *path = debugfs_path("trace/events"), *text = events_read();
	char *rest = text, *line;

	if (!text)
		return debugfs_explain(errno, path);

	while ((line = events_next(&rest)))
		if (is_wanted(line + 1))
			printf("%-16s %s\n", line + 1, help_of(line + 1));
	return NULL;
}

static struct vitrine_error *list_ftrace(void)
{
	autofree char *text = NULL;
	struct vitrine_error *err = kernel_events_names(&text);
	char *rest = text, *event;

	while ((event = next_line(&rest)))
		if (is_wanted(event))
			puts(event);
	return err;
}

/* Report the patterns that match no name. */
static int report_unmatched(void)
{
	const struct pattern *pattern;
	int i, status = EXIT_DONE;

	for (i = 0; i < args.nr_names; i++) {
		pattern = &patterns[i];
		if (!pattern->found)
			status = report_error(nothing_selected(pattern->text, &pattern->nearest,
							       NULL,
							       "matches none of %u categories and events",
							       nr_read));
	}
	return status;
}

/*
 * Print the categories of the module and the events of ftrace.
 *
 * If one of the two lists cannot be read, an error is reported and the other one is printed.
 *
 * Returns enum exit_code.
 */
static int list_events(void)
{
	struct vitrine_error *categories, *ftrace;
	int i;

	patterns = calloc(args.nr_names + 1, sizeof(*patterns));
	must_have(patterns);
	for (i = 0; i < args.nr_names; i++) {
		patterns[i].text = args.names[i];
		nearest_init(&patterns[i].nearest, args.names[i], strlen(args.names[i]));
	}
	categories = list_categories();
	ftrace = list_ftrace();
	if (categories)
		report_error(categories);
	if (ftrace)
		report_error(ftrace);
	return categories || ftrace ? EXIT_ENVIRONMENT : report_unmatched();
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "all", 'a', NULL, "Open lazy trees, too (runs their callbacks)", .flag = &args.all },
	{ "json", 'j', NULL, "Print the list as JSON", .flag = &args.json },
	{ "events", 0, NULL, "List events that can be recorded", .flag = &args.events },
	{ 0 }
};

static void check_args(struct argp_state *state)
{
	if (args.events && (args.all || args.json))
		argp_error(state, "--events excludes --all and --json");
}

static const struct command_line line = {
	.options = options,
	.check = check_args,
	.operands = &args.names,
	.nr_operands = &args.nr_names,
	.args_doc = "[TREE|FILE]...\n--events [EVENT...]",
	.doc = "List Inspect trees and their sizes.\n"
	       "\013TREE is the name of a tree; * matches any characters. The default is all\n"
	       "trees of the running module. EVENT is a category, or SYSTEM:NAME of ftrace.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine list\n"
	       "  vitrine list --events 'sched*'\n"
	       "  vitrine list 'my*' saved.inspect",
};

int cmd_list(int argc, char **argv)
{
	args = (struct list_args){ 0 };
	options_parse(&line, argc, argv);
	return args.events ? list_events() : list_trees_run();
}
