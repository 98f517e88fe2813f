/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conversion of traces between formats.
 */
#ifndef _VITRINE_CONVERSION_H
#define _VITRINE_CONVERSION_H

#include <stdbool.h>
#include <stddef.h>

struct format;

/**
 * struct convert_args - the options of `vitrine convert'
 * @in: trace to read; "-": standard input
 * @out: trace to write; "-": standard output
 * @from: format of @in, or NULL to detect it
 * @to: format of @out, or NULL to take it from the suffix
 * @packet_bytes: longest packet of Heph's format; 0: no limit
 */
struct convert_args {
	const char *in;
	const char *out;
	const struct format *from;
	const struct format *to;
	size_t packet_bytes;
};

const struct format *format_find(const char *name);
bool format_is_readable(const struct format *format);

int convert_run(const struct convert_args *args);

#endif /* _VITRINE_CONVERSION_H */
