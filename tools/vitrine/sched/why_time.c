// SPDX-License-Identifier: GPL-2.0
/*
 * Sum up where the time of threads went. why.h describes the result.
 *
 * The kind of a wait is known when a user stack can no longer follow; its turn is already among
 * those of the path by then, and gets the number of the sum.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "ui/label.h"
#include "why.h"

static const char * const behind_words[TIME_NR_BEHIND] = {
	[TIME_BEHIND_THREAD]			= "",
	[TIME_BEHIND_OTHERS]			= "others",
	[TIME_BEHIND_BESIDE_IDLE]		= "a CPU that was also idle",
	[TIME_BEHIND_OTHERS_BESIDE_IDLE]	= "others beside an idle CPU",
	[TIME_BEHIND_IDLE]			= "what is not known, on an idle CPU",
	[TIME_BEHIND_WAKING]			= "a CPU waking up",
	[TIME_BEHIND_UNKNOWN]			= "what is not known",
};

/* A CPU wakes up in less time, unless the thread may not run. */
#define MAX_WAKE_NS	1000000

/* A thread that a signal kills while it waits runs for so long until it has ended, or less. */
#define MAX_KILL_NS	50000000

/* Of an older recording, the trace ends so long after the command, or sooner. */
#define MAX_END_NS	NSEC_PER_SEC

/* Turns of a thread whose wait may get its kind late: see WHY_PENDING in why.c. */
#define MAX_LATE	16

/**
 * spent_text() - intern a text
 * @text: the text
 *
 * Return: its number.
 */
uint32_t spent_text(const char *text)
{
	return why_texts_add(&why.texts, text, strlen(text));
}

struct spent spent;

/* ---- Threads -------------------------------------------------------------- */

static bool is_selected(const struct vitrine_fxt_thread *id)
{
	return spent.selected &&
	       record_filter_match_thread(spent.selected, id);
}

/* Check whether a thread is one of the process that is the command. */
static bool is_of_command(const struct vitrine_fxt_thread *id)
{
	return spent.root != PATH_NONE &&
	       record_process(id) == record_process(&spent.threads[spent.root].id);
}

/* Add a thread, which takes the place of one that had the same id. */
static uint32_t add_thread(const struct vitrine_fxt_thread *id, uint64_t begin_ns)
{
	struct sched_thread *thread = sched_thread_get(id);

	must_have(GROW(spent.threads, spent.nr_threads));
	spent.threads[spent.nr_threads++] = (struct time_thread){
		.id = *id,
		.begin_ns = begin_ns,
		.end_ns = UINT64_MAX,
		.parent = PATH_NONE,
		.killer = PATH_NONE,
		.recorder = PATH_NONE,
		.is_selected = is_selected(id),
		.is_kernel = record_process(id) == KTHREADD,
	};
	thread->number = spent.nr_threads;
	spent.nr_alive += is_of_command(id);
	return spent.nr_threads - 1;
}

/* Return the number of a thread; one that is new existed before. */
static uint32_t number_of(const struct sched_thread *thread)
{
	return thread->number ? thread->number - 1 :
				add_thread(&thread->id, spent.begin_ns);
}

/* Return the number of the thread of an event. */
static uint32_t subject_of(const struct vitrine_fxt_record *record)
{
	return number_of(sched_thread_get(&record->event.thread));
}

/* Find the thread that woke another one; PATH_NONE: it is not known, or was an interrupt. */
static uint32_t find_waker(const struct why_waker *waker)
{
	return waker->known && !waker->interrupt && waker->thread && waker->thread->number ?
	       waker->thread->number - 1 : PATH_NONE;
}

/* ---- Sums ----------------------------------------------------------------- */

static bool has_key(const void *owner, uint32_t number, const void *key)
{
	const struct time_sum *a = &spent.sums[number - 1], *b = key;

	return a->thread == b->thread && a->other == b->other && a->place == b->place &&
	       a->kind == b->kind && a->priority == b->priority && a->doubt == b->doubt;
}

static uint32_t hash_sum(const struct time_sum *sum)
{
	uint64_t key = ((uint64_t)sum->thread << 32 | sum->place) * 0x9e3779b97f4a7c15ULL;

	key = (key ^ key >> 29 ^ sum->other) * 0xbf58476d1ce4e5b9ULL;
	return (key >> 32) + sum->kind;
}

static void add_to(struct time_sum *to, const struct time_sum *from)
{
	if (to->cpu != from->cpu)
		to->cpu = PATH_NONE;
	to->nr += from->nr;
	to->sum_ns += from->sum_ns;
	if (from->max_ns <= to->max_ns)
		return;
	to->max_ns = from->max_ns;
	to->max_end_ns = from->max_end_ns;
	to->stack = from->stack;
	to->user_stack = from->user_stack;
}

