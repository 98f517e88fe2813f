/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Printing the differences of two trees.
 */
#ifndef _VITRINE_DIFF_H
#define _VITRINE_DIFF_H

#include <stdbool.h>

int diff_run(bool json, char **trees);

#endif /* _VITRINE_DIFF_H */
