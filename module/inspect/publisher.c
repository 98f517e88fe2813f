// SPDX-License-Identifier: GPL-2.0
/*
 * Publishers in drivers that work without vitrine, too: the other side of
 * <vitrine/publisher.h>.
 *
 * Neither side refers to a symbol of the other, or holds a reference between calls, and either
 * can go first, so they meet at what outlives both: the publisher is a device on the platform
 * bus, and vitrine the driver of all devices of that name. The driver core binds and unbinds
 * them under the lock of the device, and waits for a callback in progress. With symbol_get(),
 * both sides would need a lock that neither can own; a module notifier is called only after
 * the exit function of a module, when the trees have gone already; and a table of functions
 * would make each update an indirect call on x86, too.
 *
 * Concurrency: the driver core binds one publisher at a time to this driver, and unbinds it
 * before either of the two modules is gone. All calls are made in task context.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/platform_device.h>

/* First, so that it declares the functions themselves. */
#include <vitrine/inspect.h>
#include <vitrine/publisher.h>

#include "inspect.h"

#define API_MEMBER(function)	.function = vitrine_##function,

static const struct vitrine_api api = {
	VITRINE_FUNCTIONS(API_MEMBER)
};

/* The handles are cleared and no update runs any more when leave() returns. */
static void publisher_leaves(void *context)
{
	struct vitrine_publisher *publisher = context;

	publisher->leave(publisher);
	vtr_inspect_module_goes(publisher->owner, true);
}

static int publisher_arrives(struct platform_device *device)
{
	struct vitrine_publisher *publisher =
		*(struct vitrine_publisher **)dev_get_platdata(&device->dev);

	if (publisher->abi != VITRINE_ABI) {
		pr_warn("module %s publishes nothing: it was built for version %u of the interface, and this is %u; build it again\n",
			publisher->name, publisher->abi, VITRINE_ABI);
		return 0;
	}
	publisher->arrive(publisher, &api);
	return devm_add_action_or_reset(&device->dev, publisher_leaves, publisher);
}

static struct platform_driver publishers = {
	.probe = publisher_arrives,
	.driver = {
		.name = "vitrine-publisher",
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

/**
 * vtr_publisher_init() - let the registered publishers publish, and those to come
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOMEM, for which the driver core has -EINVAL, too.
 */
int vtr_publisher_init(void)
{
	return platform_driver_register(&publishers) ? -ENOMEM : 0;
}

/**
 * vtr_publisher_deinit() - make all publishers forget their handles, and destroy their trees
 *
 * Context: task; may sleep.
 */
void vtr_publisher_deinit(void)
{
	platform_driver_unregister(&publishers);
}
