/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace that a command reads: a file, or what the flight recorder holds now.
 */
#ifndef _VITRINE_TRACE_INPUT_H
#define _VITRINE_TRACE_INPUT_H

#include "faults.h"
#include "input.h"
#include "vitrine.h"

/**
 * struct trace_input - a trace being read
 * @faults: what messages call it, and what could not be understood
 * @own_path: path of the live trace, ours to free, or NULL
 * @input: the file
 * @archive: its records, or NULL
 */
struct trace_input {
	struct faults faults;
	char *own_path;
	struct input input;
	struct vitrine_archive *archive;
};

struct vitrine_error *trace_input_open(struct trace_input *input,
				       const char *path);
struct vitrine_error *trace_input_open_live(struct trace_input *input);
int trace_input_close(struct trace_input *input, struct vitrine_error *err);

#endif /* _VITRINE_TRACE_INPUT_H */
