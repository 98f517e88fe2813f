// SPDX-License-Identifier: GPL-2.0
/*
 * What threads did: one state each, which switches and wakeups change.
 *
 * Records come in time order. A thread that does not run may still have run while
 * records of any CPU were missing, so what it did from before the end of a gap is
 * unknown; one that runs is where it is.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "fxt.h"
#include "sched_state.h"

#define MAX_CPUS	65536
#define LEAST_THREADS	64

/* From the first byte of a sub-buffer to the record with its header. */
#define PACKET_RECORD_OFFSET	(VITRINE_PACKET_OFFSET - 2 * FXT_WORD_BYTES)

const char * const sched_state_names[SCHED_NR_STATES] = {
	[SCHED_UNKNOWN]		= "unknown",
	[SCHED_RUNNING]		= "running",
	[SCHED_WOKEN]		= "woken",
	[SCHED_PREEMPTED]	= "preempted",
	[SCHED_BLOCKED]		= "blocked",
	[SCHED_STOPPED]		= "stopped",
	[SCHED_DEAD]		= "dead",
};

static uint64_t ns_of(const struct vitrine_fxt_record *record, uint64_t ticks)
{
	return vitrine_fxt_ns(ticks, record->ticks_per_second);
}

/* How long of it counts. */
static uint64_t counted(const struct sched *sched, uint64_t begin_ns,
			uint64_t end_ns)
{
	if (begin_ns < sched->from_ns)
		begin_ns = sched->from_ns;
	if (end_ns > sched->to_ns)
		end_ns = sched->to_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/**
 * sched_counts() - whether what happens at a time counts
 * @sched: all threads
 * @ns: time
 *
 * Return: whether it does.
 */
bool sched_counts(const struct sched *sched, uint64_t ns)
{
	return ns >= sched->from_ns && ns <= sched->to_ns;
}

/* ---- Threads and CPUs -------------------------------------------------- */

static size_t place_of(const struct sched *sched, uint64_t koid)
{
	size_t at = koid * 0x9e3779b97f4a7c15ULL >> 32;

	while (sched->threads[at &= sched->size - 1] &&
	       sched->threads[at]->id.thread != koid)
		at++;
	return at;
}

static bool grow(struct sched *sched)
{
	struct sched_thread **old = sched->threads;
	size_t i, old_size = sched->size;
	size_t size = old_size ? 2 * old_size : LEAST_THREADS;

	sched->threads = calloc(size, sizeof(*sched->threads));
	if (!sched->threads) {
		sched->threads = old;
		return false;
	}
	sched->size = size;
	for (i = 0; i < old_size; i++)
		if (old[i])
			sched->threads[place_of(sched, old[i]->id.thread)] = old[i];
	free(old);
	return true;
}

/* NULL: no memory. */
static struct sched_thread *thread_get(struct sched *sched,
				       const struct vitrine_fxt_thread *id)
{
	struct sched_thread *thread;
	size_t at;

	if (2 * sched->nr_threads >= sched->size && !grow(sched))
		return NULL;
	at = place_of(sched, id->thread);
	thread = sched->threads[at];
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return NULL;
		thread->id = *id;
		thread->since_ns = sched->now_ns;
		sched->threads[at] = thread;
		sched->nr_threads++;
	} else if (id->process != VITRINE_FXT_NO_PROCESS) {
		thread->id.process = id->process;
	}
	return thread;
}

/* NULL: no memory. */
static struct sched_cpu *cpu_get(struct sched *sched, uint32_t number)
{
	struct sched_cpu **bigger;
	uint32_t nr = sched->nr_cpus;

