/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write events into the trace.
 *
 *	DEFINE_VITRINE_CATEGORY(mydriver);
 *
 *	vitrine_category_register(&vitrine_category_mydriver);
 *	...
 *	vitrine_trace_instant(mydriver, "reset",
 *			      VITRINE_ARG("attempt", attempt));
 *	...
 *	vitrine_category_unregister(&vitrine_category_mydriver);
 *
 * A category is listed, and switched on and off, in trace/events. While it is
 * off an event of it is one no-op instruction, and its arguments are not
 * evaluated. Events can be written from any context; those from NMI are counted
 * as lost.
 *
 * Names of events and arguments are string literals: a trace has each once a
 * sub-buffer, and refers to it by number. Text that varies is an argument.
 * Documentation/fxt.rst has an example of each call.
 */
#ifndef _VITRINE_TRACE_H
#define _VITRINE_TRACE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/types.h>

#include <uapi/vitrine/fxt.h>

struct vtr_filter;

/**
 * struct vitrine_category - events that are switched on and off together
 * @name: what it is called in trace/events and in the trace
 * @key: enabled while its events are recorded
 * @switched: told after it was switched on and before it is switched off; may
 *	sleep; an error when switched on keeps it off. May be NULL
 * @list: private
 * @filter: private
 * @wanted: private
 *
 * Made by DEFINE_VITRINE_CATEGORY().
 */
struct vitrine_category {
	const char			*name;
	struct static_key_false		key;
	int				(*switched)(bool on);
	struct list_head		list;
	struct vtr_filter __rcu		*filter;
	bool				wanted;
};

/**
 * DEFINE_VITRINE_CATEGORY() - make a category
 * @category: its name, without quotes
 */
#define DEFINE_VITRINE_CATEGORY(category)				\
	DEFINE_VITRINE_CATEGORY_SWITCHED(category, NULL)

/**
 * DEFINE_VITRINE_CATEGORY_SWITCHED() - make a category that is told
 * @category: its name, without quotes
 * @function: told when it is switched, see &struct vitrine_category
 */
#define DEFINE_VITRINE_CATEGORY_SWITCHED(category, function)		\
	struct vitrine_category vitrine_category_##category = {		\
		.name = #category,					\
		.key = STATIC_KEY_FALSE_INIT,				\
		.switched = (function),					\
		.list = LIST_HEAD_INIT(vitrine_category_##category.list), \
	}

/**
 * DECLARE_VITRINE_CATEGORY() - name a category that another file makes
 * @category: its name, without quotes
 */
#define DECLARE_VITRINE_CATEGORY(category)				\
	extern struct vitrine_category vitrine_category_##category

int vitrine_category_register(struct vitrine_category *category);
void vitrine_category_unregister(struct vitrine_category *category);

/*
 * Arguments. Each macro below makes one: its name and type, which the compiler
 * puts with what is constant about an event, and its value.
 */

/**
 * VITRINE_ARG() - an argument of the type that its value has
 * @name: string literal
 * @value: an integer of any type, a bool, or text, which may change and need not
 *	be UTF-8; of text, 255 bytes are recorded
 *
 * Any other type does not compile; see below for what needs to be said.
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
		char *: FXT_ARG_STRING_REF,				\
		const char *: FXT_ARG_STRING_REF),			\
	 (unsigned long)(value))

/**
 * VITRINE_ARG_NULL() - an argument that is only there
 * @name: string literal
 */
#define VITRINE_ARG_NULL(name)						\
	(name, FXT_ARG_NULL, 0)

/**
 * VITRINE_ARG_KOID() - a thread's or a process's id
 * @name: string literal
 * @value: a pid_t; other types do not compile
 */
#define VITRINE_ARG_KOID(name, value)					\
	(name, FXT_ARG_KOID, _Generic((value), pid_t: (u32)(value)))

/**
 * VITRINE_ARG_POINTER() - an address in user space
 * @name: string literal
 * @value: a pointer marked __user. A trace never has a kernel address: one that
 *	is none of user space is recorded as 0
 */
#define VITRINE_ARG_POINTER(name, value)				\
	(name, FXT_ARG_POINTER, vitrine_user_address(value))

/**
 * VITRINE_ARG_DOUBLE() - a floating-point number
 * @name: string literal
 * @bits: its IEEE 754 bits as u64; other types do not compile. The kernel does
 *	not compute with such numbers, but may have them from elsewhere
 */
#define VITRINE_ARG_DOUBLE(name, bits)					\
	(name, FXT_ARG_DOUBLE, _Generic((bits), u64: (bits)))

static inline u64 vitrine_user_address(const void __user *pointer)
{
	return (unsigned long)pointer;
}

/**
 * struct vitrine_arg - what is constant about an argument
 * @name: its name
 * @type: enum fxt_arg_type
 */
