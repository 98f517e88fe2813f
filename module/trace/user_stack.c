// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks of threads that were blocked for a long time: the CPU that wakes such a
 * thread up gives it a task work, and the thread, on its way back to user space, walks
 * its own frame pointers and writes an event. If asked to, it also writes its registers and
 * a part of its stack, so that code without frame pointers can be unwound later.
 *
 * Concurrency: a request is a slot of a fixed pool. The CPU that wakes a thread up claims
 * a slot by storing the thread in it with cmpxchg(), with interrupts off. The thread
 * releases the slot when its task work ends. The task work runs in process context
 * without locks, but it must not wait for anything: not for memory, and not for a device or a
 * server from which a page of the stack or of a file would be read. What is not there is
 * left out. Real-time threads are left out.
 *
 * Each request holds a reference to the module, so the module cannot be removed while a
 * task work is pending. A thread drops the reference as its last step, but may be
 * preempted before it leaves the code of the module: vtr_user_stack_deinit() waits for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>

#include "build_id.h"
#include "clock.h"
#include "compat.h"
#include "peek.h"
#include "stack_event.h"
#include "stack_memory.h"
#include "user_stack.h"
#include "writer.h"

/*
 * Maximum number of requests, of those of the threads of one user, and of slots that are
 * probed for a thread. A thread that stays in the kernel keeps its slot: no kernel lets a
 * module take a task work back. Users whose ids have the same hash share one limit.
 */
#define NR_SLOTS	256
#define NR_USERS	256
#define USER_SLOTS	32
#define PROBES		16

/* Maximum number of frames and files of a stack. */
#define MAX_FRAMES	64
#define MAX_FILES	16

/* Maximum length of a path, of the list of files, and of the text of a stack. */
#define PATH_BYTES	512
#define FILES_BYTES	800
#define TEXT_BYTES	1000

/* With memory, the list has more files, and where they are mapped. */
#define SAVED_FILES_BYTES	1500
#define MAPS_BYTES		(MAX_FILES * MAP_BYTES)

/* Maximum length of "0xaddress+0xoffset;", including the NUL. */
#define MAP_BYTES	40

/* Maximum length of a frame's name, including the NUL. */
#define NAME_BYTES	160

/* Replaces the outer frames for which there is no room. */
#define CUT	"..."

/* Stands for a frame in memory without a file, and for a stack that was left out. */
#define UNKNOWN	"?"

/**
 * struct request - a thread that records its stack before it returns to user space
 * @work: task work of the thread
 * @task: the thread, NULL in a free slot
 * @nr_of_user: number of pending requests of the thread's real user
 * @since: jiffies of the request
 * @exec_id: tells the programs that the thread executes apart
 * @with_memory: also save registers and stack memory
 */
struct request {
	struct callback_head	work;
	struct task_struct	*task;
	atomic_t		*nr_of_user;
	unsigned long		since;
	u64			exec_id;
	bool			with_memory;
};

static struct request slots[NR_SLOTS];
static atomic_t users[NR_USERS];

/**
 * struct here - counters of one CPU
 * @recorded: as in struct vtr_user_stack_stats
 * @left_out: as in struct vtr_user_stack_stats
 */
struct here {
	u64	recorded;
	u64	left_out;
};

static DEFINE_PER_CPU(struct here, here);

/**
 * struct mapped - a file that is mapped
 * @file: the file
 * @name: how frames name it: the last component of its path, or the path if another file
 *	has the same last component; points into the list of files
 * @len_bytes: length of @name
 * @address: address of a mapping of its code
 * @offset: offset in the file of that mapping
 */
struct mapped {
	struct file	*file;
	const char	*name;
	unsigned int	len_bytes;
	unsigned long	address;
	u64		offset;
};

/**
 * struct frame - a frame of a stack
 * @address: return address, or instruction pointer of the innermost frame
 * @offset: offset in the file, which map_frame() puts in the place of the address
 * @file: index of the file, MAX_FILES if none
 */
