// SPDX-License-Identifier: GPL-2.0
/*
 * Print the answer of `vitrine why', on one screen of 40 lines and 100 columns, or as JSON by the
 * schema in Documentation/json.rst.
 */
#define _GNU_SOURCE	/* memmem() */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base.h"
#include "command.h"
#include "print.h"
#include "trace_input.h"
#include "ui/fields.h"

/* Of the schema of JSON. */
#define JSON_VERSION	1

/* Waits of which JSON has a critical path: each takes a search of all turns. */
#define MAX_PATHS	1000

/* The screen: 40 lines, of which groups and findings share GROUP_LINES. */
#define COLUMNS		100
#define MAX_PATH	5
#define GROUP_LINES	24
#define FINDING_LINES	4
#define MAX_FINDINGS	5
#define MAX_OTHERS	3
#define LEAST_SAMPLES	20	/* of 99 a second */
#define LEAST_IN_FUNCTION 5
#define LEAST_OTHER	5	/* percent */
#define LEAST_FINDING	5
#define REST_COLUMNS	20	/* "; 12.34ms of 1234 more" */
#define MAX_FRAMES	5
#define MAX_PARTS	20
#define MAX_TRACKS	8
#define GROUP_COLUMNS	22
#define KIND_COLUMNS	5
#define OTHER_COLUMNS	17	/* of a group: " THR TIME     ", and " *" */
#define NAME_COLUMNS	28
#define TRACK_COLUMNS	72
#define INDENT		"   "

static const char * const kind_names[WHY_KINDS] = {
	[WHY_RUNNING]	= "running",
	[WHY_CPU]	= "cpu",
	[WHY_THROTTLED]	= "throttled",
	[WHY_LOCK]	= "lock",
	[WHY_DISK]	= "disk",
	[WHY_MEMORY]	= "memory",
	[WHY_THREAD]	= "thread",
	[WHY_OUTSIDE]	= "outside",
	[WHY_SLEEP]	= "sleep",
	[WHY_STOPPED]	= "stopped",
	[WHY_CHILD]	= "child",
	[WHY_WORK]	= "work",
	[WHY_UNKNOWN]	= "unknown",
};

/* Of a kind, its letter in tracks, the head of its column, and what precedes what it is for. */
static const struct {
	char letter;
	const char *head, *doing;
} kinds[WHY_KINDS] = {
	[WHY_RUNNING]	= { 'R', "RUN", "running" },
	[WHY_CPU]	= { 'C', "CPU", "waiting for " },
	[WHY_THROTTLED]	= { 'T', "LIM", "throttled by " },
	[WHY_LOCK]	= { 'L', "LOCK", "waiting for " },
	[WHY_DISK]	= { 'D', "DISK", "waiting for " },
	[WHY_MEMORY]	= { 'M', "MEM", "waiting for " },
	[WHY_THREAD]	= { 'P', "PEER", "waiting for " },
	[WHY_OUTSIDE]	= { 'N', "NET", "waiting for " },
	[WHY_SLEEP]	= { 'S', "NAP", "sleeping: " },
	[WHY_STOPPED]	= { 'Z', "STOP", "stopped by " },
	[WHY_CHILD]	= { 'K', "KID", "waiting for " },
	[WHY_WORK]	= { 'W', "WORK", "idle, waiting for " },
	[WHY_UNKNOWN]	= { '?', "?", "not known: " },
};

/* What is printed, and the line that is being composed. */
static struct text line;

/* ---- Lines ------------------------------------------------------------------ */

__attribute__((format(printf, 1, 2)))
static void put(const char *format, ...)
{
	char buffer[512];
	va_list list;

	va_start(list, format);
	vsnprintf(buffer, sizeof(buffer), format, list);
	va_end(list);
	text_add_string(&line, buffer);
}

/* Print a line, cut to the width of the screen, and empty it. */
static void end_line(void)
{
	if (line.len > COLUMNS) {
		text_cut(&line, vtr_utf8_cut(line.bytes, line.len, COLUMNS - 3));
		text_add_string(&line, "...");
	}
	puts(line.bytes);
	text_cut(&line, 0);
}

static const char *label_of(uint32_t thread)
{
	return thread_label(archive, &spent.threads[thread].id);
}

static const char *text_of(uint32_t text)
{
	return why_text(&why.texts, text);
}

static const char *name_of(uint32_t group)
{
	return text_of(answer.groups[group].name);
}

static unsigned int percent(uint64_t ns, uint64_t of_ns)
{
	return of_ns ? (100.0 * ns + of_ns / 2) / of_ns : 0;
}