struct vitrine_arg {
	const char	*name;
	unsigned int	type;
};

/* VITRINE_EACH(f, (a, b, c), (d, e, f)): f(a, b, c) f(d, e, f), up to 15 */
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
 * enum vitrine_record - which record an event becomes
 * @VITRINE_RECORD_INSTANT: this and all to FLOW_END: enum fxt_event_type
 * @VITRINE_RECORD_COUNTER: see vitrine_trace_counter()
 * @VITRINE_RECORD_BEGIN: see vitrine_trace_begin()
 * @VITRINE_RECORD_END: see vitrine_trace_end()
 * @VITRINE_RECORD_COMPLETE: see vitrine_trace_complete()
 * @VITRINE_RECORD_ASYNC_BEGIN: see vitrine_trace_async_begin()
 * @VITRINE_RECORD_ASYNC_INSTANT: see vitrine_trace_async_instant()
 * @VITRINE_RECORD_ASYNC_END: see vitrine_trace_async_end()
 * @VITRINE_RECORD_FLOW_BEGIN: see vitrine_trace_flow_begin()
 * @VITRINE_RECORD_FLOW_STEP: see vitrine_trace_flow_step()
 * @VITRINE_RECORD_FLOW_END: see vitrine_trace_flow_end()
 * @VITRINE_RECORD_LOG: see vitrine_trace_log()
 * @VITRINE_RECORD_BLOB: see vitrine_trace_blob()
 * @VITRINE_RECORD_LARGE_BLOB: see vitrine_trace_large_blob()
 * @VITRINE_RECORD_LARGE_DATA: see vitrine_trace_large_data()
 * @VITRINE_RECORD_USERSPACE_OBJECT: see vitrine_trace_userspace_object()
 * @VITRINE_RECORD_KERNEL_OBJECT: see vitrine_trace_kernel_object()
 */
enum vitrine_record {
	VITRINE_RECORD_INSTANT		= FXT_EVENT_INSTANT,
	VITRINE_RECORD_COUNTER		= FXT_EVENT_COUNTER,
	VITRINE_RECORD_BEGIN		= FXT_EVENT_DURATION_BEGIN,
	VITRINE_RECORD_END		= FXT_EVENT_DURATION_END,
	VITRINE_RECORD_COMPLETE		= FXT_EVENT_DURATION_COMPLETE,
	VITRINE_RECORD_ASYNC_BEGIN	= FXT_EVENT_ASYNC_BEGIN,
	VITRINE_RECORD_ASYNC_INSTANT	= FXT_EVENT_ASYNC_INSTANT,
	VITRINE_RECORD_ASYNC_END	= FXT_EVENT_ASYNC_END,
	VITRINE_RECORD_FLOW_BEGIN	= FXT_EVENT_FLOW_BEGIN,
	VITRINE_RECORD_FLOW_STEP	= FXT_EVENT_FLOW_STEP,
	VITRINE_RECORD_FLOW_END		= FXT_EVENT_FLOW_END,
	VITRINE_RECORD_LOG,
	VITRINE_RECORD_BLOB,
	VITRINE_RECORD_LARGE_BLOB,
	VITRINE_RECORD_LARGE_DATA,
	VITRINE_RECORD_USERSPACE_OBJECT,
	VITRINE_RECORD_KERNEL_OBJECT,
};

/* Besides the record: an object's type; an event whose name is no constant. */
#define VITRINE_RECORD_OBJECT_TYPE(type)	((type) << 16)
#define VITRINE_RECORD_NAME_VARIES		(1U << 24)

/**
 * struct vitrine_site - what is constant about an event in the source
 * @category: its category
 * @record: enum vitrine_record, and what else is said above
 * @nr_args: how many @args
 * @args: its arguments, but for their values
 */
struct vitrine_site {
	struct vitrine_category		*category;
	unsigned int			record;
	unsigned int			nr_args;
	const struct vitrine_arg	*args;
};

/*
 * Cold, whatever the kernel's own macro of that name says: it is what moves all
 * that an event takes, but for the no-op, out of the function it is in. Values
 * are passed one by one because an array would be on that function's stack.
 */
#define VITRINE_COLD	__attribute__((__cold__))

VITRINE_COLD void vitrine_trace_write(const struct vitrine_site *site,
				      const char *name, u64 id, ...);
VITRINE_COLD void vitrine_trace_write_bytes(const struct vitrine_site *site,
					    const char *name, u64 id,
					    const void *bytes, size_t len_bytes,
					    ...);
u64 vitrine_trace_ticks(void);

