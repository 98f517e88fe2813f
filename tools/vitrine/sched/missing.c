// SPDX-License-Identifier: GPL-2.0
/*
 * Lines and members of reports that tell what is not in the trace.
 */
#include <inttypes.h>

#include "missing.h"
#include "ui/label.h"

/* Find the next CPU whose records begin after @begin_ns only; NULL: there is none. */
static const struct sched_cpu *next_unknown(const struct sched *sched, uint64_t begin_ns,
					    uint32_t *number)
{
	for (; *number < sched->nr_cpus; ++*number)
		if (sched->cpus[*number] && sched->cpus[*number]->begin_ns > begin_ns)
			return sched->cpus[(*number)++];
	return NULL;
}

/**
 * missing_put_without_wakeups() - say that only preemptions are known, if that is so, as a line
 * @stream: output stream
 * @sched: all threads
 */
void missing_put_without_wakeups(FILE *stream, const struct sched *sched)
{
	if (!sched->has_wakeups)
		fputs("No wakeups of these threads in the trace: only preemptions are known\n",
		      stream);
}

/**
 * missing_put_unknown() - print until when CPUs have no records, as a line; JSON has each CPU
 * @stream: output stream
 * @sched: all CPUs
 * @begin_ns: begin of the reported time range
 */
void missing_put_unknown(FILE *stream, const struct sched *sched, uint64_t begin_ns)
{
	uint64_t last_ns = 0, nr = 0;
	const struct sched_cpu *cpu;
	uint32_t number = 0, first = 0;

	while ((cpu = next_unknown(sched, begin_ns, &number))) {
		if (cpu->begin_ns > last_ns)
			last_ns = cpu->begin_ns;
		if (!nr++)
			first = number - 1;
	}
	if (!nr)
		return;
	if (nr == 1)
		fprintf(stream, "No records of CPU %" PRIu32, first);
	else
		fprintf(stream, "Not all records of %" PRIu64 " CPUs", nr);
	fprintf(stream, " before %s: what threads waited for until then is left out\n",
		seconds(last_ns));
}

/**
 * missing_write_unknown() - write until when CPUs have no records, as JSON
 * @json: writer
 * @sched: all CPUs
 * @begin_ns: begin of the reported time range
 */
void missing_write_unknown(struct json_writer *json, const struct sched *sched, uint64_t begin_ns)
{
	const struct sched_cpu *cpu;
	uint32_t number = 0;

	json_key(json, "unknown");
	json_begin_list(json);
	while ((cpu = next_unknown(sched, begin_ns, &number))) {
		json_item(json);
		json_begin(json);
		json_key_uint(json, "cpu", number - 1);
		json_key_uint(json, "before_ns", cpu->begin_ns);
		json_end(json);
	}
	json_end_list(json);
}
