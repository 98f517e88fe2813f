/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The default name of a trace.
 */
#ifndef _VITRINE_TRACE_NAME_H
#define _VITRINE_TRACE_NAME_H

/* Length of "vitrine-YYYYmmdd-HHMMSS.fxt", with room for later centuries. */
#define TRACE_NAME_BYTES	40

const char *trace_name(const char *name, char buffer[TRACE_NAME_BYTES]);

#endif /* _VITRINE_TRACE_NAME_H */
