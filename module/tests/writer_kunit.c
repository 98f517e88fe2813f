// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of writer.c: rows of switches as the scheduler asks for them, on CPUs
 * that 16-byte records can name and on others. Whatever the CPU, the row is a
 * chain, of exactly the switches that were told, and where some were lost it
 * goes through idle.
 */
#include <kunit/test.h>
#include <linux/random.h>

static const unsigned int test_cpus[] = { 0, 3, 255, 256, 300, 8191 };

/* Thread 0 is idle; several share a set of references with others. */
static const pid_t test_pids[] = {
	0, 1, 64, 65, 128, 192, 256, 320, 384, 385, 1000, 32768,
};

#define TEST_TASKS	ARRAY_SIZE(test_pids)
#define NOBODY		(~0U)

/**
 * struct row - a CPU whose scheduler is the test, and who reads what it wrote
 * @ring: its ring
 * @tasks: who may run there
 * @running: who does, an index
 * @now: time
 * @random: state of the random numbers
 * @tried: switches told
 * @bytes: room for a sub-buffer
 * @reader: sub-buffer that is read next
 * @last: thread that came in last, as read
 * @koids: thread table of the sub-buffer
 * @read: switches read
 * @blocked: of them, those whose outgoing thread blocked
 * @marks: durations "drop_stats"
 * @told: lost, by these
 * @full: times that the provider said a buffer filled up
 */
struct row {
	struct vtr_ring		*ring;
	const struct task_struct *tasks[TEST_TASKS];
	unsigned int		running;
	u64			now;
	u64			random;
	u64			tried;
	u64			*bytes;
	u64			reader;
	u64			last;
	u64			koids[VTR_THREADS_REFS];
	u64			read;
	u64			blocked;
	u64			marks;
	u64			told;
	u64			full;
};

static u64 row_random(struct row *row)
{
	row->random = row->random * 6364136223846793005ULL +
		      1442695040888963407ULL;
	return row->random >> 33;
}

static struct row *new_row(struct kunit *test, unsigned int cpu,
			   unsigned int nr_subbufs, enum vitrine_mode mode,
			   u64 seed)
{
	struct vtr_ring_config config = {
		.session = 7,
		.clock = VITRINE_CLOCK_LOCAL,
		.mode = mode,
		.nr_subbufs = nr_subbufs,
		.ticks_per_second = 1000000000,
	};
	struct row *row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	struct task_struct *task;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, row);
	for (i = 0; i < TEST_TASKS; i++) {
		task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, task);
		task->pid = test_pids[i];
		task->tgid = test_pids[i];
		task->prio = 100 + i;
		task->flags = i % 3 ? 0 : PF_KTHREAD;
		snprintf(task->comm, sizeof(task->comm), "task-%d", task->pid);
		row->tasks[i] = task;
	}
	row->bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	row->ring = vtr_ring_create(cpu, &config);
	KUNIT_ASSERT_NOT_NULL(test, row->bytes);
	KUNIT_ASSERT_NOT_NULL(test, row->ring);
	row->random = seed;
	row->last = NOBODY;
	return row;
}

static void switch_to(struct row *row, unsigned int next,
		      enum fxt_thread_state state)
{
	vtr_writer_switch(row->ring, ++row->now, vtr_writer_state(state),
			  row->tasks[row->running], row->tasks[next]);
	row->running = next;
	row->tried++;
}

static unsigned int other_task(struct row *row)
{
	return (row->running + 1 + row_random(row) % (TEST_TASKS - 1)) %
	       TEST_TASKS;
}

static void switch_at_random(struct row *row, unsigned int nr)
{
	while (nr--)
		switch_to(row, other_task(row), row_random(row) % 2 ?
			  FXT_THREAD_BLOCKED : FXT_THREAD_NEW);
}

static void expect_switch(struct kunit *test, struct row *row, unsigned int cpu,
			  u64 state, u64 outgoing, u64 incoming)
{
	KUNIT_EXPECT_EQ(test, cpu, row->ring->cpu);
	if (row->last != NOBODY)
		KUNIT_EXPECT_EQ(test, outgoing, row->last);
	row->last = incoming;
	row->read++;
	row->blocked += state == FXT_THREAD_BLOCKED;
}

