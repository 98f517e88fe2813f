// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine convert': convert a trace between formats. Every other format is read from, or written
 * to, a Fuchsia trace; a conversion between two others goes through a temporary one.
 */
#define _GNU_SOURCE	/* asprintf(), pipe2() */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "entry.h"
#include "heph.h"
#include "input.h"
#include "left_out.h"
#include "temporary.h"
#include "vitrine.h"

/* Longest error text of the plugin. */
#define MESSAGE_BYTES	1024

/**
 * struct answer - what the child that runs libbabeltrace2 leaves to this process
 * @code: 0, or errno
 * @faults: faults of the Fuchsia trace that is read
 * @message: error message; may be empty
 */
struct answer {
	int code;
	struct faults faults;
	char message[MESSAGE_BYTES];
};

/**
 * struct convert_args - the options of `vitrine convert'
 * @in: trace to read; "-": standard input
 * @out: trace to write; "-": standard output
 * @from: format of @in, or NULL to detect it
 * @to: format of @out, or NULL to take it from the suffix
 * @packet_bytes: longest packet of Heph's format; 0: no limit
 */
static struct convert_args {
	const char *in;
	const char *out;
	const struct format *from;
	const struct format *to;
	size_t packet_bytes;
} args;

/* The file to read, and its faults. */
static struct input input;
static struct faults faults;

/**
 * struct format - a trace format
 * @name: name in options
 * @suffix: suffix of its files
 * @read: convert @from, in this format, into a Fuchsia trace @to; NULL: it is one
 * @write: convert a Fuchsia trace @from into this format, and count its faults; or NULL
 */
struct format {
	const char *name;
	const char *suffix;
	struct vitrine_error *(*read)(const char *from, const char *to);
	struct vitrine_error *(*write)(const char *from, const char *to);
};

#define FXT		(&formats[0])
#define CTF		(&formats[1])
#define HEPH		(&formats[2])
#define TRACE_CMD	(&formats[3])

enum {
	OPT_FROM = 256,
	OPT_TO,
	OPT_PACKET_BYTES,
};

#define FORMAT_HELP \
	"The format of FILE is detected from its first bytes. \"-\" as FILE is " \
	"standard input, and as OUT standard output. Records that the other " \
	"format cannot represent are counted on standard error. FORMAT is one of:\n\n" \
	"  fxt          Fuchsia trace format (OUT.fxt)\n" \
	"  ctf          Common Trace Format, a directory (OUT.ctf)\n" \
	"  heph         Heph's trace format (OUT.heph)\n" \
	"  trace-cmd    trace.dat of trace-cmd, input only\n\n" \
	"Examples:\n" \
	"  vitrine convert load.fxt -o load.ctf\n" \
	"  vitrine convert trace.dat -o trace.fxt\n" \
	"  vitrine snapshot -o - | vitrine convert - -o now.ctf\n"

/* ---- The Common Trace Format ------------------------------------------- */

/*
 * The plugin for libbabeltrace2 is loaded when it is needed, so that the command itself does
 * not depend on that library. It is looked for in BABELTRACE_PLUGIN_PATH; if that is not set,
 * where it is installed, and beside the command.
 */

static void *open_in(const char *dir, size_t len)
{
	void *handle;
	char *path;

	if (!len || asprintf(&path, "%.*s/" VITRINE_BABELTRACE_PLUGIN,
			     (int)len, dir) < 0)
		return NULL;
	handle = access(path, R_OK) ? NULL :
		 dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return handle;
}

static void *open_in_path(const char *path)
{
	void *handle = NULL;
	size_t len;

	while (*path && !handle) {
		len = strcspn(path, ":");
		handle = open_in(path, len);
		path += len + !!path[len];
	}
	return handle;
}

static void *open_beside(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return NULL;
	path[len] = '\0';
	*strrchr(path, '/') = '\0';
	return open_in(path, strlen(path));
}

static struct vitrine_error *find_plugin(vitrine_babeltrace_convert_fn **ret)
{
	const char *path = getenv("BABELTRACE_PLUGIN_PATH");
	void *handle, *symbol = NULL, *cleanup = NULL;

