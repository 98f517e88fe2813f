// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are called "bravo".
 */
#define SWAP_NAME	"bravo"
#define SWAP_NUMBER	2

#include "swap.h"
