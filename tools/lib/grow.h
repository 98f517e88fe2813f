/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays that grow by one element at a time. The caller serialises.
 */
#ifndef _VITRINE_LIB_GROW_H
#define _VITRINE_LIB_GROW_H

#include <stdlib.h>

/* An array of @nr elements has room for the next power of two. */
static inline void *grow_array(void *array, size_t nr, size_t size)
{
	return nr & (nr - 1) ? array : reallocarray(array, nr ? 2 * nr : 1, size);
}

/**
 * GROW() - make room for one more element of an array
 * @array: pointer to the elements, NULL if there are none; may move
 * @nr: number of elements, which all came by this macro
 *
 * Return: false without memory; @array is unchanged then.
 */
#define GROW(array, nr) ({						\
	void *__grown = grow_array((array), (nr), sizeof(*(array)));	\
									\
	if (__grown)							\
		(array) = __grown;					\
	__grown;							\
})

#endif /* _VITRINE_LIB_GROW_H */
