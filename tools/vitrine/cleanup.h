/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cleaning up when a signal ends the command.
 */
#ifndef _VITRINE_CLEANUP_H
#define _VITRINE_CLEANUP_H

void cleanup_init(void);
/* Register the function that removes a plugin's temporary files. */
void cleanup_of_plugin(void (*remove)(void));

#endif /* _VITRINE_CLEANUP_H */
