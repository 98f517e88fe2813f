/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record events of a module in the trace.
 *
 *	DEFINE_VITRINE_CATEGORY(mydriver);
 *
 *	vitrine_category_register(&vitrine_category_mydriver);
 *	...
 *	vitrine_trace_instant(mydriver, "reset",
 *			      VITRINE_ARG("attempt", attempt));
 *	...
 *	vitrine_category_unregister(&vitrine_category_mydriver);
 *	...
 *	VITRINE_IMPORT;
 *
 * The file trace/events lists the categories and switches them on and off. While a
 * category is off, each of its events is one no-op instruction, and the arguments
 * are not evaluated: they must have no effect that the module needs. A module with events
 * requires vitrine.
 *
 * Context: events can be recorded in any context and with any lock held. In NMI context
 * they are only counted as lost. Recording an event takes no lock and allocates nothing.
 *
 * Errors: recording returns nothing. An event that does not fit into its ring is
 * dropped and counted as lost; see Documentation/fxt.rst, "What vitrine writes".
 *
 * Names of events and arguments are string literals. Each sub-buffer contains a name
 * once, and events refer to it by number. Pass text that varies as an argument.
 *
 * Format: Documentation/fxt.rst has the bits of each record and an example of each
 * call. A paragraph "Format" below names the section of the "Fuchsia trace format" that
 * defines the record.
 */
#ifndef _VITRINE_TRACE_H
#define _VITRINE_TRACE_H

#ifdef _VITRINE_PUBLISHER_H
#error "A driver that works without vitrine has no events: <vitrine/trace.h> requires it"
#endif

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/uaccess.h>

#include <uapi/vitrine/fxt.h>
#include <vitrine/double.h>
#include <vitrine/import.h>

struct vtr_filter;

/**
 * struct vitrine_category - events that are switched on and off together
 * @name: name in trace/events and in the trace
 * @key: enabled while events of the category are recorded
 * @switched: called after the category was switched on and before it is switched
 *	off; may sleep; an error keeps the category off. May be NULL. Locks of vitrine are
 *	held: it must not call vitrine_trace_switches(), or register or unregister a category
 * @list: private
 * @filter: private
 * @wanted: private
 * @takes_args: private
 * @with_args: private
 *
 * Define it with DEFINE_VITRINE_CATEGORY().
 */
struct vitrine_category {
	const char			*name;
	struct static_key_false		key;
	int				(*switched)(bool on);
	struct list_head		list;
	struct vtr_filter __rcu		*filter;
	bool				wanted;
	bool				takes_args;
	bool				with_args;
};

/**
 * DEFINE_VITRINE_CATEGORY() - define a category
 * @category: its name, without quotes
 */
#define DEFINE_VITRINE_CATEGORY(category)				\
	DEFINE_VITRINE_CATEGORY_SWITCHED(category, NULL)

/**
 * DEFINE_VITRINE_CATEGORY_SWITCHED() - define a category with a callback
 * @category: its name, without quotes
 * @function: the callback @switched of &struct vitrine_category
 */
#define DEFINE_VITRINE_CATEGORY_SWITCHED(category, function)		\
	struct vitrine_category vitrine_category_##category = {		\
		.name = #category,					\
		.key = STATIC_KEY_FALSE_INIT,				\
		.switched = (function),					\
		.list = LIST_HEAD_INIT(vitrine_category_##category.list), \
	}

/**
 * DECLARE_VITRINE_CATEGORY() - declare a category that another file defines
 * @category: its name, without quotes
 */
#define DECLARE_VITRINE_CATEGORY(category)				\
	extern struct vitrine_category vitrine_category_##category

/**
 * vitrine_category_register() - add a category to trace/events, switched off
 * @category: category defined by DEFINE_VITRINE_CATEGORY()
 *
 * Context: task; may sleep.
 * Return: 0, -EEXIST if a category of that name is registered, -EINVAL if the name
 *	contains anything but letters, digits and underscores, or is "all".
 */
int vitrine_category_register(struct vitrine_category *category);

/**
 * vitrine_category_unregister() - switch a category off and remove it
 * @category: the category; has no effect if it is not registered
 *
 * The caller makes sure that no event of the category is being recorded, as is the case
 * in the exit function of a module. If a module has left a category registered when its
 * exit function has run, or its init function has failed, vitrine removes it and logs this.
 *
 * Context: task; may sleep.
 */
