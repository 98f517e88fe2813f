/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doubles in decimal.
 */
#ifndef _VITRINE_DOUBLE_H
#define _VITRINE_DOUBLE_H

/* Longest text of a double, its NUL included. */
#define DOUBLE_TEXT_BYTES	32

/*
 * The fewest digits that mean the same double, with a point or an exponent so
 * that they cannot be taken for an integer; or "nan", "inf", "-inf".
 */
void double_format(double number, char text[DOUBLE_TEXT_BYTES]);

#endif /* _VITRINE_DOUBLE_H */
