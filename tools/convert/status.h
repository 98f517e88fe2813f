/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a program that the command `vitrine' starts tells it what went wrong: on this
 * descriptor, a number, which is an errno value, a line of message, and one of
 * advice, if there is any. Its exit status is then not 0.
 */
#ifndef _VITRINE_CONVERT_STATUS_H
#define _VITRINE_CONVERT_STATUS_H

#define HELPER_STATUS_FD	3

#endif /* _VITRINE_CONVERT_STATUS_H */