/* Return the share of a part in percent, after parts of *@sum_ns; all of them add up to 100. */
static unsigned int next_percent(uint64_t *sum_ns, uint64_t ns, uint64_t of_ns)
{
	unsigned int before = percent(*sum_ns, of_ns);

	*sum_ns += ns;
	return percent(*sum_ns, of_ns) - before;
}

/* Say what a thread did. */
static const char *doing(uint32_t kind, uint32_t place)
{
	return format_label("%s%s", kinds[kind].doing,
			    kind == WHY_RUNNING ? "" : place ? text_of(place) :
			    kind == WHY_CPU ? "a CPU" : "not recorded");
}

/* Append the name of a function; that of "_ZN1a1bEi", in C++ without templates, is "a::b". */
static void put_name(const char *name, size_t len)
{
	const bool is_nested = !strncmp(name, "_ZN", 3);
	const char *at = name + 2 + is_nested, *end = name + len;
	const size_t begin = line.len;
	unsigned long len_part;
	char *behind;

	if (len < 4 || strncmp(name, "_Z", 2))
		at = end;
	at += strspn(at, "K");
	while (at < end && isdigit((unsigned char)*at) && (is_nested || line.len == begin)) {
		len_part = strtoul(at, &behind, 10);
		at = behind;
		if (len_part > (size_t)(end - at))
			break;
		put("%s%.*s", line.len > begin ? "::" : "", (int)len_part, at);
		at += len_part;
	}
	if (line.len > begin && (!is_nested || *at == 'E'))
		return;
	text_cut(&line, begin);
	put("%.*s", (int)len, name);
}

/*
 * Say what a group executed while it ran, on the critical path of the command if there is one:
 * functions with 5 samples and 5 % of them, if there are 20 samples or more.
 */
static bool put_functions(uint32_t number)
{
	const struct answer_group *group = &answer.groups[number];
	const bool is_path = spent.root != PATH_NONE;
	uint64_t all = 0, nr;
	const char *name;
	uint32_t i;

	for (i = 0; i < group->nr_functions; i++)
		all += is_path ? group->functions[i].nr_on_path : group->functions[i].nr;
	for (i = 0; all >= LEAST_SAMPLES && i < group->nr_functions && i < MAX_OTHERS; i++) {
		nr = is_path ? group->functions[i].nr_on_path : group->functions[i].nr;
		if (nr < LEAST_IN_FUNCTION || percent(nr, all) < LEAST_OTHER)
			break;
		name = text_of(group->functions[i].name);
		put("%s %u %% in ", i ? "," : ":", percent(nr, all));
		put_name(name, strlen(name));
	}
	return all >= LEAST_SAMPLES && i;
}

/* ---- The command ------------------------------------------------------------ */

/* Say what is not in the trace. */
static void print_missing(void)
{
	if (sched.nr_gaps)
		printf("%s, %" PRIu64 " records lost: what was then is not known\n",
		       count_label(sched.nr_gaps, "gap"), sched.nr_lost);
	missing_put_unknown();
	missing_put_without_wakeups();
	if (why.nr_left_out)
		printf("The recorder left out the stacks of %" PRIu64 " waits\n", why.nr_left_out);
}

/* Say what the groups executed, if there is no command. */
static void print_running(void)
{
	const struct answer_group *group;
	uint32_t i, nr = 0;

	for (i = 0; i < answer.nr_shown && nr < MAX_PATH; i++) {
		group = &answer.groups[answer.order[i]];
		put("         %-7s  %s running", duration(group->kinds_ns[WHY_RUNNING]),
		    name_of(answer.order[i]));
		if (put_functions(answer.order[i])) {
			end_line();
			nr++;
		}
		text_cut(&line, 0);
	}
}

static void print_command(void)
{
	const struct answer_shares *path = &answer.path;
	const struct answer_share *share;
	const struct time_thread *root;
	uint64_t sum_ns = 0;
	unsigned int nr;
	uint32_t i;

	if (spent.root == PATH_NONE) {
		printf("%s of %s of threads\n", duration(spent.end_ns - spent.begin_ns),
		       count_label(answer.nr_shown, "group"));
		print_running();
		return;
	}
	root = &spent.threads[spent.root];
	put("%s took %s from %s to %s, which its critical path adds up to:",
	    label_of(spent.root), duration(path->all_ns),
	    root->begin_ns < spent.begin_ns ? seconds(spent.begin_ns) : "exec",
	    spent.exit_ns && spent.exit_ns <= spent.end_ns ? "exit" :
	    spent.end_ns == sched.filter->to_ns ? seconds(spent.end_ns) :
						      "the end of the trace");
	end_line();
	for (i = 0; i < path->nr && i < MAX_PATH; i++) {
		share = &path->shares[i];
		if (share->ns < path->all_ns / 100)
			break;
		nr = next_percent(&sum_ns, share->ns, path->all_ns);
		put("%5u %%  %-7s  %s %s", nr, duration(share->ns),
		    name_of(share->who), doing(share->kind, share->place));
		if (share->kind == WHY_RUNNING)
			put_functions(share->who);
		end_line();
	}
	if (path->nr > i)
		printf("%5u %%  %-7s  in %s\n", 100 - percent(sum_ns, path->all_ns),
		       duration(path->all_ns - sum_ns), count_label(path->nr - i, "other way"));
}

