// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of writer.c: chains of switches as the scheduler produces them, on CPUs whose
 * number fits into 16-byte records and on others. On any CPU, the chain is exactly the switches
 * that were written, and where some were lost it goes through idle.
 */
#include "ring_fixture.h"

static const unsigned int test_cpus[] = { 0, 3, 255, 256, 300, 8191 };

/* Thread 0 is idle; several threads share a set of references. */
static const pid_t test_pids[] = {
	0, 1, 64, 65, 128, 192, 256, 320, 384, 385, 1000, 32768,
};

#define TEST_TASKS	ARRAY_SIZE(test_pids)
#define NOBODY		(~0U)

/* The ring of the case. */
static struct vtr_ring *ring;
static const struct vitrine_ring_producer *producer;

static void use_ring(struct vtr_ring *created)
{
	ring = created;
	producer = ring->producer;
}

/* The CPU of the ring, at first CPU 0, whose scheduler is the case, and a reader of the ring. */
static struct chain {
	struct task_struct	*tasks[TEST_TASKS];
	unsigned int		running;	/* index of the running thread */
	u64			now;
	struct random		random;
	u64			tried;		/* switches that the scheduler made */
	u64			*bytes;		/* room for a sub-buffer */
	u64			reader;		/* next sub-buffer to read */
	u64			last;		/* last incoming thread that was read */
	u64			koids[VTR_THREADS_REFS];	/* threads of the sub-buffer */
	u64			last_ticks;	/* time of the last switch in the sub-buffer */
	u64			read;		/* switches that were read */
	u64			blocked;	/* of these, with an outgoing thread that blocked */
	u64			marks;		/* durations "drop_stats" */
	u64			told;		/* lost records, according to the marks */
	u64			told_bytes;
	u64			full;		/* provider events that a buffer filled up */
} *chain;

static struct task_struct *new_named_task(struct kunit *test, pid_t pid, pid_t tgid, int prio,
					  const char *name)
{
	struct task_struct *task = new_task(test, pid, tgid);

	task->prio = prio;
	snprintf(task->comm, sizeof(task->comm), "%s-%d", name, pid);
	return task;
}

static void new_chain(struct kunit *test, unsigned int cpu, unsigned int nr_subbufs,
		      enum vitrine_mode mode, u64 seed)
{
	unsigned int i;

	chain = zalloc(test, sizeof(*chain));
	for (i = 0; i < TEST_TASKS; i++) {
		chain->tasks[i] = new_named_task(test, test_pids[i], test_pids[i], 100 + i, "task");
		chain->tasks[i]->flags = i % 3 ? 0 : PF_KTHREAD;
	}
	chain->bytes = zalloc(test, PAGE_SIZE);
	use_ring(new_ring_of(test, cpu, mode, nr_subbufs));
	chain->random.state = seed;
	chain->last = NOBODY;
}

/* A flight recorder's chain, which is large enough for a case. */
static void new_flight_chain(struct kunit *test, unsigned int cpu)
{
	new_chain(test, cpu, 4, VITRINE_MODE_CIRCULAR, 1);
}

static int writer_init(struct kunit *test)
{
	new_flight_chain(test, 0);
	return 0;
}

/* As in sched.c, where the fast path knows no threads that end. */
static void tell_switch(u64 now, enum fxt_thread_state state, const struct task_struct *prev,
			const struct task_struct *next)
{
	u64 bits = vtr_writer_state(state);

	if (state == FXT_THREAD_DEAD) {
		vtr_writer_switch(ring, now, bits, prev, next);
		return;
	}
	switch (vtr_switch_put(VITRINE_CLOCK_LOCAL, true, now, ring,
			       vtr_ring_running(ring, bits), next)) {
	case VTR_SWITCH_NEW:
		vtr_writer_switch_new(ring, now, bits, prev, next);
		break;
	case VTR_SWITCH_CHANGED:
		vtr_writer_switch(ring, now, bits, prev, next);
		break;
	case VTR_SWITCH_DONE:
		break;
	}
}

static void switch_to(unsigned int next, enum fxt_thread_state state)
{
	tell_switch(++chain->now, state, chain->tasks[chain->running], chain->tasks[next]);
	chain->running = next;
	chain->tried++;
}

/* The running thread blocks, and another one runs. */
static void block_for(unsigned int next)
{
	switch_to(next, FXT_THREAD_BLOCKED);
}

static unsigned int other_task(void)
{
	return (chain->running + 1 + random_below(&chain->random, TEST_TASKS - 1)) %
	       TEST_TASKS;
}

static void switch_at_random(unsigned int nr)
{
	while (nr--)
		switch_to(other_task(), random_below(&chain->random, 2) ?
			  FXT_THREAD_BLOCKED : FXT_THREAD_NEW);
}

static void expect_switch(struct kunit *test, unsigned int cpu, u64 now, u64 state, u64 outgoing,
			  u64 incoming)
{
	KUNIT_EXPECT_EQ(test, cpu, ring->cpu);
	KUNIT_EXPECT_GE(test, now, chain->last_ticks);
	if (chain->last != NOBODY)
		KUNIT_EXPECT_EQ(test, outgoing, chain->last);
	chain->last = incoming;
	chain->last_ticks = now;
	chain->read++;
	chain->blocked += state == FXT_THREAD_BLOCKED;
}

static void read_wide_switch(struct kunit *test, const u64 *words)
{
	u32 weight = FIELD_GET(FXT_ARG_VALUE32, words[5]);

	KUNIT_EXPECT_TRUE(test, vtr_ring_is_wide(ring));
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_HEADER_WORDS, words[0]), VTR_FXT_WIDE_SWITCH_WORDS);
	/* Only idle has the weight VTR_FXT_WEIGHT_IDLE. */
	KUNIT_EXPECT_EQ(test, weight == VTR_FXT_WEIGHT_IDLE, !words[3]);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_ARG_VALUE32, words[4]) ==
			VTR_FXT_WEIGHT_IDLE, !words[2]);
	expect_switch(test, FIELD_GET(FXT_SCHEDULING_CPU, words[0]), words[1],
		      FIELD_GET(FXT_SCHEDULING_OUTGOING_STATE, words[0]), words[2], words[3]);
}

