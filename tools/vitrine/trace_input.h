/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace that a command reads: a file, or what the flight recorder holds now.
 */
#ifndef _VITRINE_TRACE_INPUT_H
#define _VITRINE_TRACE_INPUT_H

#include "input.h"

/**
 * struct trace_input - a trace being read
 * @path: what messages call it
 * @own_path: path of the live trace, ours to free, or NULL
 * @input: the file
 * @nr_faults: records that could not be understood
 * @archive: its records, or NULL
 */
struct trace_input {
	const char *path;
	char *own_path;
	struct input input;
	uint64_t nr_faults;
	struct vitrine_archive *archive;
};

struct vitrine_error *trace_input_open(struct trace_input *input,
				       const char *path);
struct vitrine_error *trace_input_open_live(struct trace_input *input);
int trace_input_close(struct trace_input *input, struct vitrine_error *err);

#endif /* _VITRINE_TRACE_INPUT_H */
