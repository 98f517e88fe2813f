/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that was named on the command line and may be a pipe.
 */
#ifndef _VITRINE_INPUT_H
#define _VITRINE_INPUT_H

#include "vitrine.h"

/**
 * struct input - a file to read
 * @name: what messages call it
 * @path: to be opened, as often as needed
 * @fd: of the copy that @path leads to, or -1
 * @own_path: room for @path, if it is ours
 */
struct input {
	const char *name;
	const char *path;
	int fd;
	char own_path[48];
};

struct vitrine_error *input_open(struct input *input, const char *name);
void input_close(struct input *input);
struct vitrine_error *input_blame(const struct input *input,
				  struct vitrine_error *err);

#endif /* _VITRINE_INPUT_H */
