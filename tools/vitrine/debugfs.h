/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of the module's files in debugfs, and errors about them; reading and writing these, and
 * others that the kernel makes.
 */
#ifndef _VITRINE_DEBUGFS_H
#define _VITRINE_DEBUGFS_H

#include "vitrine.h"

/* Return "/sys/kernel/debug/vitrine/NAME" and suffix, to be freed. */
char *debugfs_path(const char *name, const char *suffix);

/* Return an error for errno @code on the module's file @path, with advice. */
struct vitrine_error *debugfs_explain(int code, const char *path);

/* Return the text of a file of the kernel, to be freed; NULL with errno. */
char *read_text(const char *path);
/* Take the next line off a text, which is changed; NULL at its end. */
char *next_line(char **text);
/* Write a text at once; return 0, or an errno value. */
int write_text(const char *path, const char *text);

#endif /* _VITRINE_DEBUGFS_H */
