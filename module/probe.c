// SPDX-License-Identifier: GPL-2.0
/*
 * Find the tracepoints of probes by name, for they are not exported; register and
 * unregister the probes.
 *
 * Concurrency: a list of probes belongs to one caller at a time.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probe.h"

struct search {
	struct vtr_probe	*probes;
	unsigned int		nr;
	unsigned int		nr_found;
};

static void find_tracepoint(struct tracepoint *tp, void *ctx)
{
	struct search *search = ctx;
	unsigned int i;

	for (i = 0; i < search->nr; i++) {
		if (strcmp(search->probes[i].name, tp->name))
			continue;
		search->probes[i].tracepoint = tp;
		search->nr_found++;
	}
}

/**
 * vtr_probe_find() - find the tracepoints of probes
 * @probes: the probes
 * @nr: how many
 *
 * Context: task, sleeps.
 * Return: how many of them have a tracepoint on this kernel.
 */
unsigned int vtr_probe_find(struct vtr_probe *probes, unsigned int nr)
{
	struct search search = { .probes = probes, .nr = nr };

	for_each_kernel_tracepoint(find_tracepoint, &search);
	return search.nr_found;
}

/**
 * vtr_probe_register() - have probes called
 * @probes: probes for which vtr_probe_find() was called
 * @nr: how many
 *
 * Those without a tracepoint are skipped.
 *
 * Context: task, sleeps; the caller serialises.
 * Return: how many are registered, or the error of a tracepoint: then none is.
 */
int vtr_probe_register(const struct vtr_probe *probes, unsigned int nr)
{
	unsigned int i;
	int err, nr_registered = 0;

	for (i = 0; i < nr; i++) {
		if (!probes[i].tracepoint)
			continue;
		err = tracepoint_probe_register(probes[i].tracepoint,
						probes[i].function, NULL);
		if (err) {
			vtr_probe_unregister(probes, i);
			return err;
		}
		nr_registered++;
	}
	return nr_registered;
}

/**
 * vtr_probe_unregister() - undo vtr_probe_register()
 * @probes: the probes
 * @nr: how many
 *
 * When it returns, none of them runs any more.
 *
 * Context: task, sleeps; the caller serialises.
 */
void vtr_probe_unregister(const struct vtr_probe *probes, unsigned int nr)
{
	while (nr--)
		if (probes[nr].tracepoint)
			tracepoint_probe_unregister(probes[nr].tracepoint,
						    probes[nr].function, NULL);
	tracepoint_synchronize_unregister();
}
