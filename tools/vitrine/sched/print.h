/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record of a trace as a line of text, and as a line of JSON, of which other commands write the
 * parts. Documentation/json.rst has the schema.
 */
#ifndef _VITRINE_PRINT_H
#define _VITRINE_PRINT_H

#include "ui/json.h"
#include "ui/line.h"
#include "vitrine.h"

void record_json(struct json_writer *json,
		 const struct vitrine_archive *archive,
		 const struct vitrine_fxt_record *record, uint64_t base_ns);
void record_json_thread(struct json_writer *json,
			const struct vitrine_archive *archive,
			const struct vitrine_fxt_thread *thread);

#define PRINT_LABELS		8192
#define PRINT_LABEL_BYTES	64

/* A cached label "name:tid/pid" of a thread. */
struct print_label {
	struct vitrine_fxt_thread thread;
	uint8_t known;
	uint8_t len_bytes;	/* 0: too long for the cache */
	char text[PRINT_LABEL_BYTES];
};

/**
 * struct print_state - state kept from line to line
 * @archive: the trace
 * @all: print the file offset of each record
 * @base_s: base of printed times: seconds
 * @base_ns: and nanoseconds
 * @rate: ticks per second for which @second and @second_ticks are valid, or 0
 * @second: the current second
 * @second_ticks: its begin in ticks
 * @seconds: @shown_s as text, as wide as the first column, with the point
 * @len_seconds: length of that text, 0 before the first line
 * @shown_s: the second printed last
 * @labels: labels of recent threads, by koid
 * @out: output
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

#endif /* _VITRINE_PRINT_H */
