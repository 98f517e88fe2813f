/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a stack, of the kernel or of user space: the names of its frames.
 */
#ifndef _VTR_STACK_TEXT_H
#define _VTR_STACK_TEXT_H

#include <linux/types.h>

/**
 * struct vtr_stack_text - the names of the frames of a stack
 * @begin: where the text begins in @bytes; it ends with them
 * @bytes: the names, outermost first, separated by ";", and a NUL
 */
struct vtr_stack_text {
	char	*begin;
	char	bytes[1001];
};

/* Return the length of the text. */
static inline size_t vtr_stack_text_bytes(const struct vtr_stack_text *text)
{
	return text->bytes + sizeof(text->bytes) - 1 - text->begin;
}

void vtr_stack_text_init(struct vtr_stack_text *text);
bool vtr_stack_text_add(struct vtr_stack_text *text, const char *name);

#endif /* _VTR_STACK_TEXT_H */
