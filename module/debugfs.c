// SPDX-License-Identifier: GPL-2.0
/*
 * Everything under debugfs: files of trees, of rings, and the settings.
 * Documentation/ABI/debugfs-vitrine describes each.
 *
 * debugfs does not forward mmap for files it guards in full, so files with
 * mmap are created "unsafe": debugfs then guards open() only, and what open()
 * finds takes a reference of its own. Opening takes the module reference, so
 * the module stays while a file is open or mapped.
 *
 * Under lockdown debugfs refuses files that have mmap or can be written; when
 * it is locked down already at load, the readable files come without mmap.
 *
 * As everywhere with debugfs, files that cannot be made are done without.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <uapi/vitrine/map.h>
#include <vitrine/inspect.h>

#include "archive.h"
#include "area.h"
#include "category.h"
#include "clock.h"
#include "debugfs.h"
#include "inspect.h"
#include "retained.h"
#include "ring.h"
#include "session.h"
#include "trigger.h"

static struct dentry *top_dir, *inspect_dir, *retained_dir, *trace_dir;

/*
 * Copies: what read() serves is copied at the first read() and then stands
 * still until the file is closed.
 */

/**
 * struct copy - an open file that serves a copy
 * @lock: serialises the first read
 * @tree: what to copy, with a reference
 * @refresh: has a tree brought up to date once a second
 * @bytes: the copy, NULL before the first read
 * @len: its length
 */
struct copy {
	struct mutex		lock;	/* of @bytes and @len */
	struct vitrine_tree	*tree;
	struct delayed_work	refresh;
	void			*bytes;
	size_t			len;
};

static int copy_open(struct file *file, struct vitrine_tree *tree)
{
	struct copy *copy = kzalloc(sizeof(*copy), GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	mutex_init(&copy->lock);
	copy->tree = vtr_inspect_get(tree);
	file->private_data = copy;
	return 0;
}

static int copy_take(struct copy *copy)
{
	int err = 0;

	mutex_lock(&copy->lock);
	if (!copy->bytes)
		err = vtr_inspect_snapshot(copy->tree, &copy->bytes,
					   &copy->len);
	mutex_unlock(&copy->lock);
	return err;
}

static ssize_t copy_read(struct file *file, char __user *buf, size_t count,
			 loff_t *pos)
{
	struct copy *copy = file->private_data;
	int err;

	err = copy_take(copy);
	if (err)
		return err;
	return simple_read_from_buffer(buf, count, pos, copy->bytes,
				       copy->len);
}

static int copy_release(struct inode *inode, struct file *file)
{
	struct copy *copy = file->private_data;

	vtr_inspect_put(copy->tree);
	kvfree(copy->bytes);
	kfree(copy);
	return 0;
}

/*
 * Trees. Some bring themselves up to date when asked: when their file is
 * opened and, for those who look at a mapping, once a second while it is open.
 */

static void tree_refresh(struct work_struct *work)
{
	struct copy *copy = container_of(to_delayed_work(work), struct copy,
					 refresh);

	vtr_inspect_refresh(copy->tree);
	schedule_delayed_work(&copy->refresh, HZ);
}

static int tree_open(struct inode *inode, struct file *file)
{
	struct vitrine_tree *tree;
	struct copy *copy;
	int err;

	err = vtr_inspect_open(inode->i_private, &tree);
	if (err)
		return err;
	err = copy_open(file, tree);
	vtr_inspect_put(tree);
	if (err)
		return err;
	copy = file->private_data;
	INIT_DEFERRABLE_WORK(&copy->refresh, tree_refresh);
	if (!vtr_inspect_frozen(tree))
		tree_refresh(&copy->refresh.work);
	return 0;
}

static int tree_release(struct inode *inode, struct file *file)
{
	struct copy *copy = file->private_data;

	cancel_delayed_work_sync(&copy->refresh);
	return copy_release(inode, file);
}

static int tree_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct copy *copy = file->private_data;

	return vtr_area_mmap(vtr_inspect_area(copy->tree), vma, 0);
}

