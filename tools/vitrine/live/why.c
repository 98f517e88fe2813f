// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine why': answer why a program was slow, from a trace, or after recording one while a
 * command runs, or for some time. `vitrine record' makes the recording, sched/answer.c the answer.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "temporary.h"
#include "sched/answer.h"

enum {
	OPT_FOR = RECORD_FILTER_TO + 1,
	OPT_LAST,
	OPT_AT,
};

/**
 * struct options - the command line
 * @args: options of the answer
 * @path: trace to read, or NULL
 * @live: read the flight recorder
 * @last_ns: how much of its end; 0: all
 * @duration: how long to record, or NULL
 * @output: where to keep the recording, or NULL
 * @command: command to record, with its arguments, or NULL
 * @nr_words: number of @command and its arguments
 */
struct options {
	struct answer_args args;
	const char *path;
	bool live;
	uint64_t last_ns;
	const char *duration;
	const char *output;
	char **command;
	int nr_words;
};

static struct options given;

/* No flight recorder holds more. */
#define MAX_LAST_NS	(24 * 3600 * NSEC_PER_SEC)

/* ---- Recording ----------------------------------------------------------- */

/* Most words of `vitrine record' besides the command. */
#define MAX_WORDS	8

/* Record what was asked for into a file. Returns the status of `vitrine record'. */
static int make_recording(const char *output)
{
	autofree const char **argv = NULL;
	int nr = 0, i;

	argv = calloc(MAX_WORDS + given.nr_words + 1, sizeof(*argv));
	must_have(argv);
	argv[nr++] = "vitrine record";
	argv[nr++] = "--why";
	argv[nr++] = "-o";
	argv[nr++] = output;
	argv[nr++] = given.duration ? "--for" : "--";
	if (given.duration)
		argv[nr++] = given.duration;
	for (i = 0; i < given.nr_words; i++)
		argv[nr++] = given.command[i];
	return cmd_record(nr, (char **)argv);
}

/* Record, and answer from the recording, which is removed unless it is wanted. */
static int record_and_answer(void)
{
	struct vtr_temporary temporary = { 0 };
	const char *path = given.output, *place = vtr_temporary_place("-");
	struct stat file;
	int status, fd;

	if (!path) {
		fd = vtr_temporary_create(&temporary, place);
		if (fd < 0)
			return report_error(vtr_error_os(errno, place, "cannot create"));
		close(fd);
		path = temporary.path;
	}
	status = make_recording(path);
	if (!stat(path, &file) && file.st_size)
		status = worse(status, answer_run(path, &given.args));
	vtr_temporary_remove(&temporary);
	return status;
}

/* ---- The flight recorder --------------------------------------------------- */

static enum archive_step see_end(void *ctx, const struct vitrine_fxt_record *record)
{
	uint64_t *end_ns = ctx, ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);

	if (record->timed && ns > *end_ns)
		*end_ns = ns;
	return ARCHIVE_NEXT;
}

/* Answer from the flight recorder. Its clock is that of the rings, so look for the last record. */
static int answer_live(void)
{
	autofree char *path = debugfs_path(VITRINE_TRACE_DIR "/trace.fxt");
	struct vitrine_error *err = NULL;
	uint64_t end_ns = 0;

	if (access(path, R_OK))
		err = debugfs_explain(errno, path);
	else if (given.last_ns)
		err = archive_visit_file(path, see_end, &end_ns);
	if (err)
		return report_error(err);
	/* What happens while the rings are read once more does not belong to the question. */
	if (given.last_ns)
		given.args.filter.to_ns = end_ns;
	if (end_ns > given.last_ns && given.last_ns)
		given.args.filter.from_ns = end_ns - given.last_ns;
	return answer_run(NULL, &given.args);
}

/* ---- Options ------------------------------------------------------------- */

static const struct command_option options[] = {
	{ "all", 'a', NULL, "Show all groups of threads", .flag = &given.args.all },
	{ "json", 'j', NULL, "Print JSON", .flag = &given.args.json },
	{ "live", 'l', NULL, "Read the flight recorder", .flag = &given.live },
	{ "last", OPT_LAST, "DURATION", .help = "Read the end of the flight recorder" },
	{ "for", OPT_FOR, "DURATION", "Record for DURATION: 10 (s), 500ms, 2min",
	  .text = &given.duration },
	{ "output", 'o', "FILE", "Keep the recording in FILE", .text = &given.output },
	{ "at", OPT_AT, "TIME", .help = "Show the critical path of the wait at TIME" },
	{ .help = "Filters:" },
	{ "thread", 't', "TID|NAME", .help = "Answer for this thread" },
	{ "process", 'p', "PID|NAME", .help = "Answer for this process and its children" },
	RECORD_FILTER_OPTION_FROM,
	RECORD_FILTER_OPTION_TO,
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	if (key == OPT_LAST) {
		given.live = true;
		given.last_ns = units_duration(arg, 1, MAX_LAST_NS, state);
		return 0;
	}
	if (key == OPT_AT) {
		if (!units_parse_duration(arg, &given.args.at_ns))
			argp_error(state, "`%s' is not a time, such as 1234.5 (seconds) or 5ms",
				   arg);
		given.args.is_at = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void check_args(struct argp_state *state)
{
	if (!!given.path + !!given.command + !!given.duration + given.live != 1)
		argp_error(state, "give one of FILE, -- COMMAND, --for, --live and --last");
	if (given.output && (given.path || given.live))
		argp_error(state, "--output is for a recording");
	if (given.args.is_at && given.args.json)
		argp_error(state, "--at excludes --json");
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.operand = &given.path,
	.operand_name = "FILE",
	.args_doc = "FILE\n-- COMMAND [ARGUMENT...]\n--for DURATION\n--live\n--last DURATION",
	.doc = "Answer why a program was slow.\n"
	       "\013Without filters, the answer is about the command that was recorded, and its\n"
	       "children, or else about all programs.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine why -- make -j8\n"
	       "  vitrine why -p postgres --for 10s\n"
	       "  vitrine record --why -o slow.fxt -- make; vitrine why slow.fxt",
};

/**
 * cmd_why() - run `vitrine why'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code, or the status of the command that was run.
 */
int cmd_why(int argc, char **argv)
{
	int i;

	given = (struct options){ 0 };
	/* What follows is a command, and no operand. */
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		;
	if (i + 1 < argc) {
		given.command = argv + i + 1;
		given.nr_words = argc - i - 1;
		argc = i;
	}
	record_filter_options(&line, &given.args.filter, argc, argv);
	given.args.file = given.path ? given.path : given.output;
	/* No later command can read a pipe again. */
	if (given.args.file && !strcmp(given.args.file, "-"))
		given.args.file = NULL;
	if (given.live)
		return answer_live();
	return given.path ? answer_run(given.path, &given.args) : record_and_answer();
}