static void read_wide_switch(struct kunit *test, struct row *row,
			     const u64 *words)
{
	u32 weight = FIELD_GET(FXT_ARG_VALUE32, words[5]);

	KUNIT_EXPECT_TRUE(test, vtr_ring_is_wide(row->ring));
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_HEADER_WORDS, words[0]),
			VTR_FXT_WIDE_SWITCH_WORDS);
	/* Idle, and nobody else, has the weight that says so. */
	KUNIT_EXPECT_EQ(test, weight == VTR_FXT_WEIGHT_IDLE, !words[3]);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_ARG_VALUE32, words[4]) ==
			VTR_FXT_WEIGHT_IDLE, !words[2]);
	expect_switch(test, row, FIELD_GET(FXT_SCHEDULING_CPU, words[0]),
		      FIELD_GET(FXT_SCHEDULING_OUTGOING_STATE, words[0]),
		      words[2], words[3]);
}

static void read_switch(struct kunit *test, struct row *row, const u64 *words)
{
	unsigned int outgoing = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, words[0]);
	unsigned int incoming = FIELD_GET(FXT_SWITCH_INCOMING_THREAD, words[0]);

	if (FIELD_GET(FXT_SCHEDULING_SUBTYPE, words[0]) ==
	    FXT_SCHEDULING_CONTEXT_SWITCH) {
		read_wide_switch(test, row, words);
		return;
	}
	KUNIT_EXPECT_FALSE(test, vtr_ring_is_wide(row->ring));
	expect_switch(test, row, FIELD_GET(FXT_SWITCH_CPU, words[0]),
		      FIELD_GET(FXT_SWITCH_OUTGOING_STATE, words[0]),
		      row->koids[outgoing],
		      incoming ? row->koids[incoming] : words[3]);
}

static void read_record(struct kunit *test, struct row *row, const u64 *words,
			unsigned int nr_words)
{
	switch (FIELD_GET(FXT_HEADER_TYPE, words[0])) {
	case FXT_RECORD_METADATA:
		row->full += FIELD_GET(FXT_METADATA_TYPE, words[0]) ==
			     FXT_METADATA_PROVIDER_EVENT;
		break;
	case FXT_RECORD_THREAD:
		KUNIT_EXPECT_FALSE(test, vtr_ring_is_wide(row->ring));
		row->koids[FIELD_GET(FXT_THREAD_INDEX, words[0])] = words[2];
		break;
	case FXT_RECORD_SCHEDULING:
		read_switch(test, row, words);
		break;
	case FXT_RECORD_EVENT:
		/* "drop_stats": the two values and the end are last. */
		row->told += words[nr_words - 6];
		row->marks++;
		break;
	}
}

/* Read the next sub-buffer; false if it has gone. */
static bool read_subbuf(struct kunit *test, struct row *row)
{
	size_t len = vtr_ring_copy(row->ring, row->reader, row->bytes);
	struct vitrine_ring_consumer *consumer =
		row->ring->area.pages[VITRINE_RING_CONSUMER_PAGE];
	size_t i, nr_words;

	if (!len)
		return false;
	for (i = 0; i < len / FXT_WORD_BYTES; i += nr_words) {
		nr_words = FIELD_GET(FXT_HEADER_WORDS, row->bytes[i]);
		KUNIT_ASSERT_GT(test, nr_words, (size_t)0);
		KUNIT_ASSERT_LE(test, nr_words, len / FXT_WORD_BYTES - i);
		read_record(test, row, row->bytes + i, nr_words);
	}
	consumer->sequence = ++row->reader;
	return true;
}

static void read_all(struct kunit *test, struct row *row)
{
	u64 first, end;

	vtr_ring_range(row->ring, &first, &end);
	if (row->reader < first)
		row->reader = first;
	while (row->reader < end)
		KUNIT_ASSERT_TRUE(test, read_subbuf(test, row));
}

