/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/cpumask.h>: nothing of it is needed. */
