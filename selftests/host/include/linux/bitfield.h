/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/bitfield.h>: fields by their masks. */
#ifndef _HOST_LINUX_BITFIELD_H
#define _HOST_LINUX_BITFIELD_H

#include <linux/bits.h>

#define __bf_shf(mask)	__builtin_ctzll(mask)
#define FIELD_MAX(mask)	((typeof(mask))((mask) >> __bf_shf(mask)))
#define FIELD_GET(mask, word) \
	((typeof(mask))(((word) & (mask)) >> __bf_shf(mask)))
#define FIELD_PREP(mask, value) \
	(((typeof(mask))(value) << __bf_shf(mask)) & (mask))

#endif