/* ---- Groups ----------------------------------------------------------------- */

/* Return how many findings are printed. */
static uint32_t count_findings(void)
{
	return answer.nr_findings < MAX_FINDINGS ? answer.nr_findings : MAX_FINDINGS;
}

/* The kinds of which groups that are printed have time, and the width of the names of groups. */
struct table {
	bool has_kind[WHY_KINDS];
	int name_columns;
};

static struct table make_table(uint32_t nr_groups)
{
	struct table table = { .name_columns = COLUMNS - OTHER_COLUMNS };
	uint32_t i;
	int kind;

	for (kind = 0; kind < WHY_KINDS; kind++) {
		for (i = 0; i < nr_groups; i++)
			table.has_kind[kind] |= answer.groups[answer.order[i]].kinds_ns[kind];
		table.name_columns -= table.has_kind[kind] * KIND_COLUMNS;
	}
	if (table.name_columns > GROUP_COLUMNS)
		table.name_columns = GROUP_COLUMNS;
	return table;
}

static void print_group(const struct answer_group *group, const struct table *table)
{
	const char *name = text_of(group->name);
	uint64_t sum_ns = 0;
	unsigned int i;

	name = format_label("%.*s", (int)vtr_utf8_cut(name, strlen(name), table->name_columns),
			    name);
	printf("%s %4u %-8s ", padded(name, table->name_columns), group->nr_threads,
	       duration(group->life_ns));
	for (i = 0; i < WHY_KINDS; i++)
		if (group->kinds_ns[i])
			printf("%*u", KIND_COLUMNS,
			       next_percent(&sum_ns, group->kinds_ns[i], group->life_ns));
		else if (table->has_kind[i])
			printf("%*s", KIND_COLUMNS, "-");
	puts(!group->is_selected && spent.root != PATH_NONE ? " *" : "");
}

/* Say in one line which threads are not in the table. */
static void print_left_out(bool has_others)
{
	const struct answer_group *group;
	uint32_t i, nr_idle = 0, nr_own = 0;

	for (i = 0; i < answer.nr_groups; i++) {
		group = &answer.groups[i];
		if (group->is_own)
			nr_own += group->nr_threads + group->nr_idle;
		else if (group->is_selected || group->is_shown)
			nr_idle += group->nr_idle;
	}
	printf("%sNot shown: %s that only waited for work, %u of vitrine\n",
	       has_others ? "* not of the command. " : "", count_label(nr_idle, "thread"), nr_own);
}

static void print_groups(void)
{
	uint32_t most = GROUP_LINES - FINDING_LINES * count_findings(), i;
	const struct answer_group *group;
	bool has_others = false;
	struct table table;

	if (!answer.nr_shown)
		return;
	/* One more group takes the line that says so. */
	if (answer.args->all || answer.nr_shown <= most + 1)
		most = answer.nr_shown;
	table = make_table(most);
	printf("\n%-*s %4s %-8s ", table.name_columns, "GROUP, time in %", "THR", "TIME");
	for (i = 0; i < WHY_KINDS; i++)
		if (table.has_kind[i])
			printf("%*s", KIND_COLUMNS, kinds[i].head);
	puts("");
	for (i = 0; i < most; i++) {
		group = &answer.groups[answer.order[i]];
		has_others |= !group->is_selected && spent.root != PATH_NONE;
		print_group(group, &table);
	}
	if (answer.nr_shown > i)
		printf("and %u more groups; --json has them\n", answer.nr_shown - i);
	print_left_out(has_others);
}

/* ---- Findings --------------------------------------------------------------- */

/* What ended waits, or had the CPU. */
struct other {
	const char *name;
	uint64_t ns;
	uint8_t priority;
	bool unsure;
};

/* Return the priority of a real-time thread; that of all others is the same. */
static unsigned int class_of(const struct other *other)
{
	return other->priority && other->priority < TIME_REAL_TIME ? other->priority :
								       TIME_REAL_TIME;
}

static int compare_names(const void *left, const void *right)
{
	const struct other *a = left, *b = right;

	return strcmp(a->name, b->name) ?: number_order(class_of(a), class_of(b)) ?:
	       a->unsure - b->unsure;
}