/* Add a wait, or a part of one. Return its sum, or PATH_NONE. */
static uint32_t add_sum(const struct time_sum *sum)
{
	uint32_t *last = &spent.threads[sum->thread].last, *slot;

	/* Many threads wait for the same again and again. */
	if (*last && has_key(NULL, *last, sum)) {
		add_to(&spent.sums[*last - 1], sum);
		return *last - 1;
	}
	must_have(hash_reserve(&spent.hash, spent.nr_sums));
	slot = hash_find(&spent.hash, hash_sum(sum), has_key, NULL, sum);
	if (!*slot) {
		if (spent.nr_sums >= TIME_MAX_SUMS)
			return PATH_NONE;
		must_have(GROW(spent.sums, spent.nr_sums));
		spent.sums[spent.nr_sums] = *sum;
		spent.sums[spent.nr_sums].nr = 0;
		spent.sums[spent.nr_sums].sum_ns = 0;
		spent.sums[spent.nr_sums].max_ns = 0;
		*slot = ++spent.nr_sums;
	}
	*last = *slot;
	add_to(&spent.sums[*slot - 1], sum);
	return *slot - 1;
}

/**
 * spent_clip() - find out how much of an interval is within the time
 * @begin_ns: begin of the interval
 * @end_ns: its end
 *
 * Return: the length of that part.
 */
uint64_t spent_clip(uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns < spent.begin_ns)
		begin_ns = spent.begin_ns;
	if (begin_ns < sched.begin_ns)
		begin_ns = sched.begin_ns;
	if (end_ns > spent.end_ns)
		end_ns = spent.end_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* ---- The kind of a wait --------------------------------------------------- */

static bool is_timer(const char *interrupt)
{
	return strstr(interrupt, "timer") || strstr(interrupt, "TIMER");
}

/* Tell what ended a wait; @number is that of the thread which did, or PATH_NONE. */
static enum why_end end_of(const struct why_blocked *blocked, uint32_t number)
{
	const struct why_waker *waker = &blocked->waker;

	if (blocked->is_still)
		return WHY_END_NONE;
	if (waker->interrupt)
		return is_timer(why_text(&why.texts, waker->interrupt)) ?
		       WHY_END_TIMER : WHY_END_DEVICE;
	if (waker->known && waker->thread)
		return waker->doubt || (number != PATH_NONE && spent.threads[number].is_kernel) ?
		       WHY_END_THREAD : WHY_END_PROGRAM;
	return waker->known ? WHY_END_INTERRUPT : WHY_END_UNKNOWN;
}

/* Find the rule for a wait. */
static struct time_cached *rule_of(const struct time_cached *wanted)
{
	const struct why_texts *texts = &why.texts;
	uint64_t key = ((uint64_t)wanted->stack << 32 | wanted->user_stack) +
		       ((uint64_t)wanted->syscall << 8 | wanted->end << 1 | wanted->io);
	struct time_cached *cached =
		&spent.cache[(key * 0x9e3779b97f4a7c15ULL >> 40) % TIME_CACHE];
	const struct why_evidence evidence = {
		.stack = why_text(texts, wanted->stack),
		.user = why_text(texts, wanted->user_stack),
		.syscall = why_text(texts, wanted->syscall),
		.end = wanted->end,
		.io = wanted->io,
	};

	if (!cached->rule || cached->stack != wanted->stack ||
	    cached->user_stack != wanted->user_stack || cached->syscall != wanted->syscall ||
	    cached->end != wanted->end || cached->io != wanted->io) {
		*cached = *wanted;
		cached->rule = why_rule_find(&evidence);
	}
	return cached;
}

/* Say in words what a thread waited for. */
static uint32_t name_place(const struct why_rule *rule, const struct why_blocked *blocked)
{
	const struct why_texts *texts = &why.texts;
	static const char * const defaults[WHY_KINDS] = {
		[WHY_LOCK]	= "a lock of the kernel",
		[WHY_DISK]	= "a disk",
		[WHY_THREAD]	= "another thread",
		[WHY_OUTSIDE]	= "a device",
		[WHY_SLEEP]	= "a pause of the kernel",
		[WHY_UNKNOWN]	= "no rule applies",
	};
	const char *what = rule->what ? rule->what : defaults[rule->kind];
	const char *stack = why_text(texts, blocked->stack), *function;
	size_t len;

	if (blocked->disk)
		return spent_text(format_label("%s (%s)", what, why_text(texts, blocked->disk)));
	if (rule->what || !*stack)
		return spent_text(what);
	if (!why_rule_place(rule, stack, &function, &len)) {
		function = why_text(texts, blocked->syscall);
		len = strlen(function);
	}
	return spent_text(len ? format_label("%s in %.*s", what, (int)len, function) : what);
}

