// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Assign unique ids to threads and processes.
 *
 * Inputs are read once, so later ids are unknown. The first thread or process that asks for
 * an id gets it. Later ones that ask for the same id get a free one instead, no matter
 * whether the first one is from an input or was made up.
 */
#include "ids.h"

/* Take the id @wanted or, if it is taken already, a free one. */
static uint64_t take_free(struct ids *ids, uint64_t wanted)
{
	struct fxt_name *taken;

	for (;;) {
		taken = fxt_names_get(&ids->taken, wanted);
		if (!taken) {
			ids->no_memory = true;
			return wanted;
		}
		if (!taken->used) {
			taken->used = true;
			return wanted;
		}
		wanted = IDS_STAND_IN + ids->nr_stand_ins++;
	}
}

/**
 * ids_get() - return the id of a thread or process in the trace
 * @ids: ids of the trace
 * @source: source of the thread or process
 * @id: id in @source; 0, which is idle, and VITRINE_FXT_NO_PROCESS are not changed
 * @wanted: preferred id in the trace
 *
 * Return: a unique id; the same one whenever @source and @id are the same.
 */
uint64_t ids_get(struct ids *ids, struct ids_source *source, uint64_t id,
		 uint64_t wanted)
{
	unsigned int slot = id % IDS_RECENT;
	struct fxt_name *given;

	if (!id || id == VITRINE_FXT_NO_PROCESS)
		return id;
	if (source->recent[slot].id == id)
		return source->recent[slot].given;
	given = fxt_names_get(&source->given, id);
	if (!given) {
		ids->no_memory = true;
		return wanted;
	}
	if (!given->owned) {
		given->process = take_free(ids, wanted);
		given->owned = true;
	}
	source->recent[slot].id = id;
	source->recent[slot].given = given->process;
	return given->process;
}

/**
 * ids_source_deinit() - free a source; its ids remain taken
 * @source: the source
 */
void ids_source_deinit(struct ids_source *source)
{
	fxt_names_deinit(&source->given);
	*source = (struct ids_source){ 0 };
}

/**
 * ids_deinit() - free the ids of a trace
 * @ids: ids of a trace
 */
void ids_deinit(struct ids *ids)
{
	fxt_names_deinit(&ids->taken);
}