static int compare_others(const void *left, const void *right)
{
	const struct other *a = left, *b = right;

	return number_order(b->ns, a->ns) ?: compare_names(a, b);
}

static const char *other_of(const struct time_sum *sum)
{
	/* Of what is throttled, the limit says it all. */
	if (spent_is_throttled(sum))
		return NULL;
	if (sum->other != PATH_NONE)
		return name_of(answer.group_of[sum->other]);
	return sum->kind == WHY_CPU ? text_of(sum->place) : NULL;
}

/* Merge those of the same name and class; return how many are left. */
static uint32_t merge_others(struct other *others, uint32_t nr)
{
	uint32_t i, last = 0;

	SORT(others, nr, compare_names);
	for (i = 1; i < nr; i++) {
		if (compare_names(&others[last], &others[i])) {
			others[++last] = others[i];
			continue;
		}
		others[last].ns += others[i].ns;
	}
	return last + 1;
}

/* List the others of like waits; return how many. */
static uint32_t find_others(const struct answer_wait *wait, struct other **ret)
{
	const struct time_sum *sum;
	struct other *others = NULL, other;
	uint32_t nr = 0, i;

	for (i = 0; i < wait->nr_sums; i++) {
		sum = &spent.sums[answer.sums[wait->first + i]];
		other = (struct other){ other_of(sum), sum->sum_ns, sum->priority, sum->doubt };
		if (!other.name || !other.ns)
			continue;
		/* Most are the same as the one before. */
		if (nr && !compare_names(&others[nr - 1], &other)) {
			others[nr - 1].ns += other.ns;
			continue;
		}
		must_have(GROW(others, nr));
		others[nr++] = other;
	}
	if (nr) {
		nr = merge_others(others, nr);
		SORT(others, nr, compare_others);
	}
	*ret = others;
	return nr;
}

/* Name the priority of a thread that had the CPU, if it is why another one had to wait. */
static void put_priority(uint8_t priority, uint8_t waiting)
{
	/* Deadline and the highest real-time priorities are recorded as 1. */
	if (priority == 1)
		put(", real-time");
	else if (priority && priority < TIME_REAL_TIME)
		put(", real-time priority %d", TIME_REAL_TIME - 1 - priority);
	else if (priority && priority < waiting)
		put(", nice %d, not %d", priority - 120, waiting - 120);
}

/* Return what separates the next part of a line of evidence from the ones before. */
static const char *separator(void)
{
	return line.len > strlen(INDENT) ? "; " : "";
}

/* Say that the longest of like waits ended with a signal that killed the thread. */
static void put_end(const struct time_sum *longest)
{
	const struct time_thread *thread = &spent.threads[longest->thread];

	if (thread->killer != PATH_NONE && thread->killed_ns == longest->max_end_ns)
		put("%skilled by %s", separator(), name_of(answer.group_of[thread->killer]));
}

static void put_others(const struct answer_wait *wait)
{
	struct other *others;
	uint32_t i, nr = find_others(wait, &others);

	for (i = 0; i < nr && i < MAX_OTHERS; i++) {
		if (i && percent(others[i].ns, wait->sum_ns) < LEAST_OTHER)
			break;
		put("%s%s%s%s (%u %%", i ? ", " : separator(),
		    i ? "" : wait->kind == WHY_CPU ? "behind " : "ended by ",
		    others[i].name, others[i].unsure ? " or an interrupt" : "",
		    percent(others[i].ns, wait->sum_ns));
		if (wait->kind == WHY_CPU)
			put_priority(others[i].priority,
				     spent.threads[spent.sums[wait->longest].thread].priority);
		put(")");
	}
	free(others);
}

/* Append a frame to "in a < b < ...", of which there are @nr. */
static void put_frame(const char *frame, size_t len, unsigned int nr)
{
	put("%s%s", nr ? "" : separator(), nr ? " < " : "in ");
	put_name(frame, len);
}

/*
 * Append functions of the program, innermost first: those that have a name, but of the C library,
 * which all use, only the one that the program has called. Return how many.
 */
static unsigned int put_user_stack(const char *stack)
{
	const char *end = stack + strlen(stack), *frame, *call = NULL;
	unsigned int nr = 0;
	size_t len;

	while (nr < MAX_FRAMES && why_frame_before(stack, &end, &frame, &len)) {
		if (frame[len - 1] != ']')
			continue;
		if (memmem(frame, len, "[libc.so", strlen("[libc.so"))) {
			call = frame;
			continue;
		}
		if (!nr && call)
			put_frame(call, strcspn(call, " "), nr++);
		put_frame(frame, strcspn(frame, " "), nr++);
	}
	return nr;
}

