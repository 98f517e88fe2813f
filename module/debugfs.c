// SPDX-License-Identifier: GPL-2.0
/*
 * The files under debugfs: trees, rings and settings.
 * Documentation/ABI/debugfs-vitrine describes each of them.
 *
 * debugfs does not forward mmap() for files that it protects completely. Files are therefore
 * created with debugfs_create_file_unsafe(): debugfs protects only their open(), which takes a
 * reference to the object behind the file. open() also takes a module reference, so the module
 * cannot be unloaded while a file is open or mapped.
 *
 * Under lockdown debugfs refuses to open files that have mmap() or can be written. If
 * the kernel is locked down when the module is loaded, the trees are created without
 * mmap(). Lockdown for confidentiality also closes the files of trace/ that debugfs would
 * open, as it closes tracefs. Files that are already open or mapped stay.
 *
 * As usual with debugfs, files that cannot be created are missing, and nothing fails.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "debugfs.h"
#include "inspect/inspect.h"
#include "trace/category.h"
#include "trace/event.h"
#include "trace/session.h"
#include "trace/source.h"
#include "trace/waits.h"

/*
 * The file trace.fxt: the contents of the rings, one sub-buffer after the other, CPU
 * by CPU and oldest first. Sub-buffers are copied one at a time, so that an open file
 * takes the memory of one sub-buffer, regardless of the size of the rings. This memory is
 * charged to the cgroup of the reader.
 *
 * Concurrency: @lock serialises readers of one open file; it is taken before
 * session_mutex. The file holds references to the rings, and CPUs continue to record.
 * Sub-buffers that were overwritten before a slow reader reached them are left out,
 * which a provider event reports.
 */

/**
 * struct archive - an open reader of trace.fxt
 * @lock: serialises reads; guards all following fields
 * @rings: by CPU, with references; NULL before the first read
 * @cpu: CPU whose ring is being read
 * @sequence: next sub-buffer of that ring
 * @end: end of the sub-buffers that the ring had when reading it began
 * @has_begun: a sub-buffer of the ring has been copied
 * @has_gap: sub-buffers are missing between the last copied one and the next one
 * @is_empty: nothing has been copied yet
 * @bytes: a provider event, if there is a gap, and a copy of a sub-buffer
 * @len_bytes: valid bytes in @bytes
 * @read_bytes: bytes of @bytes that have been returned to the reader
 */
struct archive {
	struct mutex		lock;	/* guards all following fields */
	struct vtr_ring		**rings;
	unsigned int		cpu;
	u64			sequence;
	u64			end;
	bool			has_begun;
	bool			has_gap;
	bool			is_empty;
	void			*bytes;
	size_t			len_bytes;
	size_t			read_bytes;
};

/* Create a reader; NULL if memory is short. */
static struct archive *archive_create(void)
{
	struct archive *archive = kzalloc(sizeof(*archive),
					      GFP_KERNEL_ACCOUNT);

	if (!archive)
		return NULL;
	mutex_init(&archive->lock);
	archive->is_empty = true;
	return archive;
}

static void archive_destroy(struct archive *archive)
{
	vtr_session_put_rings(archive->rings);
	kvfree(archive->bytes);
	kfree(archive);
}

/* Begin with @cpu, or the next CPU that has a ring, and note the ring's current range. */
static void begin_cpu(struct archive *archive, unsigned int cpu)
{
	while (cpu < nr_cpu_ids && !archive->rings[cpu])
		cpu++;
	archive->cpu = cpu;
	archive->has_begun = false;
	archive->has_gap = false;
	if (cpu < nr_cpu_ids)
		vtr_ring_range(archive->rings[cpu], &archive->sequence,
			       &archive->end);
}

