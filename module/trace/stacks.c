// SPDX-License-Identifier: GPL-2.0
/*
 * Which waits and samples are recorded: the settings of trace/stacks, and the tables of stacks.
 *
 * Concurrency: stacks_mutex protects the settings. They change only while the static key is off
 * and vtr_running_table is NULL, and all that saw them otherwise have returned. The locking of a
 * table of stacks is described in stack_table.c.
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "locks.h"
#include "stack_table.h"
#include "waits.h"

/* Highest number of samples of a CPU a second. */
#define MOST_HZ		1000

/*
 * Whether vtr_stacks_deinit() can wait for a thread that was preempted in the code of the
 * module. Without tasks RCU, synchronize_rcu_tasks() is synchronize_rcu(), which on a
 * preemptible kernel does not wait for such a thread.
 */
#define USER_STACK_WORKS	\
	(IS_ENABLED(CONFIG_TASKS_RCU) || !IS_ENABLED(CONFIG_PREEMPTION))

DEFINE_STATIC_KEY_FALSE(vtr_stacks_armed);

DEFINE_PER_CPU(struct vtr_stacks_stats, vtr_stacks_counters);

static const struct vtr_stacks_settings nothing = {
	.blocked_ns = VTR_LATENCY_NEVER,
};

struct vtr_stacks_settings vtr_stacks_settings __read_mostly = {
	.blocked_ns = VTR_LATENCY_NEVER,
};

static DEFINE_MUTEX(stacks_mutex);

struct vtr_stack_table *vtr_blocked_table;
struct vtr_stack_table *vtr_running_table;

static int parse_hz(const char *digits, unsigned int *ret)
{
	int err = kstrtouint(digits, 10, ret);

	return err || !*ret || *ret > MOST_HZ ? -EINVAL : 0;
}

static int parse_word(const char *word, struct vtr_stacks_settings *ret)
{
	size_t len;

	len = str_has_prefix(word, "blocked_us=");
	if (len)
		return vtr_word_us(word + len, &ret->blocked_ns);
	len = str_has_prefix(word, "sample_hz=");
	if (len)
		return parse_hz(word + len, &ret->sample_hz);
	if (!strcmp(word, "kthreads")) {
		ret->kthreads = true;
		return 0;
	}
	if (!strcmp(word, "user") || !strcmp(word, "user=memory")) {
		if (!USER_STACK_WORKS)
			return -EOPNOTSUPP;
		ret->user = true;
		ret->memory = strlen(word) > strlen("user");
		return 0;
	}
	return vtr_filter_parse(word, &ret->filter);
}

static bool is_armed(const struct vtr_stacks_settings *settings)
{
	return settings->blocked_ns != VTR_LATENCY_NEVER || settings->sample_hz;
}

/* Parse the settings; on success, the caller frees the filter. */
static int parse(char *words, struct vtr_stacks_settings *ret)
{
	struct vtr_stacks_settings wanted = nothing;
	char *word;
	int err = 0;

	words = strim(words);
	if (!strcmp(words, "none")) {
		*ret = wanted;
		return 0;
	}
	while (!err && (word = vtr_word_next(&words))) {
		err = parse_word(word, &wanted);
		vtr_word_refuse("stacks", word, err);
	}
	if (!err && !is_armed(&wanted))
		err = -EINVAL;
	if (err)
		vtr_filter_free(wanted.filter);
	else
		*ret = wanted;
	return err;
}

/* Stop recording, and wait until no probe uses the settings or the table. */
static void pause(void)
{
	lockdep_assert_held(&stacks_mutex);
	static_branch_disable(&vtr_stacks_armed);
	WRITE_ONCE(vtr_running_table, NULL);
	synchronize_rcu();
	/* Other texts may get the addresses that serve as keys of strings. */
	vtr_writer_forget_strings();
}

static void resume(void)
{
	if (vtr_stacks_settings.blocked_ns != VTR_LATENCY_NEVER)
		static_branch_enable(&vtr_stacks_armed);
	if (vtr_stacks_settings.sample_hz)
		/* Pairs with smp_load_acquire() in vtr_running_record(). */
		smp_store_release(&vtr_running_table, vtr_blocked_table + 1);
}

static unsigned int nr_tables(const struct vtr_stacks_settings *settings)
{
	return settings->sample_hz ? 2 : 1;
}

static void disarm(void)
{
	if (!is_armed(&vtr_stacks_settings))
		return;
	pause();
	if (vtr_stacks_settings.sample_hz)
		vtr_sample_stop();
	vtr_locks_unwatch();
	vtr_user_stack_cancel();
	kvfree(vtr_blocked_table);
	vtr_filter_free(vtr_stacks_settings.filter);
	vtr_stacks_settings = nothing;
}

