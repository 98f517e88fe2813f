/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operands: the arguments of a subcommand that are not options.
 */
#ifndef _VITRINE_OPERANDS_H
#define _VITRINE_OPERANDS_H

#include <argp.h>

/*
 * Handle ARGP_KEY_ARG for a command that takes one operand: store it, or report a usage
 * error if it is the second one. @what is the name of the operand in the message.
 */
void operand_set(struct argp_state *state, const char **operand,
		 const char *what, const char *arg);

/* Handle ARGP_KEY_ARGS for a command with any number of operands; return their number. */
int operands_set(struct argp_state *state, char ***operands);

/* Report a usage error if @output is the file @input, which may be NULL. */
void operand_check_output(struct argp_state *state, const char *output,
			  const char *input);

/* Help text of commands whose operands are selectors. */
#define SELECTORS_HELP \
	"SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]], as in `vitrine show'. The\n" \
	"default is all trees of the running module.\n"

#endif /* _VITRINE_OPERANDS_H */
