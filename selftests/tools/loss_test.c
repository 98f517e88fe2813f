// SPDX-License-Identifier: GPL-2.0
/*
 * What a recorder that was overtaken writes about it: the records that are
 * missing, and a row of switches that goes through idle, on the CPU it is of.
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "fake_ring.h"
#include "tap.h"
#include "vitrine.h"

#define NR_SUBBUFS	4
#define SUBBUF_BYTES	4096

static void must(struct vitrine_error *err)
{
	if (!err)
		return;
	vitrine_error_print(err, stderr);
	exit(1);
}

/* Write the next sub-buffer, and before it what was lost; which is told. */
static uint64_t write_next(struct vitrine_writer *writer,
			   struct vitrine_ring *reader)
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

static void print_fault(void *ctx, uint64_t offset, const char *message)
{
	(void)ctx;
	printf("# offset 0x%" PRIx64 ": %s\n", offset, message);
}

/* Two sub-buffers are written, and between them the ring was once round. */
static void test_cpu(unsigned int cpu, const char *path)
{
	static const struct vitrine_fxt_report report = { .fault = print_fault };
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
	/* The worker runs where the gap begins and where it ends. */
	lost = write_next(writer, reader);
	tap_check(!lost, "CPU %u: nothing lost at first", cpu);
	fake_ring_fill(&ring, 1 + 2 * NR_SUBBUFS);
	lost = write_next(writer, reader);
	tap_check(lost, "CPU %u: then %" PRIu64 " records", cpu, lost);
	must(vitrine_writer_commit(writer));
	vitrine_writer_destroy(writer);

	must(vitrine_fxt_check(path, &report, &summary));
	tap_check(!summary.nr_faults, "CPU %u: the file is sound", cpu);
	tap_check(summary.nr_lost == lost, "CPU %u: and says how many", cpu);
	tap_check(summary.nr_cpus == 1,
		  "CPU %u: all switches are that CPU's, not of %u", cpu,
		  summary.nr_cpus);
	vitrine_ring_destroy(reader);
	fake_ring_deinit(&ring);
}

int main(void)
{
	char path[] = "/tmp/loss_test-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_cpu(3, path);
	test_cpu(255, path);
	test_cpu(256, path);
	test_cpu(300, path);
	unlink(path);
	return tap_finish();
}
