// SPDX-License-Identifier: GPL-2.0
/*
 * Name a trace after the time, so that names sort by it.
 */
#include <time.h>

#include "trace_name.h"

/**
 * trace_name() - choose the name of a trace
 * @name: name that the user gave, or NULL
 * @buffer: buffer for a name with the local time
 *
 * Return: @name, or the name in @buffer.
 */
const char *trace_name(const char *name, char buffer[TRACE_NAME_BYTES])
{
	time_t now = time(NULL);

	if (name)
		return name;
	strftime(buffer, TRACE_NAME_BYTES, "vitrine-%Y%m%d-%H%M%S.fxt",
		 localtime(&now));
	return buffer;
}
