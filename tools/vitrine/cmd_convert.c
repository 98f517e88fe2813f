// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine convert FILE -o OUT': a trace from one format into another.
 *
 * Every other format is read from, or written to, a Fuchsia trace; between two
 * others there is one for a while.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chrome.h"
#include "commands.h"
#include "ctf.h"
#include "error.h"
#include "heph.h"
#include "input.h"
#include "temporary.h"
#include "trace_cmd.h"

/**
 * struct format - a format of traces
 * @name: of the format
 * @suffix: how names of its files end
 * @read: makes a Fuchsia trace @to of one in this format @from, or NULL
 * @write: the other way round, counting the faults of @from, or NULL
 */
struct format {
	const char *name;
	const char *suffix;
	struct vitrine_error *(*read)(const char *from, const char *to);
	struct vitrine_error *(*write)(const char *from, const char *to,
				       struct faults *faults);
};

static const struct format formats[] = {
	{ "fxt", ".fxt", NULL, NULL },
	{ "ctf", ".ctf", ctf_read, ctf_write },
	{ "heph", ".heph", heph_read, heph_write },
	{ "trace-cmd", ".dat", trace_cmd_read, NULL },
	{ "chrome-json", ".json", NULL, chrome_write },
};

#define FXT		(&formats[0])
#define CTF		(&formats[1])
#define HEPH		(&formats[2])
#define TRACE_CMD	(&formats[3])
#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

/**
 * struct convert_args - what is to be done
 * @name: FILE, as messages call it
 * @in: FILE, to be opened
 * @out: OUT, "-" for standard output
 * @from: what @in is, or NULL
 * @to: what @out is to be, or NULL
 */
struct convert_args {
	const char *name;
	const char *in;
	const char *out;
	const struct format *from;
	const struct format *to;
};

enum {
	OPT_FROM = 256,
	OPT_TO,
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write to this file, or directory", 0 },
	{ "from", OPT_FROM, "FORMAT", 0, "What FILE is; else it tells itself", 0 },
	{ "to", OPT_TO, "FORMAT", 0, "What OUT is to be; else its name tells", 0 },
	{ 0 },
};

#define FORMAT_HELP \
	"What the other format cannot say is counted. \"-\" is standard input, or " \
	"output. FORMAT is one of:\n\n" \
	"  fxt          a Fuchsia trace (OUT.fxt)\n" \
	"  ctf          the Common Trace Format, a directory (OUT.ctf)\n" \
	"  heph         Heph's trace format (OUT.heph)\n" \
	"  trace-cmd    what trace-cmd records with ftrace, FILE only\n" \
	"  chrome-json  Chrome's trace events, OUT only (OUT.json)\n"

static const struct format *find_format(const char *name)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static const struct format *parse_format(const char *name,
					 struct argp_state *state)
{
	const struct format *format = find_format(name);

	if (!format)
		argp_error(state, "no format %s; see --help", name);
	return format;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct convert_args *args = state->input;

