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

/**
 * struct vitrine_arg - an argument of an event
 * @name: its name
 * @type: enum fxt_arg_type
 * @value: its value; of a string, its address
 *
 * Made by VITRINE_ARG() and its like.
 */
struct vitrine_arg {
	const char	*name;
	u32		type;
	u64		value;
};

#define VITRINE_ARG_AS(arg_name, arg_type, arg_value)			\
	((struct vitrine_arg){						\
		.name = "" arg_name "",					\
		.type = (arg_type),					\
		.value = (arg_value),					\
	})

/**
 * VITRINE_ARG() - an argument of the type that its value has
 * @arg_name: string literal
 * @arg_value: an integer of any type, a bool, or text, which may change and need
 *	not be UTF-8; of text, 255 bytes are recorded
 *
 * Any other type does not compile; see below for what needs to be said.
 */
#define VITRINE_ARG(arg_name, arg_value)				\
	VITRINE_ARG_AS(arg_name, _Generic((arg_value),			\
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
		(u64)(unsigned long)(arg_value))

/**
 * VITRINE_ARG_NULL() - an argument that is only there
 * @arg_name: string literal
 */
#define VITRINE_ARG_NULL(arg_name)					\
	VITRINE_ARG_AS(arg_name, FXT_ARG_NULL, 0)

/**
 * VITRINE_ARG_KOID() - a thread's or a process's id
 * @arg_name: string literal
 * @arg_value: a pid_t; other types do not compile
 */
#define VITRINE_ARG_KOID(arg_name, arg_value)				\
	VITRINE_ARG_AS(arg_name, FXT_ARG_KOID,				\
		       _Generic((arg_value), pid_t: (u32)(arg_value)))

/**
 * VITRINE_ARG_POINTER() - an address in user space
 * @arg_name: string literal
 * @arg_value: a pointer marked __user. A trace never has a kernel address: one
 *	that is none of user space is recorded as 0
 */
#define VITRINE_ARG_POINTER(arg_name, arg_value)			\
	VITRINE_ARG_AS(arg_name, FXT_ARG_POINTER, ({			\
		const void __user *__pointer = (arg_value);		\
		(unsigned long)__pointer; }))

/**
 * VITRINE_ARG_DOUBLE() - a floating-point number
 * @arg_name: string literal
 * @arg_bits: its IEEE 754 bits as u64; other types do not compile. The kernel
 *	does not compute with such numbers, but may have them from elsewhere
 */
#define VITRINE_ARG_DOUBLE(arg_name, arg_bits)				\
	VITRINE_ARG_AS(arg_name, FXT_ARG_DOUBLE,			\
		       _Generic((arg_bits), u64: (arg_bits)))

/**
 * enum vitrine_record - which record an event becomes
 * @VITRINE_RECORD_INSTANT: to @VITRINE_RECORD_FLOW_END: enum fxt_event_type
 * @VITRINE_RECORD_LOG: a message
 * @VITRINE_RECORD_BLOB: bytes
 * @VITRINE_RECORD_LARGE_BLOB: bytes with a time, a thread and arguments
 * @VITRINE_RECORD_LARGE_DATA: bytes with a category
 * @VITRINE_RECORD_USERSPACE_OBJECT: name of something in user space
 * @VITRINE_RECORD_KERNEL_OBJECT: name of something in the kernel
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

/**
 * struct vitrine_event - what is recorded, besides when and where
 * @name: its name
 * @name_varies: @name is no constant
 * @object_type: of a kernel object
 * @nr_args: how many @args
 * @args: its arguments
 * @id: counter, async or flow id; time when a complete duration began; address
 *	of a user-space object; id of a kernel object
 * @payload: of a message or of bytes
 * @payload_bytes: its length; SIZE_MAX: to the end of the string
 *
 * Filled in by the macros below.
 */
struct vitrine_event {
	const char			*name;
	bool				name_varies;
	u8				object_type;
	unsigned int			nr_args;
	const struct vitrine_arg	*args;
	u64				id;
	const void			*payload;
	size_t				payload_bytes;
};

/* Cold: what writes an event is kept out of the way of what does not. */
void __cold vitrine_trace_write(struct vitrine_category *category,
				enum vitrine_record record,
				const struct vitrine_event *event);
u64 vitrine_trace_ticks(void);

/* Further members of struct vitrine_event in parentheses, then arguments. */
#define VITRINE_TRACE(category, record, event_name, members, ...) do {	\
	if (static_branch_unlikely(&vitrine_category_##category.key)) {	\
		const struct vitrine_arg __args[] = { __VA_ARGS__ };	\
		struct vitrine_event __event = {			\
			.name = (event_name),				\
			.nr_args = ARRAY_SIZE(__args),			\
			.args = __args,					\
			VITRINE_TRACE_MEMBERS members			\
		};							\
									\
		BUILD_BUG_ON(ARRAY_SIZE(__args) > FXT_MAX_ARGS);	\
		vitrine_trace_write(&vitrine_category_##category,	\
				    (record), &__event);		\
	}								\
} while (0)
#define VITRINE_TRACE_MEMBERS(...)	__VA_ARGS__

/**
 * vitrine_trace_instant() - something happened
 * @category: a category's name, without quotes
 * @name: string literal
 * @...: up to 15 arguments, VITRINE_ARG() and its like
 *
 * Context: any, as all of these.
 */
#define vitrine_trace_instant(category, name, ...)			\
	VITRINE_TRACE(category, VITRINE_RECORD_INSTANT, "" name "", (),	\
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
		      (.id = (counter)), ##__VA_ARGS__)

/**
 * vitrine_trace_begin() - the running thread begins something
 * @category: a category's name, without quotes
 * @name: string literal
 * @...: arguments
 *
 * Needs a vitrine_trace_end() on the same thread. They nest.
 */
#define vitrine_trace_begin(category, name, ...)			\
	VITRINE_TRACE(category, VITRINE_RECORD_BEGIN, "" name "", (),	\
		      ##__VA_ARGS__)

/**
 * vitrine_trace_end() - the running thread ends what it began last
 * @category: that of its vitrine_trace_begin()
 * @name: that of its vitrine_trace_begin()
 * @...: arguments
 */
#define vitrine_trace_end(category, name, ...)				\
	VITRINE_TRACE(category, VITRINE_RECORD_END, "" name "", (),	\
		      ##__VA_ARGS__)

/**
 * vitrine_trace_complete() - the running thread ends something
 * @category: a category's name, without quotes
 * @name: string literal
 * @begin: when it began: what vitrine_trace_ticks() said then
 * @...: arguments
 *
 * One record instead of two, for what is worth recording only at its end.
 */
#define vitrine_trace_complete(category, name, begin, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_COMPLETE, "" name "",	\
		      (.id = (begin)), ##__VA_ARGS__)

/**
 * vitrine_trace_async_begin() - something begins that no thread owns
 * @category: a category's name, without quotes
 * @name: string literal
 * @async: tells it apart from others of the same name
 * @...: arguments
 */
#define vitrine_trace_async_begin(category, name, async, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_ASYNC_BEGIN, "" name "",	\
		      (.id = (async)), ##__VA_ARGS__)

/**
 * vitrine_trace_async_instant() - something happens to it
 * @category: a category's name, without quotes
 * @name: string literal
 * @async: that of its vitrine_trace_async_begin()
 * @...: arguments
 */
#define vitrine_trace_async_instant(category, name, async, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_ASYNC_INSTANT, "" name "", \
		      (.id = (async)), ##__VA_ARGS__)

/**
 * vitrine_trace_async_end() - it ends, on any thread
 * @category: a category's name, without quotes
 * @name: string literal
 * @async: that of its vitrine_trace_async_begin()
 * @...: arguments
 */
#define vitrine_trace_async_end(category, name, async, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_ASYNC_END, "" name "",	\
		      (.id = (async)), ##__VA_ARGS__)

/**
 * vitrine_trace_flow_begin() - an arrow begins at the enclosing duration
 * @category: a category's name, without quotes
 * @name: string literal
 * @flow: tells it apart from others of the same name
 * @...: arguments
 */
#define vitrine_trace_flow_begin(category, name, flow, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_FLOW_BEGIN, "" name "",	\
		      (.id = (flow)), ##__VA_ARGS__)

/**
 * vitrine_trace_flow_step() - it passes through the enclosing duration
 * @category: a category's name, without quotes
 * @name: string literal
 * @flow: that of its vitrine_trace_flow_begin()
 * @...: arguments
 */
#define vitrine_trace_flow_step(category, name, flow, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_FLOW_STEP, "" name "",	\
		      (.id = (flow)), ##__VA_ARGS__)

/**
 * vitrine_trace_flow_end() - it ends at the enclosing duration
 * @category: a category's name, without quotes
 * @name: string literal
 * @flow: that of its vitrine_trace_flow_begin()
 * @...: arguments
 */
#define vitrine_trace_flow_end(category, name, flow, ...)		\
	VITRINE_TRACE(category, VITRINE_RECORD_FLOW_END, "" name "",	\
		      (.id = (flow)), ##__VA_ARGS__)

/**
 * vitrine_trace_log() - a message
 * @category: a category's name, without quotes; only switches it
 * @text: any text, of which 1008 bytes are recorded
 */
#define vitrine_trace_log(category, text)				\
	VITRINE_TRACE(category, VITRINE_RECORD_LOG, NULL,		\
		      (.payload = (const char *){ text },		\
		       .payload_bytes = SIZE_MAX))

/**
 * vitrine_trace_blob() - bytes, which belong to those before of that name
 * @category: a category's name, without quotes; only switches it
 * @name: string literal
 * @bytes: what is recorded
 * @len_bytes: how much; what does not fit into a sub-buffer is lost
 */
#define vitrine_trace_blob(category, name, bytes, len_bytes)		\
	VITRINE_TRACE(category, VITRINE_RECORD_BLOB, "" name "",	\
		      (.payload = (bytes), .payload_bytes = (len_bytes)))

/**
 * vitrine_trace_large_blob() - bytes that the running thread has now
 * @category: a category's name, without quotes
 * @name: string literal
 * @bytes: what is recorded
 * @len_bytes: how much; what does not fit into a sub-buffer is lost
 * @...: arguments
 */
#define vitrine_trace_large_blob(category, name, bytes, len_bytes, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_LARGE_BLOB, "" name "",	\
		      (.payload = (bytes), .payload_bytes = (len_bytes)), \
		      ##__VA_ARGS__)

/**
 * vitrine_trace_large_data() - bytes, without time, thread and arguments
 * @category: a category's name, without quotes
 * @name: string literal
 * @bytes: what is recorded
 * @len_bytes: how much; what does not fit into a sub-buffer is lost
 */
#define vitrine_trace_large_data(category, name, bytes, len_bytes)	\
	VITRINE_TRACE(category, VITRINE_RECORD_LARGE_DATA, "" name "",	\
		      (.payload = (bytes), .payload_bytes = (len_bytes)))

/**
 * vitrine_trace_userspace_object() - name something of the running process
 * @category: a category's name, without quotes; only switches it
 * @pointer: its address, marked __user; see VITRINE_ARG_POINTER()
 * @text: its name, any text
 * @...: arguments
 */
#define vitrine_trace_userspace_object(category, pointer, text, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_USERSPACE_OBJECT, (text), \
		      (.name_varies = true,				\
		       .id = VITRINE_ARG_POINTER("", pointer).value),	\
		      ##__VA_ARGS__)

/**
 * vitrine_trace_kernel_object() - name something of the kernel's
 * @category: a category's name, without quotes; only switches it
 * @type: its type; 1 is a process, 2 a thread
 * @koid: its id, never an address
 * @text: its name, any text
 * @...: arguments
 */
#define vitrine_trace_kernel_object(category, type, koid, text, ...)	\
	VITRINE_TRACE(category, VITRINE_RECORD_KERNEL_OBJECT, (text),	\
		      (.name_varies = true, .object_type = (type),	\
		       .id = (koid)), ##__VA_ARGS__)

/* What a scope has to end when it is left: nothing if @category is NULL. */
struct vitrine_scope {
	struct vitrine_category	*category;
	const char		*name;
};

static inline void vitrine_scope_end(const struct vitrine_scope *scope)
{
	const struct vitrine_event event = { .name = scope->name };

	if (unlikely(scope->category))
		vitrine_trace_write(scope->category, VITRINE_RECORD_END,
				    &event);
}

/**
 * vitrine_trace_scope() - a duration from here to the end of the block
 * @scope_category: a category's name, without quotes
 * @scope_name: string literal
 * @...: arguments
 *
 * A declaration. However the block is left, the duration ends. While the
 * category is off this costs, besides the no-op, setting and testing a variable.
 */
#define vitrine_trace_scope(scope_category, scope_name, ...)		\
	struct vitrine_scope __UNIQUE_ID(vitrine_scope)			\
	__attribute__((__cleanup__(vitrine_scope_end), __unused__)) = ({ \
		struct vitrine_scope __scope = {};			\
									\
		if (static_branch_unlikely(				\
				&vitrine_category_##scope_category.key)) { \
			vitrine_trace_begin(scope_category, scope_name,	\
					    ##__VA_ARGS__);		\
			__scope.category =				\
				&vitrine_category_##scope_category;	\
			__scope.name = "" scope_name "";		\
		}							\
		__scope; })

#endif /* _VITRINE_TRACE_H */