/* What is in a circular ring are the last switches told, all of them. */
static void row_of_any_cpu_is_a_chain(struct kunit *test)
{
	u64 seed = get_random_u64();
	struct vtr_ring_stats stats;
	struct row *row;
	unsigned int i;

	kunit_info(test, "seed 0x%llx\n", seed);
	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		row = new_row(test, test_cpus[i], 4, VITRINE_MODE_CIRCULAR,
			      seed);
		switch_at_random(row, 3000);
		read_all(test, row);
		vtr_ring_stats(row->ring, &stats);
		KUNIT_EXPECT_EQ(test, stats.switches, 3000);
		KUNIT_EXPECT_EQ(test, stats.records, 3000);
		KUNIT_EXPECT_EQ(test, row->read, 3000 - stats.overwritten_records);
		KUNIT_EXPECT_GT(test, row->read, 100);
		KUNIT_EXPECT_EQ(test, row->last,
				test_pids[row->running]);
		KUNIT_EXPECT_EQ(test, row->full, 0);
		vtr_ring_put(row->ring);
	}
}

/* The words of one, to the bit. */
static void wide_switch_says_who_and_how(struct kunit *test)
{
	struct row *row = new_row(test, 300, 2, VITRINE_MODE_CIRCULAR, 0);
	const u64 *words;

	switch_to(row, 4, FXT_THREAD_NEW);
	switch_to(row, 5, FXT_THREAD_SUSPENDED);
	words = vtr_ring_next(row->ring) - VTR_FXT_WIDE_SWITCH_WORDS;
	KUNIT_EXPECT_EQ(test, words[0], 8ULL | 6 << 4 | 2 << 16 | 300ULL << 20 |
			2ULL << 36 | 1ULL << 60);
	KUNIT_EXPECT_EQ(test, words[1], 2);
	KUNIT_EXPECT_EQ(test, words[2], 128);
	KUNIT_EXPECT_EQ(test, words[3], 192);
	KUNIT_EXPECT_EQ(test, words[4] >> 32, 104);
	KUNIT_EXPECT_EQ(test, words[5] >> 32, 105);
	vtr_ring_put(row->ring);
}

/* It ends with the row closed, and says that it is full; once. */
static void full_oneshot_ring_of_any_cpu_says_so(struct kunit *test)
{
	struct row *row;
	unsigned int i;
	u64 words, lost;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		row = new_row(test, test_cpus[i], 2, VITRINE_MODE_ONESHOT, i);
		switch_at_random(row, 1000);
		lost = row->ring->producer->lost_records;
		words = vtr_ring_switch_words(row->ring);
		KUNIT_EXPECT_GT(test, lost, 0);
		KUNIT_EXPECT_EQ(test, local64_read(&row->ring->lost_bytes),
				lost * words * FXT_WORD_BYTES);
		read_all(test, row);
		KUNIT_EXPECT_EQ(test, row->full, 1);
		KUNIT_EXPECT_EQ(test, row->last, 0);
		KUNIT_EXPECT_LE(test, row->read, row->tried - lost + 1);
		KUNIT_EXPECT_GE(test, row->read, row->tried - lost);
		vtr_ring_put(row->ring);
	}
}

/*
 * Writer and reader in turns; at times the ring is frozen. Only what was told
 * goes out blocked, not what closes the row or opens it again.
 */
