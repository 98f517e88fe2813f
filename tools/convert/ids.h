/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ids of threads and processes in a trace that is made from several sources: inputs, each
 * with its own ids, and ids that the conversion makes up. Threads of different sources never
 * get the same id.
 *
 * All functions are called by one thread.
 */
#ifndef _VITRINE_CONVERT_IDS_H
#define _VITRINE_CONVERT_IDS_H

#include "fxt_names.h"

/* First id to replace ids that are taken. The kernel's ids are always lower. */
#define IDS_STAND_IN	0x60000000ULL

/**
 * struct ids - ids of a trace; initialised to zero
 * @taken: ids that are in use
 * @nr_stand_ins: number of replacement ids that were tried
 * @no_memory: an allocation failed, so ids may not be unique
 */
struct ids {
	struct fxt_names taken;
	uint64_t nr_stand_ins;
	bool no_memory;
};

#define IDS_RECENT	256

/**
 * struct ids_source - maps the ids of a source to ids of the trace; initialised to zero
 * @given: the map
 * @recent: cache of @given, by the low bits of the id; 0 is an empty entry
 */
struct ids_source {
	struct fxt_names given;
	struct {
		uint64_t id;
		uint64_t given;
	} recent[IDS_RECENT];
};

uint64_t ids_get(struct ids *ids, struct ids_source *source, uint64_t id,
		 uint64_t wanted);
void ids_source_deinit(struct ids_source *source);
void ids_deinit(struct ids *ids);

#endif /* _VITRINE_CONVERT_IDS_H */
