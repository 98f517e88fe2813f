/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For test programs that use libvitrine: end after an error, find a value, validate a tree.
 */
#ifndef _SELFTESTS_MUST_H
#define _SELFTESTS_MUST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vitrine.h"

/* End the program with a message unless a call succeeded. */
static inline void must(struct vitrine_error *err)
{
	if (!err)
		return;
	vitrine_error_print(err, stderr);
	exit(1);
}

static inline const struct vitrine_value *child(const struct vitrine_value *parent,
						const char *name)
{
	const struct vitrine_value *value;
	const char *found;
	size_t len;

	for (value = vitrine_value_first_child(parent); value; value = vitrine_value_next(value)) {
		found = vitrine_value_name(value, &len);
		if (len == strlen(name) && !memcmp(found, name, len))
			return value;
	}
	fprintf(stderr, "the tree has no %s\n", name);
	exit(1);
}

static inline void print_fault(void *path, uint64_t offset, const char *message)
{
	printf("# %s: offset 0x%" PRIx64 ": %s\n", (const char *)path, offset, message);
}

/* Check that the copy of the tree @path is valid to the last byte. */
static inline bool is_sound(const struct vitrine_snapshot *snapshot, const char *path)
{
	struct vitrine_inspect_summary summary;
	size_t len;
	const void *bytes = vitrine_snapshot_bytes(snapshot, &len);

	must(vitrine_inspect_check(bytes, len, path, print_fault, (void *)path, &summary));
	return !summary.nr_faults;
}

#endif /* _SELFTESTS_MUST_H */
