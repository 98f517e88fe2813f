// SPDX-License-Identifier: GPL-2.0
/*
 * Sum up where the time of threads went. why.h describes the result.
 *
 * The kind of a wait is known when a user stack can no longer follow; its turn is already among
 * those of the path by then, and gets the number of the sum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "ui/label.h"
#include "why.h"

/* Kernel threads belong to this process. */
#define KTHREADD	2

static const char * const behind_words[TIME_NR_BEHIND] = {
	[TIME_BEHIND_THREAD]			= "",
	[TIME_BEHIND_OTHERS]			= "others",
	[TIME_BEHIND_BESIDE_IDLE]		= "a CPU that was also idle",
	[TIME_BEHIND_OTHERS_BESIDE_IDLE]	= "others beside an idle CPU",
	[TIME_BEHIND_IDLE]			= "an idle CPU",
	[TIME_BEHIND_WAKING]			= "a CPU waking up",
	[TIME_BEHIND_UNKNOWN]			= "what is not known",
};

/* A CPU wakes up in less time, unless the thread may not run. */
#define MAX_WAKE_NS	1000000

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

/* Add a thread, which takes the place of one that had the same id. */
static uint32_t add_thread(const struct vitrine_fxt_thread *id, uint64_t begin_ns)
{
	struct sched_thread *thread = sched_thread_get(id);

	must_have(GROW(spent.threads, spent.nr_threads));
	spent.threads[spent.nr_threads++] = (struct time_thread){
		.id = *id,
		.begin_ns = begin_ns,
		.end_ns = UINT64_MAX,
		.is_selected = is_selected(id),
		.is_kernel = record_process(id) == KTHREADD,
	};
	thread->number = spent.nr_threads;
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
	       a->kind == b->kind && a->priority == b->priority;
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
		return number != PATH_NONE && spent.threads[number].is_kernel ?
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

/* Find the function that called those which the rule looks for; without any, the innermost one. */
static size_t find_function(const struct why_rule *rule, const char *stack, const char **ret)
{
	const char *end = stack + strlen(stack);
	bool found = !rule->stack, is_one;
	size_t len;

	while (why_frame_before(stack, &end, ret, &len)) {
		is_one = why_rule_has(rule, *ret, len);
		if (found && !is_one && !why_frame_is_scheduler(*ret, len))
			return len;
		found |= is_one;
	}
	return 0;
}

/* Say in words what a thread waited for. */
static uint32_t name_place(const struct why_rule *rule, const struct why_blocked *blocked)
{
	const struct why_texts *texts = &why.texts;
	static const char * const defaults[WHY_KINDS] = {
		[WHY_LOCK]	= "a lock of the kernel",
		[WHY_DISK]	= "a disk",
		[WHY_THREAD]	= "another thread",
		[WHY_UNKNOWN]	= "no rule applies",
	};
	const char *what = rule->what ? rule->what : defaults[rule->kind], *function;
	size_t len = 0;

	if (!rule->what && !blocked->disk)
		len = find_function(rule, why_text(texts, blocked->stack), &function);
	if (blocked->disk)
		what = format_label("%s (%s)", what, why_text(texts, blocked->disk));
	else if (len)
		what = format_label("%s in %.*s", what, (int)len, function);
	return spent_text(what);
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

static void set_cause(const struct time_sum *sum, uint64_t woken_ns, uint32_t cause)
{
	struct path_turn *turn = path_last(sum->thread);
	unsigned int i;

	for (i = 0; turn && i < MAX_LATE && turn->woken_ns > woken_ns; i++)
		turn = path_before(turn);
	if (!turn || turn->woken_ns != woken_ns)
		return;
	turn->cause = cause;
	if (sum->other == PATH_NONE)
		turn->waker = PATH_NONE;
}

/* Make a turn without length of a thread that is still blocked, so that a path can lead to it. */
static void add_still(uint32_t thread, const struct why_blocked *blocked)
{
	struct path_turn *turn = path_add(thread);

	turn->end_ns = blocked->end_ns;
	turn->begin_ns = blocked->end_ns;
	set_blocked(turn, blocked->end_ns, blocked->ns);
}

static void on_blocked(const struct sched_thread *thread, const struct why_blocked *blocked,
		       uint32_t user_stack)
{
	uint32_t waker = find_waker(&blocked->waker);
	struct time_cached *cached = rule_of(&(struct time_cached){
		.stack = blocked->stack,
		.user_stack = user_stack,
		.syscall = blocked->syscall,
		.end = end_of(blocked, waker),
		.io = blocked->io_wait || blocked->disk,
	});
	uint64_t ns = spent_clip(blocked->end_ns - blocked->ns, blocked->end_ns);
	const struct why_rule *rule = cached->rule;
	struct time_sum sum = {
		.thread = number_of(thread),
		/* Whoever ran when its time was over did not end a nap. */
		.other = rule->kind == WHY_SLEEP ? PATH_NONE : waker,
		.place = place_of(cached, blocked),
		.kind = rule->kind,
		.nr = 1,
		.sum_ns = ns,
		.max_ns = ns,
		.max_end_ns = blocked->end_ns < spent.end_ns ? blocked->end_ns : spent.end_ns,
		.stack = blocked->stack,
		.user_stack = user_stack,
	};

	if (!ns)
		return;
	if (blocked->is_still)
		add_still(sum.thread, blocked);
	set_cause(&sum, blocked->end_ns, add_sum(&sum));
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

/* Add a part of a wait for a CPU. The largest counts as the wait. Return its sum, or PATH_NONE. */
static uint32_t add_part(const struct why_wait *wait, uint32_t other, enum time_behind behind,
			 const struct why_share *share, bool is_largest)
{
	const uint64_t all_ns = spent_clip(wait->end_ns - wait->ready_ns, wait->end_ns);
	struct time_sum sum;

	if (!share->ns)
		return PATH_NONE;
	sum = (struct time_sum){
		.thread = number_of(wait->thread),
		.other = other,
		.place = spent.behind[behind],
		.kind = WHY_CPU,
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
	uint32_t sum, largest = PATH_NONE;
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
	turn = path_last(number_of(wait->thread));
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
	char text[256];

	if (name->len_bytes >= sizeof(text))
		return;
	memcpy(text, name->bytes, name->len_bytes);
	text[name->len_bytes] = '\0';
	if (!strncmp(text, limit, strlen(limit)))
		follow_limit(text + strlen(limit));
	else if (!strncmp(text, member, strlen(member)))
		follow_member(text + strlen(member));
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

/* Forget all that was before, which is not part of the time; another command may have run. */
static void begin_time(uint32_t root)
{
	uint64_t now_ns = sched.now_ns;
	struct path_turn *turn;
	uint32_t i;

	spent.root = root;
	spent.end_ns = sched.filter->to_ns;
	spent.begin_ns = now_ns > sched.filter->from_ns ? now_ns : sched.filter->from_ns;
	spent.nr_sums = 0;
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
	struct time_thread *thread;
	uint32_t child;

	if (!id.thread)
		return;
	child = add_thread(&id, sched.now_ns);
	inherit_limit(spent.threads[parent].id.process, id.process);
	thread = &spent.threads[child];
	thread->is_selected |= spent.threads[parent].is_selected;
	thread->is_candidate = !thread->is_selected && name && name->type == FXT_ARG_STRING_REF &&
			       fxt_string_is(&name->value.string, RECORDER);
}

static void end_thread(uint32_t number)
{
	uint64_t now_ns = sched.now_ns;

	spent.threads[number].end_ns = now_ns;
	if (number == spent.root && now_ns < spent.end_ns)
		spent.end_ns = now_ns;
}

static void follow_sched(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *name = &record->event.name;
	uint32_t number = subject_of(record);

	if (fxt_string_is(name, "fork"))
		follow_fork(record, number);
	else if (fxt_string_is(name, "exec") && number != spent.root &&
		 spent.threads[number].is_candidate && !spent.selected)
		begin_time(number);
	else if (fxt_string_is(name, "exit"))
		end_thread(number);
}

static void follow_event(const struct vitrine_fxt_record *record)
{
	uint64_t now_ns = sched.now_ns;

	if (fxt_string_is(&record->event.category, "sched"))
		follow_sched(record);
	else if (fxt_string_is(&record->event.category, "marker"))
		follow_marker(&record->event.name);
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

/* Without a command, all threads are selected but those of the recorder. */
static void select_all(void)
{
	struct vitrine_fxt_string name;
	struct time_thread *thread;
	uint32_t i;

	for (i = 0; i < spent.nr_threads; i++) {
		thread = &spent.threads[i];
		thread->is_selected = !thread->is_kernel && thread->id.thread &&
				      !fxt_is_others(thread->id.thread) &&
				      !(vitrine_archive_process(archive,
								thread->id.process, &name) &&
					fxt_string_is(&name, RECORDER));
	}
}

/**
 * spent_read() - sum up the time of all threads of a trace
 * @filter: as of why_begin(): the time range, without selected threads
 *
 * Return: NULL, or an error; spent_deinit() frees the result in either case.
 */
struct vitrine_error *spent_read(const struct record_filter *filter)
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
	if (err)
		return err;
	why_finish();
	samples_finish();
	if (spent.begin_ns < sched.span.begin_ns)
		spent.begin_ns = sched.span.begin_ns;
	if (spent.end_ns > sched.span.end_ns)
		spent.end_ns = sched.span.end_ns;
	if (spent.root == PATH_NONE && !spent.selected)
		select_all();
	return NULL;
}

/**
 * spent_deinit() - free all memory
 */
void spent_deinit(void)
{
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
