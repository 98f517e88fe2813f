/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the command share: exit codes, one function per
 * subcommand, and how an error reaches the user.
 */
#ifndef _VITRINE_COMMANDS_H
#define _VITRINE_COMMANDS_H

#include <argp.h>

#include "vitrine.h"

enum exit_code {
	EXIT_DONE		= 0,
	EXIT_BAD_INPUT		= 1,
	EXIT_USAGE		= 2,
	EXIT_ENVIRONMENT	= 3,
};

/* Of two exit codes the one to end with. */
static inline int worse(int a, int b)
{
	return a > b ? a : b;
}

/* argv[0] is "vitrine SUBCOMMAND"; returns an exit code. */
int cmd_check(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_latency(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_watch(int argc, char **argv);

/* Print "vitrine: ERROR"; return the exit code it calls for. */
int print_error(const struct vitrine_error *err);
/* The same, and destroy it. */
int report_error(struct vitrine_error *err);

#endif /* _VITRINE_COMMANDS_H */
