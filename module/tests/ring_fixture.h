/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rings of cases, and how a case reads them.
 */
#ifndef _VTR_TESTS_RING_FIXTURE_H
#define _VTR_TESTS_RING_FIXTURE_H

#include <linux/irqflags.h>

#include "suite.h"
#include "trace/writer.h"

static inline struct vtr_ring_config ring_config(enum vitrine_mode mode, unsigned int nr_subbufs)
{
	return (struct vtr_ring_config){
		.session = 7,
		.clock = VITRINE_CLOCK_LOCAL,
		.mode = mode,
		.nr_subbufs = nr_subbufs,
		.ticks_per_second = 1000000000,
		.session_ticks = 11,
		.session_realtime_ns = 22,
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

static inline struct vtr_ring *new_ring_of(struct kunit *test, unsigned int cpu,
					   enum vitrine_mode mode, unsigned int nr_subbufs)
{
	const struct vtr_ring_config config = ring_config(mode, nr_subbufs);

	return keep_ring(test, vtr_ring_create(cpu, &config));
}

static inline void put_ring(struct kunit *test)
{
	vtr_ring_put(test->priv);
}

static inline struct vitrine_ring_consumer *ring_consumer(struct vtr_ring *ring)
{
	return ring->area.pages[VITRINE_RING_CONSUMER_PAGE];
}

/* Return the number of sub-buffers that were begun. */
static inline u64 nr_begun(const struct vtr_ring *ring)
{
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	return end;
}

static inline void expect_range(struct kunit *test, const struct vtr_ring *ring, u64 wanted_first,
				u64 wanted_end)
{
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	KUNIT_EXPECT_EQ(test, first, wanted_first);
	KUNIT_EXPECT_EQ(test, end, wanted_end);
}

/* Called for each record. */
typedef void (*read_record_t)(struct kunit *test, void *reader, const u64 *words, size_t nr_words);

/* Read a copied sub-buffer: each record has a length, none exceeds the end, and they fill it. */
static inline void read_records(struct kunit *test, const u64 *words, size_t len,
				read_record_t read, void *reader)
{
	size_t left = len / FXT_WORD_BYTES, nr_words;

	for (; left; left -= nr_words, words += nr_words) {
		nr_words = FIELD_GET(FXT_HEADER_WORDS, words[0]);
		KUNIT_ASSERT_GT(test, nr_words, (size_t)0);
		KUNIT_ASSERT_LE(test, nr_words, left);
		read(test, reader, words, nr_words);
	}
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

/* Read all sub-buffers that the ring has. Return their length. */
static inline size_t read_ring(struct kunit *test, struct vtr_ring *ring, read_record_t read,
			       void *reader)
{
	void *bytes = zalloc(test, vtr_ring_subbuf_bytes(&ring->config));
	size_t len, total = 0;
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	for (; first < end; first++, total += len) {
		len = take_subbuf(test, ring, first, bytes);
		read_records(test, bytes, len, read, reader);
	}
	return total;
}

/* Call a function while @ring is the one of this CPU, which nothing interrupts. */
static inline void with_ring(struct vtr_ring *ring, void (*function)(void *ctx), void *ctx)
{
	struct vtr_ring *before;
	unsigned long flags;

	local_irq_save(flags);
	before = this_cpu_read(vtr_writer_ring);
	this_cpu_write(vtr_writer_ring, ring);
	function(ctx);
	this_cpu_write(vtr_writer_ring, before);
	local_irq_restore(flags);
}

#endif /* _VTR_TESTS_RING_FIXTURE_H */
