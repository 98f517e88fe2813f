// SPDX-License-Identifier: GPL-2.0
/*
 * Source "printk": messages of the kernel, as log records.
 *
 * Concurrency: as in event.c; nothing here is shared. Messages come from any
 * context. A writer prints nothing itself, so there is no recursion.
 */
#include <trace/events/printk.h>

#include "event.h"
#include "source.h"

static int printk_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(printk, printk_switched);

static void probe_console(void *unused, const char *text, size_t len_bytes)
{
	if (len_bytes && text[len_bytes - 1] == '\n')
		len_bytes--;
	VITRINE_TRACE_BYTES(printk, VITRINE_RECORD_LOG, NULL, text, len_bytes);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(console, probe_console),
};

struct vtr_source vtr_source_printk = VTR_SOURCE(printk, probes);

static int printk_switched(bool on)
{
	return vtr_source_switch(&vtr_source_printk, on);
}
