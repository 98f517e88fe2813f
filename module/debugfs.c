// SPDX-License-Identifier: GPL-2.0
/*
 * The files under debugfs: trees, rings and settings.
 * Documentation/ABI/debugfs-vitrine describes each of them.
 *
 * debugfs does not forward mmap() for files that it protects completely. Files with
 * mmap() are therefore created with debugfs_create_file_unsafe(): debugfs protects only
 * their open(), which takes a reference to the object behind the file. open() also takes
 * a module reference, so the module cannot be unloaded while a file is open or mapped.
 *
 * Under lockdown debugfs refuses to open files that have mmap() or can be written. If
 * the kernel is locked down when the module is loaded, the trees are created without
 * mmap(). Lockdown for confidentiality also closes the files of trace/ that debugfs would
 * open, as it closes tracefs. Files that are already open or mapped stay.
 *
 * As usual with debugfs, files that cannot be created are missing, and nothing fails.
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

#include <uapi/vitrine/map.h>
#include <vitrine/inspect.h>

#include "trace/archive.h"
#include "area.h"
#include "trace/category.h"
#include "trace/clock.h"
#include "trace/cost.h"
#include "debugfs.h"
#include "inspect/inspect.h"
#include "inspect/retained.h"
#include "trace/marker.h"
#include "trace/ring.h"
#include "trace/session.h"
#include "trace/stacks.h"
#include "trace/trigger.h"

static struct dentry *top_dir, *inspect_dir, *retained_dir, *trace_dir;

/* Written before the first file is created. */
static struct vtr_debugfs_access access;

/* Return the permissions of a file that by default only its owner can use as in @mode. */
static umode_t mode_of(umode_t mode)
{
	return (mode | mode >> 3 | mode >> 6) & access.mode;
}

/* Give a new file to its owner and group. */
static struct dentry *give(struct dentry *file)
{
	if (IS_ERR(file))
		return file;
	d_inode(file)->i_uid = access.uid;
	d_inode(file)->i_gid = access.gid;
	return file;
}

/* Create a file; @mode is for its owner. */
static void create_file(const char *name, umode_t mode, struct dentry *dir,
			void *object, const struct file_operations *operations)
{
	give(debugfs_create_file(name, mode_of(mode), dir, object, operations));
}

/* Create a file that debugfs protects only while it is opened. */
static struct dentry *create_file_unsafe(const char *name, umode_t mode,
					 struct dentry *dir, void *object,
					 const struct file_operations *operations)
{
	return give(debugfs_create_file_unsafe(name, mode_of(mode), dir, object,
					       operations));
}

/*
 * Files that are read: the first read() makes a copy, which does not change until the
 * file is closed. A frozen tree does not change anyway, and is not copied. What a reader
 * makes the kernel allocate is charged to the cgroup of that reader.
 */

/**
 * struct copy - an open file that is read from a copy
 * @lock: serialises the first read; guards @bytes and @len
 * @tree: tree to copy, with a reference
 * @bytes: the copy, NULL before the first read
 * @len: length of the copy in bytes
 */
struct copy {
	struct mutex		lock;	/* guards @bytes and @len */
	struct vitrine_tree	*tree;
	void			*bytes;
	size_t			len;
};

static int copy_open(struct file *file, struct vitrine_tree *tree)
{
	struct copy *copy = kzalloc(sizeof(*copy), GFP_KERNEL_ACCOUNT);

	if (!copy)
		return -ENOMEM;
	mutex_init(&copy->lock);
	copy->tree = vtr_inspect_get(tree);
	file->private_data = copy;
	return 0;
}

/* Make the copy, unless there is one or the tree needs none. */
static int copy_take(struct copy *copy)
{
	int err = 0;

	mutex_lock(&copy->lock);
	if (!copy->bytes && !vtr_inspect_frozen(copy->tree))
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
	if (!copy->bytes)
		return vtr_inspect_read(copy->tree, buf, count, pos);
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
 * Files of trees. A tree with refreshers is refreshed when its file is opened or read and,
 * for readers of a mapping, once a second while it is mapped.
 */

static int tree_open(struct inode *inode, struct file *file)
{
	struct vitrine_tree *tree;
	int err;

	err = vtr_inspect_open(inode->i_private, &tree);
	if (err)
		return err;
	err = copy_open(file, tree);
	if (!err)
		vtr_inspect_refresh(tree);
	vtr_inspect_put(tree);
	return err;
}

static int tree_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct copy *copy = file->private_data;

	return vtr_inspect_mmap(copy->tree, vma);
}

