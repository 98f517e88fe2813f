// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces with faults, one kind in each.
 */
#include <stdio.h>

#include "mkfxt.h"

static void build_zero_size(void)
{
	preamble(1000);
	word(4);
	word(0);
	/* Reading goes on here. */
	preamble(1000);
	string(1, "good");
	word(4);
	magic();
	string(1, "good again");
}

static void build_truncated_record(void)
{
	preamble(1000);
	word(2ULL | 3ULL << 4 | 1ULL << 16 | 12ULL << 32);
	stream("hello", 5);
}

static void build_truncated_word(void)
{
	preamble(1000);
	putchar(2);
	putchar(0);
	putchar(0);
}

/* One fault, though the sub-buffer is not as long as it says, either. */
static void build_truncated_subbuf(void)
{
	struct packet header = first_packet(0);

	header.committed = PREAMBLE_BYTES + THREADS_BYTES + 16;
	header.begin = 1000;
	header.end = 1000;
	subbuf_preamble(&header);
	threads();
	word(8ULL | 2ULL << 4);
}

static void build_unregistered_string(void)
{
	preamble(1000);
	string(5, "known");
	/* Introduced again: forgotten. */
	provider_info(7, "golden");
	event(0, 4, 0, REFS(0, 5, 0), 10);
	word(1);
	word(2);
}

static void build_unregistered_thread(void)
{
	preamble(1000);
	thread(4, 1, 2);
	event(0, 2, 0, REFS(5, 0, 0), 10);
}

static void build_padding(void)
{
	preamble(1000);
	word(2ULL | 2ULL << 4 | 1ULL << 16 | 3ULL << 32);
	fwrite("abc\0\0\1\0", 1, 8, stdout);
	word(2ULL | 2ULL << 4 | 2ULL << 16 | 3ULL << 32);
	fwrite("abc\1\0\0\0", 1, 8, stdout);
}

static void build_utf8(void)
{
	preamble(1000);
	string(1, "ok\xc3\xa9");
	string(2, "no\xc3");
	string(3, "\xed\xa0\x80");
	string(4, "\xc0\xaf");
}

static void build_reserved(void)
{
	preamble(1000);
	word(1ULL | 2ULL << 4 | 1ULL << 16);		/* initialization */
	word(1000);
	word(3ULL | 3ULL << 4 | 1ULL << 16 | 1ULL << 24);	/* thread */
	word(1);
	word(2);
	word(2ULL | 1ULL << 4 | 1ULL << 16 | 1ULL << 63);	/* string */
	event(0, 3, 1, REFS(1, 0, 0), 10);
	word(9ULL | 1ULL << 4 | 1ULL << 33);		/* bool of two bits */
}

static void build_argument_overrun(void)
{
	preamble(1000);
	thread(1, 1, 2);
	event(0, 3, 1, REFS(1, 0, 0), 10);
	word(4ULL | 2ULL << 4);			/* argument behind the record */
	event(0, 3, 1, REFS(1, 0, 0), 11);
	word(4ULL | 1ULL << 4);			/* value behind the argument */
	event(0, 3, 1, REFS(1, 0, 0), 12);
	word(0);				/* argument of no size */
	event(0, 3, 2, REFS(1, 0, 0), 13);
	word(1ULL | 1ULL << 4);			/* the second is missing */
}

static void build_leftover(void)
{
	preamble(1000);
	thread(1, 1, 2);
	event(0, 3, 0, REFS(1, 0, 0), 10);
	word(0);
	event(0, 4, 1, REFS(1, 0, 0), 11);
	word(1ULL | 2ULL << 4);
	word(0);
}

static void build_large_payload(void)
{
	preamble(1000);
	word(15ULL | 4ULL << 4 | 1ULL << 40);
	word(0);
	word(~0ULL);				/* rounds up to nothing */
	word(0);
	word(15ULL | 0xffffffffULL << 4);	/* 32 GiB */
}

