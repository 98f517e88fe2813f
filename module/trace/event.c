// SPDX-License-Identifier: GPL-2.0
/*
 * Events: the writer of all records except context switches and wakeups, for any event, and the
 * event that is watched for. The first event of a site in a sub-buffer is written here, the others
 * mostly by prepared.c.
 *
 * Concurrency: a writer takes no lock: it has interrupts off on the CPU whose ring it
 * writes, and finds the ring as described in writer.c. An NMI may interrupt it; events
 * in NMI context are only counted as lost.
 *
 * The event that is watched for is changed while the static key "watching" is off and no
 * writer is left that has seen the key on.
 *
 * The string table of a sub-buffer identifies strings by address. When a module is
 * unloaded, its strings are freed: the tables of all attached rings are emptied before
 * the memory is reused, those of other rings when they are attached again.
 */
#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/smp.h>

#include "category.h"
#include "compat.h"
#include "event.h"

/*
 * A hash with a key of the module's own: who does not know the key can neither tell what was
 * hashed nor find other bytes with the same hash.
 *
 * Concurrency: the key does not change after vtr_event_init().
 */

static siphash_key_t secret __ro_after_init;

/**
 * vtr_event_init() - make the key of the hash
 *
 * Context: task, once, before anything is hashed.
 */
void __init vtr_event_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}

/* Longest message in bytes; longer than a line of the kernel log. */
#define LOG_MAX_BYTES	1008

/* Longest recorded name of a function. */
#define SYMBOL_MAX_BYTES	63

static DEFINE_PER_CPU(struct { char name[KSYM_SYMBOL_LEN]; }, symbol);

/* ---- the event that is watched for --------------------------------------- */

static DEFINE_STATIC_KEY_FALSE(watching);

/* "category:name", or "category" for any event of it, and the callback. */
static const char *watched;
static vtr_event_seen_fn seen;

/* Check whether an event is watched for; without a @name, whether one of its site may be. */
static bool is_watched(const char *category, const char *name)
{
	const char *rest = watched + str_has_prefix(watched, category);

	if (rest == watched || *rest != ':')
		return rest > watched && !*rest;
	return !rest[1] || !name || !strcmp(rest + 1, name);
}

/**
 * vtr_event_can_watch() - check an argument of vtr_event_watch()
 * @words: as for vtr_event_watch()
 *
 * Context: task; may sleep.
 * Return: true if the category exists and @words is not too long.
 */
bool vtr_event_can_watch(const char *words)
{
	char category[VTR_EVENT_WATCH_BYTES], *rest = category;

	if (strscpy(category, words, sizeof(category)) < 0)
		return false;
	strsep(&rest, ":");
	return vtr_category_exists(category);
}

/**
 * vtr_event_watch() - call a function whenever an event is written
 * @words: "irq" for any event of the category, or "irq:softirq" for one name; must not change
 *	before vtr_event_unwatch()
 * @callback: called with interrupts off after the event was written
 *
 * Only recorded events are seen: the category must be on, and its filter must accept the
 * event. Wakeups are not events.
 *
 * Context: task; may sleep. The caller serialises; no event is watched for yet.
 */
void vtr_event_watch(const char *words, vtr_event_seen_fn callback)
{
	watched = words;
	seen = callback;
	static_branch_enable(&watching);
	/* Prepared records bypass the check, so drop them. */
	vtr_writer_forget_strings();
}

/**
 * vtr_event_unwatch() - undo vtr_event_watch()
 *
 * Waits until no callback is running.
 *
 * Context: task; may sleep.
 */
void vtr_event_unwatch(void)
{
	static_branch_disable(&watching);
	synchronize_rcu();
}

/* ---- writer -------------------------------------------------------------- */

/*
 * Describe the thread that an event belongs to. The idle threads of all CPUs have id 0,
 * and their events would be mixed up; an event in an idle thread therefore belongs to a
 * pseudo thread of this CPU.
 */
