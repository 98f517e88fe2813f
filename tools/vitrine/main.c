// SPDX-License-Identifier: GPL-2.0
/*
 * The command `vitrine': the table of subcommands, help and version.
 */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "input.h"

struct command {
	const char *name;
	command_fn *run;
	const char *summary;
};

static const struct command commands[] = {
	{ "show", cmd_show, "print Inspect trees as text or JSON" },
	{ "list", cmd_list, "list Inspect trees and their sizes" },
	{ "diff", cmd_diff, "compare two Inspect trees, or traces" },
	{ "watch", cmd_watch, "watch Inspect trees on a live screen" },
	{ "record", cmd_record, "record context switches and wakeups to a file" },
	{ "snapshot", cmd_snapshot, "save the flight recorder's contents to a file" },
	{ "recover", cmd_recover, "extract trace and trees from a memory dump" },
	{ "print", cmd_print, "print a trace as text or JSON" },
	{ "why", cmd_why, "answer why a program was slow" },
	{ "latency", cmd_latency, "report the scheduling latency of each thread" },
	{ "timeline", cmd_timeline, "draw a scheduling timeline as SVG or HTML" },
	{ "flame", cmd_flame, "draw running and waiting time as flame graphs" },
	{ "top", cmd_top, "show running and waiting threads live" },
	{ "metrics", cmd_metrics, "export Inspect trees as Prometheus metrics" },
	{ "convert", cmd_convert, "convert a trace between formats" },
	{ "merge", cmd_merge, "merge traces of several machines or boots" },
	{ "cut", cmd_cut, "write a part of a trace, perhaps anonymised" },
	{ "symbolize", cmd_symbolize, "name the functions of user stacks" },
	{ "check", cmd_check, "validate Inspect and FXT files" },
};

static void print_usage(FILE *stream)
{
	size_t i;

	fputs("Usage: vitrine COMMAND [ARGUMENT...]\n\n", stream);
	for (i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(stream, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\nRun `vitrine COMMAND --help' for the options of a command.\n"
	      "\nExamples:\n"
	      "    vitrine show system\n"
	      "    vitrine record -o load.fxt -- make -j8\n"
	      "    vitrine latency load.fxt\n", stream);
}

/* Find a command, or print an error. */
static const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	fprintf(stderr, "vitrine: no command %s; run `vitrine help' for a list\n", name);
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
	argv[1] = option;
	return command ? command_run(command, 2, argv) : EXIT_USAGE;
}

/* A full disk is an error, too: flush standard output, and look for errors. */
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
	int status;

	argp_err_exit_status = EXIT_USAGE;
	cleanup_init();
	compress_init();
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
	if (!command)
		return EXIT_USAGE;
	status = command_run(command, argc - 1, argv + 1);
	return finish_output(worse(status, input_status()));
}
