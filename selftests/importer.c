// SPDX-License-Identifier: GPL-2.0
/*
 * Check the events of a category against what Perfetto's importer expects. The trace is
 * decoded here, word by word, and not by libvitrine, which accepts more.
 *
 *	importer FILE CATEGORY	prints the number of events; or each rule that is broken
 *	importer FILE wakeups	prints the time, thread and waker of each wakeup, as one line
 *
 * The rules:
 *
 *  - The thread is known, and has a process; ids have 32 bits, because more are cut off.
 *  - The name is not empty. Only the end of a duration has none, as reference 0: an inline
 *    string of no bytes is a name, and ends no duration of another name.
 *  - The category of an end is that of its begin. Ends have a begin on the same thread.
 *  - A counter has numbers as arguments, and its id as the last word.
 *  - An asynchronous end has the name, the id and the process of its begin.
 *  - The waker of a wakeup is its argument "waker", a koid; without it, the thread wakes itself.
 *  - Flows are within a duration of their thread, and have the name and id of their begin.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#define MAX_EVENTS	65536
#define NAME_BYTES	256

static inline uint64_t field(uint64_t mask, uint64_t word)
{
	return (word & mask) / (mask & -mask);
}

struct text {
	unsigned int len;
	char bytes[NAME_BYTES];
};

struct event {
	unsigned int type;
	uint64_t ticks;
	uint64_t process;
	uint64_t thread;
	bool has_name;
	struct text name;
	uint64_t id;
	bool is_closed;
};

/* Tables of one provider; a sub-buffer begins with a new one. */
static struct text strings[FXT_STRING_REF_VALUE + 1];
static uint64_t processes[256], threads[256];

static struct event events[MAX_EVENTS];
static unsigned int nr_events;
static const char *wanted;
static unsigned int nr_broken;

static void broken(const struct event *event, const char *rule)
{
	printf("%.*s (type %u, thread %llu): %s\n", (int)event->name.len, event->name.bytes,
	       event->type, (unsigned long long)event->thread, rule);
	nr_broken++;
}

/* ---- Records ------------------------------------------------------------ */

static void copy_text(struct text *text, const uint64_t *words, unsigned int len)
{
	if (len > sizeof(text->bytes))
		len = sizeof(text->bytes);
	text->len = len;
	memcpy(text->bytes, words, len);
}

