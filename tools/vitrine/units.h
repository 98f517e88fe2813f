/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Durations and sizes on the command line: numbers with a unit.
 */
#ifndef _VITRINE_UNITS_H
#define _VITRINE_UNITS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_SEC	1000000000ULL

/* Parse a duration; return false if it is invalid. */
bool units_parse_duration(const char *text, uint64_t *ret_ns);

/* Parse the size of an option; an invalid argument ends the program with a message. */
uint64_t units_size(const char *arg, uint64_t min_bytes,
		    struct argp_state *state);

/* The same for a duration from @min_ns to @max_ns. */
uint64_t units_duration(const char *arg, uint64_t min_ns, uint64_t max_ns,
			struct argp_state *state);

#endif /* _VITRINE_UNITS_H */
