// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection: each operation is run repeatedly, and each time another one of its
 * allocations fails. It ends in success or in an error that tells why, a publisher
 * notices nothing, and every tree stays valid.
 *
 * The kernel fails the Nth allocation of a task that has written N to its
 * fail-nth file, which reads 0 once that has happened. The remainder of a very
 * large N tells how many allocations an operation makes. Of the many allocations of
 * loading a module, each run tries every third or ninth one, with a random offset;
 * "fault_injection all" tries all of them. The last ones are always tried: loading
 * vitrine must not fail once its files can be opened.
 *
 * Then large allocations fail, as if memory were fragmented: there are pages, but no
 * contiguous 64 KiB. Objects with many entries must be created nevertheless.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vitrine.h>

#include "must.h"
#include "selftest.h"

#define DEBUGFS		"/sys/kernel/debug"
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define PUBLISHER	INSPECT_DIR "publisher.inspect"
#define SELF		INSPECT_DIR "vitrine.inspect"
#define LAZY		INSPECT_DIR "lazy-fine.inspect"
#define RETAINED	INSPECT_DIR "retained/retained0.inspect"
#define NODES		"nodes=2000"	/* enough for several pages */
#define MANY		1000000U
/* The last eighth of an operation's allocations is tried in full. */
#define LAST_PART	8
/* From 64 KiB on; for up to half of that, the kernel tries hard to find memory. */
#define LARGE_ORDER	"4"

static long page;
static bool try_all;

/* Functions that return an int return 0 or an errno. */
struct operation {
	const char *name;
	int (*run)(const char *arg);
	const char *arg;
	unsigned int stride;	/* fails every so many, beginning anywhere */
	void (*undo)(const char *undo_arg);	/* after success; may be NULL */
	const char *undo_arg;
	int (*prepare)(const char *prepare_arg);	/* once; may be NULL */
	const char *prepare_arg;
};

/* ---- The kernel's side ------------------------------------------------- */

/* End the program if @err is not 0. */
static void must_do(const char *what, int err)
{
	if (err)
		ksft_exit_fail_msg("%s: %s\n", what, strerror(err));
}

static int try_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static void write_file(const char *path, const char *text)
{
	must_do(path, try_write(path, text));
}

/* Kept open, because opening it would allocate memory. */
static int fail_nth_fd = -1;

static void fail_nth(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_nth_fd, text, len, 0) != len)
		ksft_exit_fail_msg(FAIL_NTH ": %s\n", strerror(errno));
}

/* Return the number of allocations until one fails; 0 if one has failed. */
static unsigned int fail_left(void)
{
	char text[16] = "";

	if (pread(fail_nth_fd, text, sizeof(text) - 1, 0) < 0)
		ksft_exit_fail_msg(FAIL_NTH ": %s\n", strerror(errno));
	return strtoul(text, NULL, 10);
}

static void set_up(void)
{
	static const char * const settings[] = {
		"/sys/kernel/debug/failslab/verbose",
		"/sys/kernel/debug/failslab/ignore-gfp-wait",
		"/sys/kernel/debug/fail_page_alloc/verbose",
		"/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait",
		"/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem",
		"/sys/kernel/debug/fail_page_alloc/min-order",
	};
	unsigned int i;

	fail_nth_fd = open(FAIL_NTH, O_RDWR);
	if (fail_nth_fd < 0)
		ksft_exit_skip("this kernel injects no faults: %s\n", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		write_file(settings[i], "0");
	page = sysconf(_SC_PAGESIZE);
}

/*
 * Make all large allocations of this task fail, or none. The task is exempt while the
 * limits change: otherwise a small allocation would fail between two changes, and the
 * next file could not be opened.
 */
static void fail_large(bool on)
{
	write_file("/proc/self/make-it-fail", "0");
	write_file("/sys/kernel/debug/fail_page_alloc/task-filter", "1");
	write_file("/sys/kernel/debug/fail_page_alloc/times", "-1");
	write_file("/sys/kernel/debug/fail_page_alloc/min-order", on ? LARGE_ORDER : "0");
	write_file("/sys/kernel/debug/fail_page_alloc/probability", on ? "100" : "0");
	if (on)
		write_file("/proc/self/make-it-fail", "1");
}

/* ---- Operations -------------------------------------------------------- */

static int load(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, params, 0))
		err = errno;
	close(fd);
	return err;
}

/* Load a module of the selftests. */
static int load_other(const char *name, const char *params)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("VITRINE_MODULES"), name);
	return load(path, params);
}

static void unload(const char *name)
{
	if (syscall(SYS_delete_module, name, O_NONBLOCK))
		ksft_exit_fail_msg("rmmod %s: %s\n", name, strerror(errno));
}

/* An inotify descriptor that reports new files in DEBUGFS. */
static int watch_fd = -1;

