// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables of FXT event types and thread states.
 */
#include "fxt_phase.h"

const struct fxt_phase fxt_phases[FXT_NR_PHASES] = {
	[FXT_EVENT_INSTANT]		= { "instant", "instant", "i", false },
	[FXT_EVENT_COUNTER]		= { "counter", "counter", "C", true },
	[FXT_EVENT_DURATION_BEGIN]	= { "begin", "begin", "B", false },
	[FXT_EVENT_DURATION_END]	= { "end", "end", "E", false },
	[FXT_EVENT_DURATION_COMPLETE]	= { "complete", "complete", "X", true },
	[FXT_EVENT_ASYNC_BEGIN]		= { "async-begin", "async_begin", "b", true },
	[FXT_EVENT_ASYNC_INSTANT]	= { "async", "async_instant", "n", true },
	[FXT_EVENT_ASYNC_END]		= { "async-end", "async_end", "e", true },
	[FXT_EVENT_FLOW_BEGIN]		= { "flow-begin", "flow_begin", "s", true },
	[FXT_EVENT_FLOW_STEP]		= { "flow", "flow_step", "t", true },
	[FXT_EVENT_FLOW_END]		= { "flow-end", "flow_end", "f", true },
};

static const char * const state_names[] = {
	[FXT_THREAD_NEW]	= "runnable",
	[FXT_THREAD_RUNNING]	= "running",
	[FXT_THREAD_SUSPENDED]	= "suspended",
	[FXT_THREAD_BLOCKED]	= "blocked",
	[FXT_THREAD_DYING]	= "dying",
	[FXT_THREAD_DEAD]	= "dead",
};

/**
 * vitrine_fxt_event_name() - return the name of a type of event
 * @type: event.type of a record
 *
 * Return: the name, e.g. "begin"; NULL if the format has no such type.
 */
const char *vitrine_fxt_event_name(unsigned int type)
{
	return type < FXT_NR_PHASES ? fxt_phases[type].name : NULL;
}

/**
 * vitrine_fxt_event_has_id() - test whether events of a type have an id
 * @type: event.type of a record
 *
 * Return: true if event.id of the record is an id; false if it is the end of a complete
 *	event or means nothing.
 */
bool vitrine_fxt_event_has_id(unsigned int type)
{
	return type < FXT_NR_PHASES && type != FXT_EVENT_DURATION_COMPLETE &&
	       fxt_phases[type].has_word;
}

/**
 * vitrine_fxt_state_name() - return the name of a thread state
 * @state: context_switch.outgoing_state of a record
 *
 * Return: the name, e.g. "blocked"; NULL if the format has no such state.
 */
const char *vitrine_fxt_state_name(unsigned int state)
{
	return state < sizeof(state_names) / sizeof(*state_names) ?
	       state_names[state] : NULL;
}
