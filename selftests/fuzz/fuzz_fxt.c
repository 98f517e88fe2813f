// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as a Fuchsia trace: read them record by record, print them
 * in time order, and check them.
 *
 * Beyond the sanitizers, this must hold: a fault's place is within the file,
 * what cannot be read is a fault to check, time order loses and invents no
 * record, and it is an order of time.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "print_record.h"
#include "vitrine.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* The magic number record, as a little-endian writer puts it. */
static const uint8_t magic[8] = {
	0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00
};

struct faults {
	size_t len;
	uint64_t nr;
};

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void count_fault(void *ctx, uint64_t offset, const char *message)
{
	struct faults *faults = ctx;

	expect(offset <= faults->len && message[0]);
	faults->nr++;
}

static void look_at_note(void *ctx, uint64_t offset, const char *message)
{
	const struct faults *faults = ctx;

	expect(offset <= faults->len && message[0]);
}

/* How many records can be read, and how many cannot. */
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

static uint64_t print_all(const uint8_t *bytes, size_t len,
			  struct faults *faults)
{
	const struct vitrine_fxt_report report = {
		.fault = count_fault,
		.note = look_at_note,
		.ctx = faults,
	};
	const struct vitrine_fxt_record *record;
	struct vitrine_archive *archive = NULL;
	static struct print_state state;
	uint64_t nr = 0, last_ns = 0, ns;

	expect(!vitrine_archive_from_bytes(bytes, len, &report, &archive));
	memset(&state, 0, offsetof(struct print_state, out));
	state.archive = archive;
	state.all = true;
	state.relative = len & 8;
	line_init(&state.out);
	while (!vitrine_archive_next(archive, &record) && record) {
		print_record(&state, record);
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

static void look_at(const uint8_t *bytes, size_t len)
{
	struct faults check_faults = { .len = len }, faults = { .len = len };
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
}

/**
 * LLVMFuzzerTestOneInput() - one execution
 * @bytes: the file; it is made to begin as a trace does
 * @len: how long it is
 *
 * Return: 0.
 */
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