static void watch_debugfs(void)
{
	watch_fd = inotify_init1(IN_NONBLOCK);
	if (watch_fd < 0 || inotify_add_watch(watch_fd, DEBUGFS, IN_CREATE) < 0)
		ksft_exit_fail_msg("watch " DEBUGFS ": %s\n", strerror(errno));
}

/* Check whether the module's directory was created since the last call. */
static bool was_public(void)
{
	union {
		struct inotify_event first;
		char bytes[4096];
	} events;
	const struct inotify_event *event;
	bool found = false;
	ssize_t len, at;

	while ((len = read(watch_fd, &events, sizeof(events))) > 0)
		for (at = 0; at < len; at += sizeof(*event) + event->len) {
			event = (void *)(events.bytes + at);
			found |= event->len && !strcmp(event->name, "vitrine");
		}
	return found;
}

/* A failed load must not have created a file, which could have been opened. */
static int load_vitrine(const char *params)
{
	int err = load(getenv("VITRINE_KO"), params);

	return was_public() && err ? EEXIST : err;
}

static int load_publisher(const char *params)
{
	return load_other("publisher.ko", params);
}

/* The publisher does not notice if its tree cannot be created. */
static int load_large_publisher(const char *params)
{
	int err = load_publisher(params);

	if (!err && access(PUBLISHER, F_OK)) {
		unload("publisher");
		err = ENOMEM;
	}
	return err;
}

static int read_all(const char *path)
{
	static char buf[65536];
	int fd = open(path, O_RDONLY), err = 0;
	ssize_t len;

	if (fd < 0)
		return errno;
	do {
		len = read(fd, buf, sizeof(buf));
	} while (len > 0);
	if (len < 0)
		err = errno;
	close(fd);
	return err;
}

static int load_lazy(const char *params)
{
	return load_other("lazy.ko", params);
}

static int load_retained(const char *params)
{
	return load_other("retained.ko", params);
}

/* Unloading a publisher cannot fail; if memory is short, the tree is not retained. */
static int leave_tree(const char *name)
{
	unload(name);
	return 0;
}

static void drop_tree(const char *params)
{
	write_file(INSPECT_DIR "retained/drop", "*");
	must_do("load what leaves its tree", load_retained(params));
}

static int map_file(const char *path)
{
	int fd = open(path, O_RDONLY), err = 0;
	char *map;

	if (fd < 0)
		return errno;
	map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		err = errno;
	} else {
		if (madvise(map, 2 * page, MADV_POPULATE_READ))
			err = errno;
		munmap(map, 2 * page);
	}
	close(fd);
	return err;
}

/* Write the text after the "=" of a setting to the file before it. */
static int try_set(const char *setting)
{
	int len = strcspn(setting, "=");
	char path[128];

	snprintf(path, sizeof(path), TRACE_DIR "%.*s", len, setting);
	return try_write(path, setting + len + 1);
}

static void set(const char *setting)
{
	must_do(setting, try_set(setting));
}

/* A trigger that is not armed is not shown; the next one that is armed replaces it. */
static int arm(const char *setting)
{
	char line[128] = "";
	int err = try_set(setting);
	int fd;

	if (!err)
		return 0;
	fd = open(TRACE_DIR "trigger", O_RDONLY);
	if (fd < 0)
		return errno;
	if (read(fd, line, sizeof(line) - 1) < 0)
		err = errno;
	close(fd);
	return strstr(line, "latency") ? EIO : err;
}

static const struct operation load_first = {
	"load the module", load_vitrine, "buffer_kb=64 subbuf_kb=4", .stride = 3,
	.undo = unload, .undo_arg = "vitrine",
};

/* vitrine stays loaded from here on; other modules from where they are prepared. */
static const struct operation operations[] = {
	{ "load a publisher", load_publisher, NODES, .stride = 3,
	  .undo = unload, .undo_arg = "publisher" },
	/* The tree is full long before all nodes are created. */
	{ "load one that fills its tree", load_publisher, NODES " limit=8192", .stride = 9,
	  .undo = unload, .undo_arg = "publisher" },
	{ "make lazy trees", load_lazy, "", .stride = 9, .undo = unload, .undo_arg = "lazy" },
	{ "read a tree", read_all, PUBLISHER, .stride = 1,
	  .prepare = load_publisher, .prepare_arg = NODES },
	{ "read a tree that is refreshed", read_all, SELF, .stride = 1 },
	{ "map a tree", map_file, PUBLISHER, .stride = 1 },
	/* Allocations of open(); the publisher fills the tree in another thread. */
	{ "open a lazy tree", read_all, LAZY, .stride = 1,
	  .prepare = load_lazy, .prepare_arg = "" },
	{ "leave a tree behind", leave_tree, "retained", .stride = 1,
	  .undo = drop_tree, .undo_arg = "", .prepare = load_retained, .prepare_arg = "" },
	{ "map a ring", map_file, TRACE_DIR "cpu0", .stride = 1 },
	{ "read the trace", read_all, TRACE_DIR "trace.fxt", .stride = 1 },
	{ "make a new session", try_set, "buffer_kb=32", .stride = 1,
	  .undo = set, .undo_arg = "buffer_kb=64" },
	{ "stop recording", try_set, "enable=0", .stride = 1, .undo = set, .undo_arg = "enable=1" },
	{ "arm a trigger", arm, "trigger=latency_us=3600000000", .stride = 1,
	  .undo = set, .undo_arg = "trigger=none" },
};