	if (number >= nr) {
		nr = number + 1 > 2 * nr ? number + 1 : 2 * nr;
		bigger = reallocarray(sched->cpus, nr, sizeof(*bigger));
		if (!bigger)
			return NULL;
		memset(bigger + sched->nr_cpus, 0,
		       (nr - sched->nr_cpus) * sizeof(*bigger));
		sched->cpus = bigger;
		sched->nr_cpus = nr;
	}
	if (!sched->cpus[number]) {
		sched->cpus[number] = calloc(1, sizeof(**sched->cpus));
		if (sched->cpus[number])
			sched->cpus[number]->last_ns = sched->now_ns;
	}
	return sched->cpus[number];
}

/* ---- States ------------------------------------------------------------ */

/* A thread that did not run has done so until @now_ns, or nobody knows. */
static void end_wait(struct sched *sched, struct sched_thread *thread,
		     uint64_t now_ns)
{
	if (thread->since_ns < sched->gap_end_ns) {
		thread->state = SCHED_UNKNOWN;
		thread->blocked_ns = 0;
	}
	thread->time_ns[thread->state] +=
		counted(sched, thread->since_ns, now_ns);
}

static void end_turn(struct sched *sched, struct sched_thread *thread,
		     uint64_t now_ns, enum sched_state after)
{
	if (now_ns < thread->since_ns)
		now_ns = thread->since_ns;
	thread->time_ns[SCHED_RUNNING] +=
		counted(sched, thread->since_ns, now_ns);
	thread->turn.end_ns = now_ns;
	thread->turn.after = after;
	thread->state = after;
	thread->since_ns = now_ns;
	thread->blocked_ns = 0;
	if (sched->ops->end)
		sched->ops->end(sched->ctx, thread);
}

static void count_turn(const struct sched *sched, struct sched_thread *thread)
{
	if (!sched_counts(sched, thread->turn.begin_ns))
		return;
	thread->nr_turns++;
	if (thread->turn.waited == SCHED_WOKEN)
		thread->nr_woken++;
	else if (thread->turn.waited == SCHED_PREEMPTED)
		thread->nr_preempted++;
}

static void begin_turn(struct sched *sched, struct sched_thread *thread,
		       uint32_t cpu, const struct vitrine_fxt_thread *instead)
{
	uint64_t now_ns = sched->now_ns, waited_ns;

	/* It left another CPU, by whose clock that is not yet. */
	if (thread->state == SCHED_RUNNING)
		end_turn(sched, thread, now_ns, SCHED_PREEMPTED);
	end_wait(sched, thread, now_ns);
	waited_ns = now_ns - thread->since_ns;
	thread->turn = (struct sched_turn){
		.cpu = cpu,
		.begin_ns = now_ns,
		.waited = thread->state,
		.instead = *instead,
		.after = SCHED_RUNNING,
	};
	if (thread->state == SCHED_WOKEN || thread->state == SCHED_PREEMPTED) {
		thread->turn.ready_ns = waited_ns;
		thread->turn.blocked_ns = thread->blocked_ns;
	} else if (thread->state == SCHED_BLOCKED ||
		   thread->state == SCHED_STOPPED) {
		thread->turn.blocked_ns = waited_ns;
	}
	thread->state = SCHED_RUNNING;
	thread->since_ns = now_ns;
	thread->cpu = cpu;
	count_turn(sched, thread);
	if (sched->ops->begin)
		sched->ops->begin(sched->ctx, thread);
}

/* Until @at_ns a CPU did what it did; from then on @running, if that is known. */
static void turn_cpu(struct sched *sched, struct sched_cpu *cpu, uint64_t at_ns,
		     bool known, struct sched_thread *running)
{
	uint64_t ns = counted(sched, cpu->since_ns, at_ns);

	if (cpu->known && cpu->running)
		cpu->busy_ns += ns;
	else if (cpu->known)
		cpu->idle_ns += ns;
	cpu->known = known;
	cpu->running = running;
	cpu->since_ns = at_ns;
}

/* ---- Gaps -------------------------------------------------------------- */

