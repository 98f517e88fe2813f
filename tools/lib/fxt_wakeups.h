/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wakeups of threads that run, and threads that run twice, as a step of validating a trace.
 */
#ifndef _VITRINE_LIB_FXT_WAKEUPS_H
#define _VITRINE_LIB_FXT_WAKEUPS_H

#include "fxt_file.h"
#include "vitrine.h"

struct vitrine_error *fxt_wakeups_check(const struct fxt_file *file,
					const struct vitrine_fxt_report *report);

#endif /* _VITRINE_LIB_FXT_WAKEUPS_H */