static void describe_here(struct vtr_subject *subject)
{
	if (!vtr_writer_is_idle(current)) {
		vtr_subject_task(current, subject);
		return;
	}
	vtr_subject_idle(subject);
	subject->thread = VTR_EVENT_IDLE_THREAD + smp_processor_id();
	subject->key = VTR_THREADS_IDLE(smp_processor_id());
}

/* Reserves room for the name of a function before it is known; see name_symbol(). */
static const char no_symbol[SYMBOL_MAX_BYTES + 1] = "";

/* Refer to text with a key, or to text that is part of the record if @key is NULL. */
static struct vtr_fxt_string text(const char *bytes, const void *key)
{
	struct vtr_fxt_string string =
		vtr_fxt_inline(bytes, bytes ? strnlen(bytes, VTR_STRINGS_MAX_BYTES) : 0);

	string.key = key;
	return string;
}

static void encode_arg(const struct vitrine_arg *arg, u64 value, struct vtr_fxt_arg *ret)
{
	const char *bytes = (const char *)(unsigned long)value;

	ret->name = text(arg->name, arg->name);
	ret->type = FXT_ARG_STRING_REF;
	switch (arg->type) {
	case VITRINE_ARG_TYPE_SYMBOL:
		ret->string = vtr_fxt_inline(no_symbol, SYMBOL_MAX_BYTES);
		ret->string.key = bytes;
		break;
	case VITRINE_ARG_TYPE_LITERAL:
		ret->string = text(bytes, bytes);
		break;
	case FXT_ARG_STRING_REF:
		ret->string = text(bytes, NULL);
		break;
	default:
		ret->type = arg->type;
		ret->value = value;
		break;
	}
}

/* Describe the record of a site, whose strings are inline until they get an index. */
static struct vtr_fxt_event encode(const struct vitrine_site *site, const char *name, u64 id)
{
	const void *key = site->record & VITRINE_RECORD_NAMED ? vtr_strings_key(name) :
								site->name;
	struct vtr_fxt_event event = {
		.type = site->record,
		.nr_args = site->nr_args,
		.category = text(site->category->name, site->category->name),
		.name = text(name, key),
		.id = id,
	};

	/* The kinds of records that are not events have the same order in both. */
	BUILD_BUG_ON(VITRINE_RECORD_KERNEL_OBJECT - FXT_EVENT_FLOW_END !=
		     VTR_FXT_KERNEL_OBJECT);
	if (event.type > FXT_EVENT_FLOW_END) {
		event.kind = event.type - FXT_EVENT_FLOW_END;
		event.type = site->record >> 16;
	}
	return event;
}

/*
 * Look up the name of the function that is the key, unless the table has it. The buffer is
 * valid until the record is written; a record has one such argument.
 */
static void name_symbol(struct vtr_strings *strings, struct vtr_fxt_string *string)
{
	char *name = this_cpu_ptr(&symbol)->name;

	if (vtr_strings_find(strings, string->key))
		return;
	sprint_symbol_no_offset(name, (unsigned long)string->key);
	/* Without a symbol, %ps prints the address, which a trace must not contain. */
	if (!strncmp(name, "0x", 2))
		strscpy(name, "unknown", KSYM_SYMBOL_LEN);
	string->bytes = name;
	string->ref = FXT_STRING_REF_INLINE | strnlen(name, SYMBOL_MAX_BYTES);
}

static void intern_all(struct vtr_ring *ring, u64 now, struct vtr_fxt_event *event,
		       struct vtr_fxt_arg *args)
{
	unsigned int i;

	vtr_strings_begin(&ring->strings);
	vtr_writer_intern(ring, now, &event->category);
	vtr_writer_intern(ring, now, &event->name);
	for (i = 0; i < event->nr_args; i++) {
		vtr_writer_intern(ring, now, &args[i].name);
		if (args[i].type != FXT_ARG_STRING_REF)
			continue;
		if (args[i].string.bytes == no_symbol)
			name_symbol(&ring->strings, &args[i].string);
		vtr_writer_intern(ring, now, &args[i].string);
	}
}

