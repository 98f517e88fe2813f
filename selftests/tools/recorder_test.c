// SPDX-License-Identifier: GPL-2.0
/*
 * Test what a recording holds of its rings: nothing that was written before it began, the
 * same numbers of switches and of lost records in the file as the recorder has counted, the
 * waker of each wakeup, and a chain of switches that is closed through idle where records are lost.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include <vitrine/fxt.h>

#include "../must.h"
#include "fake_ring.h"
#include "test.h"
#include "live/recording.h"

#define NR_SUBBUFS	8
#define SUBBUF_BYTES	4096

/* A recording of one fake ring. */
static struct {
	struct fake_ring ring;		/* the writer */
	char path[256];			/* of the ring's file */
	bool can_flush;			/* the ring begins a new sub-buffer when it is flushed */
	unsigned int loses;		/* number of records that are lost after each flush */
	struct vitrine_fxt_summary summary;	/* what the finished file holds */
	uint64_t first_ns;		/* time of the first switch in it, or 0 */
	unsigned int nr_telling;	/* number of its switches that tell which thread is idle */
	unsigned int nr_mistaken;	/* and of those that take another one for it */
	unsigned int nr_elsewhere;	/* number of its timed records of other providers */
	uint64_t before;		/* time of the last record before the recording */
} recording;

static char dir[32];

static char *path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", dir, name);
	return path;
}

static void put_switches(unsigned int nr)
{
	while (nr--)
		fake_ring_switch(&recording.ring);
}

/* A new ring of a CPU, which has @nr switches before it is recorded. */
static void cpu_ring_init(unsigned int cpu, unsigned int nr)
{
	static char output[256];
	char name[32];

	memset(&recording, 0, sizeof(recording));
	snprintf(name, sizeof(name), "vitrine/trace/cpu%u", cpu);
	path_of(name, recording.path);
	fake_ring_init(&recording.ring, open(recording.path, O_RDWR | O_CREAT, 0600), cpu,
		       NR_SUBBUFS, SUBBUF_BYTES);
	recording.can_flush = true;
	recorder = (struct recorder){ .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	rotation = (struct rotation){ .output = path_of("trace.fxt", output) };
	must(rotation_open());
	must(recorder_scan());
	put_switches(nr);
	recording.before = recording.ring.ticks;
}

static void ring_init(unsigned int nr)
{
	cpu_ring_init(0, nr);
}

/* As the module does for "flush". */
static bool flush(void)
{
	if (recording.can_flush && recording.ring.packet)
		fake_ring_advance(&recording.ring);
	recording.ring.producer->lost_records += recording.loses;
	return true;
}

static bool cannot_flush(void)
{
	return false;
}

static void begin(bool (*how)(void))
{
	must(recorder_begin(how));
	recorder.started = true;
}

/* Whether viewers can recognise idle: by its priority, or by its weight in the newer record. */
static bool knows_idle(const struct vitrine_fxt_record *record)
{
	bool out = !record->context_switch.outgoing_priority;
	bool in = !record->context_switch.incoming_priority;

	if (!record->context_switch.legacy) {
		if (record->nr_args != 2)
			return false;
		out = record->args[0].value.int64 == INT32_MIN;
		in = record->args[1].value.int64 == INT32_MIN;
	}
	return out == !record->context_switch.outgoing.thread &&
	       in == !record->context_switch.incoming.thread;
}

/* Finish the file after @nr more switches, and read it. */
static void end(unsigned int nr)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_archive *archive;
	char path[256];

	put_switches(nr);
	must(recorder_finish(flush));
	must(rotation_commit());
	path_of("trace.fxt", path);
	must(vitrine_fxt_check(path, NULL, &recording.summary));
	must(vitrine_archive_create(path, NULL, &archive));
	for (must(vitrine_archive_next(archive, &record)); record;
	     must(vitrine_archive_next(archive, &record))) {
		recording.nr_elsewhere += record->timed &&
					  record->provider != recording.ring.producer->cpu + 1;
		if (record->kind != VITRINE_FXT_SWITCH)
			continue;
		recording.first_ns = recording.first_ns ?: record->ticks;
		/* The fake ring writes newer records without weights. */
		if (!record->context_switch.legacy && !record->nr_args)
			continue;
		recording.nr_telling++;
		recording.nr_mistaken += !knows_idle(record);
	}
	vitrine_archive_destroy(archive);
	recorder_deinit();
	fake_ring_deinit(&recording.ring);
	unlink(recording.path);
}

/* Record @nr switches of a ring that has @nr_before. */
static void record(unsigned int nr_before, bool (*how)(void), unsigned int nr)
{
	ring_init(nr_before);
	begin(how);
	end(nr);
}

/* The file is sound, and has as much as was counted. */
static bool has(uint64_t nr_switches, uint64_t nr_lost)
{
	const struct vitrine_fxt_summary *summary = &recording.summary;

	printf("# %llu switches, %llu counted; %llu lost, %llu counted; %llu faults\n",
	       (unsigned long long)summary->nr_switches, (unsigned long long)recorder.nr_switches,
	       (unsigned long long)summary->nr_lost, (unsigned long long)recorder.nr_lost,
	       (unsigned long long)summary->nr_faults);
	return !summary->nr_faults && summary->nr_switches == nr_switches &&
	       recorder.nr_switches == nr_switches && summary->nr_lost == nr_lost &&
	       recorder.nr_lost == nr_lost;
}

