// SPDX-License-Identifier: GPL-2.0
/*
 * The command `vitrine`: a table of subcommands and what they have in common.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{ "show", cmd_show, "print Inspect trees, live or saved" },
	{ "list", cmd_list, "list Inspect trees and their size" },
	{ "diff", cmd_diff, "say what two Inspect trees differ in" },
	{ "watch", cmd_watch, "watch Inspect trees change, on a live screen" },
	{ "record", cmd_record, "record context switches and wakeups into a file" },
	{ "snapshot", cmd_snapshot, "write what the flight recorder holds to a file" },
	{ "recover", cmd_recover, "find the trace and the trees in a dump of memory" },
	{ "print", cmd_print, "print a trace as text, in time order" },
	{ "latency", cmd_latency, "say how long threads waited for a CPU" },
	{ "timeline", cmd_timeline, "draw who ran where when, as SVG or HTML" },
	{ "top", cmd_top, "watch who runs and who waits, on a live screen" },
	{ "metrics", cmd_metrics, "print Inspect trees as metrics for Prometheus" },
	{ "convert", cmd_convert, "convert a trace from one format into another" },
	{ "merge", cmd_merge, "merge traces of several machines or boots" },
	{ "check", cmd_check, "name every fault of .inspect and .fxt files" },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

/**
 * print_error() - tell the user about an error
 * @err: error
 *
 * Return: the exit code the error calls for.
 */
int print_error(const struct vitrine_error *err)
{
	fflush(stdout);
	fputs("vitrine: ", stderr);
	vitrine_error_print(err, stderr);

	switch (err->code) {
	case EBADMSG:
	case EPROTONOSUPPORT:
	case EFBIG:
		return EXIT_BAD_INPUT;
	default:
		return EXIT_ENVIRONMENT;
	}
}

/**
 * report_error() - tell the user about an error, and be done with it
 * @err: error; destroyed
 *
 * Return: the exit code the error calls for.
 */
int report_error(struct vitrine_error *err)
{
	int status = print_error(err);

	vitrine_error_destroy(err);
	return status;
}

static void print_usage(FILE *stream)
{
	size_t i;

	fputs("Usage: vitrine COMMAND [ARGUMENT...]\n\n", stream);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(stream, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n`vitrine COMMAND --help' says what a command takes.\n",
	      stream);
}

static const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int command_run(const struct command *command, int argc, char **argv)
{
	char name[64];

	/* argp names the program in its messages by argv[0]. */
	snprintf(name, sizeof(name), "vitrine %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

/* `vitrine help [COMMAND]' */
static int help(int argc, char **argv)
{
	const struct command *command;
	char option[] = "--help";

	if (argc < 2) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	command = command_find(argv[1]);
	if (command) {
		argv[1] = option;
		return command_run(command, 2, argv);
	}
	fprintf(stderr, "vitrine: no command %s; see `vitrine help'\n",
		argv[1]);
	return EXIT_USAGE;
}

/* What was printed must have arrived: a full disk is an error, too. */
static int finish_output(int status)
{
	if (!ferror(stdout) && !fflush(stdout))
		return status;
	if (errno != EPIPE)
		fprintf(stderr, "vitrine: cannot write output: %s\n",
			strerror(errno));
	return EXIT_ENVIRONMENT;
}

/**
 * main() - run a subcommand
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int main(int argc, char **argv)
{
	const struct command *command;

	argp_err_exit_status = EXIT_USAGE;
	cleanup_init();
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help"))
		return finish_output(help(argc - 1, argv + 1));
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("vitrine " VITRINE_VERSION);
		return finish_output(EXIT_DONE);
	}
	command = command_find(argv[1]);
	if (!command) {
		fprintf(stderr, "vitrine: no command %s; see `vitrine help'\n",
			argv[1]);
		return EXIT_USAGE;
	}
	return finish_output(command_run(command, argc - 1, argv + 1));
}
