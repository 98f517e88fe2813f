// SPDX-License-Identifier: GPL-2.0
/*
 * read-tracefs INSTANCE: read the events of an instance of tracefs while they are recorded,
 * and write them to standard output, which is a pipe, as sub-buffers of a Fuchsia trace.
 * `vitrine record' starts this program; helpers.h has its input. It is separate so that the
 * command does not depend on libtraceevent, and survives if the library crashes.
 *
 * The recorder has set up the instance and removes it. This program only reads: the formats
 * of the events at first, then the pages of all CPUs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <kbuffer.h>
#include <vitrine/map.h>

#include "base.h"
#include "fxt_field.h"
#include "event.h"

#define NSEC_PER_SEC	1000000000ULL

#define OUT_PATH	"/proc/self/fd/1"

/* CPUs are drained at least so often; the kernel reports one that is half full. */
#define TICK_MS		500

/* Pages of one CPU that are read before the next CPU's. */
#define ROUND_PAGES	256

/* Readings of both clocks, of which the one that took the shortest time counts. */
#define NR_READINGS	32

/* Samples of both clocks that are at least so far apart define the rate. */
#define SAMPLE_NS	1000000ULL

/* Bit of /proc/PID/stat's flags. */
#define PF_KTHREAD	0x00200000

/* Kernel threads belong to kthreadd, as in the records of the module. */
#define KTHREADD	2

/* Both clocks at one time. */
struct sample {
	uint64_t ns;
	uint64_t ticks;
};

/**
 * struct live - an instance that is being read
 * @reader: what the conversion of events needs
 * @processes: processes of threads, as far as they are known
 * @session: the session of the recorder
 * @is_converted: the instance has nanoseconds, and the session ticks
 * @before: with @is_converted, an earlier sample of the clocks
 * @now: with @is_converted, the last sample
 * @fds: what to wait for: standard input, and the pages of each CPU
 * @kbuffer: parser of pages
 * @page: a page
 * @page_bytes: size of @page
 * @is_ended: the input has ended
 */
static struct live {
	struct reader reader;
	struct fxt_names processes;
	struct fxt_out_session session;
	bool is_converted;
	struct sample before;
	struct sample now;
	struct pollfd *fds;
	struct kbuffer *kbuffer;
	void *page;
	size_t page_bytes;
	bool is_ended;
} live;

/* ---- Clocks ---- */

/* Read the counter of vtr_counter_ticks() in the module. */
static uint64_t read_counter(void)
{
	uint64_t ticks = 0;

#if defined(__aarch64__)
	asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r" (ticks) : : "memory");
#elif defined(__riscv)
	asm volatile("fence; rdtime %0; fence" : "=r" (ticks) : : "memory");
#endif
	return ticks;
}

static uint64_t read_mono(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static struct sample read_clocks(void)
{
	uint64_t before, after, shortest = UINT64_MAX, ns;
	struct sample best = { 0 };
	unsigned int i;

	for (i = 0; i < NR_READINGS; i++) {
		before = read_counter();
		ns = read_mono();
		after = read_counter();
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best = (struct sample){ ns, before + shortest / 2 };
	}
	return best;
}

static void sample_clocks(void)
{
	const struct sample now = read_clocks();

	if (live.now.ns - live.before.ns >= SAMPLE_NS)
		live.before = live.now;
	live.now = now;
}

/* Convert a time of the instance to ticks of the session. */
static uint64_t ticks_of(uint64_t ts)
{
	const struct sample *from = &live.before;
	uint64_t ns = live.now.ns - from->ns;

	if (!live.is_converted)
		return ts;
	if (ns < SAMPLE_NS)
		return from->ticks + (__int128)(int64_t)(ts - from->ns) *
		       live.session.ticks_per_second / NSEC_PER_SEC;
	return from->ticks + (__int128)(int64_t)(ts - from->ns) *
	       (live.now.ticks - from->ticks) / ns;
}

/* ---- Threads ---- */

static bool is_kernel_thread(uint64_t tid)
{
	char path[64], line[512], *end = NULL;
	unsigned int flags = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", tid);
	file = fopen(path, "re");
	/* The name of the thread may contain anything. */
	if (file && fgets(line, sizeof(line), file))
		end = strrchr(line, ')');
	if (file)
		fclose(file);
	return end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_KTHREAD;
}

/* Return the number in the first line of a file that scanf() reads as @format, or @other. */
static uint64_t read_number(const char *path, const char *format, uint64_t other)
{
	FILE *file = fopen(path, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, format, &other) == 1)
			break;
	if (file)
		fclose(file);
	return other;
}

/* Return the process of a thread; itself if the thread has ended already. */
static uint64_t look_up_process(uint64_t tid)
{
	char path[64];

	if (is_kernel_thread(tid))
		return KTHREADD;
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", tid);
	return read_number(path, "Tgid: %" SCNu64, tid);
}

static uint64_t process_of(struct reader *reader, uint64_t tid)
{
	struct fxt_name *entry = fxt_names_get(&live.processes, tid);

	if (!entry)
		return look_up_process(tid);
	if (!entry->owned) {
		entry->process = look_up_process(tid);
		entry->owned = true;
	}
	return entry->process;
}

