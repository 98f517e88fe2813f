/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed dumps of makedumpfile, through a helper program that is linked with
 * libkdumpfile.
 */
#ifndef _VITRINE_KDUMP_H
#define _VITRINE_KDUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "vitrine.h"

bool kdump_detect(const void *bytes, size_t len_bytes);
struct vitrine_error *kdump_expand(const char *path, int *ret);

#endif /* _VITRINE_KDUMP_H */
