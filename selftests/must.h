/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For test programs that cannot go on after an error of libvitrine.
 */
#ifndef _SELFTESTS_MUST_H
#define _SELFTESTS_MUST_H

#include <stdio.h>
#include <stdlib.h>

#include "vitrine.h"

/* End the program with a message unless a call succeeded. */
static inline void must(struct vitrine_error *err)
{
	if (!err)
		return;
	vitrine_error_print(err, stderr);
	exit(1);
}

#endif /* _SELFTESTS_MUST_H */
