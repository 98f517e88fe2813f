/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How read-trace-cmd, a program, tells the command `vitrine' that started it what
 * went wrong: on this descriptor, a number, which is an errno value, a line of
 * message, and one of advice, if there is any.
 */
#ifndef _VITRINE_TRACECMD_STATUS_H
#define _VITRINE_TRACECMD_STATUS_H

#define TRACECMD_READER		"read-trace-cmd"
#define TRACECMD_STATUS_FD	3

#endif /* _VITRINE_TRACECMD_STATUS_H */
