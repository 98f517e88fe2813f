// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the golden traces.
 *
 *	mkfxt			list their names
 *	mkfxt NAME		write one to standard output
 *	mkfxt speed SWITCHES	a trace of two CPUs, as large as one likes
 *
 * Nothing is shared with the library or the module: fields are put together
 * here from the text of the format, so that an error in their masks shows.
 * Each builder below says what it builds; what the reader is to make of it is
 * in NAME.print and NAME.check.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ------------------------------------------------------------- */

static bool big_endian;

static void word(uint64_t value)
{
	int i;

	for (i = 0; i < 8; i++)
		putchar(value >> 8 * (big_endian ? 7 - i : i) & 0xff);
}

/* Two fields of 32 bits each; which is first in memory does not change. */
static void halves(uint32_t first, uint32_t second)
{
	word(big_endian ? (uint64_t)first << 32 | second :
			  (uint64_t)second << 32 | first);
}

static unsigned int words_of(size_t len)
{
	return (len + 7) / 8;
}

static void stream(const void *bytes, size_t len)
{
	size_t i;

	fwrite(bytes, 1, len, stdout);
	for (i = len; i % 8; i++)
		putchar(0);
}

/* ---- Records ----------------------------------------------------------- */

#define INLINE(len)	(0x8000ULL | (len))

static void magic(void)
{
	word(0x0016547846040010ULL);
}

static void metadata(unsigned int type, unsigned int nr_words, uint64_t rest)
{
	word(0ULL | (uint64_t)nr_words << 4 | (uint64_t)type << 16 | rest);
}

static void provider_info(uint32_t id, const char *name)
{
	size_t len = strlen(name);

	metadata(1, 1 + words_of(len), (uint64_t)id << 20 | (uint64_t)len << 52);
	stream(name, len);
}

static void provider_section(uint32_t id)
{
	metadata(2, 1, (uint64_t)id << 20);
}

static void provider_event(uint32_t id, unsigned int event)
{
	metadata(3, 1, (uint64_t)id << 20 | (uint64_t)event << 52);
}

static void initialization(uint64_t ticks_per_second)
{
	word(1ULL | 2ULL << 4);
	word(ticks_per_second);
}

static void string(unsigned int index, const char *value)
{
	size_t len = strlen(value);

	word(2ULL | (uint64_t)(1 + words_of(len)) << 4 | (uint64_t)index << 16 |
	     (uint64_t)len << 32);
	stream(value, len);
}

static void thread(unsigned int index, uint64_t process, uint64_t koid)
{
	word(3ULL | 3ULL << 4 | (uint64_t)index << 16);
	word(process);
	word(koid);
}

/* @refs: thread, category and name; what follows is up to the caller */
static void event(unsigned int type, unsigned int nr_words, unsigned int nr_args,
		  uint64_t refs, uint64_t ticks)
{
	word(4ULL | (uint64_t)nr_words << 4 | (uint64_t)type << 16 |
	     (uint64_t)nr_args << 20 | refs);
	word(ticks);
}

#define REFS(thread, category, name) \
	((uint64_t)(thread) << 24 | (uint64_t)(category) << 32 | \
	 (uint64_t)(name) << 48)

static void blob(unsigned int type, const char *name, const void *payload,
		 size_t len)
{
	size_t name_len = strlen(name);

	word(5ULL | (uint64_t)(1 + words_of(name_len) + words_of(len)) << 4 |
	     (name_len ? INLINE(name_len) << 16 : 0) | (uint64_t)len << 32 |
	     (uint64_t)type << 48);
	stream(name, name_len);
	stream(payload, len);
}

/* A thread's name, with its process as argument "process", a koid. */
static void thread_name(uint64_t process, uint64_t koid, const char *name)
{
	size_t len = strlen(name);

	word(7ULL | (uint64_t)(2 + words_of(len) + 3) << 4 | 2ULL << 16 |
	     INLINE(len) << 24 | 1ULL << 40);
	word(koid);
	stream(name, len);
	word(8ULL | 3ULL << 4 | INLINE(7) << 16);
	stream("process", 7);
	word(process);
}

static void process_name(uint64_t koid, const char *name)
{
	size_t len = strlen(name);

	word(7ULL | (uint64_t)(2 + words_of(len)) << 4 | 1ULL << 16 |
	     INLINE(len) << 24);
	word(koid);
	stream(name, len);
}

struct side {
	unsigned int ref;
	unsigned int priority;
};

static void legacy_switch(unsigned int cpu, uint64_t ticks, unsigned int state,
			  struct side out, struct side in)
{
	word(8ULL | 2ULL << 4 | (uint64_t)cpu << 16 | (uint64_t)state << 24 |
	     (uint64_t)out.ref << 28 | (uint64_t)in.ref << 36 |
	     (uint64_t)out.priority << 44 | (uint64_t)in.priority << 52);
	word(ticks);
}