static bool is_timed(enum vtr_fxt_kind kind)
{
	return kind <= VTR_FXT_LOG || kind == VTR_FXT_LARGE_BLOB;
}

/* Write a record and what it refers to. Return false if there is no room. */
static bool write_record(struct vtr_ring *ring, u64 now, const struct vtr_subject *subject,
			 struct vtr_fxt_event *event, struct vtr_fxt_arg *args)
{
	unsigned int nr_words = vtr_writer_event_words(event);
	u64 *next;

	if (!vtr_writer_reserve_here(ring, nr_words, now, current)) {
		vtr_ring_lose(ring, nr_words);
		return false;
	}
	event->thread.ref = vtr_writer_introduce(ring, now, subject);
	event->thread.process = subject->process;
	event->thread.thread = subject->thread;
	intern_all(ring, now, event, args);
	next = vtr_ring_next(ring);
	next += vtr_fxt_put_event(next, event);
	if (is_timed(event->kind))
		ring->other_records++;
	vtr_ring_commit_untimed(ring, next, now);
	return true;
}

/* ---- prepared records ---------------------------------------------------- */

static u64 value_mask(unsigned int type)
{
	switch (type) {
	case FXT_ARG_INT32:
	case FXT_ARG_UINT32:
		return FXT_ARG_VALUE32;
	case FXT_ARG_BOOL:
		return FXT_ARG_BOOLEAN;
	case VITRINE_ARG_TYPE_SYMBOL:
		return FXT_ARG_STRING;
	default:
		return 0;
	}
}

static bool is_interned(const struct vtr_fxt_string *string)
{
	return !(string->ref & FXT_STRING_REF_INLINE);
}

/* Check that the prepared record need not contain a name that varies. */
static bool is_name_preparable(const struct vitrine_site *site,
			       const struct vtr_fxt_event *encoded)
{
	if (site->record & VITRINE_RECORD_INLINE || encoded->kind == VTR_FXT_LOG)
		return true;
	return (site->name || site->record & VITRINE_RECORD_NAMED) &&
	       is_interned(&encoded->name);
}

static bool is_preparable(const struct vitrine_site *site, const struct vtr_fxt_event *event)
{
	unsigned int i;

	if (event->kind > VTR_FXT_LOG || !event->thread.ref ||
	    site->nr_args > VTR_SITES_MAX_ARGS ||
	    rcu_access_pointer(site->category->filter) ||
	    (static_branch_unlikely(&watching) &&
	     is_watched(site->category->name, site->name)) ||
	    !is_interned(&event->category) || !is_name_preparable(site, event))
		return false;
	for (i = 0; i < site->nr_args; i++)
		if (!is_interned(&event->args[i].name) ||
		    (site->args[i].type == VITRINE_ARG_TYPE_LITERAL &&
		     !is_interned(&event->args[i].string)))
			return false;
	return true;
}

/* Fill in a prepared record from a record without values. */
static void fill_prepared(const struct vitrine_site *site, const u64 *words,
			  struct vtr_site_record *record)
{
	const u64 *word = words + 2;
	unsigned int i;

	record->header = words[0] & ~(site->record == VITRINE_RECORD_LOG ? FXT_LOG_THREAD :
									  FXT_EVENT_THREAD);
	record->nr_words = FIELD_GET(FXT_HEADER_WORDS, words[0]);
	/* vtr_prepared_write_key() writes the first argument of each site. */
	record->args[0] = (struct vtr_site_arg){};
	for (i = 0; i < site->nr_args; i++) {
		vtr_site_arg_prepare(&record->args[i], word[0],
				     value_mask(site->args[i].type));
		word += FIELD_GET(FXT_HEADER_WORDS, word[0]);
	}
	record->last = word - words;
}

