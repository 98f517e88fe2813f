/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Growing strings.
 */
#ifndef _VITRINE_UI_TEXT_H
#define _VITRINE_UI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct text - a growing string
 * @bytes: terminated, once something has been appended
 * @len: length without the NUL
 * @size: size of the memory
 * @failed: out of memory: the text is incomplete
 */
struct text {
	char *bytes;
	size_t len;
	size_t size;
	bool failed;
};

void text_add(struct text *text, const char *bytes, size_t len);
void text_add_string(struct text *text, const char *string);
void text_cut(struct text *text, size_t len);
void text_destroy(struct text *text);

#endif /* _VITRINE_UI_TEXT_H */