/* Append functions of the program or, if none is known, of the kernel. */
static void put_stack(const struct time_sum *sum)
{
	const char *stack = text_of(sum->stack), *end = stack + strlen(stack), *frame;
	unsigned int nr = 0;
	size_t len;

	if (put_user_stack(text_of(sum->user_stack)))
		return;
	while (nr < MAX_FRAMES && why_frame_before(stack, &end, &frame, &len))
		if (!why_frame_is_scheduler(frame, len))
			put_frame(frame, len, nr++);
}

/* Append "name:tid". */
static void put_thread(uint32_t thread)
{
	const char *label = label_of(thread), *slash = strrchr(label, '/');

	put("%.*s", slash ? (int)(slash - label) : LABEL_BYTES, label);
}

/* Print the critical path of a wait on one line; what has no room is summed up. */
static void print_path(const struct answer_shares *shares)
{
	const struct answer_share *share;
	uint64_t rest_ns = shares->all_ns;
	size_t len;
	uint32_t i;

	put(INDENT);
	for (i = 0; i < shares->nr; i++) {
		share = &shares->shares[i];
		len = line.len;
		put("%s%s ", i ? "; " : "  ", duration(share->ns));
		put_thread(share->who);
		put(" %s", doing(share->kind, share->place));
		if (i && line.len > COLUMNS - (i + 1 < shares->nr ? REST_COLUMNS : 0)) {
			text_cut(&line, len);
			put("; %s of %u more", duration(rest_ns), shares->nr - i);
			break;
		}
		rest_ns -= share->ns;
	}
	end_line();
}

/* Print where the longest of like waits is, and its critical path. */
static void print_longest(const struct answer_wait *wait)
{
	const struct time_sum *longest = &spent.sums[wait->longest];
	const char *begin = seconds(longest->max_end_ns - longest->max_ns);
	struct answer_shares shares = { 0 };

	put(INDENT "longest %s, ", duration(longest->max_ns));
	put_thread(longest->thread);
	if (answer.args->file)
		put(": vitrine why -t %" PRIu64 " --at %s %s",
		    spent.threads[longest->thread].id.thread, begin, answer.args->file);
	else
		put(", from %s on", begin);
	end_line();
	answer_longest(wait, &shares);
	/* Of a wait that no thread ended, the line above is all. */
	if (wait->kind != WHY_CPU && wait->kind != WHY_THROTTLED &&
	    (shares.nr > 1 || (shares.nr && shares.shares[0].who != longest->thread)))
		print_path(&shares);
	free(shares.shares);
}

/* Check whether the thread still waited at the end of the trace. */
static bool is_still(const struct time_sum *sum)
{
	const struct path_turn *turn = path_last(sum->thread);

	return sum->kind != WHY_CPU && turn && turn->begin_ns == turn->end_ns &&
	       turn->woken_ns == sum->max_end_ns && spent.end_ns == sched.span.end_ns;
}

static void print_finding(uint32_t number)
{
	const struct answer_wait *wait = &answer.waits[number];
	const struct time_sum *longest = &spent.sums[wait->longest];

	put("%u. %s", number + 1, name_of(wait->group));
	if (wait->nr_threads > 1)
		put(" (%u threads)", wait->nr_threads);
	put(": %s %s%s", duration(wait->sum_ns), doing(wait->kind, wait->place),
	    is_still(longest) ? ", so far" : "");
	if (wait->nr > 1)
		put("; %" PRIu64 " times, p99 %s", wait->nr,
		    duration(wait->p99_ns));
	end_line();
	put(INDENT);
	if (answer.path.all_ns)
		put("%u %% of the critical path",
		    percent(wait->path_ns, answer.path.all_ns));
	put_others(wait);
	put_end(longest);
	if (wait->kind == WHY_CPU && wait->cpu != PATH_NONE)
		put(", on CPU %" PRIu32, wait->cpu);
	if (wait->kind == WHY_CPU)
		put("%sCPUs %u %% busy", separator(),
		    percent(sched.busy_ns, sched.busy_ns + sched.idle_ns));
	else if (wait->kind != WHY_THROTTLED)
		put_stack(longest);
	if (*separator())
		end_line();
	text_cut(&line, 0);
	print_longest(wait);
}

/* ---- A time ----------------------------------------------------------------- */

/* A part of a path, and when it begins. */
struct told_part {
	uint64_t begin_ns;
	struct answer_share share;
};

/* The parts of a path, from its end back to its begin. */
struct told_path {
	struct told_part *parts;
	uint32_t nr;
};

