// SPDX-License-Identifier: GPL-2.0
/*
 *	watch_frozen FILE
 *
 * Map FILE and take one snapshot after the other until its publisher has gone,
 * that is, until its generation is frozen. Says "watching" after the first.
 * Exits 0 if all are sound.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include <vitrine/inspect.h>

#include "must.h"
#include "vitrine.h"

static void print_fault(void *ctx, uint64_t offset, const char *message)
{
	(void)ctx;
	printf("offset 0x%" PRIx64 ": %s\n", offset, message);
}

static void check(const struct vitrine_snapshot *snapshot, const char *path)
{
	struct vitrine_inspect_summary summary;
	size_t len;
	const void *bytes = vitrine_snapshot_bytes(snapshot, &len);

	must(vitrine_inspect_check(bytes, len, path, print_fault, NULL, &summary));
	if (summary.nr_faults)
		errx(1, "%s: not sound", path);
}

int main(int argc, char **argv)
{
	struct vitrine_snapshot *snapshot;
	struct vitrine_source *source;
	unsigned long nr = 1;

	if (argc != 2)
		errx(2, "usage: watch_frozen FILE");
	must(vitrine_source_create(argv[1], VITRINE_SOURCE_MAP, &source));
	if (!vitrine_source_mapped(source))
		errx(1, "%s: not mapped", argv[1]);
	must(vitrine_snapshot_create(source, &snapshot));
	check(snapshot, argv[1]);
	puts("watching");
	fflush(stdout);

	while (vitrine_snapshot_generation(snapshot) != INSPECT_GENERATION_FROZEN) {
		must(vitrine_snapshot_refresh(snapshot, source));
		check(snapshot, argv[1]);
		nr++;
	}
	printf("%lu snapshots\n", nr);
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
	return 0;
}