static void read_switch(struct kunit *test, const u64 *words)
{
	unsigned int outgoing = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, words[0]);
	unsigned int incoming = FIELD_GET(FXT_SWITCH_INCOMING_THREAD, words[0]);

	if (FIELD_GET(FXT_SCHEDULING_SUBTYPE, words[0]) == FXT_SCHEDULING_CONTEXT_SWITCH) {
		read_wide_switch(test, words);
		return;
	}
	KUNIT_EXPECT_FALSE(test, vtr_ring_is_wide(ring));
	expect_switch(test, FIELD_GET(FXT_SWITCH_CPU, words[0]), words[1],
		      FIELD_GET(FXT_SWITCH_OUTGOING_STATE, words[0]), chain->koids[outgoing],
		      incoming ? chain->koids[incoming] : words[3]);
}

static void read_record(struct kunit *test, void *unused, const u64 *words, size_t nr_words)
{
	switch (FIELD_GET(FXT_HEADER_TYPE, words[0])) {
	case FXT_RECORD_METADATA:
		chain->full += FIELD_GET(FXT_METADATA_TYPE, words[0]) ==
			     FXT_METADATA_PROVIDER_EVENT;
		break;
	case FXT_RECORD_THREAD:
		KUNIT_EXPECT_FALSE(test, vtr_ring_is_wide(ring));
		chain->koids[FIELD_GET(FXT_THREAD_INDEX, words[0])] = words[2];
		break;
	case FXT_RECORD_SCHEDULING:
		read_switch(test, words);
		break;
	case FXT_RECORD_EVENT:
		/* "drop_stats": the two values and the end are last. */
		chain->told += words[nr_words - 6];
		chain->told_bytes += words[nr_words - 2];
		chain->marks++;
		KUNIT_EXPECT_EQ(test, words[1], vtr_ring_packet(chain->bytes)->begin_ticks);
		break;
	}
}

/* Read the next sub-buffer. Return false if it was overwritten. */
static bool read_subbuf(struct kunit *test)
{
	size_t len = vtr_ring_copy(ring, chain->reader, chain->bytes);
	const struct vitrine_packet *packet = vtr_ring_packet(chain->bytes);

	if (!len)
		return false;
	chain->last_ticks = 0;
	read_records(test, chain->bytes, len, read_record, NULL);
	KUNIT_EXPECT_EQ(test, packet->committed_bytes, len);
	KUNIT_EXPECT_EQ(test, packet->lost_records, chain->told);
	ring_consumer(ring)->sequence = ++chain->reader;
	return true;
}

static void read_all(struct kunit *test)
{
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	chain->reader = max(chain->reader, first);
	while (chain->reader < end)
		KUNIT_ASSERT_TRUE(test, read_subbuf(test));
}

/* A circular ring contains the last switches, without a gap. */
static void switches_of_any_cpu_are_a_chain(struct kunit *test)
{
	u64 seed = random_seed(test);
	struct vtr_ring_stats stats;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		new_chain(test, test_cpus[i], 4, VITRINE_MODE_CIRCULAR, seed);
		switch_at_random(3000);
		read_all(test);
		vtr_ring_stats(ring, &stats);
		KUNIT_EXPECT_EQ(test, stats.switches, 3000);
		KUNIT_EXPECT_EQ(test, stats.records, 3000);
		KUNIT_EXPECT_EQ(test, chain->read, 3000 - stats.overwritten_records);
		KUNIT_EXPECT_GT(test, chain->read, 100);
		KUNIT_EXPECT_EQ(test, chain->last, test_pids[chain->running]);
		KUNIT_EXPECT_EQ(test, chain->full, 0);
	}
}

/* Compare a record bit by bit. */
static void wide_switch_says_who_and_how(struct kunit *test)
{
	const u64 *words;

	new_flight_chain(test, 300);
	switch_to(4, FXT_THREAD_NEW);
	switch_to(5, FXT_THREAD_SUSPENDED);
	words = vtr_ring_next(ring) - VTR_FXT_WIDE_SWITCH_WORDS;
	KUNIT_EXPECT_EQ(test, words[0], 8ULL | 6 << 4 | 2 << 16 | 300ULL << 20 |
			2ULL << 36 | 1ULL << 60);
	KUNIT_EXPECT_EQ(test, words[1], 2);
	KUNIT_EXPECT_EQ(test, words[2], 128);
	KUNIT_EXPECT_EQ(test, words[3], 192);
	KUNIT_EXPECT_EQ(test, words[4], 0x20011 | 104ULL << 32);
	KUNIT_EXPECT_EQ(test, words[5], 0x30011 | 105ULL << 32);
}

/* The ring ends with the chain closed, and with one report that it is full. */
static void full_oneshot_ring_of_any_cpu_says_so(struct kunit *test)
{
	unsigned int i;
	u64 lost;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		new_chain(test, test_cpus[i], 2, VITRINE_MODE_ONESHOT, i);
		switch_at_random(1000);
		lost = producer->lost_records;
		KUNIT_EXPECT_GT(test, lost, 0);
		read_all(test);
		KUNIT_EXPECT_EQ(test, chain->full, 1);
		KUNIT_EXPECT_EQ(test, chain->last, 0);
		KUNIT_EXPECT_LE(test, chain->read, chain->tried - lost + 1);
		KUNIT_EXPECT_GE(test, chain->read, chain->tried - lost);
	}
}

/*
 * Writer and reader alternate; occasionally the ring is frozen. Outgoing threads are
 * blocked only in switches of the scheduler, not in those that close or open the chain.
 * Nothing is overwritten in these modes: lost = tried - read.
 */
