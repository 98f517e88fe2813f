// SPDX-License-Identifier: GPL-2.0
/*
 * A module that writes events, as an example for authors and for the tests.
 *
 * Writing a word to its parameter "run" starts an action:
 *
 *   all        write every kind of event, with every type of argument
 *   strings    write more names than the string table of a sub-buffer has room for
 *   edge       write text at the end of a page that is followed by no page: reading it
 *              by words faults
 *   storm      for a second, write events of all sizes on every CPU, in a thread and in an
 *              interrupt, each event with a number and a pattern
 *   spin       run for half a second in one function
 *
 * Its parameter "noop" reads 1 if an event that is off costs one no-op, that is, if hot()
 * is twin() plus five bytes. Its parameter "nmi" is the number of events in NMI context,
 * which the trace must count as lost.
 *
 * Concurrency: the kernel's lock of parameters serialises "run". The timer of a storm
 * runs on the CPU of its thread and is cancelled before the thread ends.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smpboot.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif

#include <vitrine/trace.h>

#include "../../module/compat.h"

static DEFINE_VITRINE_CATEGORY(sample);

/* ---- an event that is off ------------------------------------------------ */

static unsigned long nr_runs;

/* hot() and twin() differ in the event only; notrace, so that there is no other no-op. */
static noinline notrace void hot(void)
{
	vitrine_trace_instant(sample, "hot", VITRINE_ARG("runs", nr_runs));
	WRITE_ONCE(nr_runs, nr_runs + 1);
}

static noinline notrace void twin(void)
{
	WRITE_ONCE(nr_runs, nr_runs + 1);
}

#define TWIN_BYTES	3	/* the bytes that follow contain addresses, which differ */

/* Read the code as the kernel has patched it. */
static int noop_get(char *buffer, const struct kernel_param *param)
{
	static const u8 noop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const u8 *code = (const u8 *)hot, *other = (const u8 *)twin;
	unsigned int skip = 0;
	bool same;

	hot();
	twin();
	OPTIMIZER_HIDE_VAR(code);
	OPTIMIZER_HIDE_VAR(other);
	/* skip endbr64, if the kernel uses it */
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		skip = 4;
	same = !memcmp(code + skip, noop, sizeof(noop)) &&
	       !memcmp(code + skip + sizeof(noop), other + skip, TWIN_BYTES);
	return sysfs_emit(buffer, "%d\n", same);
}

static const struct kernel_param_ops noop_ops = {
	.get = noop_get,
};
module_param_cb(noop, &noop_ops, NULL, 0444);
MODULE_PARM_DESC(noop, "1 if an event that is switched off is compiled to a no-op of five bytes");

/* ---- the begin of a complete event ---------------------------------------- */

static int begin_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", vitrine_trace_complete_begin(sample) != 0);
}

static const struct kernel_param_ops begin_ops = {
	.get = begin_get,
};
module_param_cb(begin, &begin_ops, NULL, 0444);
MODULE_PARM_DESC(begin, "1 if the clock is read at the begin of a complete event");

/* ---- every kind of event ------------------------------------------------- */

static const u8 bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void write_arguments(void)
{
	static const char not_utf8[] = "caf\xe9";
	struct vitrine_f64 one_and_a_half = vitrine_double_from_bits(0x3ff8000000000000ULL);
	/* The kernel's own true and false are ints. */
	bool yes = true, no = false;

	vitrine_trace_instant(sample, "arguments",
			      VITRINE_ARG_NULL("null"),
			      VITRINE_ARG("int32", -32),
			      VITRINE_ARG("uint32", 32U),
			      VITRINE_ARG("int64", -64LL),
			      VITRINE_ARG("uint64", ~0ULL),
			      VITRINE_ARG_DOUBLE("double", one_and_a_half),
			      VITRINE_ARG("string", (const char *)not_utf8),
			      VITRINE_ARG_POINTER("pointer",
						  (void __user *)0x1000),
			      VITRINE_ARG_POINTER("kernel_pointer",
						  (void __user *)bytes),
			      VITRINE_ARG_KOID("koid", current->pid),
			      VITRINE_ARG("true", yes),
			      VITRINE_ARG("false", no),
			      VITRINE_ARG("empty", ""));
}

/* The compiler knows no type of a bit field's width. */
static void write_bit_fields(void)
{
	struct {
		unsigned int	narrow : 3;
		int		negative : 5;
		u64		wide : 40;
		bool		flag : 1;
	} bits = { 7, -9, 0xffffffffffULL, true };

	vitrine_trace_instant(sample, "bit_fields", VITRINE_ARG("narrow", bits.narrow),
			      VITRINE_ARG("negative", bits.negative),
			      VITRINE_ARG("wide", bits.wide), VITRINE_ARG("flag", bits.flag));
}

