/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees that are destroyed together with their device or module. main.c calls this from
 * its module notifier.
 */
#ifndef _VTR_MANAGED_H
#define _VTR_MANAGED_H

struct module;

void vtr_managed_module_goes(const struct module *module);

#endif /* _VTR_MANAGED_H */
