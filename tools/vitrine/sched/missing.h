/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is not in the trace, as lines and members of reports.
 */
#ifndef _VITRINE_MISSING_H
#define _VITRINE_MISSING_H

#include <stdio.h>

#include "ui/json.h"
#include "sched_state.h"

void missing_put_without_wakeups(FILE *stream, const struct sched *sched);
void missing_put_unknown(FILE *stream, const struct sched *sched, uint64_t begin_ns);
void missing_write_unknown(struct json_writer *json, const struct sched *sched, uint64_t begin_ns);

#endif /* _VITRINE_MISSING_H */