static void lossy_chain(struct kunit *test, unsigned int cpu, enum vitrine_mode mode, u64 seed)
{
	struct vtr_ring_stats stats;
	unsigned int turns, i;
	u64 words;

	new_chain(test, cpu, 2 << seed % 3, mode, seed);
	words = vtr_ring_switch_words(ring);
	for (turns = 1 + random_below(&chain->random, 12); turns; turns--) {
		for (i = random_below(&chain->random, 400 << seed % 3); i; i--)
			block_for(other_task());
		if (random_below(&chain->random, 4) == 0)
			vtr_ring_freeze(ring);
		else
			vtr_ring_thaw(ring);
		i = random_below(&chain->random, 3);
		for (; i && chain->reader + 1 < nr_begun(ring); i--)
			read_subbuf(test);
	}
	read_all(test);
	vtr_ring_stats(ring, &stats);
	KUNIT_EXPECT_EQ(test, chain->blocked, chain->tried - stats.lost_records);
	KUNIT_EXPECT_EQ(test, chain->told, ring->gap.told_records);
	KUNIT_EXPECT_EQ(test, chain->told_bytes, chain->told * words * FXT_WORD_BYTES);
	KUNIT_EXPECT_EQ(test, local64_read(&ring->lost_bytes),
			stats.lost_records * words * FXT_WORD_BYTES);
	KUNIT_EXPECT_EQ(test, chain->read + chain->marks, stats.records);
	if (mode == VITRINE_MODE_STREAMING)
		KUNIT_EXPECT_GE(test, chain->full, chain->marks);
	KUNIT_EXPECT_LE(test, chain->full, chain->marks + 1);
}

static void loss_of_any_cpu_is_exact(struct kunit *test)
{
	u64 seed = random_seed(test);
	unsigned int i;

	for (i = 0; i < 1000; i++)
		lossy_chain(test, test_cpus[i % ARRAY_SIZE(test_cpus)],
			    i % 5 ? VITRINE_MODE_STREAMING : VITRINE_MODE_ONESHOT, seed + i);
}

/* An event may begin a sub-buffer only if the last incoming thread is known. */
static void closed_chain_is_opened_by_a_switch(struct kunit *test)
{
	unsigned int i;
	u64 sequence;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		new_chain(test, test_cpus[i], 4, VITRINE_MODE_STREAMING, 0);
		chain->tasks[1] = current;
		while (!producer->lost_records)
			switch_to(1, FXT_THREAD_NEW);
		sequence = producer->sequence;
		read_all(test);
		KUNIT_EXPECT_FALSE(test, vtr_writer_reserve_here(ring, 64, chain->now, current));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence);
		switch_to(1, FXT_THREAD_NEW);
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence + 1);
		while (vtr_ring_has(ring, 64))
			switch_to(1, FXT_THREAD_NEW);
		KUNIT_EXPECT_TRUE(test, vtr_writer_reserve_here(ring, 64, chain->now, current));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence + 2);
		KUNIT_EXPECT_EQ(test, producer->lost_records, 1);
	}
}

/* The largest accepted record fits; one more word is refused without a new sub-buffer. */
static void what_never_fits_costs_no_history(struct kunit *test)
{
	unsigned int i, most;
	u64 sequence;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		new_flight_chain(test, test_cpus[i]);
		chain->tasks[1] = current;
		most = vtr_ring_max_words(ring) - VTR_WRITER_CHAIN_WORDS;
		do
			switch_to(1, FXT_THREAD_NEW);
		while (vtr_ring_has(ring, most));
		sequence = producer->sequence;
		KUNIT_EXPECT_FALSE(test, vtr_writer_reserve_here(ring, most + 1, chain->now,
								 current));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence);
		/* With a loss to report, the head of the sub-buffer has maximum length. */
		vtr_ring_lose(ring, most + 1);
		KUNIT_EXPECT_TRUE(test, vtr_writer_reserve_here(ring, most, chain->now, current));
		KUNIT_EXPECT_EQ(test, producer->sequence, sequence + 1);
	}
}

#define CROWD_THREADS	400
#define CROWD_SWITCHES	(20 * CROWD_THREADS)
#define CROWD_PID(i)	(1000 + (i))

/* More threads than references, which run in turns on one CPU, and a reader of its ring. */
struct crowd {
	struct task_struct	*tasks[CROWD_THREADS];
	u64			koids[VTR_THREADS_REFS];	/* threads of the sub-buffer */
	unsigned int		names[CROWD_THREADS];	/* how often each was named in it */
	unsigned int		read;	/* switches that were read */
};

static struct crowd *new_crowd(struct kunit *test)
{
	struct vtr_ring_config config = ring_config(VITRINE_MODE_ONESHOT, 16);
	struct crowd *crowd = zalloc(test, sizeof(*crowd));
	unsigned int i;

	config.subbuf_order = 4;
	use_ring(keep_ring(test, vtr_ring_create(0, &config)));
	for (i = 0; i < CROWD_THREADS; i++)
		crowd->tasks[i] = new_named_task(test, CROWD_PID(i), CROWD_PID(0), 120, "crowd");
	return crowd;
}

/* The name of a thread has its process as an argument; that of a process has none. */
static void read_crowd_name(struct kunit *test, struct crowd *crowd, const u64 *words,
			    size_t nr_words)
{
	unsigned int i = words[1] - CROWD_PID(0), len;

	/* A switch from idle opens the chain, so idle is named, too. */
	if (FIELD_GET(FXT_KERNEL_OBJECT_TYPE, words[0]) != FXT_OBJECT_TYPE_THREAD || !words[1])
		return;
	KUNIT_ASSERT_LT(test, i, CROWD_THREADS);
	crowd->names[i]++;
	len = FIELD_GET(FXT_KERNEL_OBJECT_NAME, words[0]) & FXT_STRING_REF_VALUE;
	KUNIT_EXPECT_EQ(test, len, strlen(crowd->tasks[i]->comm));
	KUNIT_EXPECT_EQ(test, memcmp(words + 2, crowd->tasks[i]->comm, len), 0);
	KUNIT_EXPECT_EQ(test, words[nr_words - 1], CROWD_PID(0));
}

