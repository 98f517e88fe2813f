// SPDX-License-Identifier: GPL-2.0
/*
 * Make the answer from the time of threads. answer.h describes it, Documentation/why.rst how it
 * comes about.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"

/* What is less than 1 % of the time is not worth a line, and less than 5 % is no finding. */
#define LEAST(ns)		((ns) / 100)
#define LEAST_FINDING(ns)	((ns) / 20)

/* The shortest wait that is a stall: a person notices it. */
#define LEAST_STALL_NS		(100 * 1000000ULL)

/* A thread that waited for work for 95 % of its time, or more, is idle. */
#define IS_MOST(ns, of_ns)	((ns) >= (of_ns) / 20 * 19)

/* A thread that exits wakes those that wait for that so long before its end, or less. */
#define MAX_JOIN_NS	1000000

/* Most threads that wait for one another, from the command on. */
#define MAX_RANK	16

/* Most shares of a path that are told apart. */
#define MAX_SHARES	4096

/* The answer that is being made. */
struct answer answer;

static struct answer_group *group_of(uint32_t thread)
{
	return &answer.groups[answer.group_of[thread]];
}

/* ---- Groups --------------------------------------------------------------- */

/* Replace each number in a name by "#". */
static void make_alike(char *name)
{
	char *at = name;

	while (*name) {
		if (isdigit((unsigned char)*name)) {
			name += strspn(name, "0123456789");
			*at++ = '#';
		} else {
			*at++ = *name++;
		}
	}
	*at = '\0';
}

/* Make the group of a thread, perhaps not the first one. */
static struct answer_group describe_group(const struct time_thread *thread)
{
	struct vitrine_fxt_string program = { 0 }, own = { 0 };
	uint64_t process = record_process(&thread->id);
	bool has_program, is_named;
	char name[2 * LABEL_BYTES];
	struct answer_group group;
	size_t len = 0;

	has_program = vitrine_archive_process(archive, process, &program);
	is_named = vitrine_archive_thread(archive, thread->id.thread, &own, &process);
	if (has_program && !thread->is_kernel &&
	    (program.len_bytes != own.len_bytes || memcmp(program.bytes, own.bytes, own.len_bytes)))
		len = snprintf(name, LABEL_BYTES + 1, "%s/", name_label(&program));
	snprintf(name + len, sizeof(name) - len, "%s", is_named ? name_label(&own) : "?");
	group = (struct answer_group){
		.name = spent_text(name),
		.rank = UINT32_MAX,
		.is_selected = thread->is_selected,
		.is_own = thread->is_own,
	};
	make_alike(name + len);
	group.key = spent_text(name);
	return group;
}

/* Put each thread into a group; selected ones, vitrine's, and others of the same name are apart. */
static void make_groups(void)
{
	uint32_t *by_key = NULL, nr_keys = 0, i, key;
	struct answer_group group;

	answer.group_of = calloc(spent.nr_threads + 1, sizeof(*answer.group_of));
	must_have(answer.group_of);
	for (i = 0; i < spent.nr_threads; i++) {
		group = describe_group(&spent.threads[i]);
		key = 3 * group.key + (group.is_selected ? 1 : group.is_own ? 2 : 0);
		must_have(GROW_TO(by_key, nr_keys, key));
		if (!by_key[key]) {
			must_have(GROW(answer.groups, answer.nr_groups));
			answer.groups[answer.nr_groups++] = group;
			by_key[key] = answer.nr_groups;
		}
		answer.group_of[i] = by_key[key] - 1;
		if (group_of(i)->name != group.name)
			group_of(i)->name = group.key;
	}
	free(by_key);
}

/* ---- Who waits for whom ---------------------------------------------------- */

static uint64_t process_of(uint32_t thread)
{
	return record_process(&spent.threads[thread].id);
}

/* Check whether a thread may only have been interrupted when waits ended: it is a stranger. */
static bool is_doubtful(const struct time_sum *sum)
{
	return sum->doubt == WHY_DOUBT && process_of(sum->other) != process_of(sum->thread) &&
	       (spent.root == PATH_NONE || !group_of(sum->other)->is_selected);
}

