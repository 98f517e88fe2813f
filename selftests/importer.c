// SPDX-License-Identifier: GPL-2.0
/*
 * Check markers in a trace against what Perfetto's importer expects of events. The trace is
 * decoded here, word by word, and not by libvitrine, which accepts more.
 *
 *	importer FILE		prints the number of markers; or each rule that is broken
 *
 * The rules, for events of the category "marker":
 *
 *  - The thread is known, and has a process; ids have 32 bits, because more are cut off.
 *  - The name is not empty. Only the end of a duration has none, as reference 0: an inline
 *    string of no bytes is a name, and ends no duration of another name.
 *  - The category of an end is that of its begin. Ends have a begin on the same thread.
 *  - A counter has numbers as arguments, and its id as the last word.
 *  - An asynchronous end has the name, the id and the process of its begin.
 *  - Flows are within a duration of their thread, and have the name and id of their begin.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#define MAX_MARKERS	65536
#define NAME_BYTES	256
#define MARKER		"marker"

static inline uint64_t field(uint64_t mask, uint64_t word)
{
	return (word & mask) / (mask & -mask);
}

struct text {
	unsigned int len;
	char bytes[NAME_BYTES];
};

struct marker {
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

static struct marker markers[MAX_MARKERS];
static unsigned int nr_markers;
static unsigned int nr_broken;

static void broken(const struct marker *marker, const char *rule)
{
	printf("%.*s (type %u, thread %llu): %s\n", (int)marker->name.len, marker->name.bytes,
	       marker->type, (unsigned long long)marker->thread, rule);
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

static bool is_number(unsigned int type)
{
	return type >= FXT_ARG_INT32 && type <= FXT_ARG_DOUBLE;
}

/* Skip the arguments; all of those of a counter are numbers. */
static unsigned int skip_args(const struct marker *marker, const uint64_t *words,
			      unsigned int nr_args)
{
	unsigned int nr_words = 0, nr;

	if (marker->type == FXT_EVENT_COUNTER && !nr_args)
		broken(marker, "a counter without a value");
	for (; nr_args; nr_args--, nr_words += nr) {
		nr = field(FXT_HEADER_WORDS, words[nr_words]);
		if (marker->type == FXT_EVENT_COUNTER &&
		    !is_number(field(FXT_HEADER_TYPE, words[nr_words])))
			broken(marker, "the value is no number");
	}
	return nr_words;
}

static void take_event(const uint64_t *record)
{
	const unsigned int nr_words = field(FXT_HEADER_WORDS, *record);
	const unsigned int ref = field(FXT_EVENT_THREAD, *record);
	const unsigned int name = field(FXT_EVENT_NAME, *record);
	struct marker *marker = &markers[nr_markers];
	unsigned int at = 2;
	struct text category;

	*marker = (struct marker){
		.type = field(FXT_EVENT_TYPE, *record),
		.ticks = record[1],
		.process = ref ? processes[ref] : record[2],
		.thread = ref ? threads[ref] : record[3],
		.has_name = name,
	};
	at += ref ? 0 : 2;
	at += get_string(field(FXT_EVENT_CATEGORY, *record), record + at, &category);
	if (category.len != strlen(MARKER) || memcmp(category.bytes, MARKER, category.len))
		return;
	at += get_string(name, record + at, &marker->name);
	at += skip_args(marker, record + at, field(FXT_EVENT_NR_ARGS, *record));
	if (marker->type == FXT_EVENT_COUNTER || marker->type >= FXT_EVENT_ASYNC_BEGIN) {
		marker->id = record[at++];
		if (at > nr_words)
			broken(marker, "it has no id");
	}
	if (at != nr_words)
		broken(marker, "the length is not that of the contents");
	if (++nr_markers == MAX_MARKERS)
		errx(2, "too many markers");
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
	const struct marker *a = left, *b = right;

	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static bool is_same(const struct text *a, const struct text *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

static void check_names(const struct marker *marker)
{
	if (!marker->process || !marker->thread || marker->process >> 32 || marker->thread >> 32)
		broken(marker, "the thread has no process, or an id of more than 32 bits");
	if (marker->type != FXT_EVENT_DURATION_END && !marker->name.len)
		broken(marker, "the name is empty");
	if (marker->type == FXT_EVENT_DURATION_END && marker->has_name && !marker->name.len)
		broken(marker, "an empty name ends no duration of another name");
}

/* Find the last earlier marker that is open and satisfies the conditions. */
static struct marker *find_open(const struct marker *marker, unsigned int type, bool on_thread,
				bool by_id)
{
	struct marker *begin;

	for (begin = &markers[marker - markers]; begin-- > markers;)
		if (begin->type == type && !begin->is_closed &&
		    (!on_thread || begin->thread == marker->thread) &&
		    (!by_id || (begin->id == marker->id && is_same(&begin->name, &marker->name))))
			return begin;
	return NULL;
}

static void check_flow(const struct marker *marker)
{
	if (!find_open(marker, FXT_EVENT_DURATION_BEGIN, true, false))
		broken(marker, "the flow is outside of any duration");
	if (marker->type != FXT_EVENT_FLOW_BEGIN &&
	    !find_open(marker, FXT_EVENT_FLOW_BEGIN, false, true))
		broken(marker, "the flow has not begun");
}

static void check_order(const struct marker *marker)
{
	struct marker *begin = NULL;

	switch (marker->type) {
	case FXT_EVENT_DURATION_END:
		begin = find_open(marker, FXT_EVENT_DURATION_BEGIN, true, false);
		if (!begin || (marker->has_name && !is_same(&begin->name, &marker->name)))
			broken(marker, "no duration that it ends");
		break;
	case FXT_EVENT_ASYNC_END:
		begin = find_open(marker, FXT_EVENT_ASYNC_BEGIN, false, true);
		if (!begin || begin->process != marker->process)
			broken(marker, "no asynchronous duration that it ends");
		break;
	case FXT_EVENT_FLOW_BEGIN:
	case FXT_EVENT_FLOW_STEP:
	case FXT_EVENT_FLOW_END:
		check_flow(marker);
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

	if (argc != 2)
		errx(2, "FILE");
	read_file(argv[1]);
	/* CPUs are in any order in the file; markers of one time do not occur. */
	qsort(markers, nr_markers, sizeof(*markers), compare);
	for (i = 0; i < nr_markers; i++) {
		check_names(&markers[i]);
		check_order(&markers[i]);
	}
	printf("%u markers\n", nr_markers);
	return !!nr_broken;
}