	handle = path ? open_in_path(path) :
			open_in(PLUGINDIR, strlen(PLUGINDIR));
	if (!handle && !path)
		handle = open_beside();
	if (handle) {
		symbol = dlsym(handle, VITRINE_BABELTRACE_CONVERT);
		cleanup = dlsym(handle, VITRINE_BABELTRACE_CLEANUP);
	}
	if (!symbol || !cleanup)
		return vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET,
			"install the package vitrine-babeltrace; to build it, libbabeltrace2-dev",
			"the Common Trace Format needs " VITRINE_BABELTRACE_PLUGIN);
	*ret = (vitrine_babeltrace_convert_fn *)symbol;
	cleanup_of_plugin((void (*)(void))cleanup);
	return NULL;
}

/* Make an error of the signal that ended the child. */
static struct vitrine_error *died(const char *from, int number)
{
	if (number == SIGBUS)
		return vitrine_error_create(EBADMSG, from, VITRINE_NO_OFFSET,
			"copy it once it is complete",
			"the file became shorter while it was read");
	return vitrine_error_create(EIO, from, VITRINE_NO_OFFSET, NULL,
				    "libbabeltrace2 died converting it: %s",
				    strsignal(number));
}

static struct vitrine_error *failed(const char *from, const char *to, bool from_fxt,
				    const struct answer *answer)
{
	if (answer->code == EBADMSG)
		return vitrine_error_create(EBADMSG, from, VITRINE_NO_OFFSET,
					    NULL, "%s", answer->message);
	/* The message of our own sink begins with the name of the file. */
	if (!from_fxt && *answer->message)
		return vitrine_error_create(answer->code, NULL,
					    VITRINE_NO_OFFSET, NULL, "%s",
					    answer->message);
	return vitrine_error_create(answer->code, to, VITRINE_NO_OFFSET,
				    "make sure that the disk has room for it",
				    "libbabeltrace2 cannot write it%s%s",
				    *answer->message ? ": " : "", answer->message);
}

/* Run libbabeltrace2, of which some versions crash if a disk is full. */
static void __attribute__((noreturn))
run_child(vitrine_babeltrace_convert_fn *function, const char *from,
	  const char *to, bool from_fxt, struct answer *answer)
{
	cleanup_in_child();
	answer->code = function(from, to, from_fxt ? &answer->faults : NULL,
				answer->message, sizeof(answer->message));
	cleanup_remove();
	_exit(EXIT_SUCCESS);
}

/* Convert to @path, the temporary name of @to. */
static struct vitrine_error *run(const char *from, const char *path,
				 const char *to, bool from_fxt,
				 struct answer *answer)
{
	vitrine_babeltrace_convert_fn *function = NULL;
	struct vitrine_error *err;
	int status;
	pid_t pid;

