// SPDX-License-Identifier: GPL-2.0
/*
 * read-trace-cmd FILE: convert a file of trace-cmd to a Fuchsia trace with libtracecmd, and
 * write the trace to standard output, which is a pipe. `vitrine convert' runs this program.
 * It is separate so that the command does not depend on libtracecmd, and survives if the
 * library crashes on a malformed file.
 *
 * The CPUs are merged by time, so that each thread has the name it had at the time of the
 * event. Only a small part of each CPU's data is in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <trace-cmd.h>

#include "base.h"
#include "event.h"

/* Later times are rejected as malformed; all formats can represent earlier ones. */
#define LAST_NS		(1ULL << 62)

/* Successive records are at most one page apart; memory is released in larger parts. */
#define PAGE_BYTES	65536UL
#define RELEASE_BYTES	(1UL << 20)

#define OUT_PATH	"/proc/self/fd/1"

/* The file. */
static struct reader reader;

/* The last warning of libtracecmd. */
static char warning[256];

/*
 * Functions of libtracecmd. The first one is declared in no installed header. This program
 * replaces the others, to get the warnings of the library.
 */
const char *tracecmd_get_trace_clock(struct tracecmd_input *handle);
void tracecmd_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void tracecmd_critical(const char *format, ...)
	__attribute__((format(printf, 1, 2), alias("tracecmd_warning")));

/**
 * tracecmd_warning() - receive a warning or a fatal error of libtracecmd
 * @format: the warning, as for printf()
 */
void tracecmd_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(warning, sizeof(warning), format, args);
	va_end(args);
	warning[strcspn(warning, "\n")] = '\0';
}

/* End the program, because the file is malformed. */
static void __attribute__((noreturn)) reject(const char *what)
{
	fail(vitrine_error_create(EBADMSG, NULL, VITRINE_NO_OFFSET,
				  "check it with `trace-cmd report'",
				  "%s%s%s", what, *warning ? ": " : "", warning));
}

/* ---- The clock ---- */

/* Check that the clock counts nanoseconds; with tsc2nsec the library converts cycles. */
static void look_at_clock(void)
{
	static const char * const clocks[] = {
		"local", "global", "perf", "mono", "mono_raw", "boot", "tai",
		"tsc2nsec",
	};
	const char *clock = tracecmd_get_trace_clock(reader.input);
	unsigned int i;

	if (!clock)
		return;
	for (i = 0; i < ARRAY_LEN(clocks); i++)
		if (!strcmp(clock, clocks[i]))
			return;
	must(vitrine_error_create(EPROTONOSUPPORT, NULL, VITRINE_NO_OFFSET,
				  "record with -C mono, or -C tsc2nsec",
				  "its clock, %s, does not count nanoseconds", clock));
}

/* ---- Records ---- */

/*
 * Write the number of missing events as lost records. The kernel does not always tell the
 * number; one is counted then. `vitrine check' takes records missing before the first
 * record of a CPU for overwritten ones.
 */
static void take_missed(const struct cpu *cpu)
{
	long long nr = cpu->next->missed_events;

	if (nr < 0) {
		reader.nr_gaps++;
		nr = 1;
	}
	if (!cpu->begun)
		reader.nr_before += nr;
	if (nr)
		fxt_out_lost(reader.foreign.out, 0, cpu->foreign.number, nr);
}

static void take_record(struct cpu *cpu)
{
	struct tep_record *from = cpu->next;

	if (from->ts < cpu->last_ns || from->ts > LAST_NS)
		reject("its timestamps run backwards or jump too far");
	take_missed(cpu);
	cpu->last_ns = from->ts;
	cpu->begun = true;
	put_event(&reader, cpu, from);
}

static struct cpu *earliest(void)
{
	struct cpu *found = NULL, *cpu;
	unsigned int i;

	for (i = 0; i < reader.nr_cpus; i++) {
		cpu = &reader.cpus[i];
		if (cpu->next && (!found || cpu->next->ts < found->next->ts))
			found = cpu;
	}
	return found;
}

static void page_out(uintptr_t begin, uintptr_t end)
{
	madvise((void *)begin, end - begin, MADV_PAGEOUT);
}

/*
 * Release the memory of pages that have been read: the library keeps them mapped. The
 * kernel reads a page again if it is still needed.
 */
