// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table of the kernel stacks that have been seen, with their text.
 *
 * Concurrency: lock-free, in any context, on any CPU. A CPU claims a free slot with
 * cmpxchg(), fills it, and stores SLOT_READY with release semantics. A CPU that loads
 * SLOT_READY with acquire semantics may read the slot, which does not change any more.
 * If two CPUs see a new stack at the same time, each may add it. The caller empties or
 * frees a table only when no CPU can be using it.
 */
#include <linux/atomic.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>

#include "stack_table.h"

enum {
	SLOT_FREE,
	SLOT_CLAIMED,
	SLOT_READY,
};

/* Number of slots that are probed for a stack. */
#define PROBES	16

/**
 * vtr_stack_table_name() - name a frame of a kernel stack
 * @address: address of the frame
 * @name: receives "function+0x12 [module]", that is, %pB without the size of the function; an
 *	array of VTR_STACK_NAME_BYTES, to which longer names are cut
 *
 * Context: any.
 */
void vtr_stack_table_name(unsigned long address, char *name)
{
	char *size, *rest;

	snprintf(name, VTR_STACK_NAME_BYTES, "%pB", (void *)address);
	size = strchr(name, '/');
	if (size) {
		rest = strchrnul(size, ' ');
		memmove(size, rest, strlen(rest) + 1);
	}
	/* Without a symbol %pB prints the raw address, which must not leave the kernel. */
	if (!strchr(name, '+'))
		strscpy(name, "?", VTR_STACK_NAME_BYTES);
}

/**
 * vtr_stack_table_function() - find the function of an address
 * @address: the address
 *
 * Context: any.
 * Return: the address behind the first byte of the function, so that all samples of the function
 *	have equal frames; 0 if there is no symbol for it. A frame is named by the byte before it.
 */
unsigned long vtr_stack_table_function(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long offset;
	const char *at;

	sprint_symbol(name, address);
	at = strrchr(name, '+');
	return at && sscanf(at, "+%lx/", &offset) == 1 ? address - offset + 1 : 0;
}

/* These are the innermost frames of every blocked thread, so they carry no information. */
static bool is_scheduler(const char *name)
{
	return str_has_prefix(name, "__schedule+") ||
	       str_has_prefix(name, "schedule+");
}

static void make_text(struct vtr_stack *stack)
{
	struct vtr_stack_text *text = &stack->text;
	char name[VTR_STACK_NAME_BYTES];
	unsigned int i;

	vtr_stack_text_init(text);
	for (i = 0; i < stack->nr_frames; i++) {
		vtr_stack_table_name(stack->frames[i], name);
		if (!*text->begin && is_scheduler(name))
			continue;
		if (!vtr_stack_text_add(text, name))
			break;
	}
}

/**
 * vtr_stack_table_find() - look up a stack, and add it if it is new
 * @table: the table
 * @frames: return addresses, innermost first
 * @nr_frames: number of @frames, at most VTR_STACK_MAX_FRAMES
 *
 * Context: any.
 * Return: the stack with its text; NULL if it is new and there is no room for it.
 */
const struct vtr_stack *vtr_stack_table_find(struct vtr_stack_table *table,
					     const unsigned long *frames,
					     unsigned int nr_frames)
{
	size_t frames_bytes = nr_frames * sizeof(*frames);
	u32 hash = jhash(frames, frames_bytes, 0);
	struct vtr_stack *stack;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		stack = &table->slots[(hash + i) % VTR_STACK_TABLE_SLOTS];
		/* Pairs with smp_store_release() below, on another CPU. */
		if (smp_load_acquire(&stack->state) == SLOT_READY) {
			if (stack->nr_frames == nr_frames &&
			    !memcmp(stack->frames, frames, frames_bytes))
				return stack;
			continue;
		}
		if (cmpxchg(&stack->state, SLOT_FREE, SLOT_CLAIMED) != SLOT_FREE)
			continue;
		stack->nr_frames = nr_frames;
		memcpy(stack->frames, frames, frames_bytes);
		make_text(stack);
		/* Pairs with smp_load_acquire() above. */
		smp_store_release(&stack->state, SLOT_READY);
		return stack;
	}
	return NULL;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/stack_table_kunit.c"
#endif
