// SPDX-License-Identifier: GPL-2.0
/*
 * Wakes up a thread in each context of the kernel, for waker.sh. The thread reads the file
 * "contexts" of debugfs. A word that another thread writes to it tells where the wakeup is
 * made:
 *
 *   in-thread     in write() itself
 *   in-hardirq    in the handler of an interrupt that write() raises
 *   in-call       in a softirq that write() raises, when it enables softirqs again
 *   in-ksoftirqd  in a softirq that is raised again until ksoftirqd runs it
 *
 * Concurrency: one thread reads and one writes, each time when the other has been woken up.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static DECLARE_COMPLETION(wakeup);

static void wake_in_softirq(struct tasklet_struct *tasklet)
{
	complete(&wakeup);
}

static DECLARE_TASKLET(softirq, wake_in_softirq);

static void wake_in_ksoftirqd(struct tasklet_struct *tasklet)
{
	if (str_has_prefix(current->comm, "ksoftirqd/"))
		complete(&wakeup);
	else
		tasklet_schedule(tasklet);
}

static DECLARE_TASKLET(restless, wake_in_ksoftirqd);

static void wake_in_hardirq(struct irq_work *work)
{
	complete(&wakeup);
}

static struct irq_work hardirq = IRQ_WORK_INIT_HARD(wake_in_hardirq);

static void raise_in_call(void)
{
	local_bh_disable();
	tasklet_schedule(&softirq);
	local_bh_enable();
}

static ssize_t contexts_read(struct file *file, char __user *to, size_t len, loff_t *offset)
{
	int err = wait_for_completion_interruptible(&wakeup);

	if (err)
		return err;
	return put_user('\n', to) ? -EFAULT : 1;
}

static ssize_t contexts_write(struct file *file, const char __user *from, size_t len,
			      loff_t *offset)
{
	char word[16] = "";

	if (len >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, from, len))
		return -EFAULT;
	if (!strcmp(word, "in-thread"))
		complete(&wakeup);
	else if (!strcmp(word, "in-hardirq"))
		irq_work_queue(&hardirq);
	else if (!strcmp(word, "in-call"))
		raise_in_call();
	else if (!strcmp(word, "in-ksoftirqd"))
		tasklet_schedule(&restless);
	else
		return -EINVAL;
	return len;
}

static const struct file_operations contexts_fops = {
	.owner	= THIS_MODULE,
	.read	= contexts_read,
	.write	= contexts_write,
};

static struct dentry *dentry;

static int __init contexts_init(void)
{
	dentry = debugfs_create_file("contexts", 0600, NULL, NULL, &contexts_fops);
	return PTR_ERR_OR_ZERO(dentry);
}

static void __exit contexts_exit(void)
{
	debugfs_remove(dentry);
	irq_work_sync(&hardirq);
	tasklet_kill(&softirq);
	tasklet_kill(&restless);
}

module_init(contexts_init);
module_exit(contexts_exit);

MODULE_DESCRIPTION("Wake up a thread in each context of the kernel");
MODULE_LICENSE("GPL");
