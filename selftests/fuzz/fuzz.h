/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share. It is included first.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#define _GNU_SOURCE	/* fopencookie() */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called once, and then for each input; both return 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Symbols by which the linker connects fuzz_options.c and the command; see the Makefile. */
int vitrine_main(int argc, char **argv);
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input);
void __wrap_argp_error(const struct argp_state *state, const char *format, ...);

static inline void expect(bool ok)
{
	if (!ok)
		abort();
}

static inline ssize_t write_nowhere(void *cookie, const char *bytes, size_t len)
{
	return len;
}

/* Open a stream that discards what is written, at no cost. */
static inline FILE *open_nowhere(void)
{
	FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_nowhere });

	expect(file);
	return file;
}

#endif /* _FUZZ_H */