static void read_crowd_switch(struct kunit *test, struct crowd *crowd, const u64 *words)
{
	u64 koid = crowd->koids[FIELD_GET(FXT_SWITCH_INCOMING_THREAD, words[0])];

	/* The chain begins with the last thread. */
	KUNIT_ASSERT_EQ(test, koid, CROWD_PID((crowd->read + CROWD_THREADS - 1) % CROWD_THREADS));
	KUNIT_ASSERT_EQ(test, crowd->names[koid - CROWD_PID(0)], 1);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_INCOMING_PRIORITY, words[0]), 120);
	crowd->read++;
}

static void read_crowd(struct kunit *test, void *reader, const u64 *words, size_t nr_words)
{
	struct crowd *crowd = reader;

	if (words[0] == FXT_MAGIC_RECORD)
		memset(crowd->names, 0, sizeof(crowd->names));
	switch (FIELD_GET(FXT_HEADER_TYPE, words[0])) {
	case FXT_RECORD_THREAD:
		crowd->koids[FIELD_GET(FXT_THREAD_INDEX, words[0])] = words[2];
		break;
	case FXT_RECORD_KERNEL_OBJECT:
		read_crowd_name(test, crowd, words, nr_words);
		break;
	case FXT_RECORD_SCHEDULING:
		read_crowd_switch(test, crowd, words);
		break;
	}
}

/* No switch is lost, and each thread is named once per sub-buffer, before it runs. */
static void crowd_is_named_once_a_sub_buffer(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test);
	const struct task_struct *prev = crowd->tasks[CROWD_THREADS - 1], *next;
	size_t total;
	u64 i;

	for (i = 0; i < CROWD_SWITCHES; i++, prev = next) {
		next = crowd->tasks[i % CROWD_THREADS];
		tell_switch(i, FXT_THREAD_BLOCKED, prev, next);
	}
	KUNIT_EXPECT_GT(test, nr_begun(ring), 4);
	total = read_ring(test, ring, read_crowd, crowd);
	KUNIT_EXPECT_EQ(test, crowd->read, CROWD_SWITCHES + 1);
	KUNIT_EXPECT_LE(test, total / CROWD_SWITCHES, 46);
}

/* A reader may see what is written behind the committed records. */
static void argument_in_one_word_stores_no_value_after_it(struct kunit *test)
{
	static const u64 value = 0xffff888012345678;
	static const struct { u64 word, mask, wanted[2]; unsigned int nr_words; } cases[] = {
		{ FXT_ARG_STRING_REF | 7ULL << 32, 0, { FXT_ARG_STRING_REF | 7ULL << 32 }, 1 },
		{ FXT_ARG_UINT32, FXT_ARG_VALUE32, { FXT_ARG_UINT32 | value << 32 }, 1 },
		{ FXT_ARG_UINT64, 0, { FXT_ARG_UINT64, value }, 2 },
	};
	struct vtr_site_arg arg;
	unsigned int i;
	u64 words[2];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 nr_words = FIELD_PREP(FXT_HEADER_WORDS, cases[i].nr_words);

		vtr_site_arg_prepare(&arg, cases[i].word | nr_words, cases[i].mask);
		words[1] = ~0ULL;
		KUNIT_EXPECT_PTR_EQ(test, vtr_site_arg_put(&arg, words, value),
				    words + cases[i].nr_words);
		KUNIT_EXPECT_EQ(test, words[0], cases[i].wanted[0] | nr_words);
		KUNIT_EXPECT_EQ(test, words[1], cases[i].wanted[1]);
	}
}

static void names_of_idle_cpus_have_keys_of_their_own(struct kunit *test)
{
	struct vtr_threads *threads = &ring->threads;
	unsigned int i;

	for (i = 0; i < 1024; i++) {
		vtr_threads_forget(threads);
		vtr_threads_name(threads, 0);
		KUNIT_ASSERT_FALSE(test, vtr_threads_named(threads, VTR_THREADS_IDLE(0)));
		vtr_threads_name(threads, VTR_THREADS_IDLE(0));
		KUNIT_ASSERT_FALSE(test, vtr_threads_named(threads, VTR_THREADS_PROCESS(0)));
		KUNIT_ASSERT_TRUE(test, vtr_threads_named(threads, 0));
	}
}

/* All that a wide ring has of a thread is its names: records have thread ids. */
static void introduction_in_a_wide_ring_is_the_names(struct kunit *test)
{
	struct vtr_subject subject;
	u64 *next;

	new_flight_chain(test, 300);
	block_for(1);
	next = vtr_ring_next(ring);
	vtr_subject_task(chain->tasks[2], &subject);
	KUNIT_EXPECT_EQ(test, vtr_writer_introduce(ring, chain->now, &subject), 0);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_HEADER_TYPE, next[0]), FXT_RECORD_KERNEL_OBJECT);
	KUNIT_EXPECT_GT(test, vtr_ring_next(ring) - next, 0);
}

/* As the hot path, which needs room for a switch only. */
static void leave_no_room_for_a_name(struct kunit *test)
{
	u64 *next;

	while (vtr_ring_has(ring, VTR_WRITER_THREAD_WORDS)) {
		next = vtr_ring_next(ring);
		next[0] = ring->running;
		next[1] = chain->now;
		vtr_ring_commit(ring, next + VTR_FXT_SWITCH_WORDS, chain->now);
	}
	KUNIT_ASSERT_TRUE(test, vtr_ring_has(ring, VTR_RING_HOT_WORDS));
}

/* The last incoming thread begins a sub-buffer, which has its new name. */
static void running_thread_is_renamed_in_the_next_subbuffer(struct kunit *test)
{
	struct vtr_subject subject;

	chain->tasks[1] = current;
	block_for(1);
	leave_no_room_for_a_name(test);
	vtr_subject_task(current, &subject);
	vtr_writer_rename(ring, chain->now, &subject);
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 2);
	KUNIT_EXPECT_NE(test, vtr_threads_find(&ring->threads, subject.key), 0);
	KUNIT_EXPECT_TRUE(test, vtr_threads_named(&ring->threads, subject.key));
}

