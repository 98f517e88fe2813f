/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of the module's files in debugfs, and errors about them.
 */
#ifndef _VITRINE_DEBUGFS_H
#define _VITRINE_DEBUGFS_H

#include "vitrine.h"

/* Return "/sys/kernel/debug/vitrine/NAME" and suffix, to be freed. */
char *debugfs_path(const char *name, const char *suffix);

/* Return an error for errno @code on the module's file @path, with advice. */
struct vitrine_error *debugfs_explain(int code, const char *path);

#endif /* _VITRINE_DEBUGFS_H */
