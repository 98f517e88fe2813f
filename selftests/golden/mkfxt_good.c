// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces without faults.
 */
#include <string.h>

#include "mkfxt.h"

/* All ten argument types, in the order of their numbers. */
#define ARGS_WORDS	28

static void all_args(void)
{
	const double pi = 3.140625;
	uint64_t bits;

	memcpy(&bits, &pi, sizeof(bits));
	word(0ULL | 2ULL << 4 | INLINE(4) << 16);		/* null */
	stream("null", 4);
	word(1ULL | 2ULL << 4 | INLINE(3) << 16 | 0xfffffffbULL << 32);
	stream("i32", 3);					/* -5 */
	word(2ULL | 2ULL << 4 | INLINE(3) << 16 | 0xfffffffbULL << 32);
	stream("u32", 3);					/* 4294967291 */
	number_arg(ARG_INT64, "i64", -(1ULL << 40));		/* -1099511627776 */
	number_arg(ARG_UINT64, "u64", 1ULL << 63);		/* 9223372036854775808 */
	number_arg(ARG_DOUBLE, "real", bits);
	string_arg("inline", "hello");
	word(6ULL | 2ULL << 4 | INLINE(5) << 16 | 3ULL << 32);	/* string 3 */
	stream("table", 5);
	number_arg(ARG_POINTER, "pointer", 0xdeadbeefULL);
	number_arg(ARG_KOID, "koid", 101);
	bool_arg("yes", true);
}

static void all_events(void)
{
	uint64_t refs = REFS(1, 1, 2);
	unsigned int type;

	/* Inline thread, inline strings, all arguments. */
	event(0, 6 + ARGS_WORDS, 11, REFS(0, INLINE(3), INLINE(7)), 2000);
	word(100);
	word(101);
	stream("cat", 3);
	stream("instant", 7);
	all_args();

	/* Counter with id 42 and one value. */
	event(1, 3 + 2, 1, refs, 2001);
	int32_arg("value", 17);
	word(42);

	event(2, 2, 0, refs, 2002);		/* duration begin */
	event(3, 2, 0, refs, 2003);		/* duration end */
	event(4, 3, 0, refs, 2004);		/* duration complete ... */
	word(2009);				/* ... until */
	for (type = 5; type <= 10; type++) {	/* async and flow, id 77 */
		event(type, 3, 0, refs, 2005 + type);
		word(77);
	}
}

static void all_scheduling(void)
{
	/* Legacy, both threads inline. */
	word(8ULL | 6ULL << 4 | 3ULL << 16 | 3ULL << 24 | 100ULL << 44 |
	     0ULL << 52);
	word(2100);
	word(100);
	word(101);
	word(0);
	word(0);
	/* Legacy, both threads by reference: 101 is preempted by itself. */
	legacy_switch(3, 2101, 2, (struct side){ 1, 1 }, (struct side){ 1, 255 });
	/* Subtype 1 on CPU 300, with a weight. */
	word(8ULL | (4ULL + 3) << 4 | 1ULL << 16 | 300ULL << 20 | 5ULL << 36 |
	     1ULL << 60);
	word(2102);
	word(101);
	word(102);
	int32_arg("outgoing_weight", 12);
	/* Subtype 2: thread 101 is woken by 102. */
	word(8ULL | (3ULL + 2 + 3) << 4 | 2ULL << 16 | 300ULL << 20 |
	     2ULL << 60);
	word(2103);
	word(101);
	int32_arg("weight", 20);
	number_arg(ARG_KOID, "waker", 102);
}

static void all_objects(void)
{
	process_name(100, "main");
	thread_name(100, 101, "worker \"1\"\n");
	/* A thread whose name is string 2. */
	word(7ULL | (2ULL + 3) << 4 | 2ULL << 16 | 2ULL << 24 | 1ULL << 40);
	word(102);
	number_arg(ARG_KOID, "process", 100);
	/* An object of another type, without a name. */
	word(7ULL | 2ULL << 4 | 17ULL << 16);
	word(555);
	/* User-space objects: with an inline process, and with the process of thread 1. */
	word(6ULL | 4ULL << 4 | INLINE(3) << 24);
	word(0x1000);
	word(100);
	stream("obj", 3);
	word(6ULL | (2ULL + 2) << 4 | 1ULL << 16 | 2ULL << 24 | 1ULL << 40);
	word(0x2000);
	int32_arg("size", 64);
}

