/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes at functions of the kernel and of programs, for the time of a recording.
 */
#ifndef _VITRINE_PROBES_H
#define _VITRINE_PROBES_H

#include <stdbool.h>

#include "tracefs.h"

bool probes_is_probe(const char *event);
struct vitrine_error *probes_add(const struct tracefs *tracefs, const char *event,
				 unsigned int number, char **ret);

#endif /* _VITRINE_PROBES_H */
