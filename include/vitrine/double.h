/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floating-point numbers, with which the kernel does not compute.
 */
#ifndef _VITRINE_DOUBLE_H
#define _VITRINE_DOUBLE_H

#include <linux/types.h>

/**
 * struct vitrine_f64 - a double
 * @bits: IEEE 754 binary64
 *
 * vitrine_double_from_ratio() and vitrine_double_from_int() compute one. A structure, so that an
 * integer in its place does not compile.
 */
struct vitrine_f64 {
	u64	bits;
};

static inline struct vitrine_f64 vitrine_double_from_bits(u64 bits)
{
	return (struct vitrine_f64){ bits };
}

#endif /* _VITRINE_DOUBLE_H */
