/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doubles in decimal.
 */
#ifndef _VITRINE_DOUBLE_H
#define _VITRINE_DOUBLE_H

/* Longest text of a double, NUL included. */
#define DOUBLE_TEXT_BYTES	32

/*
 * Format a double with the fewest digits that read back the same, and with a point
 * or an exponent, so that it does not look like an integer; or "nan", "inf", "-inf".
 */
void double_format(double number, char text[DOUBLE_TEXT_BYTES]);

#endif /* _VITRINE_DOUBLE_H */