static const struct file_operations tree_fops = {
	.owner		= THIS_MODULE,
	.open		= tree_open,
	.read		= copy_read,
	.llseek		= default_llseek,
	.mmap		= tree_mmap,
	.release	= tree_release,
};

static const struct file_operations tree_locked_down_fops = {
	.owner		= THIS_MODULE,
	.open		= tree_open,
	.read		= copy_read,
	.llseek		= default_llseek,
	.release	= tree_release,
};

static const struct file_operations *tree_file_operations = &tree_fops;

static struct dentry *tree_publish(struct vtr_inspect_entry *entry)
{
	char name[VITRINE_TREE_NAME_MAX + sizeof(VITRINE_INSPECT_SUFFIX)];
	bool retained = entry->kind == VTR_INSPECT_RETAINED;

	snprintf(name, sizeof(name), "%s" VITRINE_INSPECT_SUFFIX, entry->name);
	return debugfs_create_file_unsafe(name, 0400,
					  retained ? retained_dir : inspect_dir,
					  entry,
					  tree_file_operations);
}

static const struct vtr_inspect_files tree_files = {
	.publish	= tree_publish,
	.withdraw	= debugfs_remove,
};

/* retained/drop: takes the name of a retained tree, or "*". */

static ssize_t drop_write(struct file *file, const char __user *buf,
			  size_t count, loff_t *pos)
{
	char name[VITRINE_TREE_NAME_MAX + sizeof("\n")];
	int err;

	if (count >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, buf, count))
		return -EFAULT;
	name[count] = '\0';
	if (count && name[count - 1] == '\n')
		name[count - 1] = '\0';
	err = vtr_retained_drop(name);
	return err ?: count;
}

static const struct file_operations drop_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= drop_write,
	.llseek		= noop_llseek,
};

/* Rings: trace/cpu<N>, mapped only; trace/trace.fxt, read only. */

static int ring_open(struct inode *inode, struct file *file)
{
	unsigned int cpu = (unsigned long)inode->i_private;

	file->private_data = vtr_session_ring(cpu);
	return file->private_data ? 0 : -ENODEV;
}

static int ring_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vtr_ring *ring = file->private_data;

	return vtr_area_mmap(&ring->area, vma, VITRINE_RING_PRODUCER_PAGE);
}

static __poll_t ring_poll(struct file *file, poll_table *wait)
{
	struct vtr_ring *ring = file->private_data;

	poll_wait(file, &ring->wait, wait);
	return (vtr_ring_readable(ring) ? EPOLLIN | EPOLLRDNORM : 0) |
	       (vtr_ring_frozen(ring) ? EPOLLPRI : 0);
}

static int ring_release(struct inode *inode, struct file *file)
{
	vtr_ring_put(file->private_data);
	return 0;
}

static const struct file_operations ring_fops = {
	.owner		= THIS_MODULE,
	.open		= ring_open,
	.mmap		= ring_mmap,
	.poll		= ring_poll,
	.llseek		= noop_llseek,
	.release	= ring_release,
};

/* A CPU may come more than once, its file only once. */
static struct cpumask ring_files;

static void ring_publish(unsigned int cpu)
{
	char name[16];

	if (cpumask_test_and_set_cpu(cpu, &ring_files))
		return;
	snprintf(name, sizeof(name), "cpu%u", cpu);
	debugfs_create_file_unsafe(name, 0600, trace_dir,
				   (void *)(unsigned long)cpu, &ring_fops);
}

static int archive_open(struct inode *inode, struct file *file)
{
	file->private_data = vtr_archive_create();
	return file->private_data ? stream_open(inode, file) : -ENOMEM;
}

static ssize_t archive_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	return vtr_archive_read(file->private_data, buf, count);
}

static int archive_release(struct inode *inode, struct file *file)
{
	vtr_archive_destroy(file->private_data);
	return 0;
}

