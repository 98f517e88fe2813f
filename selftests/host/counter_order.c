// SPDX-License-Identifier: GPL-2.0
/*
 * The order of a thread's switch and of its wakeup on another CPU, with the module's readings
 * of the counter on this machine's own CPUs. One thread stands for the CPU that switches the
 * woken thread out: it reads the counter, and then clears on_cpu. The other one stands for the
 * CPU that wakes it: once it sees that on_cpu is clear, it reads the counter, which must not
 * be less. On x86, one or two readings in a hundred were, without vtr_counter_after_branch().
 *
 * Prints TAP. Rounds take place while both threads have a CPU, and end after some seconds, so
 * that a busy machine has fewer of them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/clock.h"

#define NR_ROUNDS	200000
#define MAX_DELAY	1000
#define MAX_NS		(5 * 1000000000ULL)

/* On a cache line of its own, as the fields of two CPUs are. */
static struct {
	int	on_cpu;
	u64	switched;
	bool	stop;
} shared __attribute__((aligned(128)));

static void *switch_out(void *unused)
{
	while (!READ_ONCE(shared.stop)) {
		if (!READ_ONCE(shared.on_cpu))
			continue;
		shared.switched = vtr_counter_switch_ticks();
		/* As in finish_task(); pairs with the reading in woken_ticks(). */
		smp_store_release(&shared.on_cpu, 0);
	}
	return NULL;
}

/* Read the counter after it was seen that on_cpu is clear, as record_awake() does. */
static u64 woken_ticks(void)
{
	vtr_counter_after_branch();
	return vtr_counter_ticks();
}

/* Read it after all other instructions, which shows whether the CPUs agree on the time. */
static u64 ordered_ticks(void)
{
	smp_mb();	/* Loads and stores, too. */
	return vtr_counter_ticks_ordered();
}

/*
 * Count the readings that are less than that of the switch. on_cpu is looked at once, at another
 * time after its begin in each round: waiting for it would make the processor mispredict the
 * branch, and read the counter again.
 */
static unsigned int count_early(u64 (*read)(void), unsigned int *ret_rounds)
{
	u64 begin = ktime_get_mono_fast_ns(), now;
	unsigned int i, j, nr_rounds = 0, nr = 0;

	for (i = 0; nr_rounds < NR_ROUNDS && ktime_get_mono_fast_ns() - begin < MAX_NS; i++) {
		/* The other thread is done with the last round. */
		smp_store_release(&shared.on_cpu, 1);
		for (j = 0; j < i % MAX_DELAY; j++)
			barrier();
		if (likely(!READ_ONCE(shared.on_cpu))) {
			now = read();
			nr += now < READ_ONCE(shared.switched);
			nr_rounds++;
		}
		while (READ_ONCE(shared.on_cpu))
			;
	}
	*ret_rounds = nr_rounds;
	return nr;
}

int main(void)
{
	unsigned int early, apart, nr_rounds;
	pthread_t thread;

	printf("TAP version 13\n1..1\n");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("ok 1 counter_order # SKIP one CPU needs no order\n");
		return 0;
	}
	if (pthread_create(&thread, NULL, switch_out, NULL))
		return 1;
	apart = count_early(ordered_ticks, &nr_rounds);
	early = count_early(woken_ticks, &nr_rounds);
	WRITE_ONCE(shared.stop, true);
	pthread_join(thread, NULL);
	if (apart)
		printf("ok 1 counter_order # SKIP the counters of two CPUs differ\n");
	else
		printf("%sok 1 counter_order # %u of %u readings are too early\n",
		       early ? "not " : "", early, nr_rounds);
	return !apart && early;
}