/* The same, by the words of the last wait to which the rule applied. */
static uint32_t place_of(struct time_cached *cached, const struct why_blocked *blocked)
{
	if (blocked->disk)
		return name_place(cached->rule, blocked);
	if (!cached->place)
		cached->place = name_place(cached->rule, blocked);
	return cached->place;
}

/* Set when the thread of a new turn was woken, and how long it had been blocked. */
static void set_blocked(struct path_turn *turn, uint64_t woken_ns, uint64_t blocked_ns)
{
	const struct path_turn *before = path_before(turn);

	turn->woken_ns = woken_ns;
	turn->blocked_ns = woken_ns - blocked_ns;
	turn->waker = PATH_NONE;
	turn->cause = PATH_NONE;
	turn->behind = PATH_NONE;
	/* An event that tells how long it was blocked may contradict the switches. */
	if (before && turn->blocked_ns < before->end_ns)
		turn->blocked_ns = before->end_ns < woken_ns ? before->end_ns : woken_ns;
}

/* Set the cause of the wait that ended at a time, and of so many before it; they are one wait. */
static void set_cause(const struct time_sum *sum, uint64_t woken_ns, uint32_t cause, uint32_t nr)
{
	struct path_turn *turn = path_last(sum->thread);
	unsigned int i;

	for (i = 0; turn && i < MAX_LATE && turn->woken_ns > woken_ns; i++)
		turn = path_before(turn);
	if (!turn || turn->woken_ns != woken_ns)
		return;
	while (turn) {
		turn->cause = cause;
		/* Whoever lets a stopped thread go on has not kept it from running. */
		turn->waker = sum->kind == WHY_STOPPED ? PATH_NONE : sum->other;
		turn = --nr ? path_before(turn) : NULL;
	}
}

/* Check whether a wait is in the place of those in vain, and the thread has hardly run since. */
static bool continues(const struct time_vain *vain, const struct time_sum *sum, uint64_t begin_ns)
{
	return vain->nr && vain->stack == sum->stack && vain->user_stack == sum->user_stack &&
	       begin_ns <= vain->end_ns + vain->ns;
}

/*
 * A thread that waits with a time limit, again and again in the same place, until somebody ends its
 * wait, has waited for that. Add what it waited in vain, and return the number of waits.
 */
static uint32_t take_vain(struct time_sum *sum, uint64_t begin_ns)
{
	struct time_vain *vain = spent.threads[sum->thread].vain;
	struct time_sum *from;
	uint32_t nr;

	if (!vain)
		return 0;
	nr = continues(vain, sum, begin_ns) &&
	     (sum->kind == WHY_THREAD || sum->kind == WHY_OUTSIDE) ? vain->nr : 0;
	vain->nr = 0;
	if (!nr)
		return 0;
	from = &spent.sums[vain->sum];
	from->nr -= nr;
	from->sum_ns -= vain->ns;
	if (!from->nr)
		from->max_ns = 0;
	sum->sum_ns += vain->ns;
	sum->max_ns += vain->ns;
	return nr;
}

static void add_vain(const struct time_sum *sum, uint32_t number, uint64_t begin_ns)
{
	struct time_vain **vain = &spent.threads[sum->thread].vain;

	if (!*vain)
		*vain = calloc(1, sizeof(**vain));
	must_have(*vain);
	if ((*vain)->sum != number || !continues(*vain, sum, begin_ns))
		**vain = (struct time_vain){
			.sum = number, .stack = sum->stack, .user_stack = sum->user_stack,
		};
	(*vain)->nr++;
	(*vain)->ns += sum->sum_ns;
	(*vain)->end_ns = sum->max_end_ns;
}

/* Make a turn without length of a thread that is still blocked, so that a path can lead to it. */
static void add_still(uint32_t thread, const struct why_blocked *blocked)
{
	struct path_turn *turn = path_add(thread);

	turn->end_ns = blocked->end_ns;
	turn->begin_ns = blocked->end_ns;
	set_blocked(turn, blocked->end_ns, blocked->ns);
}

/*
 * Decide about a waker that may have been interrupted. It was if such waits end by an interrupt: a
 * nap does, whoever ran then. It was not if only a thread can end such a wait.
 */
static void judge_waker(struct time_sum *sum, const struct why_rule *rule)
{
	if (rule->kind == WHY_SLEEP ||
	    (sum->doubt && (rule->kind == WHY_DISK || rule->kind == WHY_MEMORY)))
		sum->other = PATH_NONE;
	if (sum->other == PATH_NONE || rule->kind == WHY_LOCK || rule->kind == WHY_CHILD ||
	    rule->by_thread)
		sum->doubt = WHY_CERTAIN;
}

/* Check whether a thread has waited for a disk. Any wait for a ring counts as I/O in the kernel. */
static bool is_io(const struct why_blocked *blocked)
{
	return blocked->disk ||
	       (blocked->io_wait &&
		!strstr(why_text(&why.texts, blocked->stack), "io_cqring_wait"));
}

