/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols by which the linker connects fuzz_options.c and the command; see the Makefile.
 */
#ifndef _FUZZ_OPTIONS_H
#define _FUZZ_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* main() of the command under another name. */
int vitrine_main(int argc, char **argv);

/* The function of the C library, and the one that the command calls instead. */
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input);
void __wrap_argp_error(const struct argp_state *state, const char *format, ...);

#endif /* _FUZZ_OPTIONS_H */