static void release(struct cpu *cpu)
{
	uintptr_t at = (uintptr_t)cpu->next->data & -PAGE_BYTES;

	if (at - cpu->seen > PAGE_BYTES) {
		/* The next part is mapped elsewhere. */
		page_out(cpu->released, cpu->seen + PAGE_BYTES);
		cpu->released = at;
	} else if (at - cpu->released > RELEASE_BYTES) {
		page_out(cpu->released, at);
		cpu->released = at;
	}
	cpu->seen = at;
}

static void read_next(struct cpu *cpu)
{
	tracecmd_free_record(cpu->next);
	cpu->next = tracecmd_read_data(reader.input, cpu - reader.cpus);
	if (cpu->next)
		release(cpu);
}

static void read_first(void)
{
	unsigned int i;

	for (i = 0; i < reader.nr_cpus; i++) {
		tracecmd_free_record(reader.cpus[i].next);
		reader.cpus[i].next = tracecmd_read_cpu_first(reader.input, i);
	}
}

/*
 * Find out whether the file has sched_waking events. The file also describes events that
 * were not recorded, so look for an event.
 */
static void find_waking(void)
{
	const struct tep_event *event;
	struct cpu *cpu;

	event = tep_find_event_by_name(reader.tep, "sched", "sched_waking");
	if (!event)
		return;
	read_first();
	while (!reader.waking && (cpu = earliest())) {
		reader.waking = tep_data_type(reader.tep, cpu->next) ==
				 event->id;
		read_next(cpu);
	}
}

static void take_records(void)
{
	struct cpu *cpu;

	find_waking();
	read_first();
	while ((cpu = earliest())) {
		take_record(cpu);
		read_next(cpu);
	}
	/* After an error the library ends the records as usual, but it has warned. */
	if (*warning)
		reject("libtracecmd stops reading it");
}

/* ---- The file ---- */

static void open_cpus(void)
{
	int nr = tep_get_cpus(reader.tep), i;

	if (nr <= 0)
		reject("the file names no CPUs");
	reader.cpus = calloc(nr, sizeof(*reader.cpus));
	if (!reader.cpus)
		must(vtr_error_no_memory());
	reader.nr_cpus = nr;
	for (i = 0; i < nr; i++)
		reader.cpus[i].foreign.number = i;
}

static void open_file(void)
{
	const int flags = TRACECMD_FL_LOAD_NO_PLUGINS |
			  TRACECMD_FL_LOAD_NO_SYSTEM_PLUGINS;
	int fd = open(reader.path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		must(vtr_error_open(errno, reader.path));
	reader.input = tracecmd_open_fd(fd, flags);
	if (!reader.input)
		reject("libtracecmd cannot read it");
	reader.tep = tracecmd_get_tep(reader.input);
	look_at_clock();
	must(fxt_out_create(OUT_PATH, 0, &reader.foreign.out));
	open_cpus();
	/* Opening succeeded, so the warnings so far do not matter. */
	*warning = '\0';
}

static void print_counts(void)
{
	const char *clock = tracecmd_get_trace_clock(reader.input);
	struct fxt_out_counts counts = fxt_out_counts(reader.foreign.out);
	int nr_buffers = tracecmd_buffer_instances(reader.input);

	fprintf(stderr, "vitrine: %s: times are of the kernel's clock %s\n",
		reader.path, clock ? clock : "local");
	left_out_print_fxt(reader.foreign.left_out, &counts, reader.path, stderr);
	left_out_note(reader.path, nr_buffers > 0 ? nr_buffers : 0,
		      "further buffers are left out", stderr);
	left_out_note(reader.path, reader.nr_before,
		      "events were overwritten before the first of their CPU", stderr);
	left_out_note(reader.path, reader.nr_gaps,
		      "gaps of unknown length; one lost record is counted for each",
		      stderr);
}

static void close_file(void)
{
	unsigned int i;

	for (i = 0; i < reader.nr_cpus; i++)
		tracecmd_free_record(reader.cpus[i].next);
	free(reader.cpus);
	foreign_deinit(&reader.foreign);
	if (reader.input)
		tracecmd_close(reader.input);
}

/**
 * main() - convert a file of trace-cmd to a Fuchsia trace
 * @argc: 2
 * @argv: name of the program, name of the file
 *
 * Return: EXIT_SUCCESS; EXIT_FAILURE after an error was reported as helpers.h describes.
 */
int main(int argc, char **argv)
{
	reader.path = argv[argc - 1];
	reader.foreign.ops = &event_ops;
	open_file();
	take_records();
	must(fxt_out_commit(reader.foreign.out));
	print_counts();
	close_file();
	return EXIT_SUCCESS;
}
