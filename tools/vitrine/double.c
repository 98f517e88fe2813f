// SPDX-License-Identifier: GPL-2.0
/*
 * Doubles in decimal.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "double.h"

/**
 * double_format() - write a double with the fewest digits that mean the same
 * @number: double
 * @text: where to
 */
void double_format(double number, char text[DOUBLE_TEXT_BYTES])
{
	/* Up to 15 digits survive a double, and "%g" drops zeros behind them. */
	int digits = DBL_DIG;

	if (isnan(number)) {
		/* Without a sign, which says nothing. */
		snprintf(text, DOUBLE_TEXT_BYTES, "nan");
		return;
	}
	/* Subnormal doubles have fewer digits than that. */
	if (fabs(number) < DBL_MIN)
		digits = 1;
	do {
		snprintf(text, DOUBLE_TEXT_BYTES, "%.*g", digits, number);
	} while (strtod(text, NULL) != number && ++digits <= DBL_DECIMAL_DIG);
	if (isfinite(number) && !strpbrk(text, ".e"))
		strcat(text, ".0");
}
