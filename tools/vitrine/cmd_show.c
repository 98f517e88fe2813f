// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine show': print Inspect trees, live or saved, as an outline or as JSON.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "commands.h"
#include "error.h"
#include "json_tree.h"
#include "outline.h"
#include "terminal.h"
#include "trees.h"

#define LIVE_INTERVAL_NS	100000000	/* look for changes */

struct show {
	bool json;
	bool live;
	char **args;
	int nr_args;
	struct trees trees;
};

/* ---- Printing ---------------------------------------------------------- */

static void print_json(const struct show *show)
{
	const struct trees *trees = &show->trees;
	struct json_writer json;
	size_t i;

	json_init(&json, stdout, !show->live);
	/* One tree asked for: the tree; else an object of trees by name. */
	if (trees->single) {
		if (!tree_is_shown(&trees->trees[0]))
			return;
		json_hierarchy(&json, trees->trees[0].hierarchy);
	} else {
		json_begin(&json);
		for (i = 0; i < trees->nr; i++) {
			const struct tree *tree = &trees->trees[i];

			if (!tree_is_shown(tree))
				continue;
			json_member(&json, tree->name, strlen(tree->name),
				    tree->ordinal);
			json_hierarchy(&json, tree->hierarchy);
		}
		json_end(&json);
	}
	json_finish(&json);
}

static void print_outlines(const struct show *show)
{
	const struct tree *tree;
	size_t i;

	if (show->live)
		term_clear();
	for (i = 0; i < show->trees.nr; i++) {
		tree = &show->trees.trees[i];
		if (tree_is_shown(tree))
			outline_print(tree->name, tree->hierarchy);
	}
	if (show->live && !term_is_terminal())
		putchar('\n');
}

static void print_trees(const struct show *show)
{
	if (show->json)
		print_json(show);
	else
		print_outlines(show);
	fflush(stdout);
}

/* ---- Live -------------------------------------------------------------- */

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

/* Print again whenever a tree has changed, until interrupted. */
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
	bool changed;

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
		    read(fds[TIMER].fd, &ticks, sizeof(ticks)) < 0)
			continue;
		status = worse(status, trees_refresh(&show->trees, &changed));
		if (changed)
			print_trees(show);
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
	.args_doc = "[SELECTOR]...",
	.doc = "Print Inspect trees, live or saved, or what is selected of them.\n"
	       "\013A SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]]. TREE is the name of a\n"
	       "tree that the running module publishes, or with a slash a file; the nodes\n"
	       "lead down from the root. * stands for any characters of a name; a\n"
	       "backslash goes before : / * and \\. Without any, all of the module's trees\n"
	       "are printed.",
};

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
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &show);
	term_init();
	status = trees_find(&show.trees, show.args, show.nr_args);
	/* No tree at all is an empty object; no tree for an error is nothing. */
	if (show.trees.nr || status == EXIT_DONE) {
		status = worse(status, trees_read(&show.trees));
		print_trees(&show);
	}
	if (show.live && show.trees.nr)
		status = worse(status, follow(&show));
	trees_destroy(&show.trees);
	return status;
}