static void build_no_rate(void)
{
	preamble(0);
}

static void build_byte_order(void)
{
	preamble(1000);
	big_endian = true;
	preamble(1000);
}

static void build_other_magic(void)
{
	word(0x0016547846040020ULL);
	word(0);
}

static void build_table_index_zero(void)
{
	preamble(1000);
	string(0, "ignored");
	thread(0, 1, 2);
}

static void build_switch_state(void)
{
	struct packet header = first_packet(0);

	header.committed = PREAMBLE_BYTES + THREADS_BYTES + 16;
	header.begin = 10;
	header.end = 10;
	subbuf_preamble(&header);
	threads();
	legacy_switch(0, 10, 1, IDLE, WORKER);
}

/* What a packet header may say wrong, one sub-buffer for each. */
static void build_packet_fields(void)
{
	struct packet header = first_packet(0);

	header.generation = 3;
	subbuf(&header, 1, 1000);
	header.generation = 2;
	header.session = 0;
	subbuf(&header, 1, 2000);
	header.session = 1;
	header.clock = 4;
	subbuf(&header, 1, 3000);
	header.clock = 0;
	header.subbuf_bytes = 64;
	subbuf(&header, 1, 4000);
}

/* Where one sub-buffer ends and the next begins. */
static void build_packet_committed(void)
{
	struct packet header = first_packet(0);

	subbuf(&header, 1, 1000);
	/* Eight bytes more than there are. */
	header.committed = PREAMBLE_BYTES + 8;
	header.begin = 2000;
	header.end = 2000;
	subbuf_preamble(&header);
	header.sequence++;
	header.bytes_before += header.committed;
	/* A record more than committed. */
	header.committed = PREAMBLE_BYTES;
	subbuf_preamble(&header);
	word(12ULL | 1ULL << 4);
	word(12ULL | 1ULL << 4);
	header.sequence++;
	header.bytes_before += header.committed;
	/* No header at all, then one at the wrong place. */
	magic();
	provider_info(1, "vitrine");
	threads();
	pair(0, 3000);
	magic();
	provider_info(1, "other");
	magic();
	provider_info(1, "vitrine");
	header.committed = PREAMBLE_BYTES - 16;
	packet(&header);
}

/* What two sub-buffers may say wrong of each other. */
static void build_packet_order(void)
{
	struct packet header = first_packet(0);

	subbuf(&header, 2, 1000);
	header.records_before++;		/* none is missing */
	subbuf(&header, 1, 2000);
	header.bytes_before--;
	subbuf(&header, 1, 3000);
	header.bytes_before += 2;
	subbuf(&header, 1, 3500);		/* and one too many */
	header.bytes_before--;
	header.sequence--;			/* the same again */
	subbuf(&header, 1, 4000);
	subbuf(&header, 1, 3700);		/* earlier than the last */
	header.lost = 5;
	subbuf(&header, 1, 5000);
	header.lost = 4;
	subbuf(&header, 1, 6000);
	header.session = 2;			/* all may begin anew */
	header.sequence = 0;
	header.records_before = 0;
	header.bytes_before = 0;
	header.lost = 0;
	subbuf(&header, 1, 1000);
}

/*
 * What is broken in a sub-buffer is not held against it, nor against the next
 * one, a second time: a record that is not understood, then one of no size.
 */
static void build_packet_damaged(void)
{
	struct packet header = first_packet(0);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		header.committed = PREAMBLE_BYTES + THREADS_BYTES + 16;
		header.begin = 1000 * (i + 1);
		header.end = header.begin + 10;
		subbuf_preamble(&header);
		threads();
		legacy_switch(0, header.begin, 0, IDLE,
			      (struct side){ 99, 120 });
		header.sequence++;
		header.records_before++;
		header.bytes_before += header.committed;
	}
	header.committed = PREAMBLE_BYTES + THREADS_BYTES + 16 + PAIR_BYTES;
	header.begin = 3000;
	header.end = 3010;
	subbuf_preamble(&header);
	threads();
	word(0);
	word(0);
	pair(0, 3000);
	header.sequence++;
	header.records_before += 2;
	header.bytes_before += header.committed;
	subbuf(&header, 1, 4000);
}