struct frame {
	union {
		unsigned long	address;
		u64		offset;
	};
	unsigned int	file;
};

/**
 * struct saved - what is recorded to unwind the stack later
 * @memory: registers and stack memory
 * @list: replaces @own_list of the walk
 * @maps: where the files in @list are mapped
 * @maps_bytes: length of @maps
 */
struct saved {
	struct vtr_stack_memory	memory;
	char			list[SAVED_FILES_BYTES];
	char			maps[MAPS_BYTES];
	unsigned int		maps_bytes;
};

/**
 * struct walk - the stack of a thread, and its text
 * @frames: frames, innermost first
 * @files: files of the frames
 * @nr_frames: number of @frames in use
 * @nr_files: number of @files in use
 * @list: paths and build ids of @files
 * @list_bytes: length of @list
 * @list_room: maximum length of @list
 * @own_list: is @list without memory
 * @text_offset: where in @text the names begin
 * @text: names of the frames, outermost first
 * @path: buffer for the path of a file
 * @saved: memory, or NULL
 */
struct walk {
	struct frame	frames[MAX_FRAMES];
	struct mapped	files[MAX_FILES];
	unsigned int	nr_frames;
	unsigned int	nr_files;
	char		*list;
	unsigned int	list_bytes;
	unsigned int	list_room;
	unsigned int	text_offset;
	char		own_list[FILES_BYTES];
	char		text[TEXT_BYTES];
	char		path[PATH_BYTES];
	struct saved	*saved;
};

/* ---- frames ----------------------------------------------------------------- */

#if defined(CONFIG_X86) && defined(CONFIG_64BIT)

static unsigned long frame_of(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs) ? regs->bp : 0;
}

static unsigned long strip(unsigned long address)
{
	return address;
}

#elif defined(CONFIG_ARM64)

static unsigned long frame_of(const struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 0 : regs->regs[29];
}

/* Remove the pointer authentication code from a return address. */
static unsigned long strip(unsigned long address)
{
	return address & (TASK_SIZE_MAX - 1);
}

#else

static unsigned long frame_of(const struct pt_regs *regs)
{
	return 0;
}

static unsigned long strip(unsigned long address)
{
	return address;
}
#endif

/* Find the end of the mapping that contains the stack. Return 0 if there is none. */
static unsigned long stack_end(unsigned long sp)
{
	const struct vm_area_struct *vma;
	unsigned long end = 0;

	if (!mmap_read_trylock(current->mm))
		return 0;
	vma = find_vma(current->mm, sp);
	if (vma && vma->vm_start <= sp && !(vma->vm_flags & (VM_IO | VM_PFNMAP)))
		end = vma->vm_end;
	mmap_read_unlock(current->mm);
	return end;
}

/*
 * Follow the frame pointers, each of which points to the next one and a return address.
 * Outside the mapping of the stack nothing is read: without frame pointers, the register
 * may have any value, and reading from a device may have side effects.
 */
static void walk_frames(struct walk *walk, const struct pt_regs *regs,
			unsigned long sp, unsigned long end)
{
	unsigned long at = frame_of(regs);
	struct {
		unsigned long	next;
		unsigned long	address;
	} record;

	walk->frames[walk->nr_frames++].address =
		instruction_pointer((struct pt_regs *)regs);
	while (walk->nr_frames < MAX_FRAMES && at >= sp &&
	       at % sizeof(at) == 0 && end > sizeof(record) &&
	       at <= end - sizeof(record)) {
		if (copy_from_user_nofault(&record, (void __user *)at, sizeof(record)))
			break;
		record.address = strip(record.address);
		if (!record.address)
			break;
		walk->frames[walk->nr_frames++].address = record.address;
		if (record.next <= at)
			break;
		at = record.next;
	}
}

static u64 offset_of(const struct vm_area_struct *vma)
{
	return (u64)vma->vm_pgoff << PAGE_SHIFT;
}

