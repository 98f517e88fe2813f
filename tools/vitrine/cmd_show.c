// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine show': print Inspect trees, live or saved, as an outline or as JSON.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "commands.h"
#include "debugfs.h"
#include "json.h"
#include "outline.h"
#include "terminal.h"

#define LIVE_INTERVAL_NS	100000000	/* look for changes */

static const char suffix[] = VITRINE_INSPECT_SUFFIX;

/**
 * struct tree - one tree to show
 * @path: its file
 * @name: what it is called: the file's name without suffix
 * @ordinal: trees before it of the same name
 * @source: once opened
 * @snapshot: once taken
 * @hierarchy: once built
 */
struct tree {
	char *path;
	char *name;
	unsigned int ordinal;
	struct vitrine_source *source;
	struct vitrine_snapshot *snapshot;
	struct vitrine_hierarchy *hierarchy;
};

struct show {
	bool json;
	bool live;
	char **args;
	int nr_args;
	struct tree *trees;
	size_t nr_trees;
};

static struct vitrine_error *error_no_memory(void)
{
	return vitrine_error_create(ENOMEM, NULL, VITRINE_NO_OFFSET, NULL,
				    "out of memory");
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* ---- Which trees ------------------------------------------------------- */

static char *name_of(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t len;

	name = name ? name + 1 : path;
	len = strlen(name);
	if (len > strlen(suffix) &&
	    !strcmp(name + len - strlen(suffix), suffix))
		len -= strlen(suffix);
	return strndup(name, len);
}

/* Takes @path over. */
static struct vitrine_error *add_tree(struct show *show, char *path)
{
	struct tree *trees;
	struct tree *tree;
	size_t i;

	trees = reallocarray(show->trees, show->nr_trees + 1, sizeof(*trees));
	if (trees)
		show->trees = trees;
	if (!trees || !path) {
		free(path);
		return error_no_memory();
	}
	tree = &trees[show->nr_trees++];
	*tree = (struct tree){ .path = path, .name = name_of(path) };
	if (!tree->name)
		return error_no_memory();
	for (i = 0; i + 1 < show->nr_trees; i++)
		if (!strcmp(trees[i].name, tree->name))
			tree->ordinal++;
	return NULL;
}

static int is_inspect_entry(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(suffix) &&
	       !strcmp(entry->d_name + len - strlen(suffix), suffix);
}

/* All trees that the running module publishes. */
static struct vitrine_error *add_all_trees(struct show *show)
{
	char *directory = debugfs_path(VITRINE_INSPECT_DIR, "");
	struct vitrine_error *err = NULL;
	struct dirent **entries;
	int i, nr;

	if (!directory)
		return error_no_memory();
	nr = scandir(directory, &entries, is_inspect_entry, versionsort);
	if (nr < 0) {
		err = debugfs_explain(errno, directory);
		free(directory);
		return err;
	}
	for (i = 0; i < nr; i++) {
		char *path = NULL;

		if (!err && asprintf(&path, "%s/%s", directory,
				     entries[i]->d_name) < 0)
			path = NULL;
		if (!err)
			err = add_tree(show, path);
		free(entries[i]);
	}
	free(entries);
	free(directory);
	return err;
}

/* Neither a tree nor a file: because there is no module, or no such tree? */
static struct vitrine_error *explain_arg(const char *arg, const char *tree,
					 int code)
{
	char *directory = debugfs_path(VITRINE_INSPECT_DIR, "");
	bool loaded = directory && !access(directory, F_OK);

	free(directory);
	if (!loaded || code != ENOENT)
		return debugfs_explain(code, tree);
	return vitrine_error_create(ENOENT, arg, VITRINE_NO_OFFSET,
				    "`vitrine show' without arguments shows all trees",
				    "there is no such tree or file");
}

/* With a slash a file; else a tree if there is one of the name, or a file. */
static struct vitrine_error *add_arg(struct show *show, const char *arg)
{
	struct vitrine_error *err;
	char *tree = NULL;
	int code;

	if (strchr(arg, '/'))
		return add_tree(show, strdup(arg));
	if (asprintf(&tree, VITRINE_INSPECT_DIR "/%s", arg) >= 0) {
		char *path = debugfs_path(tree, suffix);

		free(tree);
		tree = path;
	} else {
		tree = NULL;
	}
	if (!tree)
		return error_no_memory();
	if (!access(tree, F_OK))
		return add_tree(show, tree);
	code = errno;
	if (!access(arg, F_OK))
		err = add_tree(show, strdup(arg));
	else
		err = explain_arg(arg, tree, code);
	free(tree);
	return err;
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

