// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that requires vitrine: /sys/kernel/debug/vitrine/inspect/hello.inspect counts what
 * is written to /sys/module/hello/parameters/greet.
 */
#include <linux/module.h>

#include <vitrine/inspect.h>

static struct vitrine_tree *tree;
static struct vitrine_uint *greetings;

static int greet(const char *text, const struct kernel_param *param)
{
	vitrine_uint_add(greetings, 1);
	return 0;
}
module_param_call(greet, greet, NULL, NULL, 0200);

static int __init hello_init(void)
{
	tree = vitrine_tree_create("hello", 0);
	greetings = vitrine_uint_create(vitrine_tree_root(tree), "greetings", 0);
	return 0;
}
module_init(hello_init);

static void __exit hello_exit(void)
{
	vitrine_tree_destroy(tree);
}
module_exit(hello_exit);

MODULE_DESCRIPTION("Publish a number");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
