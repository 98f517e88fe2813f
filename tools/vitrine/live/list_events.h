/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing the events that can be recorded.
 */
#ifndef _VITRINE_LIST_EVENTS_H
#define _VITRINE_LIST_EVENTS_H

int list_events_run(char **patterns, int nr_patterns);

#endif /* _VITRINE_LIST_EVENTS_H */
