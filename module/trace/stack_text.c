// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a stack. It is built from its end, so that outer frames are cut.
 *
 * Concurrency: none. The caller owns the text.
 */
#include <linux/string.h>

#include "stack_text.h"

/* Replaces the outer frames for which there is no room. */
#define CUT	"..."

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