	switch (key) {
	case 'o':
		args->out = arg;
		return 0;
	case OPT_FROM:
		args->from = parse_format(arg, state);
		if (args->from != FXT && !args->from->read)
			argp_error(state, "%s cannot be read", arg);
		return 0;
	case OPT_TO:
		args->to = parse_format(arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (args->in)
			argp_error(state, "one FILE only");
		args->in = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->in)
			argp_error(state, "FILE is missing");
		if (!args->out)
			argp_error(state, "-o OUT is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE -o OUT",
	.doc = "Convert a trace from one format into another.\v" FORMAT_HELP,
};

/* What OUT is to be, from the end of its name. */
static const struct format *format_of_name(const char *name)
{
	size_t len = strlen(name), len_suffix, i;

	while (len && name[len - 1] == '/')
		len--;
	for (i = 0; i < NR_FORMATS; i++) {
		len_suffix = strlen(formats[i].suffix);
		if (len > len_suffix &&
		    !strncmp(name + len - len_suffix, formats[i].suffix,
			     len_suffix))
			return &formats[i];
	}
	return NULL;
}

/* Of those that the library does not know; NULL if it is none, or cannot be read. */
static const struct format *detect_other(const char *path)
{
	const struct format *format = NULL;
	FILE *file = fopen(path, "re");
	char bytes[16];
	size_t len;

	if (!file)
		return NULL;
	len = fread(bytes, 1, sizeof(bytes), file);
	if (heph_detect(bytes, len))
		format = HEPH;
	else if (trace_cmd_detect(bytes, len))
		format = TRACE_CMD;
	fclose(file);
	return format;
}

/* What FILE is; a directory can be one thing only. */
static struct vitrine_error *detect(const char *path,
				    const struct format **ret)
{
	enum vitrine_format format;
	struct vitrine_error *err;
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		*ret = CTF;
		return NULL;
	}
	*ret = detect_other(path);
	if (*ret)
		return NULL;
	err = vitrine_format_of_file(path, &format);
	if (err)
		return err;
	if (format != VITRINE_FORMAT_FXT)
		return vitrine_error_create(EBADMSG, path, 0,
					    "say what it is with --from",
					    "no trace of a format that is known");
	*ret = FXT;
	return NULL;
}

/* Beside what is to be written; but where standard output goes may be no place. */
static void place_between(const char *out, char *ret, size_t size)
{
	const char *dir = getenv("TMPDIR");

	if (strcmp(out, "-"))
		snprintf(ret, size, "%s", out);
	else
		snprintf(ret, size, "%s/vitrine", dir && *dir ? dir : "/var/tmp");
}

static struct vitrine_error *convert_twice(const struct convert_args *args,
					   struct faults *faults)
{
	struct vtr_temporary between = { 0 };
	struct vitrine_error *err;
	char place[PATH_MAX];
	int fd;

	place_between(args->out, place, sizeof(place));
	fd = vtr_temporary_create(&between, place);
	if (fd < 0)
		return vtr_error_os(errno, args->out,
				    "cannot create a file beside it");
	close(fd);
	err = args->from->read(args->in, between.path);
	if (!err)
		err = args->to->write(between.path, args->out, faults);
	vtr_temporary_remove(&between);
	return err;
}

static struct vitrine_error *convert(const struct convert_args *args,
				     struct faults *faults)
{
	if (args->from == FXT)
		return args->to->write(args->in, args->out, faults);
	if (args->to == FXT)
		return args->from->read(args->in, args->out);
	return convert_twice(args, faults);
}

/* Say why not, if not. */
static bool is_possible(const struct convert_args *args)
{
	if (args->from == args->to)
		fprintf(stderr, "vitrine: %s: is %s already\n", args->name,
			args->to->name);
	else if (args->to != FXT && !args->to->write)
		fprintf(stderr, "vitrine: %s: %s cannot be written\n", args->out,
			args->to->name);
	else if (args->to == CTF && !strcmp(args->out, "-"))
		fprintf(stderr, "vitrine: %s: ctf is a directory: give it a name\n",
			args->out);
	else
		return true;
	return false;
}

/**
 * cmd_convert() - `vitrine convert'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_convert(int argc, char **argv)
{
	struct convert_args args = { 0 };
	struct faults faults = { 0 };
	int status = EXIT_DONE;
	struct vitrine_error *err;
	struct input input;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (!args.to)
		args.to = format_of_name(args.out);
	if (!args.to) {
		fprintf(stderr, "vitrine: %s: say what it is to be with --to\n",
			args.out);
		return EXIT_USAGE;
	}
	err = input_open(&input, args.in);
	args.name = input.name;
	args.in = input.path;
	if (!err && !args.from)
		err = detect(args.in, &args.from);
	faults.path = args.name;
	if (!err && !is_possible(&args))
		status = EXIT_USAGE;
	else if (!err)
		err = convert(&args, &faults);
	faults_end(&faults);
	err = input_blame(&input, err);
	input_close(&input);
	if (err)
		return report_error(err);
	return faults.nr ? EXIT_BAD_INPUT : status;
}