static void add_told(void *ctx, const struct path_part *part, const struct path_wait *waits,
		     unsigned int nr_waits)
{
	struct told_path *path = ctx;

	must_have(GROW(path->parts, path->nr));
	path->parts[path->nr++] = (struct told_part){
		part->begin_ns, answer_part(part, waits, nr_waits),
	};
}

/* Find what took longest of that which the threads that were asked about did at a time. */
static struct path_part find_at(void)
{
	struct path_part part, longest = { .state = PATH_UNKNOWN };
	uint32_t i;

	for (i = 0; i < spent.nr_threads; i++) {
		if (answer.args->filter.nr_threads || answer.args->filter.nr_processes ?
		    !record_filter_match_thread(&answer.args->filter, &spent.threads[i].id) :
		    spent.root == PATH_NONE ? !spent.threads[i].is_selected : i != spent.root)
			continue;
		part = path_at(i, answer.args->at_ns);
		if (part.end_ns > sched.span.end_ns)
			part.end_ns = sched.span.end_ns;
		if (part.end_ns - part.begin_ns > longest.end_ns - longest.begin_ns)
			longest = part;
	}
	return longest;
}

static void print_told(const struct told_part *part)
{
	put("%18s  %-7s  ", seconds(part->begin_ns), duration(part->share.ns));
	put_thread(part->share.who);
	put(" %s", doing(part->share.kind, part->share.place));
	end_line();
}

/* Print what a thread did in a time: a letter for each moment. Note which ones are used. */
static void print_track(const struct path_part *time, uint32_t number, bool *used)
{
	const struct time_thread *thread = &spent.threads[number];
	struct path_part part;
	unsigned int i;
	uint32_t kind;
	uint64_t ns;

	put(INDENT);
	put_thread(number);
	put("%*s", line.len < NAME_COLUMNS ? (int)(NAME_COLUMNS - line.len) : 1, "");
	for (i = 0; i < TRACK_COLUMNS; i++) {
		ns = time->begin_ns + (__uint128_t)(time->end_ns - time->begin_ns) * (2 * i + 1) /
				      (2 * TRACK_COLUMNS);
		if (ns > thread->end_ns)
			break;
		part = path_at(number, ns);
		kind = answer_part(&part, NULL, 0).kind;
		used[kind] |= ns >= thread->begin_ns;
		put("%c", ns < thread->begin_ns ? ' ' : kinds[kind].letter);
	}
	end_line();
}

/* Print a track for each of the first threads of a path, and what the letters mean. */
static void print_tracks(const struct path_part *time, const struct told_path *path)
{
	uint32_t numbers[MAX_TRACKS] = { time->thread }, nr = 1, i, j;
	bool used[WHY_KINDS] = { false };

	for (i = path->nr; i-- && nr < MAX_TRACKS;) {
		for (j = 0; j < nr && numbers[j] != path->parts[i].share.who; j++)
			;
		if (j == nr)
			numbers[nr++] = path->parts[i].share.who;
	}
	for (i = 0; i < nr; i++)
		print_track(time, numbers[i], used);
	put(INDENT);
	for (i = 0; i < WHY_KINDS; i++)
		if (used[i])
			put("%s%c %s", separator(), kinds[i].letter, kind_names[i]);
	end_line();
}

/* Print the critical path of what threads did at a time, part by part. */
static struct vitrine_error *print_at(void)
{
	const struct path_part at = find_at();
	const struct answer_share share = answer_part(&at, NULL, 0);
	struct told_path path = { 0 };
	uint32_t i, first = 0, last;

	if (!share.ns)
		return vitrine_error_create(ENODATA, answer.args->file, VITRINE_NO_OFFSET, NULL,
					    "what the thread did at %s is not known",
					    seconds(answer.args->at_ns));
	put("%s, from %s to %s: %s %s", label_of(at.thread), seconds(at.begin_ns),
	    seconds(at.end_ns), duration(share.ns), doing(share.kind, share.place));
	end_line();
	path_walk(at.thread, at.begin_ns, at.end_ns, add_told, &path);
	print_tracks(&at, &path);
	last = path.nr;
	while (!answer.args->all && last - first > MAX_PARTS)
		if (path.parts[(first + last) / 2].begin_ns > answer.args->at_ns)
			first++;
		else
			last--;
	if (last < path.nr)
		printf("%18s  %u parts\n", "before", path.nr - last);
	for (i = last; i-- > first;)
		print_told(&path.parts[i]);
	if (first)
		printf("%18s  %u parts\n", "after", first);
	if (answer.args->file)
		printf("vitrine print --from %s --to %s %s\n", seconds(at.begin_ns),
		       seconds(at.end_ns), answer.args->file);
	free(path.parts);
	return NULL;
}

/* ---- The whole -------------------------------------------------------------- */

