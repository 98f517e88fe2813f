/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looking up a function in a program or library.
 */
#ifndef _VITRINE_ELF_SYMBOL_H
#define _VITRINE_ELF_SYMBOL_H

#include <stdint.h>

#include "vitrine.h"

struct vitrine_error *elf_symbol_find(const char *path, const char *name,
				      uint64_t *ret_offset);

#endif /* _VITRINE_ELF_SYMBOL_H */
