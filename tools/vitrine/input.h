/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file named on the command line, which may be a pipe, or compressed.
 */
#ifndef _VITRINE_INPUT_H
#define _VITRINE_INPUT_H

#include "vitrine.h"

/**
 * struct input - a file to read
 * @name: its name in messages
 * @path: path to open, any number of times
 * @fd: the copy of a pipe or of a compressed file, or -1
 * @own_path: buffer for @path
 */
struct input {
	const char *name;
	const char *path;
	int fd;
	char own_path[48];
};

struct vitrine_error *input_open(struct input *input, const char *name);
int input_status(void);
void input_close(struct input *input);
struct vitrine_error *input_blame(const struct input *input,
				  struct vitrine_error *err);

/* Append everything that can be read from @fd, the file @name, to a trace. */
struct vitrine_error *input_copy(int fd, const char *name,
				 struct vitrine_writer *writer);

#endif /* _VITRINE_INPUT_H */
