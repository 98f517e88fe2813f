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

#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/moduleparam.h>
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
 * Concurrency: the lock of the seq_file serialises readers of one open file; it is taken before
 * session_mutex. The file holds references to the rings, and CPUs continue to record.
 * Sub-buffers that were overwritten before a slow reader reached them are left out,
 * which a provider event reports.
 */

/**
 * struct archive - an open reader of trace.fxt, a seq_file whose items are sub-buffers
 * @rings: by CPU, with references; NULL before the first read
 * @cpu: CPU whose ring is being read
 * @sequence: next sub-buffer of that ring
 * @expected: the sub-buffer after the last one that was copied, U64_MAX if none was; those
 *	from there to @sequence are missing
 * @end: end of the sub-buffers that the ring had when reading it began
 * @has_any: something has been copied
 */
struct archive {
	struct vtr_ring		**rings;
	unsigned int		cpu;
	u64			sequence;
	u64			expected;
	u64			end;
	bool			has_any;
};

/* Begin with @cpu, or the next CPU that has a ring, and note the ring's current range. */
static void begin_cpu(struct archive *archive, unsigned int cpu)
{
	while (cpu < nr_cpu_ids && !archive->rings[cpu])
		cpu++;
	archive->cpu = cpu;
	archive->expected = U64_MAX;
	if (cpu < nr_cpu_ids)
		vtr_ring_range(archive->rings[cpu], &archive->sequence,
			       &archive->end);
}

/* Find the next sub-buffer. If there is none at all, the archive is the item, on no CPU. */
static struct archive *find_subbuf(struct archive *archive)
{
	u64 first, end;

	while (archive->cpu < nr_cpu_ids) {
		cond_resched();
		/* Skip what was overwritten since reading the ring began. */
		vtr_ring_range(archive->rings[archive->cpu], &first, &end);
		archive->sequence = max(archive->sequence, first);
		if (archive->sequence < archive->end)
			return archive;
		begin_cpu(archive, archive->cpu + 1);
	}
	return archive->has_any ? NULL : archive;
}

static void *archive_start(struct seq_file *seq, loff_t *pos)
{
	struct archive *archive = seq->private;

	if (!archive->rings)
		archive->rings = vtr_session_get_rings();
	if (!archive->rings)
		return ERR_PTR(-ENOMEM);
	if (!*pos) {
		archive->has_any = false;
		begin_cpu(archive, 0);
	}
	return find_subbuf(archive);
}

static void *archive_next(struct seq_file *seq, void *item, loff_t *pos)
{
	struct archive *archive = item;

	++*pos;
	archive->sequence++;
	return find_subbuf(archive);
}

static void archive_stop(struct seq_file *seq, void *item)
{
}

/* Copy a sub-buffer, unless it was overwritten. seq_file calls again with more room if needed. */
static int archive_show(struct seq_file *seq, void *item)
{
	struct archive *archive = item;
	u64 magic = FXT_MAGIC_RECORD;
	struct vtr_ring *ring;
	size_t head_bytes = 0;
	ssize_t len_bytes;
	char *bytes;

	if (archive->cpu >= nr_cpu_ids) {
		/* An archive without records is valid, too, and has a magic number record. */
		archive->has_any = true;
		seq_write(seq, &magic, sizeof(magic));
		return 0;
	}
	ring = archive->rings[archive->cpu];
	if (seq_get_buf(seq, &bytes) <= FXT_WORD_BYTES + vtr_ring_subbuf_bytes(&ring->config)) {
		seq_commit(seq, -1);
		return 0;
	}
	if (archive->expected < archive->sequence)
		head_bytes = FXT_WORD_BYTES * vtr_fxt_put_full((u64 *)bytes, ring->cpu + 1);
	len_bytes = vtr_ring_copy(ring, archive->sequence, bytes + head_bytes);
	/* A read that returned bytes already hides the error, so the next read must fail, too. */
	if (len_bytes < 0)
		return len_bytes;
	if (!len_bytes)
		return SEQ_SKIP;
	seq_commit(seq, head_bytes + len_bytes);
	archive->expected = archive->sequence + 1;
	archive->has_any = true;
	return 0;
}

static const struct seq_operations archive_items = {
	.start	= archive_start,
	.next	= archive_next,
	.stop	= archive_stop,
	.show	= archive_show,
};

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
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		guard(irqsave)();
		before = this_cpu_read(vtr_writer_ring);
		/* Opens the chain of switches, without which no event is recorded. */
		vtr_sched_attach(ring, smp_processor_id(), current);
		record(1);
		begin_ns = ktime_get_mono_fast_ns();
		record(RECORDS);
		end_ns = ktime_get_mono_fast_ns();
		this_cpu_write(vtr_writer_ring, before);
		least_ns = min(least_ns, end_ns - begin_ns);
	}
	return div_u64(least_ns * 1000, RECORDS);
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

/*
 * Create a file for its owner and group, who get the permissions of @mode, which is for the owner,
 * as far as file_mode allows.
 */
