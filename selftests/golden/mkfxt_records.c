// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces: words, records, and sub-buffers as the module writes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mkfxt.h"

/* ---- Words ------------------------------------------------------------- */

bool big_endian;

void word(uint64_t value)
{
	int i;

	for (i = 0; i < 8; i++)
		putchar(value >> 8 * (big_endian ? 7 - i : i) & 0xff);
}

/* Two fields of 32 bits each, in the same order in memory for each byte order. */
void halves(uint32_t first, uint32_t second)
{
	word(big_endian ? (uint64_t)first << 32 | second :
			  (uint64_t)second << 32 | first);
}

unsigned int words_of(size_t len)
{
	return (len + 7) / 8;
}

void stream(const void *bytes, size_t len)
{
	size_t i;

	fwrite(bytes, 1, len, stdout);
	for (i = len; i % 8; i++)
		putchar(0);
}

/* ---- What is kept in memory until its length is known ------------------- */

/* The records of a sub-buffer, and the arguments of an event in it. */
static struct {
	FILE *outer;
	char *bytes;
	size_t len;
} kept[2];

static unsigned int nr_kept;

void keep(void)
{
	kept[nr_kept].outer = stdout;
	stdout = open_memstream(&kept[nr_kept].bytes, &kept[nr_kept].len);
	if (!stdout)
		abort();
	nr_kept++;
}

/* Keep no more, and return how many bytes were kept last; put_kept() writes them. */
static size_t end_keeping(void)
{
	fclose(stdout);
	stdout = kept[--nr_kept].outer;
	return kept[nr_kept].len;
}

static void put_kept(void)
{
	fwrite(kept[nr_kept].bytes, 1, kept[nr_kept].len, stdout);
	free(kept[nr_kept].bytes);
}

/* ---- Arguments ---------------------------------------------------------- */

/* How many were written since the last event. */
static unsigned int nr_args;

/* An argument whose value is a word. */
void number_arg(enum arg_type type, const char *name, uint64_t value)
{
	size_t len = strlen(name);

	nr_args++;
	word((uint64_t)type | (uint64_t)(2 + words_of(len)) << 4 | INLINE(len) << 16);
	stream(name, len);
	word(value);
}

void string_arg(const char *name, const char *value)
{
	size_t len = strlen(name), len_value = strlen(value);

	nr_args++;
	word(6ULL | (uint64_t)(1 + words_of(len) + words_of(len_value)) << 4 | INLINE(len) << 16 |
	     INLINE(len_value) << 32);
	stream(name, len);
	stream(value, len_value);
}

void bool_arg(const char *name, bool value)
{
	size_t len = strlen(name);

	nr_args++;
	word(9ULL | (uint64_t)(1 + words_of(len)) << 4 | INLINE(len) << 16 | (uint64_t)value << 32);
	stream(name, len);
}

void int32_arg(const char *name, int32_t value)
{
	size_t len = strlen(name);

	nr_args++;
	word(1ULL | (uint64_t)(1 + words_of(len)) << 4 | INLINE(len) << 16 |
	     (uint64_t)(uint32_t)value << 32);
	stream(name, len);
}

/* ---- Records ----------------------------------------------------------- */

void magic(void)
{
	word(0x0016547846040010ULL);
}

void metadata(unsigned int type, unsigned int nr_words, uint64_t rest)
{
	word(0ULL | (uint64_t)nr_words << 4 | (uint64_t)type << 16 | rest);
}

void provider_info(uint32_t id, const char *name)
{
	size_t len = strlen(name);

	metadata(1, 1 + words_of(len), (uint64_t)id << 20 | (uint64_t)len << 52);
	stream(name, len);
}

void provider_section(uint32_t id)
{
	metadata(2, 1, (uint64_t)id << 20);
}

void provider_event(uint32_t id, unsigned int event)
{
	metadata(3, 1, (uint64_t)id << 20 | (uint64_t)event << 52);
}

void initialization(uint64_t ticks_per_second)
{
	word(1ULL | 2ULL << 4);
	word(ticks_per_second);
}

void string(unsigned int index, const char *value)
{
	size_t len = strlen(value);

	word(2ULL | (uint64_t)(1 + words_of(len)) << 4 | (uint64_t)index << 16 |
	     (uint64_t)len << 32);
	stream(value, len);
}

void thread(unsigned int index, uint64_t process, uint64_t koid)
{
	word(3ULL | 3ULL << 4 | (uint64_t)index << 16);
	word(process);
	word(koid);
}

/* @refs: thread, category and name. The caller writes what follows. */
void event(unsigned int type, unsigned int nr_words, unsigned int nr_args,
	   uint64_t refs, uint64_t ticks)
{
	word(4ULL | (uint64_t)nr_words << 4 | (uint64_t)type << 16 |
	     (uint64_t)nr_args << 20 | refs);
	word(ticks);
}

void blob(unsigned int type, const char *name, const void *payload,
	  size_t len)
{
	size_t name_len = strlen(name);

	word(5ULL | (uint64_t)(1 + words_of(name_len) + words_of(len)) << 4 |
	     (name_len ? INLINE(name_len) << 16 : 0) | (uint64_t)len << 32 |
	     (uint64_t)type << 48);
	stream(name, name_len);
	stream(payload, len);
}