static const struct file_operations archive_fops = {
	.owner		= THIS_MODULE,
	.open		= archive_open,
	.read		= archive_read,
	.release	= archive_release,
};

/* Settings: read shows "[current] other", write sets. */

#define SETTING_MAX_BYTES	VTR_TRIGGER_LINE_BYTES

/**
 * struct setting - one control file
 * @name: file name
 * @show: writes the line that read() returns; returns its length
 * @set: takes what was written, without white space around it
 */
struct setting {
	const char	*name;
	int		(*show)(char *line);
	int		(*set)(const char *word);
};

static int enable_show(char *line)
{
	return scnprintf(line, SETTING_MAX_BYTES, "%s\n",
			 vtr_session_enabled() ? "[1] 0" : "[0] 1");
}

static int enable_set(const char *word)
{
	u8 enable;
	int err;

	err = kstrtou8(word, 0, &enable);
	if (err || enable > 1)
		return -EINVAL;
	return vtr_session_enable(enable);
}

static int clock_show(char *line)
{
	struct vtr_session_settings settings;
	unsigned int clock;
	int len = 0;

	vtr_session_settings(&settings);
	for (clock = 0; clock < VTR_NR_CLOCKS; clock++) {
		if (!vtr_clock_usable(clock))
			continue;
		len += scnprintf(line + len, SETTING_MAX_BYTES - len,
				 clock == settings.clock ? "%s[%s]" : "%s%s",
				 len ? " " : "", vtr_clock_name(clock));
	}
	return len + scnprintf(line + len, SETTING_MAX_BYTES - len, "\n");
}

static int clock_set(const char *word)
{
	struct vtr_session_settings settings;
	int clock;

	clock = vtr_clock_find(word);
	if (clock < 0)
		return clock;
	vtr_session_settings(&settings);
	settings.clock = clock;
	return vtr_session_replace(&settings);
}

static int mode_show(char *line)
{
	struct vtr_session_settings settings;
	unsigned int mode;
	int len = 0;

	vtr_session_settings(&settings);
	for (mode = 0; mode < VTR_NR_MODES; mode++)
		len += scnprintf(line + len, SETTING_MAX_BYTES - len,
				 mode == settings.mode ? "%s[%s]" : "%s%s",
				 len ? " " : "", vtr_session_mode_name(mode));
	return len + scnprintf(line + len, SETTING_MAX_BYTES - len, "\n");
}

static int mode_set(const char *word)
{
	struct vtr_session_settings settings;
	int mode;

	mode = vtr_session_find_mode(word);
	if (mode < 0)
		return mode;
	vtr_session_settings(&settings);
	settings.mode = mode;
	return vtr_session_replace(&settings);
}

static int buffer_kb_show(char *line)
{
	struct vtr_session_settings settings;

	vtr_session_settings(&settings);
	return scnprintf(line, SETTING_MAX_BYTES, "%u\n", settings.buffer_kb);
}

static int buffer_kb_set(const char *word)
{
	struct vtr_session_settings settings;
	int err;

	vtr_session_settings(&settings);
	err = kstrtouint(word, 0, &settings.buffer_kb);
	return err ?: vtr_session_replace(&settings);
}

static int subbuf_kb_show(char *line)
{
	struct vtr_session_settings settings;

	vtr_session_settings(&settings);
	return scnprintf(line, SETTING_MAX_BYTES, "%u\n", settings.subbuf_kb);
}

static int subbuf_kb_set(const char *word)
{
	struct vtr_session_settings settings;
	int err;

	vtr_session_settings(&settings);
	err = kstrtouint(word, 0, &settings.subbuf_kb);
	return err ?: vtr_session_replace(&settings);
}

static const struct setting settings[] = {
	{ "enable",	enable_show,	enable_set },
	{ "clock",	clock_show,	clock_set },
	{ "mode",	mode_show,	mode_set },
	{ "buffer_kb",	buffer_kb_show,	buffer_kb_set },
	{ "subbuf_kb",	subbuf_kb_show,	subbuf_kb_set },
	{ "trigger",	vtr_trigger_show, vtr_trigger_set },
};