static struct dentry *create_file(const char *name, umode_t mode, struct dentry *dir,
				  void *object, const struct file_operations *operations)
{
	struct dentry *file;

	mode = (mode | mode >> 3 | mode >> 6) & file_mode;
	file = debugfs_create_file_unsafe(name, mode, dir, object, operations);
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

static ssize_t copy_read(struct file *file, char __user *buf, size_t count,
			 loff_t *pos)
{
	struct copy *copy = file->private_data;
	int err = 0;

	scoped_guard(mutex, &copy->lock)
		if (!copy->bytes && !vtr_inspect_frozen(copy->tree))
			err = vtr_inspect_snapshot(copy->tree, &copy->bytes,
						   &copy->len);
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
	struct copy *copy __free(kfree) = kzalloc(sizeof(*copy), GFP_KERNEL_ACCOUNT);

	if (!copy)
		return -ENOMEM;
	mutex_init(&copy->lock);
	copy->tree = vtr_inspect_open(inode->i_private);
	if (IS_ERR(copy->tree))
		return PTR_ERR(copy->tree);
	vtr_inspect_refresh(copy->tree);
	file->private_data = no_free_ptr(copy);
	return 0;
}

static int tree_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct copy *copy = file->private_data;

	return vtr_inspect_mmap(copy->tree, vma);
}

/* With mmap(), and without it if the kernel is locked down. */
#define TREE_OPERATIONS							\
	.owner		= THIS_MODULE,					\
	.open		= tree_open,					\
	.read		= copy_read,					\
	.llseek		= default_llseek,				\
	.release	= copy_release

static const struct file_operations tree_fops[] = {
	{ TREE_OPERATIONS, .mmap = tree_mmap },
	{ TREE_OPERATIONS },
};

static bool is_locked_down;

static struct dentry *tree_publish(struct vtr_inspect_entry *entry)
{
	char name[VITRINE_TREE_NAME_MAX + sizeof(VITRINE_INSPECT_SUFFIX)];

	snprintf(name, sizeof(name), "%s" VITRINE_INSPECT_SUFFIX, entry->name);
	return create_file(name, 0400, entry->is_retained ? retained_dir : inspect_dir, entry,
			   &tree_fops[is_locked_down]);
}

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

/* The buffer has room for one item, a sub-buffer after a provider event. */
static int archive_open(struct inode *inode, struct file *file)
{
	struct vtr_ring_config config;
	struct seq_file *seq;
	int err = trace_locked_down() ?:
		  seq_open_private(file, &archive_items, sizeof(struct archive));

	if (err)
		return err;
	vtr_session_config(&config);
	seq = file->private_data;
	seq->size = vtr_ring_subbuf_bytes(&config) + 2 * FXT_WORD_BYTES;
	seq->buf = kvmalloc(seq->size, GFP_KERNEL_ACCOUNT);
	return nonseekable_open(inode, file);
}

static int archive_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;
	struct archive *archive = seq->private;

	vtr_session_put_rings(archive->rings);
	return seq_release_private(inode, file);
}

static const struct file_operations archive_fops = {
	.owner		= THIS_MODULE,
	.open		= archive_open,
	.read		= seq_read,
	.release	= archive_release,
};

/* trace/marker: each write() is a marker; an open file has no position. */

static const struct file_operations marker_fops = {
	.owner		= THIS_MODULE,
	.open		= stream_open,
	.write		= vtr_marker_write,
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
	vtr_drift_watch();
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
	struct vtr_ring_config config;
	struct vtr_ring *ring;

	vtr_session_config(&config);
	config.mode = VITRINE_MODE_CIRCULAR;
	config.nr_subbufs = 2;
	ring = vtr_ring_create(raw_smp_processor_id(), &config);
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
	unsigned int value;
	int err;

	err = setting->find ? setting->find(word) : kstrtouint(word, 0, &value);
	if (err < 0)
		return err;
	return vtr_session_set(setting->offset, setting->find ? err : value);
}

static int setting_show(struct seq_file *seq, void *unused)
{
	const struct setting *setting = seq->private;

	guard(mutex)(&settings_mutex);
	if (setting->show)
		return setting->show(seq);
	return setting->set ? 0 : session_show(seq, setting);
}

static int setting_set(const struct setting *setting, char *line)
{
	char *words = strim(line);

	guard(mutex)(&settings_mutex);
	if (*words && setting->set)
		return setting->set(words);
	return *words && !setting->show ? session_set(words, setting) : -EINVAL;
}

static ssize_t setting_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	const struct setting *setting = file_inode(file)->i_private;
	char *line;
	int err;

	if (count > (setting->max_bytes ?: LINE_MAX_BYTES))
		return -EINVAL;
	line = memdup_user_nul(buf, count);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = setting_set(setting, line);
	kfree(line);
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

	is_locked_down = security_locked_down(LOCKDOWN_DEBUGFS);
	top_dir = debugfs_create_dir(VITRINE_DEBUGFS_DIR, NULL);
	inspect_dir = debugfs_create_dir(VITRINE_INSPECT_DIR, top_dir);
	retained_dir = debugfs_create_dir(VITRINE_RETAINED_DIR, inspect_dir);
	trace_dir = debugfs_create_dir(VITRINE_TRACE_DIR, top_dir);
	vtr_inspect_set_publish(tree_publish);

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
	vtr_inspect_set_publish(NULL);
	debugfs_remove(top_dir);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/archive_kunit.c"
#include "tests/debugfs_kunit.c"
#endif