/* Find the rule for a wait, and make a sum of this wait only. */
static struct time_sum make_sum(const struct sched_thread *thread,
				const struct why_blocked *blocked, uint32_t user_stack)
{
	uint32_t waker = find_waker(&blocked->waker);
	struct time_cached *cached = rule_of(&(struct time_cached){
		.stack = blocked->stack,
		.user_stack = user_stack,
		.syscall = blocked->syscall,
		.end = end_of(blocked, waker),
		.io = is_io(blocked),
	});
	uint64_t ns = spent_clip(blocked->end_ns - blocked->ns, blocked->end_ns);
	struct time_sum sum = {
		.thread = number_of(thread),
		.other = waker,
		.doubt = blocked->waker.doubt,
		.place = place_of(cached, blocked),
		.kind = cached->rule->kind,
		.nr = 1,
		.sum_ns = ns,
		.max_ns = ns,
		.max_end_ns = blocked->end_ns < spent.end_ns ? blocked->end_ns : spent.end_ns,
		.stack = blocked->stack,
		.user_stack = user_stack,
	};

	judge_waker(&sum, cached->rule);
	/* Without a command, nobody was waiting for what has not come. */
	if (blocked->is_still && sum.kind == WHY_THREAD && spent.root == PATH_NONE)
		sum.kind = WHY_WORK;
	return sum;
}

static void on_blocked(const struct sched_thread *thread, const struct why_blocked *blocked,
		       uint32_t user_stack)
{
	struct time_sum sum = make_sum(thread, blocked, user_stack);
	const uint64_t begin_ns = blocked->end_ns - sum.sum_ns;
	bool is_vain = sum.kind == WHY_WORK && !strcmp(why_text(&why.texts, sum.place), WHY_VAIN);
	uint32_t number, nr = 0;

	if (!sum.sum_ns)
		return;
	if (blocked->is_still)
		add_still(sum.thread, blocked);
	if (!is_vain)
		nr = take_vain(&sum, begin_ns);
	number = add_sum(&sum);
	if (is_vain && number != PATH_NONE)
		add_vain(&sum, number, begin_ns);
	set_cause(&sum, blocked->end_ns, number, 1 + nr);
}

/* ---- Turns ---------------------------------------------------------------- */

static void on_begin(const struct why_wait *wait)
{
	struct path_turn *turn = path_add(number_of(wait->thread));

	turn->begin_ns = wait->end_ns;
	turn->end_ns = UINT64_MAX;
	set_blocked(turn, wait->end_ns - wait->ready_ns, wait->blocked.ns);
	turn->waker = find_waker(&wait->blocked.waker);
}

static void on_ran(const struct sched_thread *thread)
{
	uint32_t number = number_of(thread);
	struct path_turn *turn = path_last(number);
	struct time_thread *owner = &spent.threads[number];

	owner->running_ns += spent_clip(thread->turn.begin_ns, thread->turn.end_ns);
	if (turn && turn->end_ns == UINT64_MAX)
		turn->end_ns = thread->turn.end_ns;
	if (thread->turn.after == SCHED_DEAD && owner->end_ns == UINT64_MAX)
		owner->end_ns = thread->turn.end_ns;
}

/* Check whether a CPU was idle for longer than it takes to wake up. */
static bool was_idle(const struct why_wait *wait)
{
	unsigned int i;

	for (i = 0; i < wait->behind.nr; i++)
		if (!wait->behind.shares[i].thread && wait->behind.shares[i].ns >= MAX_WAKE_NS)
			return true;
	return false;
}

/*
 * Return the limit that has kept a real-time thread from an idle CPU, as text number, or
 * WHY_TEXT_NONE. Deadline and the highest real-time priorities are recorded as 1.
 */
static uint32_t real_time_limit(const struct why_wait *wait, enum time_behind behind)
{
	if (behind != TIME_BEHIND_IDLE || !wait->priority || wait->priority >= TIME_REAL_TIME)
		return WHY_TEXT_NONE;
	return wait->priority > 1 ? spent.real_time :
				    spent_text("a budget, or the limit of real-time threads");
}

/* Add a part of a wait for a CPU. The largest counts as the wait. Return its sum, or PATH_NONE. */
static uint32_t add_part(const struct why_wait *wait, uint32_t other, enum time_behind behind,
			 const struct why_share *share, bool is_largest)
{
	const uint64_t all_ns = spent_clip(wait->end_ns - wait->ready_ns, wait->end_ns);
	const uint32_t limit = real_time_limit(wait, behind);
	struct time_sum sum;

	if (!share->ns)
		return PATH_NONE;
	sum = (struct time_sum){
		.thread = number_of(wait->thread),
		.other = other,
		.place = limit ? limit : spent.behind[behind],
		.kind = limit ? WHY_THROTTLED : WHY_CPU,
		.priority = share->priority,
		.cpu = wait->cpu,
		.nr = is_largest,
		/* Of a wait that is partly outside of the time, the parts are in proportion. */
		.sum_ns = all_ns == wait->ready_ns ? share->ns :
			  (__uint128_t)share->ns * all_ns / wait->ready_ns,
		.max_ns = is_largest ? all_ns : 0,
		.max_end_ns = wait->end_ns < spent.end_ns ? wait->end_ns : spent.end_ns,
	};

	return sum.sum_ns ? add_sum(&sum) : PATH_NONE;
}

