/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a command: a file named on the command line, which may be a pipe, or compressed; a
 * file of text, such as a picture, that has a temporary name until it is complete; Zstandard
 * compression, if vitrine was built with libzstd; and helper programs that are linked with an
 * optional library.
 */
#ifndef _VITRINE_INPUT_H
#define _VITRINE_INPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "vitrine.h"

/**
 * struct helper - a program that reads files by means of a library
 * @name: name of the program
 * @library: name of the library
 * @purpose: what the library is needed for
 * @install: how to install it
 * @advice: what to do if the library crashes on a file
 */
struct helper {
	const char *name;
	const char *library;
	const char *purpose;
	const char *install;
	const char *advice;
};

/* A running helper: its process, and the pipe on which it reports errors. */
struct helper_run {
	pid_t pid;
	int status;
};

bool helper_is_installed(const struct helper *helper);
struct vitrine_error *helper_start(const struct helper *helper,
				   const char *from, int in, int out,
				   struct helper_run *ret);
struct vitrine_error *helper_finish(const struct helper *helper,
				    const char *from,
				    const struct helper_run *run);

#define ZSTD_SUFFIX	".zst"

void compress_init(void);

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
struct vitrine_error *output_close(struct output *output);

#endif /* _VITRINE_INPUT_H */
