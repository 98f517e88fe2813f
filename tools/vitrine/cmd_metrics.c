// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine metrics': print Inspect trees as metrics for Prometheus, or replace a
 * file with them that node_exporter's textfile collector reads.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "error.h"
#include "metrics.h"
#include "temporary.h"
#include "trees.h"

struct metrics {
	const char *textfile;
	bool strict;
	char **args;
	int nr_args;
	struct trees trees;
};

static struct vitrine_error *error_write(const char *path, int code)
{
	/* Too large for where it goes; as an input's error it would be EFBIG. */
	return vitrine_error_create(code == EFBIG ? ENOSPC : code, path,
				    VITRINE_NO_OFFSET, NULL,
				    "cannot write: %s", strerror(code));
}

/* ---- Into a file ------------------------------------------------------- */

/* For all to read, as far as the umask lets them: the collector is not root. */
static FILE *temporary_open(struct vtr_temporary *temporary, const char *path)
{
	int fd = vtr_temporary_create(temporary, path);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

/* Print and see to it that it is on the disk. */
static struct vitrine_error *write_all(struct metric_set *set, bool strict,
				       const char *path, FILE *stream)
{
	errno = 0;
	if (!metric_set_print(set, strict, stream))
		return vtr_error_no_memory();
	if (fflush(stream) || ferror(stream) || fsync(fileno(stream)))
		return error_write(path, errno ? errno : EIO);
	return NULL;
}

/*
 * Replace @path: whoever opens it finds the old file or the new one, whole. The
 * collector reads *.prom only, so it passes over the temporary name.
 */
static struct vitrine_error *replace_file(struct metric_set *set, bool strict,
					  const char *path)
{
	struct vtr_temporary temporary = { 0 };
	struct vitrine_error *err;
	FILE *stream;

	stream = temporary_open(&temporary, path);
	if (!stream) {
		err = vtr_error_os(errno, path, "cannot create a file beside it");
		vtr_temporary_remove(&temporary);
		return err;
	}
	err = write_all(set, strict, path, stream);
	if (fclose(stream) && !err)
		err = error_write(path, errno);
	if (!err && vtr_temporary_rename(&temporary, path))
		err = vtr_error_os(errno, path, "cannot replace");
	vtr_temporary_remove(&temporary);
	return err;
}

/* ---- All together ------------------------------------------------------ */

static int print_metrics(struct metrics *metrics, struct metric_set *set)
{
	struct vitrine_error *err = NULL;

	if (metrics->textfile)
		err = replace_file(set, metrics->strict, metrics->textfile);
	else if (!metric_set_print(set, metrics->strict, stdout))
		err = vtr_error_no_memory();
	return err ? report_error(err) : EXIT_DONE;
}

static int run(struct metrics *metrics)
{
	struct metric_set set = { 0 };
	int status = trees_find(&metrics->trees, metrics->args, metrics->nr_args);
	size_t i;

	/* As an answer to an error, no metrics at all are none, too. */
	if (!metrics->trees.nr && status != EXIT_DONE)
		return status;
	status = worse(status, trees_read(&metrics->trees));
	for (i = 0; i < metrics->trees.nr; i++) {
		const struct tree *tree = &metrics->trees.trees[i];
		size_t nr;

		if (!tree->hierarchy)
			continue;
		nr = metrics_add_tree(&set, tree->name, tree->ordinal,
				      tree->hierarchy);
		if (nr)
			fprintf(stderr,
				"vitrine: %s: %zu values left out: names too long, or no counts\n",
				tree->path, nr);
	}
	status = worse(status, print_metrics(metrics, &set));
	metric_set_destroy(&set);
	return status;
}

/* ---- Command line ------------------------------------------------------ */

enum { OPTION_OPENMETRICS = 0x100 };

static const struct argp_option options[] = {
	{ "textfile", 't', "FILE", 0, "Replace FILE, for node_exporter's textfile collector", 0 },
	{ "openmetrics", OPTION_OPENMETRICS, NULL, 0,
	  "OpenMetrics 1.0 to the letter, which promtool does not read", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct metrics *metrics = state->input;

	switch (key) {
	case 't':
		metrics->textfile = arg;
		return 0;
	case OPTION_OPENMETRICS:
		metrics->strict = true;
		return 0;
	case ARGP_KEY_ARGS:
		metrics->args = state->argv + state->next;
		metrics->nr_args = state->argc - state->next;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (metrics->strict && metrics->textfile)
			argp_error(state, "node_exporter does not read --openmetrics");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[SELECTOR]...",
	.doc = "Print Inspect trees as metrics for Prometheus, or what is selected of them.\n"
	       "\013A SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]], as `vitrine show' takes it.\n"
	       "Without any, all of the module's trees are printed.",
};

/**
 * cmd_metrics() - run `vitrine metrics'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_metrics(int argc, char **argv)
{
	struct metrics metrics = { 0 };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &metrics);
	status = run(&metrics);
	trees_destroy(&metrics.trees);
	return status;
}
