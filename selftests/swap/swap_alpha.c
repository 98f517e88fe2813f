// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are called "alpha".
 */
#define SWAP_NAME	"alpha"
#define SWAP_NUMBER	1

#include "swap.h"
