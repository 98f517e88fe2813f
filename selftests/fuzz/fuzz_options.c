// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary text as a command line of `vitrine', one argument per line: look up the
 * command, and parse its options up to the point where it would begin to work.
 *
 * Beyond the sanitizers, this must hold: a refusal has a message, and parsing ends only
 * with a refusal, by the command or by argp, or at the end of the line.
 */
#define _GNU_SOURCE	/* fopencookie() */
#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_options.h"
#include "nowhere.h"

#define MAX_ARGS	32

/* Target of the jump out of code that would exit, or begin to work. */
static jmp_buf parsed;

/*
 * Memory allocated while parsing and not freed: a program that exits does not free its
 * memory.
 */
static void *blocks[1024];
static size_t nr_blocks;
static bool parsing;

static void remember(void *block, size_t len)
{
	if (!parsing)
		return;
	if (nr_blocks == sizeof(blocks) / sizeof(blocks[0]))
		abort();
	blocks[nr_blocks++] = block;
}

static void forget(void *block)
{
	size_t i;

	for (i = nr_blocks; parsing && i--;)
		if (blocks[i] == block) {
			blocks[i] = blocks[--nr_blocks];
			return;
		}
}

static void free_all(void)
{
	parsing = false;
	while (nr_blocks)
		free(blocks[--nr_blocks]);
}

/**
 * LLVMFuzzerInitialize() - see what is allocated, and have refusals go nowhere
 * @argc: not used
 * @argv: not used
 *
 * Return: 0.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	stderr = open_nowhere();
	if (setvbuf(stderr, NULL, _IONBF, 0))
		abort();
	/* The prototype has volatile pointers, which the functions here have not. */
	if (!__sanitizer_install_malloc_and_free_hooks((void *)remember, (void *)forget))
		abort();
	return 0;
}

/**
 * __wrap_argp_parse() - parse, but neither exit nor return
 * @argp: options of a command
 * @argc: how many arguments
 * @argv: arguments
 * @flags: of argp
 * @index: of argp
 * @input: the command's
 *
 * Return: never.
 */
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input)
{
	if (strncmp(argv[0], "vitrine ", 8))
		abort();
	__real_argp_parse(argp, argc, argv, flags | ARGP_NO_EXIT, index, input);
	longjmp(parsed, 1);
}

/**
 * __wrap_argp_error() - refuse, as a command does, and do not exit
 * @state: of argp
 * @format: why
 */
void __wrap_argp_error(const struct argp_state *state, const char *format, ...)
{
	if (!state->name || !format[0])
		abort();
	longjmp(parsed, 1);
}

/* Split @text into lines. Return their number. */
static int split(char *text, char **argv)
{
	int argc = 1;

	while (argc < MAX_ARGS && text) {
		argv[argc++] = strsep(&text, "\n");
		if (!*argv[argc - 1])
			argc--;
	}
	return argc;
}

/**
 * LLVMFuzzerTestOneInput() - one execution
 * @bytes: the command line, without `vitrine' itself
 * @len: how long it is
 *
 * Return: 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char name[] = "vitrine";
	char *argv[MAX_ARGS + 1] = { name };
	char *text = strndup((const char *)bytes, len);
	int argc;

	if (!text)
		abort();
	/* The hidden option --HANG of argp sleeps for an hour. */
	if (strstr(text, "--H")) {
		free(text);
		return 0;
	}
	argc = split(text, argv);
	argv[argc] = NULL;
	parsing = true;
	if (!setjmp(parsed))
		vitrine_main(argc, argv);
	free_all();
	free(text);
	return 0;
}