void vitrine_category_unregister(struct vitrine_category *category);

/*
 * Arguments of events. Each macro below expands to a name, a type and a value. The
 * compiler stores name and type with the constant data of the event.
 *
 * Format: "Argument".
 */

/*
 * Types beyond those of the format. A literal is text that is the same each time the
 * event is recorded; like a name, it is stored once per sub-buffer.
 */
#define VITRINE_ARG_TYPE_LITERAL	0x100

/* For the tables of vitrine's own sources: the value is the address of a function. */
#define VITRINE_ARG_TYPE_SYMBOL		0x101

#define VITRINE_ARG_TYPE_TEXT(value)					\
	(__builtin_constant_p(value) ? VITRINE_ARG_TYPE_LITERAL :	\
				       FXT_ARG_STRING_REF)

/**
 * VITRINE_ARG() - pass an argument with the type of its value
 * @name: string literal
 * @value: integer of any type, also a bit field, bool, or text. Text is copied; it may vary and
 *	need not be UTF-8, and at most 255 bytes of it are recorded
 *
 * Values of other types do not compile; use one of the macros below.
 */
#define VITRINE_ARG(name, value)					\
	(name, _Generic((value),					\
		bool: FXT_ARG_BOOL,					\
		char: FXT_ARG_INT32,					\
		signed char: FXT_ARG_INT32,				\
		short: FXT_ARG_INT32,					\
		int: FXT_ARG_INT32,					\
		unsigned char: FXT_ARG_UINT32,				\
		unsigned short: FXT_ARG_UINT32,				\
		unsigned int: FXT_ARG_UINT32,				\
		long: FXT_ARG_INT64,					\
		long long: FXT_ARG_INT64,				\
		unsigned long: FXT_ARG_UINT64,				\
		unsigned long long: FXT_ARG_UINT64,			\
		char *: VITRINE_ARG_TYPE_TEXT(value),			\
		const char *: VITRINE_ARG_TYPE_TEXT(value),		\
		default:						\
			VITRINE_ARG_TYPE_BITS(value)),			\
	 (unsigned long)(value))

/*
 * To GCC, the width of a bit field belongs to its type. For other types, void does not compile,
 * which sparse says of a bit field of bool, too.
 */
#ifdef __CHECKER__
#define VITRINE_ARG_TYPE_BITS(value)	FXT_ARG_INT64
#else
#define VITRINE_ARG_TYPE_BITS(value)					\
	_Generic((value) + 0LL, long long: FXT_ARG_INT64, default: (void)0)
#endif

/**
 * VITRINE_ARG_NULL() - pass an argument without a value
 * @name: string literal
 */
#define VITRINE_ARG_NULL(name)						\
	(name, FXT_ARG_NULL, 0)

/**
 * VITRINE_ARG_KOID() - pass the id of a thread or process
 * @name: string literal
 * @value: a pid_t; other types do not compile
 */
#define VITRINE_ARG_KOID(name, value)					\
	(name, FXT_ARG_KOID, _Generic((value), pid_t: (u32)(value)))

/**
 * VITRINE_ARG_POINTER() - pass an address in user space
 * @name: string literal
 * @value: a pointer marked __user. No record contains a kernel address unless its author
 *	passed one as a number: an address outside user space is recorded as 0
 */
#define VITRINE_ARG_POINTER(name, value)				\
	(name, FXT_ARG_POINTER, vitrine_user_address(value))

/**
 * vitrine_trace_pointer_id() - replace a pointer by an id
 * @pointer: the pointer
 *
 * The macros below do this for an id that is a pointer.
 *
 * Context: any.
 * Return: a keyed hash of @pointer, the same until vitrine is unloaded.
 */
u64 vitrine_trace_pointer_id(const void *pointer);

/*
 * The id of a counter, of an asynchronous operation, of a flow or of a kernel object. A
 * pointer of any type is replaced by a keyed hash, which is the same for equal pointers
 * until vitrine is unloaded. A number is recorded as given, so a pointer must not be cast to
 * one. The class of pointers is 5 in <typeclass.h> of GCC; an array is one, too.
 */