/* All rings of a session have sub-buffers of one size. */
static int begin(struct archive *archive)
{
	struct vtr_ring **rings = vtr_session_get_rings();
	size_t len_bytes = FXT_WORD_BYTES;

	if (!rings)
		return -ENOMEM;
	archive->rings = rings;
	begin_cpu(archive, 0);
	if (archive->cpu < nr_cpu_ids)
		len_bytes += vtr_ring_subbuf_bytes(&rings[archive->cpu]->config);
	archive->bytes = kvmalloc(len_bytes, GFP_KERNEL_ACCOUNT);
	if (archive->bytes)
		return 0;
	vtr_session_put_rings(rings);
	archive->rings = NULL;
	return -ENOMEM;
}

/* Copy the next sub-buffer of the CPU. Return 1, 0 if it was overwritten, or an error. */
static int copy_next(struct archive *archive)
{
	struct vtr_ring *ring = archive->rings[archive->cpu];
	size_t head_bytes = 0;
	ssize_t len_bytes;

	if (archive->has_gap)
		head_bytes = FXT_WORD_BYTES *
			     vtr_fxt_put_provider_event(archive->bytes,
							ring->cpu + 1,
							FXT_PROVIDER_EVENT_BUFFER_FULL);
	len_bytes = vtr_ring_copy(ring, archive->sequence,
				  archive->bytes + head_bytes);
	/* A read that returned bytes already hides the error, so the next read must fail, too. */
	if (len_bytes < 0)
		return len_bytes;
	archive->sequence++;
	if (!len_bytes) {
		archive->has_gap = archive->has_begun;
		return 0;
	}
	archive->len_bytes = head_bytes + len_bytes;
	archive->has_gap = false;
	archive->has_begun = true;
	archive->is_empty = false;
	return 1;
}

/* Skip the sub-buffers that were overwritten since reading the ring began. */
static void skip_overwritten(struct archive *archive)
{
	u64 first, end;

	vtr_ring_range(archive->rings[archive->cpu], &first, &end);
	if (archive->sequence >= first)
		return;
	archive->sequence = first;
	archive->has_gap = archive->has_begun;
}

/* Fill @bytes with the next sub-buffer. Return 1, 0 at the end, or an error. */
static int fill(struct archive *archive)
{
	int ret;

	archive->read_bytes = 0;
	archive->len_bytes = 0;
	while (archive->cpu < nr_cpu_ids) {
		cond_resched();
		skip_overwritten(archive);
		if (archive->sequence >= archive->end) {
			begin_cpu(archive, archive->cpu + 1);
			continue;
		}
		ret = copy_next(archive);
		if (ret)
			return ret;
	}
	if (!archive->is_empty)
		return 0;
	/* An archive without records is valid, too, and has a magic number record. */
	*(u64 *)archive->bytes = FXT_MAGIC_RECORD;
	archive->len_bytes = FXT_WORD_BYTES;
	archive->is_empty = false;
	return 1;
}

static ssize_t read_locked(struct archive *archive, char __user *buf,
			   size_t count)
{
	size_t done = 0, len_bytes;
	int ret = 1;

	while (done < count) {
		if (archive->read_bytes == archive->len_bytes)
			ret = fill(archive);
		if (ret <= 0)
			return done ?: ret;
		len_bytes = min(count - done,
				archive->len_bytes - archive->read_bytes);
		if (copy_to_user(buf + done,
				 archive->bytes + archive->read_bytes,
				 len_bytes))
			return done ?: -EFAULT;
		archive->read_bytes += len_bytes;
		done += len_bytes;
		if (fatal_signal_pending(current))
			break;
	}
	return done;
}

/*
 * Measure what a record costs: write records of the running thread, as the probes do, into
 * a ring that nobody reads.
 *
 * The measurement includes neither the call of a probe by its tracepoint, nor filters, nor
 * checks of limits while a trigger or trace/stacks is armed: these could act on what is
 * measured as if it had happened.
 *
 * Concurrency: each measurement has its own ring. During a round, interrupts are off and the
 * CPU records into that ring. Probes on other CPUs may look up the running thread of this
 * CPU in it, and have returned before it is freed.
 */

/* The shortest of several rounds of that many records counts. */
#define ROUNDS	8
#define RECORDS	256

static DEFINE_VITRINE_CATEGORY(cost);