/*
 * Prepare the record of a site from the record just written, whose values and text are removed
 * from @event and @args. The next event of this site is written from it. None is prepared for a
 * category that has a filter, nor for the event that is watched for; all CPUs drop their prepared
 * records when a filter or a watch begins.
 */
static void prepare(struct vtr_ring *ring, const struct vitrine_site *site,
		    struct vtr_fxt_event *event, struct vtr_fxt_arg *args)
{
	bool counter = ring->config.clock == VITRINE_CLOCK_COUNTER;
	u64 words[2 + 2 * VTR_SITES_MAX_ARGS + 1];
	unsigned int i;

	if (!is_preparable(site, event))
		return;
	event->payload_bytes = 0;
	if (!site->name)
		event->name.ref = 0;
	for (i = 0; i < site->nr_args; i++) {
		if (args[i].type != FXT_ARG_STRING_REF)
			args[i].value = 0;
		else if (site->args[i].type != VITRINE_ARG_TYPE_LITERAL)
			args[i].string.ref = 0;
	}
	vtr_fxt_put_event(words, event);
	fill_prepared(site, words, vtr_sites_add(&ring->strings.sites,
						 vtr_sites_key(site, counter)));
}

/* ---- writer, continued ---------------------------------------------------- */

/* Add bytes to a record. A message ends at a NUL, and may be truncated. */
static void add_payload(struct vtr_fxt_event *event, const void *bytes, size_t len_bytes)
{
	if (!bytes)
		return;
	if (event->kind == VTR_FXT_LOG)
		len_bytes = strnlen(bytes, min_t(size_t, len_bytes, LOG_MAX_BYTES));
	event->payload = bytes;
	event->payload_bytes = min_t(size_t, len_bytes, VTR_EVENT_MAX_BYTES + 1);
}

/* Return false if the event is lost. */
static bool write_here(struct vtr_ring *ring, const struct vitrine_site *site,
		       struct vtr_fxt_event *event, const u64 *values)
{
	u64 now = vtr_writer_ticks(ring);
	struct vtr_fxt_arg args[FXT_MAX_ARGS];
	struct vtr_subject here;
	unsigned int i;

	for (i = 0; i < site->nr_args; i++)
		encode_arg(&site->args[i], values[i], &args[i]);
	event->args = args;
	event->ticks = now;
	if (site->record & VITRINE_RECORD_BEGAN) {
		event->ticks = clamp(event->id, ring->config.session_ticks, now);
		event->id = now;
	}
	if (event->payload_bytes > VTR_EVENT_MAX_BYTES) {
		event->payload_bytes = VTR_EVENT_MAX_BYTES;
		vtr_ring_lose(ring, vtr_writer_event_words(event));
		return false;
	}
	describe_here(&here);
	if (!write_record(ring, now, &here, event, args))
		return false;
	prepare(ring, site, event, args);
	return true;
}

/**
 * vtr_event_lose() - count an event as lost
 *
 * For events that may interrupt the writer of this CPU's ring, which may then be
 * inconsistent.
 *
 * Context: NMI, or interrupts off.
 */
void vtr_event_lose(void)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);

	if (ring != &vtr_writer_none)
		vtr_ring_lose(ring, 0);
}

/**
 * vtr_event_write() - record any event
 * @site: constant data of the event, whose category is switched on
 * @name: name of the event
 * @id: as for vitrine_trace_write0(); for an object, its id or address
 * @bytes: bytes of a BLOB, or a message; else NULL
 * @len_bytes: length of @bytes; a message ends at a NUL before that
 * @values: values of the arguments
 *
 * Context: any. In NMI, counted as lost.
 */
