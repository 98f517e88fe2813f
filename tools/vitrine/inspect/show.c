// SPDX-License-Identifier: GPL-2.0
/*
 * Print Inspect trees as an outline or as JSON, once or again whenever one of them
 * has changed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "error.h"
#include "report.h"
#include "ui/terminal.h"
#include "json_tree.h"
#include "outline.h"
#include "show.h"
#include "trees.h"

#define LIVE_INTERVAL_NS	100000000	/* how often to look for changes */

struct show {
	const struct show_args *args;
	struct trees trees;
};

/* ---- Printing ---------------------------------------------------------- */

static void print_json(const struct show *show)
{
	const struct trees *trees = &show->trees;
	struct json_writer json;
	size_t i;

	json_init(&json, stdout, !show->args->live);
	/* A single tree is printed by itself, several as an object of trees by name. */
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

	if (show->args->live)
		term_clear();
	for (i = 0; i < show->trees.nr; i++) {
		tree = &show->trees.trees[i];
		if (tree_is_shown(tree))
			outline_print(tree->name, tree->hierarchy);
	}
	if (show->args->live && !term_is_terminal())
		putchar('\n');
}

static void print_trees(const struct show *show)
{
	if (show->args->json)
		print_json(show);
	else
		print_outlines(show);
	fflush(stdout);
}

/* ---- Live -------------------------------------------------------------- */

/* Return a descriptor that is readable on SIGINT and SIGTERM, which are blocked. */
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
		status = report_error(vtr_error_os(errno, NULL, "cannot wait"));
		goto out_close;
	}
	for (;;) {
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			break;
		/* A signal, or the reader of the output has gone. */
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

/**
 * show_run() - print trees
 * @args: the options
 *
 * Return: enum exit_code.
 */
int show_run(const struct show_args *args)
{
	struct show show = { .args = args };
	int status;

	term_init();
	status = trees_find(&show.trees, args->selectors, args->nr_selectors);
	/* Without a tree and without an error, the output is an empty object. */
	if (show.trees.nr || status == EXIT_DONE) {
		status = worse(status, trees_read(&show.trees));
		print_trees(&show);
	}
	if (args->live && show.trees.nr)
		status = worse(status, follow(&show));
	trees_destroy(&show.trees);
	return status;
}
