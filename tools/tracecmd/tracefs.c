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
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
 * @pages: pages of each CPU, or -1
 * @nr_lost: events of each CPU that have been reported as lost
 * @kbuffer: parser of pages
 * @page: a page
 * @page_bytes: size of @page
 * @is_ended: the input has ended
 */
struct live {
	struct reader reader;
	struct fxt_names processes;
	struct fxt_out_session session;
	bool is_converted;
	struct sample before;
	struct sample now;
	struct pollfd *fds;
	int *pages;
	uint64_t *nr_lost;
	struct kbuffer *kbuffer;
	void *page;
	size_t page_bytes;
	bool is_ended;
};

/* ---- Files ---- */

static char *path_in(const struct live *live, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the path of a file of the instance, as of malloc(), or NULL. */
static char *path_in(const struct live *live, const char *format, ...)
{
	char *name, *path = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&name, format, args) < 0)
		name = NULL;
	va_end(args);
	if (name && asprintf(&path, "%s/%s", live->reader.path, name) < 0)
		path = NULL;
	free(name);
	return path;
}

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

static void sample_clocks(struct live *live)
{
	const struct sample now = read_clocks();

	if (live->now.ns - live->before.ns >= SAMPLE_NS)
		live->before = live->now;
	live->now = now;
}

/* Convert a time of the instance to ticks of the session. */
static uint64_t ticks_of(const struct live *live, uint64_t ts)
{
	const struct sample *from = &live->before;
	uint64_t ns = live->now.ns - from->ns;

	if (!live->is_converted)
		return ts;
	if (ns < SAMPLE_NS)
		return from->ticks + (__int128)(int64_t)(ts - from->ns) *
		       live->session.ticks_per_second / NSEC_PER_SEC;
	return from->ticks + (__int128)(int64_t)(ts - from->ns) *
	       (live->now.ticks - from->ticks) / ns;
}

/* ---- Threads ---- */

static bool is_kernel_thread(uint64_t tid)
{
	char path[64], line[512] = "", *end;
	unsigned int flags = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	/* The name of the thread may contain anything. */
	end = strrchr(line, ')');
	return end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_KTHREAD;
}

/* Return the number in the first line of a file that scanf() reads as @format, or @other. */
static uint64_t read_number(const char *path, const char *format, uint64_t other)
{
	FILE *file = path ? fopen(path, "re") : NULL;
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
	struct live *live = (struct live *)reader;
	struct fxt_name *entry = fxt_names_get(&live->processes, tid);

	if (!entry) {
		reader->foreign.ids.no_memory = true;
		return tid;
	}
	if (!entry->owned) {
		entry->process = look_up_process(tid);
		entry->owned = true;
	}
	return entry->process;
}

/* ---- Loss ---- */

/* Return how many events of a CPU were overwritten before they were read; 0 if unknown. */
static uint64_t nr_overwritten(const struct live *live, unsigned int number)
{
	char *path = path_in(live, "per_cpu/cpu%u/stats", number);
	uint64_t nr = read_number(path, "overrun: %" SCNu64, 0);

	free(path);
	return nr;
}

