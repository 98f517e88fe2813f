// SPDX-License-Identifier: GPL-2.0
/*
 * read-trace-cmd FILE: makes a Fuchsia trace of a file of trace-cmd's, with
 * libtracecmd, on its standard output, a pipe. `vitrine convert' starts it: it is a
 * program of its own, so that the command needs nothing of libtracecmd to be there,
 * and outlives what the library makes of a malformed file.
 *
 * The CPUs are merged by time, so that the name a thread has at a time is the one it
 * is given. Of each, little is in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "reader.h"
#include "status.h"

#define NSEC_PER_SEC	1000000000ULL

/* No clock has come that far; other formats can say it, too. */
#define LAST_NS		(1ULL << 62)

/* A page at most is between a record and the next; so much may lie behind. */
#define PAGE_BYTES	65536UL
#define RELEASE_BYTES	(1UL << 20)

#define OUT_PATH	"/proc/self/fd/1"

/* What the library warned of last. */
static char warning[256];

/*
 * These are the library's own, to be replaced by who wants to know; it has the first
 * in no header that is installed.
 */
const char *tracecmd_get_trace_clock(struct tracecmd_input *handle);
void tracecmd_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void tracecmd_critical(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void keep_warning(const char *format, va_list args)
{
	vsnprintf(warning, sizeof(warning), format, args);
	warning[strcspn(warning, "\n")] = '\0';
}

/**
 * tracecmd_warning() - the library warns
 * @format: of what
 */
void tracecmd_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_warning(format, args);
	va_end(args);
}

/**
 * tracecmd_critical() - the library gives up
 * @format: why
 */
void tracecmd_critical(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_warning(format, args);
	va_end(args);
}

static struct vitrine_error *malformed(const char *what)
{
	return vitrine_error_create(EBADMSG, NULL, VITRINE_NO_OFFSET,
				    "see what `trace-cmd report' says of it",
				    "%s%s%s", what, *warning ? ": " : "",
				    warning);
}

/* ---- The clock ---- */

/* Times of these are nanoseconds; of cycles, the library makes them with tsc2nsec. */
static struct vitrine_error *look_at_clock(const struct reader *reader)
{
	static const char * const clocks[] = {
		"local", "global", "perf", "mono", "mono_raw", "boot", "tai",
		"tsc2nsec",
	};
	const char *clock = tracecmd_get_trace_clock(reader->input);
	unsigned int i;

	if (!clock)
		return NULL;
	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clock, clocks[i]))
			return NULL;
	return vitrine_error_create(EPROTONOSUPPORT, NULL, VITRINE_NO_OFFSET,
				    "record with -C mono, or -C tsc2nsec",
				    "its clock, %s, does not count nanoseconds",
				    clock);
}

/* ---- Records ---- */

/*
 * Of how many are missing the kernel may have had no room to say. Before the first of
 * a CPU, they are to `vitrine check' what a recorder has overwritten.
 */
static struct vitrine_error *take_missed(struct reader *reader,
					 const struct cpu *cpu)
{
	long long nr = cpu->next->missed_events;

	if (nr < 0) {
		reader->nr_gaps++;
		nr = 1;
	}
	if (!cpu->begun)
		reader->nr_before += nr;
	return nr ? fxt_lane_out_lost(cpu->lane, nr) : NULL;
}

static struct vitrine_error *take_record(struct reader *reader,
					 struct cpu *cpu)
{
	struct vitrine_fxt_record *record = &reader->record;
	const struct tep_record *from = cpu->next;
	const struct kind *kind;
	struct tep_event *event;
	struct vitrine_error *err;

	if (from->ts < cpu->last_ns || from->ts > LAST_NS)
		return malformed("its times run backwards, or far away");
	err = take_missed(reader, cpu);
	cpu->last_ns = from->ts;
	cpu->begun = true;
	if (err)
		return err;
	event = tep_find_event_by_record(reader->tep, cpu->next);
	if (!event) {
		reader->left_out.nr[LEFT_OUT_UNKNOWN]++;
		return NULL;
	}
	kind = kind_of(reader, event);
	if (!kind)
		return vtr_error_no_memory();
	record->nr_args = 0;
	record->timed = true;
	record->ticks = from->ts;
	record->ticks_per_second = NSEC_PER_SEC;
	record->cpu = from->cpu;
	if (!make_record(reader, cpu, kind, from))
		return NULL;
	return fxt_lane_out_put(cpu->lane, record);
}

static struct cpu *earliest(const struct reader *reader)
{
	struct cpu *found = NULL, *cpu;
	unsigned int i;

	for (i = 0; i < reader->nr_cpus; i++) {
		cpu = &reader->cpus[i];
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
 * The library keeps mapped all it has read. What lies behind goes out of memory; if
 * it is needed again, it comes back.
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

static void read_next(const struct reader *reader, struct cpu *cpu)
{
	tracecmd_free_record(cpu->next);
	cpu->next = tracecmd_read_data(reader->input, cpu - reader->cpus);
	if (cpu->next)
		release(cpu);
}

static void read_first(const struct reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_cpus; i++) {
		tracecmd_free_record(reader->cpus[i].next);
		reader->cpus[i].next = tracecmd_read_cpu_first(reader->input,
							       i);
	}
}

static struct vitrine_error *take_records(struct reader *reader)
{
	struct vitrine_error *err = NULL;
	struct cpu *cpu;