static void build_time(void)
{
	struct packet header = first_packet(0);

	header.committed = PREAMBLE_BYTES + THREADS_BYTES + 2 * PAIR_BYTES;
	header.begin = 1000;
	header.end = 1100;
	subbuf_preamble(&header);
	threads();
	pair(0, 1050);
	pair(0, 1040);		/* earlier than the one before */
	header.sequence++;
	header.records_before += 4;
	header.bytes_before += header.committed;
	header.begin = 2000;
	header.end = 2100;
	subbuf_preamble(&header);
	threads();
	pair(0, 1999);		/* earlier than the header says */
	pair(0, 2095);		/* and later */
}

/* A thread comes in that was not switched to; another CPU's switch. */
static void build_chain(void)
{
	struct packet header = first_packet(0);

	header.committed = PREAMBLE_BYTES + THREADS_BYTES + 2 * PAIR_BYTES;
	header.begin = 1000;
	header.end = 1100;
	subbuf_preamble(&header);
	threads();
	legacy_switch(0, 1000, 0, IDLE, WORKER);
	legacy_switch(0, 1001, 0, IDLE, WORKER);
	legacy_switch(0, 1002, 3, WORKER, IDLE);
	legacy_switch(1, 1003, 3, IDLE, WORKER);
	header.sequence++;
	header.records_before += 4;
	header.bytes_before += header.committed;
	subbuf(&header, 1, 2000);
}

static void build_nameless(void)
{
	struct packet header = first_packet(0);

	header.committed = PREAMBLE_BYTES + 4 * 24 + 40 + 48 + 3 * 16;
	header.begin = 1000;
	header.end = 1100;
	subbuf_preamble(&header);
	thread(1, 0, 0);
	thread(2, 100, 101);
	thread(3, 100, 102);
	thread(4, 100, 103);
	/* 102 has a name only, 103 a process without one. */
	word(7ULL | 3ULL << 4 | 2ULL << 16 | INLINE(5) << 24);
	word(102);
	stream("alone", 5);
	word(7ULL | 2ULL << 4 | 3ULL << 16);
	word(5);
	thread_name(100, 103, "child");
	legacy_switch(0, 1000, 0, IDLE, WORKER);
	legacy_switch(0, 1001, 0, WORKER, (struct side){ 3, 120 });
	legacy_switch(0, 1002, 0, (struct side){ 3, 120 },
		      (struct side){ 4, 120 });
}

const struct golden bad_traces[] = {
	{ "zero-size", build_zero_size },
	{ "truncated-record", build_truncated_record },
	{ "truncated-word", build_truncated_word },
	{ "truncated-subbuf", build_truncated_subbuf },
	{ "unregistered-string", build_unregistered_string },
	{ "unregistered-thread", build_unregistered_thread },
	{ "padding", build_padding },
	{ "utf8", build_utf8 },
	{ "reserved", build_reserved },
	{ "argument-overrun", build_argument_overrun },
	{ "leftover", build_leftover },
	{ "large-payload", build_large_payload },
	{ "no-rate", build_no_rate },
	{ "byte-order", build_byte_order },
	{ "other-magic", build_other_magic },
	{ "table-index-zero", build_table_index_zero },
	{ "switch-state", build_switch_state },
	{ "packet-fields", build_packet_fields },
	{ "packet-committed", build_packet_committed },
	{ "packet-order", build_packet_order },
	{ "packet-damaged", build_packet_damaged },
	{ "time", build_time },
	{ "chain", build_chain },
	{ "nameless", build_nameless },
	{ NULL, NULL },
};
