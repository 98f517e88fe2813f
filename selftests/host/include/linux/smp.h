/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/smp.h>: there is one processor. */
#ifndef _HOST_LINUX_SMP_H
#define _HOST_LINUX_SMP_H

static inline int on_each_cpu(void (*function)(void *info), void *info, int wait)
{
	function(info);
	(void)wait;
	return 0;
}

#endif