/* Lower the rank of a group that others wait for. Return whether it has changed. */
static bool rank_by(const struct time_sum *sum)
{
	const struct answer_group *group = group_of(sum->thread);
	struct answer_group *other;

	if (sum->other == PATH_NONE || is_doubtful(sum) || group->rank >= MAX_RANK ||
	    (sum->kind != WHY_THREAD && sum->kind != WHY_CHILD && sum->kind != WHY_LOCK) ||
	    sum->sum_ns < LEAST(spent.end_ns - spent.begin_ns) / 10)
		return false;
	other = group_of(sum->other);
	if (other->is_own || other->rank <= group->rank + 1)
		return false;
	other->rank = group->rank + 1;
	return true;
}

static void rank_groups(void)
{
	bool changed = true;
	uint32_t i;

	for (i = 0; i < answer.nr_groups; i++)
		if (spent.root == PATH_NONE ? answer.groups[i].is_selected :
					       i == answer.group_of[spent.root])
			answer.groups[i].rank = 0;
	while (changed)
		for (i = 0, changed = false; i < spent.nr_sums; i++)
			changed |= rank_by(&spent.sums[i]);
}

static bool is_place(const struct time_sum *sum, const char *what)
{
	return !strcmp(why_text(&why.texts, sum->place), what);
}

/*
 * Check whether the only wait for a thread of the same process, or for a child, ended when that
 * thread exited. The user stack often lacks pthread_join().
 */
static bool is_join(const struct time_sum *sum)
{
	const struct time_thread *other = &spent.threads[sum->other];
	const uint64_t end_ns = other->end_ns, woken_ns = sum->max_end_ns;
	const bool is_child = other->parent == sum->thread;

	return sum->nr == 1 && end_ns != UINT64_MAX &&
	       (end_ns > woken_ns ? end_ns - woken_ns : woken_ns - end_ns) < MAX_JOIN_NS &&
	       (is_child || process_of(sum->other) == process_of(sum->thread)) &&
	       (!sum->stack || is_place(sum, WHY_FUTEX) ||
		(is_child && is_place(sum, WHY_SIGNAL)));
}

/* Check whether a thread of the command waited for an event that did not come. */
static bool is_in_vain(const struct time_sum *sum)
{
	return sum->kind == WHY_WORK && spent.root != PATH_NONE &&
	       process_of(sum->thread) == process_of(spent.root) && is_place(sum, WHY_VAIN);
}

/*
 * Return the kind of waits. A wait that ended as a thread exited is for its end. A thread that
 * waits for one that is nearer to the command waits for work. If there is no command, so does a
 * thread that waits for an event from another program.
 */
static enum why_kind kind_of(const struct time_sum *sum)
{
	const struct answer_group *group = group_of(sum->thread), *other;

	if (spent_is_throttled(sum))
		return WHY_THROTTLED;
	if (is_in_vain(sum))
		return WHY_UNKNOWN;
	if (sum->kind != WHY_THREAD || sum->other == PATH_NONE)
		return sum->kind;
	if (is_join(sum))
		return WHY_CHILD;
	other = group_of(sum->other);
	/* What reads the output of vitrine waits for the report, and not for what it is about. */
	if (other->is_own || other->rank < group->rank)
		return WHY_WORK;
	if (spent.root == PATH_NONE && other != group && is_place(sum, WHY_EVENT))
		return WHY_WORK;
	return WHY_THREAD;
}

/* Return what waits of a kind are for: waits for CPUs are alike. */
static uint32_t place_of(const struct time_sum *sum, enum why_kind kind)
{
	switch (kind) {
	case WHY_CPU:
		return WHY_TEXT_NONE;
	case WHY_THROTTLED:
		return sum->kind == WHY_THROTTLED ? sum->place : spent_limit(sum->thread)->place;
	case WHY_CHILD:
		return sum->kind == WHY_CHILD ? sum->place :
		       spent.threads[sum->other].parent == sum->thread &&
		       process_of(sum->other) != process_of(sum->thread) ?
		       spent_text("a child") : spent_text("the end of a thread");
	case WHY_UNKNOWN:
		return sum->kind == WHY_WORK ?
		       spent_text("no event came before the end of a time limit") : sum->place;
	default:
		return sum->place;
	}
}

