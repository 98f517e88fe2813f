// SPDX-License-Identifier: GPL-2.0
/*
 * Operands: the arguments of a subcommand that are not options. The functions are
 * called by argp parsers, and end the program on a usage error.
 */
#include <sys/stat.h>

#include "operands.h"

/**
 * operand_set() - store the only operand of a command
 * @state: state of the argp parser
 * @operand: receives the operand; not NULL if there was one already, a usage error
 * @what: name of the operand in the message
 * @arg: the operand
 */
void operand_set(struct argp_state *state, const char **operand,
		 const char *what, const char *arg)
{
	if (*operand)
		argp_error(state, "more than one %s given", what);
	*operand = arg;
}

/**
 * operands_set() - store all operands of a command
 * @state: state of the argp parser
 * @operands: receives the array of operands
 *
 * Return: number of operands.
 */
int operands_set(struct argp_state *state, char ***operands)
{
	*operands = state->argv + state->next;
	return state->argc - state->next;
}

/**
 * operand_check_output() - refuse to write a file that is to be read
 * @state: state of the argp parser
 * @output: file to write
 * @input: file to read, or NULL
 */
void operand_check_output(struct argp_state *state, const char *output,
			  const char *input)
{
	struct stat out, in;

	if (input && !stat(output, &out) && S_ISREG(out.st_mode) &&
	    !stat(input, &in) && out.st_dev == in.st_dev &&
	    out.st_ino == in.st_ino)
		argp_error(state, "%s: this is the input; give the output another name",
			   output);
}