static const struct vitrine_site event_site = {
	VTR_SITE(cost, FXT_EVENT_DURATION_COMPLETE | VITRINE_RECORD_BEGAN, "event"),
};

/* Like the probes of an interrupt in source_irq.c. */
static void record_events(unsigned int nr)
{
	while (nr--)
		vitrine_trace_write0(&event_site, vtr_event_ticks());
}

static u64 fewest_ps(struct vtr_ring *ring, void (*record)(unsigned int nr))
{
	u64 begin_ns, end_ns, least_ns = U64_MAX;
	struct vtr_ring *before;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		local_irq_save(flags);
		before = this_cpu_read(vtr_writer_ring);
		/* Opens the row of switches, without which no event is recorded. */
		vtr_sched_attach(ring);
		record(1);
		begin_ns = ktime_get_mono_fast_ns();
		record(RECORDS);
		end_ns = ktime_get_mono_fast_ns();
		this_cpu_write(vtr_writer_ring, before);
		local_irq_restore(flags);
		least_ns = min(least_ns, end_ns - begin_ns);
	}
	return div_u64(least_ns * 1000, RECORDS);
}

static struct vtr_ring *create_ring(void)
{
	struct vtr_ring_config config;

	vtr_session_config(&config);
	config.mode = VITRINE_MODE_CIRCULAR;
	config.nr_subbufs = 2;
	return vtr_ring_create(raw_smp_processor_id(), &config);
}

/* ---- files -------------------------------------------------------------- */

static struct dentry *top_dir, *inspect_dir, *retained_dir, *trace_dir;

static unsigned int uid;
module_param(uid, uint, 0444);
MODULE_PARM_DESC(uid, "Owner of the files in debugfs (default: 0)");

static unsigned int gid;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "Group of the files in debugfs (default: 0)");

static unsigned int file_mode = 0600;
module_param(file_mode, uint, 0444);
MODULE_PARM_DESC(file_mode, "Permissions of the files in debugfs: files that the owner can read get the read permissions of this mode, and likewise for writing, for example 0640 (default: 0600)");

/* Written before the first file is created. */
static kuid_t owner;
static kgid_t group;

/* Return the permissions of a file that by default only its owner can use as in @mode. */
static umode_t mode_of(umode_t mode)
{
	return (mode | mode >> 3 | mode >> 6) & file_mode;
}

/* Create a file for its owner and group; @mode is for the owner. */
static struct dentry *create_file(const char *name, umode_t mode, struct dentry *dir,
				  void *object, const struct file_operations *operations)
{
	struct dentry *file = debugfs_create_file_unsafe(name, mode_of(mode), dir, object,
							 operations);

	if (!IS_ERR(file)) {
		d_inode(file)->i_uid = owner;
		d_inode(file)->i_gid = group;
	}
	return file;
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
		return vtr_area_read(&copy->tree->area, buf, count, pos);
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
	struct copy *copy = kzalloc(sizeof(*copy), GFP_KERNEL_ACCOUNT);
	int err;

	if (!copy)
		return -ENOMEM;
	mutex_init(&copy->lock);
	err = vtr_inspect_open(inode->i_private, &copy->tree);
	if (err) {
		kfree(copy);
		return err;
	}
	vtr_inspect_refresh(copy->tree);
	file->private_data = copy;
	return 0;
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
	return create_file(name, 0400, retained ? retained_dir : inspect_dir, entry,
			   tree_file_operations);
}

static const struct vtr_inspect_files tree_files = {
	.publish	= tree_publish,
	.withdraw	= debugfs_remove,
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
	create_file(name, 0600, trace_dir, (void *)(unsigned long)cpu, &ring_fops);
}

static int archive_open(struct inode *inode, struct file *file)
{
	int err = trace_locked_down();

	if (err)
		return err;
	file->private_data = archive_create();
	return file->private_data ? stream_open(inode, file) : -ENOMEM;
}

static ssize_t archive_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	struct archive *archive = file->private_data;
	ssize_t ret = 0;

	mutex_lock(&archive->lock);
	if (!archive->rings)
		ret = begin(archive);
	if (!ret)
		ret = read_locked(archive, buf, count);
	mutex_unlock(&archive->lock);
	return ret;
}

