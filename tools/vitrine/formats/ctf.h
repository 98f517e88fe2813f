/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Common Trace Format, through the plugin for libbabeltrace2.
 */
#ifndef _VITRINE_CTF_H
#define _VITRINE_CTF_H

#include "faults.h"
#include "vitrine.h"

struct vitrine_error *ctf_write(const char *from, const char *to,
				struct faults *faults);
struct vitrine_error *ctf_read(const char *from, const char *to);

#endif /* _VITRINE_CTF_H */
