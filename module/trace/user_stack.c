// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks of threads that were blocked for a long time, or are sampled: the CPU that wakes
 * such a thread up, or interrupts it, gives it a task work, and the thread, on its way back to
 * user space, walks its own frame pointers and writes an event. If asked to, and if the frame
 * pointers do not lead to the end of the stack, it also writes the pointers to code and to the
 * stack that are in its registers and in its stack, so that code without frame pointers can be
 * unwound later.
 *
 * Concurrency: a request is a slot of a fixed pool. The CPU that gives the task work claims
 * a slot by storing the thread in it with cmpxchg(), with interrupts off. The thread
 * releases the slot when its task work ends. The task work runs in process context
 * without locks, but it must not wait for anything: not for memory, and not for a device or a
 * server from which a page of the stack or of a file would be read. What is not there is
 * left out. Real-time threads are left out.
 *
 * Each request holds a reference to the module, so the module cannot be removed while a
 * task work is pending. A thread drops the reference as its last step, but may be
 * preempted before it leaves the code of the module: vtr_stacks_deinit() waits for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "compat.h"
#include "event.h"
#include "waits.h"

/*
 * Build ids of the programs and libraries that are mapped, read from their ELF notes.
 * The kernel's own parser is not exported.
 *
 * Only the first page of a file is read, which contains all that is needed, and is nearly
 * always in the page cache. To fetch it could take arbitrarily long, for example from a server
 * that does not answer.
 *
 * Concurrency: none of its own. The file may be written meanwhile, so each value is copied
 * before it is checked.
 */

/* Maximum length of a build id; the usual one is a SHA-1 of 20 bytes. */
#define BUILD_ID_MAX_BYTES	20

/* Type of the note, as in <elf.h> of user space. */
#define NOTE_BUILD_ID	3

/* Copy from the first page of a file. Return false if it ends before. */
static bool copy_from_page(const void *page, u64 offset, void *ret, size_t len_bytes)
{
	if (offset > PAGE_SIZE - len_bytes)
		return false;
	memcpy(ret, page + offset, len_bytes);
	return true;
}

/* Find the build id among the notes of a segment. Return its length, or 0. */
static unsigned int find_in_notes(const void *page, u64 at, u64 end, u8 *ret)
{
	struct {
		struct elf64_note	note;
		char			name[4];
	} head;
	u64 desc;

	for (; at < end && copy_from_page(page, at, &head, sizeof(head));
	     at = desc + ALIGN((u64)head.note.n_descsz, 4)) {
		desc = at + sizeof(head.note) + ALIGN((u64)head.note.n_namesz, 4);
		if (head.note.n_type == NOTE_BUILD_ID && head.note.n_namesz == 4 &&
		    !memcmp(head.name, "GNU", 4) &&
		    head.note.n_descsz <= BUILD_ID_MAX_BYTES &&
		    copy_from_page(page, desc, ret, head.note.n_descsz))
			return head.note.n_descsz;
	}
	return 0;
}

static unsigned int find_in_page(const void *page, u8 *ret)
{
	unsigned int i, len_bytes = 0;
	struct elf64_phdr segment;
	struct elf64_hdr header;

	memcpy(&header, page, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment))
		return 0;
	for (i = 0; !len_bytes && i < header.e_phnum &&
	     copy_from_page(page, header.e_phoff + i * sizeof(segment),
			    &segment, sizeof(segment)); i++)
		if (segment.p_type == PT_NOTE)
			len_bytes = find_in_notes(page, segment.p_offset,
						  segment.p_offset + segment.p_filesz, ret);
	return len_bytes;
}

/**
 * build_id() - find the build id of a file
 * @file: a file that is mapped
 * @ret: receives the build id, up to BUILD_ID_MAX_BYTES
 *
 * Reading a device may have side effects, so only regular files are read.
 *
 * Context: task, no lock held.
 * Return: length of the build id, 0 if the file has none, or if its first page is not in the
 *	page cache now.
 */