	err = find_plugin(&function);
	if (err)
		return err;
	pid = fork();
	if (!pid)
		run_child(function, from, path, from_fxt, answer);
	if (pid < 0)
		return vtr_error_os(errno, from, "cannot start a child");
	cleanup_of_child(pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	cleanup_of_child(0);
	if (WIFSIGNALED(status))
		return died(from, WTERMSIG(status));
	return answer->code ? failed(from, to, from_fxt, answer) : NULL;
}

/* Convert between CTF and a Fuchsia trace @from, whose faults are counted. */
static struct vitrine_error *run_plugin(const char *from, const char *path,
					const char *to, bool from_fxt)
{
	struct answer *answer = mmap(NULL, sizeof(*answer),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct vitrine_error *err;

	if (answer == MAP_FAILED)
		return vtr_error_no_memory();
	answer->faults = faults;
	err = run(from, path, to, from_fxt, answer);
	faults = answer->faults;
	munmap(answer, sizeof(*answer));
	return err;
}

/*
 * Convert a trace into the Common Trace Format. Returns NULL, or an error; then the
 * directory does not exist, or is empty.
 */
static struct vitrine_error *ctf_write(const char *from, const char *to)
{
	struct vtr_temporary dir = { 0 };
	struct vitrine_error *err;
	char *path;

	if (!vtr_temporary_mkdir(&dir, to))
		return vtr_error_os(errno, to, "cannot create");
	path = must_format("%s/trace", dir.path);
	err = run_plugin(from, path, to, true);
	if (!err && rename(path, to))
		err = vtr_error_os(errno, to, "cannot rename to it");
	free(path);
	vtr_temporary_remove(&dir);
	return err;
}

/*
 * Convert a trace from the Common Trace Format. Returns NULL, or an error; then the file
 * does not exist.
 */
static struct vitrine_error *ctf_read(const char *from, const char *to)
{
	return run_plugin(from, to, to, false);
}

/* ---- trace.dat of trace-cmd -------------------------------------------- */

/*
 * A helper program with libtracecmd converts it, and its output is copied, so that the output
 * file is complete or does not exist.
 */

static const char magic[] = "\x17\x08\x44tracing";

static const struct helper reader = {
	.name = "read-trace-cmd",
	.library = "libtracecmd",
	.purpose = "trace-cmd's format",
	.install = "install the package vitrine-tools; to build it, see README",
	.advice = "it may be truncated; try to read it with `trace-cmd report'",
};

/* Detect a trace.dat. Returns true if it is one. */
static bool trace_cmd_detect(const void *bytes, size_t len_bytes)
{
	size_t len = sizeof(magic) - 1;

	return len_bytes >= len && !memcmp(bytes, magic, len);
}

static struct vitrine_error *write_all(const char *from,
				       struct vitrine_writer *writer)
{
	struct vitrine_error *err, *end;
	struct helper_run run;
	int trace[2];

	if (pipe2(trace, O_CLOEXEC))
		return vtr_error_os(errno, from, "cannot read");
	err = helper_start(&reader, from, -1, trace[1], &run);
	close(trace[1]);
	if (err) {
		close(trace[0]);
		return err;
	}
	err = input_copy(trace[0], from, writer);
	/* Closing the pipe ends the helper, if it still writes. */
	close(trace[0]);
	end = helper_finish(&reader, from, &run);
	/* If writing failed here, the helper's error is only a consequence. */
	if (!err)
		return end ? end : vitrine_writer_commit(writer);
	vitrine_error_destroy(end);
	return err;
}

/* Convert a trace.dat. Returns NULL, or an error; then the file does not exist. */
static struct vitrine_error *trace_cmd_read(const char *from, const char *to)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;

	err = vitrine_writer_create(to, &writer);
	if (!err)
		err = write_all(from, writer);
	vitrine_writer_destroy(writer);
	return err;
}

/* ---- Formats ----------------------------------------------------------- */

/* Copy a trace into a compressed file. */
static struct vitrine_error *fxt_copy(const char *from, const char *to)
{
	struct vitrine_writer *writer = NULL;
	struct vitrine_error *err;
	int fd;

	fd = open(from, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vtr_error_open(errno, from);
	err = vitrine_writer_create(to, &writer);
	if (!err)
		err = input_copy(fd, from, writer);
	if (!err)
		err = vitrine_writer_commit(writer);
	vitrine_writer_destroy(writer);
	close(fd);
	return err;
}

static struct vitrine_error *read_heph(const char *from, const char *to)
{
	return heph_read(from, input.name, to);
}

static struct vitrine_error *write_heph(const char *from, const char *to)
{
	return heph_write(from, to, args.packet_bytes, &faults);
}

static const struct format formats[] = {
	{ "fxt", ".fxt", NULL, fxt_copy },
	{ "ctf", ".ctf", ctf_read, ctf_write },
	{ "heph", ".heph", read_heph, write_heph },
	{ "trace-cmd", ".dat", trace_cmd_read, NULL },
};

/* Find a format by its name. Returns the format, or NULL. */
static const struct format *format_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static bool is_compressed(const char *name)
{
	return ends_in(name, strlen(name), ZSTD_SUFFIX);
}

/* Return the format that the suffix of OUT stands for, without ".zst", or NULL. */
static const struct format *format_of_name(const char *name)
{
	size_t len = strlen(name), i;

	while (len && name[len - 1] == '/')
		len--;
	if (is_compressed(name))
		len -= strlen(ZSTD_SUFFIX);
	for (i = 0; i < ARRAY_LEN(formats); i++)
		if (ends_in(name, len, formats[i].suffix))
			return &formats[i];
	return NULL;
}

/* Detect the formats that the library does not know; NULL for any other file. */
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

/* Detect the format of FILE from its first bytes; a directory can only be CTF. */
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
					    "name its format with --from",
					    "not a trace in a known format");
	*ret = FXT;
	return NULL;
}

