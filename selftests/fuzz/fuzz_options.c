// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary text as a command line of `vitrine', one argument per line: look up the
 * command, and parse its options up to the point where it would begin to work.
 *
 * Beyond the sanitizers, this must hold: a refusal has a message, and parsing ends only
 * with a refusal, by the command or by argp, or at the end of the line.
 */
#include "fuzz.h"

#include <sanitizer/allocator_interface.h>
#include <setjmp.h>

#define MAX_ARGS	32

/* Target of the jump out of code that would exit, or begin to work. */
static jmp_buf parsed;

/* Memory allocated while parsing and not freed: a program that exits does not free its memory. */
static void *blocks[1024];
static size_t nr_blocks;
static bool parsing;

static void remember(void *block, size_t len)
{
	if (!parsing)
		return;
	expect(nr_blocks < sizeof(blocks) / sizeof(blocks[0]));
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

/* See what is allocated, and have refusals go nowhere. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	stderr = open_nowhere();
	expect(!setvbuf(stderr, NULL, _IONBF, 0));
	/* The prototype has volatile pointers, which the functions here have not. */
	expect(__sanitizer_install_malloc_and_free_hooks((void *)remember, (void *)forget));
	return 0;
}

/* Parse, but neither exit nor return. */
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input)
{
	expect(!strncmp(argv[0], "vitrine ", 8));
	__real_argp_parse(argp, argc, argv, flags | ARGP_NO_EXIT, index, input);
	longjmp(parsed, 1);
}

/* Refuse, as a command does, and do not exit. */
void __wrap_argp_error(const struct argp_state *state, const char *format, ...)
{
	expect(state->name && format[0]);
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char name[] = "vitrine";
	char *argv[MAX_ARGS + 1] = { name };
	char *text = strndup((const char *)bytes, len);
	int argc;

	expect(text);
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
