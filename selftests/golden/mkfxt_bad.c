// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces with faults, each with one kind of fault.
 */
#include <stdio.h>

#include "mkfxt.h"

static void build_zero_size(void)
{
	preamble(1000);
	word(4);
	word(0);
	/* The reader resumes here. */
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

/* One fault is reported, although the sub-buffer is shorter than its header says, too. */
static void build_truncated_subbuf(void)
{
	struct packet header = first_packet(0);

	subbuf_begin(&header, 16, 1000, 1000);
	word(8ULL | 2ULL << 4);
}

static void build_unregistered_string(void)
{
	preamble(1000);
	string(5, "known");
	/* A second provider info record clears the tables of the provider. */
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
	word(4ULL | 2ULL << 4);			/* argument exceeds the record */
	event(0, 3, 1, REFS(1, 0, 0), 11);
	word(4ULL | 1ULL << 4);			/* value exceeds the argument */
	event(0, 3, 1, REFS(1, 0, 0), 12);
	word(0);				/* argument of size 0 */
	event(0, 3, 2, REFS(1, 0, 0), 13);
	word(1ULL | 1ULL << 4);			/* second argument is missing */
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
	word(~0ULL);				/* overflows to 0 when rounded up */
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

	subbuf_begin(&header, 16, 10, 10);
	legacy_switch(0, 10, 1, IDLE, WORKER);
}

/* Sub-buffers with invalid fields in the packet header, one field each. */
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

/* Sub-buffers whose committed bytes do not match their contents. */
static void build_packet_committed(void)
{
	struct packet header = first_packet(0);

	subbuf(&header, 1, 1000);
	/* Eight bytes more than the sub-buffer has. */
	header.committed = PREAMBLE_BYTES + 8;
	header.begin = 2000;
	header.end = 2000;
	subbuf_preamble(&header);
	header.sequence++;
	header.bytes_before += header.committed;
	/* One record more than the committed bytes cover. */
	header.committed = PREAMBLE_BYTES;
	subbuf_preamble(&header);
	word(12ULL | 1ULL << 4);
	word(12ULL | 1ULL << 4);
	header.sequence++;
	header.bytes_before += header.committed;
	/* A sub-buffer without a packet header, then one with the header at the wrong place. */
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

/* Sub-buffers whose headers contradict those of the previous ones. */
static void build_packet_order(void)
{
	struct packet header = first_packet(0);

	subbuf(&header, 2, 1000);
	header.records_before++;		/* but no sub-buffer is missing */
	subbuf(&header, 1, 2000);
	header.bytes_before--;
	subbuf(&header, 1, 3000);
	header.bytes_before += 2;
	subbuf(&header, 1, 3500);		/* one byte too many */
	header.bytes_before--;
	header.sequence--;			/* same sequence number again */
	subbuf(&header, 1, 4000);
	subbuf(&header, 1, 3700);		/* earlier than the previous one */
	header.lost = 5;
	subbuf(&header, 1, 5000);
	header.lost = 4;
	subbuf(&header, 1, 6000);
	header.session = 2;			/* all counts start at 0 again */
	header.sequence = 0;
	header.records_before = 0;
	header.bytes_before = 0;
	header.lost = 0;
	subbuf(&header, 1, 1000);
}

/*
 * A damaged record is reported once. It causes no further faults in the counts of its
 * sub-buffer or the next one. First a record with an invalid reference, then one of size 0.
 */
static void build_packet_damaged(void)
{
	struct packet header = first_packet(0);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		subbuf_begin(&header, 16, 1000 * (i + 1), 1000 * (i + 1) + 10);
		legacy_switch(0, header.begin, 0, IDLE,
			      (struct side){ 99, 120 });
		subbuf_end(&header, 1);
	}
	subbuf_begin(&header, 16 + PAIR_BYTES, 3000, 3010);
	word(0);
	word(0);
	pair(0, 3000);
	subbuf_end(&header, 2);
	subbuf(&header, 1, 4000);
}

static void build_time(void)
{
	struct packet header = first_packet(0);

	subbuf_begin(&header, 2 * PAIR_BYTES, 1000, 1100);
	pair(0, 1050);
	pair(0, 1040);		/* earlier than the previous pair */
	subbuf_end(&header, 4);
	header.begin = 2000;
	header.end = 2100;
	subbuf_preamble(&header);
	threads();
	pair(0, 1999);		/* begins before the time in the header */
	pair(0, 2095);		/* ends after the time in the header */
}

/* CLOCK_MONOTONIC may step back a little, but not by more than a microsecond. */
static void build_step(void)
{
	struct packet header = first_packet(0);

	header.clock = 2;
	subbuf_begin(&header, 3 * PAIR_BYTES, 11000, 11100);
	pair(0, 11090);
	pair(0, 10990);		/* before the sub-buffer, too */
	pair(0, 9800);
	subbuf_end(&header, 6);
}

/*
 * Begins that are written late. The first one is valid: it is written when its thread is
 * switched out. The second one is older than the switch that brought its thread in. Two more
 * are older than their sub-buffer, of which one is later than the last switch.
 */
static void build_late_begin(void)
{
	struct packet header = first_packet(0);

	subbuf_begin(&header, 5 * 16, 1020, 1060);
	legacy_switch(0, 1020, 0, IDLE, WORKER);
	event(0, 2, 0, REFS(2, 0, 0), 1040);
	event(2, 2, 0, REFS(2, 0, 0), 1030);
	legacy_switch(0, 1060, 3, WORKER, IDLE);
	event(2, 2, 0, REFS(1, 0, 0), 1050);
	subbuf_end(&header, 5);
	subbuf_begin(&header, 2 * 16, 1200, 1210);
	event(2, 2, 0, REFS(1, 0, 0), 1150);
	event(2, 2, 0, REFS(1, 0, 0), 1055);
}

/* A thread that goes out without having come in, and a switch of another CPU. */
static void build_chain(void)
{
	struct packet header = first_packet(0);

	subbuf_begin(&header, 2 * PAIR_BYTES, 1000, 1100);
	legacy_switch(0, 1000, 0, IDLE, WORKER);
	legacy_switch(0, 1001, 0, IDLE, WORKER);
	legacy_switch(0, 1002, 3, WORKER, IDLE);
	legacy_switch(1, 1003, 3, IDLE, WORKER);
	subbuf_end(&header, 4);
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
	/* 102 has a name but no process, 103 a process without a name. */
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

/* More faults than a command prints. */
static void build_faults(void)
{
	unsigned int i;

	preamble(1000);
	thread(1, 1, 2);
	for (i = 0; i < 20; i++)
		event(0, 2, 0, REFS(2, 0, 0), i);
	event(0, 2, 0, REFS(1, 0, 0), 20);
}

/* Thread 101 runs on two CPUs from 1010 to 1020, but not from 1030 on, and an event ends early. */
static void build_twice(void)
{
	preamble(1000);
	thread(1, 0, 0);
	thread(2, 100, 101);
	legacy_switch(0, 1000, 3, IDLE, WORKER);
	legacy_switch(1, 1010, 3, IDLE, WORKER);
	legacy_switch(0, 1020, 3, WORKER, IDLE);
	legacy_switch(1, 1030, 3, WORKER, IDLE);
	legacy_switch(0, 1040, 3, IDLE, WORKER);
	event(4, 3, 0, REFS(2, 0, 0), 1050);
	word(1049);
}

/* The last time that fits into 64 bits; no clock reaches it. */
static void build_last_time(void)
{
	magic();
	thread(1, 0, 0);
	thread(2, 100, 101);
	legacy_switch(0, 1000, 3, WORKER, IDLE);
	legacy_switch(0, UINT64_MAX, 3, IDLE, WORKER);
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
	{ "step", build_step },
	{ "late-begin", build_late_begin },
	{ "chain", build_chain },
	{ "nameless", build_nameless },
	{ "faults", build_faults },
	{ "twice", build_twice },
	{ "last-time", build_last_time },
	{ NULL, NULL },
};
