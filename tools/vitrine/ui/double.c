// SPDX-License-Identifier: GPL-2.0
/*
 * Format doubles in decimal.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "double.h"

/**
 * double_format() - format a double with the fewest digits that read back the same
 * @number: double
 * @text: receives the text
 */
void double_format(double number, char text[DOUBLE_TEXT_BYTES])
{
	/* 15 digits survive a double; "%g" drops trailing zeros. */
	int digits = DBL_DIG;

	if (isnan(number)) {
		/* The sign of a NaN means nothing. */
		snprintf(text, DOUBLE_TEXT_BYTES, "nan");
		return;
	}
	/* Subnormal doubles have fewer significant digits. */
	if (fabs(number) < DBL_MIN)
		digits = 1;
	do {
		snprintf(text, DOUBLE_TEXT_BYTES, "%.*g", digits, number);
	} while (strtod(text, NULL) != number && ++digits <= DBL_DECIMAL_DIG);
	if (isfinite(number) && !strpbrk(text, ".e"))
		strcat(text, ".0");
}