static struct vitrine_error *convert_twice(void)
{
	struct vtr_temporary between = { 0 };
	struct vitrine_error *err;
	int fd;

	fd = vtr_temporary_create(&between, vtr_temporary_place(args.out));
	if (fd < 0)
		return vtr_error_os(errno, args.out,
				    "cannot create a temporary file in its directory");
	close(fd);
	err = args.from->read(input.path, between.path);
	if (!err)
		err = args.to->write(between.path, args.out);
	vtr_temporary_remove(&between);
	return err;
}

static struct vitrine_error *convert(void)
{
	if (args.from == FXT)
		return args.to->write(input.path, args.out);
	/* The plugin that reads CTF cannot compress. */
	if (args.to == FXT && !(args.from == CTF && is_compressed(args.out)))
		return args.from->read(input.path, args.out);
	return convert_twice();
}

/* Return whether the conversion is possible; if not, print why. */
static bool is_possible(void)
{
	if (args.from == args.to && !(args.to == FXT && is_compressed(args.out)))
		print_note(input.name, "already in format %s", args.to->name);
	else if (args.to != FXT && !args.to->write)
		print_note(args.out, "format %s can only be read", args.to->name);
	else if (args.to == CTF && !strcmp(args.out, "-"))
		print_note(args.out, "ctf is a directory; give OUT a name");
	else
		return true;
	return false;
}

/* Convert a trace. Returns enum exit_code. */
static int convert_run(void)
{
	int status = EXIT_DONE;
	struct vitrine_error *err;

	if (!args.to)
		args.to = format_of_name(args.out);
	if (!args.to) {
		print_note(args.out, "unknown suffix; name the format with --to");
		return EXIT_USAGE;
	}
	err = input_open(&input, args.in);
	faults = (struct faults){ .path = input.name };
	if (!err && !args.from)
		err = detect(input.path, &args.from);
	if (!err && !is_possible())
		status = EXIT_USAGE;
	else if (!err)
		err = convert();
	faults_end(&faults);
	err = input_blame(&input, err);
	input_close(&input);
	if (err)
		return report_error(err);
	return faults.nr ? EXIT_BAD_INPUT : status;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "output", 'o', "OUT", "Write to OUT (for ctf, a directory)", .text = &args.out,
	  .is_needed = true },
	{ "from", OPT_FROM, "FORMAT", .help = "Format of FILE (default: detected)" },
	{ "to", OPT_TO, "FORMAT", .help = "Format of OUT (default: from its suffix)" },
	{ "packet-bytes", OPT_PACKET_BYTES, "SIZE",
	  .help = "heph: limit packets to SIZE, at least 128" },
	{ 0 }
};

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
	switch (key) {
	case OPT_FROM:
		args.from = parse_format(arg, state);
		return 0;
	case OPT_TO:
		args.to = parse_format(arg, state);
		return 0;
	case OPT_PACKET_BYTES:
		args.packet_bytes = units_size(arg, HEPH_PACKET_BYTES, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.operand = &args.in,
	.operand_name = "FILE",
	.is_needed = true,
	.args_doc = "FILE -o OUT",
	.doc = "Convert a trace between formats.\v" FORMAT_HELP,
};

int cmd_convert(int argc, char **argv)
{
	args = (struct convert_args){ 0 };
	options_parse(&line, argc, argv);
	return convert_run();
}
