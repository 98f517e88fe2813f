/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.dat of trace-cmd, through a helper program that is linked with libtracecmd.
 */
#ifndef _VITRINE_TRACE_CMD_H
#define _VITRINE_TRACE_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "vitrine.h"

bool trace_cmd_detect(const void *bytes, size_t len_bytes);
struct vitrine_error *trace_cmd_read(const char *from, const char *to);

#endif /* _VITRINE_TRACE_CMD_H */
