/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publish state from a driver that works without vitrine, too.
 *
 * A driver includes this header instead of <vitrine/inspect.h>, calls the same functions, and
 * links vitrine_publisher.o, which vitrine.mk builds. It depends on no symbol of vitrine, and
 * loads, works and unloads with vitrine absent, loaded later, or unloaded first:
 *
 *	static struct vitrine_uint *resets;
 *
 *	static void hello_publish(struct vitrine_publisher *publisher)
 *	{
 *		struct vitrine_tree *tree = vitrine_tree_create("hello", 0);
 *
 *		resets = vitrine_uint_create(vitrine_tree_root(tree), "resets", 0);
 *	}
 *
 *	static void hello_unpublish(struct vitrine_publisher *publisher)
 *	{
 *		WRITE_ONCE(resets, NULL);
 *	}
 *
 *	static struct vitrine_publisher publisher = {
 *		.abi = VITRINE_ABI,
 *		.publish = hello_publish,
 *		.unpublish = hello_unpublish,
 *	};
 *
 * vitrine_publisher_register() in the driver's init function, _unregister() in its exit
 * function. A module has one publisher, for all of its devices.
 *
 * How the two find each other: the publisher is a device on the platform bus, for which vitrine
 * is the driver. The bus belongs to the kernel, binds them in whatever order they come, unbinds
 * them when one goes, and has neither hold a reference to the other.
 *
 * Updates: each of the functions that change a value is a macro here. It evaluates the values,
 * whether vitrine is loaded or not, and then reads the handle, with preemption disabled. The handle
 * is therefore the variable that publish() and unpublish() store, not a copy of it. If it is NULL,
 * that is all. Otherwise the update is a static call. vitrine clears the handles by calling
 * unpublish(), waits for an RCU grace period, and only then frees anything. A batch is made with
 * preemption disabled, too.
 *
 * Creating, deleting, and all other calls: in publish(), or elsewhere between
 * vitrine_publisher_lock() and vitrine_publisher_unlock(), which publish() and unpublish() exclude.
 * The driver destroys no tree: vitrine destroys those that are left when either of the two goes.
 * The exception is a lazy tree whose fill() uses memory that the driver frees, such as that of a
 * device: the driver destroys it first. fill() may make all calls but must not lock the publisher.
 */
#ifndef _VITRINE_PUBLISHER_H
#define _VITRINE_PUBLISHER_H

#if (defined(_VITRINE_INSPECT_H) || defined(_VITRINE_TRACE_H)) && !defined(VITRINE_ITSELF)
#error "A driver that works without vitrine includes <vitrine/publisher.h> alone"
#endif

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/static_call.h>