/* An event with the arguments that were kept. Of most types, the caller writes the last word. */
void kept_event(unsigned int type, unsigned int thread, const char *category, const char *name,
		uint64_t ticks)
{
	bool has_last = type == EVENT_COUNTER || type >= EVENT_COMPLETE;
	size_t len = end_keeping();

	event(type, 2 + words_of(strlen(category)) + words_of(strlen(name)) + len / 8 + has_last,
	      nr_args, REFS(thread, INLINE(strlen(category)), INLINE(strlen(name))), ticks);
	stream(category, strlen(category));
	stream(name, strlen(name));
	put_kept();
	nr_args = 0;
}

void plain_event(unsigned int type, unsigned int thread, const char *category, const char *name,
		 uint64_t ticks)
{
	keep();
	kept_event(type, thread, category, name, ticks);
}

/* Name of a thread, with the koid of its process as argument "process". */
void thread_name(uint64_t process, uint64_t koid, const char *name)
{
	size_t len = strlen(name);

	word(7ULL | (uint64_t)(2 + words_of(len) + 3) << 4 | 2ULL << 16 |
	     INLINE(len) << 24 | 1ULL << 40);
	word(koid);
	stream(name, len);
	number_arg(ARG_KOID, "process", process);
	nr_args = 0;
}

void process_name(uint64_t koid, const char *name)
{
	size_t len = strlen(name);

	word(7ULL | (uint64_t)(2 + words_of(len)) << 4 | 1ULL << 16 |
	     INLINE(len) << 24);
	word(koid);
	stream(name, len);
}

void legacy_switch(unsigned int cpu, uint64_t ticks, unsigned int state,
		   struct side out, struct side in)
{
	word(8ULL | 2ULL << 4 | (uint64_t)cpu << 16 | (uint64_t)state << 24 |
	     (uint64_t)out.ref << 28 | (uint64_t)in.ref << 36 |
	     (uint64_t)out.priority << 44 | (uint64_t)in.priority << 52);
	word(ticks);
}

void context_switch(unsigned int cpu, uint64_t ticks, unsigned int state,
		    uint64_t outgoing, uint64_t incoming)
{
	word(8ULL | 4ULL << 4 | (uint64_t)cpu << 20 | (uint64_t)state << 36 |
	     1ULL << 60);
	word(ticks);
	word(outgoing);
	word(incoming);
}

void wakeup(unsigned int cpu, uint64_t ticks, uint64_t koid)
{
	word(8ULL | 3ULL << 4 | (uint64_t)cpu << 20 | 2ULL << 60);
	word(ticks);
	word(koid);
}

/* ---- Begin of every trace ---------------------------------------------- */

void preamble(uint64_t ticks_per_second)
{
	magic();
	provider_info(7, "golden");
	initialization(ticks_per_second);
}

/* ---- Sub-buffers as the module writes them ------------------------------ */

void packet(const struct packet *packet)
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
	word(1000);			/* tick at which the session began */
	word(1700000000000000000ULL);	/* wall-clock time of this tick */
	halves(packet->cpu, packet->session);
	halves(packet->clock, packet->subbuf_bytes);
}

void subbuf_preamble(const struct packet *header)
{
	magic();
	provider_info(header->cpu + 1, "vitrine");
	initialization(1000000000);
	packet(header);
}

/* Idle and "worker", thread 101 of process 100. */
void threads(void)
{
	thread(1, 0, 0);
	thread_name(0, 0, "idle");
	process_name(0, "idle");
	thread(2, 100, 101);
	thread_name(100, 101, "worker");
	process_name(100, "main");
}

/* From idle to worker and back. */
void pair(unsigned int cpu, uint64_t ticks)
{
	legacy_switch(cpu, ticks, 0, IDLE, WORKER);
	legacy_switch(cpu, ticks + 10, 3, WORKER, IDLE);
}

/* Begin a sub-buffer with both threads, and @len bytes of records from @begin to @end. */
void subbuf_begin(struct packet *header, uint64_t len, uint64_t begin,
		  uint64_t end)
{
	header->committed = PREAMBLE_BYTES + THREADS_BYTES + len;
	header->begin = begin;
	header->end = end;
	subbuf_preamble(header);
	threads();
}

/* Write the sub-buffer of the records that were kept, from @begin to @end. */
void kept_subbuf(struct packet *header, uint64_t begin, uint64_t end)
{
	header->committed = PREAMBLE_BYTES + end_keeping();
	header->begin = begin;
	header->end = end;
	subbuf_preamble(header);
	put_kept();
}

/* Count a sub-buffer, which had @nr records: the next one is behind it. */
void subbuf_end(struct packet *header, unsigned int nr)
{
	header->sequence++;
	header->records_before += nr;
	header->bytes_before += header->committed;
}

/* A sub-buffer of @nr pairs of switches, the first at @ticks, 100 ticks apart. */
void subbuf(struct packet *header, unsigned int nr, uint64_t ticks)
{
	unsigned int i;

	subbuf_begin(header, nr * PAIR_BYTES, ticks,
		     ticks + 100 * (nr - 1) + 10);
	for (i = 0; i < nr; i++)
		pair(header->cpu, ticks + 100 * i);
	subbuf_end(header, 2 * nr);
}

/* A sub-buffer of one switch, from worker to idle. */
void half_subbuf(struct packet *header, uint64_t ticks)
{
	subbuf_begin(header, 16, ticks, ticks);
	legacy_switch(header->cpu, ticks, 3, WORKER, IDLE);
}

struct packet first_packet(unsigned int cpu)
{
	return (struct packet){
		.generation = 2,
		.cpu = cpu,
		.session = 1,
		.subbuf_bytes = 4096,
	};
}

