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
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "stack_table.h"

enum {
	SLOT_FREE,
	SLOT_CLAIMED,
	SLOT_READY,
};

/* Number of slots that are probed for a stack. */
#define PROBES	16

/* Maximum length of a frame's name, including the NUL; longer names are truncated. */
#define NAME_BYTES	128

/* Replaces the outer frames for which there is no room. */
#define CUT	"..."

static unsigned long hash_frames(const unsigned long *frames, unsigned int nr)
{
	unsigned long hash = nr;

	while (nr--) {
		hash = (hash ^ frames[nr]) * GOLDEN_RATIO_64;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool is_same(const struct vtr_stack *stack, unsigned long hash,
		    const unsigned long *frames, unsigned int nr_frames)
{
	return stack->hash == hash && stack->nr_frames == nr_frames &&
	       !memcmp(stack->frames, frames, nr_frames * sizeof(*frames));
}

/* Format as "function+0x12 [module]", that is, %pB without the size of the function. */
static void name_frame(unsigned long address, char *name)
{
	char *size, *rest;

	snprintf(name, NAME_BYTES, "%pB", (void *)address);
	size = strchr(name, '/');
	if (size) {
		rest = strchrnul(size, ' ');
		memmove(size, rest, strlen(rest) + 1);
	}
	/* Without a symbol %pB prints the raw address, which must not leave the kernel. */
	if (!strchr(name, '+'))
		strscpy(name, "?", NAME_BYTES);
}

/* These are the innermost frames of every blocked thread, so they carry no information. */
static bool is_scheduler(const char *name)
{
	return str_has_prefix(name, "__schedule+") ||
	       str_has_prefix(name, "schedule+");
}

/* Prepend a frame's name to the text. Return false if there is no room for it. */
static bool prepend(struct vtr_stack *stack, const char *name)
{
	size_t len = strlen(name), separator = stack->text_bytes ? 1 : 0;

	/* There is always room for CUT. */
	if (len + separator + strlen(CUT ";") > stack->text_offset)
		return false;
	if (separator)
		stack->text[--stack->text_offset] = ';';
	stack->text_offset -= len;
	memcpy(stack->text + stack->text_offset, name, len);
	stack->text_bytes += len + separator;
	return true;
}

static void prepend_cut(struct vtr_stack *stack)
{
	stack->text_offset -= strlen(CUT ";");
	memcpy(stack->text + stack->text_offset, CUT ";", strlen(CUT ";"));
	stack->text_bytes += strlen(CUT ";");
}

/* Build the text from its end, innermost frame first, so that outer frames are cut. */
static void make_text(struct vtr_stack *stack)
{
	char name[NAME_BYTES];
	unsigned int i;

	stack->text_offset = sizeof(stack->text);
	stack->text_bytes = 0;
	for (i = 0; i < stack->nr_frames; i++) {
		name_frame(stack->frames[i], name);
		if (!stack->text_bytes && is_scheduler(name))
			continue;
		if (!prepend(stack, name)) {
			prepend_cut(stack);
			break;
		}
	}
}

static bool claim(struct vtr_stack *stack)
{
	return READ_ONCE(stack->state) == SLOT_FREE &&
	       cmpxchg(&stack->state, SLOT_FREE, SLOT_CLAIMED) == SLOT_FREE;
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
	unsigned long hash = hash_frames(frames, nr_frames);
	struct vtr_stack *stack;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		stack = &table->slots[(hash + i) % VTR_STACK_TABLE_SLOTS];
		/* Pairs with smp_store_release() below, on another CPU. */
		if (smp_load_acquire(&stack->state) == SLOT_READY) {
			if (is_same(stack, hash, frames, nr_frames))
				return stack;
			continue;
		}
		if (!claim(stack))
			continue;
		stack->hash = hash;
		stack->nr_frames = nr_frames;
		memcpy(stack->frames, frames, nr_frames * sizeof(*frames));
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