/* A driver's functions of the same name: static calls, which return 0 while vitrine is absent. */
#define VITRINE_FUNCTION(type, name, parameters, arguments)		\
	DECLARE_STATIC_CALL(vitrine_##name, type parameters);		\
	static __always_inline type vitrine_##name parameters		\
	{								\
		return static_call(vitrine_##name)arguments;		\
	}

#include <vitrine/inspect.h>

/* Changes with VITRINE_FUNCTIONS(), and with the structures of the two headers. */
#define VITRINE_ABI	2

#define VITRINE_API_MEMBER(type, name, ...)	typeof(vitrine_##name) *name;

/* The functions of vitrine, which it passes to a publisher of the same ABI. */
struct vitrine_api {
	VITRINE_FUNCTIONS(VITRINE_API_MEMBER)
};

struct platform_device;

/**
 * struct vitrine_publisher - how a driver publishes while vitrine is loaded
 * @abi: VITRINE_ABI
 * @name: private; with @abi, the only member that another ABI has, too
 * @publish: create values; called when vitrine comes, or when the publisher is registered; may
 *	sleep
 * @unpublish: clear all handles, with WRITE_ONCE(), and nothing else; called when vitrine goes,
 *	or when the publisher is unregistered; may sleep
 * @owner: private
 * @arrive: private
 * @leave: private
 * @lock: private
 * @device: private
 */
struct vitrine_publisher {
	unsigned int		abi;
	const char		*name;
	void			(*publish)(struct vitrine_publisher *publisher);
	void			(*unpublish)(struct vitrine_publisher *publisher);
	struct module		*owner;
	void			(*arrive)(struct vitrine_publisher *publisher,
					  const struct vitrine_api *api);
	void			(*leave)(struct vitrine_publisher *publisher,
					 void (*destroy)(const struct module *owner,
							 bool is_expected));
	struct mutex		lock; /* serialises creation and deletion with the two calls */
	struct platform_device	*device;
};

/**
 * vitrine_publisher_register() - publish as soon as vitrine is loaded
 * @publisher: the publisher, with @abi and the two functions
 *
 * If vitrine is loaded, publish() is called at once. There is nothing to check: a driver that
 * cannot publish works all the same.
 *
 * Context: task; may sleep.
 */
void vitrine_publisher_register(struct vitrine_publisher *publisher);

/**
 * vitrine_publisher_unregister() - stop publishing
 * @publisher: the publisher; unpublish() has been called on return, if it was published
 *
 * Context: task; may sleep. Not with a lock held that publish() or unpublish() take.
 */
void vitrine_publisher_unregister(struct vitrine_publisher *publisher);

/**
 * vitrine_publisher_lock() - lock a publisher to create or delete values outside of publish()
 * @publisher: the publisher
 *
 * If vitrine is absent, creators return NULL, and every function accepts NULL.
 *
 * Context: task; may sleep.
 */
static inline void vitrine_publisher_lock(struct vitrine_publisher *publisher)
{
	mutex_lock(&publisher->lock);
}

/**
 * vitrine_publisher_unlock() - undo vitrine_publisher_lock()
 * @publisher: the publisher
 *
 * Context: task.
 */
static inline void vitrine_publisher_unlock(struct vitrine_publisher *publisher)
{
	mutex_unlock(&publisher->lock);
}

/* Destroy a lazy tree, and wait for its fill() even if unpublish() has cleared the handle. */
void vitrine_publisher_lazy_destroy(struct vitrine_lazy *lazy);

#define vitrine_lazy_destroy(lazy)	vitrine_publisher_lazy_destroy(lazy)

/*
 * Update a value whose handle is the variable @handle, not a copy of it: vitrine may go between
 * the copy and the call. The values are evaluated once, and before preemption is disabled, whether
 * vitrine is loaded or not.
 */
#define VITRINE_UPDATE1(call, handle, type, value) do {			\
	typeof(handle) *__update_handle = &(handle);			\
	type __update_value = (value);					\
									\
	VITRINE_UPDATE(__update_handle, call, __update_value);		\
} while (0)

#define VITRINE_UPDATE2(call, handle, type1, value1, type2, value2) do { \
	typeof(handle) *__update_handle = &(handle);			\
	type1 __update_value1 = (value1);				\
	type2 __update_value2 = (value2);				\
									\
	VITRINE_UPDATE(__update_handle, call, __update_value1, __update_value2); \
} while (0)

#define VITRINE_UPDATE(handle, call, ...)				\
	if (READ_ONCE(*(handle))) {					\
		preempt_disable();					\
		call(READ_ONCE(*(handle)), __VA_ARGS__);		\
		preempt_enable();					\
	}

#define vitrine_int_set(handle, value) \
	VITRINE_UPDATE1(vitrine_int_set, handle, s64, value)
#define vitrine_int_add(handle, value) \
	VITRINE_UPDATE1(vitrine_int_add, handle, s64, value)
#define vitrine_int_sub(handle, value) \
	VITRINE_UPDATE1(vitrine_int_sub, handle, s64, value)
#define vitrine_uint_set(handle, value) \
	VITRINE_UPDATE1(vitrine_uint_set, handle, u64, value)
#define vitrine_uint_add(handle, value) \
	VITRINE_UPDATE1(vitrine_uint_add, handle, u64, value)
#define vitrine_uint_sub(handle, value) \
	VITRINE_UPDATE1(vitrine_uint_sub, handle, u64, value)
#define vitrine_double_set(handle, value) \
	VITRINE_UPDATE1(vitrine_double_set, handle, struct vitrine_f64, value)
#define vitrine_bool_set(handle, value) \
	VITRINE_UPDATE1(vitrine_bool_set, handle, bool, value)
#define vitrine_string_set(handle, value) \
	VITRINE_UPDATE1(vitrine_string_set, handle, const char *, value)