	read_first(reader);
	while (!err && (cpu = earliest(reader))) {
		err = take_record(reader, cpu);
		read_next(reader, cpu);
	}
	/* It ends as it does at the end: that it warned is all there is to know. */
	if (!err && *warning)
		err = malformed("libtracecmd stops reading it");
	return err;
}

/*
 * Is a wakeup told when it is decided? The file describes events that it has none
 * of, too, so look for one.
 */
static void find_waking(struct reader *reader)
{
	const struct tep_event *event;
	struct cpu *cpu;

	event = tep_find_event_by_name(reader->tep, "sched", "sched_waking");
	if (!event)
		return;
	read_first(reader);
	while (!reader->waking && (cpu = earliest(reader))) {
		reader->waking = tep_data_type(reader->tep, cpu->next) ==
				 event->id;
		read_next(reader, cpu);
	}
}

/* ---- The file ---- */

static struct vitrine_error *open_cpus(struct reader *reader)
{
	int nr = tep_get_cpus(reader->tep), i;
	struct vitrine_error *err = NULL;

	if (nr <= 0)
		return malformed("it has no CPUs");
	reader->cpus = calloc(nr, sizeof(*reader->cpus));
	if (!reader->cpus)
		return vtr_error_no_memory();
	reader->nr_cpus = nr;
	for (i = 0; !err && i < nr; i++)
		err = fxt_lane_out_get(reader->out, i, &reader->cpus[i].lane);
	return err;
}

static struct vitrine_error *open_file(struct reader *reader)
{
	const int flags = TRACECMD_FL_LOAD_NO_PLUGINS |
			  TRACECMD_FL_LOAD_NO_SYSTEM_PLUGINS;
	int fd = open(reader->path, O_RDONLY | O_CLOEXEC);
	struct vitrine_error *err;

	if (fd < 0)
		return vtr_error_open(errno, reader->path);
	reader->input = tracecmd_open_fd(fd, flags);
	if (!reader->input)
		return malformed("libtracecmd cannot read it");
	reader->tep = tracecmd_get_tep(reader->input);
	err = look_at_clock(reader);
	if (!err)
		err = fxt_out_create(OUT_PATH, 0, &reader->out);
	if (!err)
		err = open_cpus(reader);
	/* What it warned of and could do without. */
	*warning = '\0';
	return err;
}

static void note(const struct reader *reader, uint64_t nr, const char *what)
{
	if (nr)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " %s\n", reader->path,
			nr, what);
}

static void print_counts(const struct reader *reader)
{
	const char *clock = tracecmd_get_trace_clock(reader->input);
	struct fxt_out_counts counts = fxt_out_counts(reader->out);
	int nr_buffers = tracecmd_buffer_instances(reader->input);
	struct left_out left_out = reader->left_out;

	fprintf(stderr, "vitrine: %s: times are of the kernel's clock %s\n",
		reader->path, clock ? clock : "local");
	left_out.nr[LEFT_OUT_EVENT] += counts.nr_refused;
	left_out_print(&left_out, reader->path, "a Fuchsia trace", stderr);
	note(reader, nr_buffers > 0 ? nr_buffers : 0,
	     "further buffers are left out");
	note(reader, reader->nr_before,
	     "events were overwritten before the first of their CPU");
	note(reader, reader->nr_gaps,
	     "gaps of unknown length: for each, one record is counted as lost");
	note(reader, counts.nr_breaks,
	     "switches from a thread that was not running: for each, one record before it is counted as lost");
}

static void close_file(struct reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_cpus; i++)
		tracecmd_free_record(reader->cpus[i].next);
	free(reader->cpus);
	fxt_out_destroy(reader->out);
	fxt_names_deinit(&reader->named);
	destroy_kinds(reader);
	if (reader->input)
		tracecmd_close(reader->input);
}

static int tell(struct vitrine_error *err)
{
	dprintf(HELPER_STATUS_FD, "%d\n%s\n%s\n", err->code, err->message,
		err->advice ? err->advice : "");
	vitrine_error_destroy(err);
	return EXIT_FAILURE;
}

/**
 * main() - make a Fuchsia trace of a file of trace-cmd's
 * @argc: 2
 * @argv: the file's name is the second
 *
 * Return: EXIT_SUCCESS, or EXIT_FAILURE and status.h says more.
 */
int main(int argc, char **argv)
{
	struct reader reader = { .path = argv[argc - 1] };
	struct vitrine_error *err;

	err = open_file(&reader);
	if (!err) {
		find_waking(&reader);
		err = take_records(&reader);
	}
	if (!err)
		err = fxt_out_commit(reader.out);
	if (!err)
		print_counts(&reader);
	close_file(&reader);
	return err ? tell(err) : EXIT_SUCCESS;
}
