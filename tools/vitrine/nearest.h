/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The error for a name, filter or range that selects nothing, with the nearest name that
 * there is.
 */
#ifndef _VITRINE_NEAREST_H
#define _VITRINE_NEAREST_H

#include <stddef.h>

#include "vitrine.h"

/* Names are compared up to this length. */
#define NEAREST_BYTES	128

/**
 * struct nearest - a search for the name that the user may have meant
 * @asked: name that was asked for
 * @best: nearest name that was offered; empty if none is near
 * @distance: number of characters in which they differ
 * @limit: names that differ in more characters are not near
 */
struct nearest {
	char asked[NEAREST_BYTES];
	char best[NEAREST_BYTES];
	size_t distance;
	size_t limit;
};

void nearest_init(struct nearest *nearest, const char *asked, size_t len);
void nearest_offer(struct nearest *nearest, const char *name, size_t len);

/* Make the error that @subject selects nothing: EXIT_BAD_INPUT. */
__attribute__((format(printf, 4, 5)))
struct vitrine_error *nothing_selected(const char *subject, const struct nearest *nearest,
				       const char *advice, const char *format, ...);

#endif /* _VITRINE_NEAREST_H */