/* Who ran on a CPU did so until @begin_ns for sure. */
static void forget_running(struct sched *sched, uint32_t number,
			   uint64_t begin_ns)
{
	struct sched_cpu *cpu = sched->cpus[number];
	struct sched_thread *thread = cpu->running;

	if (cpu->known && thread && thread->state == SCHED_RUNNING &&
	    thread->cpu == number)
		end_turn(sched, thread, begin_ns, SCHED_UNKNOWN);
	turn_cpu(sched, cpu, begin_ns, false, NULL);
}

/*
 * Records of a CPU are missing. What several records tell of the same gap is
 * counted once.
 */
static void gap(struct sched *sched, uint32_t number, uint64_t begin_ns,
		uint64_t end_ns)
{
	struct sched_cpu *cpu = sched->cpus[number];

	forget_running(sched, number, begin_ns);
	if (end_ns > sched->gap_end_ns)
		sched->gap_end_ns = end_ns;
	if ((!cpu->gap_end_ns || begin_ns > cpu->gap_end_ns) &&
	    begin_ns <= sched->to_ns && end_ns >= sched->from_ns)
		sched->nr_gaps++;
	if (end_ns > cpu->gap_end_ns)
		cpu->gap_end_ns = end_ns;
	if (sched->ops->gap)
		sched->ops->gap(sched->ctx, number, begin_ns, end_ns);
}

static void gap_everywhere(struct sched *sched)
{
	uint32_t i;

	for (i = 0; i < sched->nr_cpus; i++)
		if (sched->cpus[i])
			forget_running(sched, i, sched->now_ns);
	sched->gap_end_ns = sched->now_ns;
	sched->nr_gaps += sched_counts(sched, sched->now_ns);
	if (sched->ops->gap)
		sched->ops->gap(sched->ctx, SCHED_ALL_CPUS, sched->now_ns,
				sched->now_ns);
}

static void follow_drop_stats(struct sched *sched,
			      const struct vitrine_fxt_record *record)
{
	const struct sched_cpu *cpu;
	unsigned int i;

	cpu = cpu_get(sched, record->cpu);
	if (!cpu)
		return;
	/* In sub-buffers, it is the headers that count exactly. */
	for (i = 0; !cpu->packed && i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, "num_records") &&
		    record->args[i].type == FXT_ARG_UINT64)
			sched->nr_lost += record->args[i].value.uint64;
	gap(sched, record->cpu, ns_of(record, record->ticks),
	    ns_of(record, record->event.id));
}

/* How many records are missing between two sub-buffers of one ring. */
static uint64_t lost_between(const struct sched_cpu *cpu,
			     const struct vitrine_packet *packet)
{
	uint64_t expected = cpu->packet.records_before + cpu->nr_timed, lost = 0;

	if (packet->records_before > expected)
		lost = packet->records_before - expected;
	if (packet->lost_records > cpu->packet.lost_records)
		lost += packet->lost_records - cpu->packet.lost_records;
	return lost;
}

static bool follow_packet(struct sched *sched,
			  const struct vitrine_fxt_record *record)
{
	struct vitrine_packet packet;
	struct sched_cpu *cpu;
	uint64_t lost = 0;

	if (!vitrine_archive_packet(sched->archive, record, &packet) ||
	    packet.cpu >= MAX_CPUS)
		return true;
	cpu = cpu_get(sched, packet.cpu);
	if (!cpu)
		return false;
	if (cpu->packed && cpu->packet.session != packet.session) {
		/* Nothing was lost, but nobody looked for a while. */
		forget_running(sched, packet.cpu, cpu->last_ns);
		sched->gap_end_ns = sched->now_ns;
	} else if (cpu->packed) {
		lost = lost_between(cpu, &packet);
	}
	if (lost)
		gap(sched, packet.cpu, cpu->last_ns,
		    ns_of(record, packet.begin_ticks));
	if (sched_counts(sched, sched->now_ns))
		sched->nr_lost += lost;
	cpu->packed = true;
	cpu->packet = packet;
	cpu->packet_begin = record->offset - PACKET_RECORD_OFFSET;
	cpu->nr_timed = 0;
	return true;
}

