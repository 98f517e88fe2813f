// SPDX-License-Identifier: GPL-2.0
/*
 * Test what a recording holds of its rings: nothing that was written before it began, the
 * same numbers of switches and of lost records in the file as the recorder has counted, and
 * the waker of each wakeup.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include <vitrine/fxt.h>

#include "../must.h"
#include "fake_ring.h"
#include "kselftest.h"
#include "live/recording.h"

#define NR_SUBBUFS	8
#define SUBBUF_BYTES	4096

/**
 * struct recording - a recording of one fake ring
 * @ring: the writer
 * @can_flush: the ring begins a new sub-buffer when it is flushed
 * @loses: number of records that are lost after each flush
 * @summary: what the finished file holds
 * @first_ns: time of the first switch in it, or 0
 */
struct recording {
	struct fake_ring ring;
	bool can_flush;
	unsigned int loses;
	struct vitrine_fxt_summary summary;
	uint64_t first_ns;
};

static char dir[32];

/* The recording in progress. */
static struct recording *flushed;

static char *path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", dir, name);
	return path;
}

static void recording_init(struct recording *recording)
{
	static char output[256];
	char path[256];
	int fd = open(path_of("vitrine/trace/cpu0", path), O_RDWR | O_CREAT | O_TRUNC, 0600);

	flushed = recording;
	memset(recording, 0, sizeof(*recording));
	fake_ring_init(&recording->ring, fd, 0, NR_SUBBUFS, SUBBUF_BYTES);
	recording->can_flush = true;
	recorder = (struct recorder){ .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	rotation = (struct rotation){ .output = path_of("trace.fxt", output) };
	must(rotation_open());
	must(recorder_scan());
}

static void put_switches(struct recording *recording, unsigned int nr)
{
	while (nr--)
		fake_ring_switch(&recording->ring);
}

/* As the module does for "flush". */
static bool flush(void)
{
	if (flushed->can_flush && flushed->ring.packet)
		fake_ring_advance(&flushed->ring);
	flushed->ring.producer->lost_records += flushed->loses;
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

/* Finish the file, and read it. */
static void end(struct recording *recording)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_archive *archive;
	char path[256];

	must(recorder_finish(flush));
	must(rotation_commit());
	path_of("trace.fxt", path);
	must(vitrine_fxt_check(path, NULL, &recording->summary));
	must(vitrine_archive_create(path, NULL, &archive));
	do
		must(vitrine_archive_next(archive, &record));
	while (record && record->kind != VITRINE_FXT_SWITCH);
	recording->first_ns = record ? record->ticks : 0;
	vitrine_archive_destroy(archive);
	recorder_deinit();
	fake_ring_deinit(&recording->ring);
}

/* Record @nr switches of a ring that has @nr_before. */
static void record(struct recording *recording, unsigned int nr_before, bool (*how)(void),
		   unsigned int nr)
{
	recording_init(recording);
	put_switches(recording, nr_before);
	begin(how);
	put_switches(recording, nr);
	end(recording);
}

/* The file is sound, and has as much as was counted. */
static bool has(const struct recording *recording, uint64_t nr_switches, uint64_t nr_lost)
{
	const struct vitrine_fxt_summary *summary = &recording->summary;

	if (!summary->nr_faults && summary->nr_switches == nr_switches &&
	    recorder.nr_switches == nr_switches && summary->nr_lost == nr_lost &&
	    recorder.nr_lost == nr_lost)
		return true;
	printf("# %llu switches, %llu counted; %llu lost, %llu counted; %llu faults\n",
	       (unsigned long long)summary->nr_switches, (unsigned long long)recorder.nr_switches,
	       (unsigned long long)summary->nr_lost,
	       (unsigned long long)recorder.nr_lost,
	       (unsigned long long)summary->nr_faults);
	return false;
}

static void test_begin(void)
{
	struct recording recording;
	uint64_t before;

	recording_init(&recording);
	put_switches(&recording, 1000);
	before = recording.ring.ticks;
	begin(flush);
	put_switches(&recording, 900);
	end(&recording);
	ksft_test_result(has(&recording, 900, 0), "what is written after the begin is recorded\n");
	ksft_test_result(recording.first_ns == before + 10, "nothing before it is\n");

	record(&recording, 10, cannot_flush, 10);
	ksft_test_result(has(&recording, 20, 0),
			 "without a flush, it begins with the current sub-buffer\n");

	record(&recording, 0, flush, 300);
	ksft_test_result(has(&recording, 300, 0), "all of a new ring is recorded\n");

	record(&recording, 10, flush, 0);
	ksft_test_result(has(&recording, 0, 0), "a CPU without records has none\n");
}

/* The ring is frozen when recording begins, or full, and goes on with a new sub-buffer. */
static void test_frozen(void)
{
	struct recording recording;
	uint64_t before;

	recording_init(&recording);
	put_switches(&recording, 250);
	before = recording.ring.ticks;
	recording.can_flush = false;
	begin(flush);
	fake_ring_advance(&recording.ring);
	put_switches(&recording, 300);
	end(&recording);
	ksft_test_result(has(&recording, 300, 0) && recording.first_ns == before + 10,
			 "a sub-buffer that could not be ended is left out\n");

	recording_init(&recording);
	put_switches(&recording, 250);
	recording.can_flush = false;
	begin(flush);
	end(&recording);
	ksft_test_result(has(&recording, 0, 0), "so is the last one\n");
}

static void test_lost(void)
{
	struct recording recording;

	recording_init(&recording);
	put_switches(&recording, 10);
	recording.ring.producer->lost_records = 7;
	begin(flush);
	put_switches(&recording, 10);
	end(&recording);
	ksft_test_result(has(&recording, 10, 0), "what was lost before does not count\n");

	recording_init(&recording);
	put_switches(&recording, 10);
	recording.ring.producer->lost_records = 7;
	recording.loses = 5;
	begin(flush);
	recording.loses = 0;
	put_switches(&recording, 300);
	end(&recording);
	ksft_test_result(has(&recording, 300, 5), "what is lost at the begin counts\n");

	recording_init(&recording);
	begin(flush);
	put_switches(&recording, 10);
	recording.ring.producer->lost_records = 3;
	end(&recording);
	ksft_test_result(has(&recording, 10, 3), "what is lost at the end counts\n");
}

/* Count the wakeups in the file that have the right waker as their argument. */
static unsigned int count_wakers(uint64_t worker_from)
{
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
		nr += words[i] == (2ULL << 60 | 1 << 16 | 5 << 4 | FXT_RECORD_SCHEDULING) &&
		      words[i + 2] == FAKE_WORKER && words[i + 3] == (0x7fffU << 16 | 0x28) &&
		      words[i + 4] == (words[i + 1] < worker_from ? 0 : FAKE_WORKER);
	return nr;
}

/* The first sub-buffer begins with the idle thread, which is the waker before any switch. */
static void test_wakers(void)
{
	struct recording recording;
	uint64_t worker_from;
	unsigned int i;

	recording_init(&recording);
	begin(flush);
	for (i = 0; i < 10; i++)
		fake_ring_wakeup(&recording.ring);
	put_switches(&recording, 1);
	worker_from = recording.ring.ticks;
	for (i = 0; i < 500; i++)
		fake_ring_wakeup(&recording.ring);
	end(&recording);
	ksft_test_result(recording.summary.nr_wakeups == 510 && has(&recording, 1, 0),
			 "wakers are added in sub-buffers that stay sound\n");
	/* The fake ring names the idle thread first in each sub-buffer. */
	ksft_test_result(count_wakers(worker_from) >= 100, "the waker is the running thread\n");
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
	ksft_set_plan(12);
	test_begin();
	test_frozen();
	test_lost();
	test_wakers();
	unlink(path_of("vitrine/trace/cpu0", path));
	unlink(path_of("trace.fxt", path));
	rmdir(path_of("vitrine/trace", path));
	rmdir(path_of("vitrine", path));
	rmdir(dir);
	ksft_finished();
}
