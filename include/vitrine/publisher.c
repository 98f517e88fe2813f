// SPDX-License-Identifier: GPL-2.0
/*
 * The part that a driver links to work without vitrine: vitrine.mk builds it as
 * vitrine_publisher.o.
 *
 * Concurrency: the targets of the static calls change with the publisher's lock held, as do the
 * handles. Updates hold no lock, but run with preemption disabled, with a handle that they have
 * read there:
 *
 *   arrive: static calls, synchronize_rcu(), then publish() stores handles
 *   leave:  unpublish() clears handles, synchronize_rcu(), vitrine destroys the trees, then
 *	     static calls
 *
 * An update that finds a handle therefore calls the vitrine that created it, and has returned
 * before vitrine goes on and frees anything.
 *
 * Trees are destroyed without the publisher's lock, because fill() of a lazy tree may take a lock
 * under which the driver takes that one. @leaving, taken after it, is held instead: who destroys a
 * lazy tree whose handle is cleared waits for it, and can then free what fill() used.
 */
#include <linux/err.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>

#include <vitrine/publisher.h>

#ifndef MODULE
#error "A publisher is a module: vitrine tells its trees from others by their owner"
#endif

/* This is the function itself here. */
#undef vitrine_lazy_destroy

/* See VITRINE_IMPORT. */
extern char vitrine_is_required_and_optional;
char vitrine_is_required_and_optional;

static DEFINE_MUTEX(leaving);

#define DEFINE_FUNCTION(type, name, ...)				\
	DEFINE_STATIC_CALL_RET0(vitrine_##name, vitrine_##name);

VITRINE_FUNCTIONS(DEFINE_FUNCTION)

#define SET_FUNCTION(type, name, ...)					\
	static_call_update(vitrine_##name, api ? api->name : (void *)__static_call_return0);

static void functions_set(const struct vitrine_api *api)
{
	VITRINE_FUNCTIONS(SET_FUNCTION)
}

static void arrive(struct vitrine_publisher *publisher, const struct vitrine_api *api)
{
	mutex_lock(&publisher->lock);
	functions_set(api);
	/* A batch must not begin with the old targets and end with the new ones. */
	synchronize_rcu();
	publisher->publish(publisher);
	mutex_unlock(&publisher->lock);
}

static void leave(struct vitrine_publisher *publisher,
		  void (*destroy)(const struct module *owner, bool is_expected))
{
	mutex_lock(&publisher->lock);
	mutex_lock(&leaving);
	publisher->unpublish(publisher);
	/* Everything else is created below a tree. */
	static_call_update(vitrine_tree_create_for, (void *)__static_call_return0);
	static_call_update(vitrine_lazy_create, (void *)__static_call_return0);
	/* Pairs with the preempt_disable() of updates. */
	synchronize_rcu();
	mutex_unlock(&publisher->lock);

	destroy(publisher->owner, true);
	mutex_unlock(&leaving);

	mutex_lock(&publisher->lock);
	functions_set(NULL);
	mutex_unlock(&publisher->lock);
}

void vitrine_publisher_lazy_destroy(struct vitrine_lazy *lazy)
{
	if (lazy) {
		vitrine_lazy_destroy(lazy);
		return;
	}
	/* Perhaps the handle was cleared, and fill() is still running. */
	mutex_lock(&leaving);
	mutex_unlock(&leaving);
}

void vitrine_publisher_register(struct vitrine_publisher *publisher)
{
	publisher->name = KBUILD_MODNAME;
	publisher->owner = THIS_MODULE;
	publisher->arrive = arrive;
	publisher->leave = leave;
	mutex_init(&publisher->lock);
	publisher->device = platform_device_register_data(NULL, "vitrine-publisher",
							  PLATFORM_DEVID_AUTO, &publisher,
							  sizeof(publisher));
}

void vitrine_publisher_unregister(struct vitrine_publisher *publisher)
{
	if (!IS_ERR_OR_NULL(publisher->device))
		platform_device_unregister(publisher->device);
	publisher->device = NULL;
}