#define vitrine_bytes_set(handle, value, len_bytes) \
	VITRINE_UPDATE2(vitrine_bytes_set, handle, const void *, value, size_t, len_bytes)
#define vitrine_int_array_set(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_int_array_set, handle, unsigned int, slot, s64, value)
#define vitrine_int_array_add(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_int_array_add, handle, unsigned int, slot, s64, value)
#define vitrine_int_array_sub(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_int_array_sub, handle, unsigned int, slot, s64, value)
#define vitrine_uint_array_set(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_uint_array_set, handle, unsigned int, slot, u64, value)
#define vitrine_uint_array_add(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_uint_array_add, handle, unsigned int, slot, u64, value)
#define vitrine_uint_array_sub(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_uint_array_sub, handle, unsigned int, slot, u64, value)
#define vitrine_double_array_set(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_double_array_set, handle, unsigned int, slot, \
			struct vitrine_f64, value)
#define vitrine_string_array_set(handle, slot, value) \
	VITRINE_UPDATE2(vitrine_string_array_set, handle, unsigned int, slot, const char *, value)
#define vitrine_int_histogram_insert(handle, value) \
	VITRINE_UPDATE1(vitrine_int_histogram_insert, handle, s64, value)
#define vitrine_int_histogram_insert_many(handle, value, count) \
	VITRINE_UPDATE2(vitrine_int_histogram_insert_many, handle, s64, value, u64, count)
#define vitrine_uint_histogram_insert(handle, value) \
	VITRINE_UPDATE1(vitrine_uint_histogram_insert, handle, u64, value)
#define vitrine_uint_histogram_insert_many(handle, value, count) \
	VITRINE_UPDATE2(vitrine_uint_histogram_insert_many, handle, u64, value, u64, count)
#define vitrine_double_histogram_set(handle, bucket, count) \
	VITRINE_UPDATE2(vitrine_double_histogram_set, handle, unsigned int, bucket, \
			struct vitrine_f64, count)
#define vitrine_percpu_uint_add(handle, delta) \
	VITRINE_UPDATE1(vitrine_percpu_uint_add, handle, u64, delta)
#define vitrine_percpu_histogram_insert(handle, value) \
	VITRINE_UPDATE1(vitrine_percpu_histogram_insert, handle, u64, value)
#define vitrine_list_append_values(handle, values, nr_values) \
	VITRINE_UPDATE2(vitrine_list_append_values, handle, const struct vitrine_value *, values, \
			unsigned int, nr_values)

/* Two handles, and one in a structure. */
static inline void vitrine_guarded_node_adopt(struct vitrine_node **parent,
					      struct vitrine_node **child)
{
	if (READ_ONCE(*child)) {
		preempt_disable();
		vitrine_node_adopt(READ_ONCE(*parent), READ_ONCE(*child));
		preempt_enable();
	}
}

static inline void vitrine_guarded_health_set(struct vitrine_health *health, const char *status,
					      const char *message)
{
	if (health && READ_ONCE(health->node)) {
		preempt_disable();
		vitrine_health_set(health, status, message);
		preempt_enable();
	}
}

#define vitrine_node_adopt(parent, child) \
	vitrine_guarded_node_adopt(&(parent), &(child))
#define vitrine_health_set(health, status, message) \
	vitrine_guarded_health_set(health, status, message)

/* These take no handle. vitrine cannot go during the call, because preemption is disabled. */
static inline struct vitrine_f64 vitrine_guarded_double_from_ratio(s64 numerator, u64 denominator)
{
	struct vitrine_f64 ratio;

	preempt_disable();
	ratio = vitrine_double_from_ratio(numerator, denominator);
	preempt_enable();
	return ratio;
}

static inline void vitrine_guarded_text_clean(char *text, size_t len_bytes)
{
	preempt_disable();
	vitrine_text_clean(text, len_bytes);
	preempt_enable();
}

#define vitrine_double_from_ratio(numerator, denominator) \
	vitrine_guarded_double_from_ratio(numerator, denominator)
#define vitrine_double_from_int(value) \
	vitrine_guarded_double_from_ratio(value, 1)
#define vitrine_text_clean(text, len_bytes) \
	vitrine_guarded_text_clean(text, len_bytes)

#endif /* _VITRINE_PUBLISHER_H */
