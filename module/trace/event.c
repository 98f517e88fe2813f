// SPDX-License-Identifier: GPL-2.0
/*
 * Events: the writer of all records except context switches and wakeups, and the event
 * that is watched for. This is the slow path: it writes any event, and prepares the
 * records from which event_fast.c then writes the same bytes.
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
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "category.h"
#include "clock.h"
#include "event.h"
#include "secret.h"
#include "writer.h"

/* Longest message in bytes; longer than a line of the kernel log. */
#define LOG_MAX_BYTES	1008

/* Longest recorded name of a function. */
#define SYMBOL_MAX_BYTES	63

static DEFINE_PER_CPU(struct { char name[KSYM_SYMBOL_LEN]; }, symbol);

/* ---- the event that is watched for --------------------------------------- */

static DEFINE_STATIC_KEY_FALSE(watching);

/**
 * struct watch - the event that is watched for
 * @category: name of the category
 * @name: name of the event; if empty, any event of the category
 * @seen: callback
 */
static struct watch {
	char			category[VTR_EVENT_WATCH_BYTES];
	const char		*name;
	vtr_event_seen_fn	seen;
} watch;

static bool is_watched(const char *category, const char *name)
{
	return !strcmp(category, watch.category) &&
	       (!*watch.name || !strcmp(name, watch.name));
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
 * @words: "irq" for any event of the category, or "irq:softirq" for one name
 * @seen: called with interrupts off after the event was written
 *
 * Only recorded events are seen: the category must be on, and its filter must accept the
 * event. Wakeups are not events.
 *
 * Context: task; may sleep. The caller serialises; no event is watched for yet.
 */
void vtr_event_watch(const char *words, vtr_event_seen_fn seen)
{
	char *name = watch.category;

	strscpy(watch.category, words, sizeof(watch.category));
	strsep(&name, ":");
	watch.name = name ?: "";
	watch.seen = seen;
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

/**
 * struct event - an event that is being written
 * @site: constant data
 * @record: kind of record
 * @name: name
 * @id: last word; or the begin of a complete event; or id or address of an object
 * @payload: bytes, or a message
 * @payload_bytes: length of @payload
 * @values: values of the arguments; the address of text
 */
struct event {
	const struct vitrine_site	*site;
	enum vitrine_record		record;
	const char			*name;
	u64				id;
	const void			*payload;
	size_t				payload_bytes;
	u64				values[FXT_MAX_ARGS];
};

static struct vtr_fxt_string text(const char *bytes, unsigned int most)
{
	return vtr_fxt_inline(bytes, bytes ? strnlen(bytes, most) : 0);
}

/* Reserves room for the name of a function before it is known; see name_symbol(). */
static const char no_symbol[SYMBOL_MAX_BYTES + 1] = "";

static struct vtr_fxt_arg encode_arg(const struct vitrine_arg *arg, u64 value)
{
	struct vtr_fxt_arg encoded = {
		.type = arg->type,
		.name = text(arg->name, VTR_STRINGS_MAX_BYTES),
	};

	switch (arg->type) {
	case VITRINE_ARG_TYPE_SYMBOL:
		encoded.type = FXT_ARG_STRING_REF;
		encoded.string = vtr_fxt_inline(no_symbol, SYMBOL_MAX_BYTES);
		break;
	case VITRINE_ARG_TYPE_LITERAL:
	case FXT_ARG_STRING_REF:
		encoded.type = FXT_ARG_STRING_REF;
		encoded.string = text((const char *)(unsigned long)value,
				      VTR_STRINGS_MAX_BYTES);
		break;
	default:
		encoded.value = value;
		break;
	}
	return encoded;
}

/* Describe the record; thread and strings are inline until they get an index. */
static void encode(const struct event *event, struct vtr_fxt_arg *args,
		   struct vtr_fxt_event *ret)
{
	const struct vitrine_site *site = event->site;
	unsigned int i;

	*ret = (struct vtr_fxt_event){
		.type = (enum fxt_event_type)event->record,
		.object_type = site->record >> 16,
		.nr_args = site->nr_args,
		.category = text(site->category->name, VTR_STRINGS_MAX_BYTES),
		.name = text(event->name, VTR_STRINGS_MAX_BYTES),
		.args = args,
		.id = event->id,
		.payload = event->payload,
		.payload_bytes = min_t(size_t, event->payload_bytes,
				       VTR_EVENT_MAX_BYTES),
	};
	if (event->record == VITRINE_RECORD_LOG)
		ret->payload_bytes = strnlen(event->payload,
					     min_t(size_t, event->payload_bytes,
						   LOG_MAX_BYTES));
	for (i = 0; i < site->nr_args; i++)
		args[i] = encode_arg(&site->args[i], event->values[i]);
}

/*
 * Replace the address of a function by its name, which is looked up only if the table
 * lacks the address. The buffer is valid until the record is written; a record has one
 * such argument.
 */
static void name_symbol(struct vtr_ring *ring, u64 now, unsigned long function,
			struct vtr_fxt_string *string)
{
	char *name = this_cpu_ptr(&symbol)->name;
	u16 index = vtr_strings_find(&ring->strings, (void *)function);

	if (index) {
		string->ref = index;
		return;
	}
	sprint_symbol_no_offset(name, function);
	/* Without a symbol, %ps prints the address, which a trace must not contain. */
	if (!strncmp(name, "0x", 2))
		strscpy(name, "unknown", KSYM_SYMBOL_LEN);
	*string = text(name, SYMBOL_MAX_BYTES);
	vtr_writer_intern(ring, now, (void *)function, string);
}

static void intern_all(struct vtr_ring *ring, u64 now,
		       const struct event *event,
		       struct vtr_fxt_event *encoded, struct vtr_fxt_arg *args)
{
	const struct vitrine_site *site = event->site;
	unsigned int i;

	vtr_strings_begin(&ring->strings);
	vtr_writer_intern(ring, now, site->category->name, &encoded->category);
	if (site->name)
		vtr_writer_intern(ring, now, site->name, &encoded->name);
	else if (site->record & VITRINE_RECORD_NAMED)
		vtr_writer_intern(ring, now, vtr_strings_key(event->name),
				  &encoded->name);
	for (i = 0; i < encoded->nr_args; i++) {
		vtr_writer_intern(ring, now, site->args[i].name, &args[i].name);
		if (site->args[i].type == VITRINE_ARG_TYPE_SYMBOL)
			name_symbol(ring, now, event->values[i],
				    &args[i].string);
		else if (site->args[i].type == VITRINE_ARG_TYPE_LITERAL)
			vtr_writer_intern(ring, now,
					  (const void *)event->values[i],
					  &args[i].string);
	}
}

static unsigned int put(u64 *next, enum vitrine_record record,
			const struct vtr_fxt_event *event)
{
	switch (record) {
	case VITRINE_RECORD_LOG:
		return vtr_fxt_put_log(next, event);
	case VITRINE_RECORD_BLOB:
		return vtr_fxt_put_data(next, event);
	case VITRINE_RECORD_LARGE_BLOB:
		return vtr_fxt_put_large_blob(next, event);
	case VITRINE_RECORD_LARGE_DATA:
		return vtr_fxt_put_large_data(next, event);
	case VITRINE_RECORD_USERSPACE_OBJECT:
		return vtr_fxt_put_userspace_object(next, event);
	case VITRINE_RECORD_KERNEL_OBJECT:
		return vtr_fxt_put_kernel_object(next, event);
	default:
		return vtr_fxt_put_event(next, event);
	}
}

static bool has_begun(const struct event *event)
{
	return event->site->record & VITRINE_RECORD_BEGAN;
}

static bool is_timed(enum vitrine_record record)
{
	return record <= VITRINE_RECORD_LOG ||
	       record == VITRINE_RECORD_LARGE_BLOB;
}

/* Write the event; room for the thread, all strings and the record is reserved. */
static void write_reserved(struct vtr_ring *ring, u64 now,
			   const struct event *event,
			   struct vtr_fxt_event *encoded,
			   struct vtr_fxt_arg *args)
{
	struct vtr_subject here;
	u64 *next;

	describe_here(&here);
	encoded->thread.ref = vtr_writer_introduce(ring, now, &here);
	encoded->thread.process = here.process;
	encoded->thread.thread = here.thread;
	intern_all(ring, now, event, encoded, args);
	encoded->ticks = now;
	if (has_begun(event)) {
		encoded->ticks = clamp(event->id, ring->config.session_ticks,
				       now);
		encoded->id = now;
	}
	next = vtr_ring_next(ring);
	next += put(next, event->record, encoded);
	if (is_timed(event->record))
		ring->other_records++;
	vtr_writer_commit_untimed(ring, next, now);
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
static bool may_prepare_name(const struct vitrine_site *site,
			     const struct vtr_fxt_event *encoded)
{
	if (site->record & VITRINE_RECORD_INLINE)
		return true;
	return (site->name || site->record & VITRINE_RECORD_NAMED) &&
	       is_interned(&encoded->name);
}

static bool may_prepare(const struct event *event,
			const struct vtr_fxt_event *encoded)
{
	const struct vitrine_site *site = event->site;
	unsigned int i;

	if (event->record > VITRINE_RECORD_LOG || !encoded->thread.ref ||
	    rcu_access_pointer(site->category->filter) ||
	    (static_branch_unlikely(&watching) &&
	     is_watched(site->category->name, site->name ?: watch.name)))
		return false;
	if (event->record == VITRINE_RECORD_LOG)
		return true;
	if (site->nr_args > VTR_SITES_MAX_ARGS ||
	    !is_interned(&encoded->category) || !may_prepare_name(site, encoded))
		return false;
	for (i = 0; i < site->nr_args; i++)
		if (!is_interned(&encoded->args[i].name) ||
		    (site->args[i].type == VITRINE_ARG_TYPE_LITERAL &&
		     !is_interned(&encoded->args[i].string)))
			return false;
	return true;
}

/* Fill in a prepared record from a record without values. */
static void fill_prepared(const struct vitrine_site *site, const u64 *words,
			  struct vtr_site_record *record)
{
	const u64 *word = words + 2;
	unsigned int i;

	record->header = words[0] & ~FXT_EVENT_THREAD;
	for (i = 0; i < site->nr_args; i++) {
		vtr_site_arg_prepare(&record->args[i], word[0],
				     value_mask(site->args[i].type));
		word += FIELD_GET(FXT_HEADER_WORDS, word[0]);
	}
	record->nr_last_words = words + FIELD_GET(FXT_HEADER_WORDS, words[0]) -
				word;
}

/*
 * Prepare the record of a site: the record just written, without values and text. The
 * next event of this site is written from it by event_fast.c.
 */
static void prepare(struct vtr_ring *ring, const struct event *event,
		    struct vtr_fxt_event *encoded, struct vtr_fxt_arg *args)
{
	const struct vitrine_site *site = event->site;
	bool fast = vtr_event_is_fast(site, ring->config.clock);
	u64 words[2 + 2 * VTR_SITES_MAX_ARGS + 1];
	unsigned int i;

	if (!may_prepare(event, encoded))
		return;
	if (event->record == VITRINE_RECORD_LOG) {
		vtr_sites_add(&ring->strings.sites, vtr_sites_key(site, false))
			->header = FXT_RECORD_LOG;
		ring->strings.used = true;
		return;
	}
	if (!site->name)
		encoded->name.ref = 0;
	for (i = 0; i < site->nr_args; i++) {
		if (args[i].type != FXT_ARG_STRING_REF)
			args[i].value = 0;
		else if (site->args[i].type != VITRINE_ARG_TYPE_LITERAL)
			args[i].string.ref = 0;
	}
	vtr_fxt_put_event(words, encoded);
	fill_prepared(site, words, vtr_sites_add(&ring->strings.sites,
						 vtr_sites_key(site, fast)));
}

/* ---- writer, continued ---------------------------------------------------- */

/* Check the size of the payload: only a message may be truncated. */
static bool is_small(const struct event *event)
{
	return event->payload_bytes <= VTR_EVENT_MAX_BYTES ||
	       event->record == VITRINE_RECORD_LOG;
}

static void write_here(struct vtr_ring *ring, const struct event *event)
{
	struct vtr_fxt_arg args[FXT_MAX_ARGS];
	struct vtr_fxt_event encoded;
	unsigned int nr_words;
	u64 now;

	now = vtr_clock_ticks(ring->config.clock);
	encode(event, args, &encoded);
	nr_words = vtr_writer_event_words(&encoded);
	if (!is_small(event) || !vtr_writer_reserve_here(ring, nr_words, now)) {
		vtr_ring_lose(ring, nr_words);
		return;
	}
	write_reserved(ring, now, event, &encoded, args);
	prepare(ring, event, &encoded, args);
}

static void write_event(const struct event *event)
{
	const struct vitrine_category *category = event->site->category;
	struct vtr_ring *ring;
	unsigned long flags;

	/* The begin is unknown, because the CPU did not record then. */
	if (has_begun(event) && !event->id)
		return;
	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	if (ring != &vtr_writer_none &&
	    !vtr_category_filtered(event->site->category, NULL)) {
		write_here(ring, event);
		if (static_branch_unlikely(&watching) &&
		    is_watched(category->name, event->name ?: ""))
			watch.seen();
	}
	local_irq_restore(flags);
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

static bool lost_in_nmi(void)
{
	if (!in_nmi())
		return false;
	vtr_event_lose();
	return true;
}

static void begin_event(struct event *event, const struct vitrine_site *site,
			const char *name, u64 id)
{
	event->site = site;
	event->record = site->record & 0xff;
	event->name = name;
	event->id = id;
	event->payload = NULL;
	event->payload_bytes = 0;
}

/**
 * vtr_event_write() - record an event of any kind
 * @site: constant data of the event
 * @name: name of the event
 * @id: as for vitrine_trace_write0()
 * @values: values of the arguments
 *
 * Context: any. In NMI, counted as lost.
 */
void vtr_event_write(const struct vitrine_site *site, const char *name, u64 id,
		     const u64 *values)
{
	struct event event;

	if (lost_in_nmi())
		return;
	begin_event(&event, site, name, id);
	memcpy(event.values, values, site->nr_args * sizeof(*values));
	write_event(&event);
}

/**
 * vitrine_trace_write_any() - record an event of any name with any arguments
 * @site: constant data of the event, whose category is switched on
 * @name: name of the event
 * @id: as for vitrine_trace_write0(); for an object, its id or address
 * @...: values of the arguments, u64 each
 *
 * Called by the macros of <vitrine/trace.h>.
 *
 * Context: any. In NMI, counted as lost.
 */
void vitrine_trace_write_any(const struct vitrine_site *site, const char *name,
			     u64 id, ...)
{
	struct event event;
	unsigned int i;
	va_list values;

	if (lost_in_nmi())
		return;
	begin_event(&event, site, name, id);
	va_start(values, id);
	for (i = 0; i < site->nr_args; i++)
		event.values[i] = va_arg(values, u64);
	va_end(values);
	write_event(&event);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write_any);

/**
 * vtr_event_write_bytes() - record an event with bytes, or a message
 * @site: constant data of the event
 * @bytes: the bytes, or NULL for none
 * @len_bytes: length of @bytes; a message ends at a NUL before that
 * @values: values of the arguments, u64 each
 *
 * Context: any. In NMI, counted as lost.
 */
void vtr_event_write_bytes(const struct vitrine_site *site, const void *bytes,
			   size_t len_bytes, va_list values)
{
	struct event event;
	unsigned int i;

	if (lost_in_nmi())
		return;
	begin_event(&event, site, site->name, 0);
	event.payload = bytes;
	event.payload_bytes = bytes ? len_bytes : 0;
	for (i = 0; i < site->nr_args; i++)
		event.values[i] = va_arg(values, u64);
	write_event(&event);
}

u64 vitrine_trace_pointer_id(const void *pointer)
{
	return vtr_secret_hash(&pointer, sizeof(pointer));
}
EXPORT_SYMBOL_GPL(vitrine_trace_pointer_id);

u64 vitrine_trace_ticks(void)
{
	unsigned long flags;
	u64 ticks;

	local_irq_save(flags);
	ticks = vtr_event_ticks();
	local_irq_restore(flags);
	return ticks;
}
EXPORT_SYMBOL_GPL(vitrine_trace_ticks);
