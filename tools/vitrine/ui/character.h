/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters on a terminal.
 */
#ifndef _VITRINE_UI_CHARACTER_H
#define _VITRINE_UI_CHARACTER_H

#include <stdbool.h>
#include <stdint.h>

/* Return whether a terminal shows the character and does nothing else. */
bool character_is_printable(uint32_t c);

/* Return the columns that the character takes. */
unsigned int character_columns(uint32_t c);

#endif /* _VITRINE_UI_CHARACTER_H */