/* The same of what had the CPU meanwhile, or of the idle CPU. */
static uint32_t add_share(const struct why_wait *wait, bool has_idle, const struct why_share *share,
			  bool is_largest)
{
	if (share->thread)
		return add_part(wait, number_of(share->thread),
				has_idle ? TIME_BEHIND_BESIDE_IDLE : TIME_BEHIND_THREAD,
				share, is_largest);
	return add_part(wait, PATH_NONE,
			share->ns < MAX_WAKE_NS ? TIME_BEHIND_WAKING : TIME_BEHIND_IDLE,
			share, is_largest);
}

static void on_runnable(const struct why_wait *wait)
{
	const struct why_shares *behind = &wait->behind;
	bool has_idle = was_idle(wait);
	uint32_t sum, largest = PATH_NONE, thread;
	struct path_turn *turn;
	unsigned int i;

	for (i = 0; i < behind->nr; i++) {
		sum = add_share(wait, has_idle, &behind->shares[i], !i);
		if (!i)
			largest = sum;
	}
	add_part(wait, PATH_NONE,
		 has_idle ? TIME_BEHIND_OTHERS_BESIDE_IDLE : TIME_BEHIND_OTHERS,
		 &(struct why_share){ .ns = behind->other_ns }, false);
	sum = add_part(wait, PATH_NONE, TIME_BEHIND_UNKNOWN,
		       &(struct why_share){ .ns = behind->unknown_ns }, !behind->nr);
	thread = number_of(wait->thread);
	spent.threads[thread].priority = wait->priority;
	turn = path_last(thread);
	if (turn)
		turn->behind = behind->nr ? largest : sum;
}

static const struct why_ops ops = {
	.begin = on_begin,
	.blocked = on_blocked,
	.runnable = on_runnable,
	.ran = on_ran,
	.is_whole = true,
};

/* ---- Limits of cgroups ------------------------------------------------------ */

/* Find the number of the limit of a cgroup, or add it; PATH_NONE: no room. */
static uint32_t get_limit(const char *cgroup)
{
	uint32_t text = spent_text(cgroup), i;

	for (i = 0; i < spent.nr_limits; i++)
		if (spent.limits[i].cgroup == text)
			return i;
	if (i == TIME_MAX_LIMITS)
		return PATH_NONE;
	must_have(GROW(spent.limits, spent.nr_limits));
	spent.limits[spent.nr_limits++] = (struct time_limit){ .cgroup = text };
	return i;
}

static void follow_limit(const char *text)
{
	uint64_t quota_us, period_us, throttled_us;
	struct time_limit *limit;
	uint32_t number;
	int at = 0;

	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &quota_us, &period_us,
		   &throttled_us, &at) != 3 || !at || !period_us)
		return;
	number = get_limit(text + at);
	if (number == PATH_NONE)
		return;
	limit = &spent.limits[number];
	if (!limit->place)
		limit->first_us = throttled_us;
	limit->last_us = throttled_us;
	limit->place = spent_text(format_label("cgroup %s, cpu.max %.0f %%", text + at,
					       100.0 * quota_us / period_us));
}

static void follow_real_time(const char *text)
{
	uint64_t quota_us, period_us;

	if (sscanf(text, "%" SCNu64 " %" SCNu64, &quota_us, &period_us) == 2 && period_us)
		spent.real_time = spent_text(format_label("the limit of real-time threads, %.0f %%",
							  100.0 * quota_us / period_us));
}

static void follow_member(const char *text)
{
	struct fxt_name *process;
	uint64_t koid;
	uint32_t number;
	int at = 0;

	if (sscanf(text, "%" SCNu64 " %n", &koid, &at) != 1 || !at)
		return;
	number = get_limit(text + at);
	process = number == PATH_NONE ? NULL : fxt_names_get(&spent.limited, koid);
	if (process)
		process->owner = (void *)(uintptr_t)(number + 1);
}

/* Follow a marker of live/cgroups.c. */
static void follow_marker(const struct vitrine_fxt_string *name)
{
	static const char limit[] = "cgroup limit ", member[] = "cgroup process ";
	static const char real_time[] = "real-time limit ";
	char text[256];

	if (name->len_bytes >= sizeof(text))
		return;
	memcpy(text, name->bytes, name->len_bytes);
	text[name->len_bytes] = '\0';
	if (!strncmp(text, limit, strlen(limit)))
		follow_limit(text + strlen(limit));
	else if (!strncmp(text, member, strlen(member)))
		follow_member(text + strlen(member));
	else if (!strncmp(text, real_time, strlen(real_time)))
		follow_real_time(text + strlen(real_time));
}

