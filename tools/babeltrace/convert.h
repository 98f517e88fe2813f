/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What `vitrine convert' calls in the plugin, which it loads when it needs it,
 * so that the command itself does without libbabeltrace2.
 */
#ifndef _VITRINE_BABELTRACE_CONVERT_H
#define _VITRINE_BABELTRACE_CONVERT_H

#include <stdbool.h>
#include <stddef.h>

#define VITRINE_BABELTRACE_PLUGIN	"babeltrace-plugin-vitrine.so"
#define VITRINE_BABELTRACE_CONVERT	"vitrine_babeltrace_convert"
/* temporary.h: the plugin has a list of its own. */
#define VITRINE_BABELTRACE_CLEANUP	"vtr_temporaries_remove"

struct faults;

typedef bool vitrine_babeltrace_convert_fn(const char *from, const char *to,
					   struct faults *faults,
					   char *message, size_t size);

bool vitrine_babeltrace_convert(const char *from, const char *to,
				struct faults *faults, char *message,
				size_t size);

#endif /* _VITRINE_BABELTRACE_CONVERT_H */
