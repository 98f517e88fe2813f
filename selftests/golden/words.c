// SPDX-License-Identifier: GPL-2.0
/*
 * Assemble a golden file from a description of its words: words.py.
 */
#include "script.h"
