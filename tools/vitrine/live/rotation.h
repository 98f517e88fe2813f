/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a recording: one, or several of limited size, of which the last are kept.
 */
#ifndef _VITRINE_ROTATION_H
#define _VITRINE_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "vitrine.h"
#include "window.h"

/**
 * struct rotation - the files of a recording
 * @output: name of the file; with @limit_bytes, a number is put before its suffix
 * @zstd: compress, whatever @output is
 * @limit_bytes: when to begin the next file; 0: never
 * @nr_keep: complete files to keep; 0: all
 * @writer: the current file, or NULL
 * @nr_files: number of the current file
 * @window: with a limit, keeps the last sub-buffers until rotation_collect()
 * @bytes_before: length of all files before
 */
struct rotation {
	const char *output;
	bool zstd;
	uint64_t limit_bytes;
	unsigned int nr_keep;
	struct vitrine_writer *writer;
	unsigned int nr_files;
	struct window window;
	uint64_t bytes_before;
};

struct vitrine_error *rotation_open(struct rotation *rotation);
struct vitrine_error *rotation_append(struct rotation *rotation,
				      const struct vitrine_subbuf *subbuf);
struct vitrine_error *rotation_collect(struct rotation *rotation);
struct vitrine_error *rotation_commit(struct rotation *rotation);
uint64_t rotation_len(const struct rotation *rotation);

#endif /* _VITRINE_ROTATION_H */