static void all_blobs(void)
{
	blob(1, "file", "0123456789", 10);
	blob(2, "", "abcdefgh", 8);
	/* Large, with metadata: category 1, name inline, thread 1, one argument. */
	word(15ULL | (2ULL + 1 + 1 + 2 + 1 + 2) << 4);
	word(1ULL | INLINE(5) << 16 | 1ULL << 32 | 1ULL << 36);
	stream("large", 5);
	word(2201);
	int32_arg("part", 1);
	word(9);
	stream("123456789", 9);
	/* Large, without metadata. */
	word(15ULL | (2ULL + 1 + 1 + 1) << 4 | 1ULL << 40);
	word(1ULL | INLINE(5) << 16);
	stream("plain", 5);
	word(3);
	stream("xyz", 3);
	/* Large, of an unknown format. */
	word(15ULL | 2ULL << 4 | 2ULL << 40);
	word(0);
}

/* All types of records and arguments. The complete duration ends last, so it is last. */
static void build_records(void)
{
	preamble(1000);
	string(1, "category");
	string(2, "n\xc3\xa4me");
	string(3, "");
	thread(1, 100, 101);
	all_objects();
	all_events();
	all_scheduling();
	/* Log: message of 6 bytes from thread 1, then one from an inline thread. */
	word(9ULL | 3ULL << 4 | 6ULL << 16 | 1ULL << 32);
	word(2200);
	stream("hello\t", 6);
	word(9ULL | 5ULL << 4 | 2ULL << 16);
	word(2200);
	word(100);
	word(102);
	stream("hi", 2);
	all_blobs();
	provider_event(7, 0);
	provider_event(7, 3);
	/* Unknown types: record 12, metadata 9, event 15, scheduling subtype 9. */
	word(12ULL | 2ULL << 4);
	word(~0ULL);
	metadata(9, 1, 0);
	event(15, 2, 0, REFS(1, 1, 2), 2300);
	word(8ULL | 2ULL << 4 | 9ULL << 60);
	word(2301);
}

static void build_big_endian(void)
{
	big_endian = true;
	build_records();
}

/* Two CPUs. CPU 1 lacks a sub-buffer of 6 records, and lost 4 more that were not written. */
static void build_vitrine(void)
{
	struct packet cpu0 = first_packet(0), cpu1 = first_packet(1);

	subbuf(&cpu0, 2, 5000);
	subbuf(&cpu1, 3, 5005);
	subbuf(&cpu0, 1, 6000);
	cpu1.sequence += 1;
	cpu1.records_before += 7;
	cpu1.bytes_before += 500;
	cpu1.lost += 4;
	provider_event(2, 0);
	half_subbuf(&cpu1, 6005);
}

/* As the recorder writes it: a sub-buffer is followed by the loss and its duration. */
static void build_recorded(void)
{
	struct packet cpu1 = first_packet(1);

	subbuf(&cpu1, 3, 5005);
	provider_event(2, 0);
	provider_section(2);
	event(4, 2 + 2 + 1 + 2 + 1, 0, REFS(0, INLINE(7), INLINE(10)), 5215);
	word(0);
	word(0x7fff0001);
	stream("vitrine", 7);
	stream("drop_stats", 10);
	word(6000);
	cpu1.sequence += 1;
	cpu1.records_before += 7;
	cpu1.bytes_before += 4096;
	subbuf(&cpu1, 2, 6000);
}

/* ---- A CPU number that is too large for the legacy switch record --------- */

#define WIDE_CPU	300
#define IDLE_WEIGHT	0x80000000U
#define WEIGHT(weight, name) \
	(1ULL | 1ULL << 4 | (name) << 16 | (uint64_t)(weight) << 32)

