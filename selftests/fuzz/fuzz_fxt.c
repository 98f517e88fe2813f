// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as a Fuchsia trace: read the records, print them in time order, as text
 * and as JSON, apply filters to them, answer why it was slow, draw a flame graph, and validate
 * them.
 *
 * Beyond the sanitizers, this must hold: the position of a fault is within the file, a
 * record that cannot be read is a fault to the validator, and sorting by time loses and
 * invents no record and is correct.
 */
#include "fuzz.h"

#include "archive.h"
#include "sched/answer.h"
#include "sched/flame.c"
#include "sched/print.h"
#include "sched/record_filter.h"
#include "vitrine.h"

/* The magic number record of a little-endian writer. */
static const uint8_t magic[8] = {
	0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00
};

/* Discards JSON at no cost; text is written to a closed descriptor. */
static FILE *nowhere;

/* Have all that is printed go nowhere. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	nowhere = open_nowhere();
	return 0;
}

/* One filter of each kind; it does not matter which records it accepts. */
static void filter_init(struct record_filter *filter)
{
	record_filter_init(filter);
	expect(record_filter_add(filter, 'c', "0,2-3") && record_filter_add(filter, 't', "make") &&
	       record_filter_add(filter, 'p', "17") && record_filter_add(filter, 'e', "irq:*"));
}

struct findings {
	size_t len;
	uint64_t nr;
};

static void count_fault(void *ctx, uint64_t offset, const char *message)
{
	struct findings *faults = ctx;

	expect(offset <= faults->len && message[0]);
	faults->nr++;
}

static void look_at_note(void *ctx, uint64_t offset, const char *message)
{
	const struct findings *faults = ctx;

	expect(offset <= faults->len && message[0]);
}

/* Count the records that can be read, and those that cannot. */
static uint64_t read_all(const uint8_t *bytes, size_t len, uint64_t *ret_bad)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_fxt *fxt = NULL;
	struct vitrine_error *err;
	uint64_t nr = 0;

	expect(!vitrine_fxt_create(bytes, len, &fxt));
	for (;;) {
		err = vitrine_fxt_next(fxt, &record);
		if (err) {
			expect(err->code == EBADMSG && err->offset <= len);
			vitrine_error_destroy(err);
			++*ret_bad;
			continue;
		}
		if (!record)
			break;
		expect(record->offset + 8ULL * record->nr_words <= len);
		nr++;
	}
	vitrine_fxt_destroy(fxt);
	return nr;
}

/* Search up to some record. */
static enum archive_step search(void *ctx, const struct vitrine_fxt_record *record)
{
	size_t *nr_left = ctx;

	return (*nr_left)-- ? ARCHIVE_NEXT : ARCHIVE_STOP;
}

static uint64_t print_all(const uint8_t *bytes, size_t len, struct findings *faults)
{
	const struct vitrine_fxt_report report = {
		.fault = count_fault,
		.note = look_at_note,
		.ctx = faults,
	};
	const struct vitrine_fxt_record *record;
	static struct record_filter filter;
	uint64_t nr = 0, last_ns = 0, ns;
	size_t nr_searched = len % 64;

	expect(!vitrine_archive_from_bytes(bytes, len, &report, &archive));
	expect(!archive_search(archive, search, &nr_searched));
	print_begin(nowhere, true);
	filter_init(&filter);
	while (!vitrine_archive_next(archive, &record) && record) {
		/* As if the first of them, at 3.7 s, were to be 0. */
		print_base(len & 8 ? 3700000000 : 0);
		print_record(record);
		record_filter_match(&filter, record);
		print_base(len & 64 ? 3700000000 : 0);
		record_json(record);
		nr++;
		if (!record->timed)
			continue;
		ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);
		expect(ns >= last_ns);
		last_ns = ns;
	}
	vitrine_archive_destroy(archive);
	return nr;
}

/* The time of each group is of some kind, and the critical path adds up to the time. */
static void answer_all(const uint8_t *bytes, size_t len)
{
	const struct answer_args args = { .all = len & 1 };
	static struct record_filter filter, selected;
	uint64_t sum_ns;
	uint32_t i;
	int kind;

	answer.args = &args;
	record_filter_init(&filter);
	filter_init(&selected);
	if (len & 2)
		spent.selected = &selected;
	expect(!vitrine_archive_from_bytes(bytes, len, NULL, &archive));
	expect(!spent_read(&filter));
	answer_make();
	for (i = 0; i < answer.nr_groups; i++) {
		for (kind = 0, sum_ns = 0; kind < WHY_KINDS; kind++)
			sum_ns += answer.groups[i].kinds_ns[kind];
		expect(sum_ns == answer.groups[i].life_ns);
	}
	expect(spent.root == PATH_NONE ||
	       answer.path.all_ns == spent.end_ns - spent.begin_ns);
	answer_deinit();
	spent_deinit();
	vitrine_archive_destroy(archive);
}

/* As the old one and the new one, with which it is compared. */
static void draw_all(const uint8_t *bytes, size_t len)
{
	unsigned int i, nr_traces = len & 32 ? 2 : 1;
	struct vitrine_error *err;

	record_filter_init(&args.filter);
	args.on_cpu = len & 16;
	for (i = 0; i < nr_traces; i++) {
		expect(!vitrine_archive_from_bytes(bytes, len, NULL, &archive));
		err = flame_read();
		expect(!err);
		vitrine_archive_destroy(archive);
	}
	stream = nowhere;
	flame_finish();
	flame_svg("fuzz");
	flame_folded();
	flame_deinit();
}

static void look_at(const uint8_t *bytes, size_t len)
{
	struct findings check_faults = { .len = len }, faults = { .len = len };
	const struct vitrine_fxt_report report = {
		.fault = count_fault,
		.note = look_at_note,
		.ctx = &check_faults,
	};
	struct vitrine_fxt_summary summary;
	uint64_t nr, nr_bad = 0;

	expect(!vitrine_fxt_check_bytes(bytes, len, &report, &summary));
	nr = read_all(bytes, len, &nr_bad);
	expect(summary.nr_faults == check_faults.nr);
	expect(check_faults.nr >= nr_bad);
	expect(summary.nr_records == nr);
	expect(print_all(bytes, len, &faults) == nr);
	expect(faults.nr == nr_bad);
	draw_all(bytes, len);
	answer_all(bytes, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint8_t *copy;
	size_t i;

	if (len <= sizeof(magic))
		return 0;
	copy = malloc(len);
	expect(copy);
	memcpy(copy, bytes, len);
	/* The first byte tells the byte order: it is 0x10 or 0. */
	for (i = 0; i < sizeof(magic); i++)
		copy[i] = bytes[0] ? magic[i] : magic[7 - i];
	look_at(copy, len);
	free(copy);
	return 0;
}