/* ---- Time by kind ---------------------------------------------------------- */

/*
 * Check whether a thread was idle. If the question is about all programs, one that was there before
 * and has only waited for a futex is taken for a worker without work.
 */
static bool is_idle(const struct time_thread *thread, const uint64_t *kinds_ns, uint64_t futex_ns)
{
	uint64_t life_ns = spent_clip(thread->begin_ns, thread->end_ns);

	if (spent.root == PATH_NONE && !spent.selected && thread->begin_ns <= spent.begin_ns)
		return IS_MOST(kinds_ns[WHY_WORK] + futex_ns, life_ns);
	return IS_MOST(kinds_ns[WHY_WORK], life_ns);
}

static void count_thread(uint32_t number, const uint64_t *kinds_ns, uint64_t futex_ns)
{
	const struct time_thread *thread = &spent.threads[number];
	struct answer_group *group = group_of(number);
	uint64_t life_ns = spent_clip(thread->begin_ns, thread->end_ns);
	uint64_t known_ns = 0;
	unsigned int i;

	for (i = 0; i < WHY_KINDS; i++)
		known_ns += kinds_ns[i];
	if (!life_ns)
		return;
	if (!known_ns || is_idle(thread, kinds_ns, futex_ns)) {
		group->nr_idle++;
		return;
	}
	group->nr_threads++;
	group->life_ns += known_ns > life_ns ? known_ns : life_ns;
	for (i = 0; i < WHY_KINDS; i++)
		group->kinds_ns[i] += kinds_ns[i];
	if (life_ns > known_ns)
		group->kinds_ns[WHY_UNKNOWN] += life_ns - known_ns;
}

static void count_threads(void)
{
	uint64_t (*kinds_ns)[WHY_KINDS] = calloc(spent.nr_threads + 1, sizeof(*kinds_ns));
	uint64_t *futex_ns = calloc(spent.nr_threads + 1, sizeof(*futex_ns));
	const struct time_sum *sum;
	uint32_t i;

	must_have(kinds_ns && futex_ns);
	for (i = 0; i < spent.nr_sums; i++) {
		sum = &spent.sums[i];
		kinds_ns[sum->thread][kind_of(sum)] += sum->sum_ns;
		if (sum->kind == WHY_THREAD && is_place(sum, WHY_FUTEX))
			futex_ns[sum->thread] += sum->sum_ns;
	}
	for (i = 0; i < spent.nr_threads; i++) {
		kinds_ns[i][WHY_RUNNING] = spent.threads[i].running_ns;
		count_thread(i, kinds_ns[i], futex_ns[i]);
	}
	free(kinds_ns);
	free(futex_ns);
}

/* ---- Functions -------------------------------------------------------------- */

/* Name the function that was sampled or, if that is not known, its file. */
static uint32_t name_of(const struct sample *sample)
{
	uint32_t number = sample->kernel ? sample->kernel : sample->user;
	const char *stack = why_text(&samples.texts, number), *frame;
	const char *end = stack + strlen(stack), *suffix = "";
	size_t len;

	if (!why_frame_before(stack, &end, &frame, &len))
		return spent_text("user space");
	if (!sample->kernel)
		len = why_frame_name_len(frame, len);
	else if (frame[len - 1] != ']')
		suffix = " [kernel]";
	return spent_text(format_label("%.*s%s", (int)len, frame, suffix));
}

/* Order functions by group and name. */
static int compare_functions(const void *left, const void *right)
{
	const struct answer_function *a = left, *b = right;

	return number_order(a->group, b->group) ?: number_order(a->name, b->name);
}