static unsigned int build_id(struct file *file, u8 *ret)
{
	unsigned int len_bytes = 0;
	struct page *page;
	void *mapped;

	if (!S_ISREG(file_inode(file)->i_mode))
		return 0;
	page = pagecache_get_page(file->f_mapping, 0, 0, 0);
	if (!page)
		return 0;
	if (PageUptodate(page)) {
		mapped = kmap_local_page(page);
		len_bytes = find_in_page(mapped, ret);
		kunmap_local(mapped);
	}
	put_page(page);
	return len_bytes;
}

/*
 * Registers and stack memory of a thread of user space.
 *
 * Concurrency: none. The thread saves its own memory.
 */

/* Maximum number of registers, and of words of the stack. */
#define STACK_MEMORY_REGISTERS	33
#define STACK_MEMORY_WORDS	1024
#define STACK_MEMORY_MASKS	(STACK_MEMORY_WORDS / 64)

/*
 * Store the registers in the order of DWARF, and return their number. The program counter
 * comes last. FRAME_POINTER is the number of the frame pointer, and CODE_BITS are the bits of
 * a return address that are not a pointer authentication code.
 */
#if defined(CONFIG_X86) && defined(CONFIG_64BIT)
#define FRAME_POINTER	6
#define CODE_BITS	ULONG_MAX

static unsigned int save_registers(u64 *words, const struct pt_regs *regs)
{
	const u64 values[] = {
		regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di,
		regs->bp, regs->sp, regs->r8, regs->r9, regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15, regs->ip,
	};

	if (!user_64bit_mode((struct pt_regs *)regs))
		return 0;
	memcpy(words, values, sizeof(values));
	return ARRAY_SIZE(values);
}

#elif defined(CONFIG_ARM64)
#define FRAME_POINTER	29
#define CODE_BITS	(TASK_SIZE_MAX - 1)

static unsigned int save_registers(u64 *words, const struct pt_regs *regs)
{
	if (compat_user_mode(regs))
		return 0;
	memcpy(words, regs->regs, sizeof(regs->regs));
	words[ARRAY_SIZE(regs->regs)] = regs->sp;
	words[ARRAY_SIZE(regs->regs) + 1] = regs->pc;
	return ARRAY_SIZE(regs->regs) + 2;
}

#else
#define FRAME_POINTER	0
#define CODE_BITS	ULONG_MAX

static unsigned int save_registers(u64 *words, const struct pt_regs *regs)
{
	return 0;
}
#endif

/* ---- requests ----------------------------------------------------------- */

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
#define NO_FILE		(MAX_FILES + 1)

/* Maximum length of the list of files. */
#define FILES_BYTES	1360

/* Maximum length of "0xaddress+0xoffset;", including the NUL. */
#define MAP_BYTES	40

/* Maximum length of a frame's name, including the NUL. */
#define NAME_BYTES	160

/* Replaces the outer frames for which there is no room. */
#define CUT	"..."

/*
 * Stands for a frame in memory without a file, where an address follows if memory is asked for,
 * for a frame of a file that is not in the list, and for a stack that was left out.
 */
#define UNKNOWN	"?"

/**
 * struct request - a thread that records its stack before it returns to user space
 * @work: task work of the thread
 * @task: the thread, NULL in a free slot
 * @nr_of_user: number of pending requests of the thread's real user
 * @since: jiffies of the request
 * @exec_id: tells the programs that the thread executes apart
 * @with_memory: save memory if the frame pointers do not lead to the end of the stack
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

DEFINE_PER_CPU(struct vtr_stacks_stats, vtr_stacks_counters);

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
 * @file: index of the file, MAX_FILES if it is not in the list, or NO_FILE
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
 * @nr_registers: number of registers at the start of @words
 * @nr_stack: number of words of the stack that were looked at
 * @nr_words: number of @words in use
 * @words: registers in the order of fxt.rst; a bit for each word of the stack, from its
 *	pointer on, that is set if the word is a pointer; these pointers
 * @maps: where the files of the walk are mapped
 */