/* Without room for a name, room for a switch may be left. */
static void thread_renamed_without_room_is_registered_again(struct kunit *test)
{
	struct vtr_subject subject;

	block_for(1);
	block_for(2);
	leave_no_room_for_a_name(test);
	vtr_subject_task(chain->tasks[chain->running ^ 3], &subject);
	KUNIT_EXPECT_NE(test, vtr_threads_find(&ring->threads, subject.key), 0);
	vtr_writer_rename(ring, chain->now, &subject);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(&ring->threads, subject.key), 0);
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 1);
	block_for(chain->running ^ 3);
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 2);
	KUNIT_EXPECT_EQ(test, producer->lost_records, 0);
}

/* The name of a process is that of its leader. */
static void renamed_leader_names_its_process_again(struct kunit *test)
{
	struct vtr_subject subject;
	u64 *next;

	block_for(1);
	block_for(2);
	vtr_subject_task(chain->tasks[1], &subject);
	next = vtr_ring_next(ring);
	vtr_writer_rename(ring, chain->now, &subject);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_KERNEL_OBJECT_TYPE, next[0]), FXT_OBJECT_TYPE_PROCESS);
	subject.process = chain->tasks[2]->tgid;
	next = vtr_ring_next(ring);
	vtr_writer_rename(ring, chain->now, &subject);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_KERNEL_OBJECT_TYPE, next[0]), FXT_OBJECT_TYPE_THREAD);
}

static void ended_subbuffer_is_followed_by_another_one(struct kunit *test)
{
	block_for(1);
	block_for(2);
	KUNIT_EXPECT_TRUE(test, vtr_ring_end_subbuf(ring));
	KUNIT_EXPECT_TRUE(test, vtr_threads_named(&ring->threads, 1ULL << 32 | 1));
	block_for(0);
	KUNIT_EXPECT_FALSE(test, vtr_threads_named(&ring->threads, 1ULL << 32 | 1));
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 2);
	KUNIT_EXPECT_EQ(test, producer->lost_records, 0);
}

static void flush(void)
{
	vtr_writer_flush(ring, chain->now, chain->tasks[chain->running]);
}

static u64 last_begin_ticks(void)
{
	u64 sequence = producer->sequence;

	return vtr_ring_packet(ring->subbufs[sequence & 3])->begin_ticks;
}

static void flushed_ring_begins_a_subbuffer_at_once(struct kunit *test)
{
	block_for(1);
	chain->now = 100;
	flush();
	KUNIT_EXPECT_EQ(test, producer->sequence, 1);
	KUNIT_EXPECT_EQ(test, last_begin_ticks(), 100);
	block_for(2);
	KUNIT_EXPECT_EQ(test, producer->sequence, 1);
	KUNIT_EXPECT_EQ(test, producer->lost_records, 0);
}

static void flushed_ring_does_not_report_what_was_lost_before(struct kunit *test)
{
	new_chain(test, 0, 4, VITRINE_MODE_STREAMING, 1);
	while (!producer->lost_records)
		block_for(other_task());
	ring_consumer(ring)->sequence = 3;
	chain->now += 1000;
	flush();
	KUNIT_EXPECT_EQ(test, producer->sequence, 5);
	KUNIT_EXPECT_EQ(test, last_begin_ticks(), chain->now);
}

/* A frozen ring stays as it is, and so does a full one: it may have room for some records. */
static void flushed_ring_goes_on_without_another_subbuffer(struct kunit *test)
{
	u64 committed;

	new_chain(test, 0, 4, VITRINE_MODE_STREAMING, 1);
	while (producer->sequence != 3)
		block_for(other_task());
	flush();
	block_for(other_task());
	KUNIT_EXPECT_EQ(test, producer->sequence, 3);
	KUNIT_EXPECT_EQ(test, producer->lost_records, 0);
	vtr_ring_freeze(ring);
	committed = *ring->committed;
	flush();
	KUNIT_EXPECT_EQ(test, *ring->committed, committed);
}

#ifndef __KERNEL__	/* where an irq_work is called at once */
/* In place of ring_wake(): the probe of a tracepoint inside vtr_ring_advance(). */
static void record_inside(struct irq_work *work)
{
	struct vtr_ring *ring = container_of(work, struct vtr_ring, wake);

	if (vtr_writer_reserve_here(ring, VTR_RING_HOT_WORDS, 0, current))
		ring->gap.told_bytes = ~0ULL;
	else
		vtr_ring_lose(ring, VTR_RING_HOT_WORDS);
}

static void record_inside_the_writer_is_lost(struct kunit *test)
{
	struct wait_queue_entry reader = {};

	add_wait_queue(&ring->wait, &reader);
	ring->wake.func = record_inside;
	block_for(1);
	while (nr_begun(ring) < 3)
		block_for(chain->running ^ 3);
	KUNIT_EXPECT_NE(test, ring->gap.told_bytes, ~0ULL);
	KUNIT_EXPECT_EQ(test, producer->lost_records, 2);
	remove_wait_queue(&ring->wait, &reader);
}

/* Another CPU freezes the ring when the next ordered access takes place. */
static void freeze_now(const void *place)
{
	host_ordered = NULL;
	vtr_ring_freeze(ring);
}

/* Whether the chain goes on or is opened: the ring is frozen while its next sub-buffer begins. */
static void reserve_is_refused_by_a_freeze(struct kunit *test)
{
	unsigned int closed;

	for (closed = 0; closed < 2; closed++) {
		new_flight_chain(test, 0);
		block_for(1);
		if (closed)
			vtr_ring_close_chain(ring, chain->now, 0);
		vtr_ring_end_subbuf(ring);
		host_ordered = freeze_now;
		KUNIT_EXPECT_FALSE(test, vtr_writer_reserve(ring, 8, chain->now, chain->tasks[1]));
		KUNIT_EXPECT_NULL(test, host_ordered);
		KUNIT_EXPECT_EQ(test, nr_begun(ring), 2);
	}
}

/* On the host, a thread that was reaped is one without a leader. */
static void process_has_the_name_of_its_leader(struct kunit *test)
{
	struct task_struct *task = chain->tasks[1];
	struct vtr_subject subject;

	task->group_leader = chain->tasks[2];
	vtr_subject_task(task, &subject);
	KUNIT_EXPECT_STREQ(test, subject.process_name, "task-64");
	KUNIT_EXPECT_STREQ(test, subject.name, "task-1");
	task->group_leader = NULL;
	vtr_subject_task(task, &subject);
	KUNIT_EXPECT_STREQ(test, subject.process_name, "task-1");
}
#endif

