/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces as JSON trace events, for chrome://tracing and Perfetto.
 */
#ifndef _VITRINE_CHROME_H
#define _VITRINE_CHROME_H

#include "faults.h"
#include "vitrine.h"

struct vitrine_error *chrome_write(const char *from, const char *to,
				   struct faults *faults);

#endif /* _VITRINE_CHROME_H */
