/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/irqflags.h>: nothing interrupts. */
#ifndef _HOST_LINUX_IRQFLAGS_H
#define _HOST_LINUX_IRQFLAGS_H

#define local_irq_save(flags)		((void)((flags) = 0))
#define local_irq_restore(flags)	((void)(flags))

#endif