#define WIDE_BYTES	48

static void wide_switch(uint64_t ticks, unsigned int state, uint64_t outgoing,
			uint64_t incoming)
{
	word(8ULL | 6ULL << 4 | 2ULL << 16 | (uint64_t)WIDE_CPU << 20 |
	     (uint64_t)state << 36 | 1ULL << 60);
	word(ticks);
	word(outgoing);
	word(incoming);
	word(WEIGHT(outgoing ? 120 : IDLE_WEIGHT, 2ULL));
	word(WEIGHT(incoming ? 120 : IDLE_WEIGHT, 3ULL));
}

/* Names of thread @koid and process @koid; the process is first, as the module does. */
static void wide_name(uint64_t koid, const char *name)
{
	process_name(koid, name);
	word(7ULL | 5ULL << 4 | 2ULL << 16 | INLINE(strlen(name)) << 24 |
	     1ULL << 40);
	word(koid);
	stream(name, strlen(name));
	word(8ULL | 2ULL << 4 | 1ULL << 16);
	word(koid);
}

static void wide_strings(void)
{
	provider_section(WIDE_CPU + 1);
	string(1, "process");
	string(2, "outgoing_weight");
	string(3, "incoming_weight");
}

/*
 * As the module writes it: without thread records, so that events have their thread inline.
 * The ring is full at 5700 and has a buffer-full event after the last switch. There is room
 * again at 6000, after 3 switches were lost.
 */
static void build_wide(void)
{
	struct packet cpu0 = first_packet(0), wide = first_packet(WIDE_CPU);

	subbuf(&cpu0, 2, 5000);
	keep();
	wide_strings();
	wide_name(0, "idle");
	wakeup(WIDE_CPU, 5100, 77);
	wide_name(77, "wide");
	wide_switch(5200, 0, 0, 77);
	event(0, 5, 0, REFS(0, INLINE(3), 0), 5300);
	word(77);
	word(77);
	stream("cat", 3);
	wide_switch(5400, 3, 77, 0);
	wide_switch(5600, 0, 0, 77);
	wide_switch(5700, 0, 77, 0);
	provider_event(WIDE_CPU + 1, 0);
	kept_subbuf(&wide, 5100, 5700);
	subbuf_end(&wide, 6);

	wide.lost = 3;
	keep();
	wide_strings();
	word(7ULL | 5ULL << 4 | 2ULL << 16 | INLINE(4) << 24 | 1ULL << 40);
	word(0x7fff0000 + WIDE_CPU);
	stream("lost", 4);
	word(8ULL | 2ULL << 4 | 1ULL << 16);
	word(0);
	event(4, 4 + 1 + 2 + 4 + 4 + 1, 2, REFS(0, INLINE(7), INLINE(10)), 5700);
	word(0);
	word(0x7fff0000 + WIDE_CPU);
	stream("vitrine", 7);
	stream("drop_stats", 10);
	number_arg(ARG_UINT64, "num_records", 3);
	number_arg(ARG_UINT64, "num_bytes", 3 * WIDE_BYTES);
	word(6000);
	wide_name(0, "idle");
	wide_name(77, "wide");
	wide_switch(6000, 0, 0, 77);
	wide_switch(6200, 3, 77, 0);
	kept_subbuf(&wide, 5700, 6200);
}

static void build_big_endian_vitrine(void)
{
	big_endian = true;
	build_vitrine();
}

/*
 * The next sub-buffer of a CPU continues the chain of switches, a new session starts a new
 * one. An event that is written when it ends is in time order, although it may have begun
 * before its sub-buffer.
 */
static void build_vitrine_more(void)
{
	struct packet header = first_packet(4);

	subbuf_begin(&header, PAIR_BYTES + 24, 1000, 1100);
	pair(4, 1090);
	event(4, 3, 0, REFS(2, 0, 0), 910);
	word(1100);
	header.sequence += 2;		/* one is missing, but it was empty */
	header.records_before += 3;
	header.bytes_before += header.committed + 352;
	subbuf(&header, 1, 2000);
	header = first_packet(4);
	header.session = 2;
	half_subbuf(&header, 500);
}