struct saved {
	unsigned int	nr_registers;
	unsigned int	nr_stack;
	unsigned int	nr_words;
	u64		words[STACK_MEMORY_REGISTERS + STACK_MEMORY_MASKS +
			      STACK_MEMORY_WORDS];
	char		maps[MAX_FILES * MAP_BYTES];
};

/**
 * struct walk - the stack of a thread, and its text
 * @frames: frames, innermost first
 * @files: files of the frames
 * @nr_frames: number of @frames in use
 * @nr_files: number of @files in use
 * @list: paths and build ids of @files
 * @list_bytes: length of @list
 * @text: names of the frames
 * @with_memory: as in struct request
 * @is_complete: the frame pointers lead to the end of the stack
 * @saved: memory, or NULL
 */
struct walk {
	struct frame	frames[MAX_FRAMES];
	struct mapped	files[MAX_FILES];
	unsigned int	nr_frames;
	unsigned int	nr_files;
	char		list[FILES_BYTES];
	unsigned int	list_bytes;
	struct vtr_stack_text text;
	bool		with_memory;
	bool		is_complete;
	struct saved	*saved;
};

/* ---- frames ----------------------------------------------------------------- */

/* Return the frame pointer, 0 if registers of this program are not saved. */
static u64 frame_of(const struct pt_regs *regs)
{
	u64 registers[STACK_MEMORY_REGISTERS];

	return save_registers(registers, regs) ? registers[FRAME_POINTER] : 0;
}

/* Find the end of the mapping that contains the stack. Return 0 if there is none. */
static unsigned long stack_end(unsigned long sp)
{
	const struct vm_area_struct *vma = vma_lookup(current->mm, sp);

	return vma && !(vma->vm_flags & (VM_IO | VM_PFNMAP)) ?
	       vma->vm_end : 0;
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
		record.address &= CODE_BITS;
		if (!record.address)
			break;
		walk->frames[walk->nr_frames++].address = record.address;
		/* Startup code and that of new threads clear the register, by the ABI. */
		walk->is_complete = !record.next;
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
	const struct vm_area_struct *vma = vma_lookup(current->mm, frame->address);

	if (!vma || !(vma->vm_flags & VM_EXEC))
		return false;
	frame->file = NO_FILE;
	if (!vma->vm_file)
		return true;
	frame->file = index_of(walk, vma);
	frame->offset = frame->address - vma->vm_start + offset_of(vma);
	return true;
}

/* Frames beyond the first that is not in code are garbage. */
static void map_frames(struct walk *walk)
{
	unsigned int i;

	for (i = 0; i < walk->nr_frames; i++)
		if (!map_frame(walk, &walk->frames[i]))
			break;
	walk->is_complete &= i == walk->nr_frames;
	walk->nr_frames = i;
}

/* ---- memory ----------------------------------------------------------------- */

/**
 * struct span - the stack, or addresses that are all in code, or all outside
 * @begin: first address
 * @end: address behind the last one
 * @is_code: they are in code
 */
struct span {
	unsigned long	begin;
	unsigned long	end;
	bool		is_code;
};

static bool is_within(const struct span *span, unsigned long address)
{
	return address >= span->begin && address < span->end;
}

/*
 * Check for a pointer to the stack or to code, whose file is then noted: it may be a return
 * address. @last is the result of the last search.
 */
static bool is_pointer(struct walk *walk, u64 word, const struct span *stack,
		       struct span *last)
{
	unsigned long address = word & CODE_BITS;
	const struct vm_area_struct *vma;

	if (is_within(stack, address))
		return true;
	if (is_within(last, address))
		return last->is_code;
	vma = find_vma(current->mm, address);
	if (vma && address >= vma->vm_start)
		*last = (struct span){ vma->vm_start, vma->vm_end, vma->vm_flags & VM_EXEC };
	else
		*last = (struct span){ address, vma ? vma->vm_start : ULONG_MAX };
	if (last->is_code && vma->vm_file)
		index_of(walk, vma);
	return last->is_code;
}

