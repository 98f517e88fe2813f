/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance of tracefs for the time of a recording, and the probes that belong to it.
 */
#ifndef _VITRINE_TRACEFS_H
#define _VITRINE_TRACEFS_H

#include <stdbool.h>

#include "vitrine.h"

#define TRACEFS_NAME_BYTES	32

/**
 * struct tracefs - an instance
 * @mount: where tracefs is mounted, or NULL
 * @name: name of the instance; its probes are in groups whose names begin with it and "_"
 * @instance: directory of the instance, NULL before tracefs_create()
 * @lock_fd: that directory, locked as long as the recorder or its restorer lives, or -1
 */
struct tracefs {
	char *mount;
	char name[TRACEFS_NAME_BYTES];
	char *instance;
	int lock_fd;
};

struct vitrine_error *tracefs_open(struct tracefs *tracefs);
void tracefs_clean(const struct tracefs *tracefs);
struct vitrine_error *tracefs_create(struct tracefs *tracefs);
void tracefs_remove(const struct tracefs *tracefs);
void tracefs_close(struct tracefs *tracefs);

bool tracefs_has(const struct tracefs *tracefs, const char *file);
char *tracefs_read(const char *directory, const char *file);
struct vitrine_error *tracefs_write(const char *directory, const char *file,
				    const char *text);
struct vitrine_error *tracefs_explain(int code, const char *path);

#endif /* _VITRINE_TRACEFS_H */
