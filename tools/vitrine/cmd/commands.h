/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands. Each is a function in a file of its name, which parses the options
 * and makes one call into the room that does the work.
 */
#ifndef _VITRINE_COMMANDS_H
#define _VITRINE_COMMANDS_H

/*
 * Each function takes the arguments of its subcommand, with argv[0] "vitrine SUBCOMMAND",
 * and returns an enum exit_code of report.h.
 */
int cmd_check(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_cut(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_latency(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_watch(int argc, char **argv);

#endif /* _VITRINE_COMMANDS_H */