static int archive_release(struct inode *inode, struct file *file)
{
	archive_destroy(file->private_data);
	return 0;
}

static const struct file_operations archive_fops = {
	.owner		= THIS_MODULE,
	.open		= archive_open,
	.read		= archive_read,
	.release	= archive_release,
};

/* trace/marker: each write() is a marker; an open file has no position. */

static ssize_t marker_write(struct file *file, const char __user *buf,
			    size_t count, loff_t *pos)
{
	return vtr_marker_write(buf, count);
}

static const struct file_operations marker_fops = {
	.owner		= THIS_MODULE,
	.open		= stream_open,
	.write		= marker_write,
};

/*
 * Settings: write() parses words, and read() returns the setting in the same syntax; where
 * there is a choice, read() returns "[current] other".
 */

/* Longest line that is written, unless the setting says otherwise. */
#define LINE_MAX_BYTES	127
#define WORDS_MAX_BYTES	4096

/**
 * struct setting - one control file
 * @name: file name
 * @show: writes what read() returns; returns 0 or a negative errno
 * @set: parses what was written, without surrounding white space. A file with one of both
 *	can only be read, or only be written
 * @max_bytes: longest text that is written, 0 for LINE_MAX_BYTES
 * @offset: for a file without either: position of its number in the settings of the session
 * @choices: names of the values of that number, or NULL
 * @nr_choices: number of @choices
 * @find: returns the value of a name, or -EINVAL if there is none
 */
struct setting {
	const char		*name;
	int			(*show)(struct seq_file *seq);
	int			(*set)(char *words);
	size_t			max_bytes;
	size_t			offset;
	const char * const	*choices;
	unsigned int		nr_choices;
	int			(*find)(const char *name);
};

static int enable_show(struct seq_file *seq)
{
	seq_puts(seq, vtr_session_enabled() ? "[1] 0\n" : "[0] 1\n");
	return 0;
}

static int enable_set(char *word)
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

/*
 * The cost of a record, measured on each read, in picoseconds; 0 for a switch or a wakeup if
 * none is being recorded. Interrupts are off while RECORDS records are written. The trace does
 * not contain these records.
 */
static int cost_show(struct seq_file *seq)
{
	u64 switch_ps = 0, wakeup_ps = 0, event_ps;
	struct vtr_ring *ring = create_ring();

	if (!ring)
		return -ENOMEM;
	event_ps = fewest_ps(ring, record_events);
	if (vtr_session_enabled()) {
		switch_ps = fewest_ps(ring, vtr_sched_repeat_switch);
		if (vtr_sched_records_wakeups())
			wakeup_ps = fewest_ps(ring, vtr_sched_repeat_wakeup);
	}
	/* Wait for probes on other CPUs that have found the ring. */
	tracepoint_synchronize_unregister();
	vtr_ring_put(ring);
	seq_printf(seq, "switch %llu\nwakeup %llu\nevent %llu\n", switch_ps, wakeup_ps,
		   event_ps);
	return 0;
}