static void context_switch(unsigned int cpu, uint64_t ticks, unsigned int state,
			   uint64_t outgoing, uint64_t incoming)
{
	word(8ULL | 4ULL << 4 | (uint64_t)cpu << 20 | (uint64_t)state << 36 |
	     1ULL << 60);
	word(ticks);
	word(outgoing);
	word(incoming);
}

static void int32_arg(const char *name, int32_t value)
{
	size_t len = strlen(name);

	word(1ULL | (uint64_t)(1 + words_of(len)) << 4 | INLINE(len) << 16 |
	     (uint64_t)(uint32_t)value << 32);
	stream(name, len);
}

/* ---- What every trace begins with -------------------------------------- */

static void preamble(uint64_t ticks_per_second)
{
	magic();
	provider_info(7, "golden");
	initialization(ticks_per_second);
}

/* ---- Sub-buffers as the module writes them ------------------------------ */

/* The packet header; "before" counts are the caller's. */
struct packet {
	uint64_t generation;
	uint64_t sequence;
	uint64_t committed;
	uint64_t begin;
	uint64_t end;
	uint64_t records_before;
	uint64_t bytes_before;
	uint64_t lost;
	uint32_t cpu;
	uint32_t session;
	uint32_t clock;
	uint32_t subbuf_bytes;
};

static void packet(const struct packet *packet)
{
	word(5ULL | (2ULL + 13) << 4 | INLINE(7) << 16 | 104ULL << 32 |
	     1ULL << 48);
	stream("vitrine", 7);
	word(0x54454b4341505456ULL);
	word(packet->generation);
	word(packet->sequence);
	word(packet->committed);
	word(packet->begin);
	word(packet->end);
	word(packet->records_before);
	word(packet->bytes_before);
	word(packet->lost);
	word(1000);			/* session began at this tick */
	word(1700000000000000000ULL);	/* which was then, real time */
	halves(packet->cpu, packet->session);
	halves(packet->clock, packet->subbuf_bytes);
}

static void subbuf_preamble(const struct packet *header)
{
	magic();
	provider_info(header->cpu + 1, "vitrine");
	initialization(1000000000);
	packet(header);
}

#define PREAMBLE_BYTES	160
#define IDLE		((struct side){ 1, 0 })
#define WORKER		((struct side){ 2, 120 })
/* idle and worker: two threads (24), two processes (24) and names (56 + 48) */
#define THREADS_BYTES	(2 * 24 + 2 * 24 + 2 * 48)

/* Idle and "worker", thread 101 of process 100. */
static void threads(void)
{
	thread(1, 0, 0);
	thread_name(0, 0, "idle");
	process_name(0, "idle");
	thread(2, 100, 101);
	thread_name(100, 101, "worker");
	process_name(100, "main");
}

/* From idle to worker and back. */
static void pair(unsigned int cpu, uint64_t ticks)
{
	legacy_switch(cpu, ticks, 0, IDLE, WORKER);
	legacy_switch(cpu, ticks + 10, 3, WORKER, IDLE);
}

#define PAIR_BYTES	32

/* One sub-buffer of @nr pairs, the first at @ticks, 100 ticks apart. */
static void subbuf(struct packet *header, unsigned int nr, uint64_t ticks)
{
	unsigned int i;

	header->committed = PREAMBLE_BYTES + THREADS_BYTES + nr * PAIR_BYTES;
	header->begin = ticks;
	header->end = ticks + 100 * (nr - 1) + 10;
	subbuf_preamble(header);
	threads();
	for (i = 0; i < nr; i++)
		pair(header->cpu, ticks + 100 * i);
	header->sequence++;
	header->records_before += 2 * nr;
	header->bytes_before += header->committed;
}

/* One of one switch, from worker to idle. */
static void half_subbuf(struct packet *header, uint64_t ticks)
{
	header->committed = PREAMBLE_BYTES + THREADS_BYTES + 16;
	header->begin = ticks;
	header->end = ticks;
	subbuf_preamble(header);
	threads();
	legacy_switch(header->cpu, ticks, 3, WORKER, IDLE);
}

static struct packet first_packet(unsigned int cpu)
{
	return (struct packet){
		.generation = 2,
		.cpu = cpu,
		.session = 1,
		.subbuf_bytes = 4096,
	};
}

