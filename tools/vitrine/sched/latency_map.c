// SPDX-License-Identifier: GPL-2.0
/*
 * Print the map of `vitrine latency --map': a line for each switch, a column for each
 * CPU. Threads have tags of two characters, explained on the line where they first
 * appear.
 */

#include "ui/label.h"
#include "latency_map.h"
#include "latency_report.h"

static const char firsts[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char seconds[] = "0123456789abcdefghijklmnopqrstuvwxyz";

#define NR_FIRSTS	(sizeof(firsts) - 1)
#define NR_SECONDS	(sizeof(seconds) - 1)

/* Return the running thread of a CPU if it matches the filter. */
static struct latency_thread *wanted_on(const struct sched_cpu *cpu)
{
	struct latency_thread *latency;

	if (!cpu || !cpu->known || !cpu->running)
		return NULL;
	latency = cpu->running->owner;
	return latency->wanted ? latency : NULL;
}

/* A0 to Z0, then A1: consecutive tags differ in the first character. */
static void print_tag(unsigned int tag)
{
	putchar(firsts[(tag - 1) % NR_FIRSTS]);
	putchar(seconds[(tag - 1) / NR_FIRSTS % NR_SECONDS]);
}

/* Print the column of a CPU; return its width in characters. */
static unsigned int print_cpu(const struct sched_cpu *cpu,
			      unsigned int *nr_tags)
{
	struct latency_thread *latency = wanted_on(cpu);

	if (!latency) {
		putchar(!cpu->known ? '?' : cpu->running ? '-' : '.');
		return 1;
	}
	if (!latency->tag)
		latency->tag = ++*nr_tags;
	print_tag(latency->tag);
	return 2;
}

static void explain(const struct sched *sched, unsigned int tag,
		    const struct sched_thread *thread)
{
	char label[LABEL_BYTES];

	label_thread(label, sched->archive, &thread->id);
	print_tag(tag);
	printf(" = %s", label);
}

/**
 * latency_map_switch() - print the running thread of each CPU
 * @sched: all threads; running ones have a struct latency_thread as owner
 * @number: CPU that has just switched
 * @nr_tags: number of threads that have a tag
 */
void latency_map_switch(const struct sched *sched, uint32_t number,
			unsigned int *nr_tags)
{
	const struct latency_thread *latency;
	unsigned int explained = *nr_tags, used = 2;
	char time[LABEL_TIME_BYTES];
	uint32_t i;

	label_time(time, sched->now_ns);
	printf("%16s ", time);
	for (i = 0; i < sched->nr_cpus; i++) {
		if (!sched->cpus[i])
			continue;
		printf("%*s %c", 2 - used, "", i == number ? '*' : ' ');
		used = print_cpu(sched->cpus[i], nr_tags);
	}
	for (i = 0; i < sched->nr_cpus; i++) {
		latency = wanted_on(sched->cpus[i]);
		if (!latency || latency->tag <= explained)
			continue;
		printf("%*s  ", 2 - used, "");
		used = 2;
		explain(sched, latency->tag, sched->cpus[i]->running);
	}
	putchar('\n');
}