/* Return the index of a mapped file, which is added if there is room; else MAX_FILES. */
static unsigned int index_of(struct walk *walk, const struct vm_area_struct *vma)
{
	unsigned int i;

	for (i = 0; i < walk->nr_files; i++)
		if (file_inode(walk->files[i].file) == file_inode(vma->vm_file))
			return i;
	if (i < MAX_FILES) {
		get_file(vma->vm_file);
		walk->files[walk->nr_files++] = (struct mapped){
			.file = vma->vm_file,
			.address = vma->vm_start,
			.offset = offset_of(vma),
		};
	}
	return i;
}

/* Find file and offset of a frame. Return false if no code is mapped at its address. */
static bool map_frame(struct walk *walk, struct frame *frame)
{
	const struct vm_area_struct *vma = find_vma(current->mm, frame->address);

	if (!vma || frame->address < vma->vm_start || !(vma->vm_flags & VM_EXEC))
		return false;
	frame->file = MAX_FILES;
	if (!vma->vm_file)
		return true;
	frame->file = index_of(walk, vma);
	frame->offset = frame->address - vma->vm_start + offset_of(vma);
	return true;
}

/* Find the files of all code to which words of the memory may be return addresses. */
static void map_words(struct walk *walk)
{
	const struct vtr_stack_memory *memory = &walk->saved->memory;
	const struct vm_area_struct *vma = NULL;
	unsigned long address;
	unsigned int i;

	for (i = 0; i < memory->nr_words; i++) {
		address = strip(memory->words[i]);
		/* Adjacent words often are in the same mapping, for example the stack. */
		if (!address || (vma && address >= vma->vm_start && address < vma->vm_end))
			continue;
		vma = find_vma(current->mm, address);
		if (vma && address >= vma->vm_start && vma->vm_flags & VM_EXEC &&
		    vma->vm_file)
			index_of(walk, vma);
	}
}

/* Frames beyond the first that is not in code are garbage. */
static bool map_frames(struct walk *walk)
{
	unsigned int i;

	if (!mmap_read_trylock(current->mm))
		return false;
	for (i = 0; i < walk->nr_frames; i++)
		if (!map_frame(walk, &walk->frames[i]))
			break;
	if (i && walk->saved)
		map_words(walk);
	mmap_read_unlock(current->mm);
	walk->nr_frames = i;
	return i;
}

/* ---- text ------------------------------------------------------------------- */

/* In texts, ";" separates frames and files. */
static void clean(char *path)
{
	for (; *path; path++)
		if (*path == ';' || (u8)*path < ' ')
			*path = '?';
}

static bool is_name_taken(const struct walk *walk, const char *name)
{
	size_t len = strlen(name);
	unsigned int i;

	for (i = 0; i < walk->nr_files; i++)
		if (walk->files[i].len_bytes == len &&
		    !memcmp(walk->files[i].name, name, len))
			return true;
	return false;
}

/* Append where a file of the list is mapped; there is room for all files. */
static void list_map(struct saved *saved, const struct mapped *mapped)
{
	saved->maps_bytes += scnprintf(saved->maps + saved->maps_bytes, MAP_BYTES,
				       "%s%#lx+%#llx", saved->maps_bytes ? ";" : "",
				       mapped->address, mapped->offset);
}

/* Append "path build-id" to the list of files; "-" if the file has no build id. */
static void list_file(struct walk *walk, struct mapped *mapped)
{
	char *path = d_path(VTR_FILE_USER_PATH(mapped->file), walk->path,
			    PATH_BYTES);
	char *list = walk->list + walk->list_bytes;
	u8 id[VTR_BUILD_ID_MAX_BYTES];
	unsigned int len, len_id, skip;

	if (IS_ERR(path))
		return;
	clean(path);
	len = strlen(path);
	if (walk->list_bytes + len + 2 * sizeof(id) + 3 > walk->list_room)
		return;
	if (walk->list_bytes)
		*list++ = ';';
	memcpy(list, path, len);
	skip = kbasename(path) - path;
	if (skip == len || is_name_taken(walk, path + skip))
		skip = 0;
	mapped->name = list + skip;
	mapped->len_bytes = len - skip;
	list += len;
	*list++ = ' ';
	len_id = vtr_build_id(mapped->file, id);
	if (len_id)
		list += scnprintf(list, 2 * len_id + 1, "%*phN", (int)len_id, id);
	else
		*list++ = '-';
	walk->list_bytes = list - walk->list;
	if (walk->saved)
		list_map(walk->saved, mapped);
}