/* Report that events of a CPU were lost between its last one and @ticks. */
static struct vitrine_error *put_loss(struct live *live, struct cpu *cpu,
				      uint64_t nr_records, uint64_t ticks)
{
	static const struct vitrine_fxt_string lost = { "lost", 4 };
	struct vitrine_fxt_record *record = &live->reader.foreign.record;
	const uint64_t thread = VITRINE_LOSS_THREAD(cpu - live->reader.cpus);
	struct vitrine_error *err;

	err = fxt_lane_out_lost(cpu->lane, nr_records);
	if (err)
		return err;
	*record = (struct vitrine_fxt_record){
		.kind = VITRINE_FXT_EVENT,
		.timed = true,
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
	if (!fxt_out_name_thread(live->reader.foreign.out, thread, 0, &lost))
		return vtr_error_no_memory();
	return fxt_lane_out_put(cpu->lane, record);
}

/*
 * Report the loss before a page. The kernel tells the number, @nr_told, only if the page has
 * room for it, otherwise -1; its counter has grown further if events were overwritten since
 * the page was read, and then the next gap is counted already.
 */
static struct vitrine_error *put_missed(struct live *live, struct cpu *cpu, int nr_told,
					uint64_t ticks)
{
	const unsigned int number = cpu - live->reader.cpus;
	uint64_t nr_lost = nr_overwritten(live, number), *nr_reported = &live->nr_lost[number];

	/* The counter may lack events whose loss the kernel reported. */
	if (!nr_lost || nr_lost < *nr_reported)
		nr_lost = *nr_reported + (nr_told < 0 ? 1 : nr_told);
	nr_lost -= *nr_reported;
	*nr_reported += nr_lost;
	return nr_lost ? put_loss(live, cpu, nr_lost, ticks) : NULL;
}

/* ---- Events ---- */

/* Convert the page in live->page. */
static struct vitrine_error *take_page(struct live *live, struct cpu *cpu)
{
	struct kbuffer *kbuffer = live->kbuffer;
	struct tep_record from = { .cpu = cpu - live->reader.cpus };
	struct vitrine_error *err = NULL;
	unsigned long long ts;
	uint64_t ticks;
	int nr_missed;

	if (kbuffer_load_subbuffer(kbuffer, live->page))
		return vitrine_error_create(EBADMSG, live->reader.path, VITRINE_NO_OFFSET,
					    NULL, "libtraceevent cannot read a page");
	nr_missed = kbuffer_missed_events(kbuffer);
	for (from.data = kbuffer_read_event(kbuffer, &ts); !err && from.data;
	     from.data = kbuffer_next_event(kbuffer, &ts)) {
		from.ts = ts;
		from.size = kbuffer_event_size(kbuffer);
		ticks = ticks_of(live, ts);
		/* A conversion may be off by the error of a sample. */
		if (ticks < cpu->last_ns)
			ticks = cpu->last_ns;
		if (nr_missed)
			err = put_missed(live, cpu, nr_missed, ticks);
		nr_missed = 0;
		cpu->last_ns = ticks;
		cpu->begun = true;
		if (!err)
			err = put_event(&live->reader, cpu, &from);
	}
	return err;
}

/* ---- The instance ---- */

/* Read the format of an event, "SYSTEM:EVENT", which is modified. */
static struct vitrine_error *read_format(struct live *live, char *name)
{
	char *event = strchr(name, ':'), *path = NULL, *text = NULL;
	struct vitrine_error *err = NULL;
	FILE *file = NULL;
	size_t size = 0;
	ssize_t len = -1;

	if (event) {
		*event++ = '\0';
		path = path_in(live, "events/%s/%s/format", name, event);
	}
	if (path)
		file = fopen(path, "re");
	if (file)
		len = getdelim(&text, &size, '\0', file);
	if (len < 0)
		err = vtr_error_os(path ? errno : EINVAL, path, "cannot read");
	else if (tep_parse_event(live->reader.tep, text, len, name))
		err = vitrine_error_create(EBADMSG, path, VITRINE_NO_OFFSET, NULL,
					   "libtraceevent cannot read this format");
	if (file)
		fclose(file);
	free(text);
	free(path);
	return err;
}

static struct vitrine_error *read_events(struct live *live)
{
	struct vitrine_error *err = NULL;
	char *line = NULL;
	size_t size = 0;

	while (!err && getline(&line, &size, stdin) > 0 && *line != '\n') {
		line[strcspn(line, "\n")] = '\0';
		err = read_format(live, line);
	}
	free(line);
	return err;
}

static struct vitrine_error *read_session(struct live *live)
{
	struct fxt_out_session *session = &live->session;
	unsigned int is_converted;

	if (scanf("%" SCNu32 " %" SCNu64 " %" SCNu32 " %u\n", &session->clock,
		  &session->ticks_per_second, &session->session, &is_converted) != 4)
		return vitrine_error_create(EINVAL, live->reader.path, VITRINE_NO_OFFSET,
					    NULL, "no session given");
	session->provider = FXT_TRACEFS_PROVIDER(0);
	session->name = FXT_TRACEFS_NAME;
	session->is_nameless = true;
	live->is_converted = is_converted;
	if (is_converted)
		live->before = read_clocks();
	live->now = live->before;
	return NULL;
}

/* Open the pages of a CPU; return false if there is no such CPU. */
static bool open_cpu(struct live *live, unsigned int number)
{
	char *path = path_in(live, "per_cpu/cpu%u/trace_pipe_raw", number);
	int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	free(path);
	live->fds[1 + number] = (struct pollfd){ .fd = fd, .events = POLLIN };
	live->pages[number] = fd;
	return fd >= 0;
}

static struct vitrine_error *open_cpus(struct live *live)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct reader *reader = &live->reader;
	struct vitrine_error *err = NULL;
	long i;

	reader->cpus = calloc(nr, sizeof(*reader->cpus));
	live->fds = calloc(1 + nr, sizeof(*live->fds));
	live->pages = calloc(nr, sizeof(*live->pages));
	live->nr_lost = calloc(nr, sizeof(*live->nr_lost));
	if (!reader->cpus || !live->fds || !live->pages || !live->nr_lost)
		return vtr_error_no_memory();
	live->fds[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	for (i = 0; !err && i < nr; i++) {
		if (!open_cpu(live, i) && errno != ENOENT)
			err = vtr_error_os(errno, reader->path, "cannot read its events");
		if (!err)
			err = fxt_lane_out_get(reader->foreign.out, i, &reader->cpus[i].lane);
		reader->cpus[i].foreign.number = i;
		reader->nr_cpus++;
	}
	return err;
}

static struct vitrine_error *open_instance(struct live *live)
{
	struct reader *reader = &live->reader;
	struct vitrine_error *err;

	/* Its warnings about formats are not the user's business. */
	tep_set_loglevel(TEP_LOG_NONE);
	reader->tep = tep_alloc();
	live->kbuffer = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	live->page_bytes = sysconf(_SC_PAGESIZE);
	live->page = malloc(live->page_bytes);
	if (!reader->tep || !live->kbuffer || !live->page)
		return vtr_error_no_memory();
	tep_set_long_size(reader->tep, sizeof(long));
	err = read_session(live);
	if (!err)
		err = read_events(live);
	if (!err)
		err = fxt_out_create(OUT_PATH, 0, &reader->foreign.out);
	if (err)
		return err;
	fxt_out_set_session(reader->foreign.out, &live->session);
	return open_cpus(live);
}

/* ---- Reading ---- */

/*
 * Read the pages of a CPU; set *@ret_more if there may be more of them. A CPU that was never
 * online has no pages, which is an error in some kernels.
 */
static struct vitrine_error *drain_cpu(struct live *live, unsigned int number, bool *ret_more)
{
	struct vitrine_error *err = NULL;
	unsigned int nr_pages;
	ssize_t len;

	if (live->pages[number] < 0)
		return NULL;
	for (nr_pages = 0; !err && nr_pages < ROUND_PAGES; nr_pages++) {
		len = read(live->pages[number], live->page, live->page_bytes);
		if (!len || (len < 0 && (errno == EAGAIN || errno == ENODEV || errno == EINVAL)))
			return NULL;
		if (len < 0)
			return vtr_error_os(errno, live->reader.path, "cannot read its events");
		err = take_page(live, &live->reader.cpus[number]);
	}
	*ret_more = true;
	return err;
}

static struct vitrine_error *drain(struct live *live, bool *ret_more)
{
	struct vitrine_error *err = NULL;
	unsigned int i;

	*ret_more = false;
	if (live->is_converted)
		sample_clocks(live);
	for (i = 0; !err && i < live->reader.nr_cpus; i++)
		err = drain_cpu(live, i, ret_more);
	return err;
}

/* Read until the input ends, and what is left then: the recorder has stopped the instance. */
static struct vitrine_error *read_all(struct live *live)
{
	struct vitrine_error *err = NULL;
	bool more = false;
	unsigned int i;

	while (!err && (!live->is_ended || more)) {
		if (!live->is_ended &&
		    poll(live->fds, 1 + live->reader.nr_cpus, more ? 0 : TICK_MS) < 0)
			return vtr_error_os(errno, NULL, "cannot wait");
		if (live->fds[0].revents)
			live->is_ended = true;
		/* A CPU that cannot be waited for, such as an offline one, is read at ticks. */
		for (i = 1; i <= live->reader.nr_cpus; i++)
			if (live->fds[i].revents & ~POLLIN)
				live->fds[i].fd = -1;
		err = drain(live, &more);
	}
	return err;
}

static void close_instance(struct live *live)
{
	free(live->fds);
	free(live->pages);
	free(live->nr_lost);
	free(live->page);
	kbuffer_free(live->kbuffer);
	fxt_names_deinit(&live->processes);
	free(live->reader.cpus);
	foreign_deinit(&live->reader.foreign);
	tep_free(live->reader.tep);
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
	struct live live = {
		.reader = {
			.path = argv[argc - 1],
			.foreign.ops = &event_ops,
			.beside = true,
			.process_of = process_of,
		},
	};
	struct fxt_out_counts counts;
	struct vitrine_error *err;

	err = open_instance(&live);
	if (!err)
		err = read_all(&live);
	if (!err)
		err = fxt_out_commit(live.reader.foreign.out);
	if (!err) {
		counts = fxt_out_counts(live.reader.foreign.out);
		dprintf(STDIN_FILENO, "%" PRIu64 " %" PRIu64 "\n", counts.nr_records,
			counts.nr_lost);
		left_out_print_fxt(live.reader.foreign.left_out, &counts, "tracefs", stderr);
	}
	close_instance(&live);
	return err ? tell(err) : EXIT_SUCCESS;
}
