/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is still to be done when a signal ends the command.
 */
#ifndef _VITRINE_CLEANUP_H
#define _VITRINE_CLEANUP_H

void cleanup_init(void);
/* A plugin has temporary files of its own. */
void cleanup_of_plugin(void (*remove)(void));

#endif /* _VITRINE_CLEANUP_H */
