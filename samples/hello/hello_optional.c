// SPDX-License-Identifier: GPL-2.0
/* The same driver, which loads, works and unloads without vitrine, too. */
#include <linux/module.h>

#include <vitrine/publisher.h>

static struct vitrine_uint *greetings;

static int greet(const char *text, const struct kernel_param *param)
{
	vitrine_uint_add(greetings, 1);
	return 0;
}
module_param_call(greet, greet, NULL, NULL, 0200);

static void hello_publish(struct vitrine_publisher *publisher)
{
	struct vitrine_tree *tree = vitrine_tree_create("hello", 0);

	greetings = vitrine_uint_create(vitrine_tree_root(tree), "greetings", 0);
}

static void hello_unpublish(struct vitrine_publisher *publisher)
{
	WRITE_ONCE(greetings, NULL);
}

static struct vitrine_publisher publisher = {
	.abi = VITRINE_ABI, .publish = hello_publish, .unpublish = hello_unpublish,
};

static int __init hello_init(void)
{
	vitrine_publisher_register(&publisher);
	return 0;
}
module_init(hello_init);

static void __exit hello_exit(void)
{
	vitrine_publisher_unregister(&publisher);
}
module_exit(hello_exit);

MODULE_DESCRIPTION("Publish a number if vitrine is there");
MODULE_LICENSE("GPL");