/* Keep pointers only: to unwind a stack, no other word is needed, and these are user data. */
static void keep_pointers(struct walk *walk, const u64 *words, const struct span *stack)
{
	struct saved *saved = walk->saved;
	u64 *masks = saved->words + saved->nr_registers;
	u64 *to = masks + DIV_ROUND_UP(saved->nr_stack, 64);
	struct span last = { 0, PAGE_SIZE };
	unsigned int i;

	for (i = 0; i < saved->nr_registers; i++)
		if (!is_pointer(walk, saved->words[i], stack, &last))
			saved->words[i] = 0;
	memset(masks, 0, (to - masks) * sizeof(*masks));
	for (i = 0; i < saved->nr_stack; i++) {
		if (!is_pointer(walk, words[i], stack, &last))
			continue;
		masks[i / 64] |= 1ULL << i % 64;
		*to++ = words[i];
	}
	saved->nr_words = to - saved->words;
}

/*
 * Save the registers and the stack. A page that is not there is not fetched: the stack ends
 * before it. Without room for the memory, of other architectures and of 32-bit programs, the
 * frames alone are recorded.
 */
static void save_memory(struct walk *walk, const struct pt_regs *regs,
			const struct span *stack)
{
	struct saved *saved = kzalloc(sizeof(*saved), GFP_NOWAIT | __GFP_NOWARN);
	size_t len_bytes = min(stack->end - stack->begin, STACK_MEMORY_WORDS * sizeof(u64));
	u64 *words;

	if (!saved)
		return;
	saved->nr_registers = save_registers(saved->words, regs);
	if (!saved->nr_registers) {
		kfree(saved);
		return;
	}
	words = saved->words + saved->nr_registers + STACK_MEMORY_MASKS;
	if (stack->end) {
		pagefault_disable();
		len_bytes -= copy_from_user(words, (void __user *)stack->begin, len_bytes);
		pagefault_enable();
		saved->nr_stack = len_bytes / sizeof(*words);
	}
	walk->saved = saved;
	keep_pointers(walk, words, stack);
}

/* ---- text ------------------------------------------------------------------- */

/* In texts, ";" separates frames and files. Return the length of the path. */
static size_t clean(char *path)
{
	char *at;

	for (at = path; *at; at++)
		if (*at == ';' || (u8)*at < ' ')
			*at = '?';
	return at - path;
}

static bool is_name_taken(const struct walk *walk, const char *name, size_t len)
{
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
	char *end = saved->maps + strlen(saved->maps);

	scnprintf(end, MAP_BYTES, "%s%#lx+%#llx", end > saved->maps ? ";" : "",
		  mapped->address, mapped->offset);
}