	vitrine_hierarchy_destroy(tree->hierarchy);
	tree->hierarchy = NULL;
	if (!tree->source)
		err = vitrine_source_create(tree->path, 0, &tree->source);
	if (!err)
		err = tree->snapshot ?
			vitrine_snapshot_refresh(tree->snapshot, tree->source) :
			vitrine_snapshot_create(tree->source, &tree->snapshot);
	if (!err)
		err = vitrine_hierarchy_create(tree->snapshot,
					       &tree->hierarchy);
	return err;
}

/* Read what can be read; say what cannot. Return the worst exit code. */
static int read_trees(struct show *show)
{
	int status = EXIT_DONE;
	size_t i;

	for (i = 0; i < show->nr_trees; i++) {
		struct vitrine_error *err = tree_read(&show->trees[i]);

		if (err)
			status = worse(status, report_error(err));
	}
	return status;
}

/* ---- Printing ---------------------------------------------------------- */

/* false: out of memory */
static bool print_json(const struct show *show)
{
	struct json_writer json = {
		.stream = stdout,
		.pretty = !show->live,
	};
	bool empty = true;
	size_t i;

	/* One tree asked for: the tree; else an object of trees by name. */
	if (show->nr_args == 1) {
		if (!show->trees[0].hierarchy)
			return true;
		json_hierarchy(&json, show->trees[0].hierarchy);
	} else {
		json_begin(&json);
		for (i = 0; i < show->nr_trees; i++) {
			const struct tree *tree = &show->trees[i];

			if (!tree->hierarchy)
				continue;
			json_member(&json, empty, tree->name,
				    strlen(tree->name), tree->ordinal);
			json_hierarchy(&json, tree->hierarchy);
			empty = false;
		}
		json_end(&json, empty);
	}
	putchar('\n');
	return !json.failed;
}

static void print_outlines(const struct show *show)
{
	size_t i;

	if (show->live)
		term_clear();
	for (i = 0; i < show->nr_trees; i++)
		if (show->trees[i].hierarchy)
			outline_print(show->trees[i].name,
				      show->trees[i].hierarchy);
	if (show->live && !term_is_terminal())
		putchar('\n');
}

static int print_trees(const struct show *show)
{
	int status = EXIT_DONE;

	if (!show->json)
		print_outlines(show);
	else if (!print_json(show))
		status = report_error(error_no_memory());
	fflush(stdout);
	return status;
}

/* ---- Live -------------------------------------------------------------- */

static bool tree_changed(struct tree *tree)
{
	struct vitrine_error *err;
	uint64_t generation;

	if (!tree->source || !tree->snapshot)
		return false;
	err = vitrine_source_generation(tree->source, &generation);
	if (err) {
		vitrine_error_destroy(err);
		return false;
	}
	return generation != vitrine_snapshot_generation(tree->snapshot);
}

static bool any_changed(struct show *show)
{
	bool changed = false;
	size_t i;

	for (i = 0; i < show->nr_trees; i++)
		changed |= tree_changed(&show->trees[i]);
	return changed;
}

/* Readable on SIGINT and SIGTERM, which then do nothing else. */
static int interrupts_open(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -1;
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

static int timer_open(void)
{
	struct itimerspec interval = {
		.it_interval.tv_nsec = LIVE_INTERVAL_NS,
		.it_value.tv_nsec = LIVE_INTERVAL_NS,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd >= 0 && timerfd_settime(fd, 0, &interval, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Print again whenever a generation has moved, until interrupted. */
static int follow(struct show *show)
{
	enum { TIMER, INTERRUPT, OUTPUT, NR_FDS };
	struct pollfd fds[NR_FDS] = {
		[TIMER]		= { timer_open(), POLLIN, 0 },
		[INTERRUPT]	= { interrupts_open(), POLLIN, 0 },
		[OUTPUT]	= { STDOUT_FILENO, 0, 0 },
	};
	int status = EXIT_DONE;
	uint64_t ticks;

	if (fds[TIMER].fd < 0 || fds[INTERRUPT].fd < 0) {
		status = report_error(vitrine_error_create(errno, NULL,
							   VITRINE_NO_OFFSET,
							   NULL, "cannot wait: %s",
							   strerror(errno)));
		goto out_close;
	}
	for (;;) {
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			break;
		/* Interrupted, or whoever read the output has gone. */
		if (fds[INTERRUPT].revents || fds[OUTPUT].revents || ferror(stdout))
			break;
		if (!fds[TIMER].revents ||
		    read(fds[TIMER].fd, &ticks, sizeof(ticks)) < 0 ||
		    !any_changed(show))
			continue;
		status = worse(status, read_trees(show));
		status = worse(status, print_trees(show));
	}

out_close:
	if (fds[INTERRUPT].fd >= 0)
		close(fds[INTERRUPT].fd);
	if (fds[TIMER].fd >= 0)
		close(fds[TIMER].fd);
	return status;
}

/* ---- Command line ------------------------------------------------------ */

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print JSON; with --live, one line each time", 0 },
	{ "live", 'l', NULL, 0, "Print again whenever a tree has changed, until interrupted", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct show *show = state->input;

	switch (key) {
	case 'j':
		show->json = true;
		return 0;
	case 'l':
		show->live = true;
		return 0;
	case ARGP_KEY_ARGS:
		show->args = state->argv + state->next;
		show->nr_args = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[PATH|TREE]...",
	.doc = "Print Inspect trees, live or saved.\n"
	       "\013PATH is a file; TREE is the name of a tree that the running module\n"
	       "publishes. With neither, all of the module's trees are printed.",
};

static void show_close(struct show *show)
{
	size_t i;

	for (i = 0; i < show->nr_trees; i++) {
		tree_close(&show->trees[i]);
		free(show->trees[i].path);
		free(show->trees[i].name);
	}
	free(show->trees);
}

/**
 * cmd_show() - run `vitrine show'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_show(int argc, char **argv)
{
	struct show show = { 0 };
	struct vitrine_error *err;
	int i, status = EXIT_DONE;

	argp_parse(&argp, argc, argv, 0, NULL, &show);
	term_init();
	if (!show.nr_args) {
		err = add_all_trees(&show);
		if (err)
			status = report_error(err);
	}
	for (i = 0; i < show.nr_args; i++) {
		err = add_arg(&show, show.args[i]);
		if (err)
			status = worse(status, report_error(err));
	}
	/* No tree at all is an empty object; no tree for an error is nothing. */
	if (show.nr_trees || status == EXIT_DONE) {
		status = worse(status, read_trees(&show));
		status = worse(status, print_trees(&show));
	}
	if (show.live && show.nr_trees)
		status = worse(status, follow(&show));
	show_close(&show);
	return status;
}
