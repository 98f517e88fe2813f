// SPDX-License-Identifier: GPL-2.0
/*
 * Test what the recorder writes after the writer has overtaken it: the number of lost
 * records, and a chain of switches that is closed through idle, on the right CPU.
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "../must.h"
#include "fake_ring.h"
#include "test.h"

#define NR_SUBBUFS	4
#define SUBBUF_BYTES	4096

/* Write the next sub-buffer, and the loss before it. Return the number of lost records. */
static uint64_t write_next(struct vitrine_writer *writer, struct vitrine_ring *reader)
{
	const struct vitrine_subbuf *subbuf;

	must(vitrine_ring_next(reader, &subbuf));
	if (!subbuf)
		exit(1);
	if (subbuf->loss.nr_records)
		must(vitrine_writer_append_loss(writer, &subbuf->loss));
	must(vitrine_writer_append(writer, subbuf->bytes, subbuf->len_bytes));
	return subbuf->nr_lost;
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

static bool all_know_idle(const char *path)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_archive *archive;
	unsigned int nr = 0;
	bool good = true;

	must(vitrine_archive_create(path, NULL, &archive));
	for (must(vitrine_archive_next(archive, &record)); record;
	     must(vitrine_archive_next(archive, &record))) {
		/* The fake ring writes newer records without weights. */
		if (record->kind != VITRINE_FXT_SWITCH ||
		    (!record->context_switch.legacy && !record->nr_args))
			continue;
		nr++;
		good = good && knows_idle(record);
	}
	vitrine_archive_destroy(archive);
	return good && nr;
}

/* Write two sub-buffers, between which the writer overtakes the reader. */
static void test_cpu(unsigned int cpu, const char *path)
{
	static const struct vitrine_fxt_report report = { .fault = print_fault, .ctx = "trace" };
	int fd = memfd_create("ring", 0);
	struct vitrine_fxt_summary summary;
	struct vitrine_writer *writer;
	struct vitrine_ring *reader;
	struct fake_ring ring;
	char source[32];
	uint64_t lost;

	fake_ring_init(&ring, fd, cpu, NR_SUBBUFS, SUBBUF_BYTES);
	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	must(vitrine_ring_create(source, 0, &reader));
	must(vitrine_writer_create(path, &writer));
	fake_ring_fill(&ring, 1);
	/* The worker is running at the begin and at the end of the gap. */
	lost = write_next(writer, reader);
	ok(!lost, "CPU %u: nothing is lost at first", cpu);
	fake_ring_fill(&ring, 1 + 2 * NR_SUBBUFS);
	lost = write_next(writer, reader);
	ok(lost, "CPU %u: %" PRIu64 " records are lost in the gap", cpu, lost);
	must(vitrine_writer_commit(writer));
	vitrine_writer_destroy(writer);

	must(vitrine_fxt_check(path, &report, &summary));
	ok(!summary.nr_faults, "CPU %u: the file is sound", cpu);
	ok(summary.nr_lost == lost, "CPU %u: the file counts them all", cpu);
	ok(summary.nr_cpus == 1, "CPU %u: all switches are of one CPU, not of %u", cpu,
	   summary.nr_cpus);
	ok(all_know_idle(path), "CPU %u: switches name the idle thread", cpu);
	vitrine_ring_destroy(reader);
	fake_ring_deinit(&ring);
}

int main(void)
{
	char path[] = "/tmp/loss_test-XXXXXX";
	int fd = mkstemp(path);

	ksft_print_header();
	if (fd < 0)
		return 1;
	close(fd);
	test_cpu(3, path);
	test_cpu(255, path);
	test_cpu(256, path);
	test_cpu(300, path);
	unlink(path);
	return tests_end();
}
