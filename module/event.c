// SPDX-License-Identifier: GPL-2.0
/*
 * Events: the writer of all records that are no switch, and the event that is
 * watched for.
 *
 * Concurrency: a writer takes no lock: it has interrupts off on the CPU whose
 * ring it writes, and finds its ring as writer.c says. An NMI may come in
 * between; what it would record is counted as lost.
 *
 * The event that is watched for is changed while the key "watching" is off and
 * no writer has interrupts off from before.
 *
 * A sub-buffer's string table knows strings by their address. When a module
 * goes, its strings go: all tables of rings that are attached are emptied before
 * its memory is reused, the others when they are attached again.
 */
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "category.h"
#include "clock.h"
#include "event.h"
#include "writer.h"

/* Longest message, which is more than the kernel's log has in a line. */
#define LOG_MAX_BYTES	1008

/* First words, time, inline thread, last word or payload's size. */
#define FIXED_WORDS	8

/* Longest name of a function that is recorded. */
#define SYMBOL_MAX_BYTES	63

static DEFINE_PER_CPU(struct { char name[KSYM_SYMBOL_LEN]; }, symbol);

/* ---- the event that is watched for --------------------------------------- */

static DEFINE_STATIC_KEY_FALSE(watching);

/**
 * struct watch - the event that is watched for
 * @category: of these events
 * @name: those of this name; all, if it is empty
 * @seen: is told
 */
static struct watch {
	char			category[VTR_EVENT_WATCH_BYTES];
	const char		*name;
	vtr_event_seen_fn	seen;
} watch;

static void look(const char *category, const char *name)
{
	if (!strcmp(category, watch.category) &&
	    (!*watch.name || !strcmp(name, watch.name)))
		watch.seen();
}

/**
 * vtr_event_can_watch() - whether there is such a category
 * @words: as for vtr_event_watch()
 *
 * Context: task, sleeps.
 * Return: true if there is, and @words is not too long.
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
 * vtr_event_watch() - be told when an event is written
 * @words: "irq", any of that category, or "irq:softirq", one of that name
 * @seen: told each time, with interrupts off, after the event was written
 *
 * Only what is recorded is seen: the category must be on, and its filter lets
 * it pass. Wakeups are no events.
 *
 * Context: task, sleeps; callers take turns; nothing is watched for yet.
 */
void vtr_event_watch(const char *words, vtr_event_seen_fn seen)
{
	char *name = watch.category;

	strscpy(watch.category, words, sizeof(watch.category));
	strsep(&name, ":");
	watch.name = name ?: "";
	watch.seen = seen;
	static_branch_enable(&watching);
}

/**
 * vtr_event_unwatch() - undo vtr_event_watch()
 *
 * Context: task, sleeps; nobody is told when it returns.
 */
void vtr_event_unwatch(void)
{
	static_branch_disable(&watching);
	synchronize_rcu();
}

/* ---- writer -------------------------------------------------------------- */

/*
 * The thread an event belongs to. All CPUs' idle threads have id 0, and what
 * happens in one would get mixed up with what happens in another: an event in
 * idle belongs to a thread that stands for this CPU's.
 */
static void describe_here(struct vtr_subject *subject)
{
	if (!vtr_writer_is_idle(current)) {
		vtr_subject_task(current, subject);
		return;
	}
	vtr_subject_idle(subject);
	subject->thread = VTR_EVENT_IDLE_THREAD + smp_processor_id();
	subject->key = subject->thread;
}

/**
 * struct event - an event that is being written
 * @site: what is constant about it
 * @record: which record it becomes
 * @name: its name
 * @id: its last word; when it began; an object's id or address
 * @payload: bytes, or a message
 * @payload_bytes: their length
 * @values: of its arguments; of text, its address
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

/* Room for a function's name, until it is known: see name_symbol(). */
static const char no_symbol[SYMBOL_MAX_BYTES + 1] = "";

static u64 user_address(u64 value)
{
	return value < TASK_SIZE_MAX ? value : 0;
}