static void lossy_row(struct kunit *test, unsigned int cpu, u64 seed)
{
	struct row *row = new_row(test, cpu, 2, VITRINE_MODE_STREAMING, seed);
	unsigned int turns = 1 + row_random(row) % 12, i;
	struct vtr_ring_stats stats;
	u64 first, end;

	while (turns--) {
		for (i = row_random(row) % 400; i; i--)
			switch_to(row, other_task(row), FXT_THREAD_BLOCKED);
		if (row_random(row) % 4 == 0)
			vtr_ring_freeze(row->ring);
		else
			vtr_ring_thaw(row->ring);
		vtr_ring_range(row->ring, &first, &end);
		for (i = row_random(row) % 3; i && row->reader + 1 < end; i--)
			read_subbuf(test, row);
	}
	read_all(test, row);
	vtr_ring_stats(row->ring, &stats);
	KUNIT_EXPECT_EQ(test, row->blocked, row->tried - stats.lost_records);
	KUNIT_EXPECT_EQ(test, row->told, row->ring->gap.told_records);
	KUNIT_EXPECT_EQ(test, row->read + row->marks, stats.records);
	KUNIT_EXPECT_GE(test, row->full, row->marks);
	KUNIT_EXPECT_LE(test, row->full, row->marks + 1);
	vtr_ring_put(row->ring);
}

static void loss_of_any_cpu_is_exact(struct kunit *test)
{
	u64 seed = get_random_u64();
	unsigned int i;

	kunit_info(test, "seed 0x%llx\n", seed);
	for (i = 0; i < 60; i++)
		lossy_row(test, test_cpus[i % ARRAY_SIZE(test_cpus)], seed + i);
}

/* An event may begin a sub-buffer only where it is known who came in last. */
static void closed_row_is_opened_by_a_switch(struct kunit *test)
{
	struct vitrine_ring_producer *producer;
	struct row *row;
	unsigned int i;
	u64 sequence;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		row = new_row(test, test_cpus[i], 4, VITRINE_MODE_STREAMING, 0);
		producer = row->ring->producer;
		row->tasks[1] = current;
		while (!producer->lost_records)
			switch_to(row, 1, FXT_THREAD_NEW);
		sequence = producer->sequence;
		read_all(test, row);
		KUNIT_EXPECT_FALSE(test, vtr_writer_reserve_here(row->ring, 64,
								 row->now));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence);
		switch_to(row, 1, FXT_THREAD_NEW);
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence + 1);
		while (vtr_ring_has(row->ring, 64))
			switch_to(row, 1, FXT_THREAD_NEW);
		KUNIT_EXPECT_TRUE(test, vtr_writer_reserve_here(row->ring, 64,
								row->now));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence + 2);
		KUNIT_EXPECT_EQ(test, producer->lost_records, 1);
		vtr_ring_put(row->ring);
	}
}

/* The largest record that is taken fits; one word more costs no sub-buffer. */
static void what_never_fits_costs_no_history(struct kunit *test)
{
	struct vitrine_ring_producer *producer;
	unsigned int i, most;
	struct row *row;
	u64 sequence;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		row = new_row(test, test_cpus[i], 4, VITRINE_MODE_CIRCULAR, 0);
		producer = row->ring->producer;
		row->tasks[1] = current;
		most = vtr_ring_max_words(row->ring) - VTR_WRITER_ROW_WORDS;
		do
			switch_to(row, 1, FXT_THREAD_NEW);
		while (vtr_ring_has(row->ring, most));
		sequence = producer->sequence;
		KUNIT_EXPECT_FALSE(test, vtr_writer_reserve_here(row->ring,
								 most + 1,
								 row->now));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence);
		/* With a loss to tell of, the head is as long as can be. */
		vtr_ring_lose(row->ring, most + 1);
		KUNIT_EXPECT_TRUE(test, vtr_writer_reserve_here(row->ring, most,
								row->now));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence + 1);
		vtr_ring_put(row->ring);
	}
}

static struct kunit_case writer_cases[] = {
	KUNIT_CASE(row_of_any_cpu_is_a_chain),
	KUNIT_CASE(wide_switch_says_who_and_how),
	KUNIT_CASE(full_oneshot_ring_of_any_cpu_says_so),
	KUNIT_CASE(loss_of_any_cpu_is_exact),
	KUNIT_CASE(closed_row_is_opened_by_a_switch),
	KUNIT_CASE(what_never_fits_costs_no_history),
	{}
};

static struct kunit_suite writer_suite = {
	.name = "vitrine_writer",
	.test_cases = writer_cases,
};

kunit_test_suites(&writer_suite);