void vtr_event_write(const struct vitrine_site *site, const char *name, u64 id,
		     const void *bytes, size_t len_bytes, const u64 *values)
{
	struct vtr_fxt_event event;
	struct vtr_ring *ring;

	if (in_nmi()) {
		vtr_event_lose();
		return;
	}
	/* The begin is unknown, because the CPU did not record then. */
	if (site->record & VITRINE_RECORD_BEGAN && !id)
		return;
	guard(irqsave)();
	ring = this_cpu_read(vtr_writer_ring);
	if (ring == &vtr_writer_none || vtr_category_filtered(site->category, NULL))
		return;
	event = encode(site, name, id);
	add_payload(&event, bytes, len_bytes);
	if (write_here(ring, site, &event, values) && static_branch_unlikely(&watching) &&
	    is_watched(site->category->name, name ?: ""))
		seen();
}

/**
 * vitrine_trace_write_any() - record an event of any kind, with any name and arguments
 * @site: constant data of the event, whose category is switched on
 * @name: name of the event
 * @bytes: bytes of a BLOB, or a message; else NULL
 * @len_bytes: length of @bytes; a message ends at a NUL before that
 * @id: as for vitrine_trace_write0(); for an object, its id or address
 * @...: values of the arguments, u64 each
 *
 * Called by the macros of <vitrine/trace.h>.
 *
 * Context: any. In NMI, counted as lost.
 */
void vitrine_trace_write_any(const struct vitrine_site *site, const char *name,
			     const void *bytes, size_t len_bytes, u64 id, ...)
{
	u64 values[FXT_MAX_ARGS];
	unsigned int i;
	va_list rest;

	va_start(rest, id);
	for (i = 0; i < site->nr_args; i++)
		values[i] = va_arg(rest, u64);
	va_end(rest);
	vtr_event_write(site, name, id, bytes, len_bytes, values);
}
VTR_EXPORT(vitrine_trace_write_any);

u64 vitrine_trace_pointer_id(const void *pointer)
{
	return siphash(&pointer, sizeof(pointer), &secret);
}
VTR_EXPORT(vitrine_trace_pointer_id);

u64 vitrine_trace_ticks(void)
{
	unsigned long flags;
	u64 ticks;

	local_irq_save(flags);
	ticks = vtr_event_ticks();
	local_irq_restore(flags);
	return ticks;
}
VTR_EXPORT(vitrine_trace_ticks);

/*
 * Events of the category "stacks".
 */

const char vtr_stack_category[sizeof("stacks")] = "stacks";

/**
 * vtr_stack_event_hash() - return the key of a string whose memory is reused
 * @string: the string
 * @len_bytes: its length
 *
 * Context: any.
 * Return: a key that depends on the bytes alone.
 */
const void *vtr_stack_event_hash(const char *string, size_t len_bytes)
{
	return vtr_strings_hashed(siphash(string, len_bytes, &secret));
}

/**
 * vtr_stack_event_add_payload() - make the event a large BLOB
 * @stack: the event, with all arguments
 * @ring: ring of this CPU
 * @words: the payload
 * @nr_words: length of @words, of which as much is recorded as a sub-buffer has room for
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_stack_event_add_payload(struct vtr_stack_event *stack, const struct vtr_ring *ring,
				 const u64 *words, unsigned int nr_words)
{
	unsigned int most = vtr_ring_max_words(ring) - VTR_WRITER_CHAIN_WORDS -
			    vtr_writer_event_words(&stack->event);

	stack->event.kind = VTR_FXT_LARGE_BLOB;
	stack->event.payload = words;
	stack->event.payload_bytes = min(nr_words, most) * FXT_WORD_BYTES;
}

/**
 * vtr_stack_event_write() - write an event
 * @stack: the event
 * @ring: ring of this CPU
 * @task: thread that the event belongs to
 *
 * Context: the ring's CPU, interrupts off.
 * Return: false if there is no room; the record is then counted as lost.
 */
bool vtr_stack_event_write(struct vtr_stack_event *stack, struct vtr_ring *ring,
			   const struct task_struct *task)
{
	struct vtr_subject subject;

	vtr_subject_task(task, &subject);
	return write_record(ring, stack->event.ticks, &subject, &stack->event, stack->args);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/event_kunit.c"
#endif
