/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Join what is left of a trace of which parts are missing.
 */
#ifndef _VITRINE_REJOIN_H
#define _VITRINE_REJOIN_H

#include <stdint.h>

#include "vitrine.h"

struct vitrine_error *rejoin(int fd, const char *name, const uint64_t *gaps,
			     size_t nr_gaps);

#endif /* _VITRINE_REJOIN_H */
