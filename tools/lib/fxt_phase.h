/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types of FXT events, in the words of each format. Constant data.
 */
#ifndef _VITRINE_LIB_FXT_PHASE_H
#define _VITRINE_LIB_FXT_PHASE_H

#include <vitrine/fxt.h>

#include "vitrine.h"

#define FXT_NR_PHASES	(FXT_EVENT_FLOW_END + 1)

/**
 * struct fxt_phase - a type of event
 * @name: name in output and options of the command, and in Python
 * @ctf: label in the Common Trace Format
 * @chrome: "ph" of a Chrome trace event
 * @has_word: the record ends with a word: end ticks, a counter or correlation id
 */
struct fxt_phase {
	const char *name;
	const char *ctf;
	const char *chrome;
	bool has_word;
};

/* By enum fxt_event_type. */
extern const struct fxt_phase fxt_phases[FXT_NR_PHASES];

#endif /* _VITRINE_LIB_FXT_PHASE_H */