/* Count the samples of each group by function. */
static void count_functions(void)
{
	struct answer_function *all, *last;
	uint32_t i;

	all = calloc(samples.nr + 1, sizeof(*all));
	must_have(all);
	for (i = 0; i < samples.nr; i++)
		all[i] = (struct answer_function){
			.group = answer.group_of[samples.samples[i].thread],
			.name = name_of(&samples.samples[i]),
			.nr = 1,
		};
	SORT(all, samples.nr, compare_functions);
	for (i = 1, last = all; i < samples.nr; i++)
		if (!compare_functions(last, &all[i]))
			last->nr++;
		else
			*++last = all[i];
	answer.functions = all;
	answer.nr_functions = samples.nr ? last - all + 1 : 0;
}

/* Count the samples within a part of the critical path. */
static void count_on_path(const struct path_part *part)
{
	struct answer_function key = { .group = answer.group_of[part->thread] }, *found;
	struct sample *first;
	size_t nr, i;

	nr = samples_of(part->thread, part->begin_ns, part->end_ns, &first);
	for (i = 0; i < nr; i++) {
		key.name = name_of(&first[i]);
		found = bsearch(&key, answer.functions, answer.nr_functions, sizeof(key),
				compare_functions);
		found->nr_on_path++;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	const struct answer_function *a = left, *b = right;

	return number_order(a->group, b->group) ?: number_order(b->nr_on_path, a->nr_on_path) ?:
	       number_order(b->nr, a->nr) ?: compare_functions(a, b);
}

/* Give each group its functions, the most frequent first. */
static void order_functions(void)
{
	struct answer_group *group;
	uint32_t i;

	SORT(answer.functions, answer.nr_functions, compare_numbers);
	for (i = 0; i < answer.nr_functions; i++) {
		group = &answer.groups[answer.functions[i].group];
		if (!group->nr_functions++)
			group->functions = &answer.functions[i];
	}
}

/* ---- Critical paths -------------------------------------------------------- */

/**
 * struct tally - a critical path that is being summed up
 * @shares: receives the shares
 * @by_thread: the shares are of threads, not of groups
 */
struct tally {
	struct answer_shares *shares;
	bool by_thread;
};

/* Return the number of the sum that a part of a path is in, or PATH_NONE. */
static uint32_t sum_of(const struct path_part *part)
{
	return part->state == PATH_BLOCKED ? part->turn->cause :
	       part->state == PATH_RUNNABLE ? part->turn->behind : PATH_NONE;
}

/* Check whether a part is that of a kernel thread that had nothing to do, for all that is known. */
static bool is_idle_worker(const struct path_part *part)
{
	const uint32_t sum = sum_of(part);
	enum why_kind kind;

	if (!spent.threads[part->thread].is_kernel ||
	    (part->state != PATH_BLOCKED && part->state != PATH_UNKNOWN))
		return false;
	kind = sum == PATH_NONE ? WHY_UNKNOWN : kind_of(&spent.sums[sum]);
	return kind == WHY_WORK || kind == WHY_UNKNOWN || !spent.sums[sum].stack;
}

/* Return the part, or, of an idle worker that woke another thread, the wait of that thread. */
static struct path_part told_by(struct path_part part, const struct path_wait *waits,
				unsigned int nr_waits)
{
	while (nr_waits && is_idle_worker(&part)) {
		part.turn = waits[--nr_waits].turn;
		part.thread = part.turn->thread;
		part.state = PATH_BLOCKED;
	}
	return part;
}

/**
 * answer_part() - say what a thread did in a part of a path
 * @part: the part
 * @waits: the waits that it replaces, the outermost first
 * @nr_waits: their number
 *
 * Return: the part as a share, by thread.
 */
struct answer_share answer_part(const struct path_part *part, const struct path_wait *waits,
				unsigned int nr_waits)
{
	const struct path_part told = told_by(*part, waits, nr_waits);
	struct answer_share share = {
		.who = told.thread,
		.kind = told.state == PATH_RUNNING ? WHY_RUNNING :
			told.state == PATH_RUNNABLE ? WHY_CPU : WHY_UNKNOWN,
		.ns = part->end_ns - part->begin_ns,
	};
	uint32_t sum = sum_of(&told);

	if (sum != PATH_NONE) {
		share.kind = kind_of(&spent.sums[sum]);
		share.place = place_of(&spent.sums[sum], share.kind);
	}
	return share;
}

static void tally_part(void *ctx, const struct path_part *part, const struct path_wait *waits,
		       unsigned int nr_waits)
{
	struct tally *tally = ctx;
	struct answer_shares *shares = tally->shares;
	struct answer_share share = answer_part(part, waits, nr_waits);
	uint32_t i;

	if (!tally->by_thread)
		share.who = answer.group_of[share.who];
	shares->all_ns += share.ns;
	for (i = 0; i < shares->nr; i++)
		if (shares->shares[i].who == share.who && shares->shares[i].kind == share.kind &&
		    shares->shares[i].place == share.place)
			break;
	if (i < shares->nr) {
		shares->shares[i].ns += share.ns;
	} else if (shares->nr < MAX_SHARES) {
		must_have(GROW(shares->shares, shares->nr));
		shares->shares[shares->nr++] = share;
	}
}

static int compare_shares(const void *left, const void *right)
{
	const struct answer_share *a = left, *b = right;

	return number_order(b->ns, a->ns);
}

static void tally(uint32_t thread, uint64_t begin_ns, uint64_t end_ns, bool by_thread,
		  struct answer_shares *ret)
{
	struct tally tally = { ret, by_thread };

	path_walk(thread, begin_ns, end_ns, tally_part, &tally);
	SORT(ret->shares, ret->nr, compare_shares);
}

/* No path leads to a thread that may only have been interrupted. */
static void drop_doubtful(void)
{
	bool *drops = calloc(spent.nr_sums + 1, sizeof(*drops)), any = false;
	const struct time_sum *sum;
	struct path_turn *turn;
	uint32_t i;

	must_have(drops);
	for (i = 0; i < spent.nr_sums; i++) {
		sum = &spent.sums[i];
		drops[i] = sum->other != PATH_NONE && is_doubtful(sum) &&
			   kind_of(sum) != WHY_CHILD;
		any |= drops[i];
	}
	for (i = 0; any && (turn = path_turn(i)); i++)
		if (turn->cause != PATH_NONE && drops[turn->cause])
			turn->waker = PATH_NONE;
	free(drops);
}

static void follow_command(void)
{
	uint32_t i;

	if (spent.root == PATH_NONE)
		return;
	tally(spent.last, spent.begin_ns, spent.end_ns, false, &answer.path);
	for (i = 0; i < answer.path.nr; i++)
		answer.groups[answer.path.shares[i].who].path_ns += answer.path.shares[i].ns;
}

/* ---- What is shown --------------------------------------------------------- */

static int compare_groups(const void *left, const void *right)
{
	const struct answer_group *a = &answer.groups[*(const uint32_t *)left];
	const struct answer_group *b = &answer.groups[*(const uint32_t *)right];

	return number_order(b->path_ns, a->path_ns) ?: number_order(b->life_ns, a->life_ns);
}

/* Show the selected groups, and programs whose threads are on the critical path. */
static void choose_groups(void)
{
	struct answer_group *group;
	uint32_t i;

	answer.order = calloc(answer.nr_groups + 1, sizeof(*answer.order));
	must_have(answer.order);
	for (i = 0; i < answer.nr_groups; i++) {
		group = &answer.groups[i];
		group->is_shown = group->nr_threads &&
				  (answer.args->all || group->is_selected ||
				   (!group->is_own && group->rank <= MAX_RANK &&
				    group->path_ns > LEAST(answer.path.all_ns)));
		if (group->is_shown)
			answer.order[answer.nr_shown++] = i;
	}
	SORT(answer.order, answer.nr_shown, compare_groups);
}

/* ---- Waits ------------------------------------------------------------------- */

/* Find where the answer shows what those did that a thread waited for. */
static enum answer_explained explained(const struct time_sum *sum, enum why_kind kind)
{
	const struct answer_group *group = group_of(sum->thread), *other;

	if (kind != WHY_THREAD || sum->other == PATH_NONE || is_doubtful(sum))
		return ANSWER_NOWHERE;
	other = group_of(sum->other);
	if (other == group)
		return ANSWER_IN_GROUP;
	return other->is_shown && other->rank > group->rank ? ANSWER_FARTHER : ANSWER_NOWHERE;
}

static int compare_waits(const void *left, const void *right)
{
	const struct answer_wait *a = left, *b = right;

	return number_order(a->group, b->group) ?: number_order(a->kind, b->kind) ?:
	       number_order(a->explained, b->explained) ?: number_order(a->place, b->place);
}

static bool is_wait(const void *owner, uint32_t number, const void *wait)
{
	return !compare_waits(&answer.waits[number - 1], wait);
}

/* Return the number of the wait that a sum is part of. */
static uint32_t wait_number(struct hash *hash, const struct time_sum *sum)
{
	const enum why_kind kind = kind_of(sum);
	const struct answer_wait wait = {
		.group = answer.group_of[sum->thread],
		.kind = kind,
		.place = place_of(sum, kind),
		.explained = explained(sum, kind),
	};
	uint32_t value = (wait.group * 31 + wait.place) * 31 + kind + wait.explained, *slot;

	must_have(hash_reserve(hash, answer.nr_waits));
	slot = hash_find(hash, value, is_wait, NULL, &wait);
	if (!*slot) {
		must_have(GROW(answer.waits, answer.nr_waits));
		answer.waits[answer.nr_waits] = wait;
		*slot = ++answer.nr_waits;
		answer.waits[answer.nr_waits - 1].id = *slot;
	}
	return *slot;
}

/* Find the wait of each sum, and give the waits their ids in order. */
static void find_waits(void)
{
	struct hash hash = { 0 };
	uint32_t i, *ids;

	answer.wait_of = calloc(spent.nr_sums + 1, sizeof(*answer.wait_of));
	must_have(answer.wait_of);
	for (i = 0; i < spent.nr_sums; i++)
		if (spent.sums[i].sum_ns && group_of(spent.sums[i].thread)->is_shown)
			answer.wait_of[i] = wait_number(&hash, &spent.sums[i]);
	free(hash.slots);
	ids = calloc(answer.nr_waits + 1, sizeof(*ids));
	must_have(ids);
	SORT(answer.waits, answer.nr_waits, compare_waits);
	for (i = 0; i < answer.nr_waits; i++) {
		ids[answer.waits[i].id] = i + 1;
		answer.waits[i].id = i + 1;
	}
	for (i = 0; i < spent.nr_sums; i++)
		answer.wait_of[i] = ids[answer.wait_of[i]];
	free(ids);
}

static uint32_t thread_of(uint32_t sum)
{
	return spent.sums[sum].thread;
}

/* Return the id of the wait that a sum is part of; 0: none that is shown. */
static uint32_t id_of(uint32_t sum)
{
	return sum == PATH_NONE ? 0 : answer.wait_of[sum];
}

/*
 * Order all sums by a number below @nr_numbers, without a comparison, of which there would be
 * millions. Those with the same number stay as they are.
 */
static void order_sums(uint32_t (*number_of)(uint32_t sum), uint32_t nr_numbers)
{
	uint32_t *places = calloc(nr_numbers + 1, sizeof(*places)), *ordered, i;

	ordered = calloc(spent.nr_sums + 1, sizeof(*ordered));
	must_have(places && ordered);
	for (i = 0; i < spent.nr_sums; i++)
		places[number_of(i) + 1]++;
	for (i = 0; i < nr_numbers; i++)
		places[i + 1] += places[i];
	for (i = 0; i < spent.nr_sums; i++)
		ordered[places[number_of(answer.sums[i])]++] = answer.sums[i];
	free(places);
	free(answer.sums);
	answer.sums = ordered;
}

/* Add the sum at an index to its wait; the sums of a thread are beside one another. */
static void add_sum(uint32_t index)
{
	const struct time_sum *sums = spent.sums, *sum = &sums[answer.sums[index]];
	uint32_t id = id_of(answer.sums[index]);
	struct answer_wait *wait;

	if (!id)
		return;
	wait = &answer.waits[id - 1];
	if (!wait->nr_sums) {
		wait->first = index;
		wait->longest = answer.sums[index];
		wait->cpu = sum->cpu;
	}
	if (wait->cpu != sum->cpu)
		wait->cpu = PATH_NONE;
	wait->nr_threads += !wait->nr_sums || sums[answer.sums[index - 1]].thread != sum->thread;
	wait->nr_sums++;
	wait->nr += sum->nr;
	wait->sum_ns += sum->sum_ns;
	if (sum->max_ns > sums[wait->longest].max_ns)
		wait->longest = answer.sums[index];
}

static bool is_shorter(const void *left, const void *right)
{
	return *(const uint64_t *)left < *(const uint64_t *)right;
}

/* Find the 99th percentile, with a heap of the longest hundredth. */
static uint64_t p99_of(uint64_t *lengths, uint32_t nr, void **heap)
{
	uint32_t nr_longest = nr - percentile_rank(nr, 99) + 1, i;

	for (i = 0; i < nr; i++) {
		if (i < nr_longest) {
			heap[i] = &lengths[i];
			heap_rise(heap, i, is_shorter);
		} else if (is_shorter(heap[0], &lengths[i])) {
			heap[0] = &lengths[i];
			heap_sink(heap, nr_longest, is_shorter);
		}
	}
	return *(uint64_t *)heap[0];
}

/* Find the 99th percentiles of all waits. */
static void measure_waits(void)
{
	/* The lengths of the waits, one wait behind the other; where those of each wait begin. */
	uint32_t *begins = calloc(answer.nr_waits + 2, sizeof(*begins)), nr, id, i;
	const struct path_turn *turn;
	uint64_t *lengths;
	void **heap;

	must_have(begins);
	for (i = 0; (turn = path_turn(i)); i++) {
		begins[id_of(turn->behind)]++;
		begins[id_of(turn->cause)]++;
	}
	for (begins[0] = 0, id = 1; id <= answer.nr_waits + 1; id++)
		begins[id] += begins[id - 1];
	nr = begins[answer.nr_waits];
	lengths = malloc((nr + 1) * sizeof(*lengths));
	heap = malloc((nr / 100 + 2) * sizeof(*heap));
	must_have(lengths && heap);
	for (i = 0; (turn = path_turn(i)); i++) {
		id = id_of(turn->behind);
		if (id)
			lengths[--begins[id]] = spent_clip(turn->woken_ns, turn->begin_ns);
		id = id_of(turn->cause);
		if (id)
			lengths[--begins[id]] = spent_clip(turn->blocked_ns, turn->woken_ns);
	}
	for (id = 1; id <= answer.nr_waits; id++) {
		nr = begins[id + 1] - begins[id];
		if (nr)
			answer.waits[id - 1].p99_ns = p99_of(&lengths[begins[id]], nr, heap);
	}
	free(lengths);
	free(begins);
	free(heap);
}

static void make_waits(void)
{
	uint32_t i;

	find_waits();
	answer.sums = calloc(spent.nr_sums + 1, sizeof(*answer.sums));
	must_have(answer.sums);
	for (i = 0; i < spent.nr_sums; i++)
		answer.sums[i] = i;
	order_sums(thread_of, spent.nr_threads);
	order_sums(id_of, answer.nr_waits + 1);
	for (i = 0; i < spent.nr_sums; i++)
		add_sum(i);
	measure_waits();
}

/* ---- Findings ---------------------------------------------------------------- */

/* Count a part of the critical path for its wait, and once for each that it is behind. */
static void cost_part(void *ctx, const struct path_part *part, const struct path_wait *waits,
		      unsigned int nr_waits)
{
	uint32_t ids[PATH_MAX_DEPTH + 1];
	unsigned int nr = 0, i, j;

	if (part->state == PATH_RUNNING)
		count_on_path(part);
	for (i = 0; i < nr_waits; i++)
		if (waits[i].turn->cause != PATH_NONE)
			ids[nr++] = answer.wait_of[waits[i].turn->cause];
	if (sum_of(part) != PATH_NONE)
		ids[nr++] = answer.wait_of[sum_of(part)];
	for (i = 0; i < nr; i++) {
		for (j = 0; ids[j] != ids[i]; j++)
			;
		if (ids[i] && j == i)
			answer.waits[ids[i] - 1].path_ns += part->end_ns - part->begin_ns;
	}
}

/* Check whether the question is about all programs: none was waited for, so look for stalls. */
static bool is_about_all(void)
{
	return spent.root == PATH_NONE && !spent.selected;
}

/*
 * Return the longest of waits for what others have, if the question is about all programs. A futex
 * may be a lock if a thread of another group ended the wait.
 */
static uint64_t stall_ns(const struct answer_wait *wait)
{
	bool may_be = wait->kind <= WHY_MEMORY ||
		      (wait->explained == ANSWER_NOWHERE &&
		       !strcmp(why_text(&why.texts, wait->place), WHY_FUTEX));

	return is_about_all() && may_be ? spent.sums[wait->longest].max_ns : 0;
}

/*
 * Check whether waits are a finding: they cost 5 % of the time, or one is a stall or is not
 * explained. What is not on the critical path of the command has cost it nothing, unless threads
 * were in need of what others had.
 */
static bool is_finding(const struct answer_wait *wait)
{
	const uint64_t longest_ns = spent.sums[wait->longest].max_ns;
	uint64_t least_ns = LEAST_FINDING(spent.end_ns - spent.begin_ns);

	if (wait->explained == ANSWER_FARTHER || wait->kind == WHY_CHILD || wait->kind == WHY_WORK)
		return false;
	/* One thread waits for its helpers; several wait for one another. */
	if (wait->explained == ANSWER_IN_GROUP && !spent.selected)
		return wait->path_ns > least_ns && wait->nr_threads > 1;
	if (wait->path_ns > least_ns || stall_ns(wait) >= LEAST_STALL_NS)
		return true;
	if (wait->kind == WHY_UNKNOWN && longest_ns >= LEAST_STALL_NS && !is_about_all())
		return spent.selected || wait->path_ns >= longest_ns;
	return wait->sum_ns > least_ns &&
	       (wait->kind == WHY_UNKNOWN ? !!spent.selected :
		spent.root == PATH_NONE || wait->kind <= WHY_MEMORY);
}

static int compare_costs(const void *left, const void *right)
{
	const struct answer_wait *a = left, *b = right;

	return is_finding(b) - is_finding(a) ?:
	       number_order(stall_ns(b), stall_ns(a)) ?:
	       number_order(b->path_ns, a->path_ns) ?: number_order(b->sum_ns, a->sum_ns) ?:
	       number_order(a->id, b->id);
}

static void weigh_waits(void)
{
	if (spent.root != PATH_NONE)
		path_walk(spent.last, spent.begin_ns, spent.end_ns, cost_part, NULL);
	SORT(answer.waits, answer.nr_waits, compare_costs);
	while (answer.nr_findings < answer.nr_waits &&
	       is_finding(&answer.waits[answer.nr_findings]))
		answer.nr_findings++;
}

/* ---- The answer -------------------------------------------------------------- */

/**
 * answer_make() - make the answer, once spent_read() has succeeded; answer_deinit() frees it
 */
void answer_make(void)
{
	make_groups();
	rank_groups();
	count_threads();
	drop_doubtful();
	follow_command();
	choose_groups();
	make_waits();
	count_functions();
	weigh_waits();
	order_functions();
}

/**
 * answer_longest() - follow the critical path of the longest of like waits
 * @wait: the waits
 * @ret: its shares, by thread, which the caller frees
 */
void answer_longest(const struct answer_wait *wait, struct answer_shares *ret)
{
	const struct time_sum *sum = &spent.sums[wait->longest];

	tally(sum->thread, sum->max_end_ns - sum->max_ns, sum->max_end_ns, true, ret);
}

/**
 * answer_deinit() - free the answer, but not what it was made from
 */
void answer_deinit(void)
{
	free(answer.group_of);
	free(answer.groups);
	free(answer.functions);
	free(answer.order);
	free(answer.path.shares);
	free(answer.sums);
	free(answer.wait_of);
	free(answer.waits);
	answer = (struct answer){ 0 };
}