/* ---- Records ----------------------------------------------------------- */

/* Newer records tell idle by its weight. */
static bool is_idle(const struct vitrine_fxt_record *record,
		    const struct vitrine_fxt_thread *thread,
		    const char *weight)
{
	unsigned int i;

	if (!thread->thread)
		return true;
	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_INT32 &&
		    record->args[i].value.int64 == INT32_MIN &&
		    fxt_string_is(&record->args[i].name, weight))
			return true;
	return false;
}

static enum sched_state state_after(unsigned int outgoing_state)
{
	switch (outgoing_state) {
	case FXT_THREAD_NEW:
	case FXT_THREAD_RUNNING:
		return SCHED_PREEMPTED;
	case FXT_THREAD_SUSPENDED:
		return SCHED_STOPPED;
	case FXT_THREAD_BLOCKED:
		return SCHED_BLOCKED;
	case FXT_THREAD_DYING:
	case FXT_THREAD_DEAD:
		return SCHED_DEAD;
	default:
		return SCHED_UNKNOWN;
	}
}

/* A thread, or NULL for idle; false: no memory. */
static bool side_of(struct sched *sched, const struct vitrine_fxt_record *record,
		    const struct vitrine_fxt_thread *id, const char *weight,
		    struct sched_thread **ret)
{
	*ret = NULL;
	if (is_idle(record, id, weight))
		return true;
	*ret = thread_get(sched, id);
	return *ret;
}

static void switch_out(struct sched *sched, uint32_t number,
		       struct sched_thread *thread, enum sched_state after)
{
	struct sched_cpu *cpu = sched->cpus[number];

	if (cpu->known && cpu->running != thread)
		gap(sched, number, cpu->last_ns, sched->now_ns);
	if (!thread)
		return;
	if (thread->state == SCHED_RUNNING) {
		/* Else it is on another CPU by now, whose clock is ahead. */
		if (thread->cpu == number)
			end_turn(sched, thread, sched->now_ns, after);
		return;
	}
	/* Since when it ran is not known. */
	thread->state = SCHED_UNKNOWN;
	end_wait(sched, thread, sched->now_ns);
	thread->state = after;
	thread->since_ns = sched->now_ns;
	thread->cpu = number;
	thread->blocked_ns = 0;
}

static bool follow_switch(struct sched *sched,
			  const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *instead =
		&record->context_switch.outgoing;
	struct sched_cpu *cpu = cpu_get(sched, record->cpu);
	struct sched_thread *outgoing, *incoming;

	if (!cpu ||
	    !side_of(sched, record, instead, "outgoing_weight", &outgoing) ||
	    !side_of(sched, record, &record->context_switch.incoming,
		     "incoming_weight", &incoming))
		return false;
	switch_out(sched, record->cpu, outgoing,
		   state_after(record->context_switch.outgoing_state));
	if (incoming)
		begin_turn(sched, incoming, record->cpu,
			   outgoing ? &outgoing->id :
			   &(struct vitrine_fxt_thread){ 0 });
	turn_cpu(sched, cpu, sched->now_ns, true, incoming);
	if (sched_counts(sched, sched->now_ns)) {
		cpu->nr_switches++;
		sched->nr_switches++;
	}
	return true;
}

static bool follow_wakeup(struct sched *sched,
			  const struct vitrine_fxt_record *record)
{
	struct sched_thread *thread = thread_get(sched, &record->wakeup);

	if (!thread)
		return false;
	sched->nr_wakeups += sched_counts(sched, sched->now_ns);
	/* Who runs, or waits for a CPU, is awake. */
	if (thread->state == SCHED_RUNNING || thread->state == SCHED_WOKEN ||
	    thread->state == SCHED_PREEMPTED)
		return true;
	end_wait(sched, thread, sched->now_ns);
	thread->blocked_ns = 0;
	if (thread->state == SCHED_BLOCKED || thread->state == SCHED_STOPPED)
		thread->blocked_ns = sched->now_ns - thread->since_ns;
	thread->state = SCHED_WOKEN;
	thread->since_ns = sched->now_ns;
	return true;
}

