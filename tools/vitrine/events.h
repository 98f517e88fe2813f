/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switch a category of trace/events on for the time of a recording.
 */
#ifndef _VITRINE_EVENTS_H
#define _VITRINE_EVENTS_H

#include "vitrine.h"

/* A category that is wanted until events_release(). */
struct events_hold {
	const char *category;
	int fd;		/* of trace/events, locked; -1: nothing to put back */
};

struct vitrine_error *events_hold(const char *category,
				  struct events_hold *hold);
void events_release(struct events_hold *hold);

#endif /* _VITRINE_EVENTS_H */