static void list_files(struct walk *walk)
{
	unsigned int i;

	for (i = 0; i < walk->nr_files; i++) {
		list_file(walk, &walk->files[i]);
		fput(walk->files[i].file);
	}
}

static unsigned int name_frame(const struct walk *walk, const struct frame *frame,
			       char *name)
{
	const struct mapped *mapped = &walk->files[frame->file];

	if (frame->file == MAX_FILES || !mapped->name)
		return scnprintf(name, NAME_BYTES, UNKNOWN);
	return scnprintf(name, NAME_BYTES, "%.*s+0x%llx",
			 (int)mapped->len_bytes, mapped->name, frame->offset);
}

static void prepend(struct walk *walk, const char *name, unsigned int len)
{
	if (walk->text_offset < TEXT_BYTES)
		walk->text[--walk->text_offset] = ';';
	walk->text_offset -= len;
	memcpy(walk->text + walk->text_offset, name, len);
}

/* Build the text from its end, innermost frame first, so that outer frames are cut. */
static void make_text(struct walk *walk)
{
	char name[NAME_BYTES];
	unsigned int i, len;

	walk->text_offset = TEXT_BYTES;
	for (i = 0; i < walk->nr_frames; i++) {
		len = name_frame(walk, &walk->frames[i], name);
		/* There is always room for CUT. */
		if (len + 2 + strlen(CUT) > walk->text_offset) {
			prepend(walk, CUT, strlen(CUT));
			break;
		}
		prepend(walk, name, len);
	}
}

/* ---- record ----------------------------------------------------------------- */

/* Write as much of the memory as fits into a sub-buffer. */
static void write_memory(struct vtr_ring *ring, const struct vtr_stack_memory *memory,
			 u64 ticks)
{
	struct vtr_fxt_arg args[2];
	struct vtr_fxt_event event = {
		.name = vtr_stack_event_text("user stack memory"),
		.ticks = ticks,
		.payload = memory->words,
	};
	unsigned int most;

	vtr_stack_event_add(&event, args, "memory", FXT_ARG_UINT64, ticks);
	vtr_stack_event_add(&event, args, "registers", FXT_ARG_UINT32,
			    memory->nr_registers);
	most = vtr_stack_event_room(ring, &event, args);
	event.payload_bytes = min(memory->nr_words, most) * sizeof(u64);
	vtr_stack_event_write(ring, current, &event, args, true);
}

static bool write_here(const struct walk *walk)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	struct vtr_fxt_arg args[4];
	bool is_written;
	struct vtr_fxt_event event = {
		.type = FXT_EVENT_INSTANT,
		.name = vtr_stack_event_text("user stack"),
	};

	if (ring == &vtr_writer_none)
		return false;
	event.ticks = vtr_clock_ticks(ring->config.clock);
	vtr_stack_event_add_string(&event, args, "stack",
				   walk->text + walk->text_offset,
				   TEXT_BYTES - walk->text_offset);
	if (walk->list_bytes)
		vtr_stack_event_add_string(&event, args, "files", walk->list,
					   walk->list_bytes);
	if (!walk->saved || !walk->saved->memory.nr_registers || !walk->list_bytes)
		return vtr_stack_event_write(ring, current, &event, args, true);
	vtr_stack_event_add_string(&event, args, "maps", walk->saved->maps,
				   walk->saved->maps_bytes);
	vtr_stack_event_add(&event, args, "memory", FXT_ARG_UINT64, event.ticks);
	is_written = vtr_stack_event_write(ring, current, &event, args, true);
	if (is_written)
		write_memory(ring, &walk->saved->memory, event.ticks);
	return is_written;
}

