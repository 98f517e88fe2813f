/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the module's files are, and why they are not there.
 */
#ifndef _VITRINE_DEBUGFS_H
#define _VITRINE_DEBUGFS_H

#include "vitrine.h"

/* "/sys/kernel/debug/vitrine/NAME" and suffix; free() it; NULL: no memory. */
char *debugfs_path(const char *name, const char *suffix);

/* An error for errno @code on the module's file @path, with advice. */
struct vitrine_error *debugfs_explain(int code, const char *path);

#endif /* _VITRINE_DEBUGFS_H */