static struct vtr_fxt_arg encode_arg(const struct vitrine_arg *arg, u64 value)
{
	struct vtr_fxt_arg encoded = {
		.type = arg->type,
		.name = text(arg->name, VTR_STRINGS_MAX_BYTES),
	};

	switch (arg->type) {
	case VTR_ARG_TYPE_SYMBOL:
		encoded.type = FXT_ARG_STRING_REF;
		encoded.string = vtr_fxt_inline(no_symbol, SYMBOL_MAX_BYTES);
		break;
	case FXT_ARG_STRING_REF:
		encoded.string = text((const char *)(unsigned long)value,
				      VTR_STRINGS_MAX_BYTES);
		break;
	case FXT_ARG_POINTER:
		encoded.value = user_address(value);
		break;
	default:
		encoded.value = value;
		break;
	}
	return encoded;
}

/* Everything inline, as long as it has no thread and no string index. */
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
	else if (event->record == VITRINE_RECORD_USERSPACE_OBJECT)
		ret->id = user_address(event->id);
	for (i = 0; i < site->nr_args; i++)
		args[i] = encode_arg(&site->args[i], event->values[i]);
}

/*
 * Replace a string by the index that @key has, registered first if need be. It
 * is a constant at @key, or what @key always stands for.
 */
static void intern(struct vtr_ring *ring, u64 now, const void *key,
		   struct vtr_fxt_string *string)
{
	unsigned int len_bytes = string->ref & FXT_STRING_REF_VALUE;
	struct vtr_strings *strings = &ring->strings;
	u64 *next = vtr_ring_next(ring);
	u16 index;

	if (!len_bytes)
		return;
	index = vtr_strings_find(strings, key);
	if (!index) {
		index = vtr_strings_add(strings, key);
		if (!index)
			return;
		next += vtr_fxt_put_string(next, index, string->bytes,
					   len_bytes);
		vtr_writer_commit_untimed(ring, next, now);
	}
	string->ref = index;
}

/*
 * A function's name, looked up only when its address is not in the table yet.
 * The buffer lasts until the record is written, which has one such argument.
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
	/* What has no name is shown by its address, which nobody is to see. */
	if (!strncmp(name, "0x", 2))
		strscpy(name, "unknown", KSYM_SYMBOL_LEN);
	*string = text(name, SYMBOL_MAX_BYTES);
	intern(ring, now, (void *)function, string);
}

static bool name_is_constant(const struct event *event)
{
	return !(event->site->record & VITRINE_RECORD_NAME_VARIES) &&
	       event->record != VITRINE_RECORD_USERSPACE_OBJECT &&
	       event->record != VITRINE_RECORD_KERNEL_OBJECT;
}

static void intern_all(struct vtr_ring *ring, u64 now,
		       const struct event *event,
		       struct vtr_fxt_event *encoded, struct vtr_fxt_arg *args)
{
	const struct vitrine_site *site = event->site;
	unsigned int i;