static const struct operation large_operations[] = {
	/* Its pages are in arrays of 512 KiB. */
	{ "make a tree of the format's limit", load_large_publisher, "nodes=1 limit=268435456",
	  .undo = unload, .undo_arg = "publisher" },
	/* Of 4 KiB each. */
	{ "make rings of 8192 sub-buffers", try_set, "buffer_kb=32768",
	  .undo = set, .undo_arg = "buffer_kb=64" },
};

/* ---- What must hold ---------------------------------------------------- */

/* Check that the tree can be read and is valid; a missing tree was not created. */
static bool tree_is_whole(const char *path)
{
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_source *source = NULL;
	struct vitrine_error *err;
	bool whole;

	if (access(path, F_OK))
		return true;
	err = vitrine_source_create(path, 0, &source) ?:
	      vitrine_snapshot_create(source, &snapshot);
	whole = !err && is_sound(snapshot, path);
	if (err)
		vitrine_error_print(err, stdout);
	vitrine_error_destroy(err);
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
	return whole;
}

static bool all_is_well(void)
{
	return tree_is_whole(SELF) && tree_is_whole(PUBLISHER) &&
	       tree_is_whole(RETAINED);
}

/* ---- The walk ---------------------------------------------------------- */

static unsigned int count_allocations(const struct operation *op)
{
	unsigned int left;
	int err;

	fail_nth(MANY);
	err = op->run(op->arg);
	left = fail_left();
	fail_nth(0);
	must_do(op->name, err);
	if (op->undo)
		op->undo(op->undo_arg);
	return MANY - left;
}

/* Check that the error of a failed operation is that memory is short. */
static bool is_fair(int err)
{
	return err == 0 || err == ENOMEM || err == ENFILE || err == EAGAIN;
}

/* Return the next allocation of @nr to fail after number @n. */
static unsigned int next_of(const struct operation *op, unsigned int n, unsigned int nr)
{
	return try_all || n + nr / LAST_PART >= nr ? n + 1 : n + op->stride;
}

/* Fail each allocation in turn, until a run has no allocation left to fail. */
static void walk(const struct operation *op)
{
	unsigned int nr = count_allocations(op);
	unsigned int n = 1 + (try_all ? 0 : getpid() % op->stride);
	unsigned int survived = 0, refused = 0, bad = 0;
	bool injected = true;
	int err;

	for (; injected && n < MANY; n = next_of(op, n, nr)) {
		fail_nth(n);
		err = op->run(op->arg);
		injected = !fail_left();
		fail_nth(0);
		if (!is_fair(err) || !all_is_well()) {
			ksft_print_msg("%s: allocation %u of %u: %s\n",
				       op->name, n, nr, strerror(err));
			bad++;
		}
		if (!err && op->undo)
			op->undo(op->undo_arg);
		survived += injected && !err;
		refused += injected && err;
	}
	ksft_test_result(!bad && survived + refused,
			 "%s: of %u allocations %u fail: %u survived, %u refused\n",
			 op->name, nr, survived + refused, survived, refused);
}

/* Run an operation while large allocations fail. */
static void run_large(const struct operation *op)
{
	int err;

	fail_large(true);
	err = op->run(op->arg);
	fail_large(false);
	if (!err)
		op->undo(op->undo_arg);
	ksft_test_result(!err, "%s, memory being in pieces: %s\n", op->name,
			 err ? strerror(err) : "done");
}

int main(int argc, char **argv)
{
	const struct operation *op;
	unsigned int i;

	try_all = argc > 1 && !strcmp(argv[1], "all");
	ksft_print_header();
	if (!getenv("VITRINE_KO") || !getenv("VITRINE_MODULES"))
		ksft_exit_skip("use selftests/qemu/run, which sets VITRINE_KO and others\n");
	if (!getenv("DISRUPTIVE"))
		ksft_exit_skip("fault injection is set up; DISRUPTIVE=1 runs it nevertheless\n");
	unload_leftover("vitrine");
	set_up();
	watch_debugfs();
	ksft_set_plan(1 + ARRAY_SIZE(operations) + ARRAY_SIZE(large_operations));
	walk(&load_first);
	must_do(load_first.name, load_first.run(load_first.arg));
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		op = &operations[i];
		if (op->prepare)
			must_do(op->name, op->prepare(op->prepare_arg));
		walk(op);
	}
	unload("retained");
	unload("lazy");
	unload("publisher");
	for (i = 0; i < ARRAY_SIZE(large_operations); i++)
		run_large(&large_operations[i]);
	unload("vitrine");
	ksft_finished();
}
