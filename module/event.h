/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: what the sources of records need, and the event that is watched for.
 */
#ifndef _VITRINE_EVENT_H
#define _VITRINE_EVENT_H

#include <linux/types.h>

#include <vitrine/trace.h>

/* Threads that stand for the idle threads of the CPUs; pids stay below. */
#define VTR_EVENT_IDLE_THREAD	0x40000000ULL

/* Largest payload: what fits into a record of 4095 words. */
#define VTR_EVENT_MAX_BYTES	32000

/* Argument type of our own: a function, of which its name is recorded. */
#define VTR_ARG_TYPE_SYMBOL	0x100
#define VTR_ARG_SYMBOL(arg_name, function)				\
	(arg_name, VTR_ARG_TYPE_SYMBOL, (unsigned long)(function))

/* Longest category and name of an event watched for, ':' and end included. */
#define VTR_EVENT_WATCH_BYTES	64

/* Told of the event that is watched for, in the context that writes it. */
typedef void (*vtr_event_seen_fn)(void);

bool vtr_event_can_watch(const char *words);
void vtr_event_watch(const char *words, vtr_event_seen_fn seen);
void vtr_event_unwatch(void);
int vtr_event_init(void);
void vtr_event_deinit(void);

#endif /* _VITRINE_EVENT_H */