static bool see_time(struct sched *sched, const struct vitrine_fxt_record *record)
{
	uint64_t ns = ns_of(record, record->ticks);
	struct sched_cpu *cpu;

	if (!sched->began) {
		sched->began = true;
		sched->begin_ns = ns;
		sched->now_ns = ns;
	}
	if (ns > sched->now_ns)
		sched->now_ns = ns;
	if (record->cpu >= MAX_CPUS)
		return true;
	cpu = cpu_get(sched, record->cpu);
	if (!cpu)
		return false;
	if (cpu->packed && record->offset - cpu->packet_begin <
			   cpu->packet.committed_bytes)
		cpu->nr_timed++;
	return true;
}

static bool follow_timed(struct sched *sched,
			 const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return follow_switch(sched, record);
	case VITRINE_FXT_WAKEUP:
		return follow_wakeup(sched, record);
	case VITRINE_FXT_EVENT:
		if (record->event.type == FXT_EVENT_DURATION_COMPLETE &&
		    record->cpu < MAX_CPUS &&
		    fxt_string_is(&record->event.name, "drop_stats") &&
		    fxt_string_is(&record->event.category, VITRINE_PROVIDER_NAME))
			follow_drop_stats(sched, record);
		return true;
	default:
		return true;
	}
}

/**
 * sched_follow() - see what a record says of threads
 * @sched: all threads; before the first record all zero but @ops, @ctx, @archive,
 *	@from_ns and @to_ns
 * @record: the record that is next in time
 *
 * Return: false if there is no memory.
 */
bool sched_follow(struct sched *sched, const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_BLOB)
		return follow_packet(sched, record);
	/* A provider of ours says more of it than that. */
	if (record->kind == VITRINE_FXT_PROVIDER_EVENT &&
	    record->provider_info.event == FXT_PROVIDER_EVENT_BUFFER_FULL &&
	    (record->cpu >= sched->nr_cpus || !sched->cpus[record->cpu] ||
	     !sched->cpus[record->cpu]->packed))
		gap_everywhere(sched);
	if (!record->timed)
		return true;
	if (!see_time(sched, record) || !follow_timed(sched, record))
		return false;
	if (record->cpu < sched->nr_cpus)
		sched->cpus[record->cpu]->last_ns = sched->now_ns;
	return true;
}

/**
 * sched_finish() - no record follows: what goes on ends here
 * @sched: all threads
 *
 * Turns that go on are told as ended, with SCHED_RUNNING after them. How long
 * threads did what is complete; since when they do it stays.
 */
void sched_finish(struct sched *sched)
{
	uint64_t end_ns = sched->now_ns;
	struct sched_thread *thread;
	size_t i;

	for (i = 0; i < sched->size; i++) {
		thread = sched->threads[i];
		if (!thread)
			continue;
		if (thread->state == SCHED_RUNNING)
			end_turn(sched, thread, end_ns, SCHED_RUNNING);
		else
			end_wait(sched, thread, end_ns);
	}
	for (i = 0; i < sched->nr_cpus; i++)
		if (sched->cpus[i])
			turn_cpu(sched, sched->cpus[i], end_ns,
				 sched->cpus[i]->known,
				 sched->cpus[i]->running);
}

/**
 * sched_deinit() - forget all
 * @sched: all threads
 */
void sched_deinit(struct sched *sched)
{
	size_t i;

	for (i = 0; i < sched->size; i++)
		free(sched->threads[i]);
	free(sched->threads);
	for (i = 0; i < sched->nr_cpus; i++)
		free(sched->cpus[i]);
	free(sched->cpus);
}
