// SPDX-License-Identifier: GPL-2.0
/*
 *	watch_frozen FILE
 *
 * Map FILE and take one snapshot after the other until its publisher has gone,
 * that is, until its generation is frozen. Says "watching" after the first.
 * Exits 0 if all are sound.
 */
#include <err.h>
#include <stdio.h>

#include <vitrine/inspect.h>

#include "must.h"
#include "vitrine.h"

int main(int argc, char **argv)
{
	struct vitrine_snapshot *snapshot;
	struct vitrine_source *source;
	unsigned long nr = 0;

	if (argc != 2)
		errx(2, "usage: watch_frozen FILE");
	must(vitrine_source_create(argv[1], VITRINE_SOURCE_MAP, &source));
	if (!vitrine_source_mapped(source))
		errx(1, "%s: not mapped", argv[1]);
	must(vitrine_snapshot_create(source, &snapshot));
	for (;;) {
		if (!is_sound(snapshot, argv[1]))
			errx(1, "%s: not sound", argv[1]);
		if (!nr++) {
			puts("watching");
			fflush(stdout);
		}
		if (vitrine_snapshot_generation(snapshot) == INSPECT_GENERATION_FROZEN)
			break;
		must(vitrine_snapshot_refresh(snapshot, source));
	}
	printf("%lu snapshots\n", nr);
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
	return 0;
}
