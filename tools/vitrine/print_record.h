/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One record of a trace as one line of text.
 */
#ifndef _VITRINE_PRINT_RECORD_H
#define _VITRINE_PRINT_RECORD_H

#include "line.h"
#include "vitrine.h"

#define PRINT_LABELS		1024
#define PRINT_LABEL_BYTES	64

/* "name:tid/pid" of a thread, ready to be copied. */
struct print_label {
	struct vitrine_fxt_thread thread;
	uint8_t known;
	uint8_t len_bytes;	/* 0: too long to be kept */
	char text[PRINT_LABEL_BYTES];
};

/**
 * struct print_state - what lasts from line to line
 * @archive: knows names
 * @all: print where each record is
 * @base_s: seconds of the time from which on time is counted
 * @base_ns: and nanoseconds
 * @rate: ticks per second that @second and @second_ticks are for, or 0
 * @second: the second that is going on
 * @second_ticks: where it begins
 * @seconds: @shown_s with the width of a line's first column and a point
 * @len_seconds: length of that, 0 before the first line
 * @shown_s: the second last printed there
 * @labels: threads seen lately, by koid
 * @out: where lines go
 */
struct print_state {
	const struct vitrine_archive *archive;
	bool all;
	uint64_t base_s;
	uint64_t base_ns;
	uint64_t rate;
	uint64_t second;
	uint64_t second_ticks;
	char seconds[24];
	unsigned int len_seconds;
	uint64_t shown_s;
	struct print_label labels[PRINT_LABELS];
	struct line_output out;
};

void print_record(struct print_state *state,
		  const struct vitrine_fxt_record *record);

#endif /* _VITRINE_PRINT_RECORD_H */
