// SPDX-License-Identifier: GPL-2.0
/*
 * Report that a name, filter or range selects nothing. Among the names that there are, find
 * the one that differs in the fewest characters.
 */
#define _GNU_SOURCE	/* vasprintf() */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "nearest.h"

static void copy_name(char *to, const char *name, size_t len)
{
	if (len >= NEAREST_BYTES)
		len = NEAREST_BYTES - 1;
	memcpy(to, name, len);
	to[len] = '\0';
}

/**
 * nearest_init() - begin a search
 * @nearest: search
 * @asked: name that was asked for
 * @len: its length in bytes
 */
void nearest_init(struct nearest *nearest, const char *asked, size_t len)
{
	*nearest = (struct nearest){ 0 };
	copy_name(nearest->asked, asked, len);
	/* A third of the characters may differ, rounded up. */
	nearest->limit = (strlen(nearest->asked) + 2) / 3;
	nearest->distance = nearest->limit + 1;
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Return the number of characters to insert, remove or replace to make one name of the other
 * (Levenshtein), in either case.
 */
static size_t distance_of(const char *a, const char *b)
{
	size_t row[NEAREST_BYTES], before, above, i;

	for (i = 0; b[i]; i++)
		row[i] = i + 1;
	for (before = 1; *a; a++, before++) {
		size_t left = before, corner = before - 1;

		for (i = 0; b[i]; i++) {
			above = row[i];
			corner += tolower((unsigned char)*a) != tolower((unsigned char)b[i]);
			left = min(corner, min(above, left) + 1);
			corner = above;
			row[i] = left;
		}
	}
	return i ? row[i - 1] : before - 1;
}

/**
 * nearest_offer() - take the name if it is nearer than all before
 * @nearest: search
 * @name: name that there is
 * @len: its length in bytes
 */
void nearest_offer(struct nearest *nearest, const char *name, size_t len)
{
	char offered[NEAREST_BYTES];
	size_t distance;

	copy_name(offered, name, len);
	/* It was there when names were listed, and is gone. */
	if (!strcmp(nearest->asked, offered))
		return;
	distance = distance_of(nearest->asked, offered);
	/* A part of the name is near, too. */
	if (distance > nearest->limit && nearest->asked[0] &&
	    strcasestr(offered, nearest->asked))
		distance = nearest->limit;
	if (distance >= nearest->distance)
		return;
	nearest->distance = distance;
	memcpy(nearest->best, offered, sizeof(offered));
}

/**
 * nothing_selected() - make the error for something that selects nothing
 * @subject: what is searched, or what was asked
 * @nearest: a finished search, whose result the error names; or NULL
 * @advice: what to do if no name is near, or NULL
 * @format: what was asked and what there is, as for printf()
 *
 * Return: an error, ENODATA.
 */
struct vitrine_error *nothing_selected(const char *subject, const struct nearest *nearest,
				       const char *advice, const char *format, ...)
{
	char name[NEAREST_BYTES + 32];
	struct vitrine_error *err;
	va_list args;

	if (nearest && nearest->best[0]) {
		snprintf(name, sizeof(name), "the nearest name is \"%s\"", nearest->best);
		advice = name;
	}
	va_start(args, format);
	err = vtr_error_vcreate(ENODATA, subject, VITRINE_NO_OFFSET, advice, format, args);
	va_end(args);
	return err;
}
