/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands, and what they share: options and operands, numbers with units, errors and exit
 * codes, the error for what selects nothing, cleaning up when a signal ends the command, and the
 * module's files in debugfs.
 */
#ifndef _VITRINE_COMMAND_H
#define _VITRINE_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "vitrine.h"

/*
 * Each function takes the arguments of its subcommand, with argv[0] "vitrine SUBCOMMAND",
 * and returns an enum exit_code.
 */
typedef int command_fn(int argc, char **argv);

command_fn cmd_check, cmd_convert, cmd_cut, cmd_diff, cmd_flame, cmd_latency, cmd_list, cmd_merge,
	   cmd_metrics, cmd_print, cmd_record, cmd_recover, cmd_show, cmd_snapshot, cmd_symbolize,
	   cmd_timeline, cmd_top, cmd_watch, cmd_why;

enum exit_code {
	EXIT_DONE		= 0,
	EXIT_BAD_INPUT		= 1,
	EXIT_USAGE		= 2,
	EXIT_ENVIRONMENT	= 3,
};

/* Return the worse of two exit codes. */
static inline int worse(int a, int b)
{
	return a > b ? a : b;
}

/* vitrine_error_create() for an error that does not concern a place in a file. */
#define make_error(code, path, advice, ...) \
	vitrine_error_create((code), (path), VITRINE_NO_OFFSET, (advice), __VA_ARGS__)

/* Print "vitrine: ERROR" to standard error; return the exit code for it. */
int print_error(const struct vitrine_error *err);
/* The same, and destroy the error. */
int report_error(struct vitrine_error *err);
/* End the command if there is an error, or no memory. */
void must(struct vitrine_error *err);
void must_have(bool memory);
/* Print "vitrine: NAME: NOTE" to standard error, with a newline. */
__attribute__((format(printf, 2, 3)))
void print_note(const char *name, const char *format, ...);
/* Print into a new string, to be freed; end the command if there is no memory. */
__attribute__((format(printf, 1, 2)))
char *must_format(const char *format, ...);

/* Frees a pointer at the end of its scope, like __free() of the kernel. */
static inline void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

#define autofree	__attribute__((cleanup(free_pointer)))

#define NSEC_PER_SEC	1000000000ULL

/* Parse a duration; return false if it is invalid. */
bool units_parse_duration(const char *text, uint64_t *ret_ns);

/* Parse the size of an option; an invalid argument ends the program with a message. */
uint64_t units_size(const char *arg, uint64_t min_bytes,
		    struct argp_state *state);

/* The same for a duration from @min_ns to @max_ns. */
uint64_t units_duration(const char *arg, uint64_t min_ns, uint64_t max_ns,
			struct argp_state *state);

/**
 * struct command_option - an option of a command, in a table that ends with an empty one
 * @name: long name
 * @key: short name, or a number from 256 on; 0 if nobody needs one
 * @arg: name of its argument in the help; NULL if it has none
 * @help: summary; without @name and @key, the heading of the options behind it
 * @flag: set if the option is given
 * @text: set to the argument of the option
 * @is_needed: with @text, the command does not work without the option
 * @flags: those of argp
 *
 * An option with neither @flag nor @text is passed to the command. The targets are static, and set
 * to their defaults when the command begins: a fuzzer parses many lines in one process.
 */
struct command_option {
	const char *name;
	int key;
	const char *arg;
	const char *help;
	bool *flag;
	const char **text;
	bool is_needed;
	int flags;
};

/**
 * struct command_line - options and operands of a command
 * @options: options
 * @parse: receives keys of argp that are not bound to anything here; or NULL
 * @check: refuses options that exclude each other, at the end of the command line; or NULL
 * @operand: the only operand, or NULL
 * @operands: all operands, or NULL
 * @nr_operands: their number, or NULL
 * @operand_name: name of an operand in messages
 * @is_needed: the command does not work without an operand
 * @flags: those of argp_parse()
 * @args_doc: help on operands
 * @doc: help on the command
 */
struct command_line {
	const struct command_option *options;
	error_t (*parse)(int key, char *arg, struct argp_state *state);
	void (*check)(struct argp_state *state);
	const char **operand;
	char ***operands;
	int *nr_operands;
	const char *operand_name;
	bool is_needed;
	unsigned int flags;
	const char *args_doc;
	const char *doc;
};

/* Parse a command line; an invalid one ends the program with a message. */
void options_parse(const struct command_line *line, int argc, char **argv);

/* Report a usage error if @output is the file @input, which may be NULL. */
void operand_check_output(struct argp_state *state, const char *output,
			  const char *input);

/* Help text of commands whose operands are selectors. */
#define SELECTORS_HELP \
	"SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]], as in `vitrine show'. The\n" \
	"default is all trees of the running module.\n"

/* Names are compared up to this length. */
#define NEAREST_BYTES	128

/**
 * struct nearest - a search for the name that the user may have meant
 * @asked: name that was asked for
 * @best: nearest name that was offered; empty if none is near
 * @distance: number of characters in which they differ
 * @limit: names that differ in more characters are not near
 */
struct nearest {
	char asked[NEAREST_BYTES];
	char best[NEAREST_BYTES];
	size_t distance;
	size_t limit;
};

void nearest_init(struct nearest *nearest, const char *asked, size_t len);
void nearest_offer(struct nearest *nearest, const char *name, size_t len);

/* Make the error that @subject selects nothing: EXIT_BAD_INPUT. */
__attribute__((format(printf, 4, 5)))
struct vitrine_error *nothing_selected(const char *subject, const struct nearest *nearest,
				       const char *advice, const char *format, ...);

void cleanup_init(void);
void cleanup_remove(void);
/* End a child before its files are removed; 0: it has ended. */
void cleanup_of_child(pid_t pid);
void cleanup_in_child(void);
/* Register the function that removes a plugin's temporary files. */
void cleanup_of_plugin(void (*remove)(void));

/* ---- debugfs.c ------------------------------------------------------------- */

/* Return "/sys/kernel/debug/vitrine/NAME", to be freed. */
char *debugfs_path(const char *name);

/* Return an error for errno @code on the module's file @path, with advice. */
struct vitrine_error *debugfs_explain(int code, const char *path);

/* Return the text of a file of the kernel, to be freed; NULL with errno. */
char *read_file(const char *path);
/* Take the next line off a text, which is changed; NULL at its end. */
char *next_line(char **text);
/* Write a text at once; return 0, or an errno value. */
int write_file(const char *path, const char *text);

#endif /* _VITRINE_COMMAND_H */
