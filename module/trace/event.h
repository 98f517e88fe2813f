/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: functions for the sources of events, and the event that is watched for.
 * event.c and event_fast.c implement them; the locking rules are in event.c.
 */
#ifndef _VTR_EVENT_H
#define _VTR_EVENT_H

#include <linux/stdarg.h>
#include <linux/types.h>

#include <vitrine/trace.h>

#include "clock.h"
#include "counter.h"
#include "writer.h"

/* First id of the pseudo threads of idle CPUs; real ids are lower. */
#define VTR_EVENT_IDLE_THREAD	0x40000000ULL

/* Largest payload in bytes: what fits into a record of 4095 words. */
#define VTR_EVENT_MAX_BYTES	32000

/* Initialiser of a struct vitrine_site, for tables of sites. */
#define VTR_SITE(site_category, site_record, site_name)			\
	.category = &vitrine_category_##site_category,			\
	.record = (site_record),					\
	.name = (site_name)

/* Size of "category:name" of the event that is watched for, including the NUL. */
#define VTR_EVENT_WATCH_BYTES	64

/* Called in the context that writes the event that is watched for. */
typedef void (*vtr_event_seen_fn)(void);

/**
 * vtr_event_ticks() - read the clock at the begin of a duration
 *
 * For an event with VITRINE_RECORD_BEGAN, which is written when the duration ends.
 *
 * Context: preemption disabled. Hot.
 * Return: ticks of the session's clock, 0 if this CPU does not record.
 */
static __always_inline u64 vtr_event_ticks(void)
{
	const struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);

	if (likely(ring->config.clock == VITRINE_CLOCK_COUNTER))
		return vtr_counter_ticks();
	return ring == &vtr_writer_none ? 0 : vtr_clock_ticks(ring->config.clock);
}

/**
 * vtr_event_is_fast() - check whether write_fixed() writes the records of a site
 * @site: the site
 * @clock: the session's clock
 *
 * Context: any.
 * Return: false if it does not; see vtr_sites_key().
 */
static inline bool vtr_event_is_fast(const struct vitrine_site *site,
				     enum vitrine_clock clock)
{
	const unsigned int both = VITRINE_RECORD_TEXT | VITRINE_RECORD_BEGAN;

	if (clock != VITRINE_CLOCK_COUNTER || (site->record & both) == both ||
	    site->record & VITRINE_RECORD_INLINE)
		return false;
	return !(site->record & VITRINE_RECORD_TEXT) || site->nr_args == 1;
}

void vtr_event_write(const struct vitrine_site *site, const char *name, u64 id,
		     const u64 *values);
void vtr_event_write_values(const struct vitrine_site *site, u64 id,
			    const u64 *values);
void vtr_event_write_span(const struct vitrine_site *site, u64 begin, u64 value);
void vtr_event_write_named(const struct vitrine_site *site, const char *name,
			   u64 id, u64 value);
void vtr_event_write_named0(const struct vitrine_site *site, const char *name,
			    u64 id);
void vtr_event_write_inline(const struct vitrine_site *site, const char *name,
			    unsigned int len_bytes, u64 id, u64 value);
void vtr_event_write_symbol(const struct vitrine_site *site, u64 id,
			    const void *function);
void vtr_event_write_bytes(const struct vitrine_site *site, const void *bytes,
			   size_t len_bytes, va_list values);
void vtr_event_lose(void);
bool vtr_event_can_watch(const char *words);
void vtr_event_watch(const char *words, vtr_event_seen_fn seen);
void vtr_event_unwatch(void);

#endif /* _VTR_EVENT_H */
