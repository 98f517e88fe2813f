// SPDX-License-Identifier: GPL-2.0
/*
 * Write the golden traces: mkfxt.py.
 */
#include "script.h"