/* Get a string; return how many words of the record it has. */
static unsigned int get_string(unsigned int ref, const uint64_t *words, struct text *ret)
{
	const unsigned int len = ref & FXT_STRING_REF_VALUE;

	if (!(ref & FXT_STRING_REF_INLINE)) {
		*ret = strings[ref];
		return 0;
	}
	copy_text(ret, words, len);
	return (len + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
}

static bool is_text(const struct text *text, const char *wanted)
{
	return text->len == strlen(wanted) && !memcmp(text->bytes, wanted, text->len);
}

static bool is_number(unsigned int type)
{
	return type >= FXT_ARG_INT32 && type <= FXT_ARG_DOUBLE;
}

/* Skip the arguments; all of those of a counter are numbers. */
static unsigned int skip_args(const struct event *event, const uint64_t *words,
			      unsigned int nr_args)
{
	unsigned int nr_words = 0, nr;

	if (event->type == FXT_EVENT_COUNTER && !nr_args)
		broken(event, "a counter without a value");
	for (; nr_args; nr_args--, nr_words += nr) {
		nr = field(FXT_HEADER_WORDS, words[nr_words]);
		if (event->type == FXT_EVENT_COUNTER &&
		    !is_number(field(FXT_HEADER_TYPE, words[nr_words])))
			broken(event, "the value is no number");
	}
	return nr_words;
}

static void take_event(const uint64_t *record)
{
	const unsigned int nr_words = field(FXT_HEADER_WORDS, *record);
	const unsigned int ref = field(FXT_EVENT_THREAD, *record);
	const unsigned int name = field(FXT_EVENT_NAME, *record);
	struct event *event = &events[nr_events];
	unsigned int at = 2;
	struct text category;

	*event = (struct event){
		.type = field(FXT_EVENT_TYPE, *record),
		.ticks = record[1],
		.process = ref ? processes[ref] : record[2],
		.thread = ref ? threads[ref] : record[3],
		.has_name = name,
	};
	at += ref ? 0 : 2;
	at += get_string(field(FXT_EVENT_CATEGORY, *record), record + at, &category);
	if (!is_text(&category, wanted))
		return;
	at += get_string(name, record + at, &event->name);
	at += skip_args(event, record + at, field(FXT_EVENT_NR_ARGS, *record));
	if (event->type == FXT_EVENT_COUNTER || event->type >= FXT_EVENT_ASYNC_BEGIN) {
		event->id = record[at++];
		if (at > nr_words)
			broken(event, "it has no id");
	}
	if (at != nr_words)
		broken(event, "the length is not that of the contents");
	if (++nr_events == MAX_EVENTS)
		errx(2, "too many events");
}

static void print_wakeup(const uint64_t *record)
{
	unsigned int nr_args = field(FXT_SCHEDULING_NR_ARGS, *record), at = 3, nr_words;
	uint64_t waker = record[2];
	struct text name;

	for (; nr_args; nr_args--, at += field(FXT_HEADER_WORDS, record[at])) {
		nr_words = get_string(field(FXT_ARG_NAME, record[at]), record + at + 1, &name);
		if (is_text(&name, "waker") && field(FXT_HEADER_TYPE, record[at]) == FXT_ARG_KOID)
			waker = record[at + 1 + nr_words];
	}
	printf("%llu %llu %llu\n", (unsigned long long)record[1],
	       (unsigned long long)record[2], (unsigned long long)waker);
}

static void take_thread(const uint64_t *record)
{
	const unsigned int index = field(FXT_THREAD_INDEX, *record);

	processes[index] = record[1];
	threads[index] = record[2];
}

static void take_record(const uint64_t *record)
{
	switch (field(FXT_HEADER_TYPE, *record)) {
	case FXT_RECORD_METADATA:
		if (field(FXT_METADATA_TYPE, *record) != FXT_METADATA_PROVIDER_INFO)
			break;
		memset(strings, 0, sizeof(strings));
		memset(threads, 0, sizeof(threads));
		memset(processes, 0, sizeof(processes));
		break;
	case FXT_RECORD_STRING:
		copy_text(&strings[field(FXT_STRING_INDEX, *record)], record + 1,
			  field(FXT_STRING_BYTES, *record));
		break;
	case FXT_RECORD_THREAD:
		take_thread(record);
		break;
	case FXT_RECORD_EVENT:
		take_event(record);
		break;
	case FXT_RECORD_SCHEDULING:
		if (!strcmp(wanted, "wakeups") && field(FXT_SCHEDULING_SUBTYPE, *record) ==
		    FXT_SCHEDULING_THREAD_WAKEUP)
			print_wakeup(record);
		break;
	default:
		break;
	}
}

static void read_file(const char *path)
{
	static uint64_t record[1 << 16];
	FILE *file = fopen(path, "r");
	unsigned int nr_words;

	if (!file)
		err(2, "%s", path);
	while (fread(record, FXT_WORD_BYTES, 1, file) == 1) {
		nr_words = field(FXT_HEADER_TYPE, *record) == FXT_RECORD_LARGE ?
				   field(FXT_LARGE_WORDS, *record) :
				   field(FXT_HEADER_WORDS, *record);
		if (!nr_words || nr_words > sizeof(record) / sizeof(*record) ||
		    fread(record + 1, FXT_WORD_BYTES, nr_words - 1, file) != nr_words - 1)
			errx(2, "%s: a record of %u words", path, nr_words);
		take_record(record);
	}
	fclose(file);
}

/* ---- Rules -------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static bool is_same(const struct text *a, const struct text *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

static void check_names(const struct event *event)
{
	if (!event->process || !event->thread || event->process >> 32 || event->thread >> 32)
		broken(event, "the thread has no process, or an id of more than 32 bits");
	if (event->type != FXT_EVENT_DURATION_END && !event->name.len)
		broken(event, "the name is empty");
	if (event->type == FXT_EVENT_DURATION_END && event->has_name && !event->name.len)
		broken(event, "an empty name ends no duration of another name");
}

/* Find the last earlier event that is open and satisfies the conditions. */
static struct event *find_open(const struct event *event, unsigned int type, bool on_thread,
			       bool by_id)
{
	struct event *begin;

	for (begin = &events[event - events]; begin-- > events;)
		if (begin->type == type && !begin->is_closed &&
		    (!on_thread || begin->thread == event->thread) &&
		    (!by_id || (begin->id == event->id && is_same(&begin->name, &event->name))))
			return begin;
	return NULL;
}

static void check_flow(const struct event *event)
{
	if (!find_open(event, FXT_EVENT_DURATION_BEGIN, true, false))
		broken(event, "the flow is outside of any duration");
	if (event->type != FXT_EVENT_FLOW_BEGIN &&
	    !find_open(event, FXT_EVENT_FLOW_BEGIN, false, true))
		broken(event, "the flow has not begun");
}

static void check_order(const struct event *event)
{
	struct event *begin = NULL;

	switch (event->type) {
	case FXT_EVENT_DURATION_END:
		begin = find_open(event, FXT_EVENT_DURATION_BEGIN, true, false);
		if (!begin || (event->has_name && !is_same(&begin->name, &event->name)))
			broken(event, "no duration that it ends");
		break;
	case FXT_EVENT_ASYNC_END:
		begin = find_open(event, FXT_EVENT_ASYNC_BEGIN, false, true);
		if (!begin || begin->process != event->process)
			broken(event, "no asynchronous duration that it ends");
		break;
	case FXT_EVENT_FLOW_BEGIN:
	case FXT_EVENT_FLOW_STEP:
	case FXT_EVENT_FLOW_END:
		check_flow(event);
		break;
	default:
		break;
	}
	if (begin)
		begin->is_closed = true;
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 3)
		errx(2, "FILE CATEGORY");
	wanted = argv[2];
	read_file(argv[1]);
	if (!strcmp(wanted, "wakeups"))
		return 0;
	/* CPUs are in any order in the file; events of one time do not occur. */
	qsort(events, nr_events, sizeof(*events), compare);
	for (i = 0; i < nr_events; i++) {
		check_names(&events[i]);
		check_order(&events[i]);
	}
	printf("%u events\n", nr_events);
	return !!nr_broken;
}
