/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file of text, such as a picture, that has a temporary name until it is complete.
 */
#ifndef _VITRINE_OUTPUT_H
#define _VITRINE_OUTPUT_H

#include <stdio.h>

#include "vitrine.h"

/**
 * struct output - a file being written
 * @stream: write here
 * @writer: writes the file
 * @err: first error of writing, or NULL
 */
struct output {
	FILE *stream;
	struct vitrine_writer *writer;
	struct vitrine_error *err;
};

struct vitrine_error *output_open(struct output *output, const char *path);
struct vitrine_error *output_close(struct output *output, bool is_good);

#endif /* _VITRINE_OUTPUT_H */
