/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looking at a word that is another's to write.
 */
#ifndef _VITRINE_PEEK_H
#define _VITRINE_PEEK_H

#include <linux/compiler.h>

/**
 * vtr_peek() - read a figure as it stands
 * @figure: a word, whose writer may be changing it just now and does not care
 *
 * For what is shown, or looked at again later: the writer needs neither a lock
 * nor WRITE_ONCE(). KCSAN is told that this is meant.
 *
 * Context: any.
 * Return: what was read, once and in one go.
 */
#define vtr_peek(figure)	data_race(READ_ONCE(figure))

#endif /* _VITRINE_PEEK_H */