/* A process is in the cgroup of its parent until a marker tells otherwise. */
static void inherit_limit(uint64_t parent, uint64_t child)
{
	struct fxt_name *from = fxt_names_find(&spent.limited, parent), *to;

	to = from && parent != child ? fxt_names_get(&spent.limited, child) : NULL;
	/* The table may have moved. */
	if (to)
		to->owner = fxt_names_find(&spent.limited, parent)->owner;
}

/**
 * spent_limit() - find the limit that has throttled a thread
 * @thread: number of the thread
 *
 * Return: the limit; NULL: there is none, or it did not throttle any thread.
 */
const struct time_limit *spent_limit(uint32_t thread)
{
	const struct fxt_name *process =
		fxt_names_find(&spent.limited, spent.threads[thread].id.process);
	const struct time_limit *limit;

	if (!process || !process->owner)
		return NULL;
	limit = &spent.limits[(uintptr_t)process->owner - 1];
	return limit->last_us > limit->first_us ? limit : NULL;
}

/**
 * spent_is_throttled() - check whether waits for a CPU were due to the limit of a cgroup
 * @sum: the waits
 *
 * Return: the CPU was idle in the meantime, and the limit has throttled the thread.
 */
bool spent_is_throttled(const struct time_sum *sum)
{
	const uint32_t *behind = spent.behind;

	return sum->kind == WHY_CPU &&
	       (sum->place == behind[TIME_BEHIND_IDLE] ||
		sum->place == behind[TIME_BEHIND_BESIDE_IDLE] ||
		sum->place == behind[TIME_BEHIND_OTHERS_BESIDE_IDLE]) &&
	       spent_limit(sum->thread);
}

/* ---- The command ---------------------------------------------------------- */

/*
 * The recorder has noted its processes and the command in the trace. Older ones have not; then the
 * command is the program that a process named RECORDER started, if that process was there before
 * the first record and after the last one, and the trace ends when the program has ended: the
 * process made the recording. This is known at the end only; if it was another one, the trace is
 * read again without a command.
 */

/* Forget all that was before, which is not part of the time; another command may have run. */
static void begin_time(uint32_t root)
{
	uint64_t now_ns = sched.now_ns;
	struct path_turn *turn;
	uint32_t i;

	spent.root = root;
	spent.nr_alive = 1;
	spent.end_ns = sched.filter->to_ns;
	spent.begin_ns = now_ns > sched.filter->from_ns ? now_ns : sched.filter->from_ns;
	spent.nr_sums = 0;
	for (i = 0; i < spent.nr_threads; i++) {
		free(spent.threads[i].vain);
		spent.threads[i].vain = NULL;
	}
	if (spent.hash.size)
		memset(spent.hash.slots, 0, spent.hash.size * sizeof(*spent.hash.slots));
	samples_deinit();
	for (i = 0; i < spent.nr_threads; i++) {
		spent.threads[i].running_ns = 0;
		spent.threads[i].last = 0;
		spent.threads[i].is_selected = false;
		spent.threads[i].begin_ns = now_ns;
	}
	for (i = 0; (turn = path_turn(i)); i++) {
		turn->cause = PATH_NONE;
		turn->behind = PATH_NONE;
	}
	spent.threads[root].is_selected = true;
}

static uint64_t koid_arg(const struct vitrine_fxt_record *record, const char *name)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	return arg && arg->type == FXT_ARG_KOID ? arg->value.uint64 : 0;
}

static void follow_fork(const struct vitrine_fxt_record *record, uint32_t parent)
{
	const struct vitrine_fxt_thread id = {
		koid_arg(record, "process"), koid_arg(record, "thread"),
	};
	const struct vitrine_fxt_arg *name = fxt_find_arg(record, "name");
	const struct time_thread *from;
	struct time_thread *thread;
	uint32_t child;

	if (!id.thread)
		return;
	child = add_thread(&id, sched.now_ns);
	thread = &spent.threads[child];
	thread->parent = parent;
	from = &spent.threads[parent];
	inherit_limit(from->id.process, id.process);
	thread->is_selected |= from->is_selected;
	thread->is_own = from->is_own && id.process != spent.command;
	thread->is_new = true;
	if (!spent.is_noted && !spent.is_no_recording && !from->is_new && name &&
	    name->type == FXT_ARG_STRING_REF && fxt_string_is(&name->value.string, RECORDER))
		thread->recorder = parent;
}