/* A sub-buffer that contains a pair of clock readings only. */
static void clocks(struct packet *header, uint64_t ticks, uint64_t mono_ns)
{
	const uint64_t pair[] = { ticks, mono_ns };

	header->committed = PREAMBLE_BYTES + 16 + sizeof(pair);
	header->begin = ticks;
	header->end = ticks;
	subbuf_preamble(header);
	blob(1, "clock", pair, sizeof(pair));
	subbuf_end(header, 0);
}

/* The clock is faster than its stated rate; the other session is too short to measure it. */
static void build_rate(void)
{
	struct packet header = first_packet(0);

	clocks(&header, 1000, 7000);
	clocks(&header, 1500001000, 1000007000);
	clocks(&header, 2500001000, 2000007000);
	header = first_packet(0);
	header.session = 2;
	clocks(&header, 1000, 3000000000);
	clocks(&header, 2000, 3999999999);
}

/* 64 named threads, one of them twice, and tick rates that are easily mixed up. */
static void build_crowd(void)
{
	unsigned int i;

	preamble(1000);
	thread_name(7, 7, "first");
	thread(1, 7, 7);
	thread(2, 0, 999);
	event(0, 2, 0, REFS(1, 0, 0), 1900);
	for (i = 1; i <= 64; i++)
		thread_name(i, i, i == 7 ? "last" : "one of them");
	event(0, 2, 0, REFS(2, 0, 0), 2100);
	provider_info(8, "faster");
	initialization(1500);
	event(0, 4, 0, REFS(0, 0, 0), 3152);
	word(0);
	word(1);
	provider_section(7);
	event(0, 2, 0, REFS(1, 0, 0), 2102);
}

/*
 * A thread moves to another CPU and gets a new name there. The CPU with the old name comes
 * later in the file.
 */
static void build_renamed(void)
{
	magic();
	provider_info(1, "cpu0");
	initialization(1000000000);
	thread(1, 0, 0);
	process_name(0, "idle");
	thread_name(0, 0, "idle");
	thread(2, 7, 7);
	process_name(7, "newer");
	thread_name(7, 7, "newer");
	legacy_switch(0, 2000, 0, IDLE, WORKER);
	legacy_switch(0, 3000, 3, WORKER, IDLE);

	provider_info(2, "cpu1");
	initialization(500000000);		/* half the ticks */
	thread(1, 0, 0);
	thread(2, 7, 7);
	process_name(7, "older");
	thread_name(7, 7, "older");
	legacy_switch(1, 250, 0, IDLE, WORKER);	/* 500 ns */
	legacy_switch(1, 450, 3, WORKER, IDLE);
}

/*
 * Three providers in turn, each with its own tables. Provider 1 counts nanoseconds, 2 has a
 * thousand ticks per second, and 3 is out of order and redefines its thread. A section of
 * provider 9, which has no provider info record.
 */
static void build_foreign(void)
{
	magic();
	provider_info(1, "one");
	initialization(1000000000);
	thread(1, 10, 11);
	string(1, "first");
	event(0, 2, 0, REFS(1, 1, 1), 1000000000);
	provider_info(2, "two");
	initialization(1000);
	thread(1, 20, 21);
	string(1, "second");
	event(0, 2, 0, REFS(1, 1, 1), 1001);
	provider_info(3, "three");
	initialization(1000000000);
	thread(1, 30, 31);
	string(1, "third");
	event(0, 2, 0, REFS(1, 1, 1), 1500000000);
	thread(1, 30, 32);
	event(0, 2, 0, REFS(1, 1, 1), 1000000001);
	provider_section(1);
	event(0, 2, 0, REFS(1, 1, 1), 1002000000);
	provider_section(2);
	event(0, 2, 0, REFS(1, 1, 1), 1003);
	provider_section(9);
	event(0, 5, 0, REFS(0, INLINE(1), 0), 1004000000);
	word(90);
	word(91);
	stream("x", 1);
	context_switch(2, 1005000000, 3, 11, 21);
	context_switch(2, 1005000001, 3, 31, 11);
	wakeup(2, 1005000002, 21);
	wakeup(2, 1005000003, 91);
}

