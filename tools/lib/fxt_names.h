/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table of processes or of threads by koid, with their names; also of other things that have a
 * number, with data of the caller.
 *
 * A table has one owner and is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_FXT_NAMES_H
#define _VITRINE_LIB_FXT_NAMES_H

#include "base.h"
#include "vitrine.h"

/**
 * struct fxt_name - a process or thread
 * @koid: its id
 * @owner: data of the caller
 * @weight: of a thread, its weight in the last switch; 0: not known
 * @cpu: of a thread, the CPU that ran it last
 * @introduced: a kernel object record has told of it, perhaps with an empty name
 * @named: @name is set
 * @owned: @process is set
 * @used: a mark of the caller's
 * @numbered: @number is set
 * @ours: of a used thread, the switch at offset @number is in a sub-buffer of vitrine's
 * @process: of a thread, koid of its process
 * @name: its latest name
 * @given_ns: time of that name, as far as the file tells
 * @number: a number of the caller's
 */
struct fxt_name {
	/* What most records need is in one cache line, and an entry is as long as one. */
	uint64_t koid;
	void *owner;
	int32_t weight;
	uint16_t cpu;
	bool introduced : 1;
	bool named : 1;
	bool owned : 1;
	bool used : 1;
	bool numbered : 1;
	bool ours : 1;
	uint64_t process;
	struct vitrine_fxt_string name;
	uint64_t given_ns;
	uint64_t number;
};

/**
 * struct fxt_names - a table, empty if zeroed; processes and threads have one each: a koid may be
 *	both
 * @entries: in the order in which they were added; number 1 is the first one
 * @nr: number of @entries
 * @hash: hash table of their numbers
 * @copies: bytes of all names, if they have been copied
 */
struct fxt_names {
	struct fxt_name *entries;
	uint32_t nr;
	struct hash hash;
	char *copies;
};

/* A table of at most so many entries is in a cache. The fuzzer takes none to be so small. */
#ifndef FXT_FEW_NAMES
#define FXT_FEW_NAMES	4096
#endif

void fxt_names_expect(const struct fxt_names *names, uint64_t koid);
uint32_t fxt_names_guess(const struct fxt_names *names, uint64_t koid);
struct fxt_name *fxt_names_find(const struct fxt_names *names, uint64_t koid);
struct fxt_name *fxt_names_get(struct fxt_names *names, uint64_t koid);
bool fxt_names_first(struct fxt_names *names, uint64_t koid, bool *ret_good);
bool fxt_names_learn(struct fxt_names *processes, struct fxt_names *threads,
		     const struct vitrine_fxt_record *record,
		     uint64_t given_ns);
void *fxt_names_owned(struct fxt_names *names, uint64_t koid, size_t size);
void fxt_names_free_owned(struct fxt_names *names, void (*deinit)(void *owner));
bool fxt_names_keep(struct fxt_names *names);
void fxt_names_deinit(struct fxt_names *names);

#endif /* _VITRINE_LIB_FXT_NAMES_H */
