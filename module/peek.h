/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read a word that another context may be writing without synchronisation.
 */
#ifndef _VTR_PEEK_H
#define _VTR_PEEK_H

#include <linux/compiler.h>

/**
 * vtr_peek() - read a word that may change concurrently
 * @figure: the word, written by another context with a plain store
 *
 * For statistics, and for checks that are repeated under a lock: the writer needs
 * neither a lock nor WRITE_ONCE(). data_race() tells KCSAN that the race is intended.
 *
 * Context: any.
 * Return: the value, loaded once and without tearing.
 */
#define vtr_peek(figure)	data_race(READ_ONCE(figure))

#endif /* _VTR_PEEK_H */