/* Earlier contents of a description do not matter. */
static void each_kind_of_thread_is_described(struct kunit *test)
{
	struct vtr_subject subject;
	unsigned int i;

	for (i = 0; i < TEST_TASKS; i++) {
		const struct task_struct *task = chain->tasks[i];
		bool is_kthread = task->flags & PF_KTHREAD;

		memset(&subject, 0xff, sizeof(subject));
		if (i)
			vtr_subject_task(task, &subject);
		else
			vtr_subject_idle(&subject);
		KUNIT_EXPECT_EQ(test, subject.key, vtr_writer_key(task));
		KUNIT_EXPECT_EQ(test, subject.thread, task->pid);
		KUNIT_EXPECT_EQ(test, subject.priority, i ? 100 + i : 0);
		KUNIT_EXPECT_EQ(test, subject.prio, i ? task->prio : VTR_THREADS_NO_PRIO);
		KUNIT_EXPECT_STREQ(test, subject.name, i ? task->comm : "idle");
		KUNIT_EXPECT_EQ(test, subject.process, i && is_kthread ? 2 : task->pid);
		if (is_kthread)
			KUNIT_EXPECT_STREQ(test, subject.process_name, i ? "kthreadd" : "idle");
	}
}

/* Expect that the last record is a switch to @ref with the priority field @priority. */
static void expect_incoming(struct kunit *test, unsigned int ref, u64 priority)
{
	const u64 *record = vtr_ring_next(ring) - VTR_FXT_SWITCH_WORDS;

	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_INCOMING_THREAD, record[0]), ref);
	KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_INCOMING_PRIORITY, record[0]), priority);
	KUNIT_EXPECT_EQ(test, record[1], chain->now);
}

static enum vtr_switch put_fast(const struct task_struct *task)
{
	return vtr_switch_put(VITRINE_CLOCK_LOCAL, true, chain->now, ring, ring->running, task);
}

/* Boosted and back, nice, real-time, deadline: the thread keeps its reference. */
static void changed_priority_is_composed_once(struct kunit *test)
{
	static const struct { int prio, idle_too; u64 priority; } changes[] = {
		{ 5, 0, 5 }, { 120, 1, 120 }, { 119, 0, 119 }, { 139, 1, 139 }, { 0, 0, 1 },
		{ -1, 0, 1 }, { 128, 1, 128 }, { 99, 0, 99 },
	};
	unsigned int i, thread, ref;
	struct task_struct *task;
	u64 committed;

	new_flight_chain(test, 3);
	switch_to(5, FXT_THREAD_NEW);
	block_for(0);
	for (i = 0; i < 2 * ARRAY_SIZE(changes); i++) {
		thread = i % 2 ? 0 : 5;
		if (!thread && !changes[i / 2].idle_too)
			continue;
		task = chain->tasks[thread];
		task->prio = changes[i / 2].prio;
		ref = vtr_threads_find(&ring->threads, vtr_writer_key(task));
		KUNIT_ASSERT_NE(test, ref, 0);
		committed = *ring->committed;
		KUNIT_EXPECT_EQ(test, put_fast(task), VTR_SWITCH_CHANGED);
		switch_to(thread, FXT_THREAD_NEW);
		expect_incoming(test, ref, thread ? changes[i / 2].priority : 0);
		KUNIT_EXPECT_EQ(test, *ring->committed, committed + 16);
		chain->now++;
		KUNIT_EXPECT_EQ(test, put_fast(task), VTR_SWITCH_DONE);
		expect_incoming(test, ref, thread ? changes[i / 2].priority : 0);
	}
}

/* It may have no reference in a sub-buffer that another thread began. */
static void idle_is_idle_in_a_new_subbuffer(struct kunit *test)
{
	unsigned int ref;

	block_for(1);
	vtr_ring_end_subbuf(ring);
	block_for(2);
	KUNIT_EXPECT_EQ(test, nr_begun(ring), 2);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(&ring->threads, 0), 0);
	block_for(0);
	ref = vtr_threads_find(&ring->threads, 0);
	KUNIT_EXPECT_NE(test, ref, 0);
	expect_incoming(test, ref, 0);
	KUNIT_EXPECT_TRUE(test, vtr_threads_named(&ring->threads, VTR_THREADS_PROCESS(0)));
	/* Only in a wide ring is the last incoming thread found in this way. */
	KUNIT_EXPECT_EQ(test, ring->threads.keys[0], VTR_THREADS_NOBODY);
}

/* A thread that is new, with the longest names, and a chain that such a thread opens. */
static void longest_names_fit_into_the_room_reserved(struct kunit *test)
{
	struct vtr_subject subject;
	unsigned int i;
	u64 committed;

	for (i = 0; i < ARRAY_SIZE(test_cpus); i++) {
		struct task_struct *task = new_named_task(test, 7, 8, 120, "very-long-name");

		new_flight_chain(test, test_cpus[i]);
		KUNIT_ASSERT_EQ(test, strlen(task->comm), VTR_FXT_NAME_MAX);
		vtr_ring_advance(ring, 1);
		committed = *ring->committed;
		vtr_writer_open_chain(ring, 1, task);
		KUNIT_EXPECT_LE(test, *ring->committed - committed,
				VTR_WRITER_CHAIN_WORDS * FXT_WORD_BYTES);
		committed = *ring->committed;
		task->pid = 9;
		task->tgid = 9;
		tell_switch(2, FXT_THREAD_NEW, task, task);
		KUNIT_EXPECT_LE(test, *ring->committed - committed,
				VTR_WRITER_SWITCH_WORDS * FXT_WORD_BYTES);
		committed = *ring->committed;
		task->pid = 10;
		task->tgid = 11;
		vtr_subject_task(task, &subject);
		vtr_writer_introduce(ring, 3, &subject);
		if (vtr_ring_is_wide(ring))
			committed -= VTR_FXT_THREAD_WORDS * FXT_WORD_BYTES;
		KUNIT_EXPECT_EQ(test, *ring->committed - committed,
				VTR_WRITER_THREAD_WORDS * FXT_WORD_BYTES);
	}
}