#ifdef __CHECKER__	/* sparse does not know __builtin_classify_type(). */
#define VITRINE_ID(id)	((u64)(unsigned long)(id))
#else
#define VITRINE_ID(id)							\
	__builtin_choose_expr(__builtin_classify_type(id) == 5,		\
			      vitrine_trace_pointer_id((const void *)	\
						       (unsigned long)(id)), \
			      (u64)(id))
#endif

/**
 * VITRINE_ARG_DOUBLE() - pass a floating-point number
 * @name: string literal
 * @value: struct vitrine_f64; other types do not compile
 */
#define VITRINE_ARG_DOUBLE(name, value)					\
	(name, FXT_ARG_DOUBLE, _Generic((value), struct vitrine_f64: (value)).bits)

static inline u64 vitrine_user_address(const void __user *pointer)
{
	unsigned long address = (unsigned long)pointer;

	return address < TASK_SIZE_MAX ? address : 0;
}

/**
 * struct vitrine_arg - the constant data of an argument
 * @name: name of the argument
 * @type: enum fxt_arg_type, VITRINE_ARG_TYPE_LITERAL or VITRINE_ARG_TYPE_SYMBOL
 */
struct vitrine_arg {
	const char	*name;
	unsigned int	type;
};

/*
 * VITRINE_EACH(f, (a, b, c), (d, e, f)) expands to f(a, b, c) f(d, e, f), for up to 15
 * arguments: the preprocessor has no loops, so there is one macro per number of
 * arguments, selected by counting them (cf. COUNT_ARGS() in <linux/args.h>).
 */
#define VITRINE_EACH(f, ...)						\
	VITRINE_PASTE(VITRINE_EACH_, VITRINE_COUNT(__VA_ARGS__))	\
	(f, ##__VA_ARGS__)
#define VITRINE_PASTE(a, b)		VITRINE_PASTE_(a, b)
#define VITRINE_PASTE_(a, b)		a##b
#define VITRINE_COUNT(...)						\
	VITRINE_16TH(0, ##__VA_ARGS__, 15, 14, 13, 12, 11, 10, 9, 8, 7,	\
		     6, 5, 4, 3, 2, 1, 0)
#define VITRINE_16TH(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11,	\
		     _12, _13, _14, _15, nr, ...)	nr
#define VITRINE_EACH_0(f)
#define VITRINE_EACH_1(f, a)		f a
#define VITRINE_EACH_2(f, a, ...)	f a VITRINE_EACH_1(f, __VA_ARGS__)
#define VITRINE_EACH_3(f, a, ...)	f a VITRINE_EACH_2(f, __VA_ARGS__)
#define VITRINE_EACH_4(f, a, ...)	f a VITRINE_EACH_3(f, __VA_ARGS__)
#define VITRINE_EACH_5(f, a, ...)	f a VITRINE_EACH_4(f, __VA_ARGS__)
#define VITRINE_EACH_6(f, a, ...)	f a VITRINE_EACH_5(f, __VA_ARGS__)
#define VITRINE_EACH_7(f, a, ...)	f a VITRINE_EACH_6(f, __VA_ARGS__)
#define VITRINE_EACH_8(f, a, ...)	f a VITRINE_EACH_7(f, __VA_ARGS__)
#define VITRINE_EACH_9(f, a, ...)	f a VITRINE_EACH_8(f, __VA_ARGS__)
#define VITRINE_EACH_10(f, a, ...)	f a VITRINE_EACH_9(f, __VA_ARGS__)
#define VITRINE_EACH_11(f, a, ...)	f a VITRINE_EACH_10(f, __VA_ARGS__)
#define VITRINE_EACH_12(f, a, ...)	f a VITRINE_EACH_11(f, __VA_ARGS__)
#define VITRINE_EACH_13(f, a, ...)	f a VITRINE_EACH_12(f, __VA_ARGS__)
#define VITRINE_EACH_14(f, a, ...)	f a VITRINE_EACH_13(f, __VA_ARGS__)
#define VITRINE_EACH_15(f, a, ...)	f a VITRINE_EACH_14(f, __VA_ARGS__)