/* ---- Loss ---- */

/* Return how many events of a CPU were overwritten before they were read; 0 if unknown. */
static uint64_t nr_overwritten(unsigned int number)
{
	char path[64];

	snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", number);
	return read_number(path, "overrun: %" SCNu64, 0);
}

/* Report that events of a CPU were lost between its last one and @ticks. */
static void put_loss(struct cpu *cpu, uint64_t nr_records, uint64_t ticks)
{
	static const struct vitrine_fxt_string lost = { "lost", 4 };
	struct vitrine_fxt_record *record = &live.reader.foreign.record;
	const uint64_t thread = VITRINE_LOSS_THREAD(cpu->foreign.number);

	fxt_out_lost(live.reader.foreign.out, 0, cpu->foreign.number, nr_records);
	*record = (struct vitrine_fxt_record){
		.kind = VITRINE_FXT_EVENT,
		.timed = true,
		.cpu = cpu->foreign.number,
		.ticks = cpu->begun ? cpu->last_ns : ticks,
		.event = {
			.type = FXT_EVENT_DURATION_COMPLETE,
			.thread.thread = thread,
			.category = { FXT_TRACEFS_NAME, strlen(FXT_TRACEFS_NAME) },
			.name = { "drop_stats", 10 },
			.id = ticks,
		},
	};
	fxt_add_arg(record, FXT_ARG_UINT64, "num_records")->value.uint64 = nr_records;
	fxt_out_name_thread(live.reader.foreign.out, thread, 0, &lost);
	fxt_out_put(live.reader.foreign.out, record);
}

/*
 * Report the loss before a page. The kernel tells the number, @nr_told, only if the page has
 * room for it, otherwise -1; its counter has grown further if events were overwritten since
 * the page was read, and then the next gap is counted already.
 */
static void put_missed(struct cpu *cpu, int nr_told, uint64_t ticks)
{
	uint64_t nr_lost = nr_overwritten(cpu->foreign.number);

	/* The counter may lack events whose loss the kernel reported. */
	if (!nr_lost || nr_lost < cpu->nr_lost)
		nr_lost = cpu->nr_lost + (nr_told < 0 ? 1 : nr_told);
	nr_lost -= cpu->nr_lost;
	cpu->nr_lost += nr_lost;
	if (nr_lost)
		put_loss(cpu, nr_lost, ticks);
}

/* ---- Events ---- */

/* Convert the page in live.page. */
static void take_page(struct cpu *cpu)
{
	struct kbuffer *kbuffer = live.kbuffer;
	struct tep_record from = { .cpu = cpu - live.reader.cpus };
	unsigned long long ts;
	uint64_t ticks;
	int nr_missed;

	if (kbuffer_load_subbuffer(kbuffer, live.page))
		must(vitrine_error_create(EBADMSG, live.reader.path, VITRINE_NO_OFFSET,
					  NULL, "libtraceevent cannot read a page"));
	nr_missed = kbuffer_missed_events(kbuffer);
	for (from.data = kbuffer_read_event(kbuffer, &ts); from.data;
	     from.data = kbuffer_next_event(kbuffer, &ts)) {
		from.ts = ts;
		from.size = kbuffer_event_size(kbuffer);
		ticks = ticks_of(ts);
		/* A conversion may be off by the error of a sample. */
		if (ticks < cpu->last_ns)
			ticks = cpu->last_ns;
		if (nr_missed)
			put_missed(cpu, nr_missed, ticks);
		nr_missed = 0;
		cpu->last_ns = ticks;
		cpu->begun = true;
		put_event(&live.reader, cpu, &from);
	}
}

/* ---- The instance ---- */

/* Read the format of an event, "SYSTEM:EVENT", which is modified. */
static void read_format(char *event)
{
	const char *system = strsep(&event, ":");
	char path[PATH_MAX], *text = NULL;
	ssize_t len = -1;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "events/%s/%s/format", system, event ? event : "");
	file = fopen(path, "re");
	if (file)
		len = getdelim(&text, &size, '\0', file);
	if (len < 0)
		must(vtr_error_os(errno, path, "cannot read"));
	if (tep_parse_event(live.reader.tep, text, len, system))
		must(vitrine_error_create(EBADMSG, path, VITRINE_NO_OFFSET, NULL,
					  "libtraceevent cannot read this format"));
	fclose(file);
	free(text);
}

static void read_events(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0 && *line != '\n') {
		line[strcspn(line, "\n")] = '\0';
		read_format(line);
	}
	free(line);
}

static void read_session(void)
{
	struct fxt_out_session *session = &live.session;
	unsigned int is_converted;

	if (scanf("%" SCNu32 " %" SCNu64 " %" SCNu32 " %u\n", &session->clock,
		  &session->ticks_per_second, &session->session, &is_converted) != 4)
		must(vitrine_error_create(EINVAL, live.reader.path, VITRINE_NO_OFFSET,
					  NULL, "no session given"));
	session->provider = FXT_TRACEFS_PROVIDER(0);
	session->name = FXT_TRACEFS_NAME;
	session->is_nameless = true;
	live.is_converted = is_converted;
	if (is_converted)
		live.before = read_clocks();
	live.now = live.before;
}

