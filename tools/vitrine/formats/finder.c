// SPDX-License-Identifier: GPL-2.0
/*
 * Ask the helper program find-symbols. tools/dwarf/main.c describes questions and answers.
 */
#include <errno.h>
#include <unistd.h>

#include "error.h"
#include "helper.h"
#include "finder.h"
#include "temporary.h"

static const struct helper finder = {
	.name = "find-symbols",
	.library = "libdw",
	.purpose = "finding symbols",
	.install = "install the package vitrine-tools; to build it, libdw-dev",
	.advice = "a program or library that it names may be damaged",
};

/**
 * finder_is_installed() - test whether the helper program is there
 *
 * Return: true if it is.
 */
bool finder_is_installed(void)
{
	return helper_is_installed(&finder);
}

/**
 * finder_scratch() - create a temporary file without a name
 *
 * Return: the file, or NULL with errno.
 */
FILE *finder_scratch(void)
{
	int fd = vtr_temporary_anonymous();
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/**
 * finder_run() - have questions answered
 * @questions: the questions, from finder_scratch()
 * @answers: receives the answers, from its start on; from finder_scratch()
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *finder_run(FILE *questions, FILE *answers)
{
	struct vitrine_error *err;
	struct helper_run run;
	char path[48];

	if (!questions || !answers || fflush(questions) || ferror(questions))
		return vtr_error_os(errno, NULL, "cannot write a temporary file");
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(),
		 fileno(questions));
	err = helper_start(&finder, path, -1, fileno(answers), &run);
	if (!err)
		err = helper_finish(&finder, NULL, &run);
	rewind(answers);
	return err;
}