static void write_durations(void)
{
	u64 begin = vitrine_trace_complete_begin(sample);

	vitrine_trace_begin(sample, "outer", VITRINE_ARG("depth", 1));
	{
		vitrine_trace_scope(sample, "scope", VITRINE_ARG("depth", 2));
		vitrine_trace_flow_begin(sample, "flow", 7);
		vitrine_trace_flow_step(sample, "flow", 7);
		vitrine_trace_flow_end(sample, "flow", 7);
	}
	vitrine_trace_end(sample, "outer");
	vitrine_trace_complete(sample, "complete", begin, VITRINE_ARG("bytes", sizeof(bytes)));
	vitrine_trace_complete(sample, "unknown_begin", 0);
}

static void write_all(void)
{
	vitrine_trace_instant(sample, "instant");
	vitrine_trace_counter(sample, "counter", 3,
			      VITRINE_ARG("used", 10), VITRINE_ARG("free", 20));
	write_arguments();
	write_bit_fields();
	write_durations();
	vitrine_trace_async_begin(sample, "async", 9);
	vitrine_trace_async_instant(sample, "async", 9);
	vitrine_trace_async_end(sample, "async", 9);
	vitrine_trace_async_begin(sample, "pointer", &nr_runs);
	vitrine_trace_async_end(sample, "pointer", &nr_runs);
	vitrine_trace_log(sample, "message");
	vitrine_trace_log(sample, NULL);
	vitrine_trace_blob(sample, "blob", bytes, sizeof(bytes));
	vitrine_trace_large_blob(sample, "large_blob", bytes, sizeof(bytes),
				 VITRINE_ARG("kind", 1));
	vitrine_trace_large_data(sample, "large_data", bytes, sizeof(bytes));
	vitrine_trace_userspace_object(sample, (void __user *)0x2000, "window",
				       VITRINE_ARG("width", 80));
	vitrine_trace_kernel_object(sample, 17, 4711, "socket", VITRINE_ARG("port", 443));
}

/* ---- more names than the table has room for ------------------------------- */

