/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Golden traces: words, records and sub-buffers, composed from the text of the format.
 * mkfxt_records.c writes them, mkfxt_good.c, mkfxt_why.c and mkfxt_bad.c compose traces
 * from them, and mkfxt.c is the program.
 */
#ifndef _GOLDEN_MKFXT_H
#define _GOLDEN_MKFXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte order of everything that is written afterwards. */
extern bool big_endian;

#define INLINE(len)	(0x8000ULL | (len))

/* References of an event to a thread and two strings. */
#define REFS(thread, category, name) \
	((uint64_t)(thread) << 24 | (uint64_t)(category) << 32 | \
	 (uint64_t)(name) << 48)

struct side {
	unsigned int ref;
	unsigned int priority;
};

/* The packet header; the caller maintains the "before" counts. */
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

#define PREAMBLE_BYTES	160
#define IDLE		((struct side){ 1, 0 })
#define WORKER		((struct side){ 2, 120 })
/* Idle and worker, each with a thread (24), a process name (24) and a thread name (48). */
#define THREADS_BYTES	(2 * (24 + 24 + 48))

#define PAIR_BYTES	32

/* Types of events that others refer to. */
enum {
	EVENT_COUNTER = 1,
	EVENT_COMPLETE = 4,
};

/* Types of arguments whose value is a word. */
enum arg_type {
	ARG_INT64 = 3,
	ARG_UINT64 = 4,
	ARG_DOUBLE = 5,
	ARG_POINTER = 7,
	ARG_KOID = 8,
};

void keep(void);
void number_arg(enum arg_type type, const char *name, uint64_t value);
void string_arg(const char *name, const char *value);
void bool_arg(const char *name, bool value);
void kept_event(unsigned int type, unsigned int thread, const char *category, const char *name,
		uint64_t ticks);
void plain_event(unsigned int type, unsigned int thread, const char *category, const char *name,
		 uint64_t ticks);
void kept_subbuf(struct packet *header, uint64_t begin, uint64_t end);
void word(uint64_t value);
void halves(uint32_t first, uint32_t second);
unsigned int words_of(size_t len);
void stream(const void *bytes, size_t len);
void magic(void);
void metadata(unsigned int type, unsigned int nr_words, uint64_t rest);
void provider_info(uint32_t id, const char *name);
void provider_section(uint32_t id);
void provider_event(uint32_t id, unsigned int event);
void initialization(uint64_t ticks_per_second);
void string(unsigned int index, const char *value);
void thread(unsigned int index, uint64_t process, uint64_t koid);
void event(unsigned int type, unsigned int nr_words, unsigned int nr_args,
	   uint64_t refs, uint64_t ticks);
void blob(unsigned int type, const char *name, const void *payload,
	  size_t len);
void thread_name(uint64_t process, uint64_t koid, const char *name);
void process_name(uint64_t koid, const char *name);
void legacy_switch(unsigned int cpu, uint64_t ticks, unsigned int state,
		   struct side out, struct side in);
void context_switch(unsigned int cpu, uint64_t ticks, unsigned int state,
		    uint64_t outgoing, uint64_t incoming);
void wakeup(unsigned int cpu, uint64_t ticks, uint64_t koid);
void int32_arg(const char *name, int32_t value);
void preamble(uint64_t ticks_per_second);
void packet(const struct packet *packet);
void subbuf_preamble(const struct packet *header);
void threads(void);
void pair(unsigned int cpu, uint64_t ticks);
void subbuf_begin(struct packet *header, uint64_t len, uint64_t begin,
		  uint64_t end);
void subbuf_end(struct packet *header, unsigned int nr);
void subbuf(struct packet *header, unsigned int nr, uint64_t ticks);
void half_subbuf(struct packet *header, uint64_t ticks);
struct packet first_packet(unsigned int cpu);

/* A trace: its name, and the function that writes it. */
struct golden {
	const char *name;
	void (*build)(void);
};

/* The last element of each array has no name. */
extern const struct golden good_traces[];
extern const struct golden why_traces[];
extern const struct golden bad_traces[];
void build_spans(void);
void build_late_span(void);
void build_late_spans(void);
void build_speed(uint64_t nr_switches);
void build_load(uint64_t seed, uint64_t percent);
void build_steady(uint64_t more_ns, uint64_t nr_long);
void build_jumble(uint64_t nr_switches);
void build_stacks(uint64_t nr_stacks);

#endif /* _GOLDEN_MKFXT_H */