/* On the fast path as well as for a thread that is new. */
static void each_switch_has_the_state_of_its_outgoing_thread(struct kunit *test)
{
	static const struct { unsigned int next; enum fxt_thread_state state; } switches[] = {
		{ 1, FXT_THREAD_NEW }, { 2, FXT_THREAD_BLOCKED }, { 1, FXT_THREAD_NEW },
		{ 2, FXT_THREAD_BLOCKED }, { 3, FXT_THREAD_SUSPENDED }, { 0, FXT_THREAD_NEW },
	};
	unsigned int i;
	u64 *record;

	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		switch_to(switches[i].next, switches[i].state);
		record = vtr_ring_next(ring) - VTR_FXT_SWITCH_WORDS;
		KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SWITCH_OUTGOING_STATE, record[0]),
				switches[i].state);
	}
}

#ifndef __KERNEL__
static u64 ticks_at_commit;

static void note_ticks(const void *place)
{
	ticks_at_commit = vtr_ring_next(ring)[1];
}
#endif

/* The last record for which there is room is complete before it can be read. */
static void fast_path_ends_at_the_limit(struct kunit *test)
{
	switch_to(5, FXT_THREAD_NEW);
	*ring->committed = ring->limit - FXT_WORD_BYTES;
#ifndef __KERNEL__
	host_ordered = note_ticks;
#endif
	KUNIT_EXPECT_EQ(test, put_fast(chain->tasks[5]), VTR_SWITCH_DONE);
#ifndef __KERNEL__
	KUNIT_EXPECT_EQ(test, ticks_at_commit, chain->now);
#endif
	*ring->committed = ring->limit;
	KUNIT_EXPECT_EQ(test, put_fast(chain->tasks[5]), VTR_SWITCH_NEW);
}

/* The probe reads the clock as late as it can, unless it has needed the time already. */
static void switch_without_a_time_reads_the_clock(struct kunit *test)
{
	struct task_struct *task = chain->tasks[5];
	u64 before, after, *record;
	enum vtr_switch result;
	unsigned long flags;

	switch_to(5, FXT_THREAD_NEW);
	record = vtr_ring_next(ring);
	local_irq_save(flags);
	before = vtr_counter_ticks_ordered();
	result = vtr_switch_put(VITRINE_CLOCK_COUNTER, false, ~0ULL, ring, ring->running, task);
	after = vtr_counter_ticks_ordered();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, result, VTR_SWITCH_DONE);
	KUNIT_EXPECT_GE(test, record[1], before);
	KUNIT_EXPECT_LE(test, record[1], after);
}

/* Whether or not the thread seems to have a reference, in a table that is not used. */
static void cpu_without_a_ring_records_nothing(struct kunit *test)
{
	unsigned int i;

	use_ring(&vtr_writer_none);
	for (i = 0; i < 3; i++) {
		switch_to(i, FXT_THREAD_NEW);
		switch_to(i, FXT_THREAD_DEAD);
	}
	KUNIT_EXPECT_EQ(test, *vtr_writer_none.committed, 0);
}

/* Not even to the last incoming thread, whose key the table has. */
static void wide_ring_has_no_fast_path(struct kunit *test)
{
	struct task_struct *task;
	int prio;

	new_flight_chain(test, 300);
	task = chain->tasks[2];
	switch_to(2, FXT_THREAD_NEW);
	KUNIT_EXPECT_EQ(test, ring->threads.keys[0], vtr_writer_key(task));
	for (prio = -1; prio <= 140; prio++) {
		task->prio = prio;
		KUNIT_EXPECT_NE(test, put_fast(task), VTR_SWITCH_DONE);
	}
}

/* Its id may be that of another thread soon. */
static void thread_that_ended_is_forgotten(struct kunit *test)
{
	const struct vtr_threads *threads = &ring->threads;
	u64 key = vtr_writer_key(chain->tasks[4]);

	switch_to(4, FXT_THREAD_NEW);
	block_for(5);
	block_for(4);
	KUNIT_EXPECT_NE(test, vtr_threads_find(threads, key), 0);
	switch_to(5, FXT_THREAD_DEAD);
	KUNIT_EXPECT_EQ(test, vtr_threads_find(threads, key), 0);
	KUNIT_EXPECT_FALSE(test, vtr_threads_named(threads, key));
}

static void string_is_registered_once(struct kunit *test)
{
	struct vtr_fxt_string first = { "text", FXT_STRING_REF_INLINE | 4, .key = "text" };
	struct vtr_fxt_string again = first;
	u64 committed;

	switch_to(4, FXT_THREAD_NEW);
	committed = *ring->committed;
	vtr_strings_begin(&ring->strings);
	vtr_writer_intern(ring, chain->now, &first);
	KUNIT_EXPECT_GE(test, first.ref, VTR_FXT_STRING_FIRST);
	KUNIT_EXPECT_LT(test, first.ref, FXT_STRING_REF_INLINE);
	KUNIT_EXPECT_EQ(test, *ring->committed, committed + 16);
	vtr_writer_intern(ring, chain->now, &again);
	KUNIT_EXPECT_EQ(test, again.ref, first.ref);
	KUNIT_EXPECT_EQ(test, *ring->committed, committed + 16);
}

