// SPDX-License-Identifier: GPL-2.0
/*
 * Walk the stack of a thread of user space along its frame pointers. If asked to, and if these
 * do not lead to the end of the stack, also keep the pointers to code and to the stack that are
 * in its registers and in its stack, so that code without frame pointers can be unwound later.
 *
 * Concurrency: the thread walks its own stack, with its mappings locked against change. It
 * waits neither for that lock nor for memory or a page: what is not there is left out.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "user_walk.h"

/* ---- registers -------------------------------------------------------------- */

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

/* ---- frames ----------------------------------------------------------------- */

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
static void walk_frames(struct vtr_user_walk *walk, unsigned long pc, unsigned long at,
			const struct span *stack)
{
	struct {
		unsigned long	next;
		unsigned long	address;
	} record;

	walk->frames[walk->nr_frames++].address = pc;
	while (walk->nr_frames < VTR_USER_MAX_FRAMES && at % sizeof(at) == 0 &&
	       is_within(stack, at) && is_within(stack, at + sizeof(at))) {
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

/* Return the index of a mapped file, which is added if there is room; else VTR_USER_MAX_FILES. */
static unsigned int index_of(struct vtr_user_walk *walk, const struct vm_area_struct *vma)
{
	unsigned int i;

	for (i = 0; i < walk->nr_files; i++)
		if (file_inode(walk->files[i].file) == file_inode(vma->vm_file))
			return i;
	if (i < VTR_USER_MAX_FILES) {
		get_file(vma->vm_file);
		walk->files[walk->nr_files++] = (struct vtr_user_file){
			.file = vma->vm_file,
			.address = vma->vm_start,
			.offset = offset_of(vma),
		};
	}
	return i;
}

/* Find file and offset of a frame. Return false if no code is mapped at its address. */
static bool map_frame(struct vtr_user_walk *walk, struct vtr_user_frame *frame)
{
	const struct vm_area_struct *vma = vma_lookup(current->mm, frame->address);

	if (!vma || !(vma->vm_flags & VM_EXEC))
		return false;
	frame->file = VTR_USER_NO_FILE;
	if (!vma->vm_file)
		return true;
	frame->file = index_of(walk, vma);
	frame->offset = frame->address - vma->vm_start + offset_of(vma);
	return true;
}

/* Frames beyond the first that is not in code are garbage. */
static void map_frames(struct vtr_user_walk *walk)
{
	unsigned int i;

	for (i = 0; i < walk->nr_frames; i++)
		if (!map_frame(walk, &walk->frames[i]))
			break;
	walk->is_complete &= i == walk->nr_frames;
	walk->nr_frames = i;
}

/* ---- memory ----------------------------------------------------------------- */

/*
 * Check for a pointer to the stack or to code, whose file is then noted: it may be a return
 * address. @last is the result of the last search.
 */
static bool is_pointer(struct vtr_user_walk *walk, u64 word, const struct span *stack,
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
static void keep_pointers(struct vtr_user_walk *walk, const u64 *words, const struct span *stack)
{
	struct vtr_user_memory *saved = walk->memory;
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
 * before it. Without room for the memory, the frames alone are recorded.
 */
static void save_memory(struct vtr_user_walk *walk, const u64 *registers,
			unsigned int nr_registers, const struct span *stack)
{
	struct vtr_user_memory *saved = kzalloc(sizeof(*saved), GFP_NOWAIT | __GFP_NOWARN);
	size_t len_bytes = min(stack->end - stack->begin, VTR_USER_MAX_WORDS * sizeof(u64));
	u64 *words;

	if (!saved)
		return;
	saved->nr_registers = nr_registers;
	memcpy(saved->words, registers, nr_registers * sizeof(*registers));
	words = saved->words + ARRAY_SIZE(saved->words) - VTR_USER_MAX_WORDS;
	if (stack->end) {
		pagefault_disable();
		len_bytes -= copy_from_user(words, (void __user *)stack->begin, len_bytes);
		pagefault_enable();
		saved->nr_stack = len_bytes / sizeof(*words);
	}
	walk->memory = saved;
	keep_pointers(walk, words, stack);
}

/*
 * Walk the stack and note the files in it, while no other thread changes the mappings. Memory
 * is not saved for 32-bit programs and on other architectures, whose registers are not known.
 */
static void walk_stack(struct vtr_user_walk *walk, struct pt_regs *regs)
{
	struct span stack = { user_stack_pointer(regs) };
	u64 registers[VTR_USER_MAX_REGISTERS];
	unsigned int nr_registers = save_registers(registers, regs);

	stack.end = stack_end(stack.begin);
	walk_frames(walk, instruction_pointer(regs),
		    nr_registers ? registers[FRAME_POINTER] : 0, &stack);
	map_frames(walk);
	if (walk->nr_frames && walk->with_memory && !walk->is_complete && nr_registers)
		save_memory(walk, registers, nr_registers, &stack);
}

/**
 * vtr_user_walk_create() - walk the stack of the current thread
 * @with_memory: also save memory if the frame pointers do not lead to the end of the stack
 *
 * Context: task work. Waits for nothing.
 * Return: the stack, without texts; NULL if it is not known, because memory is short, another
 *	thread changes the mappings, or the thread executes none of its code.
 */
struct vtr_user_walk *vtr_user_walk_create(bool with_memory)
{
	struct vtr_user_walk *walk = kzalloc(sizeof(*walk), GFP_NOWAIT | __GFP_NOWARN);

	/* The next size that is allocated, and cleared, is twice as large. */
	BUILD_BUG_ON(sizeof(*walk) > 4096);
	if (!walk)
		return NULL;
	walk->with_memory = with_memory;
	if (mmap_read_trylock(current->mm)) {
		walk_stack(walk, task_pt_regs(current));
		mmap_read_unlock(current->mm);
	}
	if (walk->nr_frames)
		return walk;
	kfree(walk);
	return NULL;
}

/**
 * vtr_user_walk_destroy() - free a stack
 * @walk: the stack, or NULL
 *
 * Context: task.
 */
void vtr_user_walk_destroy(struct vtr_user_walk *walk)
{
	if (!walk)
		return;
	while (walk->nr_files)
		fput(walk->files[--walk->nr_files].file);
	kfree(walk->memory);
	kfree(walk);
}