	vtr_strings_begin(&ring->strings);
	intern(ring, now, site->category->name, &encoded->category);
	if (name_is_constant(event))
		intern(ring, now, event->name, &encoded->name);
	for (i = 0; i < encoded->nr_args; i++) {
		intern(ring, now, site->args[i].name, &args[i].name);
		if (site->args[i].type == VTR_ARG_TYPE_SYMBOL)
			name_symbol(ring, now, event->values[i],
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

static bool is_timed(enum vitrine_record record)
{
	return record <= VITRINE_RECORD_LOG ||
	       record == VITRINE_RECORD_LARGE_BLOB;
}

/* Room for the thread, each string registered, and the record is reserved. */
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
	if (event->record == VITRINE_RECORD_COMPLETE) {
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

/* A payload is recorded in whole, or not at all; a message may be cut. */
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
	/* A string's record takes a word more than the string. */
	nr_words = VTR_WRITER_THREAD_WORDS + 2 + 2 * encoded.nr_args +
		   FIXED_WORDS + vtr_fxt_strings_words(&encoded);
	if (!is_small(event) || !vtr_writer_reserve_here(ring, nr_words, now))
		vtr_ring_lose(ring, nr_words);
	else
		write_reserved(ring, now, event, &encoded, args);
}

static void write_event(const struct event *event)
{
	struct vtr_ring *ring;
	unsigned long flags;

	/* It began where nothing was recorded: nobody knows when. */
	if (event->record == VITRINE_RECORD_COMPLETE && !event->id)
		return;
	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	if (ring != &vtr_writer_none &&
	    !vtr_category_filtered(event->site->category, NULL)) {
		write_here(ring, event);
		if (static_branch_unlikely(&watching))
			look(event->site->category->name, event->name ?: "");
	}
	local_irq_restore(flags);
}

/* In NMI, the ring may be in the middle of anything: lost, and counted. */
static bool lost_in_nmi(void)
{
	struct vtr_ring *ring;

	if (!in_nmi())
		return false;
	ring = this_cpu_read(vtr_writer_ring);
	if (ring != &vtr_writer_none)
		vtr_ring_lose(ring, 0);
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
 * vitrine_trace_write() - record an event
 * @site: what is constant about it; its category is switched on
 * @name: its name
 * @id: its last word, if its record has one; when it began, if it is complete;
 *	of an object, its id or address
 * @...: values of its arguments, u64 each
 *
 * Called by the macros of <vitrine/trace.h>.
 *
 * Context: any; in NMI the event is counted as lost.
 */
void vitrine_trace_write(const struct vitrine_site *site, const char *name,
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
EXPORT_SYMBOL_GPL(vitrine_trace_write);

/**
 * vitrine_trace_write_bytes() - record an event with bytes, or a message
 * @site: what is constant about it; its category is switched on
 * @name: its name, or NULL
 * @id: as for vitrine_trace_write()
 * @bytes: the bytes, or NULL for none
 * @len_bytes: their length; a message ends at a NUL before that
 * @...: values of its arguments, u64 each
 *
 * Called by the macros of <vitrine/trace.h>.
 *
 * Context: any; in NMI the event is counted as lost.
 */
void vitrine_trace_write_bytes(const struct vitrine_site *site,
			       const char *name, u64 id, const void *bytes,
			       size_t len_bytes, ...)
{
	struct event event;
	unsigned int i;
	va_list values;

	if (lost_in_nmi())
		return;
	begin_event(&event, site, name, id);
	event.payload = bytes;
	event.payload_bytes = bytes ? len_bytes : 0;
	va_start(values, len_bytes);
	for (i = 0; i < site->nr_args; i++)
		event.values[i] = va_arg(values, u64);
	va_end(values);
	write_event(&event);
}
EXPORT_SYMBOL_GPL(vitrine_trace_write_bytes);

/**
 * vitrine_trace_ticks() - the time in the trace's clock
 *
 * For vitrine_trace_complete(), which takes 0 for "not known".
 *
 * Context: any.
 * Return: ticks, 0 if this CPU does not record.
 */
u64 vitrine_trace_ticks(void)
{
	struct vtr_ring *ring;
	unsigned long flags;
	u64 ticks = 0;

	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	if (ring != &vtr_writer_none)
		ticks = vtr_clock_ticks(ring->config.clock);
	local_irq_restore(flags);
	return ticks;
}
EXPORT_SYMBOL_GPL(vitrine_trace_ticks);

static void forget_strings(void *unused)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);

	if (ring != &vtr_writer_none)
		vtr_strings_forget(&ring->strings);
}

static int module_goes(struct notifier_block *block, unsigned long state,
		       void *module)
{
	if (state == MODULE_STATE_GOING)
		on_each_cpu(forget_strings, NULL, 1);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_goes,
};

/**
 * vtr_event_init() - begin to watch for modules that go
 *
 * Context: task, sleeps.
 * Return: 0, or the error of the notifier.
 */
int vtr_event_init(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * vtr_event_deinit() - undo vtr_event_init()
 *
 * Context: task, sleeps; no category is registered.
 */
void vtr_event_deinit(void)
{
	unregister_module_notifier(&module_notifier);
}