/*
 * Waits of all kinds. alpha is woken up twice, the second time as a new thread with the same
 * id, and is preempted once; a wakeup while it runs has no meaning. beta moves to another CPU.
 * The state of gamma is unknown after CPU 1 has lost records, except for a wait that began
 * later. delta runs on one CPU, then on the other.
 */
#define ALPHA	((struct side){ 2, 120 })
#define BETA	((struct side){ 3, 120 })
#define GAMMA	((struct side){ 4, 120 })
#define DELTA	((struct side){ 5, 120 })

static void introduce(uint32_t provider, const char *name)
{
	provider_info(provider, name);
	initialization(1000000000);
	thread(1, 0, 0);
	thread(2, 10, 11);
	thread_name(10, 11, "alpha");
	thread(3, 20, 21);
	thread_name(20, 21, "be|ta<>&\"'");
	thread(4, 30, 31);
	thread_name(30, 31, "gamma");
	thread(5, 40, 41);
}

static void build_waits(void)
{
	magic();
	introduce(1, "cpu0");
	legacy_switch(0, 1000, 0, IDLE, ALPHA);
	legacy_switch(0, 1500, 3, ALPHA, IDLE);
	legacy_switch(0, 2300, 0, IDLE, ALPHA);		/* waited 300 after its wakeup */
	wakeup(0, 2400, 11);
	wakeup(0, 2950, 21);
	legacy_switch(0, 3000, 0, ALPHA, BETA);		/* waited 50 */
	legacy_switch(0, 3700, 3, BETA, ALPHA);		/* preempted for 700 */
	legacy_switch(0, 4000, 5, ALPHA, IDLE);
	wakeup(0, 5000, 11);
	legacy_switch(0, 5100, 0, IDLE, ALPHA);		/* waited 100 */
	legacy_switch(0, 5200, 3, ALPHA, GAMMA);
	legacy_switch(0, 5300, 3, GAMMA, DELTA);
	legacy_switch(0, 6300, 3, DELTA, GAMMA);	/* records were lost meanwhile */
	legacy_switch(0, 6400, 2, GAMMA, IDLE);
	wakeup(0, 6450, 31);
	legacy_switch(0, 6500, 0, IDLE, GAMMA);		/* stopped for 50, waited 50 */
	legacy_switch(0, 6600, 3, GAMMA, IDLE);

	introduce(2, "cpu1");
	legacy_switch(1, 1100, 0, IDLE, BETA);
	wakeup(1, 2000, 11);
	legacy_switch(1, 2900, 3, BETA, IDLE);
	/* The outgoing thread did not come in: a record is lost in between. */
	legacy_switch(1, 6000, 3, BETA, IDLE);
	legacy_switch(1, 6200, 0, IDLE, DELTA);
	legacy_switch(1, 6650, 3, DELTA, IDLE);
}

/* At the end gamma and delta run, while alpha and beta wait. */
static void build_rush(void)
{
	magic();
	introduce(1, "cpu0");
	legacy_switch(0, 1000, 0, IDLE, ALPHA);
	wakeup(0, 1500, 21);
	legacy_switch(0, 2000, 0, ALPHA, GAMMA);
	introduce(2, "cpu1");
	legacy_switch(1, 1000, 0, IDLE, DELTA);
	wakeup(1, 3000, 21);
}

/*
 * Sub-buffers whose headers alone show that records are lost: the switches on both sides
 * match. CPU 0 lost five overwritten records, then two dropped ones. If the losses were
 * ignored, gamma would run for 1400, beta wait for 1500 and alpha for 3400, and delta on
 * CPU 1 would sleep.
 */
static void torn_threads(void)
{
	keep();
	thread_name(10, 11, "alpha");
	thread_name(20, 21, "beta");
	thread_name(30, 31, "gamma");
	thread_name(40, 41, "delta");
	process_name(10, "first");
	process_name(20, "second");
	process_name(30, "third");
	process_name(40, "fourth");
}