/* Append "path build-id" to the list of files; "-" if the file has no build id. */
static void list_file(struct walk *walk, struct mapped *mapped)
{
	char *list = walk->list + walk->list_bytes, *path;
	unsigned int len, len_id, skip;
	u8 id[BUILD_ID_MAX_BYTES];
	int room;

	if (walk->list_bytes)
		*list++ = ';';
	/* Leave room for the build id, the space before it and a NUL. */
	room = walk->list + FILES_BYTES - list - 2 * sizeof(id) - 2;
	path = d_path(VTR_FILE_USER_PATH(mapped->file), list, max(room, 0));
	if (IS_ERR(path))
		return;
	len = clean(path);
	skip = kbasename(path) - path;
	if (skip == len || is_name_taken(walk, path + skip, len - skip))
		skip = 0;
	memmove(list, path, len);
	mapped->name = list + skip;
	mapped->len_bytes = len - skip;
	list += len;
	len_id = build_id(mapped->file, id);
	list += sprintf(list, " %*phN%s", (int)len_id, id, len_id ? "" : "-");
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

static void name_frame(const struct walk *walk, const struct frame *frame, char *name)
{
	const struct mapped *mapped = frame->file < MAX_FILES ? &walk->files[frame->file] : NULL;

	if (frame->file == NO_FILE && walk->with_memory)
		scnprintf(name, NAME_BYTES, UNKNOWN "+%#lx", frame->address);
	else if (!mapped || !mapped->name)
		strscpy(name, UNKNOWN, NAME_BYTES);
	else
		scnprintf(name, NAME_BYTES, "%.*s+0x%llx",
			  (int)mapped->len_bytes, mapped->name, frame->offset);
}

/**
 * vtr_stack_text_init() - begin the text of a stack, without frames
 * @text: the text, which must not be moved
 *
 * Context: any.
 */
void vtr_stack_text_init(struct vtr_stack_text *text)
{
	text->begin = text->bytes + sizeof(text->bytes) - 1;
	*text->begin = '\0';
}

/**
 * vtr_stack_text_add() - add the next outer frame to the text of a stack
 * @text: the text
 * @name: name of the frame, shorter than half of the text
 *
 * The text is built from its end, so that outer frames are cut.
 *
 * Context: any.
 * Return: false if there is no room; "..." then stands for this frame and all others.
 */
bool vtr_stack_text_add(struct vtr_stack_text *text, const char *name)
{
	size_t len = strlen(name);
	/* There is always room for CUT. */
	bool fits = len + strlen(";" CUT ";") <= text->begin - text->bytes;

	if (!fits) {
		name = CUT;
		len = strlen(CUT);
	}
	if (*text->begin)
		*--text->begin = ';';
	text->begin -= len;
	memcpy(text->begin, name, len);
	return fits;
}

static void make_text(struct walk *walk)
{
	char name[NAME_BYTES];
	unsigned int i;

	vtr_stack_text_init(&walk->text);
	for (i = 0; i < walk->nr_frames; i++) {
		name_frame(walk, &walk->frames[i], name);
		if (!vtr_stack_text_add(&walk->text, name))
			break;
	}
}

/* ---- record ----------------------------------------------------------------- */

/* Write as much of the memory as fits into a sub-buffer. */
static void write_memory(struct vtr_ring *ring, const struct saved *saved, u64 ticks)
{
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "user stack memory", ticks);
	vtr_stack_event_add(&event, "memory", FXT_ARG_UINT64, ticks);
	vtr_stack_event_add(&event, "registers", FXT_ARG_UINT32, saved->nr_registers);
	vtr_stack_event_add(&event, "words", FXT_ARG_UINT32, saved->nr_stack);
	vtr_stack_event_add_payload(&event, ring, saved->words, saved->nr_words);
	vtr_stack_event_write(&event, ring, current);
}

static bool write_walk(struct vtr_ring *ring, u64 now, const struct walk *walk)
{
	const struct saved *saved = walk->saved;
	bool has_memory = walk->list_bytes && saved;
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "user stack", now);
	vtr_stack_event_add_string(&event, "stack", walk->text.begin,
				   vtr_stack_text_bytes(&walk->text), true);
	if (walk->list_bytes)
		vtr_stack_event_add_string(&event, "files", walk->list, walk->list_bytes, true);
	if (has_memory) {
		vtr_stack_event_add_string(&event, "maps", saved->maps, strlen(saved->maps), true);
		vtr_stack_event_add(&event, "memory", FXT_ARG_UINT64, now);
	}
	if (!vtr_stack_event_write(&event, ring, current))
		return false;
	if (has_memory)
		write_memory(ring, saved, now);
	return true;
}

/*
 * Record that the stack of a thread is not known. Otherwise the next user stack of the
 * thread would be taken for that of this wait, too.
 */
static void write_unknown(struct vtr_ring *ring, u64 now,
			  const struct task_struct *task)
{
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "user stack", now);
	vtr_stack_event_add_string(&event, "stack", UNKNOWN, strlen(UNKNOWN), false);
	vtr_stack_event_write(&event, ring, task);
}

/* Record the stack of the current thread; NULL: it is not known. */
static bool write_here(const struct walk *walk)
{
	struct vtr_ring *ring;
	u64 now;

	guard(irqsave)();
	ring = this_cpu_read(vtr_writer_ring);
	if (ring == &vtr_writer_none)
		return false;
	now = vtr_writer_ticks(ring);
	if (walk && write_walk(ring, now, walk))
		return true;
	write_unknown(ring, now, current);
	return false;
}