/* Say that there is no finding, and what the command did instead, as far as is known. */
static void print_nothing(void)
{
	const struct answer_shares *path = &answer.path;
	uint64_t unknown_ns = 0, running_ns = 0, own_ns = 0, idle_ns = 0;
	const char *name = NULL, *work = NULL;
	const struct answer_share *share;
	uint32_t i;

	for (i = path->nr; i; i--) {
		share = &path->shares[i - 1];
		/* The path leads to a child, unless the trace does not show what it did. */
		if (share->kind == WHY_UNKNOWN || share->kind == WHY_CHILD)
			unknown_ns += share->ns;
		if (share->kind == WHY_WORK) {
			idle_ns += share->ns;
			work = text_of(share->place);
		}
		if (share->kind != WHY_RUNNING)
			continue;
		if (answer.groups[share->who].is_selected) {
			own_ns += share->ns;
		} else {
			running_ns = share->ns;
			name = name_of(share->who);
		}
	}
	if (!path->nr || percent(unknown_ns, path->all_ns) >= LEAST_FINDING)
		puts("No wait that can be explained takes 5 % of the time.");
	else if (percent(idle_ns, path->all_ns) >= LEAST_FINDING)
		printf("It was idle for %u %% of the time, waiting for %s.\n",
		       percent(idle_ns, path->all_ns), work);
	else if (percent(running_ns, path->all_ns) >= LEAST_FINDING)
		printf("It waited for %s, which ran %u %% of the time. Nothing else is wrong.\n",
		       name, percent(running_ns, path->all_ns));
	else
		printf("%s wait takes 5 %% of the time.\n", percent(own_ns, path->all_ns) < 50 ?
		       "No" : "Nothing is wrong: no");
}

static void print_text(void)
{
	uint32_t i;

	print_command();
	print_missing();
	if (answer.nr_findings || answer.args->all)
		print_groups();
	puts("");
	for (i = 0; i < count_findings(); i++)
		print_finding(i);
	if (!answer.nr_findings)
		print_nothing();
}

/* ---- JSON ------------------------------------------------------------------- */

static void write_text(const void *value)
{
	json_string(text_of(*(const uint32_t *)value));
}

static void write_group(const void *value)
{
	json_string(name_of(*(const uint32_t *)value));
}

static void write_thread(const void *value)
{
	record_json_thread(&spent.threads[*(const uint32_t *)value].id);
}

/* Write the frames of a stack, outermost first. */
static void write_stack(const void *value)
{
	const char *at = text_of(*(const uint32_t *)value), *frame;
	size_t len;

	json_begin_list();
	while (why_frame_next(&at, &frame, &len)) {
		json_item();
		json_text(frame, len);
	}
	json_end_list();
}

static void write_kinds(const void *value)
{
	const uint64_t *kinds_ns = value;
	unsigned int i;

	json_begin();
	for (i = 0; i < WHY_KINDS; i++)
		json_key_uint(kind_names[i], kinds_ns[i]);
	json_end();
}

#define ROW struct answer_share
static const struct field share_fields[] = {
	FIELD_BY("group", who, write_group), FIELD_WORD("kind", kind, kind_names),
	FIELD_BY("what", place, write_text, FIELD_IF(place)), FIELD_AS("sum_ns", ns),
	{ 0 }
};

static const struct field thread_share_fields[] = {
	FIELD_BY("thread", who, write_thread), FIELD_WORD("kind", kind, kind_names),
	FIELD_BY("what", place, write_text, FIELD_IF(place)), FIELD_AS("sum_ns", ns),
	{ 0 }
};

#undef ROW
#define ROW struct answer_shares
static const struct field path_fields[] = {
	FIELD_LIST("path", shares, nr, share_fields),
	{ 0 }
};

static const struct field thread_path_fields[] = {
	FIELD_LIST("path", shares, nr, thread_share_fields),
	{ 0 }
};

#undef ROW
#define ROW struct answer_function
static const struct field function_fields[] = {
	FIELD_BY("function", name, write_text), FIELD_AS("samples", nr),
	FIELD_AS("path_samples", nr_on_path),
	{ 0 }
};

#undef ROW
#define ROW struct answer_group
static const struct field group_fields[] = {
	FIELD_BY("group", name, write_text), FIELD_AS("selected", is_selected),
	FIELD_AS("threads", nr_threads), FIELD_AS("idle_threads", nr_idle),
	FIELD_AS("sum_ns", life_ns), FIELD(path_ns), FIELD_BY("kinds_ns", kinds_ns, write_kinds),
	FIELD_LIST("functions", functions, nr_functions, function_fields),
	{ 0 }
};

