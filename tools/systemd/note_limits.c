// SPDX-License-Identifier: GPL-2.0
/*
 * note-limits: once a second, write down which cgroups the limits of their CPU time have throttled,
 * so that `vitrine why --last' can name them. Started by vitrine-limits.service.
 */
#include <sys/prctl.h>
#include <unistd.h>

#include "command.h"
#include "live/recording.h"

int main(void)
{
	struct vitrine_marker *marker;
	struct vitrine_error *err;

	/* Reports leave out threads of programs of this name, which only observe. */
	prctl(PR_SET_NAME, "vitrine");
	for (;;) {
		/* An open file would keep the module from being unloaded. */
		err = vitrine_marker_create(NULL, &marker);
		if (err)
			return report_error(err);
		cgroups_note(marker);
		vitrine_marker_destroy(marker);
		sleep(1);
	}
}
