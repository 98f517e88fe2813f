/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the linker joins fuzz_options.c and the command by; see the Makefile.
 */
#ifndef _FUZZ_OPTIONS_H
#define _FUZZ_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* main() of the command, by another name. */
int vitrine_main(int argc, char **argv);

/* The C library's, and what the command gets in its place. */
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv,
			  unsigned int flags, int *index, void *input);
void __wrap_argp_error(const struct argp_state *state, const char *format, ...);

#endif /* _FUZZ_OPTIONS_H */