#undef ROW
#define ROW struct other
static const struct field other_fields[] = {
	FIELD_AS("group", name), FIELD_AS("sum_ns", ns),
	FIELD_AS("priority", priority, FIELD_IF(priority)),
	FIELD_AS("unsure", unsure, FIELD_IF(unsure)),
	{ 0 }
};

#undef ROW
#define ROW struct answer_wait
static const struct field wait_fields[] = {
	FIELD_BY("group", group, write_group), FIELD_WORD("kind", kind, kind_names),
	FIELD_BY("what", place, write_text, FIELD_IF(place)), FIELD_AS("threads", nr_threads),
	FIELD_AS("count", nr), FIELD(sum_ns), FIELD(path_ns), FIELD(p99_ns),
	{ 0 }
};

#undef ROW
#define ROW struct time_sum
static const struct field longest_fields[] = {
	FIELD_BY("thread", thread, write_thread), FIELD_AS("end_ns", max_end_ns),
	FIELD_AS("waited_ns", max_ns), FIELD_BY("stack", stack, write_stack, FIELD_IF(stack)),
	FIELD_BY("user_stack", user_stack, write_stack, FIELD_IF(user_stack)),
	{ 0 }
};

#undef ROW
#define ROW struct spent
static const struct field spent_fields[] = {
	FIELD(begin_ns), FIELD(end_ns),
	{ 0 }
};

#undef ROW
#define ROW struct sched
static const struct field sched_fields[] = {
	FIELD_AS("gaps", nr_gaps), FIELD_AS("lost", nr_lost), FIELD(has_wakeups),
	{ 0 }
};

static void write_wait(const struct answer_wait *wait)
{
	struct answer_shares shares = { 0 };
	struct other *others;
	uint32_t i, nr = find_others(wait, &others);

	if (wait - answer.waits < MAX_PATHS)
		answer_longest(wait, &shares);
	json_begin();
	fields_members(wait_fields, wait);
	if (wait->kind == WHY_CPU && wait->cpu != PATH_NONE)
		json_key_uint("cpu", wait->cpu);
	json_key(wait->kind == WHY_CPU ? "behind" : "ended_by");
	json_begin_list();
	for (i = 0; i < nr; i++) {
		json_item();
		fields_put(other_fields, &others[i]);
	}
	json_end_list();
	json_key("longest");
	json_begin();
	fields_members(longest_fields, &spent.sums[wait->longest]);
	fields_members(thread_path_fields, &shares);
	json_end();
	json_end();
	free(shares.shares);
	free(others);
}

static void write_command(void)
{
	if (spent.root == PATH_NONE)
		return;
	json_key("command");
	json_begin();
	json_key("thread");
	write_thread(&spent.root);
	fields_members(path_fields, &answer.path);
	json_end();
}

static void print_json(void)
{
	uint32_t i;

	json_init(true);
	json_begin();
	json_key_uint("version", JSON_VERSION);
	fields_members(spent_fields, &spent);
	fields_members(sched_fields, &sched);
	json_key_uint("stacks_left_out", why.nr_left_out);
	missing_write_unknown();
	write_command();
	json_key("groups");
	json_begin_list();
	for (i = 0; i < answer.nr_shown; i++) {
		json_item();
		fields_put(group_fields, &answer.groups[answer.order[i]]);
	}
	json_end_list();
	json_key_uint("findings", answer.nr_findings);
	json_key("waits");
	json_begin_list();
	for (i = 0; i < answer.nr_waits; i++) {
		json_item();
		write_wait(&answer.waits[i]);
	}
	json_end_list();
	json_end();
	json_finish();
}

/* ---- Reading ---------------------------------------------------------------- */

static struct vitrine_error *explain(void)
{
	const struct answer_args *args = answer.args;
	struct vitrine_error *err;
	struct record_filter time;

	record_filter_init(&time);
	time.from_ns = args->filter.from_ns;
	time.to_ns = args->filter.to_ns;
	if (!args->is_at && (args->filter.nr_processes || args->filter.nr_threads))
		spent.selected = &args->filter;
	err = spent_read(&time);
	if (!err) {
		answer_make();
		if (args->is_at)
			err = print_at();
		else if (args->json)
			print_json();
		else
			print_text();
		text_destroy(&line);
		answer_deinit();
	}
	spent_deinit();
	return err;
}

/**
 * answer_run() - answer why a program was slow
 * @path: trace to read
 * @args: the options
 *
 * Return: enum exit_code.
 */
int answer_run(const char *path, const struct answer_args *args)
{
	const struct selection selection = { .filter = &args->filter };

	answer.args = args;
	spent.is_no_recording = !path;
	return trace_input_run(path, &selection, explain);
}