static void string_without_key_or_index_stays_inline(struct kunit *test)
{
	struct vtr_fxt_string string = vtr_fxt_inline("text", 4);
	struct vtr_fxt_string empty = { .key = "key" };
	u64 committed, key = 0;
	unsigned int i;

	switch_to(4, FXT_THREAD_NEW);
	vtr_strings_begin(&ring->strings);
	committed = *ring->committed;
	vtr_writer_intern(ring, chain->now, &string);
	KUNIT_EXPECT_EQ(test, string.ref, FXT_STRING_REF_INLINE | 4);
	vtr_writer_intern(ring, chain->now, &empty);
	KUNIT_EXPECT_EQ(test, empty.ref, 0);
	KUNIT_EXPECT_EQ(test, *ring->committed, committed);
	/* As many strings of one record as a set has indices, and one more. */
	for (i = 0; i <= VTR_STRINGS_WAYS; i++) {
		do
			key++;
		while (vtr_strings_first((void *)(unsigned long)key));
		string = vtr_fxt_inline("text", 4);
		string.key = (void *)(unsigned long)key;
		vtr_writer_intern(ring, chain->now, &string);
		KUNIT_EXPECT_EQ(test, !!(string.ref & FXT_STRING_REF_INLINE),
				i == VTR_STRINGS_WAYS);
	}
	KUNIT_EXPECT_EQ(test, *ring->committed, committed + 16 * VTR_STRINGS_WAYS);
}

static void strings_of_this_cpu_are_forgotten(struct kunit *test)
{
	struct vtr_strings *strings = &ring->strings;
	const char *key = "key";

	vtr_strings_add(strings, key);
	with_ring(ring, forget_strings, NULL);
	KUNIT_EXPECT_EQ(test, vtr_strings_find(strings, key), 0);
}

/* Describe a record of a kind that has the most parts, with strings of the given kind. */
static unsigned int put_longest_event(u64 *words, struct vtr_fxt_event *event,
				      struct vtr_fxt_arg *args, struct vtr_fxt_string string)
{
	unsigned int i;

	event->category = string;
	event->name = string;
	for (i = 0; i < event->nr_args; i++) {
		args[i].type = i % 2 ? FXT_ARG_STRING_REF : FXT_ARG_UINT64;
		args[i].name = string;
		if (i % 2)
			args[i].string = string;
	}
	return vtr_fxt_put_event(words, event);
}

/* The thread, the record, and for each string a record of its own, to the last word. */
static void event_has_room_for_all_it_needs(struct kunit *test)
{
	static const char text[120] = "zeros follow";
	const struct vtr_fxt_string inlined = vtr_fxt_inline(text, sizeof(text));
	const struct vtr_fxt_string entry = { .ref = VTR_FXT_STRING_FIRST };
	struct vtr_fxt_arg args[5] = {};
	struct vtr_fxt_event event = {
		.nr_args = ARRAY_SIZE(args), .args = args, .payload = text,
	};
	/* Category, name, five names of arguments, two values. */
	const unsigned int nr_strings = 2 + 5 + 2;
	u64 *words = zalloc(test, PAGE_SIZE);
	unsigned int nr_words;

	for (event.kind = VTR_FXT_EVENT; event.kind <= VTR_FXT_KERNEL_OBJECT; event.kind++) {
		event.type = FXT_EVENT_FLOW_END;
		event.payload_bytes = event.kind == VTR_FXT_LARGE_BLOB ? sizeof(text) : 0;
		nr_words = VTR_WRITER_THREAD_WORDS +
			   put_longest_event(words, &event, args, entry) +
			   vtr_fxt_put_string(words, VTR_FXT_STRING_FIRST, text, sizeof(text)) *
			   nr_strings;
		put_longest_event(words, &event, args, inlined);
		KUNIT_EXPECT_GE(test, vtr_writer_event_words(&event), nr_words);
		if (event.kind == VTR_FXT_LARGE_BLOB)
			KUNIT_EXPECT_EQ(test, vtr_writer_event_words(&event), nr_words);
	}
}

static struct kunit_case writer_cases[] = {
	KUNIT_CASE(names_of_idle_cpus_have_keys_of_their_own),
	KUNIT_CASE(introduction_in_a_wide_ring_is_the_names),
	KUNIT_CASE(running_thread_is_renamed_in_the_next_subbuffer),
	KUNIT_CASE(thread_renamed_without_room_is_registered_again),
	KUNIT_CASE(renamed_leader_names_its_process_again),
	KUNIT_CASE(ended_subbuffer_is_followed_by_another_one),
	KUNIT_CASE(flushed_ring_begins_a_subbuffer_at_once),
	KUNIT_CASE(flushed_ring_does_not_report_what_was_lost_before),
	KUNIT_CASE(flushed_ring_goes_on_without_another_subbuffer),
#ifndef __KERNEL__
	KUNIT_CASE(record_inside_the_writer_is_lost),
	KUNIT_CASE(reserve_is_refused_by_a_freeze),
	KUNIT_CASE(process_has_the_name_of_its_leader),
#endif
	KUNIT_CASE(argument_in_one_word_stores_no_value_after_it),
	KUNIT_CASE(switches_of_any_cpu_are_a_chain),
	KUNIT_CASE(wide_switch_says_who_and_how),
	KUNIT_CASE(full_oneshot_ring_of_any_cpu_says_so),
	KUNIT_CASE(loss_of_any_cpu_is_exact),
	KUNIT_CASE(closed_chain_is_opened_by_a_switch),
	KUNIT_CASE(what_never_fits_costs_no_history),
	KUNIT_CASE(crowd_is_named_once_a_sub_buffer),
	KUNIT_CASE(each_kind_of_thread_is_described),
	KUNIT_CASE(changed_priority_is_composed_once),
	KUNIT_CASE(idle_is_idle_in_a_new_subbuffer),
	KUNIT_CASE(longest_names_fit_into_the_room_reserved),
	KUNIT_CASE(each_switch_has_the_state_of_its_outgoing_thread),
	KUNIT_CASE(fast_path_ends_at_the_limit),
	KUNIT_CASE(switch_without_a_time_reads_the_clock),
	KUNIT_CASE(cpu_without_a_ring_records_nothing),
	KUNIT_CASE(wide_ring_has_no_fast_path),
	KUNIT_CASE(thread_that_ended_is_forgotten),
	KUNIT_CASE(string_is_registered_once),
	KUNIT_CASE(string_without_key_or_index_stays_inline),
	KUNIT_CASE(strings_of_this_cpu_are_forgotten),
	KUNIT_CASE(event_has_room_for_all_it_needs),
	{}
};

VTR_KUNIT_SUITE(writer, .init = writer_init, .exit = put_ring);