/* Open the pages of a CPU; return false if there is no such CPU. */
static bool open_cpu(unsigned int number)
{
	struct cpu *cpu = &live.reader.cpus[number];
	char path[64];

	snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", number);
	cpu->foreign.number = number;
	cpu->pages_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	live.fds[1 + number] = (struct pollfd){ .fd = cpu->pages_fd, .events = POLLIN };
	return cpu->pages_fd >= 0;
}

static void open_cpus(void)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct reader *reader = &live.reader;
	long i;

	reader->cpus = calloc(nr, sizeof(*reader->cpus));
	live.fds = calloc(1 + nr, sizeof(*live.fds));
	if (!reader->cpus || !live.fds)
		must(vtr_error_no_memory());
	live.fds[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	for (i = 0; i < nr; i++) {
		if (!open_cpu(i) && errno != ENOENT)
			must(vtr_error_os(errno, reader->path, "cannot read its events"));
		reader->nr_cpus++;
	}
}

static void open_instance(void)
{
	struct reader *reader = &live.reader;

	if (chdir(reader->path))
		must(vtr_error_os(errno, reader->path, "cannot read"));
	/* Its warnings about formats are not the user's business. */
	tep_set_loglevel(TEP_LOG_NONE);
	reader->tep = tep_alloc();
	live.kbuffer = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	live.page_bytes = sysconf(_SC_PAGESIZE);
	live.page = malloc(live.page_bytes);
	if (!reader->tep || !live.kbuffer || !live.page)
		must(vtr_error_no_memory());
	tep_set_long_size(reader->tep, sizeof(long));
	read_session();
	read_events();
	must(fxt_out_create(OUT_PATH, 0, &reader->foreign.out));
	fxt_out_set_session(reader->foreign.out, &live.session);
	open_cpus();
}

/* ---- Reading ---- */

/*
 * Read the pages of a CPU; return whether there may be more of them. A CPU that was never
 * online has no pages, which is an error in some kernels.
 */
static bool drain_cpu(struct cpu *cpu)
{
	unsigned int nr_pages;
	ssize_t len;

	for (nr_pages = 0; cpu->pages_fd >= 0 && nr_pages < ROUND_PAGES; nr_pages++) {
		len = read(cpu->pages_fd, live.page, live.page_bytes);
		if (!len || (len < 0 && (errno == EAGAIN || errno == ENODEV || errno == EINVAL)))
			return false;
		if (len < 0)
			must(vtr_error_os(errno, live.reader.path, "cannot read its events"));
		take_page(cpu);
	}
	return nr_pages;
}

static bool drain(void)
{
	bool more = false;
	unsigned int i;

	if (live.is_converted)
		sample_clocks();
	for (i = 0; i < live.reader.nr_cpus; i++)
		more |= drain_cpu(&live.reader.cpus[i]);
	return more;
}

/* Read until the input ends, and what is left then: the recorder has stopped the instance. */
static void read_all(void)
{
	bool more = false;
	unsigned int i;

	while (!live.is_ended || more) {
		if (!live.is_ended &&
		    poll(live.fds, 1 + live.reader.nr_cpus, more ? 0 : TICK_MS) < 0)
			must(vtr_error_os(errno, NULL, "cannot wait"));
		if (live.fds[0].revents)
			live.is_ended = true;
		/* A CPU that cannot be waited for, such as an offline one, is read at ticks. */
		for (i = 1; i <= live.reader.nr_cpus; i++)
			if (live.fds[i].revents & ~POLLIN)
				live.fds[i].fd = -1;
		more = drain();
	}
}

static void close_instance(void)
{
	free(live.fds);
	free(live.page);
	kbuffer_free(live.kbuffer);
	fxt_names_deinit(&live.processes);
	free(live.reader.cpus);
	foreign_deinit(&live.reader.foreign);
	tep_free(live.reader.tep);
}

/**
 * main() - convert the events of an instance of tracefs to a Fuchsia trace
 * @argc: 2
 * @argv: name of the program, directory of the instance
 *
 * Return: EXIT_SUCCESS; EXIT_FAILURE after an error was reported as helpers.h describes.
 */
int main(int argc, char **argv)
{
	struct fxt_out_counts counts;

	live.reader = (struct reader){
		.path = argv[argc - 1],
		.foreign.ops = &event_ops,
		.beside = true,
		.process_of = process_of,
	};
	open_instance();
	read_all();
	must(fxt_out_commit(live.reader.foreign.out));
	counts = fxt_out_counts(live.reader.foreign.out);
	dprintf(STDIN_FILENO, "%" PRIu64 " %" PRIu64 "\n", counts.nr_records, counts.nr_lost);
	left_out_print_fxt(live.reader.foreign.left_out, &counts, "tracefs", stderr);
	close_instance();
	return EXIT_SUCCESS;
}