static int arm(const struct vtr_stacks_settings *wanted)
{
	int err = 0;

	vtr_blocked_table = kvcalloc(nr_tables(wanted), sizeof(*vtr_blocked_table), GFP_KERNEL);
	if (!vtr_blocked_table)
		return -ENOMEM;
	if (wanted->sample_hz)
		err = vtr_sample_start(wanted->sample_hz, vtr_running_record);
	if (err) {
		kvfree(vtr_blocked_table);
		return err;
	}
	vtr_stacks_settings = *wanted;
	if (wanted->blocked_ns != VTR_LATENCY_NEVER)
		vtr_locks_watch();
	resume();
	return 0;
}

/**
 * vtr_stacks_set() - set which waits are recorded
 * @words: "blocked_us=1000 sample_hz=99 kthreads user cpus=0-3 process=17",
 *	or "none"; or "still" to record the threads that are blocked now; modified by this call
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL for an unknown word, or if there is neither a limit nor a rate; -ERANGE
 *	for a CPU number that is too large; -EOPNOTSUPP for "user" if the module could not
 *	be unloaded;
 *	-ENOMEM, or -ENOSPC if the kernel takes no further callback of CPUs that come and go.
 *	On error the settings do not change, except that the last two may leave recording of
 *	stacks disarmed.
 */
int vtr_stacks_set(char *words)
{
	struct vtr_stacks_settings wanted;
	int err;

	guard(mutex)(&stacks_mutex);
	if (!strcmp(words, "still"))
		return vtr_blocked_record_still();
	err = parse(words, &wanted);
	if (err)
		return err;
	disarm();
	if (is_armed(&wanted))
		err = arm(&wanted);
	if (err)
		vtr_filter_free(wanted.filter);
	return err;
}

/**
 * vtr_stacks_show() - show which waits are recorded
 * @seq: receives one line, in the syntax of vtr_stacks_set()
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_stacks_show(struct seq_file *seq)
{
	const struct vtr_stacks_settings *settings = &vtr_stacks_settings;

	guard(mutex)(&stacks_mutex);
	if (!is_armed(settings))
		seq_puts(seq, "none");
	if (settings->blocked_ns != VTR_LATENCY_NEVER)
		seq_printf(seq, "blocked_us=%lld", settings->blocked_ns / NSEC_PER_USEC);
	if (settings->sample_hz)
		seq_printf(seq, "%ssample_hz=%u", seq->count ? " " : "", settings->sample_hz);
	if (settings->kthreads)
		seq_puts(seq, " kthreads");
	if (settings->user)
		seq_puts(seq, settings->memory ? " user=memory" : " user");
	if (settings->filter)
		vtr_filter_show(seq, ' ', settings->filter);
	seq_putc(seq, '\n');
	return 0;
}

/**
 * vtr_stacks_stats() - sum up the counters of all CPUs
 * @ret: the sums
 *
 * Context: any.
 */
void vtr_stacks_stats(struct vtr_stacks_stats *ret)
{
	u64 *sums = (u64 *)ret, *here;
	unsigned int cpu, i;

	*ret = (struct vtr_stacks_stats){};
	for_each_possible_cpu(cpu) {
		here = (u64 *)&per_cpu(vtr_stacks_counters, cpu);
		for (i = 0; i < sizeof(*ret) / sizeof(*sums); i++)
			sums[i] += vtr_peek(here[i]);
	}
}

/**
 * vtr_stacks_forget() - empty the table of stacks
 *
 * Called when a module is unloaded, because another module may be loaded at its addresses.
 *
 * Context: task; may sleep.
 */
void vtr_stacks_forget(void)
{
	guard(mutex)(&stacks_mutex);
	if (!is_armed(&vtr_stacks_settings))
		return;
	pause();
	memset(vtr_blocked_table, 0,
	       nr_tables(&vtr_stacks_settings) * sizeof(*vtr_blocked_table));
	resume();
}

/**
 * vtr_stacks_deinit() - stop recording stacks and free the table
 *
 * Context: task; may sleep. No file of vitrine is open.
 */
void vtr_stacks_deinit(void)
{
	scoped_guard(mutex, &stacks_mutex)
		disarm();
	/*
	 * No reference to the module is held any more, so no task work is pending. A thread that
	 * was preempted at the end of its task work is still in the code of the module.
	 */
	synchronize_rcu_tasks();
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/stacks_kunit.c"
#endif