/* A setting is read and changed as a whole. */
static DEFINE_MUTEX(settings_mutex);

static ssize_t setting_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	const struct setting *setting = file_inode(file)->i_private;
	char line[SETTING_MAX_BYTES];
	int len;

	mutex_lock(&settings_mutex);
	len = setting->show(line);
	mutex_unlock(&settings_mutex);
	return simple_read_from_buffer(buf, count, pos, line, len);
}

static ssize_t setting_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	const struct setting *setting = file_inode(file)->i_private;
	char line[SETTING_MAX_BYTES];
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	mutex_lock(&settings_mutex);
	err = setting->set(strim(line));
	mutex_unlock(&settings_mutex);
	return err ?: count;
}

/* Only a trigger ever has news; the others can always be read. */
static __poll_t setting_poll(struct file *file, poll_table *wait)
{
	const struct setting *setting = file_inode(file)->i_private;

	return setting->set == vtr_trigger_set ? vtr_trigger_poll(file, wait) :
						 DEFAULT_POLLMASK;
}

static const struct file_operations setting_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.read		= setting_read,
	.write		= setting_write,
	.poll		= setting_poll,
	.llseek		= default_llseek,
};

/* Events: a line a category, read and written alike. */

#define EVENTS_MAX_BYTES	4096

static int events_seq_show(struct seq_file *seq, void *unused)
{
	vtr_category_show(seq);
	return 0;
}

static int events_open(struct inode *inode, struct file *file)
{
	return single_open(file, events_seq_show, NULL);
}

static ssize_t events_write(struct file *file, const char __user *buf,
			    size_t count, loff_t *pos)
{
	char *words;
	int err;

	if (count > EVENTS_MAX_BYTES)
		return -EINVAL;
	words = memdup_user_nul(buf, count);
	if (IS_ERR(words))
		return PTR_ERR(words);
	err = vtr_category_switch(words);
	kfree(words);
	return err ?: count;
}

static const struct file_operations events_fops = {
	.owner		= THIS_MODULE,
	.open		= events_open,
	.read		= seq_read,
	.write		= events_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/**
 * vtr_debugfs_init() - show everything
 *
 * Nothing here fails the load: without debugfs there are no files, and the
 * recorder still runs for a crash dump to find. The load must not fail any more
 * either: opening a file succeeds from here on, and nothing waits for its close.
 *
 * Context: task, sleeps; the last step of loading.
 */
void vtr_debugfs_init(void)
{
	unsigned int i;

	if (security_locked_down(LOCKDOWN_DEBUGFS))
		tree_file_operations = &tree_locked_down_fops;

	top_dir = debugfs_create_dir(VITRINE_DEBUGFS_DIR, NULL);
	inspect_dir = debugfs_create_dir(VITRINE_INSPECT_DIR, top_dir);
	retained_dir = debugfs_create_dir(VITRINE_RETAINED_DIR, inspect_dir);
	trace_dir = debugfs_create_dir(VITRINE_TRACE_DIR, top_dir);
	vtr_inspect_set_files(&tree_files);

	debugfs_create_file(VITRINE_DROP_FILE, 0200, retained_dir, NULL,
			    &drop_fops);
	debugfs_create_file_unsafe("trace.fxt", 0400, trace_dir, NULL,
				   &archive_fops);
	debugfs_create_file("events", 0600, trace_dir, NULL, &events_fops);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		debugfs_create_file(settings[i].name, 0600, trace_dir,
				    (void *)&settings[i], &setting_fops);
	vtr_session_set_publish(ring_publish);
}

/**
 * vtr_debugfs_deinit() - take everything away again
 *
 * Context: task, sleeps; no file of ours is open.
 */
void vtr_debugfs_deinit(void)
{
	vtr_session_set_publish(NULL);
	vtr_inspect_set_files(NULL);
	debugfs_remove(top_dir);
}
