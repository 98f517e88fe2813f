// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as an Inspect file: build the tree, print it as JSON and as an outline,
 * and validate it.
 *
 * Beyond the sanitizers, this must hold: the position of an error is within the file, and
 * a file that show cannot read is a fault to the validator.
 */
#include "fuzz.h"

#include "inspect/show.h"
#include "vitrine.h"

/* Have standard output go nowhere, at no cost. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	stdout = open_nowhere();
	return 0;
}

static void count_fault(void *ctx, uint64_t offset, const char *message)
{
	uint64_t *faults = ctx;

	*faults += message[0] != '\0';
}

/* Build and print the tree. Return true if it cannot be read. */
static bool show(const uint8_t *bytes, size_t len)
{
	struct vitrine_hierarchy *hierarchy = NULL;
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_error *err;
	bool unreadable;

	err = vitrine_snapshot_from_bytes(bytes, len, "fuzz", &snapshot);
	if (!err)
		err = vitrine_hierarchy_create(snapshot, &hierarchy);
	if (!err) {
		json_init(true);
		json_hierarchy(hierarchy);
		outline_print("fuzz", hierarchy);
	} else {
		expect(err->offset <= len);
	}
	unreadable = err;
	vitrine_error_destroy(err);
	vitrine_hierarchy_destroy(hierarchy);
	vitrine_snapshot_destroy(snapshot);
	return unreadable;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct vitrine_inspect_summary summary = { 0 };
	struct vitrine_error *err;
	uint64_t faults = 0;
	bool unreadable;

	unreadable = show(bytes, len);
	err = vitrine_inspect_check(bytes, len, "fuzz", count_fault, &faults, &summary);
	expect(faults == summary.nr_faults && (!unreadable || err || faults));
	vitrine_error_destroy(err);
	return 0;
}