/* ---- Good traces ------------------------------------------------------- */

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
	word(3ULL | 3ULL << 4 | INLINE(3) << 16);
	stream("i64", 3);
	word(-(1ULL << 40));					/* -1099511627776 */
	word(4ULL | 3ULL << 4 | INLINE(3) << 16);
	stream("u64", 3);
	word(1ULL << 63);					/* 9223372036854775808 */
	word(5ULL | 3ULL << 4 | INLINE(4) << 16);
	stream("real", 4);
	word(bits);
	word(6ULL | 3ULL << 4 | INLINE(6) << 16 | INLINE(5) << 32);
	stream("inline", 6);
	stream("hello", 5);
	word(6ULL | 2ULL << 4 | INLINE(5) << 16 | 3ULL << 32);	/* string 3 */
	stream("table", 5);
	word(7ULL | 3ULL << 4 | INLINE(7) << 16);
	stream("pointer", 7);
	word(0xdeadbeefULL);
	word(8ULL | 3ULL << 4 | INLINE(4) << 16);
	stream("koid", 4);
	word(101);
	word(9ULL | 2ULL << 4 | INLINE(3) << 16 | 1ULL << 32);	/* true */
	stream("yes", 3);
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

	/* Counter of id 42 with one value. */
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
	/* Legacy, both from the table: 101 was preempted by itself. */
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
	word(8ULL | 3ULL << 4 | INLINE(5) << 16);
	stream("waker", 5);
	word(102);
}

static void all_objects(void)
{
	process_name(100, "main");
	thread_name(100, 101, "worker \"1\"\n");
	/* A thread whose name is string 2. */
	word(7ULL | (2ULL + 3) << 4 | 2ULL << 16 | 2ULL << 24 | 1ULL << 40);
	word(102);
	word(8ULL | 3ULL << 4 | INLINE(7) << 16);
	stream("process", 7);
	word(100);
	/* Of another type, without a name. */
	word(7ULL | 2ULL << 4 | 17ULL << 16);
	word(555);
	/* User-space objects: process inline, and that of thread 1. */
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
	/* Large, without. */
	word(15ULL | (2ULL + 1 + 1 + 1) << 4 | 1ULL << 40);
	word(1ULL | INLINE(5) << 16);
	stream("plain", 5);
	word(3);
	stream("xyz", 3);
	/* Large, of a format nobody knows. */
	word(15ULL | 2ULL << 4 | 2ULL << 40);
	word(0);
}

/* Every record and every argument; "complete" ends last, so it comes last. */
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
	/* Log: message of 6 bytes by thread 1, then by an inline one. */
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
	/* Nobody knows these: type 12, metadata 9, event 15, subtype 9. */
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

/* Two CPUs; of CPU 1 a sub-buffer with 6 records is missing, 4 not written. */
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

static void build_big_endian_vitrine(void)
{
	big_endian = true;
	build_vitrine();
}

/*
 * The next sub-buffer of the same CPU goes on where the chain was left, a new
 * session does not. An event that is written when it ends is not out of order.
 */
static void build_vitrine_more(void)
{
	struct packet header = first_packet(4);

	header.committed = PREAMBLE_BYTES + THREADS_BYTES + PAIR_BYTES + 24;
	header.begin = 1000;
	header.end = 1100;
	subbuf_preamble(&header);
	threads();
	pair(4, 1090);
	event(4, 3, 0, REFS(2, 0, 0), 1010);
	word(1100);
	header.sequence += 2;		/* one is missing, but it was empty */
	header.records_before += 3;
	header.bytes_before += header.committed + 352;
	subbuf(&header, 1, 2000);
	header = first_packet(4);
	header.session = 2;
	half_subbuf(&header, 500);
}

/* 64 named threads, one of them twice; tick rates that are easily mixed up. */
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
 * Three providers in turns: 1 counts nanoseconds, 2 a thousand ticks a second,
 * 3 is out of order and registers its thread anew in between. Table entries
 * are each provider's own. A section of provider 9, which nobody introduced.
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
}

/* ---- Traces with one fault each ---------------------------------------- */

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

/* ---- A large one ------------------------------------------------------- */

#define SPEED_PAIRS	2000

static void build_speed(uint64_t nr_switches)
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

/* ---- Which ------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*build)(void);
} goldens[] = {
	{ "records", build_records },
	{ "big-endian", build_big_endian },
	{ "vitrine", build_vitrine },
	{ "big-endian-vitrine", build_big_endian_vitrine },
	{ "vitrine-more", build_vitrine_more },
	{ "crowd", build_crowd },
	{ "foreign", build_foreign },
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
};

#define NR_GOLDENS	(sizeof(goldens) / sizeof(goldens[0]))

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc < 2 && i < NR_GOLDENS; i++)
		puts(goldens[i].name);
	if (argc < 2)
		return 0;
	if (argc == 3 && !strcmp(argv[1], "speed")) {
		build_speed(strtoull(argv[2], NULL, 0));
		return 0;
	}
	for (i = 0; i < NR_GOLDENS; i++) {
		if (!strcmp(argv[1], goldens[i].name)) {
			goldens[i].build();
			return 0;
		}
	}
	fprintf(stderr, "mkfxt: no golden trace %s\n", argv[1]);
	return 2;
}