/*
 * Record that the stack of a thread is not known. Otherwise the next user stack of the
 * thread would be taken for that of this wait, too.
 */
static void write_unknown(struct vtr_ring *ring, u64 now,
			  const struct task_struct *task)
{
	struct vtr_fxt_arg args[1];
	struct vtr_fxt_event event = {
		.type = FXT_EVENT_INSTANT,
		.name = vtr_stack_event_text("user stack"),
		.ticks = now,
	};

	vtr_stack_event_add_string(&event, args, "stack", UNKNOWN, strlen(UNKNOWN));
	vtr_stack_event_write(ring, task, &event, args, false);
}

static void write_unknown_here(void)
{
	struct vtr_ring *ring;
	unsigned long flags;

	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	if (ring != &vtr_writer_none)
		write_unknown(ring, vtr_clock_ticks(ring->config.clock), current);
	local_irq_restore(flags);
}

static bool write_walk(const struct walk *walk)
{
	unsigned long flags;
	bool is_written;

	local_irq_save(flags);
	is_written = write_here(walk);
	local_irq_restore(flags);
	return is_written;
}

/* Without room for the memory, the frames alone are recorded. */
static void save_memory(struct walk *walk, const struct pt_regs *regs,
			unsigned long end)
{
	struct saved *saved = kmalloc(sizeof(*saved), GFP_NOWAIT | __GFP_NOWARN);

	if (!saved)
		return;
	saved->maps_bytes = 0;
	vtr_stack_memory_save(&saved->memory, regs, end);
	walk->list = saved->list;
	walk->list_room = SAVED_FILES_BYTES;
	walk->saved = saved;
}

/* Clear only what counts: most of a walk is buffers. */
static struct walk *walk_create(void)
{
	struct walk *walk = kmalloc(sizeof(*walk), GFP_NOWAIT | __GFP_NOWARN);

	/* Many kernels clear what they allocate, and the next size is twice as large. */
	BUILD_BUG_ON(sizeof(*walk) > 4096);
	if (!walk)
		return NULL;
	walk->nr_frames = 0;
	walk->nr_files = 0;
	walk->list = walk->own_list;
	walk->list_bytes = 0;
	walk->list_room = FILES_BYTES;
	walk->saved = NULL;
	return walk;
}

static bool record(bool with_memory)
{
	struct walk *walk = walk_create();
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long sp = user_stack_pointer(regs), end;
	bool is_written = false;

	if (!walk)
		return false;
	end = stack_end(sp);
	walk_frames(walk, regs, sp, end);
	if (with_memory)
		save_memory(walk, regs, end);
	if (map_frames(walk)) {
		list_files(walk);
		make_text(walk);
		is_written = write_walk(walk);
	}
	kfree(walk->saved);
	kfree(walk);
	return is_written;
}

static void count(bool is_recorded)
{
	if (is_recorded)
		this_cpu_inc(here.recorded);
	else
		this_cpu_inc(here.left_out);
}

/* A thread that is ending, or executes another program, has lost its stack. */
static bool has_stack(const struct request *request)
{
	return current->mm && !(current->flags & PF_EXITING) &&
	       current->self_exec_id == request->exec_id;
}

static void run(struct callback_head *work)
{
	struct request *request = container_of(work, struct request, work);
	bool is_recorded = has_stack(request) && record(request->with_memory);

	count(is_recorded);
	if (!is_recorded)
		write_unknown_here();
	atomic_dec(request->nr_of_user);
	/* Pairs with cmpxchg() in claim(). */
	smp_store_release(&request->task, NULL);
	module_put(THIS_MODULE);
}

/* ---- requests --------------------------------------------------------------- */

