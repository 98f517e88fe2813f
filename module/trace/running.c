// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: the timers of sample.c interrupt the running threads, whose kernel stacks are
 * recorded. These have a table of their own: new ones keep coming, and must not take the place
 * of those of waits.
 */
#include <linux/ptrace.h>

#include "compat.h"
#include "event.h"
#include "stack_table.h"
#include "unwind.h"
#include "waits.h"

/* Stands for the outer frames if there is no room for the stack. */
#define CUT	"...;"

/* Add the stack of a thread that was interrupted in the kernel. */
static void add_running(struct vtr_stack_event *event, struct vtr_stack_table *table,
			struct pt_regs *regs, char *name)
{
	unsigned long frames[VTR_STACK_MAX_FRAMES];
	const struct vtr_stack *stack;
	unsigned int nr;

	frames[0] = vtr_stack_table_function(instruction_pointer(regs));
	nr = 1 + vtr_unwind(current, regs, frames + 1, VTR_STACK_MAX_FRAMES - 1);
	stack = vtr_stack_table_find(table, frames, nr);
	if (stack) {
		vtr_stack_event_add_string(event, "stack", stack->text.begin,
					   vtr_stack_text_bytes(&stack->text), false);
		return;
	}
	/* There is no room: at least the function is known. */
	memcpy(name, CUT, strlen(CUT));
	vtr_stack_table_name(frames[0], name + strlen(CUT));
	vtr_stack_event_add_string(event, "stack", name, strlen(name), true);
}

/**
 * vtr_running_record() - record what this CPU executes
 * @regs: registers of the running thread
 *
 * Context: a callback of sample.c: an interrupt.
 */
void vtr_running_record(struct pt_regs *regs)
{
	/* Pairs with smp_store_release() in resume(). */
	struct vtr_stack_table *table = smp_load_acquire(&vtr_running_table);
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	char name[sizeof(CUT) + VTR_STACK_NAME_BYTES];
	struct vtr_stack_event event;
	u64 now;

	if (!table || !vtr_stacks_selects(current))
		return;
	now = vtr_writer_ticks(ring);
	vtr_stack_event_begin(&event, "running", now);
	if (!user_mode(regs))
		add_running(&event, table, regs, name);
	if (vtr_stack_event_write(&event, ring, current))
		this_cpu_inc(vtr_stacks_counters.running);
	vtr_user_stack_request(ring, now, current);
}