#define VITRINE_TRACE_SITE(site_category, site_record, ...)		\
	static const struct vitrine_arg __args[] = {			\
		VITRINE_EACH(VITRINE_ARG_CONSTANT, ##__VA_ARGS__)	\
	};								\
	static const struct vitrine_site __site = {			\
		.category = &vitrine_category_##site_category,		\
		.record = (site_record),				\
		.nr_args = ARRAY_SIZE(__args),				\
		.args = __args,						\
	}

#define VITRINE_TRACE(category, record, name, id, ...) do {		\
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		VITRINE_TRACE_SITE(category, record, ##__VA_ARGS__);	\
									\
		vitrine_trace_write(&__site, name, id			\
			VITRINE_EACH(VITRINE_ARG_VALUE, ##__VA_ARGS__)); \
	}								\
} while (0)

#define VITRINE_TRACE_BYTES(category, record, name, id, bytes, len_bytes, \
			    ...) do {					\
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		VITRINE_TRACE_SITE(category, record, ##__VA_ARGS__);	\
									\
		vitrine_trace_write_bytes(&__site, name, id, bytes,	\
			len_bytes					\
			VITRINE_EACH(VITRINE_ARG_VALUE, ##__VA_ARGS__)); \
	}								\
} while (0)

/**
 * vitrine_trace_instant() - something happened
 * @category: a category's name, without quotes
 * @name: string literal
 * @...: up to 15 arguments, VITRINE_ARG() and its like
 *
 * Context: any, as all of these.
 */
#define vitrine_trace_instant(category, name, ...)			\
	VITRINE_TRACE(category, VITRINE_RECORD_INSTANT, "" name "", 0,	\
		      ##__VA_ARGS__)

/**
 * vitrine_trace_counter() - a quantity changed
 * @category: a category's name, without quotes
 * @name: string literal
 * @counter: tells counters of one name apart
 * @...: its values, as arguments; a viewer stacks them
 */
#define vitrine_trace_counter(category, name, counter, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_COUNTER, "" name "",	\
		      counter, ##__VA_ARGS__)

/**
 * vitrine_trace_begin() - the running thread begins something
 * @category: a category's name, without quotes
 * @name: string literal
 * @...: arguments
 *
 * Needs a vitrine_trace_end() on the same thread. They nest.
 */
#define vitrine_trace_begin(category, name, ...)			\
	VITRINE_TRACE(category, VITRINE_RECORD_BEGIN, "" name "", 0,	\
		      ##__VA_ARGS__)

/**
 * vitrine_trace_end() - the running thread ends what it began last
 * @category: that of its vitrine_trace_begin()
 * @name: that of its vitrine_trace_begin()
 * @...: arguments
 */
#define vitrine_trace_end(category, name, ...)				\
	VITRINE_TRACE(category, VITRINE_RECORD_END, "" name "", 0,	\
		      ##__VA_ARGS__)

/**
 * vitrine_trace_complete() - the running thread ends something
 * @category: a category's name, without quotes
 * @name: string literal
 * @begin: when it began: what vitrine_trace_ticks() said then; 0, as it says where
 *	nothing is recorded, records nothing
 * @...: arguments
 *
 * One record instead of two, for what is worth recording only at its end.
 */
#define vitrine_trace_complete(category, name, begin, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_COMPLETE, "" name "",	\
		      begin, ##__VA_ARGS__)

/**
 * vitrine_trace_async_begin() - something begins that no thread owns
 * @category: a category's name, without quotes
 * @name: string literal
 * @async: tells it apart from others of the same name
 * @...: arguments
 */
#define vitrine_trace_async_begin(category, name, async, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_ASYNC_BEGIN, "" name "",	\
		      async, ##__VA_ARGS__)

/**
 * vitrine_trace_async_instant() - something happens to it
 * @category: a category's name, without quotes
 * @name: string literal
 * @async: that of its vitrine_trace_async_begin()
 * @...: arguments
 */
#define vitrine_trace_async_instant(category, name, async, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_ASYNC_INSTANT, "" name "", \
		      async, ##__VA_ARGS__)

/**
 * vitrine_trace_async_end() - it ends, on any thread
 * @category: a category's name, without quotes
 * @name: string literal
 * @async: that of its vitrine_trace_async_begin()
 * @...: arguments
 */
#define vitrine_trace_async_end(category, name, async, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_ASYNC_END, "" name "",	\
		      async, ##__VA_ARGS__)

/**
 * vitrine_trace_flow_begin() - an arrow begins at the enclosing duration
 * @category: a category's name, without quotes
 * @name: string literal
 * @flow: tells it apart from others of the same name
 * @...: arguments
 */
#define vitrine_trace_flow_begin(category, name, flow, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_FLOW_BEGIN, "" name "",	\
		      flow, ##__VA_ARGS__)

/**
 * vitrine_trace_flow_step() - it passes through the enclosing duration
 * @category: a category's name, without quotes
 * @name: string literal
 * @flow: that of its vitrine_trace_flow_begin()
 * @...: arguments
 */
#define vitrine_trace_flow_step(category, name, flow, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_FLOW_STEP, "" name "",	\
		      flow, ##__VA_ARGS__)

/**
 * vitrine_trace_flow_end() - it ends at the enclosing duration
 * @category: a category's name, without quotes
 * @name: string literal
 * @flow: that of its vitrine_trace_flow_begin()
 * @...: arguments
 */
#define vitrine_trace_flow_end(category, name, flow, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_FLOW_END, "" name "",	\
		      flow, ##__VA_ARGS__)

/**
 * vitrine_trace_log() - a message
 * @category: a category's name, without quotes; only switches it
 * @text: any text, of which 1008 bytes are recorded; NULL is empty
 */
#define vitrine_trace_log(category, text)				\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_LOG, NULL, 0, text, \
			    SIZE_MAX)

/**
 * vitrine_trace_blob() - bytes, which belong to those before of that name
 * @category: a category's name, without quotes; only switches it
 * @name: string literal
 * @bytes: what is recorded
 * @len_bytes: how much; what does not fit into a sub-buffer is lost
 */
#define vitrine_trace_blob(category, name, bytes, len_bytes)		\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_BLOB, "" name "", 0, \
			    bytes, len_bytes)

/**
 * vitrine_trace_large_blob() - bytes that the running thread has now
 * @category: a category's name, without quotes
 * @name: string literal
 * @bytes: what is recorded
 * @len_bytes: how much; what does not fit into a sub-buffer is lost
 * @...: arguments
 */
#define vitrine_trace_large_blob(category, name, bytes, len_bytes, ...)	\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_LARGE_BLOB,	\
			    "" name "", 0, bytes, len_bytes, ##__VA_ARGS__)

/**
 * vitrine_trace_large_data() - bytes, without time, thread and arguments
 * @category: a category's name, without quotes
 * @name: string literal
 * @bytes: what is recorded
 * @len_bytes: how much; what does not fit into a sub-buffer is lost
 */
#define vitrine_trace_large_data(category, name, bytes, len_bytes)	\
	VITRINE_TRACE_BYTES(category, VITRINE_RECORD_LARGE_DATA,	\
			    "" name "", 0, bytes, len_bytes)

/**
 * vitrine_trace_userspace_object() - name something of the running process
 * @category: a category's name, without quotes; only switches it
 * @pointer: its address, marked __user; see VITRINE_ARG_POINTER()
 * @text: its name, any text
 * @...: arguments
 */
#define vitrine_trace_userspace_object(category, pointer, text, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_USERSPACE_OBJECT, text,	\
		      vitrine_user_address(pointer), ##__VA_ARGS__)

/**
 * vitrine_trace_kernel_object() - name something of the kernel's
 * @category: a category's name, without quotes; only switches it
 * @type: its type, a constant; 1 is a process, 2 a thread
 * @koid: its id, never an address
 * @text: its name, any text
 * @...: arguments
 */
#define vitrine_trace_kernel_object(category, type, koid, text, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_KERNEL_OBJECT |		\
				VITRINE_RECORD_OBJECT_TYPE(type),	\
		      text, koid, ##__VA_ARGS__)

/* What a scope has to end when it is left: nothing if @site is NULL. */
struct vitrine_scope {
	const struct vitrine_site	*site;
	const char			*name;
};

static inline void vitrine_scope_end(const struct vitrine_scope *scope)
{
	if (unlikely(scope->site))
		vitrine_trace_write(scope->site, scope->name, 0);
}

/**
 * vitrine_trace_scope() - a duration from here to the end of the block
 * @category: a category's name, without quotes
 * @name: string literal
 * @...: arguments
 *
 * A declaration. However the block is left, the duration ends. While the
 * category is off this costs, besides the no-op, setting and testing a variable.
 */
#define vitrine_trace_scope(category, name, ...)			\
	struct vitrine_scope __UNIQUE_ID(vitrine_scope)			\
	__attribute__((__cleanup__(vitrine_scope_end), __unused__)) =	\
		VITRINE_SCOPE_BEGIN(category, "" name "", ##__VA_ARGS__)

#define VITRINE_SCOPE_BEGIN(category, scope_name, ...) ({		\
	struct vitrine_scope __scope = {};				\
									\
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		VITRINE_TRACE_SITE(category, VITRINE_RECORD_END);	\
									\
		VITRINE_TRACE(category, VITRINE_RECORD_BEGIN,		\
			      scope_name, 0, ##__VA_ARGS__);		\
		__scope.site = &__site;					\
		__scope.name = scope_name;				\
	}								\
	__scope; })

#endif /* _VITRINE_TRACE_H */