static struct request *probe(const struct task_struct *task, unsigned int i)
{
	return &slots[(hash_ptr(task, 32) + i) % NR_SLOTS];
}

static bool is_requested(const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < PROBES; i++)
		if (READ_ONCE(probe(task, i)->task) == task)
			return true;
	return false;
}

static struct request *claim(struct task_struct *task)
{
	struct request *request;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		request = probe(task, i);
		/* Pairs with smp_store_release() in run(). */
		if (!READ_ONCE(request->task) &&
		    !cmpxchg(&request->task, NULL, task))
			return request;
	}
	return NULL;
}

static bool request(struct task_struct *task, bool with_memory)
{
	u32 user = hash_32(__kuid_val(task_uid(task)), ilog2(NR_USERS));
	struct request *request;

	if (task->prio < MAX_RT_PRIO)
		return false;
	if (atomic_inc_return(&users[user]) > USER_SLOTS)
		goto err_user;
	request = claim(task);
	if (!request)
		goto err_user;
	request->nr_of_user = &users[user];
	request->since = jiffies;
	if (!try_module_get(THIS_MODULE))
		goto err_slot;
	request->exec_id = task->self_exec_id;
	request->with_memory = with_memory;
	init_task_work(&request->work, run);
	if (task_work_add(task, &request->work, VTR_TWA_RESUME))
		goto err_module;
	return true;

err_module:
	module_put(THIS_MODULE);
err_slot:
	WRITE_ONCE(request->task, NULL);
err_user:
	atomic_dec(&users[user]);
	return false;
}

/**
 * vtr_user_stack_request() - make a thread record its user stack
 * @ring: ring of this CPU
 * @now: time in ticks
 * @task: thread of a user-space program that is woken up
 * @with_memory: also save registers and stack memory
 *
 * The thread records its stack once before it returns to user space, regardless of the
 * number of requests until then. If it cannot, this is recorded.
 *
 * Context: sched_waking: interrupts off, the thread's pi_lock held.
 */
void vtr_user_stack_request(struct vtr_ring *ring, u64 now,
			    struct task_struct *task, bool with_memory)
{
	if (is_requested(task) || request(task, with_memory))
		return;
	count(false);
	write_unknown(ring, now, task);
}

/**
 * vtr_user_stack_tell_pending() - name the threads that keep the module in use
 *
 * Threads that are about to return to user space are left out.
 *
 * Context: task.
 */
void vtr_user_stack_tell_pending(void)
{
	const struct task_struct *task;
	unsigned int i;

	/* A thread releases its slot before it ends. */
	rcu_read_lock();
	for (i = 0; i < NR_SLOTS; i++) {
		task = READ_ONCE(slots[i].task);
		/* Filled in after the slot was claimed: an old time names one thread more. */
		if (task && time_after(jiffies, data_race(slots[i].since) + HZ))
			pr_info("thread %d (%s) has not returned to user space; until it does, the module is in use\n",
				task->pid, task->comm);
	}
	rcu_read_unlock();
}

/**
 * vtr_user_stack_stats() - sum up the counters of all CPUs
 * @ret: the sums
 *
 * Context: any.
 */
void vtr_user_stack_stats(struct vtr_user_stack_stats *ret)
{
	unsigned int i;

	*ret = (struct vtr_user_stack_stats){};
	for_each_possible_cpu(i) {
		ret->recorded += vtr_peek(per_cpu(here, i).recorded);
		ret->left_out += vtr_peek(per_cpu(here, i).left_out);
	}
	for (i = 0; i < NR_SLOTS; i++)
		ret->pending += !!READ_ONCE(slots[i].task);
}

/**
 * vtr_user_stack_deinit() - wait until all threads have left the task work
 *
 * No reference to the module is held any more, so no task work is pending. A thread that
 * was preempted at the end of its task work is still in the code of the module.
 *
 * Context: module exit; may sleep.
 */
void vtr_user_stack_deinit(void)
{
	synchronize_rcu_tasks();
}