static void test_begin(void)
{
	record(1000, flush, 900);
	ok(has(900, 0), "what is written after the begin is recorded");
	ok(recording.first_ns == recording.before + 10, "nothing before it is");

	record(10, cannot_flush, 10);
	ok(has(20, 0), "without a flush, it begins with the current sub-buffer");

	record(0, flush, 300);
	ok(has(300, 0), "all of a new ring is recorded");

	record(10, flush, 0);
	ok(has(0, 0), "a CPU without records has none");
}

/* The ring is frozen when recording begins, or full, and goes on with a new sub-buffer. */
static void test_frozen(void)
{
	ring_init(250);
	recording.can_flush = false;
	begin(flush);
	fake_ring_advance(&recording.ring);
	end(300);
	ok(has(300, 0) && recording.first_ns == recording.before + 10,
	   "a sub-buffer that could not be ended is left out");

	ring_init(250);
	recording.can_flush = false;
	begin(flush);
	end(0);
	ok(has(0, 0), "so is the last one");
}

static void test_lost(void)
{
	ring_init(10);
	recording.ring.producer->lost_records = 7;
	begin(flush);
	end(10);
	ok(has(10, 0), "what was lost before does not count");

	ring_init(10);
	recording.ring.producer->lost_records = 7;
	recording.loses = 5;
	begin(flush);
	recording.loses = 0;
	end(300);
	ok(has(300, 5), "what is lost at the begin counts");

	ring_init(0);
	begin(flush);
	put_switches(10);
	recording.ring.producer->lost_records = 3;
	end(0);
	ok(has(10, 3), "what is lost at the end counts");
}

/* The writer overtakes the recorder between two sub-buffers, while the worker is running. */
static void test_overtaken(unsigned int cpu)
{
	const struct vitrine_fxt_summary *summary = &recording.summary;

	cpu_ring_init(cpu, 0);
	begin(flush);
	fake_ring_fill(&recording.ring, 1);
	must(recorder_drain(0));
	ok(!recorder.nr_lost, "CPU %u: nothing is lost at first", cpu);
	fake_ring_fill(&recording.ring, 1 + 2 * NR_SUBBUFS);
	must(recorder_drain(0));
	ok(recorder.nr_lost, "CPU %u: %" PRIu64 " records are lost in the gap", cpu,
	   recorder.nr_lost);
	end(0);
	ok(!summary->nr_faults, "CPU %u: the file is sound", cpu);
	ok(summary->nr_lost == recorder.nr_lost, "CPU %u: the file counts them all", cpu);
	ok(summary->nr_cpus == 1, "CPU %u: all switches are of one CPU, not of %u", cpu,
	   summary->nr_cpus);
	ok(!recording.nr_elsewhere, "CPU %u: all records are of its provider", cpu);
	ok(recording.nr_telling && !recording.nr_mistaken, "CPU %u: switches name the idle thread",
	   cpu);
}

/* Count the wakeups of a context in the file that have the right waker as their argument. */
static unsigned int count_wakers(unsigned int context, uint64_t worker_from)
{
	bool by_interrupt = context == FXT_WAKEUP_HARDIRQ || context == FXT_WAKEUP_SOFTIRQ;
	static uint64_t words[1 << 16];
	unsigned int nr = 0;
	size_t i, nr_words;
	char path[256];
	FILE *file = fopen(path_of("trace.fxt", path), "r");

	if (!file)
		return 0;
	nr_words = fread(words, sizeof(*words), 1 << 16, file);
	fclose(file);
	for (i = 0; i + 5 <= nr_words; i++)
		nr += words[i] == (2ULL << 60 | (uint64_t)context << 36 | 1 << 16 | 5 << 4 |
				   FXT_RECORD_SCHEDULING) &&
		      words[i + 2] == FAKE_WORKER && words[i + 3] == (0x7fffU << 16 | 0x28) &&
		      words[i + 4] ==
		      (by_interrupt || words[i + 1] < worker_from ? 0 : FAKE_WORKER);
	return nr;
}

/* The first sub-buffer begins with the idle thread, which is the waker before any switch. */
static void test_wakers(void)
{
	uint64_t worker_from;
	unsigned int i;

	ring_init(0);
	begin(flush);
	for (i = 0; i < 10; i++)
		fake_ring_wakeup(&recording.ring, FXT_WAKEUP_THREAD);
	fake_ring_switch(&recording.ring);
	worker_from = recording.ring.ticks;
	for (i = 0; i < 500; i++)
		fake_ring_wakeup(&recording.ring, i % 5);
	end(0);
	ok(recording.summary.nr_wakeups == 510 && has(1, 0),
	   "wakers are added in sub-buffers that stay sound");
	/* The fake ring names the idle thread first in each sub-buffer. */
	for (i = 0; i < 5; i++)
		ok(count_wakers(i, worker_from) >= 20,
		   "context %u: the waker is the running thread or, after an interrupt, none", i);
}

int main(void)
{
	char path[256];

	snprintf(dir, sizeof(dir), "/tmp/vitrine-recorder.XXXXXX");
	if (!mkdtemp(dir) || mkdir(path_of("vitrine", path), 0700) ||
	    mkdir(path_of("vitrine/trace", path), 0700))
		return 1;
	setenv("VITRINE_DEBUGFS", dir, 1);
	ksft_print_header();
	test_begin();
	test_frozen();
	test_lost();
	test_overtaken(3);
	test_overtaken(255);
	test_overtaken(256);
	test_overtaken(300);
	test_wakers();
	unlink(path_of("trace.fxt", path));
	rmdir(path_of("vitrine/trace", path));
	rmdir(path_of("vitrine", path));
	rmdir(dir);
	return tests_end();
}
