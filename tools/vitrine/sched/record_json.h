/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record of a trace as a line of JSON. The schema is in Documentation/json.rst.
 */
#ifndef _VITRINE_RECORD_JSON_H
#define _VITRINE_RECORD_JSON_H

#include "ui/json.h"
#include "vitrine.h"

void record_json(struct json_writer *json,
		 const struct vitrine_archive *archive,
		 const struct vitrine_fxt_record *record, uint64_t base_ns);
void record_json_thread(struct json_writer *json,
			const struct vitrine_archive *archive,
			const struct vitrine_fxt_thread *thread);
void record_json_arg(struct json_writer *json,
		     const struct vitrine_fxt_arg *arg);

#endif /* _VITRINE_RECORD_JSON_H */
