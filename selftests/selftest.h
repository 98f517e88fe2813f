/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the selftests in C, besides those of the kernel's kselftest.h: loading of the
 * module, and the paths of its files.
 */
#ifndef _SELFTEST_H
#define _SELFTEST_H

#include <stdbool.h>

#include "kselftest.h"

#define TRACE_DIR	"/sys/kernel/debug/vitrine/trace/"
#define INSPECT_DIR	"/sys/kernel/debug/vitrine/inspect/"

/*
 * Unload a module that an earlier test has left loaded, with the modules that use it. Skip
 * the test without FORCE=1: the machine may be in use, and the module with it.
 */
static inline void unload_leftover(const char *name)
{
	const char *force = getenv("FORCE");
	char command[256];

	snprintf(command, sizeof(command), "/sys/module/%s/holders", name);
	if (access(command, F_OK))
		return;
	if (!force || strcmp(force, "1"))
		ksft_exit_skip("%s is loaded; FORCE=1 unloads it\n", name);
	snprintf(command, sizeof(command), "rmmod $(ls /sys/module/%s/holders) %s", name, name);
	if (system(command))
		ksft_exit_fail_msg("cannot unload %s\n", name);
}

/* Load vitrine, or one of the modules of the selftests. */
static inline void load_module(const char *name, const char *params)
{
	const bool is_vitrine = !strcmp(name, "vitrine");
	const char *path = getenv(is_vitrine ? "VITRINE_KO" : "VITRINE_MODULES");
	char command[4096];

	if (!path)
		ksft_exit_skip("set VITRINE_KO and VITRINE_MODULES, or use selftests/qemu/run\n");
	unload_leftover(name);
	if (is_vitrine)
		snprintf(command, sizeof(command), "insmod '%s' %s", path, params);
	else
		snprintf(command, sizeof(command), "insmod '%s/%s.ko' %s", path, name, params);
	if (system(command))
		ksft_exit_fail_msg("cannot load %s\n", name);
}

static inline void unload_module(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rmmod %s", name);
	if (system(command))
		ksft_exit_fail_msg("cannot unload %s\n", name);
}

#endif /* _SELFTEST_H */
