// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of processes and threads.
 *
 * A name holds for a whole trace, before and after the record that gives it. Of
 * several names the latest wins; if the file does not tell their times, the last in the
 * file.
 */
#include <stdlib.h>

#include <vitrine/fxt.h>

#include "fxt_names.h"

/* Adjacent koids, which often run by turns, share a cache line of slots. */
static uint32_t hash_koid(uint64_t koid)
{
	return (koid >> 3) * 0x9e3779b97f4a7c15ULL >> 35 << 3 | (koid & 7);
}

static bool has_koid(const void *owner, uint32_t number, const void *key)
{
	const struct fxt_names *names = owner;

	return names->entries[number - 1].koid == *(const uint64_t *)key;
}

static uint32_t *slot_of(const struct fxt_names *names, uint64_t koid)
{
	return hash_find(&names->hash, hash_koid(koid), has_koid, names, &koid);
}

static struct hash_slot *first_slot(const struct fxt_names *names, uint64_t koid)
{
	return &names->hash.slots[hash_koid(koid) & (names->hash.size - 1)];
}

/**
 * fxt_names_expect() - begin to load what fxt_names_guess() will need
 * @names: processes, or threads
 * @koid: koid of the process or thread
 */
void fxt_names_expect(const struct fxt_names *names, uint64_t koid)
{
	if (names->nr)
		__builtin_prefetch(first_slot(names, koid));
}

/**
 * fxt_names_guess() - begin to load the entry that a look-up soon will need
 * @names: processes, or threads
 * @koid: koid of the process or thread
 *
 * Return: the number of the entry, which may be that of another koid; 0: there is none.
 */
uint32_t fxt_names_guess(const struct fxt_names *names, uint64_t koid)
{
	uint32_t number = names->nr ? first_slot(names, koid)->number : 0;

	if (number)
		__builtin_prefetch(&names->entries[number - 1]);
	return number;
}

/**
 * fxt_names_find() - look up a koid
 * @names: processes, or threads
 * @koid: koid of the process or thread
 *
 * Return: its entry, or NULL.
 */
struct fxt_name *fxt_names_find(const struct fxt_names *names, uint64_t koid)
{
	uint32_t number = names->nr ? *slot_of(names, koid) : 0;

	return number ? &names->entries[number - 1] : NULL;
}

/**
 * fxt_names_get() - look up a koid, and add it if it is new
 * @names: processes, or threads
 * @koid: koid of the process or thread
 *
 * Return: its entry, valid until the next call, or NULL without memory.
 */
struct fxt_name *fxt_names_get(struct fxt_names *names, uint64_t koid)
{
	uint32_t *slot;

	if (!hash_reserve(&names->hash, names->nr))
		return NULL;
	slot = slot_of(names, koid);
	if (!*slot) {
		if (!GROW(names->entries, names->nr))
			return NULL;
		names->entries[names->nr++] = (struct fxt_name){ .koid = koid };
		*slot = names->nr;
	}
	return &names->entries[*slot - 1];
}

/**
 * fxt_names_first() - check whether a koid is seen for the first time
 * @names: processes, or threads; entries of koids that were seen are "used"
 * @koid: koid of the process or thread
 * @ret_good: false without memory
 *
 * Return: true the first time.
 */
bool fxt_names_first(struct fxt_names *names, uint64_t koid, bool *ret_good)
{
	struct fxt_name *name = fxt_names_get(names, koid);
	bool is_first = name && !name->used;

	*ret_good = name;
	if (name)
		name->used = true;
	return is_first;
}

/**
 * fxt_names_owned() - look up data of the caller by its number, and add it if it is new
 * @names: table, for such data only
 * @koid: the number
 * @size: size of the data, which is zeroed at first
 *
 * Return: the data, which does not move; NULL without memory.
 */
void *fxt_names_owned(struct fxt_names *names, uint64_t koid, size_t size)
{
	struct fxt_name *name = fxt_names_get(names, koid);

	if (!name)
		return NULL;
	if (!name->owner)
		name->owner = calloc(1, size);
	return name->owner;
}

/**
 * fxt_names_free_owned() - free the data of the caller, and the table
 * @names: table, all of whose data is of fxt_names_owned()
 * @deinit: called for each, before it is freed; may be NULL
 */
void fxt_names_free_owned(struct fxt_names *names, void (*deinit)(void *owner))
{
	uint32_t i;

	for (i = 0; i < names->nr; i++) {
		if (deinit && names->entries[i].owner)
			deinit(names->entries[i].owner);
		free(names->entries[i].owner);
	}
	fxt_names_deinit(names);
}

static struct fxt_name *learn_name(struct fxt_names *names,
				   const struct vitrine_fxt_record *record,
				   uint64_t given_ns)
{
	struct fxt_name *name;

	name = fxt_names_get(names, record->kernel_object.koid);
	if (!name)
		return NULL;
	name->introduced = true;
	if (given_ns < name->given_ns)
		return name;
	name->given_ns = given_ns;
	name->name = record->kernel_object.name;
	name->named = name->name.len_bytes;
	return name;
}

static bool learn_thread(struct fxt_names *threads,
			 const struct vitrine_fxt_record *record,
			 uint64_t given_ns)
{
	struct fxt_name *name = learn_name(threads, record, given_ns);
	unsigned int i;

	if (!name)
		return false;
	for (i = 0; i < record->nr_args; i++) {
		if (record->args[i].type == FXT_ARG_KOID &&
		    fxt_string_is(&record->args[i].name, "process")) {
			name->process = record->args[i].value.uint64;
			name->owned = true;
		}
	}
	return true;
}

/**
 * fxt_names_learn() - learn the name in a kernel object record
 * @processes: processes
 * @threads: threads
 * @record: any record
 * @given_ns: time of the name, or 0 if only the order of names is known
 *
 * Return: false if there is no memory.
 */
bool fxt_names_learn(struct fxt_names *processes, struct fxt_names *threads,
		     const struct vitrine_fxt_record *record,
		     uint64_t given_ns)
{
	if (record->kind != VITRINE_FXT_KERNEL_OBJECT)
		return true;
	switch (record->kernel_object.type) {
	case FXT_OBJECT_TYPE_PROCESS:
		return learn_name(processes, record, given_ns);
	case FXT_OBJECT_TYPE_THREAD:
		return learn_thread(threads, record, given_ns);
	default:
		return true;
	}
}

/**
 * fxt_names_keep() - copy all names, which until then point into the file
 * @names: processes, or threads; no name may be learnt afterwards
 *
 * Return: false if there is no memory.
 */
bool fxt_names_keep(struct fxt_names *names)
{
	struct fxt_name *name;
	size_t len_bytes = 1;
	char *at;
	size_t i;

	for (i = 0; i < names->nr; i++)
		len_bytes += names->entries[i].name.len_bytes;
	names->copies = malloc(len_bytes);
	if (!names->copies)
		return false;
	at = names->copies;
	for (i = 0; i < names->nr; i++) {
		name = &names->entries[i];
		if (!name->named)
			continue;
		memcpy(at, name->name.bytes, name->name.len_bytes);
		name->name.bytes = at;
		at += name->name.len_bytes;
	}
	return true;
}

/**
 * fxt_names_deinit() - free a table
 * @names: processes, or threads
 */
void fxt_names_deinit(struct fxt_names *names)
{
	free(names->copies);
	free(names->hash.slots);
	free(names->entries);
	*names = (struct fxt_names){ 0 };
}
