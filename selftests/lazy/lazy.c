// SPDX-License-Identifier: GPL-2.0
/*
 * Lazy trees with all kinds of behaviour, for lazy.sh to open:
 *
 *   lazy-fine		is filled at once; "fill" is the number of calls
 *   lazy-full		creates more values than its limit permits
 *   lazy-fail		fails with the errno in fail=
 *   lazy-endless	runs until release= is written, or the module is unloaded
 *   lazy-self		opens its own file; "opened" is the result
 *   lazy-ping, -pong	open each other's file
 *
 * With forget=1 it also registers a category and creates a tree, and removes nothing of all
 * this in its exit function. With fail_init=1 its init function fails at its end.
 *
 * Concurrency: each fill() accesses only its own tree; vitrine serialises the calls for
 * one tree. @released is written before @release is woken; @loader_root is written while
 * the module is loaded and unloaded only.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/path.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <vitrine/inspect.h>
#include <vitrine/trace.h>

#define INSPECT_DIR	"/sys/kernel/debug/vitrine/inspect/"
/* More than enough for trees that do not wait on purpose. */
#define AMPLE_MS	30000

static unsigned int timeout_ms = 200;
module_param(timeout_ms, uint, 0444);
MODULE_PARM_DESC(timeout_ms, "Timeout of lazy-endless, lazy-ping and lazy-pong in milliseconds");

static int fail = -EIO;
module_param(fail, int, 0644);

static bool forget;
module_param(forget, bool, 0444);

static bool fail_init;
module_param(fail_init, bool, 0444);

static DEFINE_VITRINE_CATEGORY(lazy);

static DECLARE_WAIT_QUEUE_HEAD(release);
static bool released;
static struct path loader_root;

static int release_set(const char *word, const struct kernel_param *param)
{
	int err = param_set_bool(word, param);

	wake_up_all(&release);
	return err;
}

static const struct kernel_param_ops release_ops = {
	.set = release_set,
	.get = param_get_bool,
};

module_param_cb(release, &release_ops, &released, 0644);

static int fill_fine(struct vitrine_node *root, void *ctx)
{
	static unsigned int nr_fills;

	vitrine_uint_create(root, "fill", ++nr_fills);
	vitrine_string_create(root, "ctx", ctx);
	return 0;
}

static int fill_full(struct vitrine_node *root, void *ctx)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		vitrine_uint_create(root, "value", i);
	return 0;
}

static int fill_fail(struct vitrine_node *root, void *ctx)
{
	vitrine_uint_create(root, "never", 1);
	return READ_ONCE(fail);
}

static int fill_endless(struct vitrine_node *root, void *ctx)
{
	wait_event(release, READ_ONCE(released));
	vitrine_bool_create(root, "released", true);
	return 0;
}

/*
 * Open the file that ctx names. From 7.0 on the root directory of a kernel thread is
 * empty, so the path is looked up from that of the process that loaded this module.
 */
static int fill_open(struct vitrine_node *root, void *ctx)
{
	struct file *file = file_open_root(&loader_root, ctx, O_RDONLY, 0);

	vitrine_int_create(root, "opened", PTR_ERR_OR_ZERO(file));
	if (!IS_ERR(file))
		filp_close(file, NULL);
	return 0;
}

static struct {
	const char		*name;
	size_t			limit_bytes;
	unsigned int		timeout_ms;
	int			(*fill)(struct vitrine_node *root, void *ctx);
	void			*ctx;
	struct vitrine_lazy	*lazy;
} lazies[] = {
	{ "lazy-fine", 0, AMPLE_MS, fill_fine, "context" },
	{ "lazy-full", 4096, AMPLE_MS, fill_full },
	{ "lazy-fail", 0, AMPLE_MS, fill_fail },
	{ "lazy-endless", 0, 0, fill_endless },
	{ "lazy-self", 0, AMPLE_MS, fill_open, INSPECT_DIR "lazy-self.inspect" },
	{ "lazy-ping", 0, 0, fill_open, INSPECT_DIR "lazy-pong.inspect" },
	{ "lazy-pong", 0, 0, fill_open, INSPECT_DIR "lazy-ping.inspect" },
};

static int __init lazy_init(void)
{
	unsigned int i;

	get_fs_root(current->fs, &loader_root);
	for (i = 0; i < ARRAY_SIZE(lazies); i++)
		lazies[i].lazy = vitrine_lazy_create(lazies[i].name, lazies[i].limit_bytes,
						     lazies[i].timeout_ms ?: timeout_ms,
						     lazies[i].fill, lazies[i].ctx);
	if (forget) {
		vitrine_tree_create("lazy-tree", 0);
		vitrine_category_register(&vitrine_category_lazy);
		path_put(&loader_root);
	}
	return fail_init ? -ENODEV : 0;
}

static void __exit lazy_exit(void)
{
	unsigned int i;

	WRITE_ONCE(released, true);
	wake_up_all(&release);
	if (forget)
		return;
	for (i = 0; i < ARRAY_SIZE(lazies); i++)
		vitrine_lazy_destroy(lazies[i].lazy);
	path_put(&loader_root);
}

module_init(lazy_init);
module_exit(lazy_exit);

MODULE_DESCRIPTION("Lazy trees for tests: fast, slow, failing, endless");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
