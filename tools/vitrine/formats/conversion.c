// SPDX-License-Identifier: GPL-2.0
/*
 * Convert a trace between formats. Every other format is read from, or written to, a
 * Fuchsia trace; a conversion between two others goes through a temporary one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compress.h"
#include "error.h"
#include "heph.h"
#include "input.h"
#include "report.h"
#include "temporary.h"
#include "chrome.h"
#include "conversion.h"
#include "ctf.h"
#include "trace_cmd.h"

/**
 * struct format - a trace format
 * @name: name in options
 * @suffix: suffix of its files
 * @read: convert @from, in this format, into a Fuchsia trace @to; or NULL
 * @write: convert a Fuchsia trace @from into this format, and count its faults;
 *	or NULL
 */
struct format {
	const char *name;
	const char *suffix;
	struct vitrine_error *(*read)(const char *from, const char *to);
	struct vitrine_error *(*write)(const char *from, const char *to,
				       struct faults *faults);
};

/* Copy a trace into a compressed file. */
static struct vitrine_error *fxt_copy(const char *from, const char *to,
				      struct faults *faults)
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

/* The option --packet-bytes. */
static size_t packet_bytes;

static struct vitrine_error *write_heph(const char *from, const char *to,
					struct faults *faults)
{
	return heph_write(from, to, packet_bytes, faults);
}

static const struct format formats[] = {
	{ "fxt", ".fxt", NULL, fxt_copy },
	{ "ctf", ".ctf", ctf_read, ctf_write },
	{ "heph", ".heph", heph_read, write_heph },
	{ "trace-cmd", ".dat", trace_cmd_read, NULL },
	{ "chrome-json", ".json", NULL, chrome_write },
};

#define FXT		(&formats[0])
#define CTF		(&formats[1])
#define HEPH		(&formats[2])
#define TRACE_CMD	(&formats[3])
#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

/**
 * struct conversion - one conversion
 * @name: FILE, as messages call it
 * @in: FILE, or the copy of a pipe
 * @out: OUT; "-": standard output
 * @from: format of @in
 * @to: format of @out
 */
struct conversion {
	const char *name;
	const char *in;
	const char *out;
	const struct format *from;
	const struct format *to;
};

/**
 * format_find() - find a format by its name
 * @name: name
 *
 * Return: the format, or NULL.
 */
const struct format *format_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

/**
 * format_is_readable() - find out whether a format can be read
 * @format: format
 *
 * Return: true if it can.
 */
bool format_is_readable(const struct format *format)
{
	return format == FXT || format->read;
}

static bool is_compressed(const char *name)
{
	size_t len = strlen(name), len_suffix = strlen(ZSTD_SUFFIX);

	return len > len_suffix &&
	       !strcmp(name + len - len_suffix, ZSTD_SUFFIX);
}

/* Return the format that the suffix of OUT stands for, without ".zst", or NULL. */
static const struct format *format_of_name(const char *name)
{
	size_t len = strlen(name), len_suffix, i;

	while (len && name[len - 1] == '/')
		len--;
	if (is_compressed(name))
		len -= strlen(ZSTD_SUFFIX);
	for (i = 0; i < NR_FORMATS; i++) {
		len_suffix = strlen(formats[i].suffix);
		if (len > len_suffix &&
		    !strncmp(name + len - len_suffix, formats[i].suffix,
			     len_suffix))
			return &formats[i];
	}
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

/* Choose a name for the temporary trace: beside OUT or, for standard output, in TMPDIR. */
static void place_between(const char *out, char *ret, size_t size)
{
	const char *dir = getenv("TMPDIR");

	if (strcmp(out, "-"))
		snprintf(ret, size, "%s", out);
	else
		snprintf(ret, size, "%s/vitrine", dir && *dir ? dir : "/var/tmp");
}

static struct vitrine_error *convert_twice(const struct conversion *job,
					   struct faults *faults)
{
	struct vtr_temporary between = { 0 };
	struct vitrine_error *err;
	char place[PATH_MAX];
	int fd;

	place_between(job->out, place, sizeof(place));
	fd = vtr_temporary_create(&between, place);
	if (fd < 0)
		return vtr_error_os(errno, job->out,
				    "cannot create a temporary file in its directory");
	close(fd);
	err = job->from->read(job->in, between.path);
	if (!err)
		err = job->to->write(between.path, job->out, faults);
	vtr_temporary_remove(&between);
	return err;
}

static struct vitrine_error *convert(const struct conversion *job,
				     struct faults *faults)
{
	if (job->from == FXT)
		return job->to->write(job->in, job->out, faults);
	/* The plugin that reads CTF cannot compress. */
	if (job->to == FXT && !(job->from == CTF && is_compressed(job->out)))
		return job->from->read(job->in, job->out);
	return convert_twice(job, faults);
}

/* Return whether the conversion is possible; if not, print why. */
static bool is_possible(const struct conversion *job)
{
	if (job->from == job->to &&
	    !(job->to == FXT && is_compressed(job->out)))
		print_note(job->name, "already in format %s", job->to->name);
	else if (job->to != FXT && !job->to->write)
		print_note(job->out, "format %s can only be read",
			   job->to->name);
	else if (job->to == CTF && !strcmp(job->out, "-"))
		print_note(job->out, "ctf is a directory; give OUT a name");
	else
		return true;
	return false;
}

/**
 * convert_run() - convert a trace
 * @args: the options
 *
 * Return: enum exit_code.
 */
int convert_run(const struct convert_args *args)
{
	struct conversion job = {
		.out = args->out,
		.from = args->from,
		.to = args->to ? args->to : format_of_name(args->out),
	};
	struct faults faults = { 0 };
	int status = EXIT_DONE;
	struct vitrine_error *err;
	struct input input;

	packet_bytes = args->packet_bytes;
	if (!job.to) {
		print_note(args->out,
			   "unknown suffix; name the format with --to");
		return EXIT_USAGE;
	}
	err = input_open(&input, args->in);
	job.name = input.name;
	job.in = input.path;
	if (!err && !job.from)
		err = detect(job.in, &job.from);
	faults.path = job.name;
	if (!err && !is_possible(&job))
		status = EXIT_USAGE;
	else if (!err)
		err = convert(&job, &faults);
	faults_end(&faults);
	err = input_blame(&input, err);
	input_close(&input);
	if (err)
		return report_error(err);
	return faults.nr ? EXIT_BAD_INPUT : status;
}
