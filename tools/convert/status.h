/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that the command `vitrine' starts report an error on this descriptor: an errno
 * value as a number, a line with the message, and a line with advice, if there is any. Their
 * exit status is then not 0.
 */
#ifndef _VITRINE_CONVERT_STATUS_H
#define _VITRINE_CONVERT_STATUS_H

#define HELPER_STATUS_FD	3

#endif /* _VITRINE_CONVERT_STATUS_H */
