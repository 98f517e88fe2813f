// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary text as a command line of `vitrine', an argument a line: find the
 * command, and parse its options up to where it would begin to work.
 *
 * Beyond the sanitizers, this must hold: what is refused is refused with a message,
 * and nothing but that, argp's own refusals and the end of the line ends parsing.
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

#define MAX_ARGS	32

/* Where everything ends that would exit, or begin to work. */
static jmp_buf parsed;

/*
 * What was allocated while parsing, and is not free: when a program exits, nobody
 * frees it.
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

static ssize_t write_nowhere(void *cookie, const char *bytes, size_t len)
{
	return len;
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
	cookie_io_functions_t functions = { .write = write_nowhere };

	stderr = fopencookie(NULL, "w", functions);
	if (!stderr || setvbuf(stderr, NULL, _IONBF, 0))
		abort();
	/* It says volatile, which nothing here is. */
	if (!__sanitizer_install_malloc_and_free_hooks((void *)remember,
						       (void *)forget))
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

/* The lines of @text, which becomes strings; returns how many. */
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
	/* argp's own --HANG sleeps for an hour. */
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
