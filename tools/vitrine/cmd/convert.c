// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine convert': convert a trace between formats. This file parses the options;
 * formats/conversion.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "formats/conversion.h"
#include "heph.h"
#include "operands.h"
#include "units.h"

enum {
	OPT_FROM = 256,
	OPT_TO,
	OPT_PACKET_BYTES,
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write to OUT (for ctf, a directory)", 0 },
	{ "from", OPT_FROM, "FORMAT", 0, "Format of FILE (default: detected)", 0 },
	{ "to", OPT_TO, "FORMAT", 0, "Format of OUT (default: from its suffix)", 0 },
	{ "packet-bytes", OPT_PACKET_BYTES, "SIZE", 0,
	  "heph: limit packets to SIZE, at least 128", 0 },
	{ 0 },
};

#define FORMAT_HELP \
	"The format of FILE is detected from its first bytes. \"-\" as FILE is " \
	"standard input, and as OUT standard output. Records that the other " \
	"format cannot represent are counted on standard error. FORMAT is one of:\n\n" \
	"  fxt          Fuchsia trace format (OUT.fxt)\n" \
	"  ctf          Common Trace Format, a directory (OUT.ctf)\n" \
	"  heph         Heph's trace format (OUT.heph)\n" \
	"  trace-cmd    trace.dat of trace-cmd, input only\n" \
	"  chrome-json  Chrome trace events, output only (OUT.json)\n\n" \
	"Examples:\n" \
	"  vitrine convert load.fxt -o load.ctf\n" \
	"  vitrine convert trace.dat -o trace.fxt\n" \
	"  vitrine snapshot -o - | vitrine convert - --to=chrome-json -o now.json\n"

static const struct format *parse_format(const char *name,
					 struct argp_state *state)
{
	const struct format *format = format_find(name);

	if (!format)
		argp_error(state, "unknown format %s; see --help", name);
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
		if (!format_is_readable(args->from))
			argp_error(state, "%s can only be written, not read", arg);
		return 0;
	case OPT_TO:
		args->to = parse_format(arg, state);
		return 0;
	case OPT_PACKET_BYTES:
		args->packet_bytes = units_size(arg, HEPH_PACKET_BYTES, state);
		return 0;
	case ARGP_KEY_ARG:
		operand_set(state, &args->in, "FILE", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->in)
			argp_error(state, "no FILE given");
		if (!args->out)
			argp_error(state, "no output given; use -o OUT");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE -o OUT",
	.doc = "Convert a trace between formats.\v" FORMAT_HELP,
};

int cmd_convert(int argc, char **argv)
{
	struct convert_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return convert_run(&args);
}
