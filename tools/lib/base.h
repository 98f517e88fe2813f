/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What all files of the library and of the command are built on: memory ordering, growing
 * arrays, a hash table, a heap, errors, and UTF-8.
 *
 * All of it is data of the caller, who serialises. The functions on arrays, tables and heaps
 * are inline, and so are the functions that are passed to them.
 */
#ifndef _VITRINE_LIB_BASE_H
#define _VITRINE_LIB_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "vitrine.h"

/*
 * Memory ordering between the kernel, which writes, and this library, which reads.
 *
 * The kernel stores an odd generation, smp_wmb(), edits, then stores the even
 * generation with smp_store_release(). A reader loads the generation with
 * vtr_load_acquire(), reads, orders its reads with vtr_read_fence(), loads the
 * generation again with vtr_load_once(), and keeps what it read only if both
 * generations are equal and even. Documentation/concurrency.rst has one row per word.
 */

/* Pairs with smp_store_release() in the kernel. */
#define vtr_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)

/* A single load that may not be torn, repeated or invented. */
#define vtr_load_once(p)	__atomic_load_n((p), __ATOMIC_RELAXED)

/* Publishes to the kernel; pairs with smp_load_acquire() there. */
#define vtr_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* Loads before it come before loads after it; pairs with smp_wmb(). */
#define vtr_read_fence()	__atomic_thread_fence(__ATOMIC_ACQUIRE)

/* Tells the core that this is a wait for another one. */
static inline void vtr_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield" ::: "memory");
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

/* Return the number of elements of an array. */
#define ARRAY_LEN(array)	(sizeof(array) / sizeof((array)[0]))

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

/* Sort an array, by qsort(); one without elements may be NULL. */
#define SORT(array, nr, compare) do {					\
	size_t __nr = (nr);						\
									\
	if (__nr)							\
		qsort((array), __nr, sizeof(*(array)), (compare));	\
} while (0)

/*
 * A hash table of the elements of an array, by their numbers. The user of the table owns the
 * elements, computes their hashes and compares them; number 0 is no element. The table uses
 * open addressing and is at most half full. It keeps the hashes, so that an element is looked
 * at only if it is probably the one that is sought. The functions are inline, and so are
 * those that are passed to them.
 *
 * The caller serialises.
 */

#define HASH_LEAST_SLOTS	256

/* A slot of a hash table: the number of an element, 0 if it is free, and its hash. */
struct hash_slot {
	uint32_t number;
	uint32_t value;
};

/**
 * struct hash - a hash table; empty if zeroed
 * @slots: the slots
 * @size: size of @slots, a power of two
 */
struct hash {
	struct hash_slot *slots;
	uint32_t size;
};

/* Return whether the element with a number has a key. */
typedef bool hash_has(const void *owner, uint32_t number, const void *key);

/**
 * hash_find() - find the slot of a key
 * @hash: table, which hash_reserve() has made large enough
 * @value: hash of the key
 * @has: compares an element with the key
 * @owner: first argument of @has
 * @key: last argument of @has
 *
 * Return: the number of the element, or 0 in a free slot, in which its number belongs.
 */
static inline uint32_t *hash_find(const struct hash *hash, uint32_t value,
				  hash_has *has, const void *owner,
				  const void *key)
{
	struct hash_slot *slot;
	uint32_t at = value;

	do {
		slot = &hash->slots[at++ & (hash->size - 1)];
	} while (slot->number && (slot->value != value || !has(owner, slot->number, key)));
	if (!slot->number)
		slot->value = value;
	return &slot->number;
}

/**
 * hash_reserve() - make room for one more element
 * @hash: table
 * @nr: number of elements in it
 *
 * Return: false without memory; the table is unchanged then.
 */
