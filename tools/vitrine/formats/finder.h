/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The helper program find-symbols, which reads programs and libraries with libdw.
 */
#ifndef _VITRINE_FINDER_H
#define _VITRINE_FINDER_H

#include <stdbool.h>
#include <stdio.h>

#include "vitrine.h"

bool finder_is_installed(void);
FILE *finder_scratch(void);
struct vitrine_error *finder_run(FILE *questions, FILE *answers);

#endif /* _VITRINE_FINDER_H */
