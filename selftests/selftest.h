/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the selftests in C share: the module, and where its files are.
 */
#ifndef _SELFTEST_H
#define _SELFTEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest.h>

#define TRACE_DIR	"/sys/kernel/debug/vitrine/trace/"
#define INSPECT_DIR	"/sys/kernel/debug/vitrine/inspect/"

/* Load a module named by an environment variable, in a fresh state. */
static inline void load_module(const char *variable, const char *name,
			       const char *params)
{
	const char *path = getenv(variable);
	char command[4096];

	if (!path)
		ksft_exit_skip("set %s to the module, or use selftests/qemu/run\n",
			       variable);
	snprintf(command, sizeof(command),
		 "grep -q '^%s ' /proc/modules && rmmod %s; insmod '%s' %s",
		 name, name, path, params);
	if (system(command))
		ksft_exit_fail_msg("cannot load %s\n", path);
}

static inline void unload_module(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rmmod %s", name);
	if (system(command))
		ksft_exit_fail_msg("cannot unload %s\n", name);
}

#endif /* _SELFTEST_H */