#define VITRINE_ARG_CONSTANT(name, type, value)	{ "" name "", (type) },
#define VITRINE_ARG_VALUE(name, type, value)	, (u64)(value)

/**
 * enum vitrine_record - kind of record that an event is written as: besides
 *	enum fxt_event_type, one of these
 * @VITRINE_RECORD_LOG: see vitrine_trace_log()
 * @VITRINE_RECORD_BLOB: see vitrine_trace_blob()
 * @VITRINE_RECORD_LARGE_BLOB: see vitrine_trace_large_blob()
 * @VITRINE_RECORD_LARGE_DATA: see vitrine_trace_large_data()
 * @VITRINE_RECORD_USERSPACE_OBJECT: see vitrine_trace_userspace_object()
 * @VITRINE_RECORD_KERNEL_OBJECT: see vitrine_trace_kernel_object()
 */
enum vitrine_record {
	VITRINE_RECORD_LOG = FXT_EVENT_FLOW_END + 1,
	VITRINE_RECORD_BLOB,
	VITRINE_RECORD_LARGE_BLOB,
	VITRINE_RECORD_LARGE_DATA,
	VITRINE_RECORD_USERSPACE_OBJECT,
	VITRINE_RECORD_KERNEL_OBJECT,
};

/*
 * Flags beside the kind of record: type of a kernel object; the id is the time at which
 * the event began; the arguments include text.
 */
#define VITRINE_RECORD_OBJECT_TYPE(type)	((type) << 16)
#define VITRINE_RECORD_BEGAN			(1U << 24)
#define VITRINE_RECORD_TEXT			(1U << 25)

/* For vitrine's own sources: the name varies, but is stored once per sub-buffer. */
#define VITRINE_RECORD_NAMED			(1U << 26)

/* For markers: the name varies, and each record contains it. */
#define VITRINE_RECORD_INLINE			(1U << 27)

#define VITRINE_ARG_FLAG(name, type, value)				\
	| ((type) == FXT_ARG_STRING_REF ? VITRINE_RECORD_TEXT : 0)

/**
 * struct vitrine_site - the constant data of an event in the source code
 * @category: category of the event
 * @record: enum fxt_event_type or enum vitrine_record, and the flags above
 * @nr_args: number of @args
 * @args: names and types of the arguments
 * @name: name of the event, or NULL if the name varies
 */
struct vitrine_site {
	struct vitrine_category		*category;
	unsigned int			record;
	unsigned int			nr_args;
	const struct vitrine_arg	*args;
	const char			*name;
};

/*
 * The macros below call these functions, whose kernel-doc is in module/trace/prepared.c. A
 * publisher does not call them directly.
 *
 * The functions that write an event are marked cold, so that the compiler moves the
 * code of each event, except for the no-op, out of the hot path of the calling
 * function. The attribute is spelled out because the kernel's __cold is empty in some
 * configurations. Values are passed one by one because an array would be on the stack
 * of the calling function. Kbuild defines VITRINE_COLD as empty for vitrine's own probes.
 */
#ifndef VITRINE_COLD
#define VITRINE_COLD	__attribute__((__cold__))
#endif

VITRINE_COLD void vitrine_trace_write0(const struct vitrine_site *site, u64 id);
VITRINE_COLD void vitrine_trace_write1(const struct vitrine_site *site, u64 id,
				       u64 value0);
VITRINE_COLD void vitrine_trace_write2(const struct vitrine_site *site, u64 id,
				       u64 value0, u64 value1);
VITRINE_COLD void vitrine_trace_write3(const struct vitrine_site *site, u64 id,
				       u64 value0, u64 value1, u64 value2);
VITRINE_COLD void vitrine_trace_write4(const struct vitrine_site *site, u64 id,
				       u64 value0, u64 value1, u64 value2,
				       u64 value3);
VITRINE_COLD void vitrine_trace_write_any(const struct vitrine_site *site,
					  const char *name, const void *bytes,
					  size_t len_bytes, u64 id, ...);

/**
 * vitrine_trace_ticks() - read the clock of the trace
 *
 * Context: any.
 * Return: ticks of the session's clock, or 0 if this CPU does not record.
 */
u64 vitrine_trace_ticks(void);