/* A thread has executed a program, and goes on as the main thread since that one has ended. */
static void go_on(uint32_t main, uint32_t from)
{
	const uint64_t exit_ns = spent.threads[main].end_ns;
	struct path_turn *turn = path_last(main), *before = NULL;
	const struct path_turn *last = path_last(from);

	spent.threads[from].end_ns = sched.now_ns;
	while (turn && (before = path_before(turn)) && before->begin_ns > exit_ns)
		turn = before;
	if (!turn || turn->begin_ns <= exit_ns)
		return;
	turn->waker = from;
	if (last && last->end_ns < turn->woken_ns)
		turn->woken_ns = last->end_ns;
	if (before && before->end_ns < turn->blocked_ns)
		turn->blocked_ns = before->end_ns;
}

static void follow_exec(const struct vitrine_fxt_record *record, uint32_t number)
{
	struct time_thread *thread = &spent.threads[number];
	const uint64_t old = koid_arg(record, "old_thread");
	const struct sched_thread *from = old == thread->id.thread ? NULL : sched_thread_find(old);

	if (from && from->number)
		go_on(number, from->number - 1);
	thread->end_ns = UINT64_MAX;
	if (is_of_command(&thread->id))
		spent.nr_alive = 1;
	else if (spent.root != PATH_NONE)
		spent.is_doubtful |= thread->recorder != PATH_NONE &&
				     thread->recorder != spent.threads[spent.root].recorder;
	else if (!spent.selected && (thread->recorder != PATH_NONE ||
				     (spent.command && thread->id.thread == spent.command)))
		begin_time(number);
	thread->is_new = true;
}

static void end_command(uint64_t ns)
{
	spent.exit_ns = ns;
	if (ns < spent.end_ns)
		spent.end_ns = ns;
}

/*
 * A signal of another process has killed a thread, perhaps while it waited: then it did not get
 * what it waited for, and whoever sent the signal was not what it waited for.
 */
static void end_by_signal(struct time_thread *thread, struct path_turn *turn)
{
	struct time_sum *sum, last;
	uint64_t ran_ns = 0;

	for (; turn; turn = path_before(turn)) {
		ran_ns += (turn->end_ns < sched.now_ns ? turn->end_ns : sched.now_ns) -
			  turn->begin_ns;
		if (turn->blocked_ns != turn->woken_ns)
			break;
	}
	if (!turn || turn->cause == PATH_NONE || turn->waker == PATH_NONE ||
	    ran_ns > MAX_KILL_NS ||
	    record_process(&spent.threads[turn->waker].id) == record_process(&thread->id))
		return;
	thread->killer = turn->waker;
	thread->killed_ns = turn->woken_ns;
	turn->waker = PATH_NONE;
	sum = &spent.sums[turn->cause];
	last = *sum;
	last.other = PATH_NONE;
	last.nr = 1;
	last.sum_ns = spent_clip(turn->blocked_ns, turn->woken_ns);
	last.max_ns = last.sum_ns;
	sum->nr--;
	sum->sum_ns -= last.sum_ns;
	if (!sum->nr)
		sum->max_ns = 0;
	turn->cause = add_sum(&last);
}

static void follow_exit(uint32_t number, uint64_t status)
{
	/* Those by which programs end one another; what else kills a thread is its own fault. */
	const uint32_t sent = 1U << SIGHUP | 1U << SIGINT | 1U << SIGQUIT | 1U << SIGKILL |
			      1U << SIGTERM;
	struct time_thread *thread = &spent.threads[number];

	thread->end_ns = sched.now_ns;
	/* The status is that of wait(2): its lowest bits are the signal. */
	if (sent >> (status & 31) & !(status & 0x60))
		end_by_signal(thread, path_last(number));
	if (is_of_command(&thread->id) && !--spent.nr_alive)
		end_command(sched.now_ns);
}

static void follow_sched(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *name = &record->event.name;
	uint32_t number = subject_of(record);

	if (fxt_string_is(name, "fork"))
		follow_fork(record, number);
	else if (fxt_string_is(name, "exec"))
		follow_exec(record, number);
	else if (fxt_string_is(name, "exit"))
		follow_exit(number, why_number_arg(record, "status"));
}

/* Follow a note of the recorder. Of several recordings, the command is that of the first one. */
static void follow_note(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *name = &record->event.name;
	uint32_t number;

	if (fxt_string_is(name, "recorder")) {
		number = subject_of(record);
		spent.threads[number].is_own = true;
		spent.is_noted = true;
	} else if (fxt_string_is(name, "command") && !spent.command) {
		spent.command = record->event.thread.thread;
	}
}

static void follow_event(const struct vitrine_fxt_record *record)
{
	uint64_t now_ns = sched.now_ns;

	if (fxt_string_is(&record->event.category, "sched"))
		follow_sched(record);
	else if (fxt_string_is(&record->event.category, "marker"))
		follow_marker(&record->event.name);
	else if (fxt_string_is(&record->event.category, VITRINE_PROVIDER_NAME) &&
		 !spent.is_no_recording)
		follow_note(record);
	else if (fxt_string_is(&record->event.category, "stacks") &&
		 now_ns >= spent.begin_ns && now_ns <= spent.end_ns)
		samples_follow(record, now_ns, subject_of(record));
}