static void build_torn(void)
{
	struct packet cpu0 = first_packet(0), cpu1 = first_packet(1);

	torn_threads();
	context_switch(0, 1000, 0, 0, 11);
	wakeup(0, 1500, 21);
	context_switch(0, 1600, 0, 11, 31);
	kept_subbuf(&cpu0, 1000, 1600);
	subbuf_end(&cpu0, 0);
	cpu0.sequence++;
	cpu0.records_before = 3 + 5;
	cpu0.bytes_before += 1000;

	torn_threads();
	context_switch(0, 3000, 3, 31, 21);		/* wakeup at 1500 does not count */
	context_switch(0, 3200, 3, 21, 0);
	wakeup(0, 3300, 21);
	context_switch(0, 3350, 0, 0, 21);		/* waited 50 */
	context_switch(0, 3400, 3, 21, 0);
	kept_subbuf(&cpu0, 3000, 3400);
	subbuf_end(&cpu0, 0);
	cpu0.records_before += 5;
	cpu0.lost = 2;

	torn_threads();
	context_switch(0, 5000, 0, 0, 11);		/* preemption at 1600 does not count */
	context_switch(0, 5100, 3, 11, 0);
	kept_subbuf(&cpu0, 5000, 5100);

	torn_threads();
	context_switch(1, 1100, 0, 0, 41);
	context_switch(1, 1200, 3, 41, 0);
	wakeup(1, 4000, 41);				/* sleep at 1200 does not count */
	context_switch(1, 4100, 0, 0, 41);		/* it may have run on CPU 0 since */
	context_switch(1, 4200, 3, 41, 0);
	wakeup(1, 5200, 41);
	context_switch(1, 5300, 0, 0, 41);		/* waited 100 */
	context_switch(1, 5400, 3, 41, 0);
	kept_subbuf(&cpu1, 1100, 5400);
}

/* Two CPUs that switch in turn. */
#define SPEED_PAIRS	2000

void build_speed(uint64_t nr_switches)
{
	struct packet cpus[2] = { first_packet(0), first_packet(1) };
	uint64_t ticks = 1000000;
	unsigned int cpu = 0;

	cpus[0].subbuf_bytes = 65536;
	cpus[1].subbuf_bytes = 65536;
	while (nr_switches) {
		subbuf(&cpus[cpu], SPEED_PAIRS, ticks + cpu * 5);
		nr_switches -= nr_switches < 2 * SPEED_PAIRS ? nr_switches :
			       2 * SPEED_PAIRS;
		cpu ^= 1;
		if (!cpu)
			ticks += 100 * SPEED_PAIRS;
	}
}

/* Two CPUs of one provider, one after the other: half of the records are too late. */
void build_jumble(uint64_t nr_switches)
{
	uint64_t ticks = 1000000;
	unsigned int cpu = 0, i;

	magic();
	introduce(1, "both");
	while (nr_switches) {
		for (i = 0; nr_switches && i < 2 * SPEED_PAIRS; i++, nr_switches--)
			legacy_switch(cpu, ticks + cpu * 5 + i * 50, i % 2 ? 3 : 0,
				      i % 2 ? ALPHA : IDLE, i % 2 ? IDLE : ALPHA);
		cpu ^= 1;
		if (!cpu)
			ticks += 100 * SPEED_PAIRS;
	}
}

const struct golden good_traces[] = {
	{ "records", build_records },
	{ "big-endian", build_big_endian },
	{ "wide", build_wide },
	{ "vitrine", build_vitrine },
	{ "big-endian-vitrine", build_big_endian_vitrine },
	{ "vitrine-more", build_vitrine_more },
	{ "crowd", build_crowd },
	{ "rate", build_rate },
	{ "renamed", build_renamed },
	{ "foreign", build_foreign },
	{ "recorded", build_recorded },
	{ "waits", build_waits },
	{ "rush", build_rush },
	{ "torn", build_torn },
	{ "spans", build_spans },
	{ "late-span", build_late_span },
	{ "late-spans", build_late_spans },
	{ NULL, NULL },
};
