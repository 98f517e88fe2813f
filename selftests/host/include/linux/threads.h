/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/threads.h>: how many ids there are. */
#ifndef _HOST_LINUX_THREADS_H
#define _HOST_LINUX_THREADS_H

#define PID_MAX_LIMIT	(4 * 1024 * 1024)

#endif