static const struct file_operations tree_fops = {
	.owner		= THIS_MODULE,
	.open		= tree_open,
	.read		= copy_read,
	.llseek		= default_llseek,
	.mmap		= tree_mmap,
	.release	= copy_release,
};

static const struct file_operations tree_locked_down_fops = {
	.owner		= THIS_MODULE,
	.open		= tree_open,
	.read		= copy_read,
	.llseek		= default_llseek,
	.release	= copy_release,
};

static const struct file_operations *tree_file_operations = &tree_fops;

static struct dentry *tree_publish(struct vtr_inspect_entry *entry)
{
	char name[VITRINE_TREE_NAME_MAX + sizeof(VITRINE_INSPECT_SUFFIX)];
	bool retained = entry->kind == VTR_INSPECT_RETAINED;

	snprintf(name, sizeof(name), "%s" VITRINE_INSPECT_SUFFIX, entry->name);
	return create_file_unsafe(name, 0400,
				  retained ? retained_dir : inspect_dir, entry,
				  tree_file_operations);
}

static const struct vtr_inspect_files tree_files = {
	.publish	= tree_publish,
	.withdraw	= debugfs_remove,
};

/* Write retained/drop: the name of a retained tree, or "*" for all. */

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

/*
 * Check whether a file of trace/ may be opened to read it. debugfs refuses all of them that
 * are opened for writing, and all with mmap(), at either level of lockdown.
 */