/**
 * vitrine_trace_complete_begin() - read the clock for vitrine_trace_complete()
 * @category: that of the vitrine_trace_complete(), without quotes
 *
 * Context: any.
 * Return: vitrine_trace_ticks(); while the category is off, 0 at the cost of one no-op.
 */
#define vitrine_trace_complete_begin(category)				\
	(static_branch_unlikely(&vitrine_category_##category.key) ?	\
		vitrine_trace_ticks() : 0)

/**
 * vitrine_trace_switches() - return the number of context switches recorded on a CPU
 * @cpu: CPU number below nr_cpu_ids
 *
 * Context: task; may sleep. Takes the mutex of the session and the CPU hotplug lock.
 * Return: number of switches since the module was loaded, over all sessions.
 */
u64 vitrine_trace_switches(unsigned int cpu);

/* Select the function by the number of arguments: up to four have one of their own. */
#define VITRINE_WRITE(site, id, ...)					\
	VITRINE_16TH(0, ##__VA_ARGS__, VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, \
		     VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, \
		     VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, \
		     VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, VITRINE_WRITE_MANY, \
		     vitrine_trace_write4, vitrine_trace_write3, vitrine_trace_write2, \
		     vitrine_trace_write1, vitrine_trace_write0)	\
	((site), (id) VITRINE_EACH(VITRINE_ARG_VALUE, ##__VA_ARGS__))
#define VITRINE_WRITE_MANY(site, ...)					\
	vitrine_trace_write_any((site), (site)->name, NULL, 0, __VA_ARGS__)

#define VITRINE_TRACE_SITE(site_category, site_record, site_name, ...)	\
	static const struct vitrine_arg __args[] = {			\
		VITRINE_EACH(VITRINE_ARG_CONSTANT, ##__VA_ARGS__)	\
	};								\
	static const struct vitrine_site __site = {			\
		.category = &vitrine_category_##site_category,		\
		.record = (site_record)					\
			  VITRINE_EACH(VITRINE_ARG_FLAG, ##__VA_ARGS__),	\
		.nr_args = ARRAY_SIZE(__args),				\
		.args = __args,						\
		.name = (site_name),					\
	}

#define VITRINE_TRACE(category, record, name, id, ...) do {		\
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		VITRINE_TRACE_SITE(category, record, "" name "", ##__VA_ARGS__); \
									\
		VITRINE_WRITE(&__site, id, ##__VA_ARGS__);		\
	}								\
} while (0)

/* Write an event whose name varies, or that has bytes; @site_name is its constant name, or NULL. */
#define VITRINE_TRACE_ANY(category, record, site_name, name, bytes, len_bytes, id, ...) do { \
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		VITRINE_TRACE_SITE(category, record, site_name, ##__VA_ARGS__); \
									\
		vitrine_trace_write_any(&__site, name, bytes, len_bytes, id \
			VITRINE_EACH(VITRINE_ARG_VALUE, ##__VA_ARGS__)); \
	}								\
} while (0)

#define VITRINE_TRACE_NAMED(category, record, name, id, ...)		\
	VITRINE_TRACE_ANY(category, record, NULL, name, NULL, 0, id, ##__VA_ARGS__)
#define VITRINE_TRACE_BYTES(category, record, name, bytes, len_bytes, ...) \
	VITRINE_TRACE_ANY(category, record, name, name, bytes, len_bytes, 0, ##__VA_ARGS__)

/**
 * vitrine_trace_instant() - record that something happened
 * @category: name of a category, without quotes
 * @name: string literal
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Instant event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_instant(category, name, ...)			\
	VITRINE_TRACE(category, FXT_EVENT_INSTANT, name, 0, ##__VA_ARGS__)

/**
 * vitrine_trace_counter() - record new values of a counter
 * @category: name of a category, without quotes
 * @name: string literal
 * @counter: id that distinguishes counters of the same name: a number, or a pointer,
 *	which is hashed
 * @...: values of the counter, as arguments; viewers stack them. The module counts, and the event
 *	reads: while the category is off, an argument such as ++count is not evaluated
 *
 * Format: "Counter event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_counter(category, name, counter, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_COUNTER, name, VITRINE_ID(counter), ##__VA_ARGS__)

/**
 * vitrine_trace_begin() - begin a duration on the current thread
 * @category: name of a category, without quotes
 * @name: string literal
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Durations of a thread nest. Each needs a vitrine_trace_end() on the same thread.
 *
 * Format: "Duration begin event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_begin(category, name, ...)			\
	VITRINE_TRACE(category, FXT_EVENT_DURATION_BEGIN, name, 0, ##__VA_ARGS__)

/**
 * vitrine_trace_end() - end the innermost duration of the current thread
 * @category: that of the matching vitrine_trace_begin()
 * @name: that of the matching vitrine_trace_begin()
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Duration end event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_end(category, name, ...)				\
	VITRINE_TRACE(category, FXT_EVENT_DURATION_END, name, 0, ##__VA_ARGS__)

/**
 * vitrine_trace_complete() - record a duration of the current thread that ends now
 * @category: name of a category, without quotes
 * @name: string literal
 * @begin: return value of vitrine_trace_complete_begin() at the begin of the duration; if it is
 *	0, because the CPU or the category was not recorded then, nothing is recorded
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Writes one record instead of two, and only once it is known whether the duration is worth
 * recording.
 *
 * Format: "Duration complete event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_complete(category, name, begin, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_DURATION_COMPLETE | VITRINE_RECORD_BEGAN, \
		      name, begin, ##__VA_ARGS__)

/**
 * vitrine_trace_async_begin() - begin an operation that belongs to no thread
 * @category: name of a category, without quotes
 * @name: string literal
 * @async: id that distinguishes operations of the same name: a number, or a pointer,
 *	which is hashed
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Async begin event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_async_begin(category, name, async, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_ASYNC_BEGIN, name, VITRINE_ID(async), ##__VA_ARGS__)

/**
 * vitrine_trace_async_instant() - record a step of an asynchronous operation
 * @category: name of a category, without quotes
 * @name: string literal
 * @async: id passed to vitrine_trace_async_begin()
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Async instant Event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_async_instant(category, name, async, ...)	\
	VITRINE_TRACE(category, FXT_EVENT_ASYNC_INSTANT, name, VITRINE_ID(async), ##__VA_ARGS__)

/**
 * vitrine_trace_async_end() - end an asynchronous operation, on any thread
 * @category: name of a category, without quotes
 * @name: string literal
 * @async: id passed to vitrine_trace_async_begin()
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Async end event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_async_end(category, name, async, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_ASYNC_END, name, VITRINE_ID(async), ##__VA_ARGS__)

/**
 * vitrine_trace_flow_begin() - begin a flow at the enclosing duration
 * @category: name of a category, without quotes
 * @name: string literal
 * @flow: id that distinguishes flows of the same name: a number, or a pointer, which is
 *	hashed
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Viewers draw a flow as an arrow from duration to duration, across threads.
 *
 * Format: "Flow begin event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_flow_begin(category, name, flow, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_FLOW_BEGIN, name, VITRINE_ID(flow), ##__VA_ARGS__)

/**
 * vitrine_trace_flow_step() - continue a flow at the enclosing duration
 * @category: name of a category, without quotes
 * @name: string literal
 * @flow: id passed to vitrine_trace_flow_begin()
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Flow step event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_flow_step(category, name, flow, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_FLOW_STEP, name, VITRINE_ID(flow), ##__VA_ARGS__)

/**
 * vitrine_trace_flow_end() - end a flow at the enclosing duration
 * @category: name of a category, without quotes
 * @name: string literal
 * @flow: id passed to vitrine_trace_flow_begin()
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Flow end event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_flow_end(category, name, flow, ...)		\
	VITRINE_TRACE(category, FXT_EVENT_FLOW_END, name, VITRINE_ID(flow), ##__VA_ARGS__)

/**
 * vitrine_trace_log() - record a message
 * @category: name of a category, without quotes; it only switches the record and is
 *	not part of it
 * @text: any text; at most 1008 bytes are recorded. NULL is empty
 *
 * Format: "Log record".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_log(category, text)				\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_LOG, NULL, text, SIZE_MAX)

/**
 * vitrine_trace_blob() - record bytes of a named stream
 * @category: name of a category, without quotes; it only switches the record and is
 *	not part of it
 * @name: string literal
 * @bytes: bytes to record
 * @len_bytes: length of @bytes in bytes; a record that exceeds a sub-buffer is lost
 *
 * Readers append the bytes of all records with the same name.
 *
 * Format: "BLOB record".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_blob(category, name, bytes, len_bytes)		\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_BLOB, "" name "",	\
			    bytes, len_bytes)

/**
 * vitrine_trace_large_blob() - record bytes as an event of the current thread
 * @category: name of a category, without quotes
 * @name: string literal
 * @bytes: bytes to record
 * @len_bytes: length of @bytes in bytes; a record that exceeds a sub-buffer is lost
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "In Band Large Blob Record With Metadata".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_large_blob(category, name, bytes, len_bytes, ...)	\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_LARGE_BLOB,	\
			    "" name "", bytes, len_bytes, ##__VA_ARGS__)

/**
 * vitrine_trace_large_data() - record bytes without time, thread and arguments
 * @category: name of a category, without quotes
 * @name: string literal
 * @bytes: bytes to record
 * @len_bytes: length of @bytes in bytes; a record that exceeds a sub-buffer is lost
 *
 * Format: "In Band Large Blob Record No Metadata".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_large_data(category, name, bytes, len_bytes)	\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_LARGE_DATA,	\
			    "" name "", bytes, len_bytes)

/**
 * vitrine_trace_userspace_object() - name an object of the current process
 * @category: name of a category, without quotes; it only switches the record and is
 *	not part of it
 * @pointer: address of the object, marked __user; see VITRINE_ARG_POINTER()
 * @text: name of the object, any text
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Userspace object record".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_userspace_object(category, pointer, text, ...)	\
	VITRINE_TRACE_NAMED(category, VITRINE_RECORD_USERSPACE_OBJECT, text, \
			    vitrine_user_address(pointer), ##__VA_ARGS__)

/**
 * vitrine_trace_kernel_object() - name an object of the kernel
 * @category: name of a category, without quotes; it only switches the record and is
 *	not part of it
 * @type: type of the object, a constant: 1 is a process, 2 a thread
 * @koid: id of the object: a number, or a pointer, which is hashed
 * @text: name of the object, any text
 * @...: up to 15 arguments: VITRINE_ARG() and the macros after it
 *
 * Format: "Kernel object record".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_kernel_object(category, type, koid, text, ...)	\
	VITRINE_TRACE_NAMED(category, VITRINE_RECORD_KERNEL_OBJECT |	\
				      VITRINE_RECORD_OBJECT_TYPE(type),	\
			    text, VITRINE_ID(koid), ##__VA_ARGS__)

/* The duration to end when a scope is left; @site is NULL if the category was off. */
struct vitrine_scope {
	const struct vitrine_site	*site;
};

static inline void vitrine_scope_end(const struct vitrine_scope *scope)
{
	if (unlikely(scope->site))
		vitrine_trace_write0(scope->site, 0);
}

/**
 * vitrine_trace_scope() - record a duration that ends with the enclosing block
 * @category: name of a category, without quotes
 * @name: string literal
 * @...: arguments of the begin
 *
 * This is a declaration, like guard() of <linux/cleanup.h>: the duration ends however
 * the block is left. While the category is off the cost is the no-op, and setting and
 * testing a variable.
 *
 * Format: "Duration begin event", "Duration end event".
 *
 * Context: any. In NMI, counted as lost.
 */
#define vitrine_trace_scope(category, name, ...)			\
	struct vitrine_scope __UNIQUE_ID(vitrine_scope)			\
	__attribute__((__cleanup__(vitrine_scope_end), __unused__)) =	\
		VITRINE_SCOPE_BEGIN(category, "" name "", ##__VA_ARGS__)

#define VITRINE_SCOPE_BEGIN(category, scope_name, ...) ({		\
	struct vitrine_scope __scope = {};				\
									\
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		VITRINE_TRACE_SITE(category, FXT_EVENT_DURATION_END,	\
				   scope_name);				\
									\
		VITRINE_TRACE(category, FXT_EVENT_DURATION_BEGIN,	\
			      scope_name, 0, ##__VA_ARGS__);		\
		__scope.site = &__site;					\
	}								\
	__scope; })

#endif /* _VITRINE_TRACE_H */