/* Walk the stack and note the files in it, while no other thread changes the mappings. */
static void walk_stack(struct walk *walk, const struct pt_regs *regs)
{
	struct span stack = { user_stack_pointer((struct pt_regs *)regs) };

	if (!mmap_read_trylock(current->mm))
		return;
	stack.end = stack_end(stack.begin);
	walk_frames(walk, regs, stack.begin, stack.end);
	map_frames(walk);
	if (walk->nr_frames && walk->with_memory && !walk->is_complete)
		save_memory(walk, regs, &stack);
	mmap_read_unlock(current->mm);
}

static bool record(bool with_memory)
{
	struct walk *walk = kzalloc(sizeof(*walk), GFP_NOWAIT | __GFP_NOWARN);
	bool is_written;

	/* The next size that is allocated, and cleared, is twice as large. */
	BUILD_BUG_ON(sizeof(*walk) > 4096);
	if (!walk)
		return write_here(NULL);
	walk->with_memory = with_memory;
	walk_stack(walk, task_pt_regs(current));
	list_files(walk);
	make_text(walk);
	is_written = write_here(walk->nr_frames ? walk : NULL);
	kfree(walk->saved);
	kfree(walk);
	return is_written;
}

static void count(bool is_recorded)
{
	if (is_recorded)
		this_cpu_inc(vtr_stacks_counters.user);
	else
		this_cpu_inc(vtr_stacks_counters.user_left_out);
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

	count(has_stack(request) ? record(request->with_memory) : write_here(NULL));
	atomic_dec(request->nr_of_user);
	/* Pairs with cmpxchg() in request(). */
	smp_store_release(&request->task, NULL);
	module_put(THIS_MODULE);
}

/* ---- requests --------------------------------------------------------------- */

/* Find the slot of a thread, or else a free one; NULL: there is none. */
static struct request *find(const struct task_struct *task)
{
	struct request *free = NULL, *slot;
	const struct task_struct *owner;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		slot = &slots[(hash_ptr(task, 32) + i) % NR_SLOTS];
		owner = READ_ONCE(slot->task);
		if (owner == task)
			return slot;
		if (!owner && !free)
			free = slot;
	}
	return free;
}

/* Return whether the thread will record its stack, for this request or an earlier one. */
static bool request(struct task_struct *task, bool with_memory)
{
	u32 user = hash_32(__kuid_val(task_uid(task)), ilog2(NR_USERS));
	struct request *request = find(task);

	if (request && READ_ONCE(request->task) == task)
		return true;
	if (!request || task->prio < MAX_RT_PRIO)
		return false;
	/* The second pairs with smp_store_release() in run(). */
	if (atomic_inc_return(&users[user]) > USER_SLOTS || cmpxchg(&request->task, NULL, task))
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
 * @task: thread of a user-space program that is woken up, or the current one
 * @with_memory: also save memory if the frame pointers do not lead to the end of the stack
 *
 * The thread records its stack once before it returns to user space, regardless of the
 * number of requests until then. If it cannot, this is recorded.
 *
 * Context: sched_waking: interrupts off, the thread's pi_lock held; for the current thread,
 *	an interrupt.
 */
void vtr_user_stack_request(struct vtr_ring *ring, u64 now,
			    struct task_struct *task, bool with_memory)
{
	if (request(task, with_memory))
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
	guard(rcu)();
	for (i = 0; i < NR_SLOTS; i++) {
		task = READ_ONCE(slots[i].task);
		/* Filled in after the slot was claimed: an old time names one thread more. */
		if (task && time_after(jiffies, data_race(slots[i].since) + HZ))
			pr_info("thread %d (%s) has not returned to user space; until it does, the module is in use\n",
				task->pid, task->comm);
	}
}

/**
 * vtr_user_stack_pending() - count the threads that are still in the kernel
 *
 * Context: any.
 * Return: number of user stacks that were requested, but neither recorded nor left out.
 */
unsigned int vtr_user_stack_pending(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_SLOTS; i++)
		nr += !!READ_ONCE(slots[i].task);
	return nr;
}