#define NAME(nr)	vitrine_trace_instant(sample, "name-" #nr);
#define NAMES(nr)	NAME(nr##0) NAME(nr##1) NAME(nr##2) NAME(nr##3) NAME(nr##4) \
			NAME(nr##5) NAME(nr##6) NAME(nr##7) NAME(nr##8) NAME(nr##9)
#define HUNDRED(nr)	NAMES(nr##0) NAMES(nr##1) NAMES(nr##2) NAMES(nr##3) NAMES(nr##4) \
			NAMES(nr##5) NAMES(nr##6) NAMES(nr##7) NAMES(nr##8) NAMES(nr##9)

static void write_names(void)
{
	HUNDRED(1)
	HUNDRED(2)
}

static void write_strings(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		write_names();
}

/* ---- text at the edge of what is mapped ------------------------------------ */

#define NR_EDGES	100

static int write_edge(void)
{
	static const char edge[] = "edge";
	char *page = vmalloc(PAGE_SIZE);
	const char *text;
	unsigned int i;

	if (!page)
		return -ENOMEM;
	text = memcpy(page + PAGE_SIZE - sizeof(edge), edge, sizeof(edge));
	for (i = 0; i < NR_EDGES; i++)
		vitrine_trace_instant(sample, "text", VITRINE_ARG("text", text));
	vfree(page);
	return 0;
}

/* ---- storm --------------------------------------------------------------- */

#define STORM_NS	NSEC_PER_SEC
#define STORM_PERIOD_NS	(50 * NSEC_PER_USEC)

struct storm {
	struct hrtimer	timer;
	u64		nr_thread;
	u64		nr_interrupt;
	struct completion began;
};

static DEFINE_PER_CPU(struct storm, storms);

/* Write events of all sizes in turn, with bytes of one value, which is never 0. */
static void write_sized(const char *where, u64 nr)
{
	char text[200];

	memset(text, 'a' + nr % 26, sizeof(text));
	text[nr % sizeof(text)] = '\0';
	if (nr % 3)
		vitrine_trace_instant(sample, "storm", VITRINE_ARG("from", where),
				      VITRINE_ARG("nr", nr),
				      VITRINE_ARG("text", (const char *)text));
	else
		vitrine_trace_large_blob(sample, "storm", text, nr % sizeof(text),
					 VITRINE_ARG("from", where), VITRINE_ARG("nr", nr));
}

static enum hrtimer_restart storm_interrupt(struct hrtimer *timer)
{
	struct storm *storm = container_of(timer, struct storm, timer);

	write_sized("interrupt", ++storm->nr_interrupt);
	hrtimer_forward_now(timer, ns_to_ktime(STORM_PERIOD_NS));
	return HRTIMER_RESTART;
}

static int storm_thread(void *unused)
{
	struct storm *storm = this_cpu_ptr(&storms);
	u64 end = ktime_get_ns() + STORM_NS;

	complete(&storm->began);
	storm->nr_thread = 0;
	storm->nr_interrupt = 0;
	hrtimer_setup(&storm->timer, storm_interrupt, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&storm->timer, ns_to_ktime(STORM_PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);
	while (ktime_get_ns() < end) {
		write_sized("thread", ++storm->nr_thread);
		cond_resched();
	}
	hrtimer_cancel(&storm->timer);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int run_storm(void)
{
	struct task_struct *threads[16] = {};
	unsigned int cpu, nr = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (nr == ARRAY_SIZE(threads))
			break;
		init_completion(&per_cpu_ptr(&storms, cpu)->began);
		threads[nr] = kthread_create_on_cpu(storm_thread, NULL, cpu, "storm/%u");
		if (IS_ERR(threads[nr]))
			break;
		wake_up_process(threads[nr++]);
		/* A thread that is stopped before it runs never runs. */
		wait_for_completion(&per_cpu_ptr(&storms, cpu)->began);
	}
	cpus_read_unlock();
	while (nr--)
		kthread_stop(threads[nr]);
	return 0;
}

/* ---- NMI ----------------------------------------------------------------- */

static unsigned int nr_nmi;
module_param_named(nmi, nr_nmi, uint, 0444);
MODULE_PARM_DESC(nmi, "Number of events that were attempted in NMI context");

#ifdef CONFIG_X86
static int write_from_nmi(unsigned int type, struct pt_regs *regs)
{
	nr_nmi += static_key_enabled(&vitrine_category_sample.key);
	vitrine_trace_instant(sample, "nmi", VITRINE_ARG("nr", nr_nmi));
	return NMI_DONE;
}
#endif

/* ---- hangs, loops and oopses ------------------------------------------------------ */

/* Long enough for a kernel that checks for hung tasks every second. */
#define HANG_MS		4000

static void hang(void)
{
	msleep(HANG_MS);
}

/* An unmapped address that the compiler does not know. */
static unsigned long nowhere = 8;

#define SPIN_NS		(NSEC_PER_SEC / 2)

static noinline void spin(void)
{
	u64 end = ktime_get_ns() + SPIN_NS;
	unsigned int i;

	while (ktime_get_ns() < end) {
		for (i = 0; i < 10000; i++)
			OPTIMIZER_HIDE_VAR(i);
		cond_resched();
	}
}

static void oops(void)
{
	WRITE_ONCE(*(int *)READ_ONCE(nowhere), 0);
}

/* -------------------------------------------------------------------------- */

static int run_set(const char *word, const struct kernel_param *param)
{
	if (sysfs_streq(word, "all"))
		write_all();
	else if (sysfs_streq(word, "strings"))
		write_strings();
	else if (sysfs_streq(word, "edge"))
		return write_edge();
	else if (sysfs_streq(word, "storm"))
		return run_storm();
	else if (sysfs_streq(word, "hang"))
		hang();
	else if (sysfs_streq(word, "spin"))
		spin();
	else if (sysfs_streq(word, "oops"))
		oops();
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "What to do: all, strings, edge, storm, hang, spin or oops");

static int __init events_init(void)
{
	int err;

	err = vitrine_category_register(&vitrine_category_sample);
	if (err)
		return err;
#ifdef CONFIG_X86
	err = register_nmi_handler(NMI_LOCAL, write_from_nmi, 0, "events");
	if (err)
		vitrine_category_unregister(&vitrine_category_sample);
#endif
	return err;
}

static void __exit events_exit(void)
{
#ifdef CONFIG_X86
	unregister_nmi_handler(NMI_LOCAL, "events");
#endif
	vitrine_category_unregister(&vitrine_category_sample);
}

module_init(events_init);
module_exit(events_exit);

MODULE_DESCRIPTION("Emit events of every type, as an example and for tests");
MODULE_AUTHOR("The vitrine developers");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
