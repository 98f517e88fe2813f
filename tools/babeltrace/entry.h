/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The function of the plugin that `vitrine convert' calls. The command loads the plugin only
 * for such a conversion, so that it does not depend on libbabeltrace2.
 */
#ifndef _VITRINE_BABELTRACE_ENTRY_H
#define _VITRINE_BABELTRACE_ENTRY_H

#include <stddef.h>

#define VITRINE_BABELTRACE_PLUGIN	"babeltrace-plugin-vitrine.so"
#define VITRINE_BABELTRACE_CONVERT	"vitrine_babeltrace_convert"
/* For temporary.h: the plugin has its own list of temporary files. */
#define VITRINE_BABELTRACE_CLEANUP	"vtr_temporaries_remove"

struct faults;

typedef int vitrine_babeltrace_convert_fn(const char *from, const char *to,
					  struct faults *faults, char *message,
					  size_t size);

int vitrine_babeltrace_convert(const char *from, const char *to,
			       struct faults *faults, char *message,
			       size_t size);

#endif /* _VITRINE_BABELTRACE_ENTRY_H */