static int trace_locked_down(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

/* Files of rings: trace/cpu<N> can only be mapped, trace/trace.fxt only be read. */

static int ring_open(struct inode *inode, struct file *file)
{
	unsigned int cpu = (unsigned long)inode->i_private;

	file->private_data = vtr_session_ring(cpu);
	return file->private_data ? 0 : -ENODEV;
}

static int ring_mmap(struct file *file, struct vm_area_struct *vma)
{
	return vtr_ring_mmap(file->private_data, vma);
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

/* CPUs that have a file already: a CPU may come online several times. */
static struct cpumask ring_files;

static void ring_publish(unsigned int cpu)
{
	char name[16];

	if (cpumask_test_and_set_cpu(cpu, &ring_files))
		return;
	snprintf(name, sizeof(name), "cpu%u", cpu);
	create_file_unsafe(name, 0600, trace_dir, (void *)(unsigned long)cpu,
			   &ring_fops);
}

static int archive_open(struct inode *inode, struct file *file)
{
	int err = trace_locked_down();

	if (err)
		return err;
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

/* trace/marker: each write() is a marker; an open file has no position. */

static int marker_open(struct inode *inode, struct file *file)
{
	return stream_open(inode, file);
}

static ssize_t marker_write(struct file *file, const char __user *buf,
			    size_t count, loff_t *pos)
{
	return vtr_marker_write(buf, count);
}

static const struct file_operations marker_fops = {
	.owner		= THIS_MODULE,
	.open		= marker_open,
	.write		= marker_write,
};

/* Settings: read() returns "[current] other", write() changes the setting. */

#define SETTING_MAX_BYTES	VTR_TRIGGER_LINE_BYTES

/**
 * struct setting - one control file
 * @name: file name
 * @show: formats the line that read() returns; returns its length
 * @set: parses a written line, without surrounding white space
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

	if (!strcmp(word, "flush"))
		return vtr_session_flush();
	err = kstrtou8(word, 0, &enable);
	if (err || enable > 1)
		return -EINVAL;
	err = vtr_session_enable(enable);
	vtr_trigger_wake();
	return err;
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

/* Serialises reads and writes of settings. */
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

static int setting_open(struct inode *inode, struct file *file)
{
	return trace_locked_down();
}

/* Only the trigger notifies; the other settings can always be read. */
static __poll_t setting_poll(struct file *file, poll_table *wait)
{
	const struct setting *setting = file_inode(file)->i_private;

	return setting->set == vtr_trigger_set ? vtr_trigger_poll(file, wait) :
						 DEFAULT_POLLMASK;
}

static const struct file_operations setting_fops = {
	.owner		= THIS_MODULE,
	.open		= setting_open,
	.read		= setting_read,
	.write		= setting_write,
	.poll		= setting_poll,
	.llseek		= default_llseek,
};

/*
 * Settings of several words or lines: write() parses what was written, which may be long,
 * and read() returns the setting in the same syntax.
 */

#define WORDS_MAX_BYTES	4096

/**
 * struct words_setting - one control file
 * @name: file name
 * @show: writes what read() returns
 * @set: parses what was written
 */
struct words_setting {
	const char	*name;
	void		(*show)(struct seq_file *seq);
	int		(*set)(char *words);
};

static const struct words_setting words_settings[] = {
	{ "events",	vtr_category_show,	vtr_category_switch },
	{ "stacks",	vtr_stacks_show,	vtr_stacks_set },
};

static int words_show(struct seq_file *seq, void *unused)
{
	const struct words_setting *setting = seq->private;

	setting->show(seq);
	return 0;
}

static int words_open(struct inode *inode, struct file *file)
{
	return trace_locked_down() ?:
	       single_open(file, words_show, inode->i_private);
}

static ssize_t words_write(struct file *file, const char __user *buf,
			   size_t count, loff_t *pos)
{
	const struct words_setting *setting = file_inode(file)->i_private;
	char *words;
	int err;

	if (count > WORDS_MAX_BYTES)
		return -EINVAL;
	words = memdup_user_nul(buf, count);
	if (IS_ERR(words))
		return PTR_ERR(words);
	err = setting->set(words);
	kfree(words);
	return err ?: count;
}

static const struct file_operations words_fops = {
	.owner		= THIS_MODULE,
	.open		= words_open,
	.read		= seq_read,
	.write		= words_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* trace/cost: the cost of a record, measured on each read. */

static int cost_show(struct seq_file *seq, void *unused)
{
	struct vtr_cost cost;
	int err;

	err = vtr_cost_measure(&cost);
	if (err)
		return err;
	seq_printf(seq, "switch %llu\nwakeup %llu\nevent %llu\n",
		   cost.switch_ps, cost.wakeup_ps, cost.event_ps);
	return 0;
}

static int cost_open(struct inode *inode, struct file *file)
{
	return trace_locked_down() ?: single_open(file, cost_show, NULL);
}

static const struct file_operations cost_fops = {
	.owner		= THIS_MODULE,
	.open		= cost_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/**
 * vtr_debugfs_init() - create all files
 * @for_whom: owner, group and permissions of the files
 *
 * Failures are ignored: without debugfs there are no files, and a crash dump still
 * contains the recording. This is the last step of loading and cannot fail, because a
 * file can be opened as soon as it exists, and nothing would wait until it is closed.
 *
 * Context: task; may sleep.
 */
void vtr_debugfs_init(const struct vtr_debugfs_access *for_whom)
{
	unsigned int i;

	access = *for_whom;
	if (security_locked_down(LOCKDOWN_DEBUGFS))
		tree_file_operations = &tree_locked_down_fops;

	top_dir = debugfs_create_dir(VITRINE_DEBUGFS_DIR, NULL);
	inspect_dir = debugfs_create_dir(VITRINE_INSPECT_DIR, top_dir);
	retained_dir = debugfs_create_dir(VITRINE_RETAINED_DIR, inspect_dir);
	trace_dir = debugfs_create_dir(VITRINE_TRACE_DIR, top_dir);
	vtr_inspect_set_files(&tree_files);

	create_file(VITRINE_DROP_FILE, 0200, retained_dir, NULL, &drop_fops);
	create_file_unsafe("trace.fxt", 0400, trace_dir, NULL, &archive_fops);
	create_file_unsafe("marker", 0200, trace_dir, NULL, &marker_fops);
	create_file("cost", 0400, trace_dir, NULL, &cost_fops);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		create_file(settings[i].name, 0600, trace_dir,
			    (void *)&settings[i], &setting_fops);
	for (i = 0; i < ARRAY_SIZE(words_settings); i++)
		create_file(words_settings[i].name, 0600, trace_dir,
			    (void *)&words_settings[i], &words_fops);
	vtr_session_set_publish(ring_publish);
}

/**
 * vtr_debugfs_deinit() - remove all files
 *
 * Context: task; may sleep. No file is open.
 */
void vtr_debugfs_deinit(void)
{
	vtr_session_set_publish(NULL);
	vtr_inspect_set_files(NULL);
	debugfs_remove(top_dir);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/debugfs_kunit.c"
#endif