static inline bool hash_reserve(struct hash *hash, uint32_t nr)
{
	struct hash bigger = {
		.size = hash->size ? 2 * hash->size : HASH_LEAST_SLOTS,
	};
	uint32_t i, at;

	if (2 * nr < hash->size)
		return true;
	/* Hashes may keep neighbours in one cache line. */
	bigger.slots = aligned_alloc(64, bigger.size * sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	memset(bigger.slots, 0, bigger.size * sizeof(*bigger.slots));
	for (i = 0; i < hash->size; i++) {
		if (!hash->slots[i].number)
			continue;
		at = hash->slots[i].value;
		while (bigger.slots[at & (bigger.size - 1)].number)
			at++;
		bigger.slots[at & (bigger.size - 1)] = hash->slots[i];
	}
	free(hash->slots);
	*hash = bigger;
	return true;
}

/*
 * A binary heap of pointers in an array: item i precedes the items 2i+1 and 2i+2, so the
 * first item precedes all others. The functions are inline, and so is the comparison.
 *
 * The caller serialises.
 */

typedef bool heap_before(const void *a, const void *b);

/* The item at @i may be earlier than those above it: let it rise. */
static inline void heap_rise(void **heap, size_t i, heap_before *before)
{
	void *item = heap[i];

	for (; i && before(item, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = item;
}

/* The first item may be later than others: let it sink. */
static inline void heap_sink(void **heap, size_t nr, heap_before *before)
{
	void *item = heap[0];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < nr; i = child) {
		if (child + 1 < nr && before(heap[child + 1], heap[child]))
			child++;
		if (before(item, heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = item;
}

/* Return the error for lack of memory, which is constant; it may be destroyed, too. */
struct vitrine_error *vtr_error_no_memory(void);

/* Create an error for a failed system call: @action failed on @path with errno @code. */
struct vitrine_error *vtr_error_os(int code, const char *path,
				   const char *action);

/* open() of @path failed: adds what to do about it. */
struct vitrine_error *vtr_error_open(int code, const char *path);

/* read() until @len_bytes or the end; -1 with errno. */
ssize_t vtr_read_full(int fd, void *buffer, size_t len_bytes);

/* vitrine_error_create() for callers with arguments of their own. */
struct vitrine_error *vtr_error_vcreate(int code, const char *path,
					uint64_t offset, const char *advice,
					const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));

/* Format a fault or a note and pass it to @report, unless @report is NULL. */
void vtr_report(vitrine_fault_fn *report, void *ctx, uint64_t offset,
		const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));

/* Report a note. @report may be NULL. */
void vtr_note(const struct vitrine_fxt_report *report, uint64_t offset,
	      const char *format, ...) __attribute__((format(printf, 3, 4)));

/**
 * struct vtr_utf8 - a text so far; begin with zeros
 * @nr_missing: bytes that the last character lacks
 * @lowest: the next of them is at least this
 * @highest: and at most this
 * @is_invalid: there was a byte that cannot follow
 */
struct vtr_utf8 {
	unsigned int nr_missing;
	uint8_t lowest;
	uint8_t highest;
	bool is_invalid;
};

void vtr_utf8_add(struct vtr_utf8 *utf8, const uint8_t *bytes, size_t len);
bool vtr_utf8_is_valid(const struct vtr_utf8 *utf8);
unsigned int vtr_utf8_sequence(const uint8_t *bytes, size_t len);
unsigned int vtr_utf8_decode(const void *bytes, size_t len, uint32_t *ret);
bool vtr_utf8_is_text(const void *bytes, size_t len);
size_t vtr_utf8_cut(const void *bytes, size_t len, size_t max);

/* Return whether there is something before @end, and @end behind it. */
static inline bool ends_in(const char *bytes, size_t len_bytes, const char *end)
{
	size_t len = strlen(end);

	return len_bytes > len && !memcmp(bytes + len_bytes - len, end, len);
}

/* Return what follows @begin in a text, or NULL if the text does not begin with it. */
static inline const char *text_after(const char *text, const char *begin)
{
	size_t len = strlen(begin);

	return strncmp(text, begin, len) ? NULL : text + len;
}

/* Compare two numbers, as functions for qsort() do. */
static inline int number_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Return the rank of a percentile among @nr values, not 0: the first one, counted from 1 in
 * ascending order, up to which there are so many of them.
 */
static inline uint64_t percentile_rank(uint64_t nr, unsigned int percent)
{
	return (nr * percent + 99) / 100;
}

/* Compare a string of a trace with a text. */
static inline bool fxt_string_is(const struct vitrine_fxt_string *string,
				 const char *text)
{
	return string->len_bytes == strlen(text) &&
	       !memcmp(string->bytes, text, string->len_bytes);
}

#endif /* _VITRINE_LIB_BASE_H */