static void follow(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;

	why_follow(item);
	if (record->kind == VITRINE_FXT_EVENT && record->event.type == FXT_EVENT_INSTANT)
		follow_event(record);
}

/* Without notes, processes are taken for vitrine's by their names. */
static bool has_own_name(const struct time_thread *thread)
{
	static const char * const names[] = {
		RECORDER, "find-symbols", "read-tracefs", "read-trace-cmd", "read-kdump",
	};
	struct vitrine_fxt_string name;
	unsigned int i;

	if (!vitrine_archive_process(archive, record_process(&thread->id), &name))
		return false;
	for (i = 0; i < ARRAY_LEN(names); i++)
		if (fxt_string_is(&name, names[i]))
			return true;
	return false;
}

static void find_own(void)
{
	struct time_thread *thread;
	uint32_t i;

	for (i = 0; i < spent.nr_threads && !spent.is_noted; i++) {
		thread = &spent.threads[i];
		thread->is_own = !thread->is_selected && has_own_name(thread);
	}
}

/* Without a command, all threads are selected but those of vitrine. */
static void select_all(void)
{
	struct time_thread *thread;
	uint32_t i;

	for (i = 0; i < spent.nr_threads; i++) {
		thread = &spent.threads[i];
		thread->is_selected = !thread->is_kernel && thread->id.thread &&
				      !fxt_is_others(thread->id.thread) && !thread->is_own;
	}
}

/* Find the thread of the command that ended last, where its critical path ends. */
static void find_last(void)
{
	const struct time_thread *last = &spent.threads[spent.root], *thread = spent.threads;

	for (; thread < spent.threads + spent.nr_threads; thread++)
		if (is_of_command(&thread->id) && thread->end_ns > last->end_ns &&
		    (!spent.exit_ns || thread->end_ns <= spent.exit_ns))
			last = thread;
	spent.last = last - spent.threads;
}

/* Check whether the command of an older recording is that of the recorder which made it. */
static bool is_sure(void)
{
	const struct time_thread *root = spent.root == PATH_NONE ? NULL :
								   &spent.threads[spent.root];

	if (!root || root->recorder == PATH_NONE)
		return true;
	/* The recording ended because the command did, also if some of its exits are missing. */
	if (!spent.exit_ns && root->end_ns != UINT64_MAX)
		end_command(root->end_ns);
	return !spent.is_doubtful && spent.exit_ns &&
	       sched.now_ns - spent.exit_ns <= MAX_END_NS &&
	       spent.threads[root->recorder].end_ns == UINT64_MAX;
}

static struct vitrine_error *read_all(const struct record_filter *filter)
{
	struct vitrine_error *err;
	struct archive_item item;
	unsigned int i;

	why_begin(filter, &ops);
	for (i = 0; i < TIME_NR_BEHIND; i++)
		spent.behind[i] = spent_text(behind_words[i]);
	spent.root = PATH_NONE;
	spent.begin_ns = filter->from_ns;
	spent.end_ns = filter->to_ns;
	while (!(err = archive_read(archive, &item)) && item.record)
		follow(&item);
	return err;
}

/**
 * spent_read() - sum up the time of all threads of a trace
 * @filter: as of why_begin(): the time range, without selected threads
 *
 * Return: NULL, or an error; spent_deinit() frees the result in either case.
 */
struct vitrine_error *spent_read(const struct record_filter *filter)
{
	const struct record_filter *selected = spent.selected;
	struct vitrine_error *err = read_all(filter);

	if (!err && !is_sure()) {
		spent_deinit();
		spent.selected = selected;
		spent.is_no_recording = true;
		err = archive_rewind(archive);
		if (!err)
			err = read_all(filter);
	}
	if (err)
		return err;
	why_finish();
	samples_finish();
	if (spent.begin_ns < sched.span.begin_ns)
		spent.begin_ns = sched.span.begin_ns;
	if (spent.end_ns > sched.span.end_ns)
		spent.end_ns = sched.span.end_ns;
	find_own();
	if (spent.root != PATH_NONE)
		find_last();
	else if (!spent.selected)
		select_all();
	return NULL;
}

/**
 * spent_deinit() - free all memory
 */
void spent_deinit(void)
{
	uint32_t i;

	for (i = 0; i < spent.nr_threads; i++)
		free(spent.threads[i].vain);
	why_deinit();
	samples_deinit();
	path_deinit();
	fxt_names_deinit(&spent.limited);
	free(spent.limits);
	free(spent.threads);
	free(spent.sums);
	free(spent.hash.slots);
	spent = (struct spent){ 0 };
}
