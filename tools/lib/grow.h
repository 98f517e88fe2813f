/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays that grow by one element at a time, or up to an index, and bytes that grow up to a
 * size. The caller serialises.
 */
#ifndef _VITRINE_LIB_GROW_H
#define _VITRINE_LIB_GROW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An array of @nr elements has room for the next power of two. */
static inline void *grow_array(void *array, size_t nr, size_t size)
{
	return nr & (nr - 1) ? array : reallocarray(array, nr ? 2 * nr : 1, size);
}

/**
 * GROW() - make room for one more element of an array
 * @array: pointer to the elements, NULL if there are none; may move
 * @nr: number of elements, which were all added with this macro; any may be removed
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

static inline void *grow_to(void *array, uint32_t *nr, uint32_t index,
			    size_t size)
{
	uint32_t bigger = index < 2 * *nr ? 2 * *nr : index + 1;

	if (index < *nr)
		return array;
	array = reallocarray(array, bigger, size);
	if (!array)
		return NULL;
	memset((char *)array + *nr * size, 0, (bigger - *nr) * size);
	*nr = bigger;
	return array;
}

/**
 * GROW_TO() - make an array long enough for an index
 * @array: pointer to the elements, NULL if there are none; may move
 * @nr: number of elements, a variable of 32 bits; new elements are all zero
 * @index: index that is to be valid, below 2^31
 *
 * Return: false without memory; the array is unchanged then.
 */
#define GROW_TO(array, nr, index) ({					\
	void *__grown = grow_to((array), &(nr), (index),		\
				sizeof(*(array)));			\
									\
	if (__grown)							\
		(array) = __grown;					\
	__grown;							\
})

static inline void *grow_bytes(void *bytes, size_t *size, size_t needed)
{
	size_t bigger = needed < 2 * *size ? 2 * *size : needed;

	if (bytes && needed <= *size)
		return bytes;
	bytes = realloc(bytes, bigger);
	if (bytes)
		*size = bigger;
	return bytes;
}

/**
 * GROW_BYTES() - make an allocation large enough
 * @bytes: pointer to the allocation, NULL if there is none; may move
 * @size: size of the allocation, a variable of type size_t
 * @needed: number of bytes that are needed, not 0
 *
 * Return: false without memory; the allocation is unchanged then.
 */
#define GROW_BYTES(bytes, size, needed) ({				\
	void *__grown = grow_bytes((bytes), &(size), (needed));		\
									\
	if (__grown)							\
		(bytes) = __grown;					\
	__grown;							\
})

#endif /* _VITRINE_LIB_GROW_H */
