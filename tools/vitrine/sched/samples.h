/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What running threads executed: the samples of a trace. Each stands for the same time, so the
 * part of a thread's samples that has a stack is the part of its running time that it spent there.
 *
 * A sample is the event "running" of the category "stacks", with the kernel stack if the
 * thread was in the kernel. If user stacks are recorded, the event "user stack" follows when
 * the thread returns to user space, for all its samples since the last one.
 */
#ifndef _VITRINE_SAMPLES_H
#define _VITRINE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "fxt_names.h"
#include "vitrine.h"
#include "why_texts.h"

/**
 * struct sample - a sample
 * @thread: number of the thread, one of the caller's
 * @ns: its time
 * @user: text number of the user stack, WHY_TEXT_NONE if it is not known
 * @kernel: text number of the kernel stack, WHY_TEXT_NONE if the thread was in user space
 * @before: until samples_finish(), number plus one of the thread's sample before whose user stack
 *	may still follow; 0: none
 */
struct sample {
	uint64_t thread;
	uint64_t ns;
	uint32_t user;
	uint32_t kernel;
	uint32_t before;
};

/**
 * struct samples - all samples of a trace; empty if zeroed
 * @texts: stacks
 * @samples: in order of time; after samples_finish(), by thread and time
 * @nr: number of @samples
 * @nr_seen: number of all samples so far
 * @skip: bits of their number that are 0 in those that are kept
 * @lasts: of each thread, number plus one of its last sample whose user stack may still follow
 */
struct samples {
	struct why_texts texts;
	struct sample *samples;
	uint32_t nr;
	uint64_t nr_seen;
	uint64_t skip;
	struct fxt_names lasts;
};

void samples_follow(struct samples *samples, const struct vitrine_fxt_record *record,
		    uint64_t ns, uint64_t thread);
void samples_finish(struct samples *samples);
size_t samples_of(const struct samples *samples, uint64_t thread, uint64_t begin_ns,
		  uint64_t end_ns, struct sample **ret);
void samples_deinit(struct samples *samples);

#endif /* _VITRINE_SAMPLES_H */
