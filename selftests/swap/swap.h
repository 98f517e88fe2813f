/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module whose events identify it twice: by their names, which the recorder looks up once
 * per sub-buffer, and by their values, which it does not cache. Two such modules differ
 * only in SWAP_NAME, which has five letters, and SWAP_NUMBER. When one is loaded after the
 * other was unloaded, it is likely to get the same memory, so that its event sites and
 * strings have the addresses of the other module's.
 *
 * Writing N to its parameter "run" makes each CPU write N events of each kind, in an
 * interrupt.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/smp.h>

#include <vitrine/inspect.h>
#include <vitrine/trace.h>

static DEFINE_VITRINE_CATEGORY(swap);

static unsigned int rounds;

static void write_events(void *unused)
{
	const char *text = SWAP_NAME;
	unsigned int i;

	OPTIMIZER_HIDE_VAR(text);
	for (i = 0; i < rounds; i++) {
		vitrine_trace_instant(swap, SWAP_NAME "-none");
		vitrine_trace_instant(swap, SWAP_NAME "-one",
				      VITRINE_ARG(SWAP_NAME "_nr", SWAP_NUMBER));
		vitrine_trace_instant(swap, SWAP_NAME "-text",
				      VITRINE_ARG(SWAP_NAME "_text", text));
		vitrine_trace_counter(swap, SWAP_NAME "-counter", 0,
				      VITRINE_ARG(SWAP_NAME "_nr", SWAP_NUMBER),
				      VITRINE_ARG("constant", SWAP_NAME));
	}
}

static int run_set(const char *value, const struct kernel_param *param)
{
	int err = kstrtouint(value, 0, &rounds);

	if (!err)
		on_each_cpu(write_events, NULL, 1);
	return err;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int __init swap_init(void)
{
	return vitrine_category_register(&vitrine_category_swap);
}

static void __exit swap_exit(void)
{
	vitrine_category_unregister(&vitrine_category_swap);
}

module_init(swap_init);
module_exit(swap_exit);

MODULE_DESCRIPTION("Events that say which module wrote them");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
