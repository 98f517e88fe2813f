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

/* A field_write: of a struct vitrine_fxt_thread. */
void record_json_thread(const void *thread);

void print_begin(FILE *stream, bool all);
void print_base(uint64_t ns);
void print_record(const struct vitrine_fxt_record *record);
void record_json(const struct vitrine_fxt_record *record);

#endif /* _VITRINE_PRINT_H */
