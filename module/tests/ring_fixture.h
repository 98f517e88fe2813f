/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rings of cases.
 */
#ifndef _VTR_TESTS_RING_FIXTURE_H
#define _VTR_TESTS_RING_FIXTURE_H

#include <kunit/test.h>

#include "trace/ring.h"

static inline struct vtr_ring_config ring_config(enum vitrine_mode mode, unsigned int nr_subbufs)
{
	return (struct vtr_ring_config){
		.session = 7,
		.clock = VITRINE_CLOCK_LOCAL,
		.mode = mode,
		.nr_subbufs = nr_subbufs,
		.ticks_per_second = 1000000000,
	};
}

/* A case has one ring at a time, the last of which put_ring() puts. */
static inline struct vtr_ring *keep_ring(struct kunit *test, struct vtr_ring *ring)
{
	KUNIT_ASSERT_NOT_NULL(test, ring);
	vtr_ring_put(test->priv);
	test->priv = ring;
	return ring;
}

static inline void put_ring(struct kunit *test)
{
	vtr_ring_put(test->priv);
}

/* Return the length of a record in words, of which there are @nr_left. */
static inline size_t record_words(struct kunit *test, const u64 *words, size_t nr_left)
{
	size_t nr_words = FIELD_GET(FXT_HEADER_WORDS, words[0]);

	KUNIT_ASSERT_GT(test, nr_words, (size_t)0);
	KUNIT_ASSERT_LE(test, nr_words, nr_left);
	return nr_words;
}

/* Return the number of sub-buffers that were begun. */
static inline u64 nr_begun(const struct vtr_ring *ring)
{
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	return end;
}

/* Copy a sub-buffer, which is complete and was not overwritten. Return its length. */
static inline size_t take_subbuf(struct kunit *test, struct vtr_ring *ring, u64 sequence,
				 void *bytes)
{
	size_t len = vtr_ring_copy(ring, sequence, bytes);

	KUNIT_ASSERT_GT(test, len, (size_t)0);
	KUNIT_ASSERT_LE(test, len, vtr_ring_subbuf_bytes(&ring->config));
	return len;
}

#endif /* _VTR_TESTS_RING_FIXTURE_H */
