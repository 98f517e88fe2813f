/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Split complete durations into a begin and an end, for formats without a record for both.
 *
 * pairs_next() is called in place of vitrine_archive_next(). It returns the begin of a record
 * to be split at once, and keeps its end until all earlier records have been returned.
 */
#ifndef _VITRINE_CONVERT_PAIRS_H
#define _VITRINE_CONVERT_PAIRS_H

#include "vitrine.h"

/*
 * Maximum number of ends that are kept. Interrupts and the system call below them nest four
 * deep on a CPU, so that this is enough for 4096 CPUs. Further records are not split.
 */
#define PAIRS_MAX_WAITING	16384

/**
 * pairs_wanted_fn - whether to split a record
 * @record: a record of any kind
 *
 * Return: true for a complete duration that is to be split into a begin and an end.
 */
typedef bool pairs_wanted_fn(const struct vitrine_fxt_record *record);

struct pairs_end;

/**
 * struct pairs - records in time order, some of them split
 * @wanted: selects the records to split; NULL for none
 * @next: next record of the archive, or NULL before it is read
 * @begin: storage for the begin of a record that is split
 * @ends: ends that are kept, the earliest first: a heap of struct pairs_end
 * @nr_ends: number of @ends
 * @last: the end that was returned last, or NULL
 */
struct pairs {
	pairs_wanted_fn *wanted;
	const struct vitrine_fxt_record *next;
	struct vitrine_fxt_record begin;
	void **ends;
	unsigned int nr_ends;
	struct pairs_end *last;
};

struct vitrine_error *pairs_next(struct pairs *pairs,
				 struct vitrine_archive *archive,
				 const struct vitrine_fxt_record **ret);
void pairs_deinit(struct pairs *pairs);

#endif /* _VITRINE_CONVERT_PAIRS_H */