/* The files of the session's settings begin a new session when they are written. */
#define SESSION_SETTING(field, ...)					\
	{ #field, .offset = offsetof(struct vtr_ring_config, field), __VA_ARGS__ }

static const struct setting settings[] = {
	{ "enable",	enable_show,		enable_set },
	{ "trigger",	vtr_trigger_show,	vtr_trigger_set },
	{ "events",	vtr_category_show,	vtr_category_switch,	WORDS_MAX_BYTES },
	{ "stacks",	vtr_stacks_show,	vtr_stacks_set,		WORDS_MAX_BYTES },
	{ "cost",	cost_show },
	SESSION_SETTING(clock, .choices = vtr_clock_names, .nr_choices = VTR_NR_CLOCKS,
			.find = vtr_clock_find),
	SESSION_SETTING(mode, .choices = vtr_session_modes, .nr_choices = VTR_NR_MODES,
			.find = vtr_session_find_mode),
	SESSION_SETTING(buffer_kb),
	SESSION_SETTING(subbuf_kb),
};

/* The name of a retained tree, or "*" for all. */
static const struct setting drop = { .set = vtr_retained_drop };

/* Serialises reads and writes of settings. */
static DEFINE_MUTEX(settings_mutex);

static int session_show(struct seq_file *seq, const struct setting *setting)
{
	struct vtr_ring_config now;
	unsigned int value, i;

	vtr_session_config(&now);
	value = *(unsigned int *)((void *)&now + setting->offset);
	if (!setting->choices)
		seq_printf(seq, "%u", value);
	for (i = 0; i < setting->nr_choices; i++)
		if (setting->find(setting->choices[i]) >= 0)
			seq_printf(seq, i == value ? "%s[%s]" : "%s%s",
				   seq->count ? " " : "", setting->choices[i]);
	seq_putc(seq, '\n');
	return 0;
}

static int session_set(const char *word, const struct setting *setting)
{
	struct vtr_ring_config wanted;
	unsigned int value;
	int err;

	err = setting->find ? setting->find(word) : kstrtouint(word, 0, &value);
	if (err < 0)
		return err;
	vtr_session_config(&wanted);
	*(unsigned int *)((void *)&wanted + setting->offset) =
		setting->find ? err : value;
	return vtr_session_replace(&wanted);
}

static int setting_show(struct seq_file *seq, void *unused)
{
	const struct setting *setting = seq->private;
	int err = 0;

	mutex_lock(&settings_mutex);
	if (setting->show)
		err = setting->show(seq);
	else if (!setting->set)
		err = session_show(seq, setting);
	mutex_unlock(&settings_mutex);
	return err;
}

static ssize_t setting_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	const struct setting *setting = file_inode(file)->i_private;
	int err = -EINVAL;
	char *words;

	if (count > (setting->max_bytes ?: LINE_MAX_BYTES))
		return -EINVAL;
	words = memdup_user_nul(buf, count);
	if (IS_ERR(words))
		return PTR_ERR(words);
	mutex_lock(&settings_mutex);
	if (setting->set)
		err = setting->set(strim(words));
	else if (!setting->show)
		err = session_set(strim(words), setting);
	mutex_unlock(&settings_mutex);
	kfree(words);
	return err ?: count;
}

static int setting_open(struct inode *inode, struct file *file)
{
	return trace_locked_down() ?:
	       single_open(file, setting_show, inode->i_private);
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
	.read		= seq_read,
	.write		= setting_write,
	.poll		= setting_poll,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/**
 * vtr_debugfs_check() - check owner, group and permissions of the files
 *
 * Context: task, before vtr_debugfs_init().
 * Return: 0, or -EINVAL, which is logged.
 */
int vtr_debugfs_check(void)
{
	owner = make_kuid(&init_user_ns, uid);
	group = make_kgid(&init_user_ns, gid);
	if (uid_valid(owner) && gid_valid(group) && !(file_mode & ~0666))
		return 0;
	pr_err("uid=%u gid=%u file_mode=%#o: no such owner or permissions; use ids, and a mode of at most 0666\n",
	       uid, gid, file_mode);
	return -EINVAL;
}

/**
 * vtr_debugfs_init() - create all files
 *
 * Failures are ignored: without debugfs there are no files, and a crash dump still
 * contains the recording. This is the last step of loading and cannot fail, because a
 * file can be opened as soon as it exists, and nothing would wait until it is closed.
 *
 * Context: task; may sleep.
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

	create_file(VITRINE_DROP_FILE, 0200, retained_dir, (void *)&drop, &setting_fops);
	create_file("trace.fxt", 0400, trace_dir, NULL, &archive_fops);
	create_file("marker", 0200, trace_dir, NULL, &marker_fops);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		create_file(settings[i].name,
			    settings[i].show == cost_show ? 0400 : 0600,
			    trace_dir, (void *)&settings[i], &setting_fops);
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
#include "tests/archive_kunit.c"
#include "tests/debugfs_kunit.c"
#endif
